/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. Names of other rooms never start with tf_ or snt__tf_. */
#ifndef SNT_LIB_TF_INTERNAL_H
#define SNT_LIB_TF_INTERNAL_H

#include "../base/lock.h"
#include "../base/memory.h"
#include "../pose/pose_math.h"
#include "sensortime/tf_buffer.h"
#include "tf_ring.h"

enum {
    TF_ATTEMPTS = 64, /* a reader's tries before it gives SNT_BUSY */
    TF_MAX_FRAMES = 1 << 20,
    TF_MAX_MOVING = SNT_TF_MAX_DEPTH,
    TF_NAME_LIMIT = 255,
    TF_AUTHORITY_NAME = 64,
    TF_SETTLE_EVERY = 0xffffff /* usual inserts are counted long before `head` comes round */
};

#if SNT_GNU
#define TF_NOINLINE __attribute__((noinline))
#else
#define TF_NOINLINE
#endif

#define TF_YEAR_NS INT64_C(31557600000000000)

/* Sample words: quaternion, translation, and one of parent slot + 1, flags and stamp error (float bits). */
enum { TF_META = 7, TF_META_PARENT = 0xffffff };
enum { TF_META_DISCONTINUITY = 1 << 24, TF_META_ERR_KNOWN = 1 << 25 };

/* Bits of tf_edge.traits. */
enum { TF_TRAIT_MAY_JUMP = 1, TF_TRAIT_CUSTOM = 2, TF_TRAIT_LIMITS = 4 };

/* Settings a reader needs, the buffer's or an edge's own. */
typedef struct tf_settings {
    int64_t keep_ns;
    int64_t max_gap_ns;     /* INT64_MAX = no limit */
    int64_t extrapolate_ns; /* 0 = none */
    double max_accel;       /* 0 = unknown */
    double max_angular_accel;
    uint32_t interpolation;
    uint32_t extrapolation;
} tf_settings;

/* An edge's own settings as its readers see them: each word is whole, which is all they need. */
typedef struct tf_custom {
    tf_word keep_ns, max_gap_ns, extrapolate_ns, max_accel, max_angular_accel;
    _Atomic uint32_t interpolation, extrapolation;
} tf_custom;

/* A frame and the edge to its parent. Readers use the first line, sometimes the second and third. */
typedef struct tf_edge {
    _Alignas(64) tf_ring ring;
    _Atomic uint32_t generation; /* odd while in use */
    _Atomic uint32_t parent;     /* slot + 1 of the newest parent; 0 = root */
    _Atomic uint32_t kind;       /* SNT_TF_* */
    _Atomic uint32_t domain;
    _Atomic uint32_t traits;
    _Atomic uint32_t lock;
    tf_word newest; /* stamp of the newest sample; INT64_MAX without one; to readers a hint */

    tf_custom custom;
    uint32_t conflict;        /* SNT_TF_CONFLICT_*; 0 = the buffer's */
    uint32_t may_jump;        /* as configured */
    int64_t quarantine_stamp; /* the writer's, kept where there is room */

    _Alignas(64) tf_sample fixed; /* pose of a static edge */

    /*
     * The writer's, under the edge's lock. The first line is all that the usual insert needs: the next sample of an edge
     * with one publisher and nothing special about it. `usual_authority` names that publisher; TF_NOT_USUAL: the long
     * way. Any other holder of the lock settles first (tf_lock): what usual inserts did is counted, and the next one goes
     * the long way, which looks at everything again.
     */
    _Alignas(64) uint64_t usual_authority;
    snt_frame usual_parent;
    uint32_t usual_head; /* head and tail when it began: what it stored and evicted is not in `info` yet */
    uint32_t usual_tail;
    int64_t floor; /* newest stamp that was evicted */
    int64_t keep_ns;
    snt_frame usual_child;
    tf_word period;    /* 16 times its mean [ns]; 0 = none, negative before the third sample */
    int64_t jitter;    /* 16 times its mean [ns] */
    uint8_t intervals; /* counted for the period, up to 16 */
    uint8_t has_ring;
    uint8_t has_late;
    uint8_t mixed; /* samples of several parents may be in the ring */
    uint8_t owner; /* index of the publisher that owns it */
    uint8_t last_publisher;
    uint8_t quarantined;
    uint8_t unused;
    uint64_t quarantine[TF_SAMPLE_WORDS];
    double delay_sum;
    uint64_t delays;
    uint32_t static_changes;
    snt_tf_edge_info info;

    /* The tree's, under the topology lock. */
    uint32_t children;
    uint32_t free_next;
} tf_edge;

