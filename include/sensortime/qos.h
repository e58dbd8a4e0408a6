/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file qos.h
 * Will a publisher and a subscription connect, and if not, why? The request/offer rules of DDS as ROS 2 uses them.
 *
 * The numbers of the policies are those of rmw, so that offered profiles of a recording's metadata can be used as they are.
 */
#ifndef SENSORTIME_QOS_H
#define SENSORTIME_QOS_H

#include "base.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reliability. */
enum {
    SNT_QOS_RELIABILITY_SYSTEM_DEFAULT = 0, /**< the middleware's choice: not known here */
    SNT_QOS_RELIABLE = 1,                   /**< lost samples are sent again */
    SNT_QOS_BEST_EFFORT = 2,                /**< sent once */
    SNT_QOS_RELIABILITY_UNKNOWN = 3,        /**< not known */
    SNT_QOS_RELIABILITY_BEST_AVAILABLE = 4  /**< adapts to the other end when it is created */
};

/** Durability. */
enum {
    SNT_QOS_DURABILITY_SYSTEM_DEFAULT = 0, /**< the middleware's choice: not known here */
    SNT_QOS_TRANSIENT_LOCAL = 1,           /**< the publisher keeps samples for late joiners */
    SNT_QOS_VOLATILE = 2,                  /**< nothing is kept */
    SNT_QOS_DURABILITY_UNKNOWN = 3,        /**< not known */
    SNT_QOS_DURABILITY_BEST_AVAILABLE = 4, /**< adapts to the other end when it is created */
    SNT_QOS_TRANSIENT = 64,                /**< DDS only: a service keeps samples */
    SNT_QOS_PERSISTENT = 65                /**< DDS only: a service keeps samples on disk */
};

/** History. */
enum {
    SNT_QOS_HISTORY_SYSTEM_DEFAULT = 0, /**< the middleware's choice */
    SNT_QOS_KEEP_LAST = 1,              /**< the last `depth` samples */
    SNT_QOS_KEEP_ALL = 2,               /**< all, up to the resource limits */
    SNT_QOS_HISTORY_UNKNOWN = 3         /**< not known */
};

/** Liveliness. */
enum {
    SNT_QOS_LIVELINESS_SYSTEM_DEFAULT = 0, /**< the middleware's choice: not known here */
    SNT_QOS_AUTOMATIC = 1,                 /**< alive while the process is */
    SNT_QOS_MANUAL_BY_NODE = 2,            /**< deprecated; DDS: by participant */
    SNT_QOS_MANUAL_BY_TOPIC = 3,           /**< the publisher asserts it */
    SNT_QOS_LIVELINESS_UNKNOWN = 4,        /**< not known */
    SNT_QOS_LIVELINESS_BEST_AVAILABLE = 5  /**< adapts to the other end when it is created */
};

/** A duration that never ends. 0 ("not set") means the same for deadline, lifespan and lease. */
#define SNT_QOS_INFINITE INT64_MAX
/** A duration that adapts to the other end when it is created. */
#define SNT_QOS_DURATION_BEST_AVAILABLE (INT64_MAX - 1)

/** One end's profile. 48 bytes, frozen. */
typedef struct snt_qos_profile {
    uint32_t history;         /**< SNT_QOS_KEEP_LAST, … */
    uint32_t depth;           /**< samples kept with KEEP_LAST; 0 = system default */
    uint32_t reliability;     /**< SNT_QOS_RELIABLE, … */
    uint32_t durability;      /**< SNT_QOS_VOLATILE, … */
    uint32_t liveliness;      /**< SNT_QOS_AUTOMATIC, … */
    uint32_t reserved;        /**< 0 */
    snt_duration deadline_ns; /**< longest time between samples; 0 or infinite = none [ns] */
    snt_duration lifespan_ns; /**< samples older than this are not delivered; 0 or infinite = none [ns] */
    snt_duration lease_ns;    /**< liveliness must be shown this often; 0 or infinite = none [ns] */
} snt_qos_profile;

