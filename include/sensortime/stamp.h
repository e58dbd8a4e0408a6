/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stamp.h
 * Times, durations and intervals in whole nanoseconds, and the formats in which others write them.
 *
 * A time is an int64 count of nanoseconds on some clock; which clock is said by a domain id (sample.h). Doubles never
 * hold an absolute time. The two ends of the int64 range are the infinities of the saturating forms; the checked forms
 * neither take nor give them. Leap seconds, time scales and text are in timescale.h.
 */
#ifndef SENSORTIME_STAMP_H
#define SENSORTIME_STAMP_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t snt_time;     /**< [ns] since the epoch of its domain */
typedef int64_t snt_duration; /**< [ns] */

#define SNT_TIME_INFINITE_PAST   INT64_MIN
#define SNT_TIME_INFINITE_FUTURE INT64_MAX
/** A duration or bound that nobody knows. Never a number to calculate with. */
#define SNT_UNKNOWN INT64_MAX

#define SNT_NS_PER_US INT64_C(1000)
#define SNT_NS_PER_MS INT64_C(1000000)
#define SNT_NS_PER_S  INT64_C(1000000000)

/** Closed interval of times [lo, hi], lo <= hi. An infinite end is an unknown one. */
typedef struct snt_interval {
    snt_time lo; /**< [ns] */
    snt_time hi; /**< [ns] */
} snt_interval;

/** What happens to a fraction that the result cannot hold. */
enum {
    SNT_ROUND_FLOOR = 0,   /**< towards minus infinity */
    SNT_ROUND_CEIL = 1,    /**< towards plus infinity */
    SNT_ROUND_NEAREST = 2, /**< to the nearest, halves to the even one */
    SNT_ROUND_ZERO = 3     /**< towards zero */
};

/* ---- checked arithmetic: an exact answer or a status ---- */

/**
 * t + d, exactly.
 *
 * @param      t   a finite time [ns]
 * @param      d   a finite duration [ns]
 * @param[out] out the sum [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (an operand is infinite or unknown),
 *         SNT_ERR_OVERFLOW (the sum is no finite time)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_add(snt_time t, snt_duration d, snt_time *out);

/**
 * t − d, exactly. With two times of one domain it is their difference.
 *
 * @param      t   a finite time [ns]
 * @param      d   a finite duration or time [ns]
 * @param[out] out the difference [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (an operand is infinite or unknown),
 *         SNT_ERR_OVERFLOW (the difference is no finite time)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sub(snt_time t, snt_duration d, snt_time *out);

/**
 * d · n, exactly.
 *
 * @param      d   a finite duration [ns]
 * @param      n   factor
 * @param[out] out the product [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (d is infinite or unknown), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_duration_mul(snt_duration d, int64_t n, snt_duration *out);

/**
 * d · num / den through a 128-bit product, rounded once.
 *
 * @param      d        a finite duration [ns]
 * @param      num      numerator, any sign
 * @param      den      denominator, not 0
 * @param      rounding one of SNT_ROUND_*
 * @param[out] out      the scaled duration [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, den is 0 or the rounding unknown), SNT_ERR_RANGE (d is infinite or
 *         unknown), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_duration_scale(snt_duration d, int64_t num, int64_t den, uint32_t rounding,
                                      snt_duration *out);

/* ---- saturating arithmetic: the ends of the range are infinities and absorb ---- */

