/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan's life: create, check a scan, fill the pieces of motion, finish. */
#include "plan.h"

#define PLAN_MAX_REFERENCE_S 1e9

static const snt_deskew_config plan_defaults = {.struct_size = sizeof(snt_deskew_config),
                                                .max_segments = 1024,
                                                .max_knots = 2048,
                                                .kernel = SNT_KERNEL_AUTO,
                                                .tolerance_m = 1e-6,
                                                .range_m = 200};

static const snt_deskew_scan plan_scan_defaults = {.struct_size = sizeof(snt_deskew_scan),
                                                   .max_gap_ns = 250 * SNT_NS_PER_MS,
                                                   .extrapolation_ns = 20 * SNT_NS_PER_MS,
                                                   .outside = SNT_DESKEW_CLAMP,
                                                   .outlier = SNT_DESKEW_KEEP,
                                                   .invalid_time = SNT_DESKEW_KEEP,
                                                   .T_body_sensor = {{0, 0, 0, 1}, {0, 0, 0}}};

_Static_assert(sizeof(snt_deskew_info) == 128, "frozen");
_Static_assert(sizeof(snt_deskew_bound) == 80, "frozen");
_Static_assert(sizeof(snt_deskew_report) == 168, "frozen");
_Static_assert(sizeof(snt_imu_state) == 144, "frozen");

void snt_deskew_config_init(snt_deskew_config *config, size_t size)
{
    snt__config_init(config, size, &plan_defaults, sizeof plan_defaults);
}

void snt_deskew_scan_init(snt_deskew_scan *scan, size_t size)
{
    snt__config_init(scan, size, &plan_scan_defaults, sizeof plan_scan_defaults);
}

static snt_status plan_read_config(const snt_deskew_config *given, snt_deskew_config *config)
{
    *config = plan_defaults;
    const snt_status status =
        snt__config_read(config, sizeof *config, SNT_END_OF(snt_deskew_config, range_m), given);
    if (status < 0)
        return status;
    if (config->max_segments < 1 || config->max_segments > 32768 || config->max_knots < 2 ||
        config->max_knots > 65536 || !(config->tolerance_m > 0) || !(config->range_m > 0) ||
        !snt__is_finite(config->tolerance_m) || !snt__is_finite(config->range_m))
        return SNT_ERR_RANGE;
    return SNT_OK;
}

/* The slab, walked once for its size and once to hand out its parts. */
static snt_deskew *plan_lay_out(const snt_deskew_config *config, snt__slab *slab)
{
    snt_deskew *plan = snt__slab_take(slab, 1, sizeof *plan, SNT_CACHE_LINE);
    snt__deskew_segment *segments =
        snt__slab_take(slab, config->max_segments, sizeof *segments, SNT_CACHE_LINE);
    snt__deskew_tile *tiles =
        snt__slab_take(slab, config->max_segments / SNT__DESKEW_TILE + 2, sizeof *tiles, SNT_CACHE_LINE);
    int32_t *begin = snt__slab_take(slab, (size_t)config->max_segments + 1, sizeof *begin, SNT_CACHE_LINE);
    int32_t *mid = snt__slab_take(slab, config->max_segments, sizeof *mid, SNT_CACHE_LINE);
    uint16_t *slot =
        snt__slab_take(slab, SNT__DESKEW_SLOTS + SNT__DESKEW_WINDOW, sizeof *slot, SNT_CACHE_LINE);
    snt__deskew_piece *pieces = snt__slab_take(slab, config->max_knots, sizeof *pieces, SNT_CACHE_LINE);
    if (!slab->base)
        return NULL;
    plan->segments = segments;
    plan->tiles = tiles;
    plan->begin = begin;
    plan->mid = mid;
    plan->slot = slot;
    plan->pieces = pieces;
    plan->table = (snt__deskew_table){.segments = segments, .begin = begin, .mid = mid, .slot = slot};
    return plan;
}

snt_status snt_deskew_size(const snt_deskew_config *config, uint64_t *size)
{
    snt_deskew_config read;
    if (!size)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = plan_read_config(config, &read);
    if (status < 0)
        return status;
    snt__slab slab = {NULL, 0};
    plan_lay_out(&read, &slab);
    *size = slab.used;
    return SNT_OK;
}