typedef struct tf_extent {
    uint32_t first, count;
} tf_extent;

struct tf_chain;
typedef bool tf_plain_fn(const snt_tf_buffer *b, const struct tf_chain *chain, int64_t t, bool latest,
                         snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result);

struct snt_tf_buffer {
    snt_allocator memory;
    tf_store store;
    tf_edge *edges;
    tf_plain_fn *plain; /* answers most questions fast, and says false to the others; NULL = none does */
    tf_settings settings;
    snt_tf_buffer_config config;
    uint64_t bytes;

    /* Read by everybody, written when the tree changes. */
    _Atomic uint32_t structure; /* bumped after each change of shape or static pose */
    _Atomic uint32_t reset_seq; /* odd while all histories are dropped */
    _Atomic uint32_t session;
    _Atomic uint32_t names_seq; /* odd while a name is unlinked */
    _Atomic uint32_t clock_known;
    tf_word clock_now;

    snt__lock topology;
    _Atomic uint32_t *name_heads; /* slot + 1 */
    _Atomic uint32_t *name_next;
    _Atomic uint32_t *name_hash;
    _Atomic uint32_t *name_length;
    tf_word *names;
    uint32_t name_words; /* per frame */
    uint32_t name_buckets;
    _Atomic uint32_t high_water;  /* slots ever used */
    uint32_t free_head;           /* slot + 1 */
    _Atomic uint32_t mixed_edges; /* edges with samples of several parents */
    _Atomic uint32_t peculiar;    /* some edge has, or once had, a clock or settings of its own */
    uint32_t frames;
    tf_extent *extents; /* free samples, ascending */
    uint32_t extent_count;
    uint32_t samples_reserved;
    char (*authorities)[TF_AUTHORITY_NAME];
    uint32_t authority_count;
    uint64_t retired_accepted, retired_refused, resets;
    _Atomic uint32_t refused; /* before an edge was known */
};

/* One moving edge of a chain; the constant pose that follows it is chain.fixed[i + 1]. */
typedef struct tf_link {
    uint32_t slot;
    uint32_t generation;
    uint32_t parent; /* slot + 1 it must have at the time asked */
    uint32_t inverse;
} tf_link;

typedef struct tf_static_ref {
    uint32_t slot, generation, seq, reserved;
} tf_static_ref;

/* T_target_source = fixed[0] · E0^±1 · fixed[1] · E1^±1 · … */
typedef struct tf_chain {
    snt_frame target, source;
    uint32_t moving, statics;
    uint32_t structure;                /* version it was resolved at */
    uint32_t root_target, root_source; /* slot + 1, where not connected */
    _Atomic uint32_t traits;           /* of all edges, static ones too; a path's follow changed settings */
    uint32_t incomplete;               /* a climb ended at an edge without data for the time asked */
    uint8_t has_fixed[TF_MAX_MOVING + 1];
    tf_link links[TF_MAX_MOVING];
    tf_edge *edges[TF_MAX_MOVING]; /* the links' */
    snt_pose fixed[TF_MAX_MOVING + 1];
    tf_static_ref refs[2 * SNT_TF_MAX_DEPTH];
} tf_chain;

static inline uint32_t tf_chain_traits(const tf_chain *chain)
{
    return atomic_load_explicit(&((tf_chain *)(uintptr_t)chain)->traits, memory_order_relaxed);
}

