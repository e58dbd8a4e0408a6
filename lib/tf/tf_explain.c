/* SPDX-License-Identifier: BSD-3-Clause */
/* Why there is no answer: the facts, and a line of text when somebody asks for it. */
#include "tf_internal.h"
#include "tf_text.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

snt_status snt__tf_edge_range(const snt_tf_buffer *b, const tf_edge *edge, int64_t *oldest, int64_t *newest,
                              uint32_t *count)
{
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const tf_found found = tf_ends(&edge->ring, &b->store, oldest, newest, count);
        if (found == TF_EMPTY)
            *count = 0;
        if (found == TF_AT)
            *count += TF_GET(((tf_edge *)(uintptr_t)edge)->ring.late) & TF_LATE_MASK;
        if (found != TF_RETRY)
            return found == TF_AT ? SNT_OK : SNT_EMPTY;
    }
    return SNT_BUSY;
}

snt_status snt_tf_buffer_newest(const snt_tf_buffer *buffer, snt_frame child, snt_time *newest)
{
    if (!buffer || !newest)
        return SNT_ERR_INVALID_ARG;
    if (!tf_frame_alive(buffer, child))
        return SNT_ERR_NOT_FOUND;
    tf_edge *edge = tf_edge_at(buffer, tf_frame_slot(child));
    if (TF_GET(edge->kind) == SNT_TF_STATIC) {
        *newest = SNT_TIME_INFINITE_FUTURE;
        return SNT_OK;
    }
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        int64_t stamp;
        uint32_t count;
        const tf_found found = tf_ends(&edge->ring, &buffer->store, NULL, &stamp, &count);
        if (found == TF_RETRY)
            continue;
        if (TF_GET(edge->generation) != tf_frame_generation(child))
            return SNT_ERR_NOT_FOUND;
        if (found == TF_EMPTY)
            return SNT_EMPTY;
        *newest = stamp;
        return SNT_OK;
    }
    return SNT_BUSY;
}

/* ---- misses ---- */

static void tf_miss_clear(const snt_tf_buffer *b, snt_tf_miss *miss)
{
    memset(miss, 0, sizeof *miss);
    miss->asked = miss->oldest = miss->newest = miss->missing_ns = SNT_UNKNOWN;
    miss->period_ns = miss->next_due = miss->answer_due = SNT_UNKNOWN;
    miss->other_oldest = miss->other_newest = SNT_UNKNOWN;
    miss->session = TF_GET(((snt_tf_buffer *)(uintptr_t)b)->session);
}

snt_status snt__tf_miss(const snt_tf_buffer *b, snt_frame target, snt_frame source, uint32_t reason,
                        snt_status status, int64_t asked, snt_tf_miss *miss)
{
    if (!miss)
        return status;
    tf_miss_clear(b, miss);
    miss->status = status;
    miss->reason = reason;
    miss->target = target;
    miss->source = source;
    miss->asked = asked;
    miss->permanent =
        reason == SNT_TF_MISS_CYCLE || reason == SNT_TF_MISS_DEPTH || reason == SNT_TF_MISS_DOMAIN;
    return status;
}

/* What snt__tf_resolve could not do. */
snt_status snt__tf_not_connected(const snt_tf_buffer *b, const tf_chain *chain, snt_status status,
                                 int64_t asked, snt_tf_miss *miss)
{
    const bool target = tf_frame_alive(b, chain->target), source = tf_frame_alive(b, chain->source);
    uint32_t reason = SNT_TF_MISS_NOT_CONNECTED;
    if (status == SNT_ERR_NOT_FOUND)
        reason = SNT_TF_MISS_UNKNOWN_FRAME;
    else if (status == SNT_ERR_RANGE)
        reason = SNT_TF_MISS_DEPTH;
    else if (status == SNT_ERR_CYCLE)
        reason = SNT_TF_MISS_CYCLE;
    else if (status == SNT_BUSY)
        reason = SNT_TF_MISS_BUSY;
    snt__tf_miss(b, chain->target, chain->source, reason, status, asked, miss);
    if (!miss)
        return status;
    if (reason == SNT_TF_MISS_UNKNOWN_FRAME) {
        miss->target = target ? chain->target : 0;
        miss->source = source ? chain->source : 0;
    } else if (reason == SNT_TF_MISS_NOT_CONNECTED) {
        miss->root_target = tf_frame_of(b, chain->root_target - 1);
        miss->root_source = tf_frame_of(b, chain->root_source - 1);
        miss->failing_edges = 1;
    }
    return status;
}

