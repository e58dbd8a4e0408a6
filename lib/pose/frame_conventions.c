/* SPDX-License-Identifier: BSD-3-Clause */
#include "pose_math.h"

#include "sensortime/frame_conventions.h"

static const double convention_pi = 3.14159265358979323846;
static const double convention_root_half = 0.70710678118654752440;

void snt_enu_ned_vector(const double *in, double *out)
{
    if (!in || !out)
        return;
    const double x = in[1], y = in[0], z = 0 - in[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

void snt_flu_frd_vector(const double *in, double *out)
{
    if (!in || !out)
        return;
    out[0] = in[0];
    out[1] = 0 - in[1];
    out[2] = 0 - in[2];
}

/* ENU↔NED is the half turn about (1, 1, 0)/√2, FLU↔FRD the half turn about x: N·q·F with N = N⁻¹, F = F⁻¹ up to sign. */
void snt_enu_ned_attitude(const double *in, double *out)
{
    if (!in || !out)
        return;
    static const double world[4] = {1, 1, 0, 0}, body[4] = {1, 0, 0, 0};
    double half[4], whole[4];
    snt__quat_mul(world, in, half);
    snt__quat_mul(half, body, whole);
    for (int i = 0; i < 4; i++)
        whole[i] *= convention_root_half;
    snt__quat_canonical(whole);
    memcpy(out, whole, sizeof whole);
}

double snt_angle_wrap(double angle)
{
    if (!snt__is_finite(angle))
        return angle - angle; /* NaN */
    double a = remainder(angle, 2 * convention_pi);
    return a <= -convention_pi ? convention_pi : a;
}

double snt_heading_from_yaw(double yaw)
{
    double heading = snt_angle_wrap(convention_pi / 2 - yaw);
    if (heading < 0)
        heading += 2 * convention_pi;
    return heading >= 2 * convention_pi ? 0 : heading; /* the sum may round up to the whole turn */
}

double snt_yaw_from_heading(double heading)
{
    return snt_angle_wrap(convention_pi / 2 - heading);
}

snt_status snt_rotation_from_rpy(double roll, double pitch, double yaw, double *q)
{
    if (!q)
        return SNT_ERR_INVALID_ARG;
    if (!snt__is_finite(roll) || !snt__is_finite(pitch) || !snt__is_finite(yaw))
        return SNT_ERR_NON_FINITE;
    const double cr = cos(roll / 2), sr = sin(roll / 2), cp = cos(pitch / 2), sp = sin(pitch / 2);
    const double cy = cos(yaw / 2), sy = sin(yaw / 2);
    double out[4] = {sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
                     cr * cp * cy + sr * sp * sy};
    snt__quat_renormalise(out);
    snt__quat_canonical(out);
    memcpy(q, out, sizeof out);
    return SNT_OK;
}

snt_status snt_rotation_to_rpy(const double *q, double *rpy)
{
    double unit[4];
    if (!q || !rpy)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_quaternion_normalise(q, 0, unit);
    if (status < 0)
        return status;
    const double x = unit[0], y = unit[1], z = unit[2], w = unit[3];
    const double sine = 2 * (w * y - z * x);
    if (fabs(sine) > 1 - 1e-12) { /* x points straight down or up: roll and yaw turn about one axis */
        rpy[0] = 0;
        rpy[1] = sine > 0 ? convention_pi / 2 : -convention_pi / 2;
        rpy[2] = snt_angle_wrap(2 * atan2(z, w));
        return SNT_ERR_AMBIGUOUS;
    }
    rpy[0] = snt_angle_wrap(atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)));
    rpy[1] = asin(sine);
    rpy[2] = snt_angle_wrap(atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)));
    return SNT_OK;
}

void snt_pose_link_from_optical(snt_pose *pose)
{
    if (pose)
        *pose = (snt_pose){{-0.5, 0.5, -0.5, 0.5}, {0, 0, 0}};
}

/* Ranges that a quantity in its SI unit stays in, and those that other units in use would put it in. */
static const struct convention_range {
    uint32_t quantity, verdict;
    double least, most;
} convention_ranges[] = {
    {SNT_UNIT_ANGLE, SNT_UNIT_PLAUSIBLE, 0, 6.2831853071795871},
    {SNT_UNIT_ANGLE, SNT_UNIT_DEGREES, 6.2831853071795871, 360.5},
    {SNT_UNIT_ANGULAR_VELOCITY, SNT_UNIT_PLAUSIBLE, 0, 35}, /* the usual gyroscope's full scale is 2000 °/s */
    {SNT_UNIT_ANGULAR_VELOCITY, SNT_UNIT_DEGREES, 35, 4000},
    {SNT_UNIT_ACCELERATION, SNT_UNIT_PLAUSIBLE, 7, 13},
    {SNT_UNIT_ACCELERATION, SNT_UNIT_G, 0.7, 1.3},
    {SNT_UNIT_LENGTH, SNT_UNIT_PLAUSIBLE, 0, 2000},
    {SNT_UNIT_LENGTH, SNT_UNIT_MILLIMETRES, 2000, 2e6},
    {SNT_UNIT_MAGNETIC_FIELD, SNT_UNIT_PLAUSIBLE, 1e-5, 1e-4}, /* Earth's field is 22..67 µT */
    {SNT_UNIT_MAGNETIC_FIELD, SNT_UNIT_GAUSS, 0.1, 1},
    {SNT_UNIT_MAGNETIC_FIELD, SNT_UNIT_MICROTESLA, 10, 100},
};

snt_status snt_unit_check(uint32_t quantity, double magnitude, uint32_t *verdict)
{
    if (!verdict || quantity < SNT_UNIT_ANGLE || quantity > SNT_UNIT_MAGNETIC_FIELD)
        return SNT_ERR_INVALID_ARG;
    if (!snt__is_finite(magnitude))
        return SNT_ERR_NON_FINITE;
    if (magnitude < 0)
        return SNT_ERR_RANGE;
    *verdict = SNT_UNIT_IMPLAUSIBLE;
    for (size_t i = 0; i < SNT_COUNT_OF(convention_ranges); i++) {
        const struct convention_range *r = &convention_ranges[i];
        if (r->quantity == quantity && magnitude >= r->least && magnitude <= r->most) {
            *verdict = r->verdict;
            break;
        }
    }
    return SNT_OK;
}
