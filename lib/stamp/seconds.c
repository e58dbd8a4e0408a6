/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating point seconds. Each conversion says how much it lost. */
#include "../base/internal.h"

#include <math.h>

#include "stamp.h"

/* x one step away from zero, as the outward end of a positive bound */
static double seconds_up(double x)
{
    return nextafter(x, HUGE_VAL);
}

/* Half the distance to the next double of larger magnitude: what rounding to a double can have lost. */
static double seconds_half_step(double seconds)
{
    const double size = fabs(seconds);
    return (seconds_up(size) - size) / 2;
}

snt_status snt_time_to_seconds(snt_time t, double *seconds, double *error)
{
    int64_t rest;
    if (!seconds)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t))
        return SNT_ERR_RANGE;
    /* whole seconds are below 2^34 and exact, so only the division (2^-54) and the sum (half a step) round */
    const double whole = (double)snt__floor_s(t, &rest);
    const double value = whole + (double)rest / 1e9;
    *seconds = value;
    if (error)
        *error = rest == 0 ? 0 : seconds_up(seconds_half_step(value) + 0x1p-53);
    return SNT_OK;
}

/* `half_step` is what the caller's type can have lost at this value [s] */
static snt_status seconds_to_time(double seconds, double half_step, snt_time *out, snt_duration *error_ns)
{
    if (!isfinite(seconds))
        return SNT_ERR_NON_FINITE;
    if (seconds >= 9223372037.0 || seconds <= -9223372037.0)
        return SNT_ERR_OVERFLOW;
    const double whole = floor(seconds);
    /* both operands lie within a factor of two or the fraction is tiny: the difference is exact or rounds to 1.0, and
     * llround then carries into the next second instead of writing a nanosecond field of 1e9 (roscpp_core #48) */
    const double fraction = seconds - whole;
    snt_time t;
    const snt_status status = snt_time_from_parts((int64_t)whole, (int64_t)floor(fraction * 1e9 + 0.5), &t);
    if (status < 0)
        return status;
    *out = t;
    if (error_ns)
        *error_ns = (snt_duration)ceil(half_step * 1e9 + 0.5 + 1e-6);
    return SNT_OK;
}

snt_status snt_time_from_seconds(double seconds, snt_time *out, snt_duration *error_ns)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    return seconds_to_time(seconds, seconds_half_step(seconds), out, error_ns);
}

snt_status snt_time_from_seconds_f32(float seconds, snt_duration max_error_ns, snt_time *out,
                                     snt_duration *error_ns)
{
    if (!out || max_error_ns < 0)
        return SNT_ERR_INVALID_ARG;
    if (!isfinite(seconds))
        return SNT_ERR_NON_FINITE;
    const float size = fabsf(seconds);
    const double half_step = ((double)nextafterf(size, HUGE_VALF) - (double)size) / 2;
    const snt_duration allowed = max_error_ns ? max_error_ns : SNT_NS_PER_MS;
    if (half_step * 1e9 > (double)allowed)
        return SNT_ERR_PRECISION;
    return seconds_to_time((double)seconds, half_step, out, error_ns);
}

snt_status snt_stamp_delay_error(snt_duration delay, double speed, double turn, double range,
                                 snt_delay_error *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (!isfinite(speed) || !isfinite(turn) || !isfinite(range))
        return SNT_ERR_NON_FINITE;
    if (!snt__time_finite(delay) || range < 0)
        return SNT_ERR_RANGE;
    const double seconds = fabs((double)delay) / 1e9;
    const double position = fabs(speed) * seconds, bearing = fabs(turn) * seconds;
    const snt_delay_error error = {position, bearing, range * bearing, position + range * bearing};
    if (!isfinite(error.bearing_rad) || !isfinite(error.point_m))
        return SNT_ERR_NON_FINITE;
    *out = error;
    return SNT_OK;
}