typedef struct tf_fault {
    uint32_t reason, index;
    snt_status status;
    int64_t missing, oldest, newest;
    uint32_t count, other_domain;
    bool permanent;
} tf_fault;

static bool tf_years_apart(int64_t missing)
{
    return missing > TF_YEAR_NS;
}

static tf_fault tf_edge_fault(const snt_tf_buffer *b, const tf_link *link, const tf_options *options,
                              int64_t t, uint32_t *domain)
{
    tf_edge *edge = tf_edge_at(b, link->slot);
    tf_fault f = {.status = SNT_OK, .missing = 0, .oldest = SNT_UNKNOWN, .newest = SNT_UNKNOWN};
    const uint32_t own = TF_GET(edge->domain);
    if (own && *domain && own != *domain) {
        f.reason = SNT_TF_MISS_DOMAIN;
        f.status = SNT_ERR_DOMAIN;
        f.other_domain = *domain;
        f.permanent = true;
        snt__tf_edge_range(b, edge, &f.oldest, &f.newest, &f.count);
        return f;
    }
    *domain = own ? own : *domain;
    const snt_status range = snt__tf_edge_range(b, edge, &f.oldest, &f.newest, &f.count);
    if (range == SNT_BUSY)
        return f;
    if (range == SNT_EMPTY) {
        f.reason = SNT_TF_MISS_NO_DATA;
        f.status = SNT_ERR_FUTURE;
        f.missing = INT64_MAX; /* nobody knows how long: longer than any known wait */
        return f;
    }
    tf_settings set;
    if (t > f.newest) {
        snt__tf_edge_settings(b, edge, &set);
        const int64_t limit =
            options && options->extrapolate_ns ? options->extrapolate_ns : set.extrapolate_ns;
        const uint32_t method =
            options && options->extrapolation ? options->extrapolation : set.extrapolation;
        f.missing = tf_minus(t, f.newest);
        if (method > SNT_TF_EXTRAPOLATE_NONE && f.missing <= limit)
            return f;
        f.reason = tf_years_apart(f.missing) ? SNT_TF_MISS_CLOCK : SNT_TF_MISS_FUTURE;
        f.status = tf_years_apart(f.missing) ? SNT_ERR_CLOCK_MISMATCH : SNT_ERR_FUTURE;
        f.permanent = tf_years_apart(f.missing);
        return f;
    }
    if (t < f.oldest) {
        f.missing = tf_minus(f.oldest, t);
        f.reason = tf_years_apart(f.missing) ? SNT_TF_MISS_CLOCK : SNT_TF_MISS_PAST;
        f.status = tf_years_apart(f.missing) ? SNT_ERR_CLOCK_MISMATCH : SNT_ERR_PAST;
        f.permanent = true;
        return f;
    }
    tf_span span;
    if (snt__tf_find(b, edge, t, &span) != TF_BETWEEN)
        return f;
    snt__tf_edge_settings(b, edge, &set);
    const int64_t gap = tf_minus(span.t1, span.t0);
    const bool reparents = (span.a[TF_META] ^ span.b[TF_META]) & TF_META_PARENT;
    const bool held = reparents || (span.b[TF_META] & TF_META_DISCONTINUITY);
    const int64_t limit = options && options->max_gap_ns ? options->max_gap_ns : set.max_gap_ns;
    if (held ? reparents && (b->config.flags & SNT_TF_REPARENT_IS_GAP) : gap > limit) {
        f.reason = SNT_TF_MISS_GAP;
        f.status = SNT_ERR_GAP;
        f.missing = gap;
        f.permanent = true;
        f.oldest = span.t0;
        f.newest = span.t1;
    }
    return f;
}

static void tf_miss_edge(const snt_tf_buffer *b, const tf_link *link, const tf_fault *f, int64_t t,
                         snt_tf_miss *miss)
{
    tf_edge *edge = tf_edge_at(b, link->slot);
    miss->status = f->status;
    miss->reason = f->reason;
    miss->child = (snt_frame)link->generation << 32 | (link->slot + 1);
    miss->parent = tf_frame_of(b, link->parent - 1);
    miss->oldest = f->oldest;
    miss->newest = f->newest;
    miss->missing_ns =
        f->reason == SNT_TF_MISS_NO_DATA || f->reason == SNT_TF_MISS_DOMAIN ? SNT_UNKNOWN : f->missing;
    miss->samples = f->count;
    miss->permanent = f->permanent;
    miss->domain = TF_GET(edge->domain);
    miss->other_domain = f->other_domain;
    const int64_t period = tf_period(edge);
    if (period == SNT_UNKNOWN)
        return;
    miss->period_ns = period;
    if (f->newest == SNT_UNKNOWN || f->reason == SNT_TF_MISS_GAP)
        return;
    miss->next_due = tf_plus(f->newest, period);
    if (f->reason == SNT_TF_MISS_FUTURE) {
        miss->answer_due = tf_covered_from(f->newest, period, f->missing);
    } else if (f->reason == SNT_TF_MISS_STALE && t != SNT_UNKNOWN) {
        miss->answer_due = miss->next_due;
    }
}

