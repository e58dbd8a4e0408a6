/* SPDX-License-Identifier: BSD-3-Clause */
/* What a writer does to one edge's history. All under the edge's lock; the protocol itself is in tf_ring.h, and
 * tests/model/model_tf_protocol.c runs these very functions too. */
#include "tf_internal.h"

static uint32_t tf_get(_Atomic uint32_t *word)
{
    return TF_LOAD(word, relaxed, TF_AT_RELAXED);
}

static void tf_set(_Atomic uint32_t *word, uint32_t value)
{
    TF_STORE(word, value, relaxed, TF_AT_RELAXED);
}

static uint32_t tf_count(tf_edge *edge)
{
    return tf_get(&edge->ring.head) - tf_get(&edge->ring.tail);
}

static uint32_t tf_slot(tf_edge *edge, uint32_t position)
{
    return tf_get(&edge->ring.first) + (position & tf_get(&edge->ring.mask));
}

static uint32_t tf_late_table(tf_edge *edge)
{
    return tf_get(&edge->ring.late_first) +
           (tf_get(&edge->ring.late) >> TF_LATE_BITS) % TF_LATE_TABLES * TF_LATE_CAPACITY;
}

static uint32_t tf_late_count(tf_edge *edge)
{
    return tf_get(&edge->ring.late) & TF_LATE_MASK;
}

static void tf_move(const tf_store *store, uint32_t from, uint32_t to)
{
    uint64_t words[TF_SAMPLE_WORDS];
    tf_copy(store, from, words);
    tf_put(store, to, tf_stamp(store, from), words);
}

void snt__tf_drop_history(snt_tf_buffer *b, tf_edge *edge)
{
    (void)b;
    tf_ring *ring = &edge->ring;
    edge->info.evicted += tf_count(edge);
    tf_rewrite_begin(ring);
    TF_STORE(&ring->tail, tf_get(&ring->head), relaxed, TF_AT_RELAXED);
    TF_STORE(&ring->late, (tf_get(&ring->late) & ~(uint32_t)TF_LATE_MASK) + (1u << TF_LATE_BITS), relaxed,
             TF_AT_RELAXED);
    tf_rewrite_end(ring);
    if (edge->mixed) {
        edge->mixed = 0;
        atomic_fetch_sub_explicit(&b->mixed_edges, 1, memory_order_relaxed);
    }
    tf_word_set(&edge->newest, (uint64_t)INT64_MAX); /* nothing asked is newer than nothing */
    edge->floor = INT64_MIN;
    edge->quarantined = 0;
    edge->intervals = 0;
    edge->jitter = 0;
    tf_word_set(&edge->period, 0);
}

/* Nothing older than what was evicted is taken any more: it would bridge the hole. */
static void tf_evicted(tf_edge *edge, int64_t stamp)
{
    edge->info.evicted++;
    if (stamp > edge->floor)
        edge->floor = stamp;
}

/*
 * Drop the oldest sample. A late sample that follows it directly takes its place: the overlay is only looked at between
 * samples of the ring, so it would be lost otherwise.
 */
void snt__tf_drop_oldest(const snt_tf_buffer *b, tf_edge *edge)
{
    tf_ring *ring = &edge->ring;
    const tf_store *store = &b->store;
    const uint32_t n = tf_late_count(edge), table = tf_late_table(edge), tail = tf_get(&ring->tail);
    const int64_t oldest = tf_stamp(store, tf_slot(edge, tail));
    uint32_t next = 0;
    tf_evicted(edge, oldest);
    if (n) {
        while (next < n && tf_stamp(store, table + next) <= oldest)
            next++;
        if (next == n || tf_count(edge) < 2 ||
            tf_stamp(store, table + next) >= tf_stamp(store, tf_slot(edge, tail + 1)))
            next = n;
    }
    if (next == n) {
        tf_evict(ring, tail);
        return;
    }
    tf_rewrite_begin(ring);
    tf_move(store, table + next, tf_slot(edge, tail));
    const uint32_t to = tf_late_begin(ring);
    for (uint32_t i = next + 1; i < n; i++) /* those before it are older than the ring now */
        tf_move(store, table + i, to + i - next - 1);
    tf_late_publish(ring, n - next - 1);
    tf_rewrite_end(ring);
}

void snt__tf_prune(snt_tf_buffer *b, tf_edge *edge)
{
    const int64_t limit = tf_minus(tf_newest(edge), edge->keep_ns);
    while (tf_count(edge) > 1 && tf_stamp(&b->store, tf_slot(edge, tf_get(&edge->ring.tail))) < limit)
        snt__tf_drop_oldest(b, edge);
}

