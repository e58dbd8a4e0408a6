/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock_map.h
 * When, on the host's clock, did a device's clock show a reading? With an interval that holds.
 *
 * A map keeps the exact set of (offset, rate) that all observations allow: packet arrivals, triggers, two-way exchanges,
 * cross-stamps, PPS edges. Each query answers with the interval that set leaves, so the bound is a consequence of the
 * declared assumptions (config) and of nothing else; the flags say which of them it rests on. One-way arrivals alone
 * bound a time from above only, and the answer says so.
 *
 * An observation that leaves the set empty proves that an assumption broke: a step, a restart, a wrong delay. The map
 * then stops answering until it is restarted: VALID → INVALID → REINITIALIZING → WARMING → VALID.
 *
 * One thread at a time feeds a map; any number may query it meanwhile without blocking it or being blocked.
 * Every state is published as an immutable version, and the last ones are kept for "what did we believe then".
 */
#ifndef SENSORTIME_CLOCK_MAP_H
#define SENSORTIME_CLOCK_MAP_H

#include "base.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A map from one device's clock to the host's. */
typedef struct snt_clock_map snt_clock_map;

/** States of a mapping. */
enum {
    SNT_CLOCK_UNINIT = 0,        /**< made, nothing observed yet */
    SNT_CLOCK_WARMING = 1,       /**< observing, not yet released */
    SNT_CLOCK_VALID = 2,         /**< answering */
    SNT_CLOCK_HOLDOVER = 3,      /**< answering without recent observations */
    SNT_CLOCK_INVALID = 4,       /**< refuses: something broke; see the reasons */
    SNT_CLOCK_REINITIALIZING = 5 /**< a new session has begun, nothing observed in it yet */
};

/** Why a mapping is in its state; bits. */
enum {
    SNT_CLOCK_WHY_FEW = 1 << 0,           /**< warming: too few observations or too short a span */
    SNT_CLOCK_WHY_WIDE = 1 << 1,          /**< warming: the interval is wider than demanded */
    SNT_CLOCK_WHY_SILENT = 1 << 2,        /**< holdover: no observation lately */
    SNT_CLOCK_WHY_HORIZON = 1 << 3,       /**< the horizon was passed without observations */
    SNT_CLOCK_WHY_VIOLATION = 1 << 4,     /**< an observation contradicted the assumptions */
    SNT_CLOCK_WHY_SUSPECT = 1 << 5,       /**< delays rose or fell suspiciously: below proof */
    SNT_CLOCK_WHY_DEVICE_BOOT = 1 << 6,   /**< the device restarted */
    SNT_CLOCK_WHY_COUNTER_RESET = 1 << 7, /**< its counter started over */
    SNT_CLOCK_WHY_HOST_STEP = 1 << 8,     /**< the host clock was set */
    SNT_CLOCK_WHY_REPLAY_SEEK = 1 << 9,   /**< the recording was looped or sought */
    SNT_CLOCK_WHY_SUSPEND = 1 << 10,      /**< the host slept */
    SNT_CLOCK_WHY_USER = 1 << 11,         /**< the application asked for it */
    SNT_CLOCK_WHY_AMBIGUOUS = 1 << 12,    /**< a counter or second could not be told from another */
    SNT_CLOCK_WHY_RESTORED = 1 << 13      /**< continues an exported mapping */
};

/** What an observation was; in proofs. */
enum {
    SNT_OBSERVED_NOTHING = 0,  /**< no observation */
    SNT_OBSERVED_ARRIVAL = 1,  /**< a packet arrived */
    SNT_OBSERVED_TRIGGER = 2,  /**< a command caused the event */
    SNT_OBSERVED_EXCHANGE = 3, /**< a request was answered */
    SNT_OBSERVED_CROSS = 4,    /**< both clocks were read around one moment */
    SNT_OBSERVED_PPS = 5,      /**< a pulse marked a second */
    SNT_OBSERVED_INTERVAL = 6  /**< the caller gave an interval */
};

/** How a device makes a stamp from its true reading. */
enum {
    SNT_STAMP_FLOOR = 0,  /**< the last tick before the event */
    SNT_STAMP_NEAREST = 1 /**< the tick next to the event */
};

/**
 * What is assumed about a device, its clock and the way to the host. Only what is declared here makes the bounds.
 */
