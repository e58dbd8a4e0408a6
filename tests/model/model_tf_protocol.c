/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive exploration of the reader/writer protocol of lib/tf/tf_ring.h under the C11 memory model.
 *
 * The header's own functions, and the writer's of lib/tf/tf_history.c, run here with their atomic accesses redirected to a machine of messages and views (the
 * operational form of release/acquire with relaxed accesses and fences; readers store nothing, so no load is ever
 * satisfied from the future). Each location keeps every value it ever had, with the view its store published. The writers
 * run first. A reader's load may then return any message not older than what the reader already knows, which covers
 * every interleaving; a depth-first search replays the reader through every choice. Whatever a reader accepts must be the
 * answer of some state the history really had.
 *
 * Then each fence, order and check that the header names is weakened in turn, and a wrong answer must turn up.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_relaxed, ORDER_acquire, ORDER_release };

static uint64_t model_load(const void *location, int order, int site);
static void model_store(void *location, uint64_t value, int order, int site);
static void model_fence(int order, int site);
static void model_stored(const void *location);

static uint32_t model_load32(const _Atomic uint32_t *p, int order, int site)
{
    return (uint32_t)model_load((const void *)(uintptr_t)p, order, site);
}
static uint64_t model_load64(const _Atomic uint64_t *p, int order, int site)
{
    return model_load((const void *)(uintptr_t)p, order, site);
}

