/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file imu_buffer.h
 * The last seconds of an IMU: how far it covers a scan, and the motion it tells deskewing.
 *
 * Angular rates are integrated on SO(3) between samples; where accelerations and a start state are given, velocity and
 * position follow. The buffer is fed from one callback and read from another: every call takes a short lock.
 */
#ifndef SENSORTIME_IMU_BUFFER_H
#define SENSORTIME_IMU_BUFFER_H

#include "base.h"
#include "pose.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An IMU's recent samples in time order. */
typedef struct snt_imu_buffer snt_imu_buffer;

/** Bits of snt_imu_sample.flags. */
enum {
    SNT_IMU_HAS_ACCELERATION = 1 << 0 /**< `acceleration` is a measurement */
};

/** One IMU measurement. 64 bytes, frozen. */
typedef struct snt_imu_sample {
    snt_time stamp_ns;      /**< when it was measured [ns, the buffer's domain] */
    double rate[3];         /**< angular rate in IMU axes [rad/s], bias included */
    double acceleration[3]; /**< specific force in IMU axes [m/s²], bias and gravity's reaction included */
    uint32_t flags;         /**< SNT_IMU_* */
    uint32_t reserved;      /**< 0 */
} snt_imu_sample;

/** Settings of an IMU buffer. */
typedef struct snt_imu_buffer_config {
    uint32_t struct_size; /**< sizeof(snt_imu_buffer_config) */
    uint32_t capacity;    /**< samples kept, the oldest go first; default 4096 (4 s at 1 kHz) */
    uint32_t domain;      /**< clock of the stamps; default SNT_DOMAIN_UNSPECIFIED */
    uint32_t reserved;    /**< 0 */
    snt_duration
        reorder_ns; /**< samples this much older than the newest are still sorted in; default 100 ms [ns] */
    snt_pose T_body_imu; /**< where the IMU sits on the body; default identity (all zero means that too) */
    snt_epoch *epoch;    /**< session of the stamps: a bump empties the buffer; NULL = none kept */
} snt_imu_buffer_config;

/** How the samples cover an interval. 64 bytes, frozen. */
typedef struct snt_imu_margins {
    snt_duration
        start_ns; /**< begin − oldest sample: negative where the beginning is not covered; SNT_UNKNOWN when empty [ns] */
    snt_duration
        end_ns; /**< newest sample − end: negative where the end is not covered; SNT_UNKNOWN when empty [ns] */
    snt_duration
        max_gap_ns; /**< longest hole between neighbours that reaches into the interval; 0 with fewer than two [ns] */
    snt_time oldest_ns; /**< oldest sample kept; SNT_UNKNOWN when empty [ns] */
    snt_time newest_ns; /**< newest sample kept; SNT_UNKNOWN when empty [ns] */
    uint64_t inside;    /**< samples in the interval */
    uint64_t count;     /**< samples kept */
    uint32_t session;   /**< session the samples belong to; 0 = none kept */
    uint32_t reserved;  /**< 0 */
} snt_imu_margins;

/** What the buffer did with what it was given, since create. 64 bytes, frozen. */
typedef struct snt_imu_counters {
    uint64_t inserted;   /**< samples taken */
    uint64_t late;       /**< of these, sorted in behind newer ones */
    uint64_t duplicate;  /**< refused: the stamp is there already */
    uint64_t backward;   /**< refused: older than the reorder window */
    uint64_t non_finite; /**< refused: NaN or infinite */
    uint64_t evicted;    /**< oldest samples dropped for new ones */
    uint64_t resets;     /**< times the buffer was emptied by its epoch or a clear */
    uint64_t reserved;   /**< 0 */
} snt_imu_counters;

/**
 * Fill a config with the defaults.
 *
 * @param[out] config what to fill
 * @param      size   sizeof(snt_imu_buffer_config)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_imu_buffer_config_init(snt_imu_buffer_config *config, size_t size);

/**
 * Make an empty buffer.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the buffer; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (struct_size, capacity above 2^24, negative window), SNT_ERR_NON_FINITE,
 *         SNT_ERR_BAD_QUATERNION (T_body_imu), SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_create(const snt_imu_buffer_config *config, const snt_allocator *allocator,
                                         snt_imu_buffer **out);

/**
 * Free a buffer.
 *
 * @param buffer a buffer no thread uses any more, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_imu_buffer_destroy(snt_imu_buffer *buffer);

/**
 * Add one sample. Late ones are sorted in within the reorder window; a full buffer drops its oldest. O(1), O(late) for
 * late samples.
 *
 * @param buffer a buffer
 * @param sample the measurement
 * @retval SNT_OK
 * @retval SNT_ERR_DUPLICATE  the stamp is there already; the first sample stays
 * @retval SNT_ERR_BACKWARD   older than the reorder window, or than everything in a full buffer
 * @retval SNT_ERR_NON_FINITE a number is NaN or infinite
 * @retval SNT_ERR_INVALID_ARG NULL, or unknown flags
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_insert(snt_imu_buffer *buffer, const snt_imu_sample *sample);

/**
 * ::snt_imu_buffer_insert for many samples, in their order, under one lock. One that is refused does not keep the others
 * out. O(count) in order.
 *
 * @param      buffer   a buffer
 * @param      samples  the measurements
 * @param      count    how many
 * @param[out] statuses `count` outcomes, as of ::snt_imu_buffer_insert; NULL = not wanted
 * @return the first outcome that is not SNT_OK, else SNT_OK; SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_insert_many(snt_imu_buffer *buffer, const snt_imu_sample *samples,
                                              uint64_t count, snt_status *statuses);

/**
 * Declare what the estimator believes the biases to be; subtracted from every sample when it is used.
 *
 * @param buffer            a buffer
 * @param rate_bias         three numbers in IMU axes [rad/s]; NULL = zero
 * @param acceleration_bias three numbers in IMU axes [m/s²]; NULL = zero
 * @retval SNT_OK, SNT_ERR_NON_FINITE, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_set_bias(snt_imu_buffer *buffer, const double *rate_bias,
                                           const double *acceleration_bias);

/**
 * How far the samples cover [begin, end]. O(log n + samples inside).
 *
 * @param      buffer   a buffer
 * @param      begin_ns first moment that matters [ns]
 * @param      end_ns   last moment that matters, >= begin [ns]
 * @param[out] out      the margins
 * @retval SNT_OK, SNT_EMPTY (no sample: `out` says so), SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_margins(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                                          snt_imu_margins *out);

/**
 * Copy samples out, oldest first, from the last one at or before `begin` to the first one at or after `end`.
 *
 * @param      buffer   a buffer
 * @param      begin_ns first moment that matters [ns]
 * @param      end_ns   last moment that matters, >= begin [ns]
 * @param[out] out      room for `capacity` samples; may be NULL with capacity 0 to ask for the count
 * @param      capacity samples that fit
 * @param[out] count    samples there are
 * @retval SNT_OK, SNT_EMPTY (none), SNT_ERR_BUFFER_TOO_SMALL (`count` says how many are needed), SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_copy(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                                       snt_imu_sample *out, uint64_t capacity, uint64_t *count);

/**
 * What was taken and refused since create.
 *
 * @param      buffer a buffer
 * @param[out] out    the counters
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_buffer_counters(snt_imu_buffer *buffer, snt_imu_counters *out);

/**
 * Forget all samples; biases and counters stay.
 *
 * @param buffer a buffer, or NULL
 * @thread L  @alloc never  @since 1.0
 */
SNT_API void snt_imu_buffer_clear(snt_imu_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_IMU_BUFFER_H */
