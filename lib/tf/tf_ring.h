/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history of one edge and the protocol between its writer and its readers.
 *
 * Three parts, all of atomic words:
 * - a ring [tail, head) of samples in ascending time. The writer moves `tail` before it overwrites a slot and `head` after
 *   it filled one; slots in between never change. A reader copies, then looks at `tail` again: what lies at or above it was
 *   not touched. A search that was misled by a slot in flux is caught by the same look.
 * - an overlay of late and replaced samples: four small sorted tables written in turn. `late` names the current one and its
 *   length; a reader's copy is good while fewer than three newer ones were published.
 * - `seq`, odd while anything else is rewritten: a sample put before the oldest, the overlay folded into the ring, the
 *   history cleared, the ring given to another edge.
 * Writers hold the edge's lock. tests/model/model_tf_protocol.c includes this very file and runs it through every order in
 * which the C11 memory model lets a reader see the stores; each fence and order named by a TF_AT_ site is needed.
 */
#ifndef SNT_LIB_TF_RING_H
#define SNT_LIB_TF_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The places whose order matters; the explorer weakens them one by one. */
enum {
    TF_AT_APPEND_FENCE,
    TF_AT_APPEND_HEAD,
    TF_AT_EVICT_TAIL,
    TF_AT_LATE_FENCE,
    TF_AT_LATE_STORE,
    TF_AT_REWRITE_FENCE,
    TF_AT_REWRITE_END,
    TF_AT_READ_SEQ,
    TF_AT_READ_LATE,
    TF_AT_READ_HEAD,
    TF_AT_READ_FENCE,
    TF_AT_READ_CHECK,
    TF_AT_RELAXED,
    TF_SITES
};

#ifndef TF_HOOKED
#define TF_SAMPLE_WORDS                 8
#define TF_LATE_CAPACITY                16u
#define TF_LOAD(p, order, site)         atomic_load_explicit(p, memory_order_##order)
#define TF_STORE(p, value, order, site) atomic_store_explicit(p, value, memory_order_##order)
#define TF_FENCE(order, site)           tf_fence_##order()
#endif

/* ThreadSanitizer does not know fences and gcc warns about them. All payload is atomic, so it checks the rest of the
 * library; the fences are the explorer's. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TF_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TF_TSAN 1
#endif

static inline void tf_fence_acquire(void)
{
#if !defined(TF_TSAN)
    atomic_thread_fence(memory_order_acquire);
#endif
}

static inline void tf_fence_release(void)
{
#if !defined(TF_TSAN)
    atomic_thread_fence(memory_order_release);
#endif
}

/* 64 bits that are read and written whole where the target can, and in halves that the protocol validates elsewhere. */
#if ATOMIC_LLONG_LOCK_FREE == 2 && !defined(SNT_TF_HALF_WORDS)
#define TF_WHOLE_WORDS 1
typedef struct tf_word {
    _Atomic uint64_t v;
} tf_word;
static inline uint64_t tf_word_get(const tf_word *w)
{
    return TF_LOAD(&((tf_word *)(uintptr_t)w)->v, relaxed, TF_AT_RELAXED);
}
static inline void tf_word_set(tf_word *w, uint64_t x)
{
    TF_STORE(&w->v, x, relaxed, TF_AT_RELAXED);
}
#else
#define TF_WHOLE_WORDS 0
typedef struct tf_word {
    _Atomic uint32_t lo, hi;
} tf_word;
static inline uint64_t tf_word_get(const tf_word *w)
{
    tf_word *m = (tf_word *)(uintptr_t)w;
    const uint32_t lo = TF_LOAD(&m->lo, relaxed, TF_AT_RELAXED);
    return (uint64_t)TF_LOAD(&m->hi, relaxed, TF_AT_RELAXED) << 32 | lo;
}
static inline void tf_word_set(tf_word *w, uint64_t x)
{
    TF_STORE(&w->lo, (uint32_t)x, relaxed, TF_AT_RELAXED);
    TF_STORE(&w->hi, (uint32_t)(x >> 32), relaxed, TF_AT_RELAXED);
}
#endif

typedef struct tf_sample {
    tf_word w[TF_SAMPLE_WORDS];
} tf_sample;

/* All samples of a buffer; edges hold ranges of it. */
typedef struct tf_store {
    tf_word *stamps;
    tf_sample *samples;
    uint32_t count;
} tf_store;