/**
 * t + d, clamped. An infinite t stays where it is; otherwise an infinite d carries t with it.
 *
 * @param t a time [ns]
 * @param d a duration [ns]
 * @return the sum [ns]; SNT_TIME_INFINITE_PAST or SNT_TIME_INFINITE_FUTURE where it does not fit
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_time snt_time_add_sat(snt_time t, snt_duration d);

/**
 * t − d, clamped. An infinite t stays where it is; otherwise an infinite d carries t the other way.
 *
 * @param t a time [ns]
 * @param d a duration or time [ns]
 * @return the difference [ns]; SNT_TIME_INFINITE_PAST or SNT_TIME_INFINITE_FUTURE where it does not fit
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_time snt_time_sub_sat(snt_time t, snt_duration d);

/**
 * d · n, clamped. An infinite d times 0 is 0.
 *
 * @param d a duration [ns]
 * @param n factor
 * @return the product [ns]; INT64_MIN or INT64_MAX where it does not fit
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_duration snt_duration_mul_sat(snt_duration d, int64_t n);

/**
 * d · num / den, rounded once and clamped.
 *
 * @param d        a duration [ns]; an infinite one keeps its size and takes the sign of num / den (0 for num 0)
 * @param num      numerator, any sign
 * @param den      denominator; 0 is taken as an infinitely steep factor: 0 for d · num = 0, else an infinity
 * @param rounding one of SNT_ROUND_*; an unknown one counts as SNT_ROUND_FLOOR
 * @return the scaled duration [ns]; INT64_MIN or INT64_MAX where it does not fit
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_duration snt_duration_scale_sat(snt_duration d, int64_t num, int64_t den, uint32_t rounding);

/* ---- exact tick rates: one tick is num / den ns ---- */

/**
 * Ticks of a counter as nanoseconds, exactly: 90 kHz is 1000000000/90000, 125 MHz 8/1, 30/1.001 Hz 1001000000000/30000.
 *
 * @param      ticks     unwrapped tick count
 * @param      num       ns per `den` ticks, > 0
 * @param      den       > 0
 * @param      rounding  one of SNT_ROUND_*; SNT_ROUND_FLOOR never dates a tick later than it was
 * @param[out] out       [ns]
 * @param[out] remainder what rounding dropped: ticks·num − out·den, in 1/den ns; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, num or den <= 0, unknown rounding), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_ticks_to_ns(int64_t ticks, int64_t num, int64_t den, uint32_t rounding,
                                   snt_duration *out, int64_t *remainder);

/**
 * Nanoseconds as ticks of a counter: the inverse of ::snt_ticks_to_ns.
 *
 * For num >= den (a tick is at least a nanosecond long), SNT_ROUND_CEIL here undoes SNT_ROUND_FLOOR there exactly.
 *
 * @param      ns       a finite duration [ns]
 * @param      num      ns per `den` ticks, > 0
 * @param      den      > 0
 * @param      rounding one of SNT_ROUND_*
 * @param[out] ticks    tick count
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (ticks is NULL, num or den <= 0, unknown rounding), SNT_ERR_RANGE (ns is infinite
 *         or unknown), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_ns_to_ticks(snt_duration ns, int64_t num, int64_t den, uint32_t rounding,
                                   int64_t *ticks);

/* ---- seconds and a fraction, as messages and system calls write them ---- */