#define TF_HOOKED
#define TF_SAMPLE_WORDS  2
#define TF_LATE_CAPACITY 2u
#define TF_LOAD(p, order, site)                                                                              \
    _Generic((p), _Atomic uint32_t *: model_load32, _Atomic uint64_t *: model_load64)(p, ORDER_##order, site)
#define TF_STORE(p, value, order, site)                                                                      \
    model_store((void *)(uintptr_t)(p), (uint64_t)(value), ORDER_##order, site)
#define TF_FENCE(order, site) model_fence(ORDER_##order, site)
#include "lib/tf/tf_history.c"

/* ---- the machine ---- */

enum { LOCATIONS = 192, MESSAGES = 48, CHOICES = 128 };

typedef struct view {
    uint8_t at[LOCATIONS];
} view;

typedef struct message {
    uint64_t value;
    view seen; /* what a reader that synchronises with this store knows */
} message;

static struct {
    const void *address[LOCATIONS];
    message history[LOCATIONS][MESSAGES];
    uint8_t length[LOCATIONS];
    int count;
    view writer, released,
        floor; /* the writer's view, that of its last release fence, what every reader knows */
    bool reading;
    view reader, pending;
    int weakened; /* site, or −1 */
    uint8_t choice[CHOICES], options[CHOICES];
    int depth;
    uint64_t executions;
} machine;

static int model_index(const void *address)
{
    for (int i = 0; i < machine.count; i++)
        if (machine.address[i] == address)
            return i;
    if (machine.count == LOCATIONS)
        abort();
    machine.address[machine.count] = address;
    machine.length[machine.count] = 1; /* message 0: zero, known to everybody */
    return machine.count++;
}

static void model_join(view *into, const view *from)
{
    for (int i = 0; i < LOCATIONS; i++)
        if (from->at[i] > into->at[i])
            into->at[i] = from->at[i];
}

/* The next branch of the search: 0..options−1. */
static int model_choose(int options)
{
    if (options == 1)
        return 0;
    if (machine.depth == CHOICES)
        abort();
    machine.options[machine.depth] = (uint8_t)options;
    return machine.choice[machine.depth++];
}

static uint64_t model_load(const void *location, int order, int site)
{
    const int i = model_index(location);
    if (!machine.reading)
        return machine.history[i][machine.length[i] - 1].value;
    const bool weak = site == machine.weakened;
    /* a check that is weakened may look at the past again: as if it were not made */
    const int known = weak && site == TF_AT_READ_CHECK ? machine.floor.at[i] : machine.reader.at[i];
    const int pick = known + model_choose(machine.length[i] - known);
    const message *m = &machine.history[i][pick];
    if (pick > machine.reader.at[i])
        machine.reader.at[i] = (uint8_t)pick;
    model_join(&machine.pending, &m->seen);
    if (order == ORDER_acquire && !weak)
        model_join(&machine.reader, &m->seen);
    return m->value;
}

static void model_store(void *location, uint64_t value, int order, int site)
{
    const int i = model_index(location);
    if (machine.reading || machine.length[i] == MESSAGES)
        abort();
    const int k = machine.length[i]++;
    message *m = &machine.history[i][k];
    machine.writer.at[i] = (uint8_t)k;
    m->value = value;
    m->seen = order == ORDER_release && site != machine.weakened ? machine.writer : machine.released;
    m->seen.at[i] = (uint8_t)k;
    model_stored(location);
}

static void model_fence(int order, int site)
{
    if (site == machine.weakened)
        return;
    if (order == ORDER_release)
        machine.released = machine.writer;
    else
        model_join(&machine.reader, &machine.pending);
}

/* ---- the world ---- */

enum { SLOTS = 32, TABLE = 16 };
static snt_tf_buffer buffer; /* what the writer's functions look at, no more */
static tf_edge edge, other_edge;
static tf_word stamps[SLOTS];
static tf_sample samples[SLOTS];
static uint64_t next_id;

/* What the history holds after each store that readers can see. Ids make every sample unlike every other. */
typedef struct state {
    int n;
    int64_t stamp[12];
    uint64_t id[12];
} state;

enum { STATES = 64 };
static state states[STATES];
static int state_count;
static bool watching;

static uint64_t memory_now(const void *address)
{
    const int i = model_index(address);
    return machine.history[i][machine.length[i] - 1].value;
}

static uint64_t word_now(const tf_word *w)
{
#if defined(SNT_TF_HALF_WORDS)
    return memory_now((const void *)(uintptr_t)&w->hi) << 32 | memory_now((const void *)(uintptr_t)&w->lo);
#else
    return memory_now((const void *)(uintptr_t)&w->v);
#endif
}

static void state_set(state *s, int64_t stamp, uint64_t id)
{
    int i = 0;
    while (i < s->n && s->stamp[i] < stamp)
        i++;
    if (i == s->n || s->stamp[i] != stamp) {
        memmove(s->stamp + i + 1, s->stamp + i, (size_t)(s->n - i) * sizeof s->stamp[0]);
        memmove(s->id + i + 1, s->id + i, (size_t)(s->n - i) * sizeof s->id[0]);
        s->n++;
    }
    s->stamp[i] = stamp;
    s->id[i] = id;
}

/* The ring and the overlay as plain memory has them now; late samples count between the ring's ends. */
static void state_record(void)
{
    if (memory_now((const void *)(uintptr_t)&edge.ring.seq) & 1)
        return;
    state s = {0};
    const uint32_t head = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.head),
                   tail = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.tail);
    const uint32_t first = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.first),
                   mask = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.mask);
    for (uint32_t p = tail; p != head; p++)
        state_set(&s, (int64_t)word_now(&stamps[first + (p & mask)]),
                  word_now(&samples[first + (p & mask)].w[0]));
    const uint32_t late = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.late);
    const uint32_t table = (uint32_t)memory_now((const void *)(uintptr_t)&edge.ring.late_first) +
                           (late >> TF_LATE_BITS) % TF_LATE_TABLES * TF_LATE_CAPACITY;
    const int64_t oldest = s.stamp[0], newest = s.n ? s.stamp[s.n - 1] : 0;
    for (uint32_t i = 0; s.n && i < (late & TF_LATE_MASK); i++) {
        const int64_t at = (int64_t)word_now(&stamps[table + i]);
        if (at >= oldest && at <= newest)
            state_set(&s, at, word_now(&samples[table + i].w[0]));
    }
    if (state_count && memcmp(&states[state_count - 1], &s, sizeof s) == 0)
        return;
    if (state_count == STATES)
        abort();
    states[state_count++] = s;
}

