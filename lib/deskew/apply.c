/* SPDX-License-Identifier: BSD-3-Clause */
/* Apply a plan: times, policies, kernel, flags, report; one block of points after the other. */
#include "apply.h"

static const snt_deskew_options apply_defaults = {.struct_size = sizeof(snt_deskew_options),
                                                  .count = UINT64_MAX};

void snt_deskew_options_init(snt_deskew_options *options, size_t size)
{
    snt__config_init(options, size, &apply_defaults, sizeof apply_defaults);
}

static const snt_deskew_times apply_times_defaults = {
    .struct_size = sizeof(snt_deskew_times), .kind = SNT_DESKEW_TIMES_TABLE, .direction = 1};

void snt_deskew_times_init(snt_deskew_times *times, size_t size)
{
    snt__config_init(times, size, &apply_times_defaults, sizeof apply_times_defaults);
}

snt_status snt__deskew_times_take(const snt_deskew_times *given, snt_deskew_times *out)
{
    *out = apply_times_defaults;
    return snt__config_read(out, sizeof *out, SNT_END_OF(snt_deskew_times, azimuth_start), given);
}

static uint32_t apply_count_bits(uint64_t bits)
{
#if SNT_GNU
    return (uint32_t)__builtin_popcountll(bits);
#else
    uint32_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
#endif
}

/* ---- begin ---- */

static int32_t apply_clip(const snt_deskew *plan, snt_time t)
{
    const int64_t d = snt__deskew_sub_sat(t, plan->origin_ns);
    return d > INT32_MAX - 1 ? INT32_MAX - 1 : d < -INT32_MAX + 1 ? -INT32_MAX + 1 : (int32_t)d;
}

static snt_status apply_read_options(snt__deskew_job *job, const snt_deskew_options *given)
{
    job->options = apply_defaults;
    snt_status status =
        snt__config_read(&job->options, sizeof job->options, SNT_END_OF(snt_deskew_options, times), given);
    if (status < 0)
        return status;
    snt_deskew_options *o = &job->options;
    if (o->first > job->in->count)
        return SNT_ERR_INVALID_ARG;
    if (o->count == UINT64_MAX)
        o->count = job->in->count - o->first;
    if (o->count > job->in->count - o->first)
        return SNT_ERR_INVALID_ARG;
    return snt__deskew_times_take(o->times, &job->times);
}

static snt_status apply_begin(snt__deskew_job *job, const snt_deskew *plan, const snt_cloud *in,
                              const snt_cloud *out, const snt_deskew_options *options)
{
    if (!plan || !in || !out)
        return SNT_ERR_INVALID_ARG;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    *job = (snt__deskew_job){.plan = plan, .in = in};
    snt_status status = snt_cloud_check(in);
    if (status >= 0 && out != in)
        status = snt_cloud_check(out);
    if (status < 0)
        return SNT_ERR_LAYOUT;
    status = apply_read_options(job, options);
    if (status >= 0)
        status = snt__deskew_coordinates_prepare(job, out);
    if (status >= 0)
        status = snt__deskew_times_prepare(job);
    if (status < 0)
        return status;
    job->scan_low = apply_clip(plan, plan->scan.begin_ns);
    job->scan_high = apply_clip(plan, plan->scan.end_ns);
    job->eval_low = apply_clip(plan, plan->eval_begin_ns);
    job->eval_high = apply_clip(plan, plan->eval_end_ns);
    job->known_low = apply_clip(plan, plan->known_begin_ns);
    job->known_high = apply_clip(plan, plan->known_end_ns);
    if (job->known_low < job->scan_low)
        job->known_low = job->scan_low;
    if (job->known_high > job->scan_high)
        job->known_high = job->scan_high;
    job->low = INT32_MAX;
    job->high = INT32_MIN;
    job->first = job->last = SNT__DESKEW_NO_TIME;
    job->report.reference_ns = plan->reference_ns;
    job->report.domain = plan->scan.domain;
    job->report.points = job->options.count;
    if (plan->flags & SNT_DESKEW_PLAN_IDENTITY)
        job->report.flags |= SNT_DESKEW_REPORT_IDENTITY;
    if (job->options.audit)
        job->report.flags |= SNT_DESKEW_REPORT_AUDITED;
    return SNT_OK;
}