/**
 * Seconds plus nanoseconds of any size and sign, normalised: the explicit way to take a pair that the strict forms
 * below refuse.
 *
 * @param      sec  [s]
 * @param      nsec [ns], any value
 * @param[out] out  sec·1e9 + nsec [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_parts(int64_t sec, int64_t nsec, snt_time *out);

/**
 * A ROS 1 time (`ros::Time`, two unsigned 32-bit integers).
 *
 * @param      sec  [s]
 * @param      nsec [ns], 0..999999999
 * @param[out] out  [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (nsec is a second or more)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_ros1(uint32_t sec, uint32_t nsec, snt_time *out);

/**
 * A time as ROS 1 holds it: 1970-01-01 up to 2106-02-07T06:28:15.999999999.
 *
 * @param      t    [ns]
 * @param[out] sec  [s]
 * @param[out] nsec [ns], 0..999999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (ROS 1 cannot hold it; never wrapped)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_ros1(snt_time t, uint32_t *sec, uint32_t *nsec);

/**
 * A ROS 1 duration (`ros::Duration`, two signed 32-bit integers that are added).
 *
 * @param      sec  [s]
 * @param      nsec [ns], −999999999..999999999
 * @param[out] out  [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (nsec is a second or more)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_duration_from_ros1(int32_t sec, int32_t nsec, snt_duration *out);

/**
 * A duration as ROS 1 holds it, with a fraction that is never negative: −0.25 s is (−1, 750000000).
 *
 * @param      d    [ns]
 * @param[out] sec  [s], rounded down
 * @param[out] nsec [ns], 0..999999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (ROS 1 cannot hold it)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_duration_to_ros1(snt_duration d, int32_t *sec, int32_t *nsec);

/**
 * A ROS 2 time or duration (`builtin_interfaces/Time`, int32 seconds rounded down and uint32 nanoseconds).
 *
 * @param      sec     [s], may be negative
 * @param      nanosec [ns], 0..999999999
 * @param[out] out     [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (nanosec is a second or more)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_ros2(int32_t sec, uint32_t nanosec, snt_time *out);

/**
 * A time or duration as ROS 2 holds it, 1901-12-13T20:45:52 up to 2038-01-19T03:14:07.999999999; −1 ns is
 * (−1, 999999999).
 *
 * @param      t       [ns]
 * @param[out] sec     [s], rounded down
 * @param[out] nanosec [ns], 0..999999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (ROS 2 cannot hold it; never wrapped)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_ros2(snt_time t, int32_t *sec, uint32_t *nanosec);

/**
 * The fields of a `struct timespec`.
 *
 * @param      tv_sec  [s]
 * @param      tv_nsec [ns], 0..999999999
 * @param[out] out     [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (tv_nsec), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_timespec(int64_t tv_sec, int64_t tv_nsec, snt_time *out);

/**
 * A time as the fields of a `struct timespec`.
 *
 * @param      t       a finite time [ns]
 * @param[out] tv_sec  [s], rounded down
 * @param[out] tv_nsec [ns], 0..999999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (t is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_timespec(snt_time t, int64_t *tv_sec, int64_t *tv_nsec);

/**
 * The fields of a `struct timeval`.
 *
 * @param      tv_sec  [s]
 * @param      tv_usec [µs], 0..999999
 * @param[out] out     [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (tv_usec), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_timeval(int64_t tv_sec, int64_t tv_usec, snt_time *out);

/**
 * A time as the fields of a `struct timeval`; what is finer than a microsecond is dropped towards the past.
 *
 * @param      t       a finite time [ns]
 * @param[out] tv_sec  [s], rounded down
 * @param[out] tv_usec [µs], 0..999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (t is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_timeval(snt_time t, int64_t *tv_sec, int64_t *tv_usec);

/* ---- network and satellite formats, whose counters roll over ---- */