struct snt_tf_path {
    snt_tf_buffer *buffer;
    _Atomic uint32_t state;    /* TF_PATH_* */
    _Atomic uint32_t verified; /* structure version at which it was found good */
    _Atomic uint32_t suspect;  /* 1 + index of the moving edge that was short last; a hint */
    snt_frame target, source;
    tf_chain chain;
};
enum { TF_PATH_OPEN = 0, TF_PATH_RESOLVING = 1, TF_PATH_READY = 2 };

static inline uint32_t tf_frame_slot(snt_frame frame)
{
    return (uint32_t)frame - 1; /* 0, "none", becomes out of range */
}

static inline uint32_t tf_frame_generation(snt_frame frame)
{
    return (uint32_t)(frame >> 32);
}

static inline tf_edge *tf_edge_at(const snt_tf_buffer *b, uint32_t slot)
{
    return &b->edges[slot];
}

/* The frame a slot holds now; 0 if it is free. */
static inline snt_frame tf_frame_of(const snt_tf_buffer *b, uint32_t slot)
{
    if (slot >= b->config.max_frames)
        return 0;
    const uint32_t generation = atomic_load_explicit(&b->edges[slot].generation, memory_order_acquire);
    return generation & 1 ? (snt_frame)generation << 32 | (slot + 1) : 0;
}

static inline bool tf_frame_alive(const snt_tf_buffer *b, snt_frame frame)
{
    const uint32_t slot = tf_frame_slot(frame);
    return slot < b->config.max_frames &&
           atomic_load_explicit(&b->edges[slot].generation, memory_order_acquire) ==
               tf_frame_generation(frame) &&
           (tf_frame_generation(frame) & 1);
}

/* Differences of stamps saturate: histories may lie at both ends of the range. */
static inline int64_t tf_minus(int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return b < 0 ? INT64_MAX : INT64_MIN;
    return a - b;
}

static inline int64_t tf_newest(const tf_edge *edge)
{
    return (int64_t)tf_word_get(&edge->newest);
}

/* The edge's mean period in whole nanoseconds; SNT_UNKNOWN before three samples. */
static inline int64_t tf_period(const tf_edge *edge)
{
    const int64_t sum = (int64_t)tf_word_get(&edge->period);
    return sum > 7 ? (sum + 8) >> 4 : SNT_UNKNOWN; /* never 0, though its halves be of two moments */
}

static inline int64_t tf_plus(int64_t a, int64_t b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return b > 0 ? INT64_MAX : INT64_MIN;
    return a + b;
}

/* The first due sample that covers a time `missing` after the newest. */
static inline int64_t tf_covered_from(int64_t newest, int64_t period, int64_t missing)
{
    const int64_t periods = missing / period + (missing % period != 0);
    return missing > INT64_MAX - period ? INT64_MAX : tf_plus(newest, periods * period);
}

static inline float tf_float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t tf_bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline void tf_words_pose(const uint64_t *words, snt_pose *pose)
{
    memcpy(pose, words, sizeof *pose);
}

/* tf_usual.c: count what usual inserts did, and end their time */
#define TF_NOT_USUAL    UINT64_MAX       /* no authority's id */
#define TF_USUAL_ENOUGH (UINT64_MAX - 1) /* nor this: settle first */
void snt__tf_settle(tf_edge *edge);
void snt__tf_note_usual(const snt_tf_buffer *b, tf_edge *edge);
void snt__tf_notify(const snt_tf_buffer *b, snt_frame child);

/* tf_insert.c */
snt_status snt__tf_pack(const snt_tf_transform *in, uint32_t parent, uint64_t *words);
snt_status snt__tf_insert_long(snt_tf_buffer *b, const snt_tf_transform *transform, int64_t now,
                               uint32_t *effect);

