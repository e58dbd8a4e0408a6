/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sample.h
 * The nouns every room speaks in: clock domains, bounded times and samples.
 */
#ifndef SENSORTIME_SAMPLE_H
#define SENSORTIME_SAMPLE_H

#include "base.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Clock domains. Times of different domains are never subtracted. Ids from SNT_DOMAIN_USER on are the caller's: one
 * for each free-running device, each unsynchronised host.
 */
enum {
    SNT_DOMAIN_UNSPECIFIED = 0, /**< nobody said; compares only with itself */
    SNT_DOMAIN_UNIX = 1,        /**< UTC since 1970 without leap seconds (CLOCK_REALTIME, ROS system time) */
    SNT_DOMAIN_STEADY = 2,      /**< this host since boot (CLOCK_MONOTONIC) */
    SNT_DOMAIN_TAI = 3,         /**< TAI since 1970-01-01 TAI, as PTP distributes it */
    SNT_DOMAIN_GPS = 4,         /**< GPS time since 1980-01-06 */
    SNT_DOMAIN_SIM = 5,         /**< a simulator's or player's /clock */
    SNT_DOMAIN_USER = 64        /**< first id that is the caller's */
};

/**
 * What a bound rests on and how a time was made. Bits of snt_bounded_time.flags and snt_sample.flags.
 */
enum {
    SNT_TIME_BOUND_LO = 1 << 0,        /**< the lower bound holds, given the assumptions below */
    SNT_TIME_BOUND_HI = 1 << 1,        /**< the upper bound holds, given the assumptions below */
    SNT_TIME_CAUSAL = 1 << 2,          /**< uses: nothing arrives before it was sent */
    SNT_TIME_ASSUMED_DELAY = 1 << 3,   /**< uses a declared least or greatest delay */
    SNT_TIME_ASSUMED_RATE = 1 << 4,    /**< uses the declared bound of the clock's rate */
    SNT_TIME_ASSUMED_WANDER = 1 << 5,  /**< uses the declared bound of the rate's change */
    SNT_TIME_ASSUMED_QUANTUM = 1 << 6, /**< uses a declared resolution */
    SNT_TIME_HOLDOVER = 1 << 7,        /**< extrapolated without recent observations */
    SNT_TIME_RESTORED = 1 << 8,        /**< uses an exported mapping or an external fact */
    SNT_TIME_LEAP_EXPIRED = 1 << 9,    /**< the leap-second table had expired */
    SNT_TIME_LEAP_AMBIGUOUS = 1 << 10, /**< within the second that UTC stamps twice */
    SNT_TIME_SATURATED = 1 << 11,      /**< an end of the int64 range was reached */
    SNT_TIME_ROUNDED = 1 << 12,        /**< finer digits or ticks were dropped */
    SNT_TIME_DECLARED = 1 << 13        /**< the bound was declared by the caller, not derived */
};

/**
 * A time with a closed interval that contains the truth whenever the flagged assumptions hold. 40 bytes, frozen.
 */
typedef struct snt_bounded_time {
    snt_time t;       /**< best estimate, lo <= t <= hi [ns] */
    snt_time lo;      /**< not earlier than this; SNT_TIME_INFINITE_PAST without SNT_TIME_BOUND_LO [ns] */
    snt_time hi;      /**< not later than this; SNT_TIME_INFINITE_FUTURE without SNT_TIME_BOUND_HI [ns] */
    uint32_t domain;  /**< clock, SNT_DOMAIN_* or the caller's */
    uint32_t session; /**< session of the source; 0 = none kept */
    uint32_t version; /**< version of the mapping that made it; 0 = none */
    uint32_t flags;   /**< SNT_TIME_* bits */
} snt_bounded_time;

/** Which moment of the measurement a sample's times mean. */
enum {
    SNT_EVENT_UNSPECIFIED = 0,    /**< nobody said */
    SNT_EVENT_INSTANT = 1,        /**< a measurement that takes no time: IMU, encoder, contact */
    SNT_EVENT_EXPOSURE = 2,       /**< [t0, t1] = exposure start and end */
    SNT_EVENT_EXPOSURE_START = 3, /**< t0 = t1 = exposure start */
    SNT_EVENT_EXPOSURE_MID = 4,   /**< t0 = t1 = middle of the exposure */
    SNT_EVENT_EXPOSURE_END = 5,   /**< t0 = t1 = exposure end */
    SNT_EVENT_SWEEP = 6, /**< [t0, t1] = first and last ray of a scan, or first and last row of a frame */
    SNT_EVENT_SWEEP_START = 7, /**< t0 = t1 = first ray (LaserScan's header) */
    SNT_EVENT_SWEEP_MID = 8,   /**< t0 = t1 = middle of the sweep */
    SNT_EVENT_SWEEP_END = 9,   /**< t0 = t1 = last ray */
    SNT_EVENT_TRANSFER = 10,   /**< transfer complete: later than the measurement */
    SNT_EVENT_RECEIVE = 11,    /**< seen by the host: later than the measurement */
    SNT_EVENT_PUBLISH = 12,    /**< published: later than the measurement */
    SNT_EVENT_INPUTS = 13      /**< [t0, t1] = first and last input of a model fed with several samples */
};

