/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A byte-coded program for one synchronizer: six bytes of settings, then operations. After each the books must balance,
 * no token may come back twice, sets must not cross, and in the end every token must have come back.
 */
#include "sensortime/sensortime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TOKENS = 2048, INPUTS = 5 };

#define REQUIRE(x)                                                                                           \
    do {                                                                                                     \
        if (!(x))                                                                                            \
            abort();                                                                                         \
    } while (0)

typedef struct machine {
    snt_synchronizer *sync;
    unsigned char state[TOKENS]; /* 0 not given, 1 given, 2 back */
    uint64_t next;
    snt_time clock, now, last[INPUTS];
    int ordered, session_seen;
} machine;

static void took(machine *m, const snt_sync_set *set, const snt_sync_member *members)
{
    REQUIRE(set->member_count && set->start_ns <= set->end_ns &&
            set->separation_lo_ns <= set->separation_hi_ns);
    for (uint32_t i = 0; i < set->member_count; i++) {
        REQUIRE(members[i].sample.token < TOKENS);
        unsigned char *back = &m->state[members[i].sample.token];
        REQUIRE(*back == 1);
        if (!(members[i].flags & SNT_MEMBER_LENT))
            *back = 2;
        if (members[i].flags & SNT_MEMBER_AFTER)
            continue; /* the next set's pair may begin with it or before */
        if (m->ordered)
            REQUIRE(members[i].key_ns >= m->last[members[i].input]);
        m->last[members[i].input] = members[i].key_ns;
    }
}

static void drain(machine *m)
{
    snt_sync_set set;
    snt_sync_member members[2 * INPUTS];
    snt_sync_drop drops[8];
    uint32_t count;
    while (snt_synchronizer_poll(m->sync, m->now, m->clock, &set, members, 2 * INPUTS) == SNT_OK)
        took(m, &set, members);
    while (snt_synchronizer_poll_drops(m->sync, drops, 8, &count) == SNT_OK)
        for (uint32_t i = 0; i < count; i++) {
            REQUIRE(drops[i].reason && drops[i].sample.token < TOKENS &&
                    m->state[drops[i].sample.token] == 1);
            char text[64];
            snt_sync_drop_format(&drops[i], text, sizeof text);
            m->state[drops[i].sample.token] = 2;
        }
}

/* With the highest bit of the operation the set that it may complete is taken at once. */
static void give(machine *m, uint32_t input, const snt_sample *sample, int at_once)
{
    snt_sync_set set;
    snt_sync_member members[2 * INPUTS];
    if (m->next >= TOKENS)
        return;
    const snt_status status =
        at_once ? snt_synchronizer_add_poll(m->sync, input, sample, m->now, &set, members, 2 * INPUTS)
                : snt_synchronizer_add(m->sync, input, sample, m->now);
    if (status < 0)
        return;
    m->state[m->next++] = 1;
    if (at_once && status == SNT_OK)
        took(m, &set, members);
}

static void step(machine *m, uint8_t op, uint8_t a, uint8_t b)
{
    snt_sample sample;
    switch (op & 15) {
    case 8:
        m->now += a * 1000;
        drain(m);
        break;
    case 9:
        drain(m);
        break;
    case 10: {
        snt_sync_diagnosis d;
        snt_sync_input_info info;
        snt_synchronizer_diagnose(m->sync, m->now, &d);
        snt_synchronizer_input_info(m->sync, a % INPUTS, m->now, &info);
        break;
    }
    case 11:
        if (a < 8) {
            snt_synchronizer_reset(m->sync);
            m->ordered = 0;
        }
        break;
    case 12:
        snt_synchronizer_set_offset(m->sync, a % INPUTS, (int8_t)b * 10, b & 3);
        m->ordered = 0; /* stamps move below what was given out */
        break;
    case 13:
        snt_synchronizer_set_max_separation(m->sync, b * 10);
        break;
    default:
        m->clock += b & 31;
        snt_sample_init(&sample, m->clock + (int8_t)a, b == 255 ? 9 : 1, m->next);
        if (b == 254)
            sample.t0_ns = INT64_MIN;
        if (b == 253)
            sample.t0_ns = sample.t1_ns = INT64_MAX;
        sample.t1_ns = b & 32 && sample.t0_ns < INT64_MAX - 99 ? sample.t0_ns + a : sample.t1_ns;
        if (sample.t1_ns < sample.t0_ns)
            sample.t1_ns = sample.t0_ns;
        if (b & 64) {
            sample.flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
            sample.err_lo_ns = a & 7;
            sample.err_hi_ns = a >> 5;
        }
        give(m, op % INPUTS, &sample, op >> 7);
    }
    REQUIRE(snt_synchronizer_check(m->sync) == SNT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 12)
        return 0;
    snt_sync_input_config inputs[INPUTS];
    memset(inputs, 0, sizeof inputs);
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = data[0] % 5;
    cfg.flags = data[1] & 31;
    cfg.input_count = INPUTS;
    cfg.inputs = inputs;
    cfg.queue = 1 + data[2] % 9;
    cfg.ready = 1 + data[2] / 32;
    cfg.max_separation_ns = data[3];
    cfg.deadline_ns = data[4] & 1 ? data[4] * 100 : 0;
    cfg.min_members = data[4] & 2 ? 1 : 0;
    cfg.max_age_ns = data[5] & 1 ? data[5] : 0;
    cfg.jump_back_ns = data[5] & 2 ? 100 : 0;
    cfg.optional_wait_ns = data[5] & 4 ? 3000 : 0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        inputs[i].role = data[6 + i] & 3;
        inputs[i].match = data[6 + i] >> 2 & 3;
        inputs[i].flags = (data[6 + i] >> 4 & 1 ? SNT_SYNC_MAY_LACK : 0u) |
                          (data[6 + i] >> 5 & 1 ? SNT_SYNC_DROP_NEWEST : 0u);
        inputs[i].max_gap_ns = data[6 + i] & 64 ? 50 : 0;
    }
    static machine m;
    memset(&m, 0, sizeof m);
    for (int i = 0; i < INPUTS; i++)
        m.last[i] = INT64_MIN;
    m.ordered = !(cfg.flags & SNT_SYNC_COMPAT) && !cfg.jump_back_ns;
    m.clock = 1000;
    if (snt_synchronizer_create(&cfg, NULL, &m.sync) != SNT_OK)
        return 0;
    for (size_t i = 11; i + 3 <= size; i += 3)
        step(&m, data[i], data[i + 1], data[i + 2]);
    snt_synchronizer_clear(m.sync);
    drain(&m);
    for (uint64_t i = 0; i < m.next; i++)
        REQUIRE(m.state[i] == 2);
    snt_sync_stats stats;
    snt_synchronizer_stats(m.sync, &stats);
    REQUIRE(stats.in == m.next && stats.held == 0);
    snt_synchronizer_destroy(m.sync);
    return 0;
}
