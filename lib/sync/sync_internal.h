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

#define SNT__SYNC_NONE  0xffffffffu /* "no slot" */
#define SNT__SYNC_BLOCK 16u
#define SNT__SYNC_YEAR  (INT64_C(31536000) * SNT_NS_PER_S)

typedef struct snt__sync_entry {
    int64_t key;
    uint32_t slot;
    uint32_t reserved;
} snt__sync_entry;

/* Two cache lines. While a sample is here its `reserved` holds cause (bits 0..7) and partner (bits 8..15). */
typedef struct snt__sync_slot {
    snt_sample sample;
    int64_t key;
    int64_t arrived; /* steady; once dropped: how long it waited */
    int64_t
        gap; /* while held: how often it was lent; once dropped: distance to the nearest partner; free: 0 */
    uint32_t next; /* free list */
    uint16_t lent; /* ready sets that refer to it and keep it; free: 0 */
    uint16_t tag;  /* input | decided outcome << 8 (0 = still held); no bytes: those may alias anything */
} snt__sync_slot;

enum { SNT__SYNC_ANY, SNT__SYNC_EXACT, SNT__SYNC_ROS };

/* Takes a sample that was admitted into its lane's queue, and whatever follows from it. */
typedef void (*snt__sync_match)(snt_synchronizer *s, uint32_t input, uint32_t slot);

/*
 * The first cache line is what adding and taking touch; what they store there stands together, because a processor
 * writes two words in one step only where they are neighbours.
 */
typedef struct snt__sync_lane {
    snt__sync_entry *ring;
    uint32_t mask;
    uint32_t limit; /* entries that may wait */
    uint32_t rank;  /* among the REQUIRED ones */
    uint32_t head, cur, tail;
    uint64_t received;
    int64_t last_out;
    int64_t newest;
    uint32_t until;  /* gaps until the block is full */
    uint32_t domain; /* expected clock; ~0 = not known yet */

    int64_t block_min, block_max; /* learning: gaps in blocks of 16, so that a sample costs two comparisons */
    uint64_t reach;               /* gaps up to this are usual: a year; 0 while `newest` is unknown */
    uint64_t
        plain; /* where the key is t0 itself, for these many values of t0 from INT64_MIN + 1 on: all but infinite */
    uint16_t kind;   /* SNT__SYNC_* whose commonest cases are known where samples are added */
    uint16_t learns; /* its least period, from its stamps */
    uint16_t blocks; /* 0: the first */
    uint16_t miss_partner;
    uint32_t backward, session;
    snt__sync_match match;
    int64_t empty_since;

    uint64_t in_sets; /* beside those with all REQUIRED inputs */
    int64_t bound;    /* least period: declared, or learned before the block began; see snt__sync_bound */
    int64_t block_start;
    int64_t previous_period, previous_min, previous_max;
    int64_t miss, miss_key, miss_partner_key;
    snt_sync_input_config cfg; /* 256 bytes: an index is a shift */
} snt__sync_lane;

typedef struct snt__sync_ready {
    int64_t decided;
    int64_t reference;
    uint64_t present, missing;
    uint32_t count, flags, session, reserved;
    uint64_t padding[2];
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
    uint32_t locked;   /* not SNT_SYNC_SINGLE_THREAD */
    uint32_t timed;    /* deadlines, ages or attached inputs: polls have more to do */
    uint32_t watchful; /* zero stamps and jumps are looked for */
    uint32_t careful;  /* bounds, overlap or certainty: separation needs more than two keys */
    uint32_t direct; /* a set may go out as it is decided: nothing lent, attached or timed has a say in it */
    snt_sync_set
        *sink; /* while adding and polling at once: where the first set goes; NULL = to the ready ones */
    snt_sync_member *sink_members;
    uint32_t verdict; /* of a set that is not wider than max_separation, without bounds */
    uint32_t session;

    /* APPROXIMATE */
    uint64_t hidden;     /* ranks with head != cur */
    uint64_t overflowed; /* ranks that lost a sample since they were last not the end of a set */
    uint32_t pivot;      /* rank, or SNT_SYNC_NO_INPUT */
    uint32_t scale_shift;
    uint64_t scale_mantissa;
    int64_t pivot_key, start, end;
    uint32_t absent; /* EXACT: rank that lacked the last stamp */
    uint32_t chosen; /* LATEST: current driver */
    uint32_t reference_rank;
    uint32_t reference; /* input whose member is the reference */

    /* pool */
    snt__sync_slot *slots;
    uint32_t *drops; /* ring of dropped slots, room for all */
    uint32_t slot_count, free_head, drop_mask, drop_head, drop_tail;
    /* ready sets: [ready_head, ready_open) may be polled, [ready_open, ready_tail) still wait for attached inputs */
    snt__sync_ready *ready;
    uint32_t *members;
    uint32_t ready_mask, ready_head, ready_open, ready_tail, ready_limit, width;

    uint64_t
        full_sets; /* decided with all REQUIRED inputs; ready ones that are dissolved are subtracted from `sets` */
    uint64_t at_once; /* of these, written to the caller as they were decided */
    uint64_t out, sets, partial, refused, resets,
        polled; /* the rest: ready ones that were taken, decided … */
    uint64_t dropped[SNT_DROP_COUNT];
    int64_t newest; /* of lanes that started anew since; see snt__sync_newest */
    snt_epoch *epoch;
    snt_allocator allocator;
    int64_t front[SNT_SYNC_MAX_INPUTS]; /* by rank: key at cur */
    uint8_t input_of[SNT_SYNC_MAX_INPUTS];
    _Alignas(SNT_CACHE_LINE) snt__sync_lane lanes[];
};