/* The edge to blame: a permanent fault before any that waiting may cure, then the longest wait. SNT_OK: none fails. */
snt_status snt__tf_explain(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                           int64_t t, snt_tf_miss *miss)
{
    if (!options && snt__tf_short(b, chain, t, miss) == SNT_ERR_FUTURE)
        return SNT_ERR_FUTURE;
    tf_fault worst = {.status = SNT_OK};
    uint32_t failing = 0, domain = options ? options->domain : 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        tf_fault f = tf_edge_fault(b, &chain->links[i], options, t, &domain);
        if (f.status == SNT_OK)
            continue;
        f.index = i;
        if (!failing++ || f.permanent > worst.permanent ||
            (f.permanent == worst.permanent && f.missing > worst.missing))
            worst = f;
    }
    if (worst.status == SNT_OK || !miss)
        return worst.status;
    tf_miss_clear(b, miss);
    miss->target = chain->target;
    miss->source = chain->source;
    miss->asked = t;
    miss->failing_edges = failing;
    tf_miss_edge(b, &chain->links[worst.index], &worst, t, miss);
    return worst.status;
}

uint32_t snt_tf_miss_tf2_code(const snt_tf_miss *miss)
{
    if (!miss)
        return 0;
    switch (miss->reason) {
    case SNT_TF_MISS_NONE:
        return 0;
    case SNT_TF_MISS_UNKNOWN_FRAME:
    case SNT_TF_MISS_CYCLE:
    case SNT_TF_MISS_DEPTH:
        return 1;
    case SNT_TF_MISS_NOT_CONNECTED:
        return 2;
    case SNT_TF_MISS_NO_DATA:
    case SNT_TF_MISS_ONE_SAMPLE:
        return 9;
    case SNT_TF_MISS_PAST:
        return miss->samples == 1 ? 9 : 7;
    case SNT_TF_MISS_FUTURE:
        return miss->samples == 1 ? 9 : 8;
    case SNT_TF_MISS_NO_COMMON_TIME:
        return 7;
    case SNT_TF_MISS_CLOCK:
        return miss->newest != SNT_UNKNOWN && miss->asked > miss->newest ? 8 : 7;
    case SNT_TF_MISS_GAP:
    case SNT_TF_MISS_STALE:
        return 3;
    default:
        return 6;
    }
}

/* ---- text ---- */

typedef struct tf_line {
    const snt_tf_buffer *b;
    snt__printer *out;
} tf_line;

static void tf_line_add(tf_line *line, const char *words)
{
    snt__print_string(line->out, words);
}

void snt__tf_print_frame(snt__printer *out, const snt_tf_buffer *b, snt_frame frame)
{
    char name[TF_NAME_LIMIT + 1];
    const snt_status status = snt_tf_buffer_frame_name(b, frame, name, sizeof name);
    snt__print_string(out, status == SNT_OK ? name : "?");
}

static void tf_line_frame(tf_line *line, snt_frame frame)
{
    snt__tf_print_frame(line->out, line->b, frame);
}

static void tf_line_edge(tf_line *line, snt_frame parent, snt_frame child)
{
    tf_line_frame(line, parent);
    tf_line_add(line, "->");
    tf_line_frame(line, child);
}

/* Seconds with all nine digits, without a double in between. */
static void tf_line_time(tf_line *line, int64_t t)
{
    if (t == SNT_UNKNOWN)
        tf_line_add(line, "unknown");
    else
        snt__print_seconds(line->out, t);
}

static void tf_line_due(tf_line *line, const snt_tf_miss *m)
{
    if (m->period_ns == SNT_UNKNOWN || m->period_ns <= 0 || m->next_due == SNT_UNKNOWN)
        return;
    tf_line_add(line, "; next due ");
    tf_line_time(line, m->next_due);
    tf_line_add(line, " (");
    snt__print_number(line->out, 1e9 / (double)m->period_ns, 1);
    tf_line_add(line, " Hz)");
    if (m->answer_due != SNT_UNKNOWN && m->answer_due != m->next_due) {
        tf_line_add(line, ", covered from ");
        tf_line_time(line, m->answer_due);
    }
}

