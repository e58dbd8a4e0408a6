/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tick_unwrapper.h
 * From a device's wrapping counter to a count that does not wrap.
 *
 * A raw value r of a counter with modulus M stands for one of r + k·M. A prediction (where the counter must be by now)
 * picks k; a reading is accepted only when exactly one candidate lies inside. A guess is never made: two candidates are
 * SNT_ERR_AMBIGUOUS, none is SNT_ERR_RESET_SUSPECT. A known rollover thus keeps the session, and a reboot does not pass
 * for a rollover. The prediction is an argument, so this type depends on no clock.
 */
#ifndef SENSORTIME_TICK_UNWRAPPER_H
#define SENSORTIME_TICK_UNWRAPPER_H

#include "base.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An unwrapper: the counter's description and the readings accepted last. */
typedef struct snt_tick_unwrapper snt_tick_unwrapper;

/** Well-known counters for ::snt_tick_unwrapper_config_preset. */
enum {
    SNT_TICKS_U64_NS = 0,         /**< nanoseconds that never wrap */
    SNT_TICKS_U32_US = 1,         /**< 32-bit microseconds: wraps every 71.58 min */
    SNT_TICKS_U32_NS = 2,         /**< 32-bit nanoseconds: wraps every 4.295 s */
    SNT_TICKS_U32_MS = 3,         /**< 32-bit milliseconds: wraps every 49.71 d */
    SNT_TICKS_U24_MS = 4,         /**< 24-bit milliseconds (Hokuyo): wraps every 4.66 h */
    SNT_TICKS_TOP_OF_HOUR_US = 5, /**< microseconds since the full hour (Velodyne) */
    SNT_TICKS_GPS_WEEK_MS = 6,    /**< milliseconds of the GPS week */
    SNT_TICKS_PPS_SECOND_NS = 7   /**< nanoseconds since the last PPS edge */
};

/** Description of a counter. */
typedef struct snt_tick_unwrapper_config {
    uint32_t struct_size;   /**< sizeof this struct */
    uint32_t counter_bits;  /**< width, 1..64, used where `modulus` is 0; 64 never wraps; default 64 */
    uint64_t modulus;       /**< values run 0..modulus−1; 0 = 2^counter_bits; default 0 [ticks] */
    int64_t tick_num_ns;    /**< one tick is tick_num_ns/tick_den ns, exactly; > 0, default 1 [ns] */
    int64_t tick_den;       /**< > 0, default 1 */
    uint64_t reorder_ticks; /**< how far a late reading may lie before the newest one; default 0 [ticks] */
} snt_tick_unwrapper_config;

/** Facts about a reading; bits of snt_tick_reading.flags. */
enum {
    SNT_TICK_FIRST = 1 << 0,     /**< first reading of the session */
    SNT_TICK_WRAPPED = 1 << 1,   /**< the counter rolled over since the newest reading */
    SNT_TICK_REORDERED = 1 << 2, /**< older than the newest reading, within the reorder window */
    SNT_TICK_PREDICTED = 1 << 3  /**< chosen by the prediction, not by continuity */
};

/** An unwrapped reading. 32 bytes, frozen. */
typedef struct snt_tick_reading {
    int64_t ticks;     /**< raw + wraps·modulus [ticks] */
    int64_t device_ns; /**< floor(ticks·num/den): nominal device time [ns] */
    int64_t
        step_ns; /**< from the newest accepted reading before; negative if reordered; 0 for the first [ns] */
    uint32_t flags;    /**< SNT_TICK_* bits */
    uint32_t reserved; /**< 0 */
} snt_tick_reading;

/**
 * Fill a description with its defaults: a 64-bit count of nanoseconds.
 *
 * @param[out] cfg  description to fill
 * @param      size sizeof *cfg as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tick_unwrapper_config_init(snt_tick_unwrapper_config *cfg, size_t size);

/**
 * Fill a description with one of the well-known counters.
 *
 * @param[out] cfg    description to fill
 * @param      size   sizeof *cfg as the caller was compiled
 * @param      preset one of SNT_TICKS_*
 * @retval SNT_OK, SNT_ERR_INVALID_ARG for an unknown preset or a NULL or too short `cfg`
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tick_unwrapper_config_preset(snt_tick_unwrapper_config *cfg, size_t size,
                                                    uint32_t preset);

/**
 * Make an unwrapper.
 *
 * @param      cfg       description; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the unwrapper; NULL on failure
 * @retval SNT_OK, SNT_ERR_NO_MEMORY
 * @retval SNT_ERR_INVALID_ARG a field is out of range, or the reorder window reaches half the modulus
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_tick_unwrapper_create(const snt_tick_unwrapper_config *cfg,
                                             const snt_allocator *allocator, snt_tick_unwrapper **out);

/**
 * Free an unwrapper.
 *
 * @param unwrapper an unwrapper, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_tick_unwrapper_destroy(snt_tick_unwrapper *unwrapper);

/**
 * Unwrap a reading and remember it.
 *
 * With a prediction, exactly one candidate raw + k·M must lie in it (widened by one tick for rounding). Without one the
 * reading must continue the newest by less than half the modulus. A refused reading changes nothing.
 *
 * @param      unwrapper an unwrapper
 * @param      raw       value of the counter, 0..modulus−1 [ticks]
 * @param      predicted interval the device time must lie in [device ns]; NULL = continuity only
 * @param[out] out       the reading
 * @retval SNT_OK                accepted; out-of-order ones within the window carry SNT_TICK_REORDERED
 * @retval SNT_ERR_RANGE         raw >= modulus: not this kind of counter, or not locked to what it should count
 * @retval SNT_ERR_AMBIGUOUS     more than one candidate fits, or the prediction is as wide as the modulus
 * @retval SNT_ERR_RESET_SUSPECT no candidate fits the prediction, or a counter that cannot wrap fell back
 * @retval SNT_ERR_DUPLICATE     this reading was accepted before (the last eight are remembered)
 * @retval SNT_ERR_BACKWARD      it fits the prediction but lies before the reorder window
 * @retval SNT_ERR_OVERFLOW      the device time leaves the int64 range
 * @retval SNT_ERR_INVALID_ARG   NULL, or an interval with lo > hi
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tick_unwrapper_accept(snt_tick_unwrapper *unwrapper, uint64_t raw,
                                             const snt_interval *predicted, snt_tick_reading *out);

/**
 * What ::snt_tick_unwrapper_accept would answer, without remembering anything.
 *
 * @param      unwrapper an unwrapper
 * @param      raw       value of the counter [ticks]
 * @param      predicted interval the device time must lie in [device ns]; NULL = continuity only
 * @param[out] out       the reading
 * @return as ::snt_tick_unwrapper_accept
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tick_unwrapper_peek(const snt_tick_unwrapper *unwrapper, uint64_t raw,
                                           const snt_interval *predicted, snt_tick_reading *out);

/**
 * Forget all readings: the device restarted or another session began.
 *
 * @param unwrapper an unwrapper; NULL does nothing
 * @thread H  @alloc never  @since 1.0
 */
SNT_API void snt_tick_unwrapper_restart(snt_tick_unwrapper *unwrapper);

/**
 * The counter's period.
 *
 * @param      unwrapper an unwrapper
 * @param[out] out       modulus·num/den, rounded down; SNT_UNKNOWN for a counter that never wraps [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tick_unwrapper_period(const snt_tick_unwrapper *unwrapper, int64_t *out);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_TICK_UNWRAPPER_H */