snt_status snt_deskew_create(const snt_deskew_config *config, const snt_allocator *allocator,
                             snt_deskew **out)
{
    snt_deskew_config read;
    snt_allocator memory;
    snt__deskew_kernel kernel;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_status status = plan_read_config(config, &read);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    if (!snt__deskew_kernel_get(read.kernel, &kernel))
        return SNT_ERR_UNSUPPORTED;
    snt__slab slab = {NULL, 0};
    plan_lay_out(&read, &slab);
    slab.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE);
    if (!slab.base)
        return SNT_ERR_NO_MEMORY;
    slab.used = 0;
    snt_deskew *plan = plan_lay_out(&read, &slab);
    plan->allocator = memory;
    plan->config = read;
    plan->kernel = kernel;
    *out = plan;
    return SNT_OK;
}

void snt_deskew_destroy(snt_deskew *plan)
{
    if (!plan)
        return;
    const snt_allocator memory = plan->allocator;
    snt__free(&memory, plan);
}

/* ---- the scan ---- */

static bool plan_is_zero(const snt_pose *pose)
{
    static const snt_pose zero;
    return memcmp(pose, &zero, sizeof zero) == 0;
}

/* A unit quaternion and finite translation, the all-zero pose standing for the identity. */
static snt_status plan_take_pose(const snt_pose *in, snt_pose *out)
{
    snt_pose pose = *in;
    if (plan_is_zero(in)) {
        snt_pose_identity(out);
        return SNT_OK;
    }
    if (!snt__all_finite(pose.t, 3))
        return SNT_ERR_NON_FINITE;
    const snt_status status = snt_quaternion_normalise(in->q, 0, pose.q);
    if (status < 0)
        return status;
    *out = pose;
    return SNT_OK;
}

static snt_status plan_check_scan(const snt_deskew_scan *scan)
{
    if (scan->reference > SNT_REF_AT || scan->output > SNT_DESKEW_OUTPUT_FIXED || scan->inverse > 1 ||
        scan->outside > SNT_DESKEW_FAIL || scan->outlier > SNT_DESKEW_FAIL ||
        scan->outlier == SNT_DESKEW_EXTRAPOLATE || scan->invalid_time > SNT_DESKEW_FAIL ||
        scan->invalid_time < SNT_DESKEW_KEEP)
        return SNT_ERR_INVALID_ARG;
    if (scan->end_ns < scan->begin_ns || scan->clock_bound_ns < 0 || scan->max_gap_ns < 0 ||
        scan->extrapolation_ns < 0)
        return SNT_ERR_INVALID_ARG;
    const double declared[4] = {scan->max_acceleration, scan->max_angular_acceleration, scan->rate_error,
                                scan->velocity_error};
    for (int i = 0; i < 4; i++) {
        if (!snt__is_finite(declared[i]))
            return SNT_ERR_NON_FINITE;
        if (declared[i] < 0)
            return SNT_ERR_INVALID_ARG;
    }
    /* far from both ends of int64, so that no later sum of a few seconds can overflow */
    if (scan->begin_ns < INT64_MIN / 2 || scan->end_ns > INT64_MAX / 2 ||
        scan->end_ns - scan->begin_ns > SNT__DESKEW_SPAN_MAX)
        return SNT_ERR_RANGE;
    return SNT_OK;
}

static snt_time plan_reference_of(const snt_deskew_scan *scan)
{
    switch (scan->reference) {
    case SNT_REF_START:
        return scan->begin_ns;
    case SNT_REF_MID:
        return scan->begin_ns + (scan->end_ns - scan->begin_ns) / 2;
    case SNT_REF_END:
        return scan->end_ns;
    default:
        return scan->reference_ns;
    }
}

snt_status snt__deskew_plan_begin(snt_deskew *plan, const snt_deskew_scan *given)
{
    if (!plan || !given)
        return SNT_ERR_INVALID_ARG;
    plan->ready = 0;
    snt_deskew_scan scan = plan_scan_defaults;
    snt_status status =
        snt__config_read(&scan, sizeof scan, SNT_END_OF(snt_deskew_scan, T_body_sensor), given);
    if (status >= 0)
        status = plan_check_scan(&scan);
    if (status >= 0)
        status = plan_take_pose(&scan.T_body_sensor, &scan.T_body_sensor);
    if (status < 0)
        return status;
    plan->scan = scan;
    plan->reference_ns = plan_reference_of(&scan);
    if (fabs(snt__deskew_seconds(plan->reference_ns, scan.begin_ns)) > PLAN_MAX_REFERENCE_S)
        return SNT_ERR_RANGE;
    plan->origin_ns = scan.begin_ns + (scan.end_ns - scan.begin_ns) / 2;
    plan->moving_sensor = scan.T_body_sensor;
    plan->flags = 0;
    plan->holes = 0;
    plan->knots = 0;
    plan->interpolated = 0;
    plan->from_rates = 0;
    plan->knot_spacing_s = 0;
    plan->sample_gap_s = 0;
    plan->estimated_acceleration = plan->estimated_angular_acceleration = 0;
    return SNT_OK;
}

