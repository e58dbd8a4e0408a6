/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tf_buffer.h
 * Where was the sensor then? A tree of coordinate frames whose edges are histories of poses.
 *
 * Every frame has at most one edge, to its parent; the edge is named by its child frame. A dynamic edge keeps a ring of
 * stamped samples, a static edge one pose that holds for ever. Readers take no lock: each call finishes in a bounded
 * number of its own steps, and gives SNT_BUSY only if, in every one of its attempts, writers lapped the very samples it
 * was reading, rewrote late data three times over, or cleared the history. Writers of one edge exclude each other by a
 * short lock, which delays nobody else; changes of the tree's shape take one lock of the buffer.
 *
 * Zero is a time like any other: "latest" and "static" are calls and kinds of their own.
 */
#ifndef SENSORTIME_TF_BUFFER_H
#define SENSORTIME_TF_BUFFER_H

#include "pose.h"
#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A frame of one buffer: slot and generation, so that the id of a removed frame never means another. 0 = none. */
typedef uint64_t snt_frame;

/** The transform tree. */
typedef struct snt_tf_buffer snt_tf_buffer;

/** A chain from one frame to another, resolved once: common ancestor found, static edges folded. */
typedef struct snt_tf_path snt_tf_path;

/** Chains of more edges than this, counted on either side of the common ancestor, are refused. */
#define SNT_TF_MAX_DEPTH 128

/** Kind of an edge. */
enum {
    SNT_TF_NONE = 0,    /**< no edge: the frame is a root */
    SNT_TF_DYNAMIC = 1, /**< stamped samples */
    SNT_TF_STATIC = 2   /**< one pose, valid at any time */
};

/** What an edge does when a second publisher writes to it. */
enum {
    SNT_TF_CONFLICT_DEFAULT = 0, /**< what the buffer declares; there: SNT_TF_CONFLICT_LAST */
    SNT_TF_CONFLICT_LAST = 1,    /**< everybody may write; conflicts are counted */
    SNT_TF_CONFLICT_FIRST = 2,   /**< the owner alone, until it was silent for `keep_ns` */
    SNT_TF_CONFLICT_PRIORITY =
        3, /**< the higher authority id displaces the lower one until silent for `keep_ns` */
    SNT_TF_CONFLICT_REFUSE = 4 /**< the first publisher alone, for ever */
};

/** How far beyond the newest sample an answer is made up. */
enum {
    SNT_TF_EXTRAPOLATE_DEFAULT = 0, /**< what the edge declares; else none */
    SNT_TF_EXTRAPOLATE_NONE = 1,    /**< refused with SNT_ERR_FUTURE */
    SNT_TF_EXTRAPOLATE_HOLD = 2,    /**< the newest pose */
    SNT_TF_EXTRAPOLATE_TWIST = 3    /**< the newest two samples' constant twist goes on */
};

/** What a leading '/' of a frame name means. */
enum {
    SNT_TF_SLASH_STRIP =
        0, /**< one leading slash is dropped when inserting, refused when asking: what tf2 does */
    SNT_TF_SLASH_KEEP = 1,  /**< part of the name */
    SNT_TF_SLASH_REFUSE = 2 /**< refused everywhere */
};

/** Bits of snt_tf_buffer_config.flags. */
enum {
    SNT_TF_STRICT_DUPLICATES =
        1 << 0, /**< a changed pose at a known stamp is refused (ROS 1) instead of replacing it */
    SNT_TF_REPARENT_IS_GAP =
        1 << 1, /**< between samples of two parents: SNT_ERR_GAP instead of holding the older */
    SNT_TF_NO_CONVENTIONS = 1 << 2 /**< do not mark edges above `odom` as jumping (REP-105) */
};

/**
 * Called after an insert made an edge grow, with no lock held, in the inserting thread.
 *
 * @param user   snt_tf_buffer_config.notify_user
 * @param child  the edge that grew
 * @param newest its newest stamp [ns]; SNT_TIME_INFINITE_FUTURE for a static edge
 */
typedef void (*snt_tf_notify)(void *user, snt_frame child, snt_time newest);

/** Settings of a buffer. Zero means the default. */
typedef struct snt_tf_buffer_config {
    uint32_t struct_size; /**< set by snt_tf_buffer_config_init */
    uint32_t max_frames;  /**< frames at one time, 2..2^20; default 256 */
    uint32_t max_samples; /**< samples of all edges together, 72 bytes each, up to 2^30; default 131072 */
    uint32_t
        samples_per_edge; /**< an edge's ring unless reserved, rounded up to a power of two; default 1024 */
    uint32_t max_name;    /**< longest frame name without its zero, 1..255; default 63 */
    uint32_t max_authorities; /**< publishers known by name; default 32 */
    snt_duration keep_ns; /**< age limit behind the edge's newest sample, exactly kept [ns]; default 10 s */
    snt_duration max_gap_ns;     /**< widest pair of samples to interpolate across [ns]; 0 = no limit */
    snt_duration extrapolate_ns; /**< how far beyond the newest sample to extrapolate [ns]; 0 = not at all */
    snt_duration
        max_future_ns; /**< how far a stamp may lie after `now` [ns]; default 10 s, SNT_UNKNOWN = no limit */
    snt_duration
        max_step_ns; /**< larger forward steps wait for a second sample [ns]; default 1 h, SNT_UNKNOWN = never */
    snt_duration jump_back_ns; /**< clock going back by more starts anew: drop dynamic data [ns]; 0 = never */
    uint32_t interpolation;    /**< SNT_INTERPOLATE_*; default LINEAR */
    uint32_t extrapolation;    /**< SNT_TF_EXTRAPOLATE_* used within `extrapolate_ns`; default HOLD */
    uint32_t conflict;         /**< SNT_TF_CONFLICT_*; default LAST */
    uint32_t slash;            /**< SNT_TF_SLASH_* */
    uint32_t flags;            /**< SNT_TF_STRICT_DUPLICATES and the like */
    uint32_t reserved;         /**< 0 */
    snt_epoch *epoch;          /**< session to follow, referenced; NULL = none */
    snt_tf_notify notify;      /**< hook for growing edges; NULL = none */
    void *notify_user;         /**< passed to `notify` */
} snt_tf_buffer_config;

