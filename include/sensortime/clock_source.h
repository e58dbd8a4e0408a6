/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock_source.h
 * Where "now" comes from: the system's clocks, or a simulated one that can stand still, run at another speed and jump.
 *
 * This is the only part of the library that reads a clock. Everything else is given its two nows as arguments: steady time
 * for timeouts, stamp time for ages. The simulated clock takes the time of a simulator or player (/clock) and interpolates
 * it on steady time, or is stepped by a test. Deadlines live on steady time and therefore fire while simulated time stands.
 */
#ifndef SENSORTIME_CLOCK_SOURCE_H
#define SENSORTIME_CLOCK_SOURCE_H

#include "base.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The host's wall clock (CLOCK_REALTIME). It may step: use it for ages of stamps, never for timeouts.
 *
 * @param[out] now [ns, unix]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_UNSUPPORTED (the system has none)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_system_now(snt_time *now);

/**
 * The host's steady clock (CLOCK_MONOTONIC), which never steps and stops with the host where that sleeps.
 *
 * @param[out] now since an arbitrary moment, boot as a rule [ns, steady]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_UNSUPPORTED (the system has none)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_steady_now(snt_time *now);

/**
 * Both clocks of one moment: the wall clock read between two readings of the steady one. The moment of `system` lies in
 * [steady_before, steady_after], which is an observation that ::snt_clock_map takes as it is.
 *
 * @param[out] steady_before [ns, steady]
 * @param[out] system        [ns, unix]
 * @param[out] steady_after  [ns, steady]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_UNSUPPORTED (the system has no such clocks)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_cross_now(snt_time *steady_before, snt_time *system, snt_time *steady_after);

/** A source of stamp time. */
typedef struct snt_clock_source snt_clock_source;

/** What a source follows. */
enum {
    SNT_SOURCE_SYSTEM = 0,   /**< the host's wall clock */
    SNT_SOURCE_STEADY = 1,   /**< the host's steady clock */
    SNT_SOURCE_SIMULATED = 2 /**< what ::snt_clock_source_set says */
};

/** How to make a source. */
typedef struct snt_clock_source_config {
    uint32_t struct_size; /**< sizeof this struct */
    uint32_t kind;        /**< SNT_SOURCE_*; default SNT_SOURCE_SYSTEM */
    uint32_t domain; /**< domain of its times; 0 = unix, steady or simulated after its kind, the default */
    uint32_t hold;   /**< simulated: 1 = time moves only when set; 0 = runs on between, the default */
    int64_t
        jump_forward_ns; /**< simulated: a set further ahead of the running time than this is a jump; 0 = 1 s, the
                                     default; SNT_UNKNOWN = never [ns] */
    int64_t
        jump_back_ns;  /**< simulated: a set further back than this is a jump, a smaller one only makes time
                                     stand until it has caught up; default 0 = every step back is a jump [ns] */
    int64_t speed_num; /**< simulated: speed as a fraction, > 0; default 1 */
    int64_t speed_den; /**< > 0; default 1 */
    snt_epoch
        *epoch; /**< bumped with SNT_EPOCH_REPLAY_SEEK at each jump; referenced; NULL = none, the default */
} snt_clock_source_config;

/**
 * Fill a config with its defaults.
 *
 * @param[out] cfg  config to fill
 * @param      size sizeof *cfg as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_clock_source_config_init(snt_clock_source_config *cfg, size_t size);

/**
 * Make a source. A simulated one has no time before its first ::snt_clock_source_set.
 *
 * @param      cfg       config; NULL = the system's wall clock
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the source; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a field out of range), SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_clock_source_create(const snt_clock_source_config *cfg, const snt_allocator *allocator,
                                           snt_clock_source **out);

/**
 * Free a source. No thread may still use it.
 *
 * @param source a source, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_clock_source_destroy(snt_clock_source *source);

/**
 * The source's time now, read from the host's clocks.
 *
 * @param      source a source
 * @param[out] now    [ns, the source's domain]
 * @retval SNT_OK
 * @retval SNT_PENDING             simulated, and no time was set yet: wait for the first message
 * @retval SNT_ERR_INVALID_ARG     NULL
 * @retval SNT_ERR_UNSUPPORTED     the system lacks the clock
 * @retval SNT_ERR_OVERFLOW        the simulated time left its range
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_now(snt_clock_source *source, snt_time *now);

/**
 * A simulated source's time at a given steady time: what ::snt_clock_source_now does, without reading a clock. Two reads
 * between jumps never go back, also if `steady` does.
 *
 * @param      source a simulated source
 * @param      steady the moment asked about [ns, steady]
 * @param[out] now    [ns, the source's domain]
 * @retval SNT_OK, SNT_PENDING (no time was set yet), SNT_ERR_INVALID_ARG (NULL, or not simulated), SNT_ERR_RANGE (steady is
 *         infinite), SNT_ERR_OVERFLOW
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_at(snt_clock_source *source, snt_time steady, snt_time *now);

/** What a set did. */
enum {
    SNT_JUMP_NONE = 0,    /**< time went on */
    SNT_JUMP_FIRST = 1,   /**< the first time: the source has one now */
    SNT_JUMP_FORWARD = 2, /**< a jump ahead beyond the threshold */
    SNT_JUMP_BACK = 3,    /**< a jump back beyond the threshold: a seek, a loop, a simulator's reset */
    SNT_JUMP_WAITING = 4  /**< a small step back: time stands until it has caught up */
};