/* Bring the output frame in, restrict to what the policy allows, cut into segments. */
snt_status snt__deskew_plan_finish(snt_deskew *plan)
{
    const snt_deskew_scan *scan = &plan->scan;
    const snt_duration reach = scan->outside == SNT_DESKEW_EXTRAPOLATE ? scan->extrapolation_ns : 0;
    const snt_time low = snt__deskew_add_sat(plan->known_begin_ns, -reach);
    const snt_time high = snt__deskew_add_sat(plan->known_end_ns, reach);
    if (scan->end_ns < low)
        return SNT_ERR_PAST;
    if (scan->begin_ns > high)
        return SNT_ERR_FUTURE;
    plan->eval_begin_ns = scan->begin_ns > low ? scan->begin_ns : low;
    plan->eval_end_ns = scan->end_ns < high ? scan->end_ns : high;
    if (plan->known_begin_ns > scan->begin_ns || plan->known_end_ns < scan->end_ns || plan->holes)
        plan->flags |= SNT_DESKEW_PLAN_PARTIAL;

    snt_pose identity, moving, sensor;
    snt_pose_identity(&identity);
    plan->output_fixed = identity;
    snt_time reference = plan->reference_ns;
    if (reference < plan->known_begin_ns || reference > plan->known_end_ns)
        plan->flags |= SNT_DESKEW_PLAN_REFERENCE_OUTSIDE;
    reference = reference < low ? low : reference > high ? high : reference;
    if (scan->output == SNT_DESKEW_OUTPUT_SENSOR) {
        snt__deskew_piece_pose(&plan->pieces[snt__deskew_piece_at(plan, reference)], reference, &moving);
        snt__pose_compose(&moving, &plan->moving_sensor, &sensor);
        snt__pose_inverse(&sensor, &plan->output_fixed);
    }
    const snt_status status = snt__deskew_build_segments(plan);
    plan->ready = status >= 0;
    return status;
}

/* ---- twist ---- */

snt_status snt_deskew_plan_twist(snt_deskew *plan, const snt_deskew_scan *scan, const snt_twist *twist)
{
    const snt_status status = snt__deskew_plan_begin(plan, scan);
    if (status < 0)
        return status;
    if (!twist)
        return SNT_ERR_INVALID_ARG;
    if (!snt__all_finite(twist->v, 3) || !snt__all_finite(twist->w, 3))
        return SNT_ERR_NON_FINITE;
    snt__deskew_piece *piece = plan->pieces;
    *piece = (snt__deskew_piece){.begin = plan->reference_ns, .screw = 1};
    snt_pose_identity(&piece->pose);
    memcpy(piece->v, twist->v, sizeof piece->v);
    memcpy(piece->w, twist->w, sizeof piece->w);
    plan->piece_count = 1;
    plan->known_begin_ns = SNT_TIME_INFINITE_PAST;
    plan->known_end_ns = SNT_TIME_INFINITE_FUTURE;
    return snt__deskew_plan_finish(plan);
}

/* ---- knots ---- */

typedef struct plan_knots {
    const unsigned char *stamps, *poses;
    uint64_t stamp_stride, pose_stride, count;
} plan_knots;

static snt_time plan_stamp(const plan_knots *knots, uint64_t i)
{
    snt_time t;
    memcpy(&t, knots->stamps + i * knots->stamp_stride, sizeof t);
    return t;
}

/* First knot that matters: the last at or before both the scan and the reference, less one for the estimate of motion. */
static uint64_t plan_first_knot(const plan_knots *knots, snt_time low)
{
    uint64_t i = 0;
    while (i + 1 < knots->count && plan_stamp(knots, i + 1) <= low)
        i++;
    return i;
}

