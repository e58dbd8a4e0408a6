/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions over the clock graph: along each path, then the intersection of all, then what to say if there is none. */
#include "graph.h"

#include "../base/print.h"
#include "../stamp/stamp.h"

/* What a path answered. */
typedef struct graph_answer {
    snt_bounded_time time;
    const snt__graph_path *path;
} graph_answer;

typedef struct graph_answers {
    const snt__graph_version *version;
    uint32_t count;
    graph_answer list[64];
} graph_answers;

static snt_status graph_follow(const snt__graph_version *version, const snt__graph_path *path,
                               const snt_bounded_time *in, snt_bounded_time *out, uint32_t *blocked_edge)
{
    snt_bounded_time x = *in;
    for (uint32_t i = 0; i < path->count; i++) {
        const snt__graph_edge *edge = &version->edges[path->edges[i]];
        const snt_status status = snt__graph_cross(version, edge, edge->from == x.domain, &x, &x);
        if (status != SNT_OK) {
            *blocked_edge = edge->id;
            return status;
        }
    }
    *out = x;
    return SNT_OK;
}

static uint32_t graph_ids(const snt__graph_version *version, const snt__graph_path *path,
                          uint32_t ids[SNT_CLOCK_GRAPH_HOPS])
{
    for (uint32_t i = 0; i < path->count; i++)
        ids[i] = version->edges[path->edges[i]].id;
    return path->count;
}

static bool graph_uses(const snt__graph_path *path, uint16_t edge)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (path->edges[i] == edge)
            return true;
    return false;
}

/* Which answers give the tightest ends; UINT32_MAX edges are left out of nothing. */
static void graph_ends(const graph_answers *answers, uint32_t without, uint32_t *lo, uint32_t *hi,
                       uint32_t *used)
{
    *lo = *hi = UINT32_MAX;
    *used = 0;
    for (uint32_t i = 0; i < answers->count; i++) {
        if (without != UINT32_MAX && graph_uses(answers->list[i].path, (uint16_t)without))
            continue;
        ++*used;
        if (*lo == UINT32_MAX || answers->list[i].time.lo > answers->list[*lo].time.lo)
            *lo = i;
        if (*hi == UINT32_MAX || answers->list[i].time.hi < answers->list[*hi].time.hi)
            *hi = i;
    }
}

/* The one edge without which all the other paths, two at least, agree; 0 if there is none or there are several. */
static uint32_t graph_suspect(const graph_answers *answers)
{
    uint32_t suspect = 0;
    for (uint32_t edge = 0; edge < answers->version->count; edge++) {
        uint32_t lo, hi, used;
        graph_ends(answers, edge, &lo, &hi, &used);
        if (used < 2 || used == answers->count || answers->list[lo].time.lo > answers->list[hi].time.hi)
            continue;
        if (suspect)
            return 0;
        suspect = answers->version->edges[edge].id;
    }
    return suspect;
}

/* TAI − UTC where the answers lie, or the table's last where they are on no scale that has it. */
static int64_t graph_leap(const snt__graph_version *version, const snt_bounded_time *x)
{
    snt_time unix_time;
    int32_t offset;
    if (snt_timescale_convert(&version->leap, x->t, x->domain, SNT_DOMAIN_UNIX, &unix_time, NULL) == SNT_OK &&
        snt_leap_table_offset(&version->leap, unix_time, &offset, NULL) == SNT_OK)
        return offset * SNT_NS_PER_S;
    return version->leap.steps[version->leap.count - 1].tai_minus_utc * SNT_NS_PER_S;
}

/* The confusion of time scales that would explain answers this far apart, give or take their bounds and half a second. */
static uint32_t graph_constant(const snt__graph_version *version, const snt_bounded_time *a,
                               const snt_bounded_time *b)
{
    const int64_t leap = graph_leap(version, a), fixed = SNT_TAI_MINUS_GPS_S * SNT_NS_PER_S;
    const struct {
        int64_t gap;
        uint32_t kind;
    } known[] = {{leap, SNT_LOOKS_TAI}, {leap - fixed, SNT_LOOKS_GPS}, {fixed, SNT_LOOKS_TAI_FOR_GPS}};
    const snt_duration difference = snt_time_sub_sat(a->t, b->t);
    const snt_interval range = {snt__sub_down(snt__sub_down(a->lo, b->hi), SNT_NS_PER_S / 2),
                                snt__add_up(snt__sub_up(a->hi, b->lo), SNT_NS_PER_S / 2)};
    uint32_t best = SNT_LOOKS_SAME;
    snt_duration nearest = SNT_UNKNOWN;
    for (size_t i = 0; i < SNT_COUNT_OF(known); i++) {
        const snt_duration off = snt_time_sub_sat(difference, known[i].gap);
        const snt_duration size = off < 0 ? snt_time_sub_sat(0, off) : off;
        if (snt_interval_contains(&range, known[i].gap) && size < nearest) {
            nearest = size;
            best = known[i].kind;
        }
    }
    return best;
}