typedef struct snt_clock_map_config {
    uint32_t struct_size;       /**< sizeof this struct */
    uint32_t device_domain;     /**< clock of the readings; default SNT_DOMAIN_USER */
    uint32_t host_domain;       /**< clock of host times, one that never steps; default SNT_DOMAIN_STEADY */
    uint32_t max_vertices;      /**< of the feasible set, 8..32; default 24 */
    uint32_t versions;          /**< how many are kept, 4..65536, rounded up to a power of two; default 64 */
    uint32_t device_rounding;   /**< SNT_STAMP_*; default SNT_STAMP_FLOOR */
    uint32_t warm_observations; /**< needed before VALID; default 8 */
    uint32_t suspect_window;    /**< arrivals whose floor is compared; 0 = no suspicion; default 128 */
    int64_t rate_bound_ppb;     /**< |rate − 1| never exceeds this, 1..500 000 000; default 100 000 [ppb] */
    double
        wander_ppb_s; /**< the rate changes by at most this much per second; 0 = never; negative = no bound;
                                     default 200 [ppb/s] */
    int64_t delay_min_ns;   /**< every packet takes at least this long to arrive; >= 0, default 0 [ns] */
    int64_t delay_max_ns;   /**< … at most this long; SNT_UNKNOWN = no such promise, the default [ns] */
    int64_t command_min_ns; /**< every request or trigger takes at least this long; >= 0, default 0 [ns] */
    int64_t command_max_ns; /**< … triggers at most this long; SNT_UNKNOWN = no promise, the default [ns] */
    int64_t device_quantum_ns; /**< resolution of the device's stamps; default 0 = finer than 1 ns [ns] */
    int64_t host_error_ns;     /**< host stamps are off by at most this much either way; default 0 [ns] */
    int64_t warm_span_ns;      /**< device time observed before VALID; default 0 [ns] */
    int64_t valid_width_ns;    /**< hi − lo needed before VALID; SNT_UNKNOWN = none, the default [ns] */
    int64_t holdover_after_ns; /**< silence after which answers say HOLDOVER; default 2 s [device ns] */
    int64_t horizon_ns; /**< silence after which the assumptions are no longer vouched for; SNT_UNKNOWN = no
                                     limit, the default [device ns] */
    snt_epoch *epoch;   /**< shared session; referenced; NULL = one of the map's own */
} snt_clock_map_config;

enum { SNT_CLOCK_MAPPING_VERTICES = 32 };

/**
 * One version of a mapping as plain data: everything a query needs, for logs and replay. Frozen.
 *
 * The host time of reading d is host_anchor + D + x + y·D/10⁹ for some (x, y) of the polygon, D = d − device_anchor,
 * and within ± wander·(D/10⁹)²/2 of that.
 */
typedef struct snt_clock_mapping {
    int64_t device_anchor_ns;  /**< reading the set refers to [device ns] */
    int64_t host_anchor_ns;    /**< host time x is counted from [host ns] */
    double x_min_ns;           /**< least x of the set [ns] */
    double x_max_ns;           /**< greatest x [ns] */
    double y_min_ppb;          /**< least rate deviation [ppb] */
    double y_max_ppb;          /**< greatest rate deviation [ppb] */
    double estimate_x_ns;      /**< the point of the set taken as estimate [ns] */
    double estimate_y_ppb;     /**< its rate deviation [ppb] */
    double wander_ppb_s;       /**< as declared; negative = no bound [ppb/s] */
    double rate_bound_ppb;     /**< as declared [ppb] */
    int64_t stamp_before_ns;   /**< an event may lie this much before its stamp (rounding) [ns] */
    int64_t stamp_after_ns;    /**< … or after it (rounding, cutting off) [ns] */
    int64_t evidence_ns;       /**< newest observation [device ns] */
    int64_t holdover_after_ns; /**< as declared [ns] */
    int64_t horizon_ns;        /**< as declared; SNT_UNKNOWN = none [ns] */
    uint32_t version;          /**< number of this version, from 1 */
    uint32_t session;          /**< session it belongs to */
    uint32_t state;            /**< SNT_CLOCK_* when it was published */
    uint32_t reasons;          /**< SNT_CLOCK_WHY_* bits */
    uint32_t flags;            /**< SNT_TIME_* bits: what the bounds rest on */
    uint32_t device_domain;    /**< clock of the readings */
    uint32_t host_domain;      /**< clock of the answers */
    uint32_t vertex_count;     /**< used pairs of `vertices`; 0 = nothing is known */
    double vertices[2 * SNT_CLOCK_MAPPING_VERTICES]; /**< x [ns], y [ppb] pairs, counter-clockwise */
} snt_clock_mapping;