static void model_stored(const void *location)
{
    if (watching && (location == (const void *)(uintptr_t)&edge.ring.seq ||
                     location == (const void *)(uintptr_t)&edge.ring.head ||
                     location == (const void *)(uintptr_t)&edge.ring.tail ||
                     location == (const void *)(uintptr_t)&edge.ring.late))
        state_record();
}

/* Each operation may be another thread's: it holds the lock, so it knows all, but its fences are its own. */
static void op_begin(uint64_t *words)
{
    memset(&machine.released, 0, sizeof machine.released);
    next_id++;
    for (int i = 0; i < TF_SAMPLE_WORDS; i++)
        words[i] = next_id << 32 | next_id; /* both halves tell */
}

static void append_to(tf_edge *to, int64_t stamp)
{
    uint64_t words[TF_SAMPLE_WORDS];
    op_begin(words);
    snt__tf_store_append(&buffer, to, stamp, words);
}

static void append(int64_t stamp)
{
    append_to(&edge, stamp);
}

static void late(int64_t stamp)
{
    uint64_t words[TF_SAMPLE_WORDS];
    uint32_t effect = 0;
    op_begin(words);
    if (snt__tf_store_late(&buffer, &edge, stamp, words, true, &effect) != SNT_OK)
        abort();
}

static void clear(void)
{
    uint64_t words[TF_SAMPLE_WORDS];
    op_begin(words);
    snt__tf_drop_history(&buffer, &edge);
}

/* The overlay into the ring, as when it is full. */
static void fold(void)
{
    uint64_t words[TF_SAMPLE_WORDS];
    op_begin(words);
    snt__tf_fold_late(&buffer, &edge, 0, NULL);
}

static void ring_at(tf_edge *of, uint32_t first, uint32_t slots)
{
    tf_rewrite_begin(&of->ring);
    TF_STORE(&of->ring.first, first, relaxed, TF_AT_RELAXED);
    TF_STORE(&of->ring.mask, slots - 1, relaxed, TF_AT_RELAXED);
    tf_rewrite_end(&of->ring);
    of->has_ring = of->has_late = 1;
    of->keep_ns = INT64_MAX;
}

static uint32_t slots_now;

static void world_begin(int weakened)
{
    memset(&machine, 0, sizeof machine);
    machine.weakened = weakened;
    memset(&edge, 0, sizeof edge);
    memset(&other_edge, 0, sizeof other_edge);
    buffer.store = (tf_store){stamps, samples, SLOTS};
    watching = false;
    state_count = 0;
    next_id = 0;
    TF_STORE(&edge.ring.late_first, TABLE, relaxed, TF_AT_RELAXED);
    ring_at(&edge, 0, slots_now);
}

/* From here on readers look on. */
static void world_watch(void)
{
    machine.floor = machine.writer;
    watching = true;
    state_record();
}

/* ---- scenarios ---- */

static void scenario_append(void)
{
    append(10);
    append(20);
    world_watch();
    append(30);
    append(40);
    append(50);
    append(60);
}

static void scenario_empty(void)
{
    world_watch();
    append(10);
    append(20);
    append(30);
}

static void scenario_replace(void)
{
    append(10);
    append(30);
    world_watch();
    for (int i = 0; i < 6; i++) /* more often than there are tables */
        late(20);
}

static void scenario_replace_newest(void)
{
    append(10);
    append(30);
    world_watch();
    late(30);
    late(10);
    late(30);
    late(30);
    late(30);
    append(40);
}

static void scenario_late_kept(void)
{
    append(10);
    append(30);
    world_watch();
    late(20);
    append(40); /* the oldest goes; the late one takes its slot */
    late(35);
    append(50);
}

static void scenario_fold(void)
{
    append(10);
    append(40);
    world_watch();
    late(20);
    late(30);
    fold();
}

static void scenario_overlay_full(void)
{
    append(10);
    append(50);
    world_watch();
    late(20);
    late(30);
    late(40); /* a third finds no room in a table of two */
}