static snt_status graph_conflict(const graph_answers *answers, uint32_t late, uint32_t early,
                                 snt_clock_report *report)
{
    const graph_answer *a = &answers->list[late], *b = &answers->list[early];
    report->a = (snt_interval){a->time.lo, a->time.hi};
    report->b = (snt_interval){b->time.lo, b->time.hi};
    report->a_count = graph_ids(answers->version, a->path, report->a_edges);
    report->b_count = graph_ids(answers->version, b->path, report->b_edges);
    report->gap_ns = snt_time_sub_sat(a->time.lo, b->time.hi);
    report->difference_ns = snt_time_sub_sat(a->time.t, b->time.t);
    report->constant = graph_constant(answers->version, &a->time, &b->time);
    report->suspect_edge = graph_suspect(answers);
    return report->status = SNT_ERR_CONFLICT;
}

static snt_duration graph_width(const snt_bounded_time *x)
{
    if (x->lo == SNT_TIME_INFINITE_PAST || x->hi == SNT_TIME_INFINITE_FUTURE)
        return SNT_UNKNOWN;
    return snt_time_sub_sat(x->hi, x->lo);
}

/* One answer out of all of them. */
static snt_status graph_agree(const graph_answers *answers, snt_bounded_time *out, snt_clock_report *report)
{
    uint32_t lo, hi, used, best = 0;
    graph_ends(answers, UINT32_MAX, &lo, &hi, &used);
    const snt_bounded_time *low = &answers->list[lo].time, *high = &answers->list[hi].time;
    if (low->lo > high->hi)
        return graph_conflict(answers, lo, hi, report);
    for (uint32_t i = 1; i < answers->count; i++)
        if (graph_width(&answers->list[i].time) < graph_width(&answers->list[best].time))
            best = i;
    snt_bounded_time x = answers->list[best].time;
    x.lo = low->lo;
    x.hi = high->hi;
    x.t = x.t < x.lo ? x.lo : x.t > x.hi ? x.hi : x.t;
    const uint32_t sides = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    x.flags = (x.flags | low->flags | high->flags) & ~sides;
    x.flags |= x.lo != SNT_TIME_INFINITE_PAST ? (uint32_t)SNT_TIME_BOUND_LO : 0u;
    x.flags |= x.hi != SNT_TIME_INFINITE_FUTURE ? (uint32_t)SNT_TIME_BOUND_HI : 0u;
    report->a = (snt_interval){answers->list[best].time.lo, answers->list[best].time.hi};
    report->a_count = graph_ids(answers->version, answers->list[best].path, report->a_edges);
    *out = x;
    return SNT_OK;
}

static snt_status graph_convert(const snt__graph_version *version, uint32_t max_paths,
                                const snt_bounded_time *in, uint32_t to, snt_bounded_time *out,
                                snt_clock_report *report)
{
    snt__graph_paths paths;
    graph_answers answers;
    *report = (snt_clock_report){.to = to};
    const uint32_t from_index = snt__graph_domain(version, in->domain);
    const uint32_t to_index = snt__graph_domain(version, to);
    if (from_index == UINT32_MAX || to_index == UINT32_MAX)
        return report->status = SNT_ERR_NOT_FOUND;
    if (from_index == to_index) {
        *out = *in;
        return SNT_OK;
    }
    snt__graph_search(version, from_index, to_index, max_paths, &paths);
    report->truncated = paths.truncated;
    if (paths.count == 0)
        return report->status = SNT_ERR_NOT_CONNECTED;
    answers.version = version;
    answers.count = 0;
    for (uint32_t i = 0; i < paths.count; i++) {
        uint32_t blocked_edge;
        graph_answer *answer = &answers.list[answers.count];
        const snt_status status = graph_follow(version, &paths.list[i], in, &answer->time, &blocked_edge);
        if (status == SNT_OK) {
            answer->path = &paths.list[i];
            answers.count++;
        } else if (report->blocked++ == 0) {
            report->blocked_edge = blocked_edge;
            report->blocked_status = status;
        }
    }
    report->paths = answers.count;
    if (answers.count == 0)
        return report->status = report->blocked_status;
    return graph_agree(&answers, out, report);
}

