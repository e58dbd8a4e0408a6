/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs/recipes.md, "why are my pairs one period late": a lidar at 10 Hz and a camera at 10 Hz, stamped within 2 ms of each
 * other, each message arriving 5 ms after its stamp.
 */
#include "snippet.h"

static const int64_t ms = 1000000;

/* How long after its younger member arrived a pair comes out, as a rule. */
static int64_t latency(uint32_t flags, snt_duration period)
{
    snt_sync_input_config inputs[2] = {{0}};
    /* [config] */
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.input_count = 2;
    cfg.flags = flags; /* SNT_SYNC_COMPAT behaves as ROS 2's ApproximateTime, bit for bit */
    cfg.inputs = inputs;
    inputs[0].min_period_ns = period; /* stamps of an input are at least this far apart; 0 = learn it */
    inputs[1].min_period_ns = period;
    /* [config] */
    snt_synchronizer *sync;
    need(snt_synchronizer_create(&cfg, NULL, &sync));
    int64_t late = -1;
    for (uint64_t n = 0; n < 20; n++)
        for (uint32_t input = 0; input < 2; input++) {
            const snt_time stamp = (snt_time)n * 100 * ms + (input ? 2 * ms : 0), now = stamp + 5 * ms;
            snt_sample sample;
            snt_sample_init(&sample, stamp, SNT_DOMAIN_UNIX, n);
            need(snt_synchronizer_add(sync, input, &sample, now));
            snt_sync_set set;
            snt_sync_member members[2];
            while (snt_synchronizer_poll(sync, now, SNT_UNKNOWN, &set, members, 2) == SNT_OK)
                late = now - (members[1].sample.t0_ns + 5 * ms);
        }
    snt_synchronizer_destroy(sync);
    return late;
}

int main(void)
{
    const int64_t ros = latency(SNT_SYNC_COMPAT, 0), learned = latency(0, 0), declared = latency(0, 90 * ms);
    printf("ApproximateTime:          %lld ms late\n", (long long)(ros / ms));
    printf("period learned (default): %lld ms late\n", (long long)(learned / ms));
    printf("period declared:          %lld ms late\n", (long long)(declared / ms));
    expect(ros > 90 * ms && declared == 0);
    return 0;
}