static void tf_line_range(tf_line *line, const snt_tf_miss *m, const char *words)
{
    tf_line_edge(line, m->parent, m->child);
    tf_line_add(line, ": asked ");
    tf_line_time(line, m->asked);
    const bool past = m->asked < m->oldest;
    tf_line_add(line, past ? ", oldest " : ", newest ");
    tf_line_time(line, past ? m->oldest : m->newest);
    tf_line_add(line, ", ");
    tf_line_time(line, m->missing_ns);
    tf_line_add(line, " s ");
    tf_line_add(line, words);
}

static void tf_line_miss(tf_line *line, const snt_tf_miss *m)
{
    switch (m->reason) {
    case SNT_TF_MISS_UNKNOWN_FRAME:
        tf_line_add(line, "unknown frame: ");
        tf_line_add(line, !m->target && !m->source ? "target and source" : m->target ? "source" : "target");
        break;
    case SNT_TF_MISS_NOT_CONNECTED:
        tf_line_frame(line, m->target);
        tf_line_add(line, " and ");
        tf_line_frame(line, m->source);
        tf_line_add(line, " are in different trees, under the roots ");
        tf_line_frame(line, m->root_target);
        tf_line_add(line, " and ");
        tf_line_frame(line, m->root_source);
        break;
    case SNT_TF_MISS_NO_DATA:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, ": no sample yet, or none since the history was cleared");
        break;
    case SNT_TF_MISS_PAST:
        tf_line_range(line, m, "too old");
        break;
    case SNT_TF_MISS_FUTURE:
        tf_line_range(line, m, "short");
        tf_line_due(line, m);
        break;
    case SNT_TF_MISS_CLOCK:
        tf_line_range(line, m, "apart: stamps of two different clocks");
        break;
    case SNT_TF_MISS_GAP:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, ": asked ");
        tf_line_time(line, m->asked);
        tf_line_add(line, " lies in a gap of ");
        tf_line_time(line, m->missing_ns);
        tf_line_add(line, " s between ");
        tf_line_time(line, m->oldest);
        tf_line_add(line, " and ");
        tf_line_time(line, m->newest);
        break;
    case SNT_TF_MISS_STALE:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, ": newest ");
        tf_line_time(line, m->newest);
        tf_line_add(line, " is older than allowed by ");
        tf_line_time(line, m->missing_ns);
        tf_line_add(line, " s");
        tf_line_due(line, m);
        break;
    case SNT_TF_MISS_NO_COMMON_TIME:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, " ends at ");
        tf_line_time(line, m->newest);
        tf_line_add(line, " but ");
        tf_line_edge(line, m->other_parent, m->other_child);
        tf_line_add(line, " begins at ");
        tf_line_time(line, m->other_oldest);
        tf_line_add(line, ": no common time");
        break;
    case SNT_TF_MISS_DOMAIN:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, ": stamped by clock ");
        snt__print_unsigned(line->out, m->domain);
        tf_line_add(line, ", not ");
        snt__print_unsigned(line->out, m->other_domain);
        break;
    case SNT_TF_MISS_SESSION:
        tf_line_add(line, "the data is of an earlier session");
        break;
    case SNT_TF_MISS_BUSY:
        tf_line_add(line, "writers interfered in every attempt");
        break;
    case SNT_TF_MISS_CYCLE:
        tf_line_add(line, "the parents at that time form a cycle");
        break;
    case SNT_TF_MISS_DEPTH:
        tf_line_add(line, "the chain is longer than ");
        snt__print_unsigned(line->out, SNT_TF_MAX_DEPTH);
        tf_line_add(line, " edges");
        break;
    case SNT_TF_MISS_ONE_SAMPLE:
        tf_line_edge(line, m->parent, m->child);
        tf_line_add(line, ": a velocity needs two samples");
        break;
    default:
        tf_line_add(line, "no reason");
    }
    if (m->failing_edges > 1) {
        tf_line_add(line, "; ");
        snt__print_unsigned(line->out, m->failing_edges);
        tf_line_add(line, " edges fail");
    }
    tf_line_add(line, m->permanent ? "; permanent" : "; transient");
}

void snt__tf_print_miss(snt__printer *out, const snt_tf_buffer *buffer, const snt_tf_miss *miss)
{
    tf_line line = {buffer, out};
    if (miss->reason)
        tf_line_miss(&line, miss);
}

snt_status snt_tf_miss_format(const snt_tf_buffer *buffer, const snt_tf_miss *miss, char *text, size_t size)
{
    if (!buffer || !miss || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    snt__tf_print_miss(&out, buffer, miss);
    return snt__print_end(&out);
}

#undef TF_GET