/**
 * What a queue, matcher or admission check is given about one message. 96 bytes, frozen.
 *
 * The acquisition is the interval [t0, t1], equal for an instant. The bound is asymmetric: an event stamped t (t0, t1
 * or between) truly happened in [t − err_lo, t + err_hi] where the SNT_TIME_BOUND_* flags are set; without a flag that
 * side is unknown and its error field ignored. Receive and completion time never stand in for acquisition.
 */
typedef struct snt_sample {
    snt_time t0_ns;          /**< first moment of acquisition [ns, domain] */
    snt_time t1_ns;          /**< last moment of acquisition, >= t0_ns [ns, domain] */
    snt_duration err_lo_ns;  /**< how much earlier the truth may be, >= 0 [ns] */
    snt_duration err_hi_ns;  /**< how much later the truth may be, >= 0 [ns] */
    snt_time receive_ns;     /**< when the host saw it; SNT_UNKNOWN = not recorded [ns, receive_domain] */
    snt_time complete_ns;    /**< when processing finished; SNT_UNKNOWN = not recorded [ns, receive_domain] */
    uint64_t token;          /**< the caller's: an index, a pointer; comes back unchanged */
    uint64_t sequence;       /**< acquisition number at the source; 0 = none */
    uint32_t source;         /**< the caller's id of the sensor or topic */
    uint32_t event;          /**< SNT_EVENT_* */
    uint32_t domain;         /**< clock of t0, t1 */
    uint32_t session;        /**< session of the source; 0 = none kept */
    uint32_t version;        /**< mapping version; 0 = none */
    uint32_t flags;          /**< SNT_TIME_* bits */
    uint32_t receive_domain; /**< clock of receive and complete */
    uint32_t reserved;       /**< 0 */
} snt_sample;

/**
 * Fill a sample for an instant with nothing else known: no bound, no session, receive and completion not recorded.
 *
 * @param[out] sample what to fill; NULL does nothing
 * @param      t      acquisition time [ns, domain]
 * @param      domain clock of `t`
 * @param      token  the caller's
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_sample_init(snt_sample *sample, snt_time t, uint32_t domain, uint64_t token);

/* ---- bounded times ---- */

/**
 * A time with a bound that the caller declares. An infinite error leaves that side unknown.
 *
 * @param      t       best estimate, finite [ns, domain]
 * @param      err_lo  how much earlier the truth may be, >= 0; SNT_UNKNOWN = nobody knows [ns]
 * @param      err_hi  how much later the truth may be, >= 0; SNT_UNKNOWN = nobody knows [ns]
 * @param      domain  clock of `t`
 * @param      session session of the source; 0 = none kept
 * @param[out] out     with SNT_TIME_DECLARED and the BOUND flags of the known sides
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL), SNT_ERR_RANGE (t is infinite, an error negative)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_init(snt_time t, snt_duration err_lo, snt_duration err_hi,
                                         uint32_t domain, uint32_t session, snt_bounded_time *out);

/**
 * Whether it is one: lo <= t <= hi, t finite, and an end infinite exactly where its BOUND flag is missing.
 *
 * @param time a bounded time
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_RANGE (it is none)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_check(const snt_bounded_time *time);

/**
 * A bounded time moved by a duration that is itself known only within a bound.
 *
 * @param      time  a bounded time
 * @param      d     duration, either sign [ns]
 * @param      error the duration is within d ± error, >= 0; SNT_UNKNOWN = nobody knows [ns]
 * @param[out] out   may be `time`; a bound that leaves the int64 range becomes unknown and SNT_TIME_SATURATED is set
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_RANGE (`time` is none, d infinite or error negative),
 *         SNT_ERR_OVERFLOW (t leaves the range)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_add(const snt_bounded_time *time, snt_duration d, snt_duration error,
                                        snt_bounded_time *out);

/** A difference of two bounded times. 32 bytes, frozen. */
typedef struct snt_bounded_duration {
    snt_duration d;    /**< best estimate, lo <= d <= hi [ns] */
    snt_duration lo;   /**< not shorter than this; INT64_MIN without SNT_TIME_BOUND_LO [ns] */
    snt_duration hi;   /**< not longer than this; INT64_MAX without SNT_TIME_BOUND_HI [ns] */
    uint32_t flags;    /**< SNT_TIME_* bits of both */
    uint32_t reserved; /**< 0 */
} snt_bounded_duration;

