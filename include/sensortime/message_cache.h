/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message_cache.h
 * Two small queues over time: a cache that remembers the last samples and answers by stamp, and a sequencer that gives
 * samples back in order of their stamps.
 */
#ifndef SENSORTIME_MESSAGE_CACHE_H
#define SENSORTIME_MESSAGE_CACHE_H

#include "base.h"
#include "drop_reason.h"
#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The last samples, ordered by stamp; equal stamps in order of arrival. */
typedef struct snt_message_cache snt_message_cache;

/** Whether a boundary itself counts: the C++ and the Python cache of message_filters differ in this. */
enum {
    SNT_CACHE_OPEN = 0,  /**< strictly before or after (message_filters C++) */
    SNT_CACHE_CLOSED = 1 /**< at the boundary counts (message_filters Python) */
};

/** Settings of a cache. Fill with ::snt_message_cache_config_init. */
typedef struct snt_message_cache_config {
    uint32_t struct_size; /**< sizeof(snt_message_cache_config) */
    uint32_t capacity;    /**< samples kept, 1..2^24; default 128 */
    uint32_t domain;      /**< clock; 0 = that of the first sample */
    uint32_t reserved;    /**< 0 */
    snt_epoch *epoch;     /**< shared session; a reference is taken; NULL = none */
} snt_message_cache_config;

/** Counters of a cache. 48 bytes, frozen. */
typedef struct snt_message_cache_stats {
    uint64_t in;      /**< samples accepted */
    uint64_t held;    /**< samples in it now */
    uint64_t evicted; /**< pushed out by a newer one, or too old for a full cache */
    uint64_t reset;   /**< dropped when a session ended or by clear */
    uint64_t refused; /**< of another clock or an earlier session */
    uint64_t late;    /**< accepted though older than the newest */
} snt_message_cache_stats;

/**
 * Defaults of a cache.
 *
 * @param[out] config what to fill
 * @param      size   sizeof *config of the caller
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_message_cache_config_init(snt_message_cache_config *config, size_t size);

/**
 * Make a cache.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the cache; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_message_cache_create(const snt_message_cache_config *config,
                                            const snt_allocator *allocator, snt_message_cache **out);

/**
 * Free a cache.
 *
 * @param cache a cache, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_message_cache_destroy(snt_message_cache *cache);

/**
 * Remember a sample by its t0. A full cache gives up its oldest; a sample older than all of a full cache is the oldest
 * itself (message_filters would evict a newer one for it).
 *
 * @param      cache   a cache
 * @param      sample  the sample; copied
 * @param[out] evicted what was pushed out, so that the owner of its token can let go; may be NULL. Written only
 *                     together with `*has_evicted` = 1
 * @param[out] has_evicted 1 if a sample left the cache, else 0; may be NULL
 * @retval SNT_OK             remembered
 * @retval SNT_ERR_DOMAIN     of another clock: not remembered
 * @retval SNT_ERR_SESSION    of an earlier session: not remembered
 * @retval SNT_ERR_INVALID_ARG NULL or t1 < t0
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_add(snt_message_cache *cache, const snt_sample *sample,
                                         snt_sample *evicted, uint32_t *has_evicted);

/**
 * All samples with lo <= t0 <= hi, ascending. O(log n + result).
 *
 * @param      cache    a cache
 * @param      lo       first stamp [ns]
 * @param      hi       last stamp [ns]; lo > hi gives none
 * @param[out] samples  the first `capacity` of them
 * @param      capacity entries in `samples`
 * @param[out] count    how many there are, whether or not they fit
 * @retval SNT_OK, SNT_EMPTY (none), SNT_ERR_BUFFER_TOO_SMALL (`capacity` written), SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_interval(snt_message_cache *cache, snt_time lo, snt_time hi,
                                              snt_sample *samples, uint32_t capacity, uint32_t *count);

/**
 * The samples that surround [lo, hi]: from the last with t0 <= lo (else the first) to the first with t0 >= hi (else the
 * newest). What interpolation over the interval needs. O(log n + result).
 *
 * @param      cache    a cache
 * @param      lo       first stamp [ns]
 * @param      hi       last stamp [ns]
 * @param[out] samples  the first `capacity` of them
 * @param      capacity entries in `samples`
 * @param[out] count    how many there are, whether or not they fit
 * @retval SNT_OK, SNT_EMPTY (empty cache, or nothing lies there), SNT_ERR_BUFFER_TOO_SMALL, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_surrounding(snt_message_cache *cache, snt_time lo, snt_time hi,
                                                 snt_sample *samples, uint32_t capacity, uint32_t *count);

/**
 * The newest sample before `t`.
 *
 * @param      cache    a cache
 * @param      t        boundary [ns]
 * @param      boundary SNT_CACHE_OPEN: t0 < t; SNT_CACHE_CLOSED: t0 <= t
 * @param[out] sample   the sample
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_before(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                            snt_sample *sample);

/**
 * The oldest sample after `t`.
 *
 * @param      cache    a cache
 * @param      t        boundary [ns]
 * @param      boundary SNT_CACHE_OPEN: t0 > t; SNT_CACHE_CLOSED: t0 >= t
 * @param[out] sample   the sample
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_after(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                           snt_sample *sample);

/**
 * The sample with the greatest stamp.
 *
 * @param      cache  a cache
 * @param[out] sample the sample
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_latest(snt_message_cache *cache, snt_sample *sample);

/**
 * The sample with the least stamp.
 *
 * @param      cache  a cache
 * @param[out] sample the sample
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_oldest(snt_message_cache *cache, snt_sample *sample);

/**
 * Forget everything.
 *
 * @param cache a cache
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_clear(snt_message_cache *cache);

/**
 * The counters; in = held + evicted + reset after every call.
 *
 * @param      cache a cache
 * @param[out] stats the counters
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_cache_get_stats(snt_message_cache *cache, snt_message_cache_stats *stats);

/** Gives samples back in order of their stamps, each after a declared delay. */
typedef struct snt_time_sequencer snt_time_sequencer;