/* ---- one block ---- */

static bool apply_is_calm(const snt__deskew_job *job, const int32_t range[2])
{
    return range[0] >= job->known_low && range[1] <= job->known_high && !job->plan->holes;
}

/* Neighbours in array order: jumps back, equal times, gaps. */
static void apply_audit(snt__deskew_job *job, const int32_t *t, size_t n)
{
    snt_deskew_report *r = &job->report;
    int32_t last = job->last;
    for (size_t i = 0; i < n; i++) {
        if (t[i] == SNT__DESKEW_NO_TIME)
            continue;
        if (last != SNT__DESKEW_NO_TIME) {
            const int64_t step = (int64_t)t[i] - (int64_t)last;
            r->negative_jumps += step < 0;
            r->equal_times += step == 0;
            const int64_t gap = step < 0 ? -step : step;
            r->max_gap_ns = gap > r->max_gap_ns ? gap : r->max_gap_ns;
        }
        last = t[i];
    }
}

/* First and last valid time in array order, least and greatest within the scan. */
static void apply_note_times(snt__deskew_job *job, const int32_t *t, size_t n, const int32_t range[2],
                             bool calm)
{
    if (job->options.audit)
        apply_audit(job, t, n);
    if (calm) {
        job->first = job->first == SNT__DESKEW_NO_TIME ? t[0] : job->first;
        job->last = t[n - 1];
        job->low = range[0] < job->low ? range[0] : job->low;
        job->high = range[1] > job->high ? range[1] : job->high;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (t[i] == SNT__DESKEW_NO_TIME)
            continue;
        job->first = job->first == SNT__DESKEW_NO_TIME ? t[i] : job->first;
        job->last = t[i];
        if (t[i] < job->scan_low || t[i] > job->scan_high)
            continue;
        job->low = t[i] < job->low ? t[i] : job->low;
        job->high = t[i] > job->high ? t[i] : job->high;
    }
}

static void apply_count_flags(snt_deskew_report *r, const uint8_t *flags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t f = flags[i];
        r->outside += (f & SNT_POINT_OUTSIDE) != 0;
        r->outlier += (f & SNT_POINT_OUTLIER) != 0;
        r->invalid_time += (f & SNT_POINT_INVALID_TIME) != 0;
        r->extrapolated += (f & SNT_POINT_EXTRAPOLATED) != 0;
        r->clamped += (f & SNT_POINT_CLAMPED) != 0;
        r->dropped += (f & SNT_POINT_DROPPED) != 0;
    }
}

/* Bits of points that are neither kept nor dropped and did not move: their coordinates are not finite. */
static void apply_finish_block(snt__deskew_job *job, uint64_t first, size_t n,
                               const uint64_t moved[SNT__DESKEW_WORDS],
                               const uint64_t spared[SNT__DESKEW_WORDS], const uint8_t *said)
{
    snt_deskew_report *r = &job->report;
    uint64_t bad[SNT__DESKEW_WORDS] = {0};
    for (size_t w = 0; w * 64 < n; w++) {
        const size_t left = n - w * 64 < 64 ? n - w * 64 : 64;
        const uint64_t here = UINT64_MAX >> (64 - left);
        if (SNT_LIKELY(moved[w] == here && !spared[w])) {
            r->moved += left;
            continue;
        }
        bad[w] = ~moved[w] & ~spared[w] & here;
        r->moved += apply_count_bits(moved[w] & ~spared[w]);
        r->non_finite += apply_count_bits(bad[w]);
    }
    if (said)
        apply_count_flags(r, said, n);
    if (!job->options.point_flags)
        return;
    const uint8_t always = job->time_source == SNT__DESKEW_FROM_AZIMUTH ? SNT_POINT_FROM_AZIMUTH : 0;
    uint8_t *flags = job->options.point_flags + first;
    for (size_t i = 0; i < n; i++)
        flags[i] = (uint8_t)((said ? said[i] : 0) | always |
                             ((bad[i / 64] >> (i % 64) & 1) ? SNT_POINT_NON_FINITE : 0));
}

