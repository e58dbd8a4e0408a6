/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan from a path of a transform buffer: one batch of lookups at even times over the scan and at the reference. Where the
 * path does not answer at the ends, the exact limit of its knowledge is found by bisection; silence in between is a hole.
 */
#include "plan.h"

#include "sensortime/tf_buffer.h"

enum { PATH_BATCH = 64 };

static const snt_duration path_spacing_ns = 2 * SNT_NS_PER_MS;

/* A question at any time, as the scan would have it answered. */
static snt_tf_question path_question(const snt_deskew_scan *scan)
{
    snt_tf_question question;
    snt_tf_question_init(&question, sizeof question);
    question.domain = scan->domain;
    question.max_gap_ns = scan->max_gap_ns;
    return question;
}

/* Times to ask for: the reference if it lies before, the scan every `spacing`, its end, the reference if after. */
static uint32_t path_times(snt_deskew *plan, snt_duration spacing, uint32_t room)
{
    const snt_deskew_scan *scan = &plan->scan;
    const int64_t inner = (scan->end_ns - scan->begin_ns) / spacing;
    uint32_t n = 0;
    if (inner > (int64_t)room - 4)
        return 0;
    if (plan->reference_ns < scan->begin_ns)
        plan->pieces[n++] = (snt__deskew_piece){.begin = plan->reference_ns};
    for (int64_t i = 0; i <= inner; i++)
        plan->pieces[n++] = (snt__deskew_piece){.begin = scan->begin_ns + i * spacing};
    if (plan->pieces[n - 1].begin < scan->end_ns)
        plan->pieces[n++] = (snt__deskew_piece){.begin = scan->end_ns};
    if (plan->reference_ns > scan->end_ns)
        plan->pieces[n++] = (snt__deskew_piece){.begin = plan->reference_ns};
    return n;
}

/* Ask for all of them and keep those that were answered; a hole follows a kept one whose successor was not. */
static uint32_t path_ask(snt_deskew *plan, const snt_tf_path *path, const snt_tf_question *question,
                         uint32_t n, snt_status *first_failure, snt_time silent[2])
{
    uint32_t kept = 0;
    silent[0] = SNT_TIME_INFINITE_PAST;
    silent[1] = SNT_TIME_INFINITE_FUTURE;
    for (uint32_t i = 0; i < n; i += PATH_BATCH) {
        const uint32_t batch = n - i < PATH_BATCH ? n - i : PATH_BATCH;
        snt_status statuses[PATH_BATCH];
        snt_time stamps[PATH_BATCH];
        snt_pose poses[PATH_BATCH];
        for (uint32_t k = 0; k < batch; k++)
            stamps[k] = plan->pieces[i + k].begin;
        const snt_status status =
            snt_tf_path_lookup_many(path, question, NULL, stamps, 0, batch, poses, 0, statuses, NULL);
        if (status < 0 && *first_failure == SNT_OK)
            *first_failure = status;
        if (status == SNT_ERR_INVALID_ARG)
            return 0;
        for (uint32_t k = 0; k < batch; k++) {
            if (statuses[k] == SNT_OK) {
                silent[1] = SNT_TIME_INFINITE_FUTURE;
                plan->pieces[kept++] = (snt__deskew_piece){.begin = stamps[k], .pose = poses[k]};
                continue;
            }
            if (kept)
                plan->pieces[kept - 1].hole = 1;
            else
                silent[0] = stamps[k];
            if (silent[1] == SNT_TIME_INFINITE_FUTURE)
                silent[1] = stamps[k];
        }
    }
    return kept;
}

/* Widest hole between the samples around any of the knots: what really bounds the interpolation. */
static double path_sample_gap(const snt_deskew *plan, const snt_tf_path *path, snt_tf_question *question,
                              uint32_t n)
{
    snt_duration widest = 0;
    snt_tf_cursor cursor; /* the knots ascend */
    snt_tf_cursor_init(&cursor);
    for (uint32_t i = 0; i < n; i++) {
        snt_tf_result result;
        question->t = plan->pieces[i].begin;
        if (snt_tf_path_ask(path, question, &cursor, &result, NULL) == SNT_OK && result.gap_ns > widest)
            widest = result.gap_ns;
    }
    return 1e-9 * (double)widest;
}

/* Nearest to `silent` that the path still answers, between it and `known`. */
static bool path_limit(const snt_tf_path *path, snt_tf_question *question, snt_time known, snt_time silent,
                       snt__deskew_piece *out)
{
    snt_tf_result result;
    bool found = false;
    while (known - silent > 1 || silent - known > 1) {
        question->t = known + (silent - known) / 2;
        if (snt_tf_path_ask(path, question, NULL, &result, NULL) != SNT_OK) {
            silent = question->t;
            continue;
        }
        known = question->t;
        *out = (snt__deskew_piece){.begin = known, .pose = result.pose};
        found = true;
    }
    return found;
}

/* Add the exact limits of what is known at both ends. */
static uint32_t path_extend(snt_deskew *plan, const snt_tf_path *path, snt_tf_question *question, uint32_t n,
                            const snt_time silent[2])
{
    snt__deskew_piece limit;
    if (silent[1] != SNT_TIME_INFINITE_FUTURE) {
        plan->pieces[n - 1].hole = 0;
        if (path_limit(path, question, plan->pieces[n - 1].begin, silent[1], &limit))
            plan->pieces[n++] = limit;
    }
    if (silent[0] != SNT_TIME_INFINITE_PAST &&
        path_limit(path, question, plan->pieces[0].begin, silent[0], &limit)) {
        memmove(&plan->pieces[1], &plan->pieces[0], n * sizeof *plan->pieces);
        plan->pieces[0] = limit;
        n++;
    }
    return n;
}

snt_status snt_deskew_plan_path(snt_deskew *plan, const snt_deskew_scan *scan, const snt_tf_path *path,
                                snt_duration spacing_ns, uint32_t method)
{
    const snt_status status = snt__deskew_plan_begin(plan, scan);
    if (status < 0)
        return status;
    if (!path || spacing_ns < 0 ||
        (method != SNT_INTERPOLATE_DEFAULT && method != SNT_INTERPOLATE_LINEAR &&
         method != SNT_INTERPOLATE_SCREW))
        return SNT_ERR_INVALID_ARG;
    snt_tf_question question = path_question(&plan->scan);
    const uint32_t asked =
        path_times(plan, spacing_ns ? spacing_ns : path_spacing_ns, plan->config.max_knots);
    if (!asked)
        return SNT_ERR_FULL;
    snt_status failure = SNT_OK;
    snt_time silent[2];
    uint32_t n = path_ask(plan, path, &question, asked, &failure, silent);
    if (!n) /* not one answer: say why */
        return failure < 0 ? failure : SNT_ERR_INVALID_STATE;
    n = path_extend(plan, path, &question, n, silent);
    plan->sample_gap_s = path_sample_gap(plan, path, &question, n);
    for (uint32_t i = 0; i < n; i++)
        snt__quat_renormalise(plan->pieces[i].pose.q);
    return snt__deskew_connect_knots(plan, n, method == SNT_INTERPOLATE_SCREW);
}