/* tf_lock.c: the short lock among an edge's writers */
void snt__tf_lock_slow(_Atomic uint32_t *lock);
static inline void tf_lock_only(tf_edge *edge)
{
    if (SNT_UNLIKELY(atomic_exchange_explicit(&edge->lock, 1, memory_order_acquire)))
        snt__tf_lock_slow(&edge->lock);
}
static inline void tf_lock(tf_edge *edge)
{
    tf_lock_only(edge);
    if (edge->usual_authority != TF_NOT_USUAL)
        snt__tf_settle(edge);
}
static inline void tf_unlock(tf_edge *edge)
{
    atomic_store_explicit(&edge->lock, 0, memory_order_release);
}

/* tf_memory.c: ranges of the sample store, under the topology lock; UINT32_MAX when none is free */
uint32_t snt__tf_extent_take(snt_tf_buffer *b, uint32_t count);
void snt__tf_extent_give(snt_tf_buffer *b, uint32_t first, uint32_t count);

/* tf_frames.c */
snt_status snt__tf_frame_make(snt_tf_buffer *b, const char *name, size_t length, snt_frame *frame);
void snt__tf_frame_unlink(snt_tf_buffer *b, uint32_t slot);
uint32_t snt__tf_name_copy(const snt_tf_buffer *b, uint32_t slot, char *out, uint32_t capacity);

/* tf_publisher.c: under the edge's lock */
snt_status snt__tf_refuse(tf_edge *edge, const snt_tf_transform *in, snt_status status);
snt_status snt__tf_claim(const snt_tf_buffer *b, tf_edge *edge, const snt_tf_transform *in, uint32_t *effect,
                         uint32_t *index);
void snt__tf_note_period(tf_edge *edge, uint64_t dt);
/* An interval after the first 16: a running mean over about as many. */
/* A year: sixteen times four of them are still an int64. */
#define TF_LONGEST_STEP (UINT64_C(1) << 55)
static inline void tf_note_steady(tf_edge *edge, uint64_t dt)
{
    const int64_t sum = (int64_t)tf_word_get(&edge->period), mean = sum >> 4, most = sum >> 2;
    const int64_t off = (dt > (uint64_t)most ? most : (int64_t)dt) - mean; /* a pause is no new rate */
    tf_word_set(&edge->period, (uint64_t)(sum + off));
    edge->jitter += (off < 0 ? -off : off) - (edge->jitter >> 4);
}
static inline void tf_note_delay(tf_edge *edge, int64_t delay)
{
    if (delay > edge->info.delay_max_ns || !edge->delays)
        edge->info.delay_max_ns = delay;
    edge->delays++;
    edge->delay_sum += (double)delay;
}
void snt__tf_note_stored(tf_edge *edge, const snt_tf_transform *in, uint32_t effect, uint32_t publisher);

/* tf_history.c: under the edge's lock */
void snt__tf_drop_history(snt_tf_buffer *b, tf_edge *edge);
void snt__tf_store_append(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words);
snt_status snt__tf_store_late(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words,
                              bool topology, uint32_t *effect);
bool snt__tf_give_ring(snt_tf_buffer *b, tf_edge *edge, uint32_t samples);
void snt__tf_take_ring(snt_tf_buffer *b, tf_edge *edge);
void snt__tf_drop_oldest(const snt_tf_buffer *b, tf_edge *edge);
void snt__tf_prune(snt_tf_buffer *b, tf_edge *edge);
void snt__tf_fold_late(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words);
enum { TF_NEED_TOPOLOGY = 1000 }; /* an inner "status": do it again under the topology lock */

/* Samples per ns by two points of the ring, for the readers' first guess; every sixteenth sample is often enough. */
static inline void tf_put_slope(tf_ring *ring, uint32_t intervals, int64_t oldest, int64_t newest)
{
    union {
        float f;
        uint32_t u;
    } slope;
    slope.f = (float)(int32_t)intervals / (float)(int64_t)((uint64_t)newest - (uint64_t)oldest);
    TF_STORE(&ring->slope, slope.u, relaxed, TF_AT_RELAXED);
}