static void apply_move(const snt__deskew_job *job, uint64_t first, size_t n, bool last, const int32_t *t,
                       uint64_t moved[SNT__DESKEW_WORDS])
{
    if (!(job->plan->flags & SNT_DESKEW_PLAN_IDENTITY)) {
        snt__deskew_coordinates_move(job, first, n, last, t, moved);
        return;
    }
    /* nothing moves: no coordinate is read; out of place they are copied, bit for bit */
    for (int k = 0; k < 3; k++) {
        const snt__deskew_axis *axis = &job->axis[k];
        if (axis->in == axis->out && axis->in_stride == axis->out_stride)
            continue;
        for (size_t i = 0; i < n; i++) {
            unsigned char value[8];
            snt__deskew_coordinates_load(axis, first + i, value);
            snt__deskew_coordinates_restore(axis, first + i, value);
        }
    }
    for (size_t w = 0; w < SNT__DESKEW_WORDS; w++)
        moved[w] = 0;
}

static void apply_mark(uint64_t bits[SNT__DESKEW_WORDS], const uint8_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bits[list[i] / 64] |= UINT64_C(1) << (list[i] % 64);
}

static void apply_stormy_block(snt__deskew_job *job, uint64_t first, size_t n, bool last, int32_t *t)
{
    snt__deskew_verdict verdict;
    unsigned char kept[SNT__DESKEW_BLOCK][3][8];
    uint64_t moved[SNT__DESKEW_WORDS] = {0}, spared[SNT__DESKEW_WORDS] = {0};
    snt__deskew_judge(job, t, n, &verdict);
    for (uint32_t i = 0; i < verdict.keep_count; i++)
        for (int k = 0; k < 3; k++)
            snt__deskew_coordinates_load(&job->axis[k], first + verdict.keep[i], kept[i][k]);
    apply_move(job, first, n, last, t, moved);
    for (uint32_t i = 0; i < verdict.keep_count; i++)
        for (int k = 0; k < 3; k++)
            snt__deskew_coordinates_restore(&job->axis[k], first + verdict.keep[i], kept[i][k]);
    for (uint32_t i = 0; i < verdict.drop_count; i++)
        for (int k = 0; k < 3; k++)
            snt__deskew_coordinates_drop(&job->axis[k], first + verdict.drop[i]);
    apply_mark(spared, verdict.keep, verdict.keep_count);
    apply_mark(spared, verdict.drop, verdict.drop_count);
    if (job->plan->flags & SNT_DESKEW_PLAN_IDENTITY)
        memset(spared, 0xff, sizeof spared);
    apply_finish_block(job, first, n, moved, spared, verdict.flags);
}

static void apply_block(snt__deskew_job *job, uint64_t first, size_t n, bool last)
{
    int32_t t[SNT__DESKEW_BLOCK], range[2];
    if (job->copy_from)
        memcpy(job->copy_to + first * job->copy_step, job->copy_from + first * job->copy_step,
               n * job->copy_step);
    snt__deskew_times_read(job, first, n, t, range);
    const bool calm = apply_is_calm(job, range);
    apply_note_times(job, t, n, range, calm);
    if (!calm) {
        apply_stormy_block(job, first, n, last, t);
        return;
    }
    uint64_t moved[SNT__DESKEW_WORDS], spared[SNT__DESKEW_WORDS] = {0};
    apply_move(job, first, n, last, t, moved);
    if (job->plan->flags & SNT_DESKEW_PLAN_IDENTITY)
        memset(spared, 0xff, sizeof spared);
    apply_finish_block(job, first, n, moved, spared, NULL);
}

/* ---- all blocks ---- */