/** Presets as X(name, number, history, depth, reliability, durability, use). */
#define SNT_QOS_PRESET_MAP(X)                                                                                \
    X(SNT_QOS_PRESET_DEFAULT, 0, SNT_QOS_KEEP_LAST, 10, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE,                  \
      "what a node gets that names no profile")                                                              \
    X(SNT_QOS_PRESET_SENSOR_DATA, 1, SNT_QOS_KEEP_LAST, 5, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE,            \
      "scans, clouds, images, IMU (qos_profile_sensor_data)")                                                \
    X(SNT_QOS_PRESET_SERVICES, 2, SNT_QOS_KEEP_LAST, 10, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, "services")     \
    X(SNT_QOS_PRESET_PARAMETERS, 3, SNT_QOS_KEEP_LAST, 1000, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE,             \
      "parameter services")                                                                                  \
    X(SNT_QOS_PRESET_PARAMETER_EVENTS, 4, SNT_QOS_KEEP_LAST, 1000, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE,       \
      "/parameter_events")                                                                                   \
    X(SNT_QOS_PRESET_SYSTEM_DEFAULT, 5, SNT_QOS_HISTORY_SYSTEM_DEFAULT, 0,                                   \
      SNT_QOS_RELIABILITY_SYSTEM_DEFAULT, SNT_QOS_DURABILITY_SYSTEM_DEFAULT,                                 \
      "whatever the middleware is configured for")                                                           \
    X(SNT_QOS_PRESET_LATCHED_MAP, 6, SNT_QOS_KEEP_LAST, 1, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL,        \
      "maps: the last one reaches whoever starts later (REP 2003)")                                          \
    X(SNT_QOS_PRESET_STATIC_TF, 7, SNT_QOS_KEEP_LAST, 1, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL,          \
      "/tf_static")                                                                                          \
    X(SNT_QOS_PRESET_TF, 8, SNT_QOS_KEEP_LAST, 100, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, "/tf")               \
    X(SNT_QOS_PRESET_BEST_AVAILABLE, 9, SNT_QOS_KEEP_LAST, 10, SNT_QOS_RELIABILITY_BEST_AVAILABLE,           \
      SNT_QOS_DURABILITY_BEST_AVAILABLE, "tools that show whatever is there")                                \
    X(SNT_QOS_PRESET_CLOCK, 10, SNT_QOS_KEEP_LAST, 1, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, "/clock")

enum {
#define SNT_X(name, number, history, depth, reliability, durability, use) name = number,
    SNT_QOS_PRESET_MAP(SNT_X)
#undef SNT_X
        SNT_QOS_PRESET_COUNT = 11 /**< how many presets there are */
};

/**
 * Every reason as X(name, bit, kind, policy, text). Kind: 'E' prevents the connection, 'U' may prevent it and is not
 * known here, 'W' connects but surprises.
 */
#define SNT_QOS_REASON_MAP(X)                                                                                \
    X(SNT_QOS_RELIABILITY_MISMATCH, 0, 'E', "reliability",                                                   \
      "the subscription demands reliable, the publisher offers best effort: subscribe with best effort "     \
      "(sensor data profile)")                                                                               \
    X(SNT_QOS_DURABILITY_MISMATCH, 1, 'E', "durability",                                                     \
      "the subscription demands samples from before it started, the publisher keeps fewer: publish "         \
      "transient local or subscribe volatile")                                                               \
    X(SNT_QOS_DEADLINE_MISMATCH, 2, 'E', "deadline",                                                         \
      "the publisher does not promise samples as often as the subscription demands: promise a deadline "     \
      "no longer than the one demanded")                                                                     \
    X(SNT_QOS_LIVELINESS_MISMATCH, 3, 'E', "liveliness",                                                     \
      "the subscription demands a stronger sign of life than the publisher gives: publish manual by topic "  \
      "or subscribe automatic")                                                                              \
    X(SNT_QOS_LEASE_MISMATCH, 4, 'E', "lease duration",                                                      \
      "the publisher shows life less often than the subscription demands: shorten the publisher's lease")    \
    X(SNT_QOS_RELIABILITY_UNDECIDED, 8, 'U', "reliability",                                                  \
      "depends on a system default or an unknown setting: name the reliability at both ends")                \
    X(SNT_QOS_DURABILITY_UNDECIDED, 9, 'U', "durability",                                                    \
      "depends on a system default or an unknown setting: name the durability at both ends")                 \
    X(SNT_QOS_LIVELINESS_UNDECIDED, 10, 'U', "liveliness",                                                   \
      "depends on a system default or an unknown setting: name the liveliness at both ends")                 \
    X(SNT_QOS_LATE_JOINER, 16, 'W', "durability",                                                            \
      "the publisher keeps samples, but a volatile subscription that starts later misses them: subscribe "   \
      "transient local")                                                                                     \
    X(SNT_QOS_DOWNGRADED, 17, 'W', "reliability",                                                            \
      "a reliable publisher feeds a best-effort subscription: samples may be lost on this link")             \
    X(SNT_QOS_LIFESPAN_LATE_JOINER, 18, 'W', "lifespan",                                                     \
      "kept samples expire: a late joiner gets none older than the lifespan")                                \
    X(SNT_QOS_SHALLOW_HISTORY, 19, 'W', "history",                                                           \
      "the publisher keeps fewer samples for late joiners than the subscription's depth")                    \
    X(SNT_QOS_KEEP_ALL_BACKPRESSURE, 20, 'W', "history",                                                     \
      "keep all with reliable: a slow subscription fills the queue and blocks the publisher")                \
    X(SNT_QOS_ADAPTS_ONCE, 21, 'W', "best available",                                                        \
      "adapts to the endpoints that exist when it is created: one that appears later may not match")         \
    X(SNT_QOS_DEPRECATED_LIVELINESS, 22, 'W', "liveliness", "manual by node is deprecated")                  \
    X(SNT_QOS_LIFESPAN_DEADLINE, 23, 'W', "lifespan",                                                        \
      "samples expire before the next one is due: the subscription may see none")