static snt_status plan_check_stamps(const plan_knots *knots)
{
    for (uint64_t i = 1; i < knots->count; i++) {
        const snt_time a = plan_stamp(knots, i - 1), b = plan_stamp(knots, i);
        if (b <= a)
            return b == a ? SNT_ERR_DUPLICATE : SNT_ERR_BACKWARD;
    }
    if (plan_stamp(knots, 0) < INT64_MIN / 2 || plan_stamp(knots, knots->count - 1) > INT64_MAX / 2)
        return SNT_ERR_RANGE;
    return SNT_OK;
}

/* Motion of a piece from its own pose to the next one's. */
static void plan_connect(snt__deskew_piece *piece, const snt_pose *next, double seconds, bool screw)
{
    snt_pose between;
    snt_twist twist;
    snt__pose_between(&piece->pose, next, &between);
    piece->screw = screw;
    if (screw) {
        snt_pose_log(&between, seconds, &twist);
        memcpy(piece->v, twist.v, sizeof piece->v);
        memcpy(piece->w, twist.w, sizeof piece->w);
        return;
    }
    snt__rotation_log(between.q, piece->w);
    for (int i = 0; i < 3; i++) {
        piece->w[i] /= seconds;
        piece->v[i] = (next->t[i] - piece->pose.t[i]) / seconds;
    }
}

/* Changes of twist from piece to piece: how much the true motion seems to accelerate. */
static void plan_estimate(snt_deskew *plan)
{
    for (uint32_t i = 0; i + 1 < plan->piece_count; i++) {
        const snt__deskew_piece *a = &plan->pieces[i], *b = a + 1;
        const snt_time end = i + 2 < plan->piece_count ? plan->pieces[i + 2].begin : plan->known_end_ns;
        const double seconds = 0.5 * snt__deskew_seconds(end, a->begin);
        double dv[3], dw[3];
        if (!(seconds > 0))
            continue;
        for (int k = 0; k < 3; k++) {
            dv[k] = (b->v[k] - a->v[k]) / seconds;
            dw[k] = (b->w[k] - a->w[k]) / seconds;
        }
        const double v = snt__norm3(dv), w = snt__norm3(dw);
        if (v > plan->estimated_acceleration)
            plan->estimated_acceleration = v;
        if (w > plan->estimated_angular_acceleration)
            plan->estimated_angular_acceleration = w;
    }
}

void snt__deskew_note_gap(snt_deskew *plan, snt__deskew_piece *piece, snt_time next)
{
    const snt_duration gap = next - piece->begin;
    const double seconds = 1e-9 * (double)gap;
    if (seconds > plan->knot_spacing_s)
        plan->knot_spacing_s = seconds;
    /* a hole that was seen elsewhere stays one */
    piece->hole = piece->hole || (plan->scan.max_gap_ns && gap > plan->scan.max_gap_ns);
    plan->holes += piece->hole && next > plan->scan.begin_ns && piece->begin < plan->scan.end_ns;
}

snt_status snt__deskew_connect_knots(snt_deskew *plan, uint32_t n, bool screw)
{
    plan->known_begin_ns = plan->pieces[0].begin;
    plan->known_end_ns = plan->pieces[n - 1].begin;
    plan->knots = n;
    for (uint32_t i = 0; i + 1 < n; i++) {
        const double seconds = snt__deskew_seconds(plan->pieces[i + 1].begin, plan->pieces[i].begin);
        plan_connect(&plan->pieces[i], &plan->pieces[i + 1].pose, seconds, screw);
        snt__deskew_note_gap(plan, &plan->pieces[i], plan->pieces[i + 1].begin);
    }
    plan->piece_count = n > 1 ? n - 1 : 1; /* the last knot only ends a piece */
    plan->interpolated = n > 1;
    plan_estimate(plan);
    return snt__deskew_plan_finish(plan);
}