/** Settings of a sequencer. Fill with ::snt_time_sequencer_config_init. */
typedef struct snt_time_sequencer_config {
    uint32_t struct_size;  /**< sizeof(snt_time_sequencer_config) */
    uint32_t capacity;     /**< samples that may wait, 1..2^24; default 128 */
    snt_duration delay_ns; /**< a sample comes out once now >= t0 + delay, >= 0; default 100 ms [ns] */
    uint32_t domain;       /**< clock; 0 = that of the first sample */
    uint32_t reserved;     /**< 0 */
    snt_epoch *epoch;      /**< shared session; a reference is taken; NULL = none */
} snt_time_sequencer_config;

/** A sample that will not be sequenced. 112 bytes, frozen. */
typedef struct snt_time_sequencer_drop {
    snt_sample sample;      /**< as given */
    snt_duration behind_ns; /**< LATE: how far behind the last one given out [ns]; else 0 */
    uint32_t reason;        /**< SNT_DROP_LATE, OVERFLOW_OLDEST, RESET, STRAGGLER, WRONG_DOMAIN or CLEARED */
    uint32_t reserved;      /**< 0 */
} snt_time_sequencer_drop;

/** Counters of a sequencer. 224 bytes, frozen. */
typedef struct snt_time_sequencer_stats {
    uint64_t in;                      /**< accepted tokens */
    uint64_t out;                     /**< given out in order */
    uint64_t held;                    /**< waiting */
    uint64_t refused;                 /**< adds refused with SNT_ERR_FULL */
    uint64_t dropped[SNT_DROP_COUNT]; /**< by reason */
} snt_time_sequencer_stats;

/**
 * Defaults of a sequencer.
 *
 * @param[out] config what to fill
 * @param      size   sizeof *config of the caller
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_time_sequencer_config_init(snt_time_sequencer_config *config, size_t size);

/**
 * Make a sequencer.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the sequencer; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_create(const snt_time_sequencer_config *config,
                                             const snt_allocator *allocator, snt_time_sequencer **out);

/**
 * Free a sequencer; clear and drain it first where tokens matter.
 *
 * @param sequencer a sequencer, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_time_sequencer_destroy(snt_time_sequencer *sequencer);

/**
 * Give a sample. O(log n). One older than the last given out is LATE; an equal stamp passes. Overflow drops the one
 * with the oldest stamp, and only that one.
 *
 * @param sequencer a sequencer
 * @param sample    the sample; ordered by t0
 * @retval SNT_OK taken; its outcome comes by poll or poll_drops
 * @retval SNT_ERR_FULL drops were not drained: not taken
 * @retval SNT_ERR_INVALID_ARG NULL or t1 < t0: not taken
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_add(snt_time_sequencer *sequencer, const snt_sample *sample);

/**
 * Take the next sample whose delay is over.
 *
 * @param      sequencer    a sequencer
 * @param      now_stamp_ns now on the samples' clock; SNT_TIME_INFINITE_FUTURE = whatever waits [ns, domain]
 * @param[out] sample       the sample
 * @retval SNT_OK
 * @retval SNT_PENDING samples wait, none is due
 * @retval SNT_EMPTY   nothing waits
 * @retval SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_poll(snt_time_sequencer *sequencer, snt_time now_stamp_ns,
                                           snt_sample *sample);

/**
 * Take what was dropped.
 *
 * @param      sequencer a sequencer
 * @param[out] drop      one dropped sample and why
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_poll_drop(snt_time_sequencer *sequencer, snt_time_sequencer_drop *drop);

/**
 * Drop all that waits with SNT_DROP_CLEARED and start over: any stamp is accepted again.
 *
 * @param sequencer a sequencer
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_clear(snt_time_sequencer *sequencer);

/**
 * The counters; in = out + held + sum of dropped after every call.
 *
 * @param      sequencer a sequencer
 * @param[out] stats     the counters
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_sequencer_get_stats(snt_time_sequencer *sequencer,
                                                snt_time_sequencer_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_MESSAGE_CACHE_H */
