/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How wrong a deskewed point may be. Every part is an upper bound; parts are added, never squared.
 *
 * Rounding, with u = 2⁻²⁴ and p at distance r (docs/numerics.md has the derivation):
 *   coefficients and Horner   δB <= u(2|b₀| + k·Σ|b_k|h^k), likewise δW, δT; k = 4 fused, 7 not
 *   c = b×p                   u·n_c·B·r, n_c = 2 fused, 3 not
 *   e = W·p + c               u·r·n_e + δc + (δW + δB)·r, n_e = 1 fused, 2 not
 *   d = 2b×e + t              2B·δe + 2δB·r + δT + u·n_d(2B·r + T), n_d = 2 fused, 3 not
 *   p + d                     u·|p'|
 */
#include "plan.h"

#define BOUND_U 0x1p-24

static double bound_rounding(const snt_deskew *plan, bool f64, double r)
{
    const snt__deskew_sizes *z = &plan->sizes;
    const bool fused = plan->kernel.fused;
    const double k = fused ? 4 : 7, nc = fused ? 2 : 3, ne = fused ? 1 : 2, nd = fused ? 2 : 3;
    const double B = z->b0 + z->b, T = z->t0 + z->t;
    const double dB = BOUND_U * (2 * z->b0 + k * z->b);
    const double dW = BOUND_U * (2 + k * z->w);
    const double dT = BOUND_U * (2 * z->t0 + k * z->t);
    const double dc = BOUND_U * nc * B * r;
    const double de = BOUND_U * r * ne + dc + (dW + dB) * r;
    double dd = 2 * B * de + 2 * dB * r + dT + BOUND_U * nd * (2 * B * r + T);
    if (f64)
        dd += 2 * BOUND_U * B * r; /* the displacement is that of the coordinates rounded to float */
    else
        dd += BOUND_U * (r + T);
    /* terms of second order, and the double precision in which segments were made */
    return dd * 1.0001 + 1e-12 * (r + T);
}

/* Half a step of floats near the values that matter, one count of integers [ns]. */
static double bound_resolution_ns(const snt_deskew *plan, const snt_cloud *cloud)
{
    if (!cloud || cloud->time.type == SNT_TYPE_NONE)
        return 0;
    const bool normalised = cloud->time_ref == SNT_TIME_REF_NORMALISED;
    const double unit = normalised ? (double)cloud->time_span_ns
                                   : (double)cloud->time_unit_num / (double)cloud->time_unit_den;
    const bool real = cloud->time.type == SNT_TYPE_F32 || cloud->time.type == SNT_TYPE_F64;
    if (!real)
        return cloud->time_nsec.type != SNT_TYPE_NONE ? 1 : unit;
    const snt_time base = cloud->time_ref == SNT_TIME_REF_ABSOLUTE ? 0 : cloud->time_base_ns;
    const double first = fabs(snt__deskew_seconds(plan->scan.begin_ns, base)) * 1e9;
    const double last = fabs(snt__deskew_seconds(plan->scan.end_ns, base)) * 1e9;
    const double greatest = (first > last ? first : last) / unit; /* in the field's own unit */
    if (!(greatest > 0))
        return 0.5;
    int exponent;
    frexp(greatest, &exponent); /* greatest < 2^exponent: a step is 2^(exponent − digits) */
    const int digits = cloud->time.type == SNT_TYPE_F32 ? 24 : 53;
    return ldexp(unit, exponent - digits - 1) + 0.5; /* and our own rounding to whole ns */
}

static double bound_interpolation(const snt_deskew *plan, double r, double longest_s, uint32_t *flags)
{
    const snt_deskew_scan *scan = &plan->scan;
    double a = scan->max_acceleration, alpha = scan->max_angular_acceleration;
    if (a > 0 || alpha > 0) {
        *flags |= SNT_DESKEW_BOUND_DECLARED;
    } else if (plan->interpolated) {
        a = plan->estimated_acceleration;
        alpha = plan->estimated_angular_acceleration;
        *flags |= SNT_DESKEW_BOUND_ESTIMATED;
    } else {
        *flags |= SNT_DESKEW_BOUND_CONSTANT;
        return 0;
    }
    const double worst = a + r * alpha, spacing = plan->knot_spacing_s;
    if (!plan->interpolated) /* a constant twist drifts off from the reference on */
        return worst * longest_s * longest_s / 2;
    /* between knots at most a·Δ²/8, for the point's pose and for the reference's; rates also add up from knot to knot */
    const double gap = plan->sample_gap_s > spacing ? plan->sample_gap_s : spacing;
    /* estimated from knots within a gap, the whole change of velocity seems to happen in one spacing */
    const double between = worst * gap * (*flags & SNT_DESKEW_BOUND_ESTIMATED ? spacing : gap) / 4;
    return plan->from_rates ? between + worst * spacing * longest_s / 4 : between;
}

snt_status snt_deskew_get_bound(const snt_deskew *plan, const snt_cloud *cloud, double range_m,
                                snt_deskew_bound *out)
{
    if (!plan || !out || range_m < 0)
        return SNT_ERR_INVALID_ARG;
    if (!snt__is_finite(range_m))
        return SNT_ERR_NON_FINITE;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    if (cloud && snt_cloud_check(cloud) < 0)
        return SNT_ERR_INVALID_ARG;
    const snt_deskew_scan *scan = &plan->scan;
    const double r = range_m;
    /* the true speed, not the plan's, is what clock and resolution cost */
    const double speed = plan->max_speed + scan->velocity_error + r * (plan->max_rate + scan->rate_error);
    const double before = fabs(snt__deskew_seconds(plan->reference_ns, scan->begin_ns));
    const double after = fabs(snt__deskew_seconds(plan->reference_ns, scan->end_ns));
    const double longest = before > after ? before : after;
    const double dq = plan->sizes.approximation_rotation;
    const bool f64 = cloud && cloud->x.type == SNT_TYPE_F64 && cloud->y.type == SNT_TYPE_F64 &&
                     cloud->z.type == SNT_TYPE_F64;
    snt_deskew_bound b = {0};
    if (!(plan->flags & SNT_DESKEW_PLAN_IDENTITY)) {
        b.approximation_m = 4 * r * dq * (1 + dq) + plan->sizes.approximation_translation;
        b.rounding_m = bound_rounding(plan, f64, r);
    }
    b.resolution_ns = bound_resolution_ns(plan, cloud);
    if (cloud && cloud->time_quantum_ns > 1 && b.resolution_ns < 0.5 * (double)cloud->time_quantum_ns) {
        b.resolution_ns = 0; /* the nearest point of the grid is the true one */
        b.flags |= SNT_DESKEW_BOUND_QUANTUM;
    }
    b.resolution_m = 1e-9 * b.resolution_ns * speed;
    b.clock_m = 1e-9 * (double)scan->clock_bound_ns * speed;
    b.interpolation_m = bound_interpolation(plan, r, longest, &b.flags);
    b.motion_m = longest * (scan->velocity_error + r * scan->rate_error);
    b.total_m =
        b.approximation_m + b.rounding_m + b.resolution_m + b.clock_m + b.interpolation_m + b.motion_m;
    if (plan->flags & SNT_DESKEW_PLAN_PARTIAL)
        b.flags |= SNT_DESKEW_BOUND_PARTIAL;
    if (plan->flags & SNT_DESKEW_PLAN_ROTATION_ONLY)
        b.flags |= SNT_DESKEW_BOUND_ROTATION_ONLY;
    *out = b;
    return SNT_OK;
}

#undef BOUND_U