/**
 * a − b, with the plain sum of both bounds. Times of different domains are never subtracted, nor of different sessions of
 * one source; a session of 0 claims nothing and is not compared. For times of different sources use ::snt_sample, which
 * knows them apart.
 *
 * @param      a   a bounded time
 * @param      b   a bounded time
 * @param[out] out the difference
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_RANGE (an argument is no bounded time), SNT_ERR_DOMAIN,
 *         SNT_ERR_SESSION, SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_sub(const snt_bounded_time *a, const snt_bounded_time *b,
                                        snt_bounded_duration *out);

/**
 * What can be said about the order of two events.
 *
 * @param      a     a bounded time
 * @param      b     a bounded time
 * @param[out] order one of SNT_ORDER_*
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_RANGE (an argument is no bounded time), SNT_ERR_DOMAIN,
 *         SNT_ERR_SESSION
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_compare(const snt_bounded_time *a, const snt_bounded_time *b,
                                            int32_t *order);

/**
 * How far apart two events are at most and at least: |ta − tb| + ua + ub and max(0, |ta − tb| − ua − ub) for symmetric
 * bounds, exactly the extremes for others.
 *
 * @param      a        a bounded time
 * @param      b        a bounded time
 * @param[out] least    not closer than this, >= 0; NULL if not wanted [ns]
 * @param[out] greatest not further than this; SNT_UNKNOWN where a bound is missing; NULL if not wanted [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a or b is NULL), SNT_ERR_RANGE (an argument is no bounded time), SNT_ERR_DOMAIN,
 *         SNT_ERR_SESSION
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_bounded_time_separation(const snt_bounded_time *a, const snt_bounded_time *b,
                                               snt_duration *least, snt_duration *greatest);

/* ---- samples ---- */

/**
 * Whether the fields fit together: finite t0 <= t1, errors not negative where their flag is set, a known event that is an
 * interval only where events may be.
 *
 * @param sample a sample
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_RANGE (they do not)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sample_check(const snt_sample *sample);

/**
 * Set a sample's times from bounded times of its first and last moment. Domain, session, version and flags are taken from
 * them; the bound covers both.
 *
 * @param[in,out] sample what to set; its other fields are kept
 * @param         first  first moment of acquisition
 * @param         last   last moment, of the same domain and session and not before the first; NULL = `first`, an instant
 * @param         event  one of SNT_EVENT_*
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_RANGE (no bounded times, last before first, or an
 *         unknown event), SNT_ERR_DOMAIN, SNT_ERR_SESSION
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sample_set_times(snt_sample *sample, const snt_bounded_time *first,
                                        const snt_bounded_time *last, uint32_t event);

/** Which moment of a sample's [t0, t1]. */
enum {
    SNT_AT_FIRST = 0,  /**< t0 */
    SNT_AT_MIDDLE = 1, /**< halfway, rounded down */
    SNT_AT_LAST = 2    /**< t1 */
};

/**
 * One moment of a sample as a bounded time.
 *
 * @param      sample a sample
 * @param      at     SNT_AT_FIRST, SNT_AT_MIDDLE or SNT_AT_LAST
 * @param[out] out    with the sample's domain, session, version and flags
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL, unknown `at`), SNT_ERR_RANGE (::snt_sample_check)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sample_moment(const snt_sample *sample, uint32_t at, snt_bounded_time *out);

/**
 * When the sample was certainly taken: [t0 − err_lo, t1 + err_hi], infinite where a bound is unknown.
 *
 * @param      sample a sample
 * @param[out] out    outer interval [ns, domain]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_RANGE (::snt_sample_check)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sample_span(const snt_sample *sample, snt_interval *out);

/**
 * Whether times of two samples may be put together at all: one domain, and one session where they come from one source.
 *
 * @param a a sample
 * @param b a sample
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_DOMAIN, SNT_ERR_SESSION
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sample_comparable(const snt_sample *a, const snt_sample *b);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_SAMPLE_H */
