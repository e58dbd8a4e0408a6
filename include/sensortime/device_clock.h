/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file device_clock.h
 * What a driver calls: raw ticks in, samples with an acquisition time and its bound out.
 *
 * A device clock is a tick unwrapper, a clock map and their sessions behind one handle with a short lock:
 *
 *     snt_device_clock_observe_arrival(clk, session, packet.ticks, host_ns, NULL);
 *     status = snt_device_clock_stamp(clk, session, packet.ticks, host_ns, 0, &sample);
 *
 * `session` is read (::snt_device_clock_session) before the packet is received. A packet that was in flight when the
 * device restarted then carries the old number and is refused. 0 stands for "whatever is current" and gives that up.
 *
 * It restarts itself where a break is certain: a violation, or several readings in a row that fit nothing but each other.
 * The order is always VALID → INVALID → REINITIALIZING → WARMING → VALID, one step per call at least, and the shared epoch
 * moves in between, so that dependants see it.
 */
#ifndef SENSORTIME_DEVICE_CLOCK_H
#define SENSORTIME_DEVICE_CLOCK_H

#include "admission.h"
#include "base.h"
#include "clock_map.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A device's clock as seen from this host. */
typedef struct snt_device_clock snt_device_clock;

/** The counter, what is assumed about the clock and the way, and how to recover. */
typedef struct snt_device_clock_config {
    uint32_t struct_size;     /**< sizeof this struct */
    uint32_t counter_bits;    /**< width, 1..64, where `counter_modulus` is 0; default 64 */
    uint64_t counter_modulus; /**< values run 0..modulus−1; 0 = 2^counter_bits, the default [ticks] */
    int64_t tick_num_ns;      /**< one tick is tick_num_ns/tick_den ns; > 0, default 1 [ns] */
    int64_t tick_den;         /**< > 0, default 1 */
    uint64_t reorder_ticks;   /**< how late a packet may overtake; default 0 [ticks] */
    int64_t
        latency_ns; /**< packets are never older than this when they arrive; only for telling rollovers and
                                    restarts apart, never for a bound; 0 = ten times `delay_max_ns` +
                                    `host_error_ns` but 1 s to 10 s, and at most an eighth of the period, the
                                    default [ns] */
    int64_t
        locked_error_ns; /**< the counter shows host time itself (top of the hour, GPS week, PPS second), to within
                                    this; SNT_UNKNOWN = it runs freely, the default [ns] */
    int64_t locked_offset_ns; /**< host time minus reading of a locked counter at its zero; default 0 [ns] */
    uint32_t source;          /**< id for the samples; default 0 */
    uint32_t event;           /**< SNT_EVENT_* of the samples; default SNT_EVENT_INSTANT */
    uint32_t
        reset_confirm; /**< readings in a row that fit only each other before a restart is believed; default 3 */
    uint32_t auto_restart;      /**< 1 = begin the next session at the next observation, 0 = wait for
                                    ::snt_device_clock_restart; default 1 */
    uint32_t device_domain;     /**< as in ::snt_clock_map_config, and so for all that follow */
    uint32_t host_domain;       /**< clock of receive times and answers */
    uint32_t max_vertices;      /**< of the feasible set */
    uint32_t versions;          /**< kept */
    uint32_t device_rounding;   /**< SNT_STAMP_* */
    uint32_t warm_observations; /**< before VALID */
    uint32_t suspect_window;    /**< arrivals whose floor is compared */
    uint32_t reserved;          /**< 0 */
    int64_t rate_bound_ppb;     /**< [ppb] */
    double wander_ppb_s;        /**< [ppb/s] */
    int64_t delay_min_ns;       /**< [ns] */
    int64_t delay_max_ns;       /**< [ns] */
    int64_t command_min_ns;     /**< [ns] */
    int64_t command_max_ns;     /**< [ns] */
    int64_t device_quantum_ns;  /**< SNT_UNKNOWN = one tick, rounded up, the default [ns] */
    int64_t host_error_ns;      /**< [ns] */
    int64_t warm_span_ns;       /**< [ns] */
    int64_t valid_width_ns;     /**< [ns] */
    int64_t holdover_after_ns;  /**< [ns] */
    int64_t horizon_ns;         /**< [ns] */
    snt_epoch *epoch;           /**< shared session; referenced; NULL = one of its own */
} snt_device_clock_config;