/**
 * An NTP timestamp (seconds and 2⁻³² s since 1900, modulo 2³² s), in the era that brings it nearest to the pivot.
 *
 * @param      ntp   32.32 fixed point; 0 means "not known" in NTP
 * @param      pivot a time known to lie within 68 years, such as now or the build date [ns, unix]
 * @param[out] out   rounded down to whole ns [ns, unix]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_NO_TIME (ntp is 0), SNT_ERR_RANGE (pivot is infinite),
 *         SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_ntp(uint64_t ntp, snt_time pivot, snt_time *out);

/**
 * A time as an NTP timestamp, such that ::snt_time_from_ntp gives back the same nanosecond. The instant at which an era
 * begins is written 2⁻³² s late, because 0 means "not known".
 *
 * @param      t   a finite time [ns, unix]
 * @param[out] ntp 32.32 fixed point; the era is lost
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (ntp is NULL), SNT_ERR_RANGE (t is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_ntp(snt_time t, uint64_t *ntp);

/**
 * A PTP timestamp (48-bit seconds and nanoseconds since 1970 TAI). Whether the grandmaster really serves TAI is said by
 * its ptpTimescale flag: without it the result belongs to a domain of the caller's.
 *
 * @param      seconds     [s], below 2⁴⁸
 * @param      nanoseconds [ns], 0..999999999
 * @param[out] out         [ns, TAI]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (a field out of range), SNT_ERR_OVERFLOW (after 2262)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_ptp(uint64_t seconds, uint32_t nanoseconds, snt_time *out);

/**
 * A time as a PTP timestamp.
 *
 * @param      t           [ns, TAI], from 1970 on
 * @param[out] seconds     [s]
 * @param[out] nanoseconds [ns], 0..999999999
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL), SNT_ERR_RANGE (t is infinite or before 1970)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_ptp(snt_time t, uint64_t *seconds, uint32_t *nanoseconds);

/**
 * A GPS week and time of week, in the rollover period that brings it nearest to the pivot.
 *
 * @param      week      week number as received
 * @param      tow_ns    time of week [ns], 0 up to a week
 * @param      week_bits width of the week number: 10 (legacy message, 1024 weeks), 13 (modern), 0 = full week
 * @param      pivot     a time known to be within half a rollover period (9.8 years for 10 bits) [ns, GPS];
 *                       ignored for 0 bits
 * @param[out] out       since 1980-01-06 [ns, GPS]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, other week_bits), SNT_ERR_RANGE (the week needs more bits, the time
 *         of week is a week or more, as milliseconds taken for seconds are, or the pivot is infinite), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_gps(uint32_t week, int64_t tow_ns, uint32_t week_bits, snt_time pivot,
                                     snt_time *out);

/**
 * A time as GPS week and time of week.
 *
 * @param      t         since 1980-01-06, not negative [ns, GPS]
 * @param      week_bits width to cut the week number to: 10, 13, or 0 = full week
 * @param[out] week      week number
 * @param[out] tow_ns    time of week [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an output is NULL, other week_bits), SNT_ERR_RANGE (t is infinite or negative)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_gps(snt_time t, uint32_t week_bits, uint32_t *week, int64_t *tow_ns);

/* ---- floating point seconds: explicit, lossy, and honest about it ---- */

/**
 * A time as double seconds, and how wrong that number is: at 1.7e9 s a double steps by 238 ns.
 *
 * @param      t       a finite time [ns]
 * @param[out] seconds nearest double or its neighbour [s]
 * @param[out] error   |seconds − t| is at most this [s]; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (seconds is NULL), SNT_ERR_RANGE (t is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_to_seconds(snt_time t, double *seconds, double *error);

/**
 * Double seconds as a time, and how far the instant that somebody rounded to this double may lie from it.
 *
 * @param      seconds  [s]
 * @param[out] out      nearest ns [ns]
 * @param[out] error_ns half the spacing of doubles here, plus rounding, rounded up [ns]; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_NON_FINITE, SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_seconds(double seconds, snt_time *out, snt_duration *error_ns);

/**
 * Single precision seconds as a time, only where single precision can hold it: near 1.7e9 s a float steps by 128 s.
 *
 * @param      seconds      [s]
 * @param      max_error_ns refuse where half the spacing of floats exceeds this; 0 = 1000000 (1 ms) [ns]
 * @param[out] out          nearest ns [ns]
 * @param[out] error_ns     half the spacing of floats here, plus rounding, rounded up [ns]; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, max_error_ns < 0), SNT_ERR_NON_FINITE, SNT_ERR_PRECISION (the type
 *         is too coarse here), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_from_seconds_f32(float seconds, snt_duration max_error_ns, snt_time *out,
                                             snt_duration *error_ns);

/** Room for any text that ::snt_duration_format writes, with its NUL. */
#define SNT_DURATION_SIZE 24

/**
 * Write a duration in seconds, such as 49.100000000 or -0.25: exact decimals, no floating point.
 *
 * @param      d      a finite duration [ns]
 * @param      digits of the fraction, 0..9; finer ones are dropped towards minus infinity
 * @param[out] text   cut to fit and always terminated
 * @param      size   of `text`, SNT_DURATION_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (text is NULL), SNT_ERR_RANGE (d is infinite or unknown, or digits > 9),
 *         SNT_ERR_BUFFER_TOO_SMALL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_duration_format(snt_duration d, uint32_t digits, char *text, size_t size);

/* ---- intervals: every result contains whatever it could be ---- */