void snt__tf_store_append(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words)
{
    const tf_packed sample = tf_packed_of(words);
    edge->usual_tail = tf_get(&edge->ring.tail);
    tf_store_next(b, edge, stamp, &sample, true);
    edge->info.evicted += tf_get(&edge->ring.tail) - edge->usual_tail;
}

/* Fold the overlay, and one more sample (stamp, words) that found no room there, into the ring, from the back. */
void snt__tf_fold_late(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words)
{
    tf_ring *ring = &edge->ring;
    const tf_store *store = &b->store;
    int64_t stamps[TF_LATE_CAPACITY + 1];
    uint64_t samples[TF_LATE_CAPACITY + 1][TF_SAMPLE_WORDS];
    uint32_t k = 0;
    bool placed = !words;
    const uint32_t tail = tf_get(&ring->tail), table = tf_late_table(edge), n = tf_late_count(edge);
    const int64_t oldest = tf_stamp(store, tf_slot(edge, tail));
    for (uint32_t i = 0; i <= n; i++) {
        const int64_t at = i < n ? tf_stamp(store, table + i) : INT64_MAX;
        if (!placed && stamp <= at) {
            stamps[k] = stamp;
            memcpy(samples[k++], words, sizeof samples[0]);
            placed = true;
            if (stamp == at)
                continue;
        }
        if (i < n && at >= oldest) {
            stamps[k] = at;
            tf_copy(store, table + i, samples[k++]);
        }
    }
    /* How many are new to the ring, and not replacements? */
    uint32_t grows = 0, skip = 0, p = tf_get(&ring->head);
    for (uint32_t i = k; i-- > 0;) {
        while (tf_stamp(store, tf_slot(edge, p - 1)) > stamps[i])
            p--;
        grows += tf_stamp(store, tf_slot(edge, p - 1)) != stamps[i];
    }
    const uint32_t slots = tf_get(&ring->mask) + 1;
    tf_rewrite_begin(ring);
    while (tf_count(edge) + grows > slots) { /* the oldest goes, be it of the ring or of the overlay */
        const int64_t ring_oldest = tf_stamp(store, tf_slot(edge, tf_get(&ring->tail)));
        const bool from_overlay = skip < k && stamps[skip] < ring_oldest;
        tf_evicted(edge, from_overlay ? stamps[skip] : ring_oldest);
        if (from_overlay) {
            skip++;
            grows--;
            continue;
        }
        skip += skip < k && stamps[skip] == ring_oldest; /* its replacement goes with it */
        TF_STORE(&ring->tail, tf_get(&ring->tail) + 1, relaxed, TF_AT_RELAXED);
    }
    const uint32_t kept = tf_get(&ring->tail);
    uint32_t from = tf_get(&ring->head), to = from + grows;
    TF_STORE(&ring->head, to, relaxed, TF_AT_RELAXED);
    for (uint32_t i = k; i-- > skip;) {
        while (from != kept && tf_stamp(store, tf_slot(edge, from - 1)) > stamps[i]) {
            from--;
            to--;
            if (from != to)
                tf_move(store, tf_slot(edge, from), tf_slot(edge, to));
        }
        if (from != kept && tf_stamp(store, tf_slot(edge, from - 1)) == stamps[i])
            from--;
        to--;
        tf_put(store, tf_slot(edge, to), stamps[i], samples[i]);
    }
    TF_STORE(&ring->late, (tf_get(&ring->late) & ~(uint32_t)TF_LATE_MASK) + (1u << TF_LATE_BITS), relaxed,
             TF_AT_RELAXED);
    tf_rewrite_end(ring);
}

/* Put a sample before the oldest. There is room. */
static void tf_prepend(const snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words)
{
    tf_ring *ring = &edge->ring;
    const uint32_t tail = tf_get(&ring->tail) - 1;
    tf_rewrite_begin(ring);
    tf_put(&b->store, tf_slot(edge, tail), stamp, words);
    TF_STORE(&ring->tail, tail, relaxed, TF_AT_RELAXED);
    tf_rewrite_end(ring);
}

