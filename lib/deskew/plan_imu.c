/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan from an IMU. The IMU itself is the moving frame, so no lever arm has to be told from accelerations: rates and
 * specific forces are used where they were measured, and the sensor hangs on the IMU by one fixed pose.
 */
#include "plan.h"

#include "../pose/imu_buffer.h"

/* What was copied out of the buffer while it was locked: samples lie in plan->pieces, rate in w, force in a. */
typedef struct plan_imu_take {
    uint32_t count;
    bool has_forces;
    snt_pose T_body_imu;
} plan_imu_take;

/* With the lock held: the samples around [low, high], biases removed. */
static snt_status plan_imu_fetch(snt_deskew *plan, const snt_imu_buffer *imu, snt_time low, snt_time high,
                                 plan_imu_take *take)
{
    uint32_t first = snt__imu_buffer_count_until(imu, low);
    first = first ? first - 1 : 0;
    if (first + 1 == imu->count && first > 0)
        first--; /* behind the newest sample the last interval tells how to go on */
    uint32_t behind = snt__imu_buffer_count_until(imu, high - 1);
    behind = behind < imu->count ? behind + 1 : behind;
    if (behind == 1 && imu->count > 1)
        behind = 2; /* likewise before the oldest */
    if (!imu->count)
        return SNT_ERR_NO_TIME;
    if (behind - first > plan->config.max_knots)
        return SNT_ERR_FULL;
    take->has_forces = true;
    for (uint32_t i = first; i < behind; i++) {
        const snt_imu_sample *sample = snt__imu_buffer_at(imu, i);
        snt__deskew_piece *piece = &plan->pieces[take->count++];
        *piece = (snt__deskew_piece){.begin = sample->stamp_ns};
        take->has_forces = take->has_forces && (sample->flags & SNT_IMU_HAS_ACCELERATION);
        for (int k = 0; k < 3; k++) {
            piece->w[k] = sample->rate[k] - imu->rate_bias[k];
            piece->a[k] = sample->acceleration[k] - imu->acceleration_bias[k];
        }
    }
    take->T_body_imu = imu->config.T_body_imu;
    return SNT_OK;
}

static snt_status plan_imu_check_state(const snt_imu_state *state)
{
    if (!snt__all_finite(state->velocity, 3) || !snt__all_finite(state->gravity, 3))
        return SNT_ERR_NON_FINITE;
    if (state->use_acceleration > 1)
        return SNT_ERR_INVALID_ARG;
    if (state->stamp_ns < INT64_MIN / 2 || state->stamp_ns > INT64_MAX / 2)
        return SNT_ERR_RANGE;
    return snt_pose_check(&state->T_fixed_body, 0);
}

/* Pose, velocity and time from which integration goes both ways. */
typedef struct plan_imu_point {
    snt_time t;
    snt_pose pose; /* T_fixed_imu */
    double v[3];   /* of the IMU, in fixed axes */
} plan_imu_point;

/* From the body's state to the IMU's: w is the rate of the IMU in its own axes. */
static plan_imu_point plan_imu_start(const snt_imu_state *state, const plan_imu_take *take, const double *w)
{
    plan_imu_point start = {.t = state->stamp_ns};
    snt_pose body = state->T_fixed_body;
    double lever[3], turned[3], w_body[3];
    snt__quat_renormalise(body.q);
    snt__pose_compose(&body, &take->T_body_imu, &start.pose);
    snt__quat_rotate(take->T_body_imu.q, w, w_body);
    snt__cross(w_body, take->T_body_imu.t, lever);
    snt__quat_rotate(body.q, lever, turned);
    for (int k = 0; k < 3; k++)
        start.v[k] = state->velocity[k] + turned[k];
    return start;
}

/* Tell `piece`, of mean rate w and mean force f, that it passes through `point`; go on to time `to`. */
static void plan_imu_pass(snt__deskew_piece *piece, plan_imu_point *point, const double *force,
                          const double *gravity, bool accelerate, snt_time to)
{
    /* Acceleration is taken in the axes the IMU has in the middle of the interval from the point to the far end. */
    double a[3] = {0, 0, 0};
    if (accelerate) {
        double half[3], q[4], middle[4];
        const double s = 0.5 * snt__deskew_seconds(to, point->t);
        for (int k = 0; k < 3; k++)
            half[k] = piece->w[k] * s;
        snt__rotation_exp(half, q);
        snt__quat_mul(point->pose.q, q, middle);
        snt__quat_rotate(middle, force, a);
        for (int k = 0; k < 3; k++)
            a[k] += gravity[k];
    }
    memcpy(piece->a, a, sizeof a);
    /* told from its begin */
    const double back = snt__deskew_seconds(piece->begin, point->t);
    double turn[3], q[4];
    for (int k = 0; k < 3; k++) {
        turn[k] = piece->w[k] * back;
        piece->v[k] = point->v[k] + a[k] * back;
        piece->pose.t[k] = point->pose.t[k] + (point->v[k] + 0.5 * a[k] * back) * back;
    }
    snt__rotation_exp(turn, q);
    snt__quat_mul(point->pose.q, q, piece->pose.q);
    snt__quat_renormalise(piece->pose.q);
    const double on = snt__deskew_seconds(to, piece->begin);
    snt__deskew_piece_pose(piece, to, &point->pose);
    for (int k = 0; k < 3; k++)
        point->v[k] = piece->v[k] + a[k] * on;
    point->t = to;
}