/** Bits of snt_tf_transform.flags. */
enum {
    SNT_TF_DISCONTINUITY = 1 << 0, /**< the motion jumps here: hold the sample before, do not interpolate */
    SNT_TF_KNOWN_ONLY = 1 << 1     /**< insert_named: refuse names nobody interned instead of making frames */
};

/** One sample to insert. Prepare it with snt_tf_transform_init. */
typedef struct snt_tf_transform {
    snt_frame parent;    /**< frame the pose is given in */
    snt_frame child;     /**< frame whose pose it is */
    snt_time stamp;      /**< when it holds [ns, domain] */
    snt_pose pose;       /**< T_parent_child; normalised and sign-fixed when stored */
    snt_duration err_ns; /**< the truth lies within stamp ± err [ns]; SNT_UNKNOWN = nobody knows */
    snt_time now;        /**< the clock of `stamp` when it arrived [ns]; SNT_UNKNOWN = not given */
    uint32_t domain;     /**< clock, SNT_DOMAIN_*; an edge keeps the first that is not 0 */
    uint32_t session;    /**< session of the source; 0 = none kept */
    uint32_t authority;  /**< publisher, from snt_tf_buffer_authority; 0 = unnamed */
    uint32_t flags;      /**< SNT_TF_DISCONTINUITY */
} snt_tf_transform;

/** What an insert did: bits of its `effect`. */
enum {
    SNT_TF_APPENDED = 1 << 0,    /**< now the edge's newest sample */
    SNT_TF_LATE = 1 << 1,        /**< older than the newest, put in its place */
    SNT_TF_SAME = 1 << 2,        /**< exactly what was there */
    SNT_TF_CHANGED = 1 << 3,     /**< replaced the pose at that stamp */
    SNT_TF_REPARENTED = 1 << 4,  /**< the edge's newest parent changed */
    SNT_TF_QUARANTINED = 1 << 5, /**< far ahead of the history: waits for a second sample to confirm it */
    SNT_TF_SESSION_NEW = 1 << 6, /**< older data was dropped first: a new session or a clock that went back */
    SNT_TF_CONFLICTED = 1 << 7,  /**< another publisher writes this edge too */
    SNT_TF_CREATED = 1 << 8      /**< the edge is new */
};

/** Which time to ask for. */
enum {
    SNT_TF_AT = 0,            /**< at `t` */
    SNT_TF_LATEST_COMMON = 1, /**< the newest time that every moving edge covers */
    SNT_TF_LATEST_EACH = 2    /**< every edge at its own newest sample: fresh, but of no single instant */
};

/** A question in full. Prepare it with snt_tf_question_init. */
typedef struct snt_tf_question {
    uint32_t struct_size;        /**< set by snt_tf_question_init */
    uint32_t when;               /**< SNT_TF_AT, _LATEST_COMMON, _LATEST_EACH */
    snt_time t;                  /**< time asked for with SNT_TF_AT [ns, domain] */
    snt_duration err_ns;         /**< `t` itself is known to ± this [ns]; default 0 */
    snt_time now;                /**< for `max_age_ns` [ns, domain]; SNT_UNKNOWN = not given */
    snt_duration max_age_ns;     /**< every moving edge must be this fresh at `now`; 0 = no limit [ns] */
    snt_duration max_gap_ns;     /**< as in the config; 0 = the edge's */
    snt_duration extrapolate_ns; /**< as in the config; 0 = the edge's */
    uint32_t interpolation;      /**< SNT_INTERPOLATE_*; 0 = the edge's */
    uint32_t extrapolation;      /**< SNT_TF_EXTRAPOLATE_*; 0 = the edge's */
    uint32_t domain;             /**< clock of `t`; 0 = unchecked */
    uint32_t flags;              /**< 0 */
} snt_tf_question;

/** Bits of snt_tf_result.flags and of snt_tf_twist_result.flags. */
enum {
    SNT_TF_ALL_STATIC = 1 << 0,   /**< no moving edge on the way: the answer holds at any time */
    SNT_TF_INTERPOLATED = 1 << 1, /**< at least one edge lies between two samples */
    SNT_TF_EXTRAPOLATED = 1 << 2, /**< at least one edge was continued beyond its newest sample */
    SNT_TF_HELD = 1 << 3, /**< at least one edge was held: at a new parent, a discontinuity, or by method */
    SNT_TF_MAY_JUMP = 1 << 4,   /**< an edge on the way may jump (map to odom): differences are no motion */
    SNT_TF_STALE_PATH = 1 << 5, /**< the tree changed: answered by walking it; refresh the path */
    SNT_TF_BOUND_TIME = 1 << 6, /**< the bounds include what stamp errors can do, all of them known */
    SNT_TF_BOUND_INTERPOLATION = 1 << 7, /**< the bounds include what happens between and beyond samples */
    SNT_TF_IDENTITY = 1 << 8             /**< target and source are the same frame */
};

/**
 * An answer. 120 bytes, frozen.
 *
 * `pos_err` and `rot_err` are bounds if both SNT_TF_BOUND_* flags are set: then the source's origin is truly within
 * `pos_err` of where the pose puts it, and a point at distance r from it within pos_err + r·rot_err. With a flag
 * missing they sum up only what is known.
 */
typedef struct snt_tf_result {
    snt_pose pose;                /**< T_target_source */
    snt_time stamp;               /**< time of the answer [ns]; the asked one for static chains */
    double pos_err;               /**< position bound at the source's origin [m] */
    double rot_err;               /**< rotation bound [rad] */
    snt_duration extrapolated_ns; /**< farthest any edge was continued beyond its newest sample [ns] */
    snt_duration gap_ns;          /**< widest pair of samples interpolated across [ns] */
    snt_duration age_ns;          /**< LATEST_EACH: spread between freshest and oldest edge [ns]; else 0 */
    uint32_t flags;               /**< SNT_TF_* bits above */
    uint32_t session;             /**< session of the buffer; 0 = none kept */
    uint32_t moving_edges;        /**< dynamic edges on the way */
    uint32_t reserved;            /**< 0 */
} snt_tf_result;