/*
 * Append a sample newer than all others; where the ring is full or too old give up the oldest first. Returns its position.
 * Who counts what went looks at `tail`, except for what went by way of snt__tf_drop_oldest: needed where there are late
 * samples, and `late` says that there may be. Older samples always went before, so `floor` only rises.
 */
static inline uint32_t tf_store_next(const snt_tf_buffer *b, tf_edge *edge, int64_t stamp,
                                     const tf_packed *sample, bool late)
{
    tf_ring *ring = &edge->ring;
    const tf_store *store = &b->store;
    const uint32_t first = TF_LOAD(&ring->first, relaxed, TF_AT_RELAXED);
    const uint32_t mask = TF_LOAD(&ring->mask, relaxed, TF_AT_RELAXED);
    const uint32_t head = TF_LOAD(&ring->head, relaxed, TF_AT_RELAXED);
    uint32_t tail = TF_LOAD(&ring->tail, relaxed, TF_AT_RELAXED);
    int64_t oldest = stamp;
    while (SNT_LIKELY(head != tail)) {
        oldest = tf_stamp(store, first + (tail & mask));
        if (head - tail <= mask && (uint64_t)stamp - (uint64_t)oldest <= (uint64_t)edge->keep_ns)
            break;
        if (late && (TF_LOAD(&ring->late, relaxed, TF_AT_RELAXED) & TF_LATE_MASK)) {
            snt__tf_drop_oldest(b, edge);
            const uint32_t now = TF_LOAD(&ring->tail, relaxed, TF_AT_RELAXED);
            edge->usual_tail += now - tail;
            tail = now;
            continue;
        }
        edge->floor = oldest;
        tf_evict(ring, tail++);
    }
    tf_word_set(&edge->newest, (uint64_t)stamp);
    tf_append(ring, store, head, first + (head & mask), stamp, sample);
    if (SNT_UNLIKELY(head - tail < 32 || !(head & 15)) && head != tail)
        tf_put_slope(ring, head - tail, oldest, stamp);
    return head;
}

/* tf_admin.c: under the topology lock */
void snt__tf_reset_locked(snt_tf_buffer *b, uint32_t session);
void snt__tf_structure_changed(snt_tf_buffer *b);
bool snt__tf_would_cycle(const snt_tf_buffer *b, uint32_t child, uint32_t parent);
void snt__tf_set_parent(snt_tf_buffer *b, uint32_t child, uint32_t parent_plus_one);
void snt__tf_apply_convention(snt_tf_buffer *b, uint32_t child);

/* tf_resolve.c */
snt_status snt__tf_resolve(const snt_tf_buffer *b, snt_frame target, snt_frame source, tf_chain *chain);
snt_status snt__tf_resolve_at(const snt_tf_buffer *b, snt_frame target, snt_frame source, int64_t t,
                              tf_chain *chain);
bool snt__tf_chain_current(const snt_tf_buffer *b, const tf_chain *chain);
/* The path's chain if it is good, else a fresh one in `scratch`, else NULL with the status. */
const tf_chain *snt__tf_path_chain(const snt_tf_path *path, tf_chain *scratch, uint32_t *flags,
                                   snt_status *status);

/* tf_evaluate.c */
typedef struct tf_options {
    int64_t err_ns;
    int64_t max_gap_ns;     /* 0 = the edge's */
    int64_t extrapolate_ns; /* 0 = the edge's */
    uint32_t interpolation, extrapolation, domain, reserved;
} tf_options;

typedef enum tf_outcome { TF_OK, TF_MISSING, TF_CHANGED_TREE, TF_INTERFERED } tf_outcome;

typedef struct tf_sum {
    uint32_t flags;
    uint32_t domain;
    uint32_t session; /* the buffer's, before anything was read */
    int64_t gap_ns, extrapolated_ns;
    double pos_err, rot_err;
} tf_sum;

void snt__tf_edge_settings(const snt_tf_buffer *b, const tf_edge *edge, tf_settings *out);
tf_found snt__tf_find(const snt_tf_buffer *b, const tf_edge *edge, int64_t t, tf_span *span);
snt_status snt__tf_edge_range(const snt_tf_buffer *b, const tf_edge *edge, int64_t *oldest, int64_t *newest,
                              uint32_t *count);
