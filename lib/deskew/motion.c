/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact motion of a plan, in double precision: poses at arbitrary times, rows and columns. */
#include "plan.h"

#include "../base/wide.h"

uint32_t snt__deskew_piece_at(const snt_deskew *plan, snt_time t)
{
    uint32_t low = 0, high = plan->piece_count; /* pieces[low].begin <= t < pieces[high].begin, ends open */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (plan->pieces[middle].begin <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void snt__deskew_piece_pose(const snt__deskew_piece *piece, snt_time t, snt_pose *out)
{
    const double s = snt__deskew_seconds(t, piece->begin);
    snt_pose step;
    double v[3], w[3];
    for (int i = 0; i < 3; i++) {
        v[i] = piece->v[i] * s;
        w[i] = piece->w[i] * s;
    }
    if (piece->screw) {
        snt__pose_exp(v, w, &step);
        snt__pose_compose(&piece->pose, &step, out);
    } else {
        snt_pose pose;
        snt__rotation_exp(w, step.q);
        snt__quat_mul(piece->pose.q, step.q, pose.q);
        for (int i = 0; i < 3; i++)
            pose.t[i] = piece->pose.t[i] + (v[i] + 0.5 * piece->a[i] * s * s);
        *out = pose;
    }
    snt__quat_renormalise(out->q);
}

void snt__deskew_pose_at(const snt_deskew *plan, snt_time t, snt_pose *out)
{
    snt_pose moving, sensor;
    snt__deskew_piece_pose(&plan->pieces[snt__deskew_piece_at(plan, t)], t, &moving);
    snt__pose_compose(&moving, &plan->moving_sensor, &sensor);
    snt__pose_compose(&plan->output_fixed, &sensor, out);
}

bool snt__deskew_in_hole(const snt_deskew *plan, snt_time t)
{
    const uint32_t i = snt__deskew_piece_at(plan, t);
    if (!plan->pieces[i].hole || t == plan->pieces[i].begin)
        return false;
    return t >= plan->known_begin_ns && t <= plan->known_end_ns;
}

/* What is said of a pose at t, and the time whose pose is told instead. */
static uint8_t motion_judge(const snt_deskew *plan, snt_time *t)
{
    uint8_t flags = 0;
    if (*t < plan->scan.begin_ns || *t > plan->scan.end_ns)
        flags |= SNT_POINT_OUTLIER;
    if (*t >= plan->known_begin_ns && *t <= plan->known_end_ns)
        return plan->holes && snt__deskew_in_hole(plan, *t) ? flags | SNT_POINT_OUTSIDE : flags;
    flags |= SNT_POINT_OUTSIDE;
    const snt_duration reach = plan->scan.outside == SNT_DESKEW_EXTRAPOLATE ? plan->scan.extrapolation_ns : 0;
    const snt_time low = snt__deskew_add_sat(plan->known_begin_ns, -reach);
    const snt_time high = snt__deskew_add_sat(plan->known_end_ns, reach);
    if (*t < low || *t > high) {
        *t = *t < low ? low : high;
        flags |= SNT_POINT_CLAMPED;
    }
    return reach ? flags | SNT_POINT_EXTRAPOLATED : flags;
}

static uint8_t motion_tell(const snt_deskew *plan, snt_time t, unsigned char *out)
{
    snt_pose pose;
    const uint8_t flags = motion_judge(plan, &t);
    snt__deskew_pose_at(plan, t, &pose);
    if (plan->scan.inverse)
        snt__pose_inverse(&pose, &pose);
    memcpy(out, &pose, sizeof pose);
    return flags;
}

snt_status snt_deskew_poses(const snt_deskew *plan, const void *stamps, uint64_t stamp_stride, uint64_t count,
                            void *poses, uint64_t pose_stride, uint8_t *flags)
{
    if (!plan || (count && (!stamps || !poses)) || (pose_stride && pose_stride < sizeof(snt_pose)))
        return SNT_ERR_INVALID_ARG;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    const unsigned char *at = stamps;
    unsigned char *out = poses;
    stamp_stride = stamp_stride ? stamp_stride : sizeof(snt_time);
    pose_stride = pose_stride ? pose_stride : sizeof(snt_pose);
    for (uint64_t i = 0; i < count; i++, at += stamp_stride, out += pose_stride) {
        snt_time t;
        memcpy(&t, at, sizeof t);
        const uint8_t said = motion_tell(plan, t, out);
        if (flags)
            flags[i] = said;
    }
    return SNT_OK;
}

snt_status snt_deskew_rows(const snt_deskew *plan, snt_time first_ns, snt_duration readout_ns, uint64_t rows,
                           void *poses, uint64_t pose_stride, uint8_t *flags)
{
    if (!plan || (rows && !poses) || rows > INT64_MAX || (pose_stride && pose_stride < sizeof(snt_pose)))
        return SNT_ERR_INVALID_ARG;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    snt_time last;
    if (snt_time_add(first_ns, readout_ns, &last) < 0)
        return SNT_ERR_OVERFLOW;
    unsigned char *out = poses;
    pose_stride = pose_stride ? pose_stride : sizeof(snt_pose);
    for (uint64_t i = 0; i < rows; i++, out += pose_stride) {
        int64_t later = 0; /* one row has no readout: never divide by rows − 1 = 0 */
        if (rows > 1)
            later = snt__muldiv_i64_sat(readout_ns, (int64_t)i, (int64_t)(rows - 1), SNT_ROUND_NEAREST);
        const uint8_t said = motion_tell(plan, first_ns + later, out);
        if (flags)
            flags[i] = said;
    }
    return SNT_OK;
}

snt_status snt_deskew_matrices(const void *poses, uint64_t pose_stride, uint64_t count, double *matrices)
{
    if ((count && (!poses || !matrices)) || (pose_stride && pose_stride < sizeof(snt_pose)))
        return SNT_ERR_INVALID_ARG;
    const unsigned char *at = poses;
    pose_stride = pose_stride ? pose_stride : sizeof(snt_pose);
    for (uint64_t i = 0; i < count; i++, at += pose_stride, matrices += 16) {
        snt_pose pose;
        double r[9];
        memcpy(&pose, at, sizeof pose);
        snt_rotation_matrix(pose.q, r);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++)
                matrices[4 * row + column] = r[3 * row + column];
            matrices[4 * row + 3] = pose.t[row];
            matrices[12 + row] = 0;
        }
        matrices[15] = 1;
    }
    return SNT_OK;
}