enum {
#define SNT_X(name, bit, kind, policy, text) name = 1 << bit,
    SNT_QOS_REASON_MAP(SNT_X)
#undef SNT_X
        SNT_QOS_COMPATIBLE = 0 /**< nothing to say */
};

/** Why two ends connect or do not. 112 bytes, frozen. */
typedef struct snt_qos_verdict {
    uint32_t errors;    /**< reasons that prevent the connection: SNT_QOS_*_MISMATCH bits */
    uint32_t undecided; /**< reasons that may prevent it: SNT_QOS_*_UNDECIDED bits */
    uint32_t warnings;  /**< connects, but surprises: the other bits */
    uint32_t reserved;  /**< 0 */
    snt_qos_profile
        offered; /**< the publisher's profile with best-available settings replaced by what they become */
    snt_qos_profile requested; /**< the subscription's, likewise */
} snt_qos_verdict;

/**
 * A profile that fits a use.
 *
 * @param      preset SNT_QOS_PRESET_*
 * @param[out] out    the profile
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null), SNT_ERR_NOT_FOUND (no such preset)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_qos_preset(uint32_t preset, snt_qos_profile *out);

/**
 * What the preset is for.
 *
 * @param preset SNT_QOS_PRESET_*
 * @return static text; "" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_qos_preset_use(uint32_t preset);

/**
 * Will they connect? Rules: DDS 1.4, 2.2.3 (request ≤ offer for reliability, durability, liveliness; offered deadline
 * and lease no longer than requested); lifespan and history never prevent a connection.
 *
 * @param      offered   the publisher's profile
 * @param      requested the subscription's profile
 * @param[out] out       the reasons; also filled when they do not connect; may be NULL
 * @retval SNT_OK               they connect; `warnings` may still be set
 * @retval SNT_ERR_INCOMPATIBLE they never exchange a message
 * @retval SNT_ERR_AMBIGUOUS    it depends on a system default or an unknown setting
 * @retval SNT_ERR_INVALID_ARG  null
 * @retval SNT_ERR_RANGE        a policy's number is none, or a duration is negative
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_qos_check(const snt_qos_profile *offered, const snt_qos_profile *requested,
                                 snt_qos_verdict *out);

/**
 * One reason in words.
 *
 * @param reason a single SNT_QOS_* reason bit
 * @return static text without full stop; "" for what is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_qos_reason_text(uint32_t reason);

/**
 * A verdict in words, one reason per line: "error: reliability: …".
 *
 * @param      verdict what to say
 * @param[out] text    receives the text, cut to fit and always terminated
 * @param      size    room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the text was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
@thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_qos_verdict_format(const snt_qos_verdict *verdict, char *text, size_t size);

/**
 * A profile in words: "reliable, volatile, keep last 10".
 *
 * @param      profile what to say
 * @param[out] text    receives the text, cut to fit and always terminated
 * @param      size    room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the text was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
@thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_qos_profile_format(const snt_qos_profile *profile, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_QOS_H */