/** Length of time between two readings. 32 bytes, frozen. */
typedef struct snt_clock_duration {
    int64_t duration_ns; /**< best estimate [host ns] */
    int64_t lo_ns;       /**< not less than this [host ns] */
    int64_t hi_ns;       /**< not more than this [host ns] */
    uint32_t flags;      /**< SNT_TIME_* bits */
    uint32_t session;    /**< session both readings belong to */
} snt_clock_duration;

/** Which side of an observation contradicts the set. */
enum {
    SNT_PROOF_NONE = 0,
    SNT_PROOF_EARLY =
        1, /**< the host saw it before it can have happened: the device's clock jumped ahead, the host's
                                  back, or the least delay is too large */
    SNT_PROOF_LATE =
        2, /**< it must have happened later than it can have: the opposite, or a delay too long */
    SNT_PROOF_IMPOSSIBLE = 3 /**< the observation contradicts itself */
};

/**
 * The proof that an assumption broke, and what would have explained it instead. 88 bytes, frozen.
 */
typedef struct snt_clock_proof {
    int64_t device_ns;      /**< reading observed [device ns] */
    snt_interval predicted; /**< host times the set allows for it [host ns] */
    snt_interval observed;  /**< host times the observation allows [host ns] */
    int64_t gap_ns;         /**< between the two: the least by which something is wrong [ns] */
    int64_t age_ns;         /**< device time since the set last changed [ns] */
    double
        rate_needed_ppb; /**< rate bound that would have allowed it, all else holding; < 0 = none would [ppb] */
    double
        wander_needed_ppb_s; /**< wander that would have allowed it, all else holding; < 0 = none would [ppb/s] */
    uint32_t side;           /**< SNT_PROOF_* */
    uint32_t kind;           /**< SNT_OBSERVED_* */
    uint32_t session;        /**< session observed in */
    uint32_t version;        /**< version it contradicts */
} snt_clock_proof;

/** How a map is doing. 120 bytes, frozen. */
typedef struct snt_clock_health {
    uint32_t state;         /**< SNT_CLOCK_* at the reading asked about */
    uint32_t reasons;       /**< SNT_CLOCK_WHY_* bits */
    uint32_t session;       /**< current session */
    uint32_t version;       /**< newest version */
    uint32_t restarts;      /**< sessions begun after the first */
    uint32_t vertices;      /**< of the feasible set */
    uint64_t observations;  /**< taken in this session */
    uint64_t cuts;          /**< … that made the set smaller */
    uint64_t refused;       /**< … that were refused */
    int64_t last_device_ns; /**< newest observation; SNT_UNKNOWN = none [device ns] */
    int64_t last_host_ns;   /**< its host time: the last trustworthy synchronisation [host ns] */
    int64_t width_ns;       /**< hi − lo at the reading asked about; SNT_UNKNOWN = a side is open [ns] */
    int64_t undetectable_step_ns; /**< a step up to this size might leave no proof [ns] */
    double growth_ppb;            /**< by how much each bound grows per device time from there on [ppb] */
    double rate_ppb;              /**< estimated rate deviation [ppb] */
    double rate_lo_ppb;           /**< not less than this [ppb] */
    double rate_hi_ppb;           /**< not more than this [ppb] */
    double suspicion_ns;          /**< how far the delay floor rose above its history; 0 = not [ns] */
} snt_clock_health;

/** Bits of snt_clock_audit.advice. */
enum {
    SNT_ADVICE_DELAY_MIN_TIGHTER = 1 << 0, /**< a larger least delay held throughout */
    SNT_ADVICE_DELAY_MIN_WIDER = 1 << 1,   /**< the declared least delay was contradicted */
    SNT_ADVICE_DELAY_MAX_TIGHTER = 1 << 2, /**< a smaller greatest delay held throughout */
    SNT_ADVICE_DELAY_MAX_WIDER = 1 << 3,   /**< the declared greatest delay was contradicted */
    SNT_ADVICE_RATE_TIGHTER = 1 << 4,      /**< the rate stayed well inside its bound */
    SNT_ADVICE_RATE_WIDER = 1 << 5,        /**< the rate came near its bound or broke it */
    SNT_ADVICE_WANDER_TIGHTER = 1 << 6,    /**< the rate changed far more slowly than declared */
    SNT_ADVICE_WANDER_WIDER = 1 << 7       /**< the rate changed nearly as fast as declared, or faster */
};