/** Why there is no answer: snt_tf_miss.reason. */
enum {
    SNT_TF_MISS_NONE = 0,          /**< there is one */
    SNT_TF_MISS_UNKNOWN_FRAME = 1, /**< no such frame (any more): target or source is 0 in the miss */
    SNT_TF_MISS_NOT_CONNECTED = 2, /**< two trees: root_target, root_source; transient */
    SNT_TF_MISS_NO_DATA = 3,       /**< the edge has no sample yet, or none since it was cleared; transient */
    SNT_TF_MISS_PAST = 4,          /**< older than the edge's oldest sample; permanent */
    SNT_TF_MISS_FUTURE = 5,        /**< newer than the edge's newest sample; transient */
    SNT_TF_MISS_GAP = 6,           /**< between two samples too far apart, or of two parents */
    SNT_TF_MISS_STALE = 7,         /**< the edge's newest sample is older than max_age; transient */
    SNT_TF_MISS_NO_COMMON_TIME =
        8,                      /**< two edges whose histories do not overlap: edge and other; transient */
    SNT_TF_MISS_CLOCK = 9,      /**< asked and newest lie years apart: two different clocks */
    SNT_TF_MISS_DOMAIN = 10,    /**< the edge is stamped by another clock than the question or another edge */
    SNT_TF_MISS_SESSION = 11,   /**< the epoch moved on: the data is of an earlier session; transient */
    SNT_TF_MISS_BUSY = 12,      /**< writers interfered in every attempt; ask again */
    SNT_TF_MISS_CYCLE = 13,     /**< the parents at that time form a cycle */
    SNT_TF_MISS_DEPTH = 14,     /**< the chain is longer than SNT_TF_MAX_DEPTH */
    SNT_TF_MISS_ONE_SAMPLE = 15 /**< a twist needs two samples; transient */
};

/** Why a lookup gave nothing. 192 bytes, frozen. Fields that do not apply are 0, times SNT_UNKNOWN. */
typedef struct snt_tf_miss {
    int32_t status;   /**< what the call returned */
    uint32_t reason;  /**< SNT_TF_MISS_* */
    snt_frame target; /**< asked for */
    snt_frame source; /**< asked for */
    snt_frame child;  /**< the edge that fails: the permanent one, else the one with the longest wait */
    snt_frame parent; /**< its parent */
    snt_time asked;   /**< time asked for [ns] */
    snt_time oldest;  /**< the edge's oldest sample in its window [ns] */
    snt_time newest;  /**< the edge's newest sample [ns] */
    snt_duration missing_ns; /**< how far `asked` lies outside, or how wide the gap is [ns] */
    snt_duration period_ns;  /**< the edge's mean period [ns]; SNT_UNKNOWN before three samples */
    snt_time next_due;       /**< when the edge's next sample is due [ns] */
    snt_time answer_due;     /**< first due sample that covers `asked` [ns] */
    snt_frame other_child;   /**< NO_COMMON_TIME: the edge it does not overlap with */
    snt_frame other_parent;  /**< its parent */
    snt_time other_oldest;   /**< its oldest sample [ns] */
    snt_time other_newest;   /**< its newest sample [ns] */
    snt_frame root_target;   /**< NOT_CONNECTED: where the target's chain ends */
    snt_frame root_source;   /**< NOT_CONNECTED: where the source's chain ends */
    uint32_t permanent;      /**< 1 = waiting does not help, 0 = it may */
    uint32_t failing_edges;  /**< edges on the way that fail */
    uint32_t samples;        /**< samples the edge holds */
    uint32_t domain;         /**< clock of the edge */
    uint32_t other_domain;   /**< DOMAIN: the clock it collides with */
    uint32_t session;        /**< session of the buffer */
    uint32_t reserved[6];    /**< 0 */
} snt_tf_miss;

/** Search hints of one reader for one path; any bytes work, good ones are faster. Prepare with snt_tf_cursor_init. */
typedef struct snt_tf_cursor {
    uint32_t hint[32]; /**< ring positions of the path's first 32 moving edges */
} snt_tf_cursor;

/** In which frame and about which point a twist is given. */
enum {
    SNT_TF_TWIST_ORIGIN =
        0, /**< velocity of source's origin, in target axes: what a plot of its position shows */
    SNT_TF_TWIST_BODY = 1,   /**< velocity of source's origin, in source axes: what odometry reports */
    SNT_TF_TWIST_SPATIAL = 2 /**< velocity of the body point passing target's origin, in target axes */
};

/** A velocity of source relative to target. 88 bytes, frozen. */
typedef struct snt_tf_twist_result {
    snt_twist twist;       /**< linear [m/s] and angular [rad/s], as the convention says */
    snt_time from;         /**< first sample or time used [ns] */
    snt_time to;           /**< last sample or time used [ns] */
    snt_time stamp;        /**< time of the answer [ns] */
    uint32_t convention;   /**< SNT_TF_TWIST_* */
    uint32_t flags;        /**< SNT_TF_MAY_JUMP, SNT_TF_ALL_STATIC, SNT_TF_IDENTITY, SNT_TF_STALE_PATH */
    uint32_t moving_edges; /**< dynamic edges on the way */
    uint32_t reserved;     /**< 0 */
} snt_tf_twist_result;