/** How a device clock is doing. 320 bytes, frozen. */
typedef struct snt_device_health {
    snt_clock_health map;    /**< state, reasons, session, version, evidence, width and its growth */
    snt_clock_proof proof;   /**< newest violation; side = SNT_PROOF_NONE where there was none */
    uint64_t stamped;        /**< samples given */
    uint64_t pending;        /**< not given: warming up */
    uint64_t duplicates;     /**< readings refused as seen before */
    uint64_t backward;       /**< readings refused as too late */
    uint64_t ambiguous;      /**< readings refused as having two meanings */
    uint64_t reset_suspects; /**< readings refused as not continuing the counter */
    uint64_t out_of_range;   /**< readings refused as no value of the counter */
    uint64_t wrong_session;  /**< calls refused as of another session */
    uint64_t invalid;        /**< calls refused because the mapping was INVALID */
    uint64_t violations;     /**< broken assumptions proven */
    uint64_t rollovers;      /**< of the counter, in this session */
    int64_t last_reading_ns; /**< newest unwrapped reading; SNT_UNKNOWN = none [device ns] */
    int64_t last_receive_ns; /**< when it came; SNT_UNKNOWN = none [host ns] */
    uint64_t reserved;       /**< 0 */
} snt_device_health;

/**
 * Fill a config with its defaults.
 *
 * @param[out] cfg  config to fill
 * @param      size sizeof *cfg as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_device_clock_config_init(snt_device_clock_config *cfg, size_t size);

/**
 * Make a device clock in state UNINIT.
 *
 * @param      cfg       config; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the clock; NULL on failure
 * @retval SNT_OK, SNT_ERR_NO_MEMORY, SNT_ERR_NON_FINITE
 * @retval SNT_ERR_INVALID_ARG a field is out of range or contradicts another
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_device_clock_create(const snt_device_clock_config *cfg, const snt_allocator *allocator,
                                           snt_device_clock **out);

/**
 * Free a device clock and its map. No thread may still use either.
 *
 * @param clock a device clock, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_device_clock_destroy(snt_device_clock *clock);

/**
 * The current session; read it before receiving, hand it in with what was received.
 *
 * @param clock a device clock; NULL gives 0
 * @return session number
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_device_clock_session(const snt_device_clock *clock);

/**
 * A packet stamped `raw` was received at `receive_ns`.
 *
 * @param      clock      a device clock
 * @param      session    session the packet was received in; 0 = current
 * @param      raw        counter as sent [ticks]
 * @param      receive_ns when the host saw it [host ns]
 * @param[out] proof      filled with SNT_ERR_VIOLATION; may be NULL
 * @retval SNT_OK                taken
 * @retval SNT_ERR_DUPLICATE     this reading came before: nothing was changed
 * @retval SNT_ERR_BACKWARD      older than the reorder window; after reset_confirm such readings in a row, at least two,
 *                               that keep pace with the host's clock the state is INVALID
 * @retval SNT_ERR_AMBIGUOUS     the gap was too long to tell how often the counter rolled over
 * @retval SNT_ERR_RESET_SUSPECT the counter does not continue; after reset_confirm such readings the state is INVALID
 * @retval SNT_ERR_RANGE         no value of this counter
 * @retval SNT_ERR_VIOLATION     contradicts the assumptions: the state is INVALID
 * @retval SNT_ERR_SESSION       of another session
 * @retval SNT_ERR_INVALID_STATE INVALID, and not to be restarted automatically
 * @retval SNT_ERR_HORIZON       too long after the last observation: the state is INVALID
 * @retval SNT_ERR_OVERFLOW, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_observe_arrival(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                    snt_time receive_ns, snt_clock_proof *proof);

/**
 * A command issued at `command_ns` caused the event stamped `raw`.
 *
 * @param      clock      a device clock
 * @param      session    session of the reading; 0 = current
 * @param      raw        counter at the event [ticks]
 * @param      command_ns when the host triggered it [host ns]
 * @param[out] proof      filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_device_clock_observe_arrival, without DUPLICATE and BACKWARD
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_observe_trigger(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                    snt_time command_ns, snt_clock_proof *proof);

/**
 * Note that a request leaves now (see ::snt_clock_map_request).
 *
 * @param      clock   a device clock
 * @param      session session the caller believes in; 0 = current
 * @param      send_ns when it leaves [host ns]
 * @param[out] request id to send along
 * @retval SNT_OK, SNT_ERR_SESSION, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_request(snt_device_clock *clock, uint32_t session, snt_time send_ns,
                                            uint32_t *request);

/**
 * The reply to a request.
 *
 * @param      clock       a device clock
 * @param      session     session of the reply; 0 = current
 * @param      request     id it carries
 * @param      raw_receive counter when the device got the request [ticks]
 * @param      raw_send    counter when it answered; equal where there is but one [ticks]
 * @param      receive_ns  when the host saw the reply [host ns]
 * @param[out] proof       filled with SNT_ERR_VIOLATION; may be NULL
 * @retval SNT_ERR_STALE no such request is open
 * @return otherwise as ::snt_device_clock_observe_trigger
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_reply(snt_device_clock *clock, uint32_t session, uint32_t request,
                                          uint64_t raw_receive, uint64_t raw_send, snt_time receive_ns,
                                          snt_clock_proof *proof);

/**
 * A two-way exchange whose reply the caller has matched itself.
 *
 * @param      clock       a device clock
 * @param      session     session of the reply; 0 = current
 * @param      send_ns     when the request left [host ns]
 * @param      raw_receive counter when the device got it [ticks]
 * @param      raw_send    counter when it answered; equal where there is but one [ticks]
 * @param      receive_ns  when the host saw the reply [host ns]
 * @param[out] proof       filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_device_clock_observe_trigger
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_observe_exchange(snt_device_clock *clock, uint32_t session,
                                                     snt_time send_ns, uint64_t raw_receive,
                                                     uint64_t raw_send, snt_time receive_ns,
                                                     snt_clock_proof *proof);

/**
 * The counter was read between two readings of the host's clock.
 *
 * @param      clock     a device clock
 * @param      session   session of the reading; 0 = current
 * @param      before_ns host clock before [host ns]
 * @param      raw       counter between [ticks]
 * @param      after_ns  host clock after [host ns]
 * @param[out] proof     filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_device_clock_observe_trigger
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_observe_cross(snt_device_clock *clock, uint32_t session,
                                                  snt_time before_ns, uint64_t raw, snt_time after_ns,
                                                  snt_clock_proof *proof);

/**
 * The counter was latched at a pulse that marks `second_ns` of the host's time scale.
 *
 * @param      clock     a device clock
 * @param      session   session of the reading; 0 = current
 * @param      raw       counter at the edge [ticks]
 * @param      second_ns time the edge is labelled with [host ns]
 * @param      error_ns  the edge is off by at most this much either way [ns]
 * @param[out] proof     filled with SNT_ERR_VIOLATION and SNT_ERR_AMBIGUOUS; may be NULL
 * @return as ::snt_device_clock_observe_trigger; SNT_ERR_AMBIGUOUS also for a mislabelled second
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_observe_pps(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                snt_time second_ns, int64_t error_ns, snt_clock_proof *proof);

/**
 * When the event stamped `raw` happened, as a sample: acquisition time with bound, session, version, source, sequence.
 *
 * The estimate is never later than `receive_ns`: nothing is received before it happened. A refused reading gives no sample
 * and is not remembered.
 *
 * @param      clock      a device clock
 * @param      session    session the packet was received in; 0 = current
 * @param      raw        counter as sent [ticks]
 * @param      receive_ns when the host saw it; SNT_UNKNOWN = not known: rollovers are then told by continuity [host ns]
 * @param      sequence   acquisition number at the source; 0 = counted here
 * @param[out] sample     t0 = t1 = acquisition; token 0
 * @retval SNT_OK
 * @retval SNT_PENDING           warming up: no time is better than a wrong one
 * @retval SNT_ERR_INVALID_STATE the mapping is INVALID
 * @retval SNT_ERR_DUPLICATE     a sample with this reading was given before
 * @retval SNT_ERR_BACKWARD      older than the reorder window, or just refused as an observation
 * @retval SNT_ERR_AMBIGUOUS, SNT_ERR_RESET_SUSPECT, SNT_ERR_RANGE the counter cannot be unwrapped
 * @retval SNT_ERR_FUTURE        its earliest possible time lies after `receive_ns`
 * @retval SNT_ERR_SESSION, SNT_ERR_HORIZON, SNT_ERR_OVERFLOW, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_stamp(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                          snt_time receive_ns, uint64_t sequence, snt_sample *sample);

/**
 * ::snt_device_clock_stamp for an acquisition with a first and a last moment: an exposure, a scan.
 *
 * @param      clock      a device clock
 * @param      session    session the packet was received in; 0 = current
 * @param      raw_first  counter at the first moment [ticks]
 * @param      raw_last   counter at the last moment [ticks]
 * @param      receive_ns when the host saw it; SNT_UNKNOWN = not known [host ns]
 * @param      sequence   acquisition number at the source; 0 = counted here
 * @param[out] sample     [t0, t1]; the error is that of the worse end
 * @retval SNT_ERR_INVALID_ARG the last moment precedes the first
 * @return otherwise as ::snt_device_clock_stamp
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_stamp_interval(snt_device_clock *clock, uint32_t session,
                                                   uint64_t raw_first, uint64_t raw_last, snt_time receive_ns,
                                                   uint64_t sequence, snt_sample *sample);

/**
 * ::snt_device_clock_stamp for several readings of one packet, under one lock. O(count).
 *
 * @param      clock      a device clock
 * @param      session    session the packet was received in; 0 = current
 * @param      raw        counters [ticks]
 * @param      count      how many
 * @param      receive_ns when the host saw the packet [host ns]
 * @param      sequence   acquisition number of the first; 0 = counted here
 * @param[out] samples    `count` samples; those refused are left alone
 * @param[out] statuses   `count` outcomes, as of ::snt_device_clock_stamp; may be NULL
 * @return the first outcome that is not SNT_OK, else SNT_OK; SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_stamp_many(snt_device_clock *clock, uint32_t session, const uint64_t *raw,
                                               uint64_t count, snt_time receive_ns, uint64_t sequence,
                                               snt_sample *samples, snt_status *statuses);

/**
 * Stamp a reading and decide at once whether it may be used, leaving the evidence: raw counter, session, mapping version,
 * stamp, bound, receive time, decision.
 *
 * Where the policy names no session, the clock's current one is demanded, so that a sample made just before a restart is
 * refused just after it.
 *
 * @param      clock      a device clock
 * @param      session    session the packet was received in; 0 = current
 * @param      raw        counter as sent [ticks]
 * @param      receive_ns when the host saw it; SNT_UNKNOWN = not known [host ns]
 * @param      sequence   acquisition number at the source; 0 = counted here
 * @param      policy     what is demanded; NULL = defaults
 * @param      now        the reference clock's time with its own bound
 * @param[out] sample     the sample, as of ::snt_device_clock_stamp; also where it was stamped but refused
 * @param[out] record     the evidence, of refusals as well; may be NULL
 * @retval SNT_OK admitted
 * @return otherwise as ::snt_device_clock_stamp, or as ::snt_admission_check
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_admit(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                          snt_time receive_ns, uint64_t sequence,
                                          const snt_admission_policy *policy, const snt_bounded_time *now,
                                          snt_sample *sample, snt_admission_record *record);

/**
 * Something happened to a clock: stop answering (state INVALID). With auto_restart the next observation begins the next
 * session.
 *
 * @param clock a device clock
 * @param event one of SNT_EPOCH_*: device boot, counter reset, host step, replay seek, suspend, the application's will
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_notify(snt_device_clock *clock, uint32_t event);

/**
 * Begin the next session now. It has to be INVALID (or UNINIT): admission stops first.
 *
 * @param      clock   a device clock
 * @param      reason  one of SNT_EPOCH_*
 * @param[out] session the new session; may be NULL
 * @retval SNT_OK, SNT_ERR_INVALID_STATE, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_restart(snt_device_clock *clock, uint32_t reason, uint32_t *session);

/**
 * The map inside, for queries, exports and the clock graph. It lives as long as the device clock; feed it only through that.
 *
 * @param clock a device clock; NULL gives NULL
 * @return the map
 * @thread C  @alloc never  @since 1.0
 */
SNT_API const snt_clock_map *snt_device_clock_map(const snt_device_clock *clock);

/**
 * State, evidence, uncertainty and what was refused, as of a host time.
 *
 * @param      clock  a device clock
 * @param      now_ns host time to judge silence and width at; SNT_UNKNOWN = the newest observation [host ns]
 * @param[out] out    health
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_health(snt_device_clock *clock, snt_time now_ns, snt_device_health *out);

/**
 * Declared assumptions against what the session has shown (see ::snt_clock_map_audit).
 *
 * @param      clock a device clock
 * @param[out] out   audit
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_device_clock_audit(snt_device_clock *clock, snt_clock_audit *out);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_DEVICE_CLOCK_H */