/**
 * Declared assumptions against what was seen, over the current session. Advice, not proof: what held so far need not
 * hold for ever. 128 bytes, frozen.
 */
typedef struct snt_clock_audit {
    uint64_t arrivals;         /**< delays looked at */
    int64_t delay_floor_lo_ns; /**< the shortest delay was at least this; SNT_UNKNOWN = none seen [ns] */
    int64_t delay_floor_hi_ns; /**< … and at most this; SNT_UNKNOWN = no lower bound of times [ns] */
    int64_t delay_ceil_lo_ns;  /**< the longest delay was at least this [ns] */
    int64_t delay_ceil_hi_ns;  /**< … and at most this; SNT_UNKNOWN likewise [ns] */
    int64_t round_trip_min_ns; /**< shortest exchange, device time taken out; SNT_UNKNOWN = none seen [ns] */
    double rate_lo_ppb;        /**< least rate deviation possible at any time of the session [ppb] */
    double rate_hi_ppb;        /**< greatest [ppb] */
    double wander_seen_ppb_s;  /**< largest change of the estimated rate over half a minute or more [ppb/s] */
    double wander_proven_ppb_s;   /**< the rate must have changed at least this fast [ppb/s] */
    int64_t advised_delay_min_ns; /**< value the advice bits speak of; SNT_UNKNOWN = none [ns] */
    int64_t advised_delay_max_ns; /**< likewise [ns] */
    double advised_rate_ppb;      /**< likewise [ppb] */
    double advised_wander_ppb_s;  /**< likewise [ppb/s] */
    uint32_t advice;              /**< SNT_ADVICE_* bits */
    uint32_t session;             /**< session looked at */
    uint64_t reserved;            /**< 0 */
} snt_clock_audit;

