/* SPDX-License-Identifier: BSD-3-Clause */
/* A byte-coded program for a transform buffer and a message filter over it; every token must come back once. */
#include "sensortime/sensortime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TOKENS = 1024, FRAMES = 6 };

#define REQUIRE(x)                                                                                           \
    do {                                                                                                     \
        if (!(x))                                                                                            \
            abort();                                                                                         \
    } while (0)

typedef struct machine {
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_epoch *epoch;
    snt_frame frames[FRAMES];
    unsigned char state[TOKENS];
    uint64_t next;
    snt_time clock, now;
    int told;
} machine;

static void drain(machine *m)
{
    snt_filter_release release;
    snt_tf_result results[4];
    snt_filter_drop drop;
    snt_time last = INT64_MIN;
    while (snt_message_filter_poll(m->filter, m->now, m->clock, &release, results, 4) == SNT_OK) {
        REQUIRE(release.sample.token < TOKENS && m->state[release.sample.token] == 1);
        m->state[release.sample.token] = 2;
        REQUIRE(release.sample.t0_ns >= last || m->told);
        last = release.sample.t0_ns;
    }
    while (snt_message_filter_poll_drop(m->filter, &drop) == SNT_OK) {
        REQUIRE(drop.reason && drop.sample.token < TOKENS && m->state[drop.sample.token] == 1);
        char text[128];
        snt_filter_drop_format(m->tf, &drop, text, sizeof text);
        m->state[drop.sample.token] = 2;
    }
}

static void step(machine *m, uint8_t op, uint8_t a, uint8_t b)
{
    switch (op & 7) {
    case 0:
    case 1: { /* a transform, told or not */
        snt_tf_transform x;
        snt_tf_transform_init(&x, m->frames[a % FRAMES], m->frames[(a / FRAMES) % FRAMES],
                              m->clock + (int8_t)b);
        x.pose.q[3] = 1;
        const snt_status status =
            b == 99 ? snt_tf_buffer_insert_static(m->tf, &x, NULL) : snt_tf_buffer_insert(m->tf, &x, NULL);
        if (status == SNT_OK && (op & 1))
            snt_message_filter_poll_edge(m->filter, x.child, b == 99 ? SNT_UNKNOWN : x.stamp, m->now);
        break;
    }
    case 2:
    case 3:
    case 4: {
        snt_sample sample;
        m->clock += b & 15;
        snt_sample_init(&sample, m->clock + (int8_t)a / 4, 0, m->next);
        sample.t1_ns += b & 16 ? a & 15 : 0;
        const snt_frame frame = b == 77 ? 0 : m->frames[(a ^ b) % FRAMES];
        const snt_status status =
            m->next >= TOKENS ? SNT_ERR_FULL
            : b & 32          ? snt_message_filter_add_tolerant(m->filter, &sample, frame, (int8_t)a, m->now)
                              : snt_message_filter_add(m->filter, &sample, frame, m->now);
        if (status >= 0)
            m->state[m->next++] = 1;
        break;
    }
    case 5:
        m->now += a;
        drain(m);
        break;
    case 6: {
        const snt_frame targets[2] = {m->frames[a % FRAMES], m->frames[b % FRAMES]};
        if (b & 64)
            snt_message_filter_set_targets(m->filter, targets, 1 + (b >> 7));
        else if (b & 32)
            snt_message_filter_set_tolerance(m->filter, (int8_t)a);
        break;
    }
    default:
        if (a == 1)
            snt_epoch_bump(m->epoch, SNT_EPOCH_USER);
        if (a == 2)
            snt_message_filter_reset(m->filter);
        if (a == 3)
            snt_tf_buffer_clear_dynamic(m->tf);
        if (a == 4)
            snt_tf_buffer_remove_frame(m->tf, m->frames[b % FRAMES]);
    }
    REQUIRE(snt_message_filter_check(m->filter) == SNT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 6)
        return 0;
    static machine m;
    memset(&m, 0, sizeof m);
    snt_tf_buffer_config tf;
    snt_message_filter_config cfg;
    snt_tf_buffer_config_init(&tf, sizeof tf);
    snt_message_filter_config_init(&cfg, sizeof cfg);
    snt_epoch_create(NULL, &m.epoch);
    tf.epoch = cfg.epoch = m.epoch;
    tf.max_frames = 16;
    tf.max_samples = 1024;
    tf.samples_per_edge = 16;
    tf.keep_ns = 100;
    cfg.capacity = 1 + data[0] % 8;
    cfg.undrained = 1 + data[0] / 16;
    cfg.overflow = data[1] % 3;
    cfg.flags = data[1] >> 4 & 7;
    cfg.wait_timeout_ns = data[2];
    cfg.max_age_ns = data[3];
    cfg.tolerance_ns = (int8_t)data[4];
    m.told = (cfg.flags & (SNT_FILTER_STRICT_FIFO)) != 0 || cfg.wait_timeout_ns || cfg.max_age_ns;
    m.clock = 1000;
    REQUIRE(snt_tf_buffer_create(&tf, NULL, &m.tf) == SNT_OK);
    REQUIRE(snt_message_filter_create(m.tf, &cfg, NULL, &m.filter) == SNT_OK);
    static const char *const names[FRAMES] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < FRAMES; i++)
        REQUIRE(snt_tf_buffer_frame(m.tf, names[i], &m.frames[i]) == SNT_OK);
    for (size_t i = 5; i + 3 <= size; i += 3)
        step(&m, data[i], data[i + 1], data[i + 2]);
    snt_message_filter_clear(m.filter);
    drain(&m);
    for (uint64_t i = 0; i < m.next; i++)
        REQUIRE(m.state[i] == 2);
    snt_message_filter_destroy(m.filter);
    snt_tf_buffer_destroy(m.tf);
    snt_epoch_unref(m.epoch);
    return 0;
}