/** Settings of one edge; zero means the buffer's. */
typedef struct snt_tf_edge_config {
    uint32_t struct_size;        /**< set by snt_tf_edge_config_init */
    uint32_t interpolation;      /**< SNT_INTERPOLATE_* */
    snt_duration keep_ns;        /**< as in the buffer's config */
    snt_duration max_gap_ns;     /**< as in the buffer's config; SNT_UNKNOWN = no limit */
    snt_duration extrapolate_ns; /**< as in the buffer's config */
    double max_accel;         /**< declared limit of the child origin's acceleration [m/s²]; 0 = unknown */
    double max_angular_accel; /**< declared limit of the angular acceleration [rad/s²]; 0 = unknown */
    uint32_t extrapolation;   /**< SNT_TF_EXTRAPOLATE_* */
    uint32_t conflict;        /**< SNT_TF_CONFLICT_* */
    uint32_t may_jump;        /**< 0 = by convention, 1 = smooth, 2 = may jump */
    uint32_t reserved;        /**< 0 */
} snt_tf_edge_config;

/** One publisher of an edge. */
typedef struct snt_tf_publisher {
    uint32_t authority; /**< its id */
    uint32_t reserved;  /**< 0 */
    uint64_t accepted;  /**< samples stored */
    uint64_t refused;   /**< samples refused because another owns the edge */
    snt_time last;      /**< newest stamp from it [ns]; SNT_UNKNOWN = none */
} snt_tf_publisher;

/** What an edge is and how it fares. 344 bytes, frozen. */
typedef struct snt_tf_edge_info {
    snt_frame child;                 /**< the edge */
    snt_frame parent;                /**< newest parent */
    snt_time oldest;                 /**< oldest sample in the window; SNT_UNKNOWN = none [ns] */
    snt_time newest;                 /**< newest sample; SNT_UNKNOWN = none [ns] */
    snt_duration period_ns;          /**< mean period of the newest samples; SNT_UNKNOWN before three [ns] */
    snt_duration jitter_ns;          /**< mean deviation from it [ns] */
    snt_duration delay_mean_ns;      /**< mean of now − stamp where given; SNT_UNKNOWN = never [ns] */
    snt_duration delay_max_ns;       /**< largest of it [ns] */
    uint64_t accepted;               /**< samples stored */
    uint64_t late;                   /**< of these, older than the newest */
    uint64_t same;                   /**< exact repetitions, not stored again */
    uint64_t changed;                /**< replacements at a known stamp */
    uint64_t evicted;                /**< dropped by count or age */
    uint64_t reparented;             /**< changes of parent */
    uint64_t cleared;                /**< resets of this edge */
    uint64_t refused_past;           /**< too old */
    uint64_t refused_future;         /**< too far ahead, or dropped from quarantine */
    uint64_t refused_value;          /**< not finite or not a rotation */
    uint64_t refused_structure;      /**< cycle, self edge, kind, domain, session */
    uint64_t refused_duplicate;      /**< by SNT_TF_STRICT_DUPLICATES */
    uint64_t conflicts;              /**< samples written by turns or refused for another owner */
    snt_time last_refusal_stamp;     /**< stamp of the last refused sample; SNT_UNKNOWN = none [ns] */
    int32_t last_refusal;            /**< its status */
    uint32_t last_refusal_authority; /**< its publisher */
    uint32_t kind;                   /**< SNT_TF_NONE, _DYNAMIC, _STATIC */
    uint32_t samples;                /**< held now */
    uint32_t capacity;               /**< of the ring */
    uint32_t domain;                 /**< clock */
    uint32_t session;                /**< of the source; 0 = none */
    uint32_t may_jump;               /**< 1 = differences across it are no motion */
    uint32_t publishers;             /**< used entries of `publisher`; more than four share the last */
    uint32_t reserved;               /**< 0 */
    snt_tf_publisher publisher[4];   /**< who writes it, first come first */
} snt_tf_edge_info;

/** Totals of a buffer. 104 bytes, frozen. */
typedef struct snt_tf_buffer_info {
    uint64_t bytes;             /**< memory taken at create */
    uint64_t samples_budget;    /**< samples that fit all together */
    uint64_t samples_reserved;  /**< of these, given to edges */
    uint64_t inserted;          /**< transforms stored */
    uint64_t refused;           /**< transforms refused */
    uint64_t resets;            /**< sessions begun */
    uint64_t structure_version; /**< changes of the tree's shape */
    uint32_t frames;            /**< in use */
    uint32_t max_frames;        /**< that fit */
    uint32_t edges_dynamic;     /**< of these */
    uint32_t edges_static;      /**< of these */
    uint32_t session;           /**< current; 0 = none kept */
    uint32_t bytes_per_sample;  /**< stamp and pose */
    uint32_t bytes_per_frame;   /**< frame with an idle edge and its name */
    uint32_t reserved[5];       /**< 0 */
} snt_tf_buffer_info;