/** How two closed intervals lie to each other. */
enum {
    SNT_ORDER_BEFORE = -1, /**< every moment of a is before every moment of b */
    SNT_ORDER_EQUAL = 0,   /**< both are the same single point */
    SNT_ORDER_AFTER = 1,   /**< every moment of a is after every moment of b */
    SNT_ORDER_OVERLAP = 2  /**< they share a moment: the order is not known */
};

/**
 * The interval [t − before, t + after], outward where it leaves the int64 range.
 *
 * @param      t      a finite time [ns]
 * @param      before >= 0; SNT_UNKNOWN = no lower bound [ns]
 * @param      after  >= 0; SNT_UNKNOWN = no upper bound [ns]
 * @param[out] out    the interval
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (a negative error, t is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_around(snt_time t, snt_duration before, snt_duration after,
                                       snt_interval *out);

/**
 * All sums of a moment of a and one of b: [a.lo + b.lo, a.hi + b.hi].
 *
 * @param      a   an interval
 * @param      b   an interval
 * @param[out] out may be a or b
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an argument is NULL), SNT_ERR_RANGE (an interval has lo > hi)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_add(const snt_interval *a, const snt_interval *b, snt_interval *out);

/**
 * All differences of a moment of a and one of b: [a.lo − b.hi, a.hi − b.lo].
 *
 * @param      a   an interval
 * @param      b   an interval
 * @param[out] out may be a or b
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an argument is NULL), SNT_ERR_RANGE (an interval has lo > hi)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_sub(const snt_interval *a, const snt_interval *b, snt_interval *out);

/**
 * What both contain. Two intervals that hold the same truth always share a moment: an empty intersection proves that an
 * assumption behind one of them is broken.
 *
 * @param      a   an interval
 * @param      b   an interval
 * @param[out] out may be a or b; untouched if they share nothing
 * @retval SNT_OK, SNT_ERR_CONFLICT (nothing is in both), SNT_ERR_INVALID_ARG, SNT_ERR_RANGE (an interval has lo > hi)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_intersect(const snt_interval *a, const snt_interval *b, snt_interval *out);

/**
 * The smallest interval that contains both.
 *
 * @param      a   an interval
 * @param      b   an interval
 * @param[out] out may be a or b
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an argument is NULL), SNT_ERR_RANGE (an interval has lo > hi)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_hull(const snt_interval *a, const snt_interval *b, snt_interval *out);

/**
 * Whether the moment lies in the closed interval.
 *
 * @param interval an interval
 * @param t        a time [ns]
 * @return 1 or 0; 0 if `interval` is NULL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API int32_t snt_interval_contains(const snt_interval *interval, snt_time t);

/**
 * What can be said about the order of two moments known only to lie in these intervals. Touching intervals overlap.
 *
 * @param      a     an interval
 * @param      b     an interval
 * @param[out] order one of SNT_ORDER_*
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (an argument is NULL), SNT_ERR_RANGE (an interval has lo > hi)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_interval_compare(const snt_interval *a, const snt_interval *b, int32_t *order);

/* ---- what a wrong stamp costs ---- */

/** Where a stamp that is late by a delay puts the measurement. 32 bytes, frozen. */
typedef struct snt_delay_error {
    double position_m;  /**< v·L: the sensor is believed to be that far from where it was [m] */
    double bearing_rad; /**< ω·L: and turned by that much [rad] */
    double rotation_m;  /**< r·ω·L: what the turn moves a point at the range [m] */
    double point_m;     /**< v·L + r·ω·L: the sum for that point [m] */
} snt_delay_error;

/**
 * First-order geometric error of a stamp that is wrong by a delay: v·L, ω·L and v·L + r·ω·L.
 *
 * @param      delay    error of the stamp, either sign; not SNT_UNKNOWN [ns]
 * @param      speed    linear speed, either sign [m/s]
 * @param      turn     angular speed, either sign [rad/s]
 * @param      range    distance of the point, >= 0 [m]
 * @param[out] out      magnitudes
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_NON_FINITE, SNT_ERR_RANGE (range < 0, delay unknown)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stamp_delay_error(snt_duration delay, double speed, double turn, double range,
                                         snt_delay_error *out);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_STAMP_H */