/* The part of an edge its readers look at first: 32 bytes. Positions count up and wrap; slots are position & mask. */
typedef struct tf_ring {
    _Atomic uint32_t seq;
    _Atomic uint32_t head;
    _Atomic uint32_t tail;
    _Atomic uint32_t late; /* version << 5 | length */
    _Atomic uint32_t first;
    _Atomic uint32_t mask; /* slots − 1; slots 0 (mask ~0) = no ring */
    _Atomic uint32_t late_first;
    _Atomic uint32_t slope; /* float bits: samples per ns, a search hint */
} tf_ring;

enum { TF_LATE_BITS = 5, TF_LATE_MASK = 31, TF_LATE_TABLES = 4 };

typedef enum tf_found { TF_RETRY, TF_EMPTY, TF_PAST, TF_FUTURE, TF_AT, TF_BETWEEN } tf_found;

/* What a reader copied: sample a (at or before t) and for TF_BETWEEN b (after t). */
typedef struct tf_span {
    int64_t t0, t1;
    int64_t oldest, newest; /* of the ring; for TF_PAST and TF_FUTURE */
    uint32_t position;      /* of a in the ring: the next search's hint */
    uint32_t count;
    union {
        uint64_t a[TF_SAMPLE_WORDS];
        double ad[TF_SAMPLE_WORDS]; /* quaternion, translation */
    };
    union {
        uint64_t b[TF_SAMPLE_WORDS];
        double bd[TF_SAMPLE_WORDS];
    };
} tf_span;

static inline int64_t tf_stamp(const tf_store *store, uint32_t slot)
{
    return (int64_t)tf_word_get(&store->stamps[slot]);
}

/*
 * On x86-64 a sample is copied by four 16-byte loads. Their halves are whole, which is all that is asked of them, and what
 * they write can be read again at any width; eight 8-byte copies would stall the vector loads that follow.
 */
#if SNT_GNU && defined(__x86_64__) && !defined(TF_HOOKED) && !defined(TF_TSAN) && !defined(SNT_TF_HALF_WORDS)
#define TF_WIDE_COPIES 1
#include <emmintrin.h>
static inline void tf_copy(const tf_store *store, uint32_t slot, uint64_t *out)
{
    const void *from = &store->samples[slot];
    __m128i a, b, c, d;
    __asm__ volatile("movdqa (%4), %0\n\tmovdqa 16(%4), %1\n\tmovdqa 32(%4), %2\n\tmovdqa 48(%4), %3"
                     : "=&x"(a), "=&x"(b), "=&x"(c), "=&x"(d)
                     : "r"(from)
                     : "memory");
    _mm_storeu_si128((__m128i *)(void *)(out + 0), a);
    _mm_storeu_si128((__m128i *)(void *)(out + 2), b);
    _mm_storeu_si128((__m128i *)(void *)(out + 4), c);
    _mm_storeu_si128((__m128i *)(void *)(out + 6), d);
}

/* A sample on its way into the store, in registers. */
typedef struct tf_packed {
    __m128i v[TF_SAMPLE_WORDS / 2];
} tf_packed;
static inline tf_packed tf_packed_of(const uint64_t *words)
{
    tf_packed p;
    for (int i = 0; i < TF_SAMPLE_WORDS / 2; i++)
        p.v[i] = _mm_loadu_si128((const __m128i *)(const void *)(words + 2 * i));
    return p;
}
static inline void tf_put_packed(const tf_store *store, uint32_t slot, int64_t stamp, const tf_packed *p)
{
    void *to = &store->samples[slot];
    tf_word_set(&store->stamps[slot], (uint64_t)stamp);
    __asm__ volatile("movdqa %1, (%0)\n\tmovdqa %2, 16(%0)\n\tmovdqa %3, 32(%0)\n\tmovdqa %4, 48(%0)"
                     :
                     : "r"(to), "x"(p->v[0]), "x"(p->v[1]), "x"(p->v[2]), "x"(p->v[3])
                     : "memory");
}
#else
#define TF_WIDE_COPIES 0
static inline void tf_copy(const tf_store *store, uint32_t slot, uint64_t *out)
{
    const tf_sample *s = &store->samples[slot];
    for (int i = 0; i < TF_SAMPLE_WORDS; i++)
        out[i] = tf_word_get(&s->w[i]);
}