/* Publish the overlay with one sample more, or one replaced. False: it is full. */
static bool tf_overlay_add(const snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words)
{
    const tf_store *store = &b->store;
    const uint32_t n = tf_late_count(edge), from = tf_late_table(edge);
    const int64_t oldest = tf_stamp(store, tf_slot(edge, tf_get(&edge->ring.tail)));
    uint32_t dead = 0; /* entries that the ring left behind */
    while (dead < n && tf_stamp(store, from + dead) < oldest)
        dead++;
    uint32_t at = dead;
    while (at < n && tf_stamp(store, from + at) < stamp)
        at++;
    const bool replaces = at < n && tf_stamp(store, from + at) == stamp;
    const uint32_t length = n - dead + !replaces;
    if (length > TF_LATE_CAPACITY)
        return false;
    const uint32_t to = tf_late_begin(&edge->ring);
    for (uint32_t i = dead; i < at; i++)
        tf_move(store, from + i, to + i - dead);
    tf_put(store, to + at - dead, stamp, words);
    for (uint32_t i = at + replaces; i < n; i++)
        tf_move(store, from + i, to + i - dead + !replaces);
    tf_late_publish(&edge->ring, length);
    return true;
}

snt_status snt__tf_store_late(snt_tf_buffer *b, tf_edge *edge, int64_t stamp, const uint64_t *words,
                              bool topology, uint32_t *effect)
{
    tf_ring *ring = &edge->ring;
    if (stamp < tf_minus(tf_newest(edge), edge->keep_ns) || stamp <= edge->floor)
        return SNT_ERR_PAST;
    const uint32_t n = tf_count(edge);
    if (stamp < tf_stamp(&b->store, tf_slot(edge, tf_get(&ring->tail)))) {
        if (n > tf_get(&ring->mask))
            return SNT_ERR_PAST;
        tf_prepend(b, edge, stamp, words);
        *effect |= SNT_TF_LATE;
        return SNT_OK;
    }
    /* Nobody else writes: the first attempt succeeds. */
    tf_span span;
    const tf_found found = tf_find(ring, &b->store, stamp, false, 0, &span);
    if (found == TF_AT && memcmp(span.a, words, sizeof span.a) == 0) {
        *effect |= SNT_TF_SAME;
        return SNT_OK;
    }
    if (found == TF_AT && (b->config.flags & SNT_TF_STRICT_DUPLICATES))
        return SNT_ERR_DUPLICATE;
    if (!edge->has_late && !topology)
        return TF_NEED_TOPOLOGY;
    if (!edge->has_late) {
        const uint32_t first = snt__tf_extent_take(b, TF_LATE_TABLES * TF_LATE_CAPACITY);
        if (first != UINT32_MAX) {
            tf_set(&ring->late_first, first);
            edge->has_late = 1;
        }
    }
    if (!edge->has_late || !tf_overlay_add(b, edge, stamp, words))
        snt__tf_fold_late(b, edge, stamp, words);
    *effect |= found == TF_AT ? SNT_TF_CHANGED : SNT_TF_LATE;
    return SNT_OK;
}

/* Under the topology lock too. */
bool snt__tf_give_ring(snt_tf_buffer *b, tf_edge *edge, uint32_t samples)
{
    if (samples > b->config.max_samples)
        return false;
    samples = snt__pow2_at_least(samples < 2 ? 2 : samples);
    const uint32_t first = snt__tf_extent_take(b, samples);
    if (first == UINT32_MAX)
        return false;
    tf_rewrite_begin(&edge->ring);
    TF_STORE(&edge->ring.first, first, relaxed, TF_AT_RELAXED);
    TF_STORE(&edge->ring.mask, samples - 1, relaxed, TF_AT_RELAXED);
    tf_rewrite_end(&edge->ring);
    edge->has_ring = 1;
    if (!edge->keep_ns)
        edge->keep_ns = b->settings.keep_ns;
    return true;
}

/* Under the topology lock too: whoever still reads the ring sees seq change before anything else is written there. */
void snt__tf_take_ring(snt_tf_buffer *b, tf_edge *edge)
{
    snt__tf_drop_history(b, edge);
    if (edge->has_ring)
        snt__tf_extent_give(b, tf_get(&edge->ring.first), tf_get(&edge->ring.mask) + 1);
    if (edge->has_late)
        snt__tf_extent_give(b, tf_get(&edge->ring.late_first), TF_LATE_TABLES * TF_LATE_CAPACITY);
    edge->has_ring = edge->has_late = 0;
    tf_rewrite_begin(&edge->ring);
    TF_STORE(&edge->ring.mask, UINT32_MAX, relaxed, TF_AT_RELAXED);
    tf_rewrite_end(&edge->ring);
}