/**
 * Tell a simulated source the time, as a /clock message does. A jump bumps the epoch of the config.
 *
 * @param      source a simulated source
 * @param      steady when that was so [ns, steady]
 * @param      time   simulated time then [ns, the source's domain]
 * @param[out] jump   one of SNT_JUMP_*; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL, or not simulated), SNT_ERR_RANGE (a time is infinite), SNT_ERR_OVERFLOW
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_set(snt_clock_source *source, snt_time steady, snt_time time,
                                        uint32_t *jump);

/**
 * Make simulated time stand, or run again from where it stood.
 *
 * @param source a simulated source
 * @param steady now [ns, steady]
 * @param paused 1 to stand, 0 to run
 * @retval SNT_OK, SNT_PENDING (no time was set yet; remembered), SNT_ERR_INVALID_ARG (NULL, or not simulated), SNT_ERR_RANGE
 *         (steady is infinite), SNT_ERR_OVERFLOW
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_pause(snt_clock_source *source, snt_time steady, int32_t paused);

/**
 * Change the speed from now on: num / den simulated seconds per second.
 *
 * @param source a simulated source
 * @param steady now [ns, steady]
 * @param num    > 0
 * @param den    > 0
 * @retval SNT_OK, SNT_PENDING (no time was set yet; remembered), SNT_ERR_INVALID_ARG (NULL, not simulated, or no positive
 *         fraction), SNT_ERR_RANGE (steady is infinite), SNT_ERR_OVERFLOW
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_speed(snt_clock_source *source, snt_time steady, int64_t num,
                                          int64_t den);

/** How a source is doing. 56 bytes, frozen. */
typedef struct snt_clock_source_state {
    snt_time set_time;      /**< last time it was told; SNT_UNKNOWN = none yet [ns] */
    snt_time set_steady;    /**< when; SNT_UNKNOWN = none yet [ns, steady] */
    uint64_t jumps_forward; /**< since create */
    uint64_t jumps_back;    /**< since create */
    uint64_t sets;          /**< times it was told, since create */
    uint32_t kind;          /**< SNT_SOURCE_* */
    uint32_t domain;        /**< of its times */
    uint32_t paused;        /**< 1 = stands */
    uint32_t session;       /**< of the epoch; 0 = none kept */
} snt_clock_source_state;

/**
 * What a source has seen.
 *
 * @param      source a source
 * @param[out] out    its state
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_source_inspect(snt_clock_source *source, snt_clock_source_state *out);

/* ---- deadlines ---- */

/** A moment on steady time by which something has to have happened. Plain data. 16 bytes, frozen. */
typedef struct snt_deadline {
    snt_time due;      /**< SNT_TIME_INFINITE_FUTURE = never [ns, steady] */
    snt_duration span; /**< what each renewal gives from then on; SNT_UNKNOWN = for ever [ns] */
} snt_deadline;

/**
 * Start a deadline. A lease of a motor driver, a watchdog, a wait for a message: all of them run on steady time, whatever
 * clock stamps the data.
 *
 * @param[out] deadline what to start
 * @param      steady   now [ns, steady]
 * @param      span     time allowed, >= 0; SNT_UNKNOWN = for ever [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_RANGE (steady is infinite, span negative)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deadline_start(snt_deadline *deadline, snt_time steady, snt_duration span);

/**
 * Give it the whole span again from now on: the sign of life arrived.
 *
 * @param[in,out] deadline a started deadline
 * @param         steady   now [ns, steady]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_RANGE (steady is infinite)
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deadline_renew(snt_deadline *deadline, snt_time steady);

/**
 * Whether it has passed.
 *
 * @param      deadline a started deadline
 * @param      steady   now [ns, steady]
 * @param[out] left     time left, negative since when it is over, clamped; SNT_UNKNOWN = for ever; NULL if not wanted [ns]
 * @retval SNT_OK (there is time left), SNT_ERR_TIMEOUT (over; `left` is written all the same), SNT_ERR_INVALID_ARG (NULL),
 *         SNT_ERR_RANGE (steady is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deadline_check(const snt_deadline *deadline, snt_time steady, snt_duration *left);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_CLOCK_SOURCE_H */
