/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The synchronizer's inside. Every accepted sample lives in one slot of a pool until its outcome has been taken; queues
 * are rings of (key, slot), ready sets are rows of slots. The policies only move ring cursors.
 *
 * A lane's ring is [head, tail); APPROXIMATE splits it at `cur` into the hidden part [head, cur) and the queue proper.
 * The other policies keep cur == head.
 */
#ifndef SNT_LIB_SYNC_INTERNAL_H
#define SNT_LIB_SYNC_INTERNAL_H

#include "../base/internal.h"
#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/synchronizer.h"

#define SNT__SYNC_NONE 0xffffffu /* "no slot" in 24 bits */
#define SNT__SYNC_YEAR (INT64_C(31536000) * SNT_NS_PER_S)

typedef struct snt__sync_entry {
    int64_t key;
    uint32_t slot;
    uint32_t reserved;
} snt__sync_entry;

/* Two cache lines. */
typedef struct snt__sync_slot {
    snt_sample sample;
    int64_t key;
    int64_t arrived;    /* steady; once dropped: how long it waited */
    int64_t gap;        /* while held: how often it was lent; once dropped: distance to the nearest partner */
    uint32_t next : 24; /* free list, drop list */
    uint32_t partner : 8; /* 0xff = none */
    uint32_t lent : 16;   /* ready sets that refer to it and keep it */
    uint32_t reason : 5;  /* decided outcome; 0 = still held */
    uint32_t cause : 5;
    uint32_t input : 6;
} snt__sync_slot;

typedef struct snt__sync_lane {
    snt__sync_entry *ring;
    uint32_t mask, head, cur, tail;
    uint32_t limit; /* entries that may wait */
    uint32_t rank;  /* among the REQUIRED ones */
    int64_t last_out;
    int64_t newest;
    int64_t bound; /* minimum period in use */
    uint64_t received, in_sets;
    /* second line: learning and configuration */
    int64_t period, jitter; /* SNT_UNKNOWN before the second stamp */
    int64_t block_min, previous_min;
    uint32_t block_count, backward;
    int64_t empty_since;
    int64_t miss, miss_key, miss_partner_key;
    uint32_t miss_partner, session;
    snt_sync_input_config cfg;
} snt__sync_lane;

typedef struct snt__sync_ready {
    int64_t decided;
    int64_t reference;
    uint64_t present, missing;
    uint32_t count, flags, session, reserved;
} snt__sync_ready;

struct snt_synchronizer {
    snt__lock lock;
    uint32_t policy, flags, inputs, ranks;
    uint64_t required; /* inputs that the policy matches */
    uint64_t attached; /* inputs that are added to a decided set */
    uint64_t full;     /* lanes with cur != tail */
    int64_t max_separation;
    int64_t now; /* newest steady time heard of; SNT_UNKNOWN = none */
    int64_t deadline, optional_wait, max_age, jump_back;
    uint32_t min_members, driver, domain, adopt_domain;
    uint32_t careful; /* bounds, overlap or certainty: separation needs more than two keys */
    uint32_t session;

    /* APPROXIMATE */
    uint64_t hidden;     /* ranks with head != cur */
    uint64_t overflowed; /* ranks that lost a sample since they were last not the end of a set */
    uint32_t pivot;      /* rank, or SNT_SYNC_NO_INPUT */
    uint32_t scale_shift;
    uint64_t scale_mantissa;
    int64_t pivot_key, start, end;
    uint32_t absent;    /* EXACT: rank that lacked the last stamp */
    uint32_t reference; /* input whose member is the reference */

    /* pool */
    snt__sync_slot *slots;
    uint32_t slot_count, free_head, drop_head, drop_tail, drop_count;
    /* ready sets: [ready_head, ready_open) may be polled, [ready_open, ready_tail) still wait for attached inputs */
    snt__sync_ready *ready;
    uint32_t *members;
    uint32_t ready_mask, ready_head, ready_open, ready_tail, ready_limit, width;