#define SNT__BIT(i) (UINT64_C(1) << (i))

#if SNT_GNU
#define SNT__SYNC_HOT           static inline __attribute__((always_inline))
#define SNT__SYNC_HOLD(pointer) __asm__("" : "+r"(pointer)) /* keep it: compilers compute it anew each time */
#define SNT__SYNC_COLD          __attribute__((noinline))
#else
#define SNT__SYNC_HOT           static inline
#define SNT__SYNC_HOLD(pointer) ((void)0)
#define SNT__SYNC_COLD
#endif

static inline uint32_t snt__first_bit(uint64_t bits)
{
#if SNT_GNU
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
#endif
}

/* Saturating. */
static inline int64_t snt__sync_sub(int64_t a, int64_t b)
{
#if SNT_GNU
    int64_t result;
    return SNT_LIKELY(!__builtin_sub_overflow(a, b, &result)) ? result : a < b ? INT64_MIN : INT64_MAX;
#else
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    if (b > 0 && a < INT64_MIN + b)
        return INT64_MIN;
    return a - b;
#endif
}

static inline int64_t snt__sync_plus(int64_t a, int64_t b)
{
#if SNT_GNU
    int64_t result;
    return SNT_LIKELY(!__builtin_add_overflow(a, b, &result)) ? result : b < 0 ? INT64_MIN : INT64_MAX;
#else
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
#endif
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

static inline uint32_t snt__sync_input(const snt__sync_slot *slot)
{
    return slot->tag & 255u;
}

static inline uint32_t snt__sync_reason(const snt__sync_slot *slot)
{
    return slot->tag >> 8;
}

static inline void snt__sync_ran_empty(const snt_synchronizer *s, snt__sync_lane *lane)
{
    if (lane->empty_since != s->now) /* where no time is given it stays unknown: no store */
        lane->empty_since = s->now;
}

/* Newest matching time over all lanes. */
static inline int64_t snt__sync_newest(const snt_synchronizer *s)
{
    int64_t newest = s->newest;
    for (uint32_t i = 0; i < s->inputs; i++)
        if (s->lanes[i].newest != SNT_UNKNOWN && s->lanes[i].newest > newest)
            newest = s->lanes[i].newest;
    return newest;
}

/* After a cursor moved: the lane's front key and its bit. */
SNT__SYNC_HOT void snt__sync_touch(snt_synchronizer *s, uint32_t rank)
{
    const uint32_t input = s->input_of[rank];
    snt__sync_lane *lane = &s->lanes[input];
    if (lane->cur != lane->tail) {
        s->front[rank] = snt__sync_at(lane, lane->cur)->key;
        s->full |= SNT__BIT(input);
    } else if (s->full & SNT__BIT(input)) {
        s->full &= ~SNT__BIT(input);
        snt__sync_ran_empty(s, lane);
    }
}

static inline uint32_t snt__sync_undrained(const snt_synchronizer *s)
{
    return s->drop_tail - s->drop_head;
}

/* To the end of the dropped tokens. */
SNT__SYNC_HOT void snt__sync_queue_drop(snt_synchronizer *s, uint32_t index)
{
    s->drops[s->drop_tail++ & s->drop_mask] = index;
}

/* Gaps of the current block. */
static inline uint32_t snt__sync_gaps(const snt__sync_lane *lane)
{
    return SNT__SYNC_BLOCK - lane->until;
}

static inline void snt__sync_set_newest(snt__sync_lane *lane, int64_t key)
{
    lane->newest = key;
    lane->reach = key == SNT_UNKNOWN ? 0 : (uint64_t)SNT__SYNC_YEAR;
}

static inline void snt__sync_new_block(snt__sync_lane *lane, int64_t start)
{
    lane->block_start = start;
    lane->until = SNT__SYNC_BLOCK;
}

/* The least period in use: the least gap of the last 16..31, and an eighth for jitter not seen yet. */
static inline int64_t snt__sync_bound(const snt__sync_lane *lane)
{
    if (!lane->learns || lane->blocks * SNT__SYNC_BLOCK + snt__sync_gaps(lane) < 3)
        return lane->bound;
    const int64_t least = lane->block_min < lane->previous_min ? lane->block_min : lane->previous_min;
    return least - least / 8;
}

/* The lane's settings say whether a sample's t0 is its matching time. */
static inline void snt__sync_set_plain(snt__sync_lane *lane)
{
    lane->plain = lane->cfg.match == SNT_MATCH_START && lane->cfg.offset_ns == 0 ? UINT64_MAX - 1 : 0;
}

/* synchronizer.c: the epoch may have changed; a new session begins, of all or of one input. */
void snt__sync_new_epoch(snt_synchronizer *s);
void snt__sync_restart(snt_synchronizer *s, uint32_t reason);
void snt__sync_new_lane_session(snt_synchronizer *s, uint32_t input, uint32_t session);

static inline void snt__sync_enter(snt_synchronizer *s)
{
    if (SNT_LIKELY(s->locked))
        snt__lock_acquire(&s->lock);
}

static inline void snt__sync_leave(snt_synchronizer *s)
{
    if (SNT_LIKELY(s->locked))
        snt__lock_release(&s->lock);
}

/* At the start of every call: is it still the same session, and what time is it? */
SNT__SYNC_HOT void snt__sync_begin(snt_synchronizer *s, snt_time now)
{
    if (now != SNT_UNKNOWN && (s->now == SNT_UNKNOWN || now > s->now))
        s->now = now;
    if (SNT_UNLIKELY(s->epoch != NULL))
        snt__sync_new_epoch(s);
}

/* How far members are apart takes more than their keys from here on. */
static inline void snt__sync_be_careful(snt_synchronizer *s)
{
    s->careful = 1;
    s->direct = 0;
}

/* sync_queue.c */
int64_t snt__sync_period(const snt__sync_lane *lane);
int64_t snt__sync_jitter(const snt__sync_lane *lane);
int64_t snt__sync_key(const snt__sync_lane *lane, const snt_sample *sample);
void snt__sync_drop(snt_synchronizer *s, uint32_t slot, uint32_t reason, uint32_t cause, uint32_t partner,
                    int64_t gap);
/* What snt__sync_drop does for one that was never lent, SUPERSEDED without a partner. */
SNT__SYNC_HOT void snt__sync_supersede(snt_synchronizer *s, uint32_t index)
{
    snt__sync_slot *slot = &s->slots[index];
    slot->arrived = s->now != SNT_UNKNOWN && slot->arrived != SNT_UNKNOWN
                        ? snt__sync_sub(s->now, slot->arrived)
                        : SNT_UNKNOWN;
    slot->gap = SNT_UNKNOWN;
    slot->tag = (uint16_t)(slot->tag | SNT_DROP_SUPERSEDED << 8);
    slot->sample.reserved = (SNT_SYNC_NO_INPUT & 255u) << 8;
    s->dropped[SNT_DROP_SUPERSEDED]++;
    snt__sync_queue_drop(s, index);
}
void snt__sync_release(snt_synchronizer *s, uint32_t slot);
void snt__sync_drop_front(snt_synchronizer *s, snt__sync_lane *lane, uint32_t reason, uint32_t partner);
void snt__sync_overflow(snt_synchronizer *s, uint32_t input);
bool snt__sync_insert_late(snt_synchronizer *s, snt__sync_lane *lane, uint32_t slot);
void snt__sync_drop_waiting(snt_synchronizer *s, uint32_t input, uint32_t reason);
void snt__sync_touch_any(snt_synchronizer *s, uint32_t input);
void snt__sync_miss(snt_synchronizer *s, uint32_t lo, uint32_t hi);

/* Insert by key, after equal ones. False if the slot was dropped instead (late, or the newest of a full queue). */
SNT__SYNC_HOT bool snt__sync_insert_sorted(snt_synchronizer *s, snt__sync_lane *lane, uint32_t index)
{
    const int64_t key = s->slots[index].key;
    const uint32_t tail = lane->tail, waiting = tail - lane->head;
    if (SNT_UNLIKELY(waiting >= lane->limit || key < lane->last_out ||
                     (waiting && snt__sync_at(lane, tail - 1)->key > key)))
        return snt__sync_insert_late(s, lane, index);
    snt__sync_entry *entry = snt__sync_at(lane, tail);
    entry->key = key;
    entry->slot = index;
    lane->tail = tail + 1;
    return true;
}

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

/* sync_poll.c: the next ready set. SNT_EMPTY = there is none. */
snt_status snt__sync_take(snt_synchronizer *s, snt_sync_set *set, snt_sync_member *members);

/* policies */
void snt__sync_approx_add_compat(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_approx_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_approx_restart(snt_synchronizer *s);
void snt__sync_approx_process(snt_synchronizer *s);
void snt__sync_approx_publish(snt_synchronizer *s, uint32_t flags);
void snt__sync_exact_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_window_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_window_process(snt_synchronizer *s);
void snt__sync_latest_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
void snt__sync_attached_add(snt_synchronizer *s, uint32_t input, uint32_t slot);
/* After cursors or settings changed from outside: match anew. */
void snt__sync_rematch(snt_synchronizer *s);

#endif