static void scenario_clear(void)
{
    append(10);
    append(20);
    world_watch();
    clear();
    append(15);
    append(25);
}

static void scenario_prepend(void)
{
    append(20);
    world_watch();
    late(10);
    append(30);
    append(40);
}

static void scenario_hand_over(void)
{
    uint64_t words[TF_SAMPLE_WORDS];
    append(10);
    append(20);
    world_watch();
    clear();
    op_begin(words);
    tf_rewrite_begin(&edge.ring);
    TF_STORE(&edge.ring.mask, UINT32_MAX, relaxed, TF_AT_RELAXED);
    tf_rewrite_end(&edge.ring);
    op_begin(words);
    ring_at(&other_edge, 0, slots_now);
    append_to(&other_edge, 12);
    append_to(&other_edge, 18);
    append_to(&other_edge, 22);
}

static const struct scenario {
    const char *name;
    void (*run)(void);
    uint32_t slots;
    int64_t times[4];
} scenarios[] = {
    {"appends over a full ring of two", scenario_append, 2, {10, 15, 25, 40}},
    {"appends over a full ring of four", scenario_append, 4, {10, 15, 35, 50}},
    {"first appends", scenario_empty, 2, {5, 10, 15, 30}},
    {"a late sample replaced many times", scenario_replace, 2, {15, 20, 25, 30}},
    {"the newest replaced many times, then passed", scenario_replace_newest, 4, {10, 20, 30, 35}},
    {"late samples that outlive the one before them", scenario_late_kept, 2, {15, 20, 32, 45}},
    {"the overlay folded into the ring", scenario_fold, 4, {15, 20, 25, 40}},
    {"the overlay overflows", scenario_overlay_full, 8, {15, 25, 30, 45}},
    {"cleared and filled anew", scenario_clear, 2, {10, 15, 18, 20}},
    {"a sample before the oldest", scenario_prepend, 2, {10, 15, 20, 25}},
    {"the ring given to another edge", scenario_hand_over, 2, {10, 15, 18, 20}},
};

/* Times that stand for the other questions: both ends of the history, its newest stamp. */
enum { ENDS = -1, NEWEST = -2 };

static bool state_agrees(const state *s, int64_t t, tf_found found, const tf_span *span)
{
    if (found == TF_EMPTY)
        return s->n == 0;
    if (s->n == 0)
        return false;
    if (t == ENDS || t == NEWEST)
        return span->newest == s->stamp[s->n - 1] && (t == NEWEST || span->oldest == s->stamp[0]);
    if (found == TF_FUTURE)
        return t > s->stamp[s->n - 1] && span->newest == s->stamp[s->n - 1];
    if (found == TF_PAST)
        return t < s->stamp[0] && span->oldest == s->stamp[0];
    int i = s->n - 1;
    while (i >= 0 && s->stamp[i] > t)
        i--;
    if (i < 0 || span->a[0] != s->id[i] || span->a[1] != s->id[i] || span->t0 != s->stamp[i])
        return false;
    if (found == TF_AT)
        return s->stamp[i] == t;
    return s->stamp[i] < t && i + 1 < s->n && span->b[0] == s->id[i + 1] && span->b[1] == s->id[i + 1] &&
           span->t1 == s->stamp[i + 1];
}

typedef struct outcome {
    uint64_t executions, retries, wrong;
    uint32_t verdicts;    /* bits of tf_found that were accepted */
    uint64_t states_seen; /* bits: states some answer agreed with */
} outcome;