tf_outcome snt__tf_evaluate(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                            int64_t t, const int64_t *each, snt_tf_cursor *cursor, snt_pose *pose,
                            tf_sum *sum);

/* tf_plain.c */
tf_plain_fn *snt__tf_plain_choose(const snt_tf_buffer *b);

/* tf_short.c: SNT_ERR_FUTURE with the miss filled in, where that is plainly it; else SNT_OK */
snt_status snt__tf_short(const snt_tf_buffer *b, const tf_chain *chain, int64_t t, snt_tf_miss *miss);
/* snt_tf_path_lookup for a path whose suspect is short, and for one whose suspect turned out not to be */
snt_status snt__tf_path_short(const snt_tf_path *path, int64_t t, snt_tf_result *result, snt_tf_miss *miss);
snt_status snt__tf_path_lookup_on(const snt_tf_path *path, int64_t t, snt_tf_result *result,
                                  snt_tf_miss *miss);
void snt__tf_suspect(const snt_tf_path *path, const tf_chain *chain);
/* The edge that was short last still is: ask snt__tf_short first. */
static inline bool tf_suspect_short(const snt_tf_path *constant, int64_t t)
{
    snt_tf_path *path = (snt_tf_path *)(uintptr_t)constant;
    const snt_tf_buffer *b = path->buffer;
    const uint32_t suspect = atomic_load_explicit(&path->suspect, memory_order_relaxed);
    if (!suspect || atomic_load_explicit(&path->state, memory_order_acquire) != TF_PATH_READY ||
        atomic_load_explicit(&path->verified, memory_order_relaxed) !=
            atomic_load_explicit(&((snt_tf_buffer *)(uintptr_t)b)->structure, memory_order_acquire))
        return false;
    return suspect <= path->chain.moving && t > tf_newest(path->chain.edges[suspect - 1]);
}

/* tf_answer.c */
snt_status snt__tf_at_old_tree(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                               int64_t t, uint32_t flags, snt_tf_result *result, snt_tf_miss *miss);
snt_status snt__tf_latest_common(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                                 snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result,
                                 snt_tf_miss *miss);
snt_status snt__tf_latest_each(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                               uint32_t flags, snt_tf_result *result, snt_tf_miss *miss);
bool snt__tf_plainly_covered(const snt_tf_buffer *b, const tf_chain *chain, int64_t t);
snt_status snt__tf_check_age(const snt_tf_buffer *b, const tf_chain *chain, const snt_tf_question *q,
                             snt_tf_miss *miss);

/* tf_answer.c, tf_lookup.c, tf_explain.c */
snt_status snt__tf_at(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options, int64_t t,
                      const int64_t *each, snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result,
                      snt_tf_miss *miss);
snt_status snt__tf_all_static(const snt_tf_buffer *b, const tf_chain *chain, int64_t stamp, uint32_t flags,
                              snt_tf_result *result);
bool snt__tf_reset_meanwhile(const snt_tf_buffer *b, uint32_t reset);
snt_status snt__tf_explain(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                           int64_t t, snt_tf_miss *miss);
snt_status snt__tf_miss(const snt_tf_buffer *b, snt_frame target, snt_frame source, uint32_t reason,
                        snt_status status, int64_t asked, snt_tf_miss *miss);
snt_status snt__tf_not_connected(const snt_tf_buffer *b, const tf_chain *chain, snt_status status,
                                 int64_t asked, snt_tf_miss *miss);
snt_status snt__tf_question_read(const snt_tf_question *given, snt_tf_question *out);
snt_status snt__tf_common_time(const snt_tf_buffer *b, const tf_chain *chain, int64_t *t, uint32_t *limiting);
snt_status snt__tf_guard(const snt_tf_buffer *b, snt_frame target, snt_frame source, int64_t asked,
                         uint32_t *reset, snt_tf_miss *miss);

#endif