/**
 * Defaults of a buffer's settings.
 *
 * @param[out] config      what to fill; NULL does nothing
 * @param      size   sizeof *config as the caller knows it
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tf_buffer_config_init(snt_tf_buffer_config *config, size_t size);

/**
 * How much memory a buffer with these settings takes.
 *
 * @param      config settings; NULL = defaults
 * @param[out] bytes  what create will ask the allocator for
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE (a setting outside its range), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_size(const snt_tf_buffer_config *config, uint64_t *bytes);

/**
 * Make an empty tree. All memory it will ever use is taken here.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the buffer; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_create(const snt_tf_buffer_config *config, const snt_allocator *allocator,
                                        snt_tf_buffer **out);

/**
 * Free a buffer. Its paths must be destroyed before; nobody may be using it.
 *
 * @param buffer a buffer, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_tf_buffer_destroy(snt_tf_buffer *buffer);

/**
 * The id of a frame name, made if the name is new.
 *
 * @param      buffer a buffer
 * @param      name   frame name; the config says what a leading slash means
 * @param[out] frame  its id
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL, empty), SNT_ERR_RANGE (longer than max_name), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_frame(snt_tf_buffer *buffer, const char *name, snt_frame *frame);

/**
 * The id of `prefix/name`, made if new: the frames of one robot among several. An empty prefix adds nothing.
 *
 * @param      buffer a buffer
 * @param      prefix such as "r1"
 * @param      name   such as "base_link"
 * @param[out] frame  its id
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_frame_scoped(snt_tf_buffer *buffer, const char *prefix, const char *name,
                                              snt_frame *frame);

/**
 * The id of a frame name that exists. One hash probe; nothing is made.
 *
 * @param      buffer a buffer
 * @param      name   frame name, without leading slash under SNT_TF_SLASH_STRIP
 * @param[out] frame  its id
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_find(const snt_tf_buffer *buffer, const char *name, snt_frame *frame);

/**
 * A frame's name.
 *
 * @param      buffer   a buffer
 * @param      frame    a frame
 * @param[out] text     zero-terminated name
 * @param      capacity bytes at `text`
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND (removed), SNT_ERR_BUFFER_TOO_SMALL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_frame_name(const snt_tf_buffer *buffer, snt_frame frame, char *text,
                                            uint64_t capacity);

/**
 * All frames, in no special order.
 *
 * @param      buffer   a buffer
 * @param[out] frames   the first `capacity` of them
 * @param      capacity entries at `frames`; may be 0
 * @param[out] count    how many there are
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_BUFFER_TOO_SMALL (what fits is filled in)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_frames(snt_tf_buffer *buffer, snt_frame *frames, uint64_t capacity,
                                        uint64_t *count);

/**
 * The id of a publisher's name, for snt_tf_transform.authority. Ids count up from 1 in the order of first use.
 *
 * @param      buffer    a buffer
 * @param      name      such as a node's name, at most 63 bytes
 * @param[out] authority its id
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_FULL
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_authority(snt_tf_buffer *buffer, const char *name, uint32_t *authority);

/**
 * A transform with nothing known but identity: no error bound, no arrival, no domain, session or authority.
 *
 * @param[out] transform what to fill; NULL does nothing
 * @param      parent    frame the pose is given in
 * @param      child     frame whose pose it is
 * @param      stamp     when it holds [ns]
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tf_transform_init(snt_tf_transform *transform, snt_frame parent, snt_frame child,
                                   snt_time stamp);

/**
 * Store one sample of a dynamic edge. The newest costs O(1), a late one O(ring) at worst.
 *
 * @param      buffer    a buffer
 * @param      transform the sample
 * @param[out] effect    what it did, SNT_TF_APPENDED and the like; NULL = not wanted
 * @retval SNT_OK stored, or repeated what was there
 * @retval SNT_PENDING quarantined: more than max_step_ns ahead; the next sample near it confirms it
 * @retval SNT_ERR_NOT_FOUND a frame was removed
 * @retval SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION the pose is none
 * @retval SNT_ERR_CYCLE the parent is the child or lies below it
 * @retval SNT_ERR_CONFLICT the edge is static, or belongs to another publisher
 * @retval SNT_ERR_PAST older than the window: before newest − keep_ns, or before the oldest of a full ring
 * @retval SNT_ERR_FUTURE more than max_future_ns after `now`
 * @retval SNT_ERR_DUPLICATE another pose at a known stamp, under SNT_TF_STRICT_DUPLICATES
 * @retval SNT_ERR_DOMAIN, SNT_ERR_SESSION stamped by another clock, or of an earlier session
 * @retval SNT_ERR_FULL the sample budget is used up
 * @retval SNT_ERR_INVALID_ARG NULL, unknown flags, or a stamp at an end of the int64 range
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_insert(snt_tf_buffer *buffer, const snt_tf_transform *transform,
                                        uint32_t *effect);

/**
 * ::snt_tf_buffer_insert for many samples, in their order. One that is refused does not keep the others out; readers may
 * see those before it meanwhile.
 *
 * @param      buffer     a buffer
 * @param      transforms the samples, of one or many edges
 * @param      count      how many
 * @param[out] statuses   `count` outcomes, as of ::snt_tf_buffer_insert; NULL = not wanted
 * @return the first outcome that is not SNT_OK, else SNT_OK; SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_insert_many(snt_tf_buffer *buffer, const snt_tf_transform *transforms,
                                             uint64_t count, snt_status *statuses);

/**
 * As snt_tf_buffer_insert with frames by name (transform->parent and child are ignored), made if new unless
 * SNT_TF_KNOWN_ONLY is set.
 *
 * @param      buffer    a buffer
 * @param      parent    parent's name
 * @param      child     child's name
 * @param      transform the sample
 * @param[out] effect    what it did; NULL = not wanted
 * @return as snt_tf_buffer_insert, and as snt_tf_buffer_frame or snt_tf_buffer_find for the names
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_insert_named(snt_tf_buffer *buffer, const char *parent, const char *child,
                                              const snt_tf_transform *transform, uint32_t *effect);

/**
 * Set a static edge. The last one given holds at every time.
 *
 * @param      buffer    a buffer
 * @param      transform the pose; its stamp, domain and session are ignored
 * @param[out] effect    SNT_TF_CREATED, _SAME, _CHANGED, _REPARENTED; NULL = not wanted
 * @return as snt_tf_buffer_insert; SNT_ERR_CONFLICT if the edge is dynamic
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_insert_static(snt_tf_buffer *buffer, const snt_tf_transform *transform,
                                               uint32_t *effect);

/**
 * Make a dynamic edge static or the other way round. Its history is dropped; the next insert fills it.
 *
 * @param buffer a buffer
 * @param child  the edge
 * @param kind   SNT_TF_DYNAMIC, SNT_TF_STATIC (keeps the newest pose) or SNT_TF_NONE (cuts the frame off)
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_STATE (no pose to keep)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_convert(snt_tf_buffer *buffer, snt_frame child, uint32_t kind);

/**
 * Give an edge its ring ahead of its first sample, so that no later insert has to look for room.
 *
 * @param buffer  a buffer
 * @param child   the edge; it need not have a parent yet
 * @param samples ring size, rounded up to a power of two
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND, SNT_ERR_CONFLICT (has a ring of another size), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_reserve(snt_tf_buffer *buffer, snt_frame child, uint32_t samples);

/**
 * Defaults of an edge's settings: all the buffer's.
 *
 * @param[out] config      what to fill; NULL does nothing
 * @param      size   sizeof *config as the caller knows it
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tf_edge_config_init(snt_tf_edge_config *config, size_t size);

/**
 * Change the settings of one edge.
 *
 * @param buffer a buffer
 * @param child  the edge
 * @param config settings; NULL = the buffer's
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND, SNT_ERR_RANGE, SNT_ERR_NON_FINITE
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_edge_configure(snt_tf_buffer *buffer, snt_frame child,
                                                const snt_tf_edge_config *config);

/**
 * Stamp of an edge's newest sample: all a waiting message needs to know. O(1).
 *
 * @param      buffer a buffer
 * @param      child  the edge
 * @param[out] newest its newest stamp [ns]; SNT_TIME_INFINITE_FUTURE for a static edge
 * @retval SNT_OK, SNT_EMPTY (no sample yet, or a root), SNT_BUSY, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_newest(const snt_tf_buffer *buffer, snt_frame child, snt_time *newest);

/**
 * A frame's newest parent.
 *
 * @param      buffer a buffer
 * @param      child  a frame
 * @param[out] parent its parent; 0 for a root
 * @retval SNT_OK, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_parent(const snt_tf_buffer *buffer, snt_frame child, snt_frame *parent);

/**
 * The parentless frame at the top of a frame's chain: what a wait on an unconnected frame hangs on.
 *
 * @param      buffer a buffer
 * @param      frame  a frame
 * @param[out] root   the root of its tree, itself if it has no parent; O(depth)
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_root(const snt_tf_buffer *buffer, snt_frame frame, snt_frame *root);

/**
 * Number that grows whenever the tree's shape, a static pose or an edge's settings change. It says "look again", no more.
 *
 * @param buffer a buffer; NULL gives 0
 * @return the version
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_tf_buffer_structure_version(const snt_tf_buffer *buffer);

/**
 * What an edge is and how it fares. O(log ring).
 *
 * @param      buffer a buffer
 * @param      child  the edge
 * @param[out] info   the facts
 * @retval SNT_OK, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_edge_info(snt_tf_buffer *buffer, snt_frame child, snt_tf_edge_info *info);

/**
 * Totals. O(frames).
 *
 * @param      buffer a buffer
 * @param[out] info   the facts
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_get_info(snt_tf_buffer *buffer, snt_tf_buffer_info *info);

/**
 * Drop the samples of all dynamic edges. Frames, static edges, parents, settings and counters stay.
 *
 * @param buffer a buffer
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_clear_dynamic(snt_tf_buffer *buffer);

/**
 * Drop everything: samples, static edges, frames. All frame ids become unknown.
 *
 * @param buffer a buffer
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_clear_all(snt_tf_buffer *buffer);

/**
 * Begin a session: clear_dynamic, and what is stamped with an earlier session is refused from now on. A buffer that
 * follows an epoch does this by itself at its next insert.
 *
 * @param buffer  a buffer
 * @param session its number, not 0
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_INVALID_STATE (the buffer follows an epoch)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_reset(snt_tf_buffer *buffer, uint32_t session);

/**
 * Tell the buffer what time it is, so that a clock that went back by more than jump_back_ns starts anew.
 *
 * @param buffer a buffer
 * @param now    the clock of the stamps [ns]
 * @retval SNT_OK, SNT_ERR_RESET_SUSPECT (it went back: dynamic data was dropped), SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_observe_clock(snt_tf_buffer *buffer, snt_time now);

/**
 * Remove a frame with its edge. Frames below it become roots. The id is never used again. O(1) for a leaf.
 *
 * @param buffer a buffer
 * @param frame  the frame
 * @retval SNT_OK, SNT_ERR_NOT_FOUND, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_remove_frame(snt_tf_buffer *buffer, snt_frame frame);

/**
 * Remove every frame without children whose dynamic edge has no sample as new as a time. O(frames), repeated upwards.
 *
 * @param      buffer     a buffer
 * @param      older_than frames whose newest stamp lies before this go [ns]
 * @param[out] removed    how many went; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_gc(snt_tf_buffer *buffer, snt_time older_than, uint64_t *removed);

/**
 * Defaults of a question: SNT_TF_AT time 0, all else by the edges' settings.
 *
 * @param[out] question      what to fill; NULL does nothing
 * @param      size     sizeof *question as the caller knows it
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tf_question_init(snt_tf_question *question, size_t size);

/**
 * T_target_source at a time. O(depth + log ring).
 *
 * @param      buffer a buffer
 * @param      target frame to transform into
 * @param      source frame to transform from
 * @param      t      time [ns]
 * @param[out] result the answer
 * @param[out] miss   why there is none; NULL = not wanted
 * @retval SNT_OK, SNT_BUSY
 * @retval SNT_ERR_NOT_FOUND, SNT_ERR_NOT_CONNECTED, SNT_ERR_FUTURE, SNT_ERR_PAST, SNT_ERR_GAP, SNT_ERR_STALE,
 *         SNT_ERR_CLOCK_MISMATCH, SNT_ERR_DOMAIN, SNT_ERR_SESSION, SNT_ERR_CYCLE, SNT_ERR_RANGE as the miss explains
 * @retval SNT_ERR_INVALID_ARG NULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_lookup(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                        snt_time t, snt_tf_result *result, snt_tf_miss *miss);

/**
 * T_target_source at the newest time that every moving edge on the way covers.
 *
 * @param      buffer a buffer
 * @param      target frame to transform into
 * @param      source frame to transform from
 * @param[out] result the answer; its stamp is that time
 * @param[out] miss   why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup; SNT_ERR_STALE with SNT_TF_MISS_NO_COMMON_TIME if two histories do not overlap
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_lookup_latest(const snt_tf_buffer *buffer, snt_frame target,
                                               snt_frame source, snt_tf_result *result, snt_tf_miss *miss);

/**
 * T_target_source with every option.
 *
 * @param      buffer   a buffer
 * @param      target   frame to transform into
 * @param      source   frame to transform from
 * @param      question what is asked; NULL = latest common
 * @param[out] result   the answer; NULL = only whether there is one
 * @param[out] miss     why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_ask(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                     const snt_tf_question *question, snt_tf_result *result,
                                     snt_tf_miss *miss);

/**
 * Whether snt_tf_buffer_lookup would answer, without the arithmetic.
 *
 * @param      buffer a buffer
 * @param      target frame to transform into
 * @param      source frame to transform from
 * @param      t      time [ns]
 * @param[out] miss   why not; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_can(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                     snt_time t, snt_tf_miss *miss);

/**
 * Where something seen in `source` at one time is in `target` at another, through a frame that did not move meanwhile:
 * T_target_fixed(t_target) · T_fixed_source(t_source), from one state of the tree.
 *
 * @param      buffer   a buffer
 * @param      target   frame to transform into
 * @param      t_target when [ns]
 * @param      source   frame to transform from
 * @param      t_source when [ns]
 * @param      fixed    such as map or odom
 * @param[out] result   the answer; its stamp is `t_target`
 * @param[out] miss     why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_lookup_fixed(const snt_tf_buffer *buffer, snt_frame target,
                                              snt_time t_target, snt_frame source, snt_time t_source,
                                              snt_frame fixed, snt_tf_result *result, snt_tf_miss *miss);

/**
 * Resolve the chain between two frames once. Frames that are new are made; they need not be connected yet.
 *
 * @param      buffer a buffer; it must outlive the path
 * @param      target name of the frame to transform into
 * @param      source name of the frame to transform from
 * @param[out] path   the path; NULL on failure
 * @return as snt_tf_buffer_frame, and SNT_ERR_NO_MEMORY
 * @thread C  @alloc create  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_path(snt_tf_buffer *buffer, const char *target, const char *source,
                                      snt_tf_path **path);

/**
 * As snt_tf_buffer_path for frames by id.
 *
 * @param      buffer a buffer; it must outlive the path
 * @param      target frame to transform into
 * @param      source frame to transform from
 * @param[out] path   the path; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NO_MEMORY
 * @thread C  @alloc create  @since 1.0
 */