    uint64_t in, out, held, sets, partial, refused, resets, number;
    uint64_t dropped[SNT_DROP_COUNT];
    int64_t newest; /* over all lanes */
    snt_epoch *epoch;
    snt_allocator allocator;
    int64_t front[SNT_SYNC_MAX_INPUTS]; /* by rank: key at cur */
    uint8_t input_of[SNT_SYNC_MAX_INPUTS];
    snt__sync_lane lanes[];
};

#define SNT__BIT(i) (UINT64_C(1) << (i))

static inline uint32_t snt__first_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
#endif
}

static inline int64_t snt__sync_sub(int64_t a, int64_t b)
{
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    if (b > 0 && a < INT64_MIN + b)
        return INT64_MIN;
    return a - b;
}

static inline int64_t snt__sync_plus(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

static inline snt__sync_lane *snt__sync_ranked(snt_synchronizer *s, uint32_t rank)
{
    return &s->lanes[s->input_of[rank]];
}

static inline snt__sync_entry *snt__sync_at(const snt__sync_lane *lane, uint32_t index)
{
    return &lane->ring[index & lane->mask];
}

static inline bool snt__sync_complete(const snt_synchronizer *s)
{
    return (s->full & s->required) == s->required;
}

/* After a cursor moved: the lane's front key and its bit. */
static inline void snt__sync_touch(snt_synchronizer *s, uint32_t rank)
{
    const uint32_t input = s->input_of[rank];
    snt__sync_lane *lane = &s->lanes[input];
    if (lane->cur != lane->tail) {
        s->front[rank] = snt__sync_at(lane, lane->cur)->key;
        s->full |= SNT__BIT(input);
    } else if (s->full & SNT__BIT(input)) {
        s->full &= ~SNT__BIT(input);
        lane->empty_since = s->now;
    }
}

/* sync_queue.c */
int64_t snt__sync_key(const snt__sync_lane *lane, const snt_sample *sample);
void snt__sync_drop(snt_synchronizer *s, uint32_t slot, uint32_t reason, uint32_t cause, uint32_t partner,
                    int64_t gap);
void snt__sync_release(snt_synchronizer *s, uint32_t slot);
void snt__sync_drop_front(snt_synchronizer *s, snt__sync_lane *lane, uint32_t reason, uint32_t partner);
void snt__sync_overflow(snt_synchronizer *s, uint32_t input);
bool snt__sync_insert_sorted(snt_synchronizer *s, snt__sync_lane *lane, uint32_t slot);
void snt__sync_drop_waiting(snt_synchronizer *s, uint32_t input, uint32_t reason);
void snt__sync_touch_any(snt_synchronizer *s, uint32_t input);
void snt__sync_miss(snt_synchronizer *s, uint32_t lo, uint32_t hi);

/* sync_separation.c */
typedef struct snt__sync_separation {
    int64_t start, end, nominal, lo, hi;
    uint32_t verdict;
    uint32_t widest; /* index of the member with the widest bound */
} snt__sync_separation;
void snt__sync_separate(const snt_synchronizer *s, const uint32_t *slots, uint32_t count,
                        snt__sync_separation *out);
bool snt__sync_acceptable(const snt_synchronizer *s, const uint32_t *slots, uint32_t count,
                          snt__sync_separation *out);

/* sync_ready.c: a policy fills the row of snt__sync_row with slots in order of ranks and closes it */
static inline uint32_t *snt__sync_row(const snt_synchronizer *s, uint32_t index)
{
    return s->members + (size_t)(index & s->ready_mask) * s->width;
}
void snt__sync_close(snt_synchronizer *s, uint32_t count, uint64_t present, uint32_t flags);
void snt__sync_attach(snt_synchronizer *s);
void snt__sync_expire(snt_synchronizer *s, snt_time now_stamp);
void snt__sync_dissolve_ready(snt_synchronizer *s, bool all, uint32_t reason);

/* policies */
void snt__sync_approx_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_approx_restart(snt_synchronizer *s);
void snt__sync_approx_process(snt_synchronizer *s);
void snt__sync_approx_publish(snt_synchronizer *s, uint32_t flags);
void snt__sync_exact_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_window_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_window_process(snt_synchronizer *s);
void snt__sync_latest_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
/* After cursors or settings changed from outside: match anew. */
void snt__sync_rematch(snt_synchronizer *s);

#endif
