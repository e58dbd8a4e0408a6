/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/message_filter.md: a sweep waits until transforms cover both of its ends. */
#include "snippet.h"

static int used;

static void use(uint64_t token, const snt_pose *first, const snt_pose *last)
{
    printf("%u: x from %.2f to %.2f m\n", (unsigned)token, first->t[0], last->t[0]);
    used++;
}

static void note(const char *line)
{
    puts(line);
}

int main(void)
{
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    need(snt_tf_buffer_create(NULL, NULL, &tf));
    const snt_duration period = SNT_NS_PER_S / 30, delay = 200 * SNT_NS_PER_MS;
    /* [create] */
    snt_message_filter_config cfg;
    snt_message_filter_config_init(&cfg, sizeof cfg);
    cfg.capacity = snt_message_filter_suggest_capacity(period, delay, 4); /* 30 Hz, 0.2 s: 11 */
    cfg.wait_timeout_ns = 500 * SNT_NS_PER_MS;
    need(snt_message_filter_create(tf, &cfg, NULL, &filter));
    need(snt_message_filter_set_target_named(filter, "odom"));
    /* [create] */
    expect(cfg.capacity == 11);
    snt_time now = 1000 * SNT_NS_PER_S;
    snt_sample sample;
    snt_sample_init(&sample, 100 * SNT_NS_PER_S, SNT_DOMAIN_UNIX, 1);
    sample.t1_ns += 100 * SNT_NS_PER_MS;
    snt_filter_release release;
    snt_filter_drop drop;
    snt_tf_result pose[2];
    char line[512];
    for (int step = 0; step < 10; step++, now += 100 * SNT_NS_PER_MS) {
        if (step == 2 || step == 3) {
            snt_tf_transform in;
            snt_tf_transform_init(&in, 0, 0, (98 + step) * SNT_NS_PER_S);
            in.pose.t[0] = step;
            need(snt_tf_buffer_insert_named(tf, "odom", "lidar", &in, NULL));
        }
        if (step == 4)
            sample.t0_ns += 2 * SNT_NS_PER_S, sample.t1_ns += 2 * SNT_NS_PER_S, sample.token = 2;
        if (step != 0 && step != 4)
            goto poll;
        /* [add] */
        need(snt_message_filter_add_named(filter, &sample, "lidar", now)); /* SNT_PENDING: it waits */
        /* [add] */
    poll:
        /* [poll] */
        while (snt_message_filter_poll(filter, now, SNT_UNKNOWN, &release, pose, 2) == SNT_OK)
            use(release.sample.token, &pose[0].pose, &pose[1].pose); /* at t0 and at t1 */
        while (snt_message_filter_poll_drop(filter, &drop) == SNT_OK)
            if (snt_filter_drop_format(tf, &drop, line, sizeof line) == SNT_OK)
                note(line);
        /* [poll] */
    }
    expect(used == 1);
    snt_message_filter_destroy(filter);
    snt_tf_buffer_destroy(tf);
    return 0;
}