/* A policy that fails must do so before the first coordinate is written. */
static snt_status apply_rehearse(const snt__deskew_job *job)
{
    const snt_deskew_scan *scan = &job->plan->scan;
    if (scan->outside != SNT_DESKEW_FAIL && scan->outlier != SNT_DESKEW_FAIL &&
        scan->invalid_time != SNT_DESKEW_FAIL)
        return SNT_OK;
    for (uint64_t i = 0; i < job->options.count; i += SNT__DESKEW_BLOCK) {
        int32_t t[SNT__DESKEW_BLOCK], range[2];
        snt__deskew_verdict verdict;
        const uint64_t left = job->options.count - i;
        const size_t n = left < SNT__DESKEW_BLOCK ? (size_t)left : SNT__DESKEW_BLOCK;
        snt__deskew_times_read(job, job->options.first + i, n, t, range);
        if (apply_is_calm(job, range))
            continue;
        snt__deskew_judge(job, t, n, &verdict);
        if (verdict.fails < 0)
            return verdict.fails;
    }
    return SNT_OK;
}

static void apply_close_report(snt__deskew_job *job, snt_deskew_report *report)
{
    snt_deskew_report *r = &job->report;
    const snt_deskew *plan = job->plan;
    const snt_time origin = plan->origin_ns;
    const bool any = job->low <= job->high, valid = job->first != SNT__DESKEW_NO_TIME;
    r->begin_ns = any ? origin + job->low : SNT_UNKNOWN;
    r->end_ns = any ? origin + job->high : SNT_UNKNOWN;
    r->first_ns = valid ? origin + job->first : SNT_UNKNOWN;
    r->last_ns = valid ? origin + job->last : SNT_UNKNOWN;
    const bool knots = plan->known_begin_ns != SNT_TIME_INFINITE_PAST;
    r->start_margin_ns = any && knots ? snt__deskew_sub_sat(r->begin_ns, plan->known_begin_ns) : SNT_UNKNOWN;
    r->end_margin_ns = any && knots ? snt__deskew_sub_sat(plan->known_end_ns, r->end_ns) : SNT_UNKNOWN;
    if (any && job->low == job->high && r->points > 1)
        r->flags |= SNT_DESKEW_REPORT_NO_SPREAD;
    if (report)
        *report = *r;
}

static void apply_run(snt__deskew_job *job, snt_deskew_report *report)
{
    const uint64_t end = job->options.first + job->options.count;
    for (uint64_t i = job->options.first; i < end; i += job->block) {
        const size_t n = end - i < job->block ? (size_t)(end - i) : job->block;
        apply_block(job, i, n, i + n == end);
    }
    apply_close_report(job, report);
}

snt_status snt_deskew_apply_with(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                                 const snt_deskew_options *options, snt_deskew_report *report)
{
    snt__deskew_job job;
    snt_status status = apply_begin(&job, plan, in, out, options);
    if (status >= 0)
        status = apply_rehearse(&job);
    if (status >= 0)
        apply_run(&job, report);
    return status;
}

snt_status snt_deskew_apply(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                            snt_deskew_report *report)
{
    return snt_deskew_apply_with(plan, in, out, NULL, report);
}

/* A field inside the record becomes the same field of the copy. */
static bool apply_to_copy(snt_field *field, const unsigned char *records, unsigned char *copy, uint64_t step)
{
    const uintptr_t at = (uintptr_t)field->data, base = (uintptr_t)records;
    if (field->stride < 0 || (uint64_t)field->stride != step || at < base || at - base >= step ||
        snt_type_size(field->type) > step - (at - base))
        return false;
    field->data = copy + (at - base);
    return true;
}