/**
 * Fill a config with its defaults.
 *
 * @param[out] cfg  config to fill
 * @param      size sizeof *cfg as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_clock_map_config_init(snt_clock_map_config *cfg, size_t size);

/**
 * Memory a map will take.
 *
 * @param      cfg config; NULL = defaults
 * @param[out] out [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG a field is out of range
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_size(const snt_clock_map_config *cfg, uint64_t *out);

/**
 * Make a map in state UNINIT.
 *
 * @param      cfg       config; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the map; NULL on failure
 * @retval SNT_OK, SNT_ERR_NO_MEMORY
 * @retval SNT_ERR_INVALID_ARG   a field is out of range or contradicts another
 * @retval SNT_ERR_NON_FINITE    the wander is no number
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_clock_map_create(const snt_clock_map_config *cfg, const snt_allocator *allocator,
                                        snt_clock_map **out);

/**
 * Free a map. No thread may still use it.
 *
 * @param map a map, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_clock_map_destroy(snt_clock_map *map);

/**
 * A packet stamped `device_ns` was received at `receive_ns`: it happened delay_min to delay_max before.
 *
 * The observe calls share their results. A redundant observation costs a comparison; one that cuts is O(vertices).
 *
 * @param      map        a map
 * @param      session    session the caller believes in, read before the packet was received; 0 = whatever is current
 * @param      device_ns  unwrapped device stamp [device ns]
 * @param      receive_ns when the host saw it [host ns]
 * @param[out] proof      filled with SNT_ERR_VIOLATION and SNT_ERR_AMBIGUOUS; may be NULL
 * @retval SNT_OK                taken
 * @retval SNT_ERR_VIOLATION     contradicts the assumptions: the map is INVALID from now on
 * @retval SNT_ERR_SESSION       belongs to another session: nothing was changed
 * @retval SNT_ERR_INVALID_STATE the map is INVALID; restart it
 * @retval SNT_ERR_HORIZON       the horizon was passed: the map is INVALID from now on
 * @retval SNT_ERR_OVERFLOW      a time leaves the int64 range
 * @retval SNT_ERR_INVALID_ARG   NULL map, or times in the wrong order
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_arrival(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                 snt_time receive_ns, snt_clock_proof *proof);

/**
 * A command issued at `command_ns` caused the event stamped `device_ns`: it happened command_min to command_max later.
 *
 * @param      map        a map
 * @param      session    session the caller believes in; 0 = current
 * @param      device_ns  unwrapped device stamp of the triggered event [device ns]
 * @param      command_ns when the host triggered it [host ns]
 * @param[out] proof      filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_trigger(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                 snt_time command_ns, snt_clock_proof *proof);

/**
 * Note that a request leaves now, so that its reply can be told from a late reply to an earlier one.
 *
 * Sixteen requests are remembered; the oldest is forgotten for a seventeenth. (A stale reply taken for the answer to a
 * newer request shifts the offset by half the period: Micro-XRCE-DDS-Client #381.)
 *
 * @param      map     a map
 * @param      session session the caller believes in; 0 = current
 * @param      send_ns when the request leaves [host ns]
 * @param[out] request id to send along; never 0
 * @retval SNT_OK, SNT_ERR_SESSION, SNT_ERR_INVALID_ARG
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_request(snt_clock_map *map, uint32_t session, snt_time send_ns,
                                         uint32_t *request);

/**
 * The reply to a request: received by the device at `device_receive_ns`, answered at `device_send_ns`.
 *
 * @param      map               a map
 * @param      session           session the caller believes in; 0 = current
 * @param      request           id the reply carries
 * @param      device_receive_ns device stamp of the request's arrival [device ns]
 * @param      device_send_ns    device stamp of the reply; equal where there is but one [device ns]
 * @param      receive_ns        when the host saw the reply [host ns]
 * @param[out] proof             filled with SNT_ERR_VIOLATION; may be NULL
 * @retval SNT_ERR_STALE no such request is open: answered before, or too long ago
 * @return otherwise as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_reply(snt_clock_map *map, uint32_t session, uint32_t request,
                                       int64_t device_receive_ns, int64_t device_send_ns, snt_time receive_ns,
                                       snt_clock_proof *proof);

/**
 * A two-way exchange whose reply the caller has matched to its request itself.
 *
 * @param      map               a map
 * @param      session           session the caller believes in; 0 = current
 * @param      send_ns           when the request left [host ns]
 * @param      device_receive_ns device stamp of its arrival [device ns]
 * @param      device_send_ns    device stamp of the reply, >= device_receive_ns [device ns]
 * @param      receive_ns        when the host saw the reply [host ns]
 * @param[out] proof             filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_exchange(snt_clock_map *map, uint32_t session, snt_time send_ns,
                                                  int64_t device_receive_ns, int64_t device_send_ns,
                                                  snt_time receive_ns, snt_clock_proof *proof);

/**
 * The device's clock was read between two readings of the host's (PTP_SYS_OFFSET and its like).
 *
 * @param      map       a map
 * @param      session   session the caller believes in; 0 = current
 * @param      before_ns host clock before [host ns]
 * @param      device_ns device clock between [device ns]
 * @param      after_ns  host clock after [host ns]
 * @param[out] proof     filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_cross(snt_clock_map *map, uint32_t session, snt_time before_ns,
                                               int64_t device_ns, snt_time after_ns, snt_clock_proof *proof);

/**
 * The device latched `device_ns` at a pulse that marks `second_ns` of the host's time scale.
 *
 * @param      map       a map whose host domain is the pulses' time scale
 * @param      session   session the caller believes in; 0 = current
 * @param      device_ns reading latched at the edge [device ns]
 * @param      second_ns time the edge is labelled with, whole seconds [host ns]
 * @param      error_ns  the edge is off by at most this much either way, >= 0 [ns]
 * @param[out] proof     filled with SNT_ERR_VIOLATION and SNT_ERR_AMBIGUOUS; may be NULL
 * @retval SNT_ERR_AMBIGUOUS the label is wrong but another second would fit: nothing was changed
 * @return otherwise as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_pps(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                             snt_time second_ns, int64_t error_ns, snt_clock_proof *proof);

/**
 * Any other fact: `device_ns` was shown within [lo, hi]. No declared delay is applied.
 *
 * @param      map       a map
 * @param      session   session the caller believes in; 0 = current
 * @param      device_ns reading [device ns]
 * @param      host      host times it can have been; SNT_TIME_INFINITE_PAST or _FUTURE = that side is open [host ns]
 * @param      flags     SNT_TIME_* bits of what the fact rests on
 * @param[out] proof     filled with SNT_ERR_VIOLATION; may be NULL
 * @return as ::snt_clock_map_observe_arrival
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_observe_interval(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                  const snt_interval *host, uint32_t flags,
                                                  snt_clock_proof *proof);

/**
 * Host time of an event the device stamped `device_ns`, by the newest version.
 *
 * The bounds include the device's resolution. Valid for readings before and after the newest observation.
 * O(1) for readings after the version's anchor, O(vertices) before it.
 *
 * @param      map       a map
 * @param      device_ns unwrapped device stamp [device ns]
 * @param[out] out       host time with bound, flags, session and version
 * @retval SNT_OK
 * @retval SNT_PENDING           warming up: no time is better than a wrong one
 * @retval SNT_ERR_INVALID_STATE the map is INVALID
 * @retval SNT_ERR_SESSION       the shared epoch has moved on
 * @retval SNT_ERR_HORIZON       too long after the newest observation
 * @retval SNT_ERR_OVERFLOW      the time leaves the int64 range
 * @retval SNT_BUSY              the writer lapped this reader eight times
 * @retval SNT_ERR_INVALID_ARG   NULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_to_host(const snt_clock_map *map, int64_t device_ns, snt_bounded_time *out);

/**
 * ::snt_clock_map_to_host for many readings, each by the newest version at its turn. O(count).
 *
 * @param      map       a map
 * @param      device_ns unwrapped device stamps [device ns]
 * @param      count     how many
 * @param[out] out       `count` host times; those refused are left alone
 * @param[out] statuses  `count` outcomes, as of ::snt_clock_map_to_host; may be NULL
 * @return the first outcome that is not SNT_OK, else SNT_OK; SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_to_host_many(const snt_clock_map *map, const int64_t *device_ns,
                                              uint64_t count, snt_bounded_time *out, snt_status *statuses);

/**
 * What the device's clock showed at a host time.
 *
 * @param      map     a map
 * @param      host_ns host time [host ns]
 * @param[out] out     device reading with bound; domain is the device's [device ns]
 * @return as ::snt_clock_map_to_host
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_to_device(const snt_clock_map *map, snt_time host_ns, snt_bounded_time *out);

/**
 * Length of time between two readings of one session. Tighter than two stamps: the unknown offset cancels.
 *
 * @param      map     a map
 * @param      from_ns first reading [device ns]
 * @param      to_ns   second reading, may lie before the first [device ns]
 * @param[out] out     host time from the first to the second, with bound
 * @return as ::snt_clock_map_to_host
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_duration(const snt_clock_map *map, int64_t from_ns, int64_t to_ns,
                                          snt_clock_duration *out);

/**
 * ::snt_clock_map_to_host by what was believed at an earlier version.
 *
 * @param      map       a map
 * @param      version   version to ask
 * @param      device_ns unwrapped device stamp [device ns]
 * @param[out] out       host time with bound
 * @retval SNT_ERR_VERSION not published yet or no longer kept
 * @return otherwise as ::snt_clock_map_to_host; the state is that of the version
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_to_host_at(const snt_clock_map *map, uint32_t version, int64_t device_ns,
                                            snt_bounded_time *out);

/**
 * Host time of a past reading by all kept versions of its session: forward from the last one before it, backward from
 * those after it, intersected. O(versions·vertices).
 *
 * @param      map       a map
 * @param      device_ns unwrapped device stamp [device ns]
 * @param[out] out       host time with bound; version is the newest
 * @return as ::snt_clock_map_to_host
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_to_host_smoothed(const snt_clock_map *map, int64_t device_ns,
                                                  snt_bounded_time *out);

/**
 * Copy a version out as plain data.
 *
 * @param      map     a map
 * @param      version version to copy; 0 = the newest
 * @param[out] out     the mapping
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_VERSION, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_export(const snt_clock_map *map, uint32_t version, snt_clock_mapping *out);

/**
 * Continue an exported mapping: only in state UNINIT or REINITIALIZING. The map is WARMING until it is confirmed by
 * observations, its answers carry SNT_TIME_RESTORED, and the readings must be those of the same device boot.
 *
 * @param map     a map with the mapping's domains
 * @param mapping mapping to continue; checked first, so it may come from a file
 * @retval SNT_OK
 * @retval SNT_ERR_FORMAT        it is no mapping: not finite, not convex, out of range
 * @retval SNT_ERR_DOMAIN        it is between other clocks
 * @retval SNT_ERR_UNCERTAIN     it knows nothing
 * @retval SNT_ERR_CONFLICT      it rests on wider assumptions than this map declares
 * @retval SNT_ERR_INVALID_STATE the map is in use; restart it first
 * @retval SNT_ERR_INVALID_ARG   NULL
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_restore(snt_clock_map *map, const snt_clock_mapping *mapping);

/**
 * Is this a mapping? For data from files: finite, convex, counter-clockwise, in range.
 *
 * @param mapping plain data
 * @retval SNT_OK, SNT_ERR_FORMAT, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_mapping_check(const snt_clock_mapping *mapping);

/**
 * ::snt_clock_map_to_host on a mapping held as plain data: the same answer, for replay.
 *
 * @param      mapping   a mapping that ::snt_clock_mapping_check accepts
 * @param      device_ns unwrapped device stamp [device ns]
 * @param[out] out       host time with bound
 * @return as ::snt_clock_map_to_host
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_mapping_to_host(const snt_clock_mapping *mapping, int64_t device_ns,
                                             snt_bounded_time *out);

/**
 * ::snt_clock_map_to_device on a mapping held as plain data.
 *
 * @param      mapping a mapping that ::snt_clock_mapping_check accepts
 * @param      host_ns host time [host ns]
 * @param[out] out     device reading with bound [device ns]
 * @return as ::snt_clock_map_to_device
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_mapping_to_device(const snt_clock_mapping *mapping, snt_time host_ns,
                                               snt_bounded_time *out);

/**
 * ::snt_clock_map_duration on a mapping held as plain data.
 *
 * @param      mapping a mapping that ::snt_clock_mapping_check accepts
 * @param      from_ns first reading [device ns]
 * @param      to_ns   second reading [device ns]
 * @param[out] out     host time from the first to the second, with bound
 * @return as ::snt_clock_map_duration
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_mapping_duration(const snt_clock_mapping *mapping, int64_t from_ns,
                                              int64_t to_ns, snt_clock_duration *out);

/**
 * Stop answering: something happened to one of the clocks. Any state becomes INVALID; the session stays until the
 * restart, so that dependants can clear what belongs to it.
 *
 * @param map    a map
 * @param reason one of SNT_EPOCH_*: a reboot, counter reset, host step, replay seek, suspend, or the application's will
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_invalidate(snt_clock_map *map, uint32_t reason);

/**
 * Begin a new session: forget every observation and bump the epoch (or adopt its session if it has moved already).
 * The state becomes REINITIALIZING, WARMING with the first observation, VALID when the conditions of the config hold.
 *
 * @param      map     a map
 * @param      reason  one of SNT_EPOCH_*
 * @param[out] session the new session; may be NULL
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_STATE it still answers: admission has to stop first (::snt_clock_map_invalidate)
 * @retval SNT_ERR_INVALID_ARG   NULL map or unknown reason
 * @thread C (one writer)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_restart(snt_clock_map *map, uint32_t reason, uint32_t *session);

/**
 * Current session of the map.
 *
 * @param map a map; NULL gives 0
 * @return session number; 0 = none
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_clock_map_session(const snt_clock_map *map);

/**
 * Number of the newest version.
 *
 * @param map a map; NULL gives 0
 * @return version number, from 1
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_clock_map_version(const snt_clock_map *map);

/**
 * The two clocks a map connects.
 *
 * @param      map           a map
 * @param[out] device_domain clock of the readings; may be NULL
 * @param[out] host_domain   clock of the answers; may be NULL
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_domains(const snt_clock_map *map, uint32_t *device_domain,
                                         uint32_t *host_domain);

/**
 * State, evidence and uncertainty as of a reading.
 *
 * @param      map       a map
 * @param      device_ns reading to judge silence and width at; SNT_UNKNOWN = the newest observation [device ns]
 * @param[out] out       health
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread H (the writer's)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_health(const snt_clock_map *map, int64_t device_ns, snt_clock_health *out);

/**
 * Declared assumptions against what the session has shown.
 *
 * @param      map a map
 * @param[out] out audit
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread H (the writer's)  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_map_audit(const snt_clock_map *map, snt_clock_audit *out);

/**
 * A state's name.
 *
 * @param state one of SNT_CLOCK_*
 * @return static text such as "WARMING"; "UNKNOWN" for none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_clock_state_name(uint32_t state);

/**
 * A violation in words: which side, how much, and what would have explained it.
 *
 * @param      proof  filled by an observe call
 * @param[out] text   cut to fit and always terminated
 * @param      size   of `text` [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_proof_format(const snt_clock_proof *proof, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_CLOCK_MAP_H */