snt_status snt_clock_graph_convert(const snt_clock_graph *graph, const snt_bounded_time *in, uint32_t to,
                                   snt_bounded_time *out, snt_clock_report *report)
{
    uint32_t slot;
    snt_clock_report made = {.to = to, .status = SNT_BUSY};
    snt_bounded_time x;
    if (!graph || !in || !out)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt_bounded_time_check(in);
    if (status < 0)
        return status;
    const snt__graph_version *version = snt__graph_enter(graph, &slot);
    status = SNT_BUSY;
    if (version) {
        status = graph_convert(version, graph->max_paths, in, to, &x, &made);
        snt__graph_leave(graph, slot);
    }
    if (status == SNT_OK)
        *out = x;
    if (report)
        *report = made;
    return status;
}

snt_status snt_clock_graph_convert_many(const snt_clock_graph *graph, const snt_bounded_time *in,
                                        uint64_t count, uint32_t to, snt_bounded_time *out,
                                        snt_status *statuses)
{
    snt_status first = SNT_OK;
    if (!graph || (count && (!in || !out)))
        return SNT_ERR_INVALID_ARG;
    for (uint64_t i = 0; i < count; i++) {
        const snt_status status = snt_clock_graph_convert(graph, &in[i], to, &out[i], NULL);
        snt__keep_outcome(status, i, statuses, &first);
    }
    return first;
}

snt_status snt_clock_graph_check(const snt_clock_graph *graph, const snt_bounded_time *at,
                                 snt_clock_report *report)
{
    uint32_t slot;
    snt_clock_report made = {0};
    snt_bounded_time x;
    if (!graph || !at)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt_bounded_time_check(at);
    if (status < 0)
        return status;
    const snt__graph_version *version = snt__graph_enter(graph, &slot);
    if (!version)
        return SNT_BUSY;
    status = snt__graph_domain(version, at->domain) == UINT32_MAX ? SNT_ERR_NOT_FOUND : SNT_OK;
    for (uint32_t i = 0; i < version->domain_count && status == SNT_OK; i++)
        if (graph_convert(version, graph->max_paths, at, version->domains[i], &x, &made) == SNT_ERR_CONFLICT)
            status = SNT_ERR_CONFLICT;
    snt__graph_leave(graph, slot);
    if (report && status != SNT_ERR_NOT_FOUND)
        *report = made;
    return status;
}

/* ---- the report in words ---- */

static void graph_put_path(snt__printer *text, const uint32_t *ids, uint32_t count)
{
    snt__print_string(text, count == 1 ? "edge" : "edges");
    for (uint32_t i = 0; i < count && i < SNT_CLOCK_GRAPH_HOPS; i++) {
        snt__print_char(text, ' ');
        snt__print_unsigned(text, ids[i]);
    }
}

static void graph_put_conflict(snt__printer *text, const snt_clock_report *r)
{
    graph_put_path(text, r->a_edges, r->a_count);
    snt__print_string(text, " against ");
    graph_put_path(text, r->b_edges, r->b_count);
    snt__print_string(text, ": ");
    snt__print_seconds(text, r->difference_ns);
    snt__print_string(text, " s apart, at least ");
    snt__print_seconds(text, r->gap_ns);
    snt__print_string(text, " s of it wrong");
    if (r->constant != SNT_LOOKS_SAME) {
        snt__print_string(text, "; as if ");
        snt__print_string(text, snt_clock_kind_text(r->constant));
    }
    if (r->suspect_edge) {
        snt__print_string(text, "; without ");
        graph_put_path(text, &r->suspect_edge, 1);
        snt__print_string(text, " the others agree");
    }
}

snt_status snt_clock_report_format(const snt_clock_report *report, char *out, size_t size)
{
    if (!report || !out)
        return SNT_ERR_INVALID_ARG;
    snt__printer text = snt__print_begin(out, size);
    snt__print_string(&text, snt_status_text(report->status));
    snt__print_string(&text, ": ");
    if (report->status == SNT_ERR_CONFLICT) {
        graph_put_conflict(&text, report);
    } else {
        snt__print_unsigned(&text, report->paths);
        snt__print_string(&text, " of ");
        snt__print_unsigned(&text, (uint64_t)report->paths + report->blocked);
        snt__print_string(&text, " paths");
        snt__print_string(&text, report->paths == 1 ? " answers" : " answer");
        if (report->paths) {
            snt__print_string(&text, ", the best over ");
            graph_put_path(&text, report->a_edges, report->a_count);
        }
    }
    if (report->blocked) {
        snt__print_string(&text, "; ");
        graph_put_path(&text, &report->blocked_edge, 1);
        snt__print_string(&text, ": ");
        snt__print_string(&text, snt_status_text(report->blocked_status));
    }
    return snt__print_end(&text);
}