snt_status snt_deskew_apply_copy(const snt_deskew *plan, const snt_cloud *cloud, const void *records,
                                 void *out_records, uint64_t step, const snt_deskew_options *options,
                                 snt_deskew_report *report)
{
    if (!plan || !cloud || (cloud->count && (!records || !out_records)))
        return SNT_ERR_INVALID_ARG;
    if (!step || step > PTRDIFF_MAX || (cloud->count && cloud->count > PTRDIFF_MAX / step))
        return SNT_ERR_LAYOUT;
    snt_cloud copy = *cloud;
    unsigned char *to = out_records;
    if (cloud->count &&
        (!apply_to_copy(&copy.x, records, to, step) || !apply_to_copy(&copy.y, records, to, step) ||
         !apply_to_copy(&copy.z, records, to, step)))
        return SNT_ERR_LAYOUT;
    snt__deskew_job job;
    /* times are read from the original, coordinates moved in the copy */
    snt_status status = apply_begin(&job, plan, cloud, &copy, options);
    if (status >= 0)
        status = apply_rehearse(&job);
    if (status < 0)
        return status;
    for (int k = 0; k < 3; k++) {
        job.axis[k].in = job.axis[k].out;
        job.axis[k].in_stride = job.axis[k].out_stride;
    }
    if (job.block > SNT__DESKEW_BLOCK / 2) /* original and copy share the cache */
        job.block = SNT__DESKEW_BLOCK / 2;
    job.aos_flags = 0; /* what follows in the copy is still to be written: nothing to fetch */
    job.copy_from = records;
    job.copy_to = to;
    job.copy_step = (size_t)step;
    apply_run(&job, report);
    return SNT_OK;
}

/* ---- reports of ranges ---- */

static snt_time apply_least(snt_time a, snt_time b)
{
    return a == SNT_UNKNOWN || (b != SNT_UNKNOWN && b < a) ? b : a;
}

static snt_time apply_greatest(snt_time a, snt_time b)
{
    return a == SNT_UNKNOWN || (b != SNT_UNKNOWN && b > a) ? b : a;
}

static void apply_join_times(snt_deskew_report *left, const snt_deskew_report *right)
{
    if ((left->flags & right->flags & SNT_DESKEW_REPORT_AUDITED) && left->last_ns != SNT_UNKNOWN &&
        right->first_ns != SNT_UNKNOWN) {
        const int64_t step = right->first_ns - left->last_ns, gap = step < 0 ? -step : step;
        left->negative_jumps += step < 0;
        left->equal_times += step == 0;
        left->max_gap_ns = gap > left->max_gap_ns ? gap : left->max_gap_ns;
    }
    left->max_gap_ns = right->max_gap_ns > left->max_gap_ns ? right->max_gap_ns : left->max_gap_ns;
    left->first_ns = left->first_ns == SNT_UNKNOWN ? right->first_ns : left->first_ns;
    left->last_ns = right->last_ns == SNT_UNKNOWN ? left->last_ns : right->last_ns;
    left->begin_ns = apply_least(left->begin_ns, right->begin_ns);
    left->end_ns = apply_greatest(left->end_ns, right->end_ns);
    /* margins shrink with the widest range; SNT_UNKNOWN is the greatest number there is */
    if (right->start_margin_ns < left->start_margin_ns)
        left->start_margin_ns = right->start_margin_ns;
    if (right->end_margin_ns < left->end_margin_ns)
        left->end_margin_ns = right->end_margin_ns;
}

snt_status snt_deskew_report_merge(snt_deskew_report *left, const snt_deskew_report *right)
{
    if (!left || !right)
        return SNT_ERR_INVALID_ARG;
    apply_join_times(left, right);
    left->points += right->points;
    left->moved += right->moved;
    left->outside += right->outside;
    left->outlier += right->outlier;
    left->invalid_time += right->invalid_time;
    left->non_finite += right->non_finite;
    left->extrapolated += right->extrapolated;
    left->clamped += right->clamped;
    left->dropped += right->dropped;
    left->negative_jumps += right->negative_jumps;
    left->equal_times += right->equal_times;
    const uint32_t spread = SNT_DESKEW_REPORT_NO_SPREAD;
    left->flags = (left->flags | right->flags) & ~spread;
    if (left->points > 1 && left->begin_ns != SNT_UNKNOWN && left->begin_ns == left->end_ns)
        left->flags |= spread;
    return SNT_OK;
}