/* Every execution of one reader asking for t, who starts to look at position `hint` unless that is NO_HINT. */
enum { NO_HINT = UINT16_MAX };
static void explore(int64_t t, uint32_t hint, uint64_t limit, outcome *out)
{
    memset(machine.choice, 0, sizeof machine.choice);
    machine.reading = true;
    for (uint64_t done = 0; done < limit; done++) {
        machine.depth = 0;
        machine.reader = machine.floor;
        memset(&machine.pending, 0, sizeof machine.pending);
        tf_span span;
        memset(&span, 0, sizeof span);
        const bool ends = t == ENDS || t == NEWEST;
        const tf_found found = ends ? tf_ends(&edge.ring, &buffer.store, t == ENDS ? &span.oldest : NULL,
                                              &span.newest, &span.count)
                                    : tf_find(&edge.ring, &buffer.store, t, hint != NO_HINT, hint, &span);
        out->executions++;
        if (found == TF_RETRY) {
            out->retries++;
        } else {
            bool agrees = false;
            for (int i = 0; i < state_count; i++) {
                if (state_agrees(&states[i], t, found, &span)) {
                    agrees = true;
                    out->states_seen |= UINT64_C(1) << i;
                }
            }
            out->wrong += !agrees;
        }
        int d = machine.depth - 1;
        while (d >= 0 && machine.choice[d] + 1 >= machine.options[d])
            d--;
        if (d < 0)
            break;
        machine.choice[d]++;
        memset(machine.choice + d + 1, 0, sizeof machine.choice - (size_t)d - 1);
    }
    machine.reading = false;
}

static outcome run(const struct scenario *s, int weakened, uint64_t limit)
{
    outcome out = {0};
    for (int i = 0; i < 6; i++) {
        slots_now = s->slots;
        world_begin(weakened);
        s->run();
        const uint32_t hints[] = {NO_HINT, 0, 1, 3};
        for (int k = 0; k < (i < 4 && limit == UINT64_MAX ? 4 : 1); k++)
            explore(i < 4 ? s->times[i] : i == 4 ? ENDS : NEWEST, hints[k], limit, &out);
        if (weakened >= 0 && out.wrong)
            break;
    }
    return out;
}

static const char *const site_names[] = {
    "release fence before an append",
    "release of head",
    "release of tail",
    "release fence before a table is written",
    "release of the table",
    "release fence before a rewrite",
    "release after a rewrite",
    "acquire of seq",
    "acquire of the table",
    "acquire of head",
    "acquire fence after the copy",
    "checks after the copy",
};

int main(void)
{
    enum {
        SCENARIOS = sizeof scenarios / sizeof scenarios[0],
        WEAKENED = sizeof site_names / sizeof site_names[0]
    };
    _Static_assert((int)WEAKENED == (int)TF_AT_RELAXED, "a name for every site");
#if defined(SNT_TF_HALF_WORDS)
    /* twice the loads make too many executions for an ordinary run: the first of each question, all with SNT_LONG */
    const uint64_t all = getenv("SNT_LONG") ? UINT64_MAX : 40000;
#else
    const uint64_t all = UINT64_MAX;
#endif
    int test = 0, failed = 0;
    uint64_t total = 0;
    printf("1..%d\n", SCENARIOS + WEAKENED);
    for (int i = 0; i < SCENARIOS; i++) {
        const outcome out = run(&scenarios[i], -1, all);
        const bool every_state = out.states_seen == (UINT64_C(1) << state_count) - 1;
        const bool ok = !out.wrong && (every_state || all != UINT64_MAX);
        total += out.executions;
        failed += !ok;
        printf("%s %d - %s: %" PRIu64 " executions, %" PRIu64 " retried, %" PRIu64 " wrong%s\n",
               ok ? "ok" : "not ok", ++test, scenarios[i].name, out.executions, out.retries, out.wrong,
               every_state ? "" : ", some state was never answered");
    }
    for (int site = 0; site < WEAKENED; site++) {
        const char *where = NULL;
        for (int i = 0; i < SCENARIOS && !where; i++)
            if (run(&scenarios[i], site, all < 4000000 ? all : 4000000).wrong)
                where = scenarios[i].name;
        failed += !where;
        printf("%s %d - without the %s readers go wrong: %s\n", where ? "ok" : "not ok", ++test,
               site_names[site], where ? where : "they do not");
    }
    printf("# %" PRIu64 " executions in all\n", total);
    return failed != 0;
}