/* Rates of two neighbours become the interval's mean rate, forces its mean force. */
static void plan_imu_average(snt_deskew *plan, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        snt__deskew_piece *a = &plan->pieces[i], *b = a + 1;
        double dw[3];
        const double seconds = snt__deskew_seconds(b->begin, a->begin);
        for (int k = 0; k < 3; k++) {
            dw[k] = (b->w[k] - a->w[k]) / seconds;
            a->w[k] = 0.5 * (a->w[k] + b->w[k]);
            a->a[k] = 0.5 * (a->a[k] + b->a[k]);
        }
        const double change = snt__norm3(dw);
        if (change > plan->estimated_angular_acceleration)
            plan->estimated_angular_acceleration = change;
        snt__deskew_note_gap(plan, a, b->begin);
    }
}

static void plan_imu_integrate(snt_deskew *plan, plan_imu_point start, const double *gravity, bool accelerate)
{
    const uint32_t n = plan->piece_count;
    const uint32_t middle = snt__deskew_piece_at(plan, start.t);
    plan_imu_point point = start;
    for (uint32_t i = middle; i < n; i++) {
        const double force[3] = {plan->pieces[i].a[0], plan->pieces[i].a[1], plan->pieces[i].a[2]};
        const snt_time to = i + 1 < n ? plan->pieces[i + 1].begin : plan->known_end_ns;
        /* the piece of the start is told from its begin, and the way back begins there */
        plan_imu_pass(&plan->pieces[i], &point, force, gravity, accelerate, to);
    }
    point.t = plan->pieces[middle].begin;
    point.pose = plan->pieces[middle].pose;
    memcpy(point.v, plan->pieces[middle].v, sizeof point.v);
    for (uint32_t i = middle; i-- > 0;) {
        const double force[3] = {plan->pieces[i].a[0], plan->pieces[i].a[1], plan->pieces[i].a[2]};
        plan_imu_pass(&plan->pieces[i], &point, force, gravity, accelerate, plan->pieces[i].begin);
    }
}

static snt_status plan_imu_build(snt_deskew *plan, const plan_imu_take *take, const snt_imu_state *state)
{
    static const double none[3];
    const bool accelerate = state && state->use_acceleration;
    if (accelerate && !take->has_forces)
        return SNT_ERR_UNSUPPORTED;
    snt_pose imu_body;
    snt__pose_inverse(&take->T_body_imu, &imu_body);
    snt__pose_compose(&imu_body, &plan->scan.T_body_sensor, &plan->moving_sensor);
    plan->known_begin_ns = plan->pieces[0].begin;
    plan->known_end_ns = plan->pieces[take->count - 1].begin;
    plan->knots = take->count;
    plan->piece_count = take->count > 1 ? take->count - 1 : 1;
    plan->interpolated = 1;
    plan->from_rates = 1;
    for (uint32_t i = 0; i < take->count; i++)
        snt_pose_identity(&plan->pieces[i].pose);
    plan_imu_average(plan, take->count);
    if (state) {
        const snt_duration reach = plan->scan.extrapolation_ns;
        if (state->stamp_ns < snt__deskew_add_sat(plan->known_begin_ns, -reach))
            return SNT_ERR_PAST;
        if (state->stamp_ns > snt__deskew_add_sat(plan->known_end_ns, reach))
            return SNT_ERR_FUTURE;
        const uint32_t at = snt__deskew_piece_at(plan, state->stamp_ns);
        plan_imu_integrate(plan, plan_imu_start(state, take, plan->pieces[at].w), state->gravity, accelerate);
    } else {
        /* the body's origin stays: the IMU and the sensor turn about it */
        plan->flags |= SNT_DESKEW_PLAN_ROTATION_ONLY;
        snt_imu_state still = {.stamp_ns = plan->reference_ns};
        snt_pose_identity(&still.T_fixed_body);
        plan_imu_point start = {.t = still.stamp_ns, .pose = take->T_body_imu};
        plan_imu_integrate(plan, start, none, false);
        for (uint32_t i = 0; i < plan->piece_count; i++) {
            snt__deskew_piece *piece = &plan->pieces[i];
            double arm[3], back[4];
            snt__quat_conj(take->T_body_imu.q, back);
            snt__quat_rotate(back, take->T_body_imu.t, arm); /* body → IMU in IMU axes */
            snt__quat_rotate(piece->pose.q, arm, piece->pose.t);
            snt__cross(piece->w, arm, piece->v);
            piece->screw = 1; /* circles about the body's origin: exact as a screw */
        }
    }
    return snt__deskew_plan_finish(plan);
}

snt_status snt_deskew_plan_imu(snt_deskew *plan, const snt_deskew_scan *scan, snt_imu_buffer *imu,
                               const snt_imu_state *state)
{
    snt_status status = snt__deskew_plan_begin(plan, scan);
    if (status < 0)
        return status;
    if (!imu)
        return SNT_ERR_INVALID_ARG;
    if (imu->config.domain != plan->scan.domain)
        return SNT_ERR_DOMAIN;
    if (state && (status = plan_imu_check_state(state)) < 0)
        return status;
    snt_time low = plan->scan.begin_ns, high = plan->scan.end_ns;
    const snt_time also[2] = {plan->reference_ns, state ? state->stamp_ns : plan->reference_ns};
    for (int i = 0; i < 2; i++) {
        low = also[i] < low ? also[i] : low;
        high = also[i] > high ? also[i] : high;
    }
    plan_imu_take take = {0};
    snt__lock_acquire(&imu->lock);
    snt__imu_buffer_follow_epoch(imu);
    status = plan_imu_fetch(plan, imu, low, high, &take);
    snt__lock_release(&imu->lock);
    if (status < 0)
        return status;
    if (plan->pieces[0].begin < INT64_MIN / 2 || plan->pieces[take.count - 1].begin > INT64_MAX / 2)
        return SNT_ERR_RANGE;
    return plan_imu_build(plan, &take, state);
}