SNT_API snt_status snt_tf_path_create(snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                      snt_tf_path **path);

/**
 * Free a path.
 *
 * @param path a path, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_tf_path_destroy(snt_tf_path *path);

/**
 * Resolve the chain anew after the tree changed. Until then a stale path still answers rightly, by walking the tree,
 * and flags it with SNT_TF_STALE_PATH. Frames that come and go elsewhere make no path stale.
 *
 * @param path a path; nobody else may be using it
 * @retval SNT_OK, SNT_ERR_NOT_CONNECTED, SNT_ERR_NOT_FOUND, SNT_ERR_RANGE (longer than SNT_TF_MAX_DEPTH), SNT_BUSY,
 *         SNT_ERR_INVALID_ARG
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_refresh(snt_tf_path *path);

/**
 * Whether the path is as it was resolved: SNT_OK, or SNT_ERR_TREE_CHANGED when refreshing it would pay.
 *
 * @param path a path
 * @retval SNT_OK, SNT_ERR_TREE_CHANGED, SNT_ERR_NOT_CONNECTED (it never was), SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_check(const snt_tf_path *path);

/**
 * The edges on the path, by their child frames, from target to source.
 *
 * @param      path     a path
 * @param[out] children the moving edges
 * @param      capacity entries at `children`; may be 0
 * @param[out] count    how many there are
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_CONNECTED, SNT_ERR_BUFFER_TOO_SMALL (what fits is filled in)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_edges(const snt_tf_path *path, snt_frame *children, uint64_t capacity,
                                     uint64_t *count);

/**
 * T_target_source at a time. As snt_tf_buffer_lookup without the walk.
 *
 * @param      path   a path; any number of threads may share it
 * @param      t      time [ns]
 * @param[out] result the answer
 * @param[out] miss   why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_lookup(const snt_tf_path *path, snt_time t, snt_tf_result *result,
                                      snt_tf_miss *miss);

/**
 * T_target_source at the newest time that every moving edge covers.
 *
 * @param      path   a path
 * @param[out] result the answer; its stamp is that time
 * @param[out] miss   why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup_latest
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_lookup_latest(const snt_tf_path *path, snt_tf_result *result,
                                             snt_tf_miss *miss);

/**
 * T_target_source with every option.
 *
 * @param         path     a path
 * @param         question what is asked; NULL = latest common
 * @param[in,out] cursor   this reader's search hints; NULL = none
 * @param[out]    result   the answer; NULL = only whether there is one
 * @param[out]    miss     why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_ask(const snt_tf_path *path, const snt_tf_question *question,
                                   snt_tf_cursor *cursor, snt_tf_result *result, snt_tf_miss *miss);

/**
 * Whether snt_tf_path_lookup would answer, without the arithmetic.
 *
 * @param      path a path
 * @param      t    time [ns]
 * @param[out] miss why not; NULL = not wanted
 * @return as snt_tf_buffer_lookup
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_can(const snt_tf_path *path, snt_time t, snt_tf_miss *miss);

/**
 * Many times on one path: one answer per time, whatever their order; ascending times are fastest.
 *
 * @param         path        a path
 * @param         question    options; its `when` and `t` are ignored; NULL = the edges' settings
 * @param[in,out] cursor      search hints of this thread; NULL = none
 * @param         stamps      first of `n` int64 times [ns]
 * @param         stamp_stride bytes from time to time; 0 = 8
 * @param         n           how many
 * @param[out]    poses       first of `n` snt_pose, T_target_source; untouched where the item's status is not SNT_OK
 * @param         pose_stride bytes from pose to pose; 0 = sizeof(snt_pose)
 * @param[out]    statuses    `n` statuses; NULL = not wanted
 * @param[out]    answered    how many are SNT_OK; NULL = not wanted
 * @retval SNT_OK every time was answered
 * @retval SNT_ERR_INVALID_ARG NULL, or a stride too small; nothing is written
 * @return else the status of the first time that was not; O(n·depth)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_lookup_many(const snt_tf_path *path, const snt_tf_question *question,
                                           snt_tf_cursor *cursor, const void *stamps, uint64_t stamp_stride,
                                           uint64_t n, void *poses, uint64_t pose_stride,
                                           snt_status *statuses, uint64_t *answered);

/**
 * Velocity of source relative to target.
 *
 * With `window_ns` 0 it is the derivative of the interpolated motion at the time asked (at a sample: of the segment that
 * begins there, at the newest: that ends there). Otherwise the mean twist over [t − window/2, t + window/2], cut to what
 * the edges cover. Answers across edges that may jump carry SNT_TF_MAY_JUMP: a correction of map→odom is no motion.
 *
 * @param      path       a path
 * @param      question   SNT_TF_AT or SNT_TF_LATEST_COMMON; NULL = latest common
 * @param      window_ns  averaging time [ns], >= 0
 * @param      convention SNT_TF_TWIST_*
 * @param[out] result     the answer
 * @param[out] miss       why there is none; NULL = not wanted
 * @return as snt_tf_buffer_lookup; SNT_ERR_GAP across a discontinuity or a change of parent
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_path_twist(const snt_tf_path *path, const snt_tf_question *question,
                                     snt_duration window_ns, uint32_t convention, snt_tf_twist_result *result,
                                     snt_tf_miss *miss);

/**
 * Prepare a cursor.
 *
 * @param[out] cursor what to prepare; NULL does nothing
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_tf_cursor_init(snt_tf_cursor *cursor);

/**
 * One line that explains a miss, such as "odom->base_link: asked 100.012000000, newest 100.000000000, 0.012000000 s
 * short; next due 100.020000000 (50.0 Hz); transient".
 *
 * @param      buffer   where the frames' names are; removed ones print as '?'
 * @param      miss     the facts
 * @param[out] text     receives the line, empty without a miss; cut to fit and always terminated
 * @param      size     room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the line was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_miss_format(const snt_tf_buffer *buffer, const snt_tf_miss *miss, char *text,
                                      size_t size);

/**
 * The error number tf2 has for a miss: 1 lookup, 2 connectivity, 4 invalid argument, 7 into the past, 8 into the
 * future, 9 no data, 3 other extrapolation, 6 any other, 0 none.
 *
 * @param miss the facts
 * @return tf2_msgs/TF2Error code
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_tf_miss_tf2_code(const snt_tf_miss *miss);

/**
 * The tree as a graphviz digraph with kinds, rates, ranges and publishers.
 *
 * @param      buffer   a buffer
 * @param[out] text     the text, always zero-terminated if `capacity` > 0
 * @param      capacity bytes at `text`; 0 to learn the length
 * @return length of the whole text without its zero, which may exceed what fits
 * @thread L  @alloc never  @since 1.0
 */
