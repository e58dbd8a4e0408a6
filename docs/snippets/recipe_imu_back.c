/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs/recipes.md, "the IMU steps back": 200 Hz; one packet 20 ms late in the network, later the clock is set back by a second.
 */
#include "snippet.h"

int main(void)
{
    const snt_time start = INT64_C(1700000000) * SNT_NS_PER_S;
    snt_imu_buffer *imu;
    /* [create] */
    snt_epoch *epoch; /* shared with the filter, the synchronizer and the transform buffer */
    need(snt_epoch_create(NULL, &epoch));
    snt_imu_buffer_config cfg;
    snt_imu_buffer_config_init(&cfg, sizeof cfg);
    cfg.epoch = epoch;
    cfg.reorder_ns = 100 * SNT_NS_PER_MS; /* later than that is no packet that was overtaken */
    need(snt_imu_buffer_create(&cfg, NULL, &imu));
    int behind = 0;
    /* [create] */
    for (int n = 0; n < 1200; n++) {
        snt_imu_sample sample = {.stamp_ns = start + n * 5 * SNT_NS_PER_MS, .rate = {0, 0, 0.5}};
        if (n == 300)
            sample.stamp_ns -= 22 * SNT_NS_PER_MS;
        if (n >= 600)
            sample.stamp_ns -= 1003 * SNT_NS_PER_MS;
        /* [insert] */
        snt_status status = snt_imu_buffer_insert(imu, &sample); /* late ones are sorted in */
        behind = status == SNT_ERR_BACKWARD ? behind + 1 : 0;
        if (behind == 3) { /* not a straggler: the clock was set */
            snt_epoch_bump(epoch, SNT_EPOCH_HOST_STEP);
            status = snt_imu_buffer_insert(imu, &sample); /* all who hold the epoch start anew */
        }
        /* [insert] */
        if (behind == 3)
            printf("sample %d: session %u begins\n", n, (unsigned)snt_epoch_session(epoch));
    }
    snt_imu_counters counters;
    need(snt_imu_buffer_counters(imu, &counters));
    printf("%u taken, %u of them late; %u refused\n", (unsigned)counters.inserted, (unsigned)counters.late,
           (unsigned)counters.backward);
    expect(counters.late == 1 && counters.backward == 3 && counters.resets == 1);
    snt_imu_buffer_destroy(imu);
    snt_epoch_unref(epoch);
    return 0;
}