typedef struct tf_packed {
    uint64_t v[TF_SAMPLE_WORDS];
} tf_packed;
static inline tf_packed tf_packed_of(const uint64_t *words)
{
    tf_packed p;
    for (int i = 0; i < TF_SAMPLE_WORDS; i++)
        p.v[i] = words[i];
    return p;
}
static inline void tf_put_packed(const tf_store *store, uint32_t slot, int64_t stamp, const tf_packed *p)
{
    tf_sample *s = &store->samples[slot];
    tf_word_set(&store->stamps[slot], (uint64_t)stamp);
    for (int i = 0; i < TF_SAMPLE_WORDS; i++)
        tf_word_set(&s->w[i], p->v[i]);
}
#endif

static inline void tf_put(const tf_store *store, uint32_t slot, int64_t stamp, const uint64_t *words)
{
    const tf_packed p = tf_packed_of(words);
    tf_put_packed(store, slot, stamp, &p);
}

/*
 * Offset from `tail` of the last of `n` samples with stamp <= t, given that the last one's is > t; UINT32_MAX if none.
 * Starts at `guess` and gallops.
 */
static inline uint32_t tf_search(const tf_store *store, uint32_t first, uint32_t mask, uint32_t tail,
                                 uint32_t n, int64_t t, uint32_t guess)
{
    uint32_t lo, hi = n - 1;
    if (hi == 0)
        return UINT32_MAX;
    if (guess >= hi)
        guess = hi - 1;
    if (tf_stamp(store, first + ((tail + guess) & mask)) <= t) {
        lo = guess;
        for (uint32_t step = 1; step < hi - lo; step <<= 1) {
            if (tf_stamp(store, first + ((tail + lo + step) & mask)) > t) {
                hi = lo + step;
                break;
            }
            lo += step;
        }
    } else {
        hi = guess;
        for (uint32_t step = 1;; step <<= 1) {
            if (hi == 0)
                return UINT32_MAX;
            lo = hi > step ? hi - step : 0;
            if (tf_stamp(store, first + ((tail + lo) & mask)) <= t)
                break;
            hi = lo;
        }
    }
    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (tf_stamp(store, first + ((tail + mid) & mask)) <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Put the overlay's samples into a span that the ring gave. */
static inline void tf_merge_late(const tf_ring *ring, const tf_store *store, uint32_t late, int64_t t,
                                 tf_span *span, tf_found *found)
{
    const uint32_t n = late & TF_LATE_MASK;
    const uint32_t table = TF_LOAD(&((tf_ring *)(uintptr_t)ring)->late_first, relaxed, TF_AT_RELAXED) +
                           (late >> TF_LATE_BITS) % TF_LATE_TABLES * TF_LATE_CAPACITY;
    uint32_t j = 0;
    int64_t below = 0, above = 0;
    for (; j < n; j++) {
        above = tf_stamp(store, table + j);
        if (above > t)
            break;
        below = above;
    }
    if (j > 0 && below >= span->t0) {
        tf_copy(store, table + j - 1, span->a);
        span->t0 = below;
        if (below == t)
            *found = TF_AT;
    }
    if (*found == TF_BETWEEN && j < n && above <= span->t1) {
        tf_copy(store, table + j, span->b);
        span->t1 = above;
    }
}

/* Where t should be, as an offset from tail, by the two-point slope the writer keeps. */
static inline uint32_t tf_guess(tf_ring *ring, int64_t newest, int64_t t, uint32_t n)
{
    union {
        uint32_t u;
        float f;
    } slope;
    slope.u = TF_LOAD(&ring->slope, relaxed, TF_AT_RELAXED);
    const float back = (float)(int64_t)((uint64_t)newest - (uint64_t)t) * slope.f;
    const uint32_t steps = back >= 0 && back < (float)n ? 1 + (uint32_t)(int32_t)back : n;
    return steps < n ? n - 1 - steps : 0;
}

/* Where a reader found the history to be when it began. */
typedef struct tf_look {
    uint32_t seq, first, mask, head, tail, late;
} tf_look;

/*
 * Whether `n` > 0 samples in this ring make sense: words of different moments need not, and nothing outside the store may
 * be touched before the reader's last step finds them out.
 */
static inline bool tf_plausible(const tf_store *store, uint32_t n, uint32_t first, uint32_t mask)
{
    return n - 1 < mask + 1 && (uint64_t)first + mask < store->count;
}

/* A reader's first step. False: a writer is at work, try again; so too where what was seen is not plausible. */
static inline bool tf_open(tf_ring *ring, tf_look *look)
{
    look->seq = TF_LOAD(&ring->seq, acquire, TF_AT_READ_SEQ);
    if (look->seq & 1)
        return false;
    look->first = TF_LOAD(&ring->first, relaxed, TF_AT_RELAXED);
    look->mask = TF_LOAD(&ring->mask, relaxed, TF_AT_RELAXED);
    look->head = TF_LOAD(&ring->head, acquire, TF_AT_READ_HEAD);
    look->tail = TF_LOAD(&ring->tail, relaxed, TF_AT_RELAXED);
    /* After head: a table older than head could pair a value replaced meanwhile with the sample appended after it. */
    look->late = TF_LOAD(&ring->late, acquire, TF_AT_READ_LATE);
    return true;
}

/*
 * A reader's last step, after an acquire fence that follows its copies: 0 if they are the history's. `lowest` is the
 * position of the oldest slot the answer rests on.
 */
static inline uint32_t tf_moved(tf_ring *ring, const tf_look *look, uint32_t lowest)
{
    uint32_t moved = TF_LOAD(&ring->seq, relaxed, TF_AT_READ_CHECK) ^ look->seq;
    moved |= (lowest - TF_LOAD(&ring->tail, relaxed, TF_AT_READ_CHECK)) >> 31;
    if (look->late & TF_LATE_MASK) {
        const uint32_t late = TF_LOAD(&ring->late, relaxed, TF_AT_READ_CHECK);
        moved |= ((late >> TF_LATE_BITS) - (look->late >> TF_LATE_BITS)) % (1u << 27) > 2;
    }
    return moved;
}

/*
 * The samples around t. `hint` is a ring position to start at; without one the mean rate guesses. One attempt: TF_RETRY
 * where a writer interfered.
 */
static inline tf_found tf_find(const tf_ring *constant, const tf_store *store, int64_t t, bool hinted,
                               uint32_t hint, tf_span *span)
{
    tf_ring *ring = (tf_ring *)(uintptr_t)constant;
    tf_look look;
    if (!tf_open(ring, &look))
        return TF_RETRY;
    const uint32_t first = look.first, mask = look.mask, head = look.head, tail = look.tail;
    const uint32_t n = head - tail;
    if (n && !tf_plausible(store, n, first, mask))
        return TF_RETRY;
    tf_found found;
    uint32_t lowest = head - 1; /* position of the oldest slot the answer rests on */
    if (n == 0) {
        found = TF_EMPTY;
        lowest = tail; /* nothing, so that nothing can be overwritten */
    } else {
        span->count = n;
        span->newest = tf_stamp(store, first + ((head - 1) & mask));
        if (t > span->newest) {
            found = TF_FUTURE;
        } else if (t == span->newest) {
            found = TF_AT;
            span->t0 = t;
            span->position = head - 1;
            tf_copy(store, first + ((head - 1) & mask), span->a);
        } else {
            const uint32_t guess =
                hinted ? (hint - tail < n ? hint - tail : n) : tf_guess(ring, span->newest, t, n);
            const uint32_t at = tf_search(store, first, mask, tail, n, t, guess);
            if (at == UINT32_MAX) {
                found = TF_PAST;
                lowest = tail;
                span->oldest = tf_stamp(store, first + (tail & mask));
            } else {
                lowest = span->position = tail + at;
                const uint32_t slot = first + (lowest & mask), next = first + ((lowest + 1) & mask);
                span->t0 = tf_stamp(store, slot);
                span->t1 = tf_stamp(store, next);
                tf_copy(store, slot, span->a);
                found = TF_AT;
                if (span->t0 < t) {
                    found = TF_BETWEEN;
                    tf_copy(store, next, span->b);
                }
                /* a search misled by slots in flux ends anywhere: the stamps it is accepted with decide */
                if (span->t0 > t || span->t1 <= t)
                    return TF_RETRY;
            }
        }
        if ((look.late & TF_LATE_MASK) && (found == TF_AT || found == TF_BETWEEN))
            tf_merge_late(ring, store, look.late, t, span, &found);
    }
    TF_FENCE(acquire, TF_AT_READ_FENCE);
    if (tf_moved(ring, &look, lowest))
        return TF_RETRY;
    if (found == TF_EMPTY && TF_LOAD(&ring->head, relaxed, TF_AT_READ_CHECK) != head)
        return TF_RETRY;
    return found;
}

/* The ring's two ends. TF_AT where it has any, TF_EMPTY, or TF_RETRY. Without `oldest` an eviction disturbs nobody. */
static inline tf_found tf_ends(const tf_ring *constant, const tf_store *store, int64_t *oldest,
                               int64_t *newest, uint32_t *count)
{
    tf_ring *ring = (tf_ring *)(uintptr_t)constant;
    const uint32_t seq = TF_LOAD(&ring->seq, acquire, TF_AT_READ_SEQ);
    if (seq & 1)
        return TF_RETRY;
    const uint32_t first = TF_LOAD(&ring->first, relaxed, TF_AT_RELAXED);
    const uint32_t mask = TF_LOAD(&ring->mask, relaxed, TF_AT_RELAXED);
    const uint32_t head = TF_LOAD(&ring->head, acquire, TF_AT_READ_HEAD);
    const uint32_t tail = TF_LOAD(&ring->tail, relaxed, TF_AT_RELAXED);
    const uint32_t n = head - tail;
    if (n && !tf_plausible(store, n, first, mask))
        return TF_RETRY;
    int64_t first_stamp = 0, last_stamp = 0;
    if (n) {
        last_stamp = tf_stamp(store, first + ((head - 1) & mask));
        if (oldest)
            first_stamp = tf_stamp(store, first + (tail & mask));
    }
    TF_FENCE(acquire, TF_AT_READ_FENCE);
    if (TF_LOAD(&ring->seq, relaxed, TF_AT_READ_CHECK) != seq)
        return TF_RETRY;
    const uint32_t tail_now = TF_LOAD(&ring->tail, relaxed, TF_AT_READ_CHECK);
    const uint32_t head_now = TF_LOAD(&ring->head, relaxed, TF_AT_READ_CHECK);
    if (n == 0)
        return head_now == head ? TF_EMPTY : TF_RETRY;
    if (oldest ? tail_now != tail || head_now != head : (int32_t)(head - 1 - tail_now) < 0)
        return TF_RETRY;
    if (oldest)
        *oldest = first_stamp;
    *newest = last_stamp;
    *count = n;
    return TF_AT;
}

/* Writer, holding the edge's lock. */

/* At position `head`, which is `slot`. */
static inline void tf_append(tf_ring *ring, const tf_store *store, uint32_t head, uint32_t slot,
                             int64_t stamp, const tf_packed *sample)
{
    TF_FENCE(release, TF_AT_APPEND_FENCE);
    tf_put_packed(store, slot, stamp, sample);
    TF_STORE(&ring->head, head + 1, release, TF_AT_APPEND_HEAD);
}

/* Give up the oldest slot, before it is written over. */
static inline void tf_evict(tf_ring *ring, uint32_t tail)
{
    TF_STORE(&ring->tail, tail + 1, release, TF_AT_EVICT_TAIL);
}

static inline void tf_rewrite_begin(tf_ring *ring)
{
    TF_STORE(&ring->seq, TF_LOAD(&ring->seq, relaxed, TF_AT_RELAXED) + 1, relaxed, TF_AT_RELAXED);
    TF_FENCE(release, TF_AT_REWRITE_FENCE);
}

static inline void tf_rewrite_end(tf_ring *ring)
{
    TF_STORE(&ring->seq, TF_LOAD(&ring->seq, relaxed, TF_AT_RELAXED) + 1, release, TF_AT_REWRITE_END);
}

/* First slot of the table that tf_late_publish will make current. Nobody whose copy is still accepted reads it. */
static inline uint32_t tf_late_begin(tf_ring *ring)
{
    const uint32_t late = TF_LOAD(&ring->late, relaxed, TF_AT_RELAXED);
    TF_FENCE(release, TF_AT_LATE_FENCE);
    return TF_LOAD(&ring->late_first, relaxed, TF_AT_RELAXED) +
           ((late >> TF_LATE_BITS) + 1) % TF_LATE_TABLES * TF_LATE_CAPACITY;
}

static inline void tf_late_publish(tf_ring *ring, uint32_t length)
{
    const uint32_t version = (TF_LOAD(&ring->late, relaxed, TF_AT_RELAXED) >> TF_LATE_BITS) + 1;
    TF_STORE(&ring->late, version << TF_LATE_BITS | length, release, TF_AT_LATE_STORE);
}

#endif