SNT_API uint64_t snt_tf_buffer_dump_dot(snt_tf_buffer *buffer, char *text, uint64_t capacity);

/**
 * The tree and its statistics as JSON: {"frames":[{"frame":…,"parent":…,"kind":…,…}]}. Times are decimal strings.
 *
 * @param      buffer   a buffer
 * @param[out] text     the text, always zero-terminated if `capacity` > 0
 * @param      capacity bytes at `text`; 0 to learn the length
 * @return length of the whole text without its zero, which may exceed what fits
 * @thread L  @alloc never  @since 1.0
 */
SNT_API uint64_t snt_tf_buffer_dump_json(snt_tf_buffer *buffer, char *text, uint64_t capacity);

/** What the tree lint finds. */
enum {
    SNT_TF_LINT_ORDER = 1,         /**< earth, map, odom, base_link are not stacked in this order (REP-105) */
    SNT_TF_LINT_PUBLISHERS = 2,    /**< more than one publisher writes the edge */
    SNT_TF_LINT_ODOM_JUMPS = 3,    /**< odom to base moved faster between two samples than `max_speed` */
    SNT_TF_LINT_STATIC_MOVES = 4,  /**< a static edge was given different poses */
    SNT_TF_LINT_STATIC_WANTED = 5, /**< a dynamic edge has repeated one pose for its whole history */
    SNT_TF_LINT_ROOTS = 6,         /**< more than one tree */
    SNT_TF_LINT_REFUSED = 7        /**< the edge refused samples; `value` says how many */
};