static snt_status plan_from_knots(snt_deskew *plan, const plan_knots *knots, bool screw)
{
    const snt_deskew_scan *scan = &plan->scan;
    const snt_time low = scan->begin_ns < plan->reference_ns ? scan->begin_ns : plan->reference_ns;
    const snt_time high = scan->end_ns > plan->reference_ns ? scan->end_ns : plan->reference_ns;
    uint64_t first = scan->output == SNT_DESKEW_OUTPUT_SENSOR ? plan_first_knot(knots, low)
                                                              : plan_first_knot(knots, scan->begin_ns);
    if (first + 1 == knots->count && first > 0)
        first--; /* beyond the last knot only the last interval tells how to go on */
    uint32_t n = 0;
    for (uint64_t i = first; i < knots->count; i++) {
        if (n == plan->config.max_knots)
            return SNT_ERR_FULL;
        snt__deskew_piece *piece = &plan->pieces[n++];
        snt_pose raw;
        memcpy(&raw, knots->poses + i * knots->pose_stride, sizeof raw);
        *piece = (snt__deskew_piece){.begin = plan_stamp(knots, i)};
        const snt_status status = snt_pose_check(&raw, 0);
        if (status < 0)
            return status;
        piece->pose = raw;
        snt__quat_renormalise(piece->pose.q);
        if (n > 1 && piece->begin >= high)
            break;
    }
    return snt__deskew_connect_knots(plan, n, screw);
}

snt_status snt_deskew_plan_knots(snt_deskew *plan, const snt_deskew_scan *scan, const void *stamps,
                                 uint64_t stamp_stride, const void *poses, uint64_t pose_stride,
                                 uint64_t count, uint32_t method)
{
    snt_status status = snt__deskew_plan_begin(plan, scan);
    if (status < 0)
        return status;
    if (!stamps || !poses || !count || (stamp_stride && stamp_stride < sizeof(snt_time)) ||
        (pose_stride && pose_stride < sizeof(snt_pose)))
        return SNT_ERR_INVALID_ARG;
    if (method != SNT_INTERPOLATE_DEFAULT && method != SNT_INTERPOLATE_LINEAR &&
        method != SNT_INTERPOLATE_SCREW)
        return SNT_ERR_INVALID_ARG;
    const plan_knots knots = {.stamps = stamps,
                              .poses = poses,
                              .stamp_stride = stamp_stride ? stamp_stride : sizeof(snt_time),
                              .pose_stride = pose_stride ? pose_stride : sizeof(snt_pose),
                              .count = count};
    status = plan_check_stamps(&knots);
    if (status < 0)
        return status;
    return plan_from_knots(plan, &knots, method == SNT_INTERPOLATE_SCREW);
}

snt_status snt_deskew_plan_two_poses(snt_deskew *plan, const snt_deskew_scan *scan, snt_time a_ns,
                                     const snt_pose *a, snt_time b_ns, const snt_pose *b, uint32_t method)
{
    if (!a || !b)
        return snt_deskew_plan_knots(plan, scan, NULL, 0, NULL, 0, 0, method);
    const snt_time stamps[2] = {a_ns, b_ns};
    const snt_pose poses[2] = {*a, *b};
    return snt_deskew_plan_knots(plan, scan, stamps, 0, poses, 0, 2, method);
}

/* ---- queries ---- */

static snt_duration plan_margin(snt_time late, snt_time early, snt_time end)
{
    return end == SNT_TIME_INFINITE_PAST || end == SNT_TIME_INFINITE_FUTURE
               ? SNT_UNKNOWN
               : snt__deskew_sub_sat(late, early);
}

snt_status snt_deskew_get_info(const snt_deskew *plan, snt_deskew_info *out)
{
    if (!plan || !out)
        return SNT_ERR_INVALID_ARG;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    const snt_deskew_scan *scan = &plan->scan;
    const snt_time known_begin = plan->known_begin_ns, known_end = plan->known_end_ns;
    *out = (snt_deskew_info){
        .reference_ns = plan->reference_ns,
        .begin_ns = scan->begin_ns,
        .end_ns = scan->end_ns,
        .covered_begin_ns = known_begin > scan->begin_ns ? known_begin : scan->begin_ns,
        .covered_end_ns = known_end < scan->end_ns ? known_end : scan->end_ns,
        .start_margin_ns = plan_margin(scan->begin_ns, known_begin, known_begin),
        .end_margin_ns = plan_margin(known_end, scan->end_ns, known_end),
        .max_speed = plan->max_speed,
        .max_rate = plan->max_rate,
        .segments = plan->table.count,
        .knots = plan->knots,
        .holes = plan->holes,
        .kernel = plan->kernel.id,
        .fused = plan->kernel.fused,
        .flags = plan->flags,
        .domain = scan->domain,
    };
    return SNT_OK;
}