/** One finding of the lint. 48 bytes, frozen. */
typedef struct snt_tf_finding {
    uint32_t code;        /**< SNT_TF_LINT_* */
    uint32_t authority_a; /**< first publisher involved; 0 = none */
    uint32_t authority_b; /**< second publisher involved; 0 = none */
    uint32_t reserved;    /**< 0 */
    snt_frame child;      /**< the edge or frame */
    snt_frame parent;     /**< its parent */
    snt_time stamp;       /**< where in the history; SNT_UNKNOWN = not at one time [ns] */
    double value;         /**< speed [m/s], count, or 0 */
} snt_tf_finding;

/**
 * Look for what breaks REP-105 or the tree. O(samples).
 *
 * @param      buffer    a buffer
 * @param      max_speed fastest plausible motion of base in odom [m/s]; 0 = 50
 * @param[out] findings  the first `capacity` of them
 * @param      capacity  entries at `findings`; may be 0
 * @param[out] count     how many there are
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_BUFFER_TOO_SMALL (what fits is filled in)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_buffer_lint(snt_tf_buffer *buffer, double max_speed, snt_tf_finding *findings,
                                      uint64_t capacity, uint64_t *count);

/**
 * One line that explains a finding.
 *
 * @param      buffer   where the names are
 * @param      finding  the facts
 * @param[out] text     receives the line, cut to fit and always terminated
 * @param      size     room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the line was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_finding_format(snt_tf_buffer *buffer, const snt_tf_finding *finding, char *text,
                                         size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_TF_BUFFER_H */
