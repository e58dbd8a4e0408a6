/* SPDX-License-Identifier: BSD-3-Clause */
/* The public headers of release 1.0.0, without comments. */
#if !defined(SNT_BUILD_SHARED) && !defined(SNT_USE_SHARED) && !defined(SNT_STATIC)
#define SNT_STATIC
#endif

#ifndef SENSORTIME_H
#define SENSORTIME_H

#ifndef SENSORTIME_BASE_H
#define SENSORTIME_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(SNT_FFI)
#define SNT_API
#elif defined(SNT_STATIC) && defined(__GNUC__) && !defined(_WIN32)
#define SNT_API __attribute__((visibility("hidden")))
#elif defined(_WIN32) && defined(SNT_BUILD_SHARED)
#define SNT_API __declspec(dllexport)
#elif defined(_WIN32) && defined(SNT_USE_SHARED)
#define SNT_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SNT_API __attribute__((visibility("default")))
#else
#define SNT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t snt_status;

#define SNT_STATUS_MAP(X)                                                                                    \
    X(SNT_OK, 0, "success")                                                                                  \
    X(SNT_EMPTY, 1, "nothing is waiting to be taken")                                                        \
    X(SNT_PENDING, 2, "not yet: more data or time is needed")                                                \
    X(SNT_BUSY, 3, "writers changed the data read in every attempt; ask again")                              \
    X(SNT_ERR_INVALID_ARG, -1, "an argument is null, of the wrong size or contradicts another")              \
    X(SNT_ERR_NO_MEMORY, -2, "the allocator returned no memory")                                             \
    X(SNT_ERR_OVERFLOW, -3, "the result does not fit its type")                                              \
    X(SNT_ERR_RANGE, -4, "a value lies outside its declared range")                                          \
    X(SNT_ERR_NON_FINITE, -5, "a number is NaN or infinite")                                                 \
    X(SNT_ERR_DOMAIN, -6, "the times belong to different clocks")                                            \
    X(SNT_ERR_SESSION, -7, "the data belongs to another session of its clock")                               \
    X(SNT_ERR_STALE, -8, "the data may be older than allowed")                                               \
    X(SNT_ERR_FUTURE, -9, "the time lies after the newest data")                                             \
    X(SNT_ERR_PAST, -10, "the time lies before the oldest data")                                             \
    X(SNT_ERR_AMBIGUOUS, -11, "more than one reading of the data is possible")                               \
    X(SNT_ERR_DUPLICATE, -12, "the same time or item was given before")                                      \
    X(SNT_ERR_BACKWARD, -13, "the time went backwards beyond the declared reorder window")                   \
    X(SNT_ERR_RESET_SUSPECT, -14, "the counter does not continue; the device may have restarted")            \
    X(SNT_ERR_NOT_FOUND, -15, "no such item")                                                                \
    X(SNT_ERR_NOT_CONNECTED, -16, "no path leads from one to the other")                                     \
    X(SNT_ERR_CYCLE, -17, "the edge would close a cycle")                                                    \
    X(SNT_ERR_CONFLICT, -18, "contradicts what is already there")                                            \
    X(SNT_ERR_FULL, -19, "the declared capacity is used up")                                                 \
    X(SNT_ERR_FORMAT, -20, "malformed text or bytes")                                                        \
    X(SNT_ERR_TRUNCATED, -21, "the bytes end before the message does")                                       \
    X(SNT_ERR_UNSUPPORTED, -22, "valid, but not supported here")                                             \
    X(SNT_ERR_PRECISION, -23, "the type is too coarse to hold this time")                                    \
    X(SNT_ERR_NO_TIME, -24, "there is no usable time in the data")                                           \
    X(SNT_ERR_EXPIRED, -25, "the table or validity interval has expired")                                    \
    X(SNT_ERR_INVALID_STATE, -26, "the handle is not in a state that can answer")                            \
    X(SNT_ERR_VIOLATION, -27, "the observation contradicts the declared assumptions")                        \
    X(SNT_ERR_UNCERTAIN, -28, "the error bound is missing or wider than allowed")                            \
    X(SNT_ERR_VERSION, -29, "that version is unknown or no longer kept")                                     \
    X(SNT_ERR_GAP, -30, "the hole in the data is too wide to bridge")                                        \
    X(SNT_ERR_BAD_QUATERNION, -31, "the quaternion is not of unit length")                                   \
    X(SNT_ERR_LAYOUT, -32, "sizes, offsets and counts contradict each other")                                \
    X(SNT_ERR_BUFFER_TOO_SMALL, -33, "the output buffer is too small")                                       \
    X(SNT_ERR_TREE_CHANGED, -34, "the tree changed since the path was resolved")                             \
    X(SNT_ERR_TIMEOUT, -35, "the declared waiting time is over")                                             \
    X(SNT_ERR_CLOCK_MISMATCH, -36, "the times lie years apart: two different clocks")                        \
    X(SNT_ERR_INCOMPATIBLE, -37, "offer and request do not match")                                           \
    X(SNT_ERR_HORIZON, -38, "beyond the horizon up to which the bound is vouched for")

enum {
#define SNT_X(name, number, text) name = number,
    SNT_STATUS_MAP(SNT_X)
#undef SNT_X
};

SNT_API const char *snt_status_name(snt_status status);

SNT_API const char *snt_status_text(snt_status status);

typedef struct snt_allocator {
    void *(*alloc)(size_t size, size_t align, void *user);
    void (*free)(void *memory, void *user);
    void *user;
} snt_allocator;

typedef struct snt_epoch snt_epoch;

enum {
    SNT_EPOCH_START = 0,
    SNT_EPOCH_DEVICE_BOOT = 1,
    SNT_EPOCH_COUNTER_RESET = 2,
    SNT_EPOCH_HOST_STEP = 3,
    SNT_EPOCH_REPLAY_SEEK = 4,
    SNT_EPOCH_SUSPEND = 5,
    SNT_EPOCH_USER = 6
};

SNT_API snt_status snt_epoch_create(const snt_allocator *allocator, snt_epoch **out);

SNT_API snt_epoch *snt_epoch_ref(snt_epoch *epoch);

SNT_API void snt_epoch_unref(snt_epoch *epoch);

SNT_API uint32_t snt_epoch_bump(snt_epoch *epoch, uint32_t reason);

SNT_API uint32_t snt_epoch_session(const snt_epoch *epoch);

SNT_API uint32_t snt_epoch_reason(const snt_epoch *epoch);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_VERSION_H
#define SENSORTIME_VERSION_H

#define SNT_VERSION_MAJOR  1
#define SNT_VERSION_MINOR  0
#define SNT_VERSION_PATCH  0
#define SNT_VERSION_STRING "1.0.0"

#define SNT_VERSION_NUMBER (SNT_VERSION_MAJOR * 10000 + SNT_VERSION_MINOR * 100 + SNT_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

SNT_API uint32_t snt_version_number(void);

SNT_API const char *snt_version_string(void);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_STAMP_H
#define SENSORTIME_STAMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t snt_time;
typedef int64_t snt_duration;

#define SNT_TIME_INFINITE_PAST   INT64_MIN
#define SNT_TIME_INFINITE_FUTURE INT64_MAX

#define SNT_UNKNOWN INT64_MAX

#define SNT_NS_PER_US INT64_C(1000)
#define SNT_NS_PER_MS INT64_C(1000000)
#define SNT_NS_PER_S  INT64_C(1000000000)

typedef struct snt_interval {
    snt_time lo;
    snt_time hi;
} snt_interval;

enum { SNT_ROUND_FLOOR = 0, SNT_ROUND_CEIL = 1, SNT_ROUND_NEAREST = 2, SNT_ROUND_ZERO = 3 };

SNT_API snt_status snt_time_add(snt_time t, snt_duration d, snt_time *out);

SNT_API snt_status snt_time_sub(snt_time t, snt_duration d, snt_time *out);

SNT_API snt_status snt_duration_mul(snt_duration d, int64_t n, snt_duration *out);

SNT_API snt_status snt_duration_scale(snt_duration d, int64_t num, int64_t den, uint32_t rounding,
                                      snt_duration *out);

SNT_API snt_time snt_time_add_sat(snt_time t, snt_duration d);

SNT_API snt_time snt_time_sub_sat(snt_time t, snt_duration d);

SNT_API snt_duration snt_duration_mul_sat(snt_duration d, int64_t n);

SNT_API snt_duration snt_duration_scale_sat(snt_duration d, int64_t num, int64_t den, uint32_t rounding);

SNT_API snt_status snt_ticks_to_ns(int64_t ticks, int64_t num, int64_t den, uint32_t rounding,
                                   snt_duration *out, int64_t *remainder);

SNT_API snt_status snt_ns_to_ticks(snt_duration ns, int64_t num, int64_t den, uint32_t rounding,
                                   int64_t *ticks);

SNT_API snt_status snt_time_from_parts(int64_t sec, int64_t nsec, snt_time *out);

SNT_API snt_status snt_time_from_ros1(uint32_t sec, uint32_t nsec, snt_time *out);

SNT_API snt_status snt_time_to_ros1(snt_time t, uint32_t *sec, uint32_t *nsec);

SNT_API snt_status snt_duration_from_ros1(int32_t sec, int32_t nsec, snt_duration *out);

SNT_API snt_status snt_duration_to_ros1(snt_duration d, int32_t *sec, int32_t *nsec);

SNT_API snt_status snt_time_from_ros2(int32_t sec, uint32_t nanosec, snt_time *out);

SNT_API snt_status snt_time_to_ros2(snt_time t, int32_t *sec, uint32_t *nanosec);

SNT_API snt_status snt_time_from_timespec(int64_t tv_sec, int64_t tv_nsec, snt_time *out);

SNT_API snt_status snt_time_to_timespec(snt_time t, int64_t *tv_sec, int64_t *tv_nsec);

SNT_API snt_status snt_time_from_timeval(int64_t tv_sec, int64_t tv_usec, snt_time *out);

SNT_API snt_status snt_time_to_timeval(snt_time t, int64_t *tv_sec, int64_t *tv_usec);

SNT_API snt_status snt_time_from_ntp(uint64_t ntp, snt_time pivot, snt_time *out);

SNT_API snt_status snt_time_to_ntp(snt_time t, uint64_t *ntp);

SNT_API snt_status snt_time_from_ptp(uint64_t seconds, uint32_t nanoseconds, snt_time *out);

SNT_API snt_status snt_time_to_ptp(snt_time t, uint64_t *seconds, uint32_t *nanoseconds);

SNT_API snt_status snt_time_from_gps(uint32_t week, int64_t tow_ns, uint32_t week_bits, snt_time pivot,
                                     snt_time *out);

SNT_API snt_status snt_time_to_gps(snt_time t, uint32_t week_bits, uint32_t *week, int64_t *tow_ns);

SNT_API snt_status snt_time_to_seconds(snt_time t, double *seconds, double *error);

SNT_API snt_status snt_time_from_seconds(double seconds, snt_time *out, snt_duration *error_ns);

SNT_API snt_status snt_time_from_seconds_f32(float seconds, snt_duration max_error_ns, snt_time *out,
                                             snt_duration *error_ns);

#define SNT_DURATION_SIZE 24

SNT_API snt_status snt_duration_format(snt_duration d, uint32_t digits, char *text, size_t size);

enum { SNT_ORDER_BEFORE = -1, SNT_ORDER_EQUAL = 0, SNT_ORDER_AFTER = 1, SNT_ORDER_OVERLAP = 2 };

SNT_API snt_status snt_interval_around(snt_time t, snt_duration before, snt_duration after,
                                       snt_interval *out);

SNT_API snt_status snt_interval_add(const snt_interval *a, const snt_interval *b, snt_interval *out);

SNT_API snt_status snt_interval_sub(const snt_interval *a, const snt_interval *b, snt_interval *out);

SNT_API snt_status snt_interval_intersect(const snt_interval *a, const snt_interval *b, snt_interval *out);

SNT_API snt_status snt_interval_hull(const snt_interval *a, const snt_interval *b, snt_interval *out);

SNT_API int32_t snt_interval_contains(const snt_interval *interval, snt_time t);

SNT_API snt_status snt_interval_compare(const snt_interval *a, const snt_interval *b, int32_t *order);

typedef struct snt_delay_error {
    double position_m;
    double bearing_rad;
    double rotation_m;
    double point_m;
} snt_delay_error;

SNT_API snt_status snt_stamp_delay_error(snt_duration delay, double speed, double turn, double range,
                                         snt_delay_error *out);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_SAMPLE_H
#define SENSORTIME_SAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SNT_DOMAIN_UNSPECIFIED = 0,
    SNT_DOMAIN_UNIX = 1,
    SNT_DOMAIN_STEADY = 2,
    SNT_DOMAIN_TAI = 3,
    SNT_DOMAIN_GPS = 4,
    SNT_DOMAIN_SIM = 5,
    SNT_DOMAIN_USER = 64
};

enum {
    SNT_TIME_BOUND_LO = 1 << 0,
    SNT_TIME_BOUND_HI = 1 << 1,
    SNT_TIME_CAUSAL = 1 << 2,
    SNT_TIME_ASSUMED_DELAY = 1 << 3,
    SNT_TIME_ASSUMED_RATE = 1 << 4,
    SNT_TIME_ASSUMED_WANDER = 1 << 5,
    SNT_TIME_ASSUMED_QUANTUM = 1 << 6,
    SNT_TIME_HOLDOVER = 1 << 7,
    SNT_TIME_RESTORED = 1 << 8,
    SNT_TIME_LEAP_EXPIRED = 1 << 9,
    SNT_TIME_LEAP_AMBIGUOUS = 1 << 10,
    SNT_TIME_SATURATED = 1 << 11,
    SNT_TIME_ROUNDED = 1 << 12,
    SNT_TIME_DECLARED = 1 << 13
};

typedef struct snt_bounded_time {
    snt_time t;
    snt_time lo;
    snt_time hi;
    uint32_t domain;
    uint32_t session;
    uint32_t version;
    uint32_t flags;
} snt_bounded_time;

enum {
    SNT_EVENT_UNSPECIFIED = 0,
    SNT_EVENT_INSTANT = 1,
    SNT_EVENT_EXPOSURE = 2,
    SNT_EVENT_EXPOSURE_START = 3,
    SNT_EVENT_EXPOSURE_MID = 4,
    SNT_EVENT_EXPOSURE_END = 5,
    SNT_EVENT_SWEEP = 6,
    SNT_EVENT_SWEEP_START = 7,
    SNT_EVENT_SWEEP_MID = 8,
    SNT_EVENT_SWEEP_END = 9,
    SNT_EVENT_TRANSFER = 10,
    SNT_EVENT_RECEIVE = 11,
    SNT_EVENT_PUBLISH = 12,
    SNT_EVENT_INPUTS = 13
};

typedef struct snt_sample {
    snt_time t0_ns;
    snt_time t1_ns;
    snt_duration err_lo_ns;
    snt_duration err_hi_ns;
    snt_time receive_ns;
    snt_time complete_ns;
    uint64_t token;
    uint64_t sequence;
    uint32_t source;
    uint32_t event;
    uint32_t domain;
    uint32_t session;
    uint32_t version;
    uint32_t flags;
    uint32_t receive_domain;
    uint32_t reserved;
} snt_sample;

SNT_API void snt_sample_init(snt_sample *sample, snt_time t, uint32_t domain, uint64_t token);

SNT_API snt_status snt_bounded_time_init(snt_time t, snt_duration err_lo, snt_duration err_hi,
                                         uint32_t domain, uint32_t session, snt_bounded_time *out);

SNT_API snt_status snt_bounded_time_check(const snt_bounded_time *time);

SNT_API snt_status snt_bounded_time_add(const snt_bounded_time *time, snt_duration d, snt_duration error,
                                        snt_bounded_time *out);

typedef struct snt_bounded_duration {
    snt_duration d;
    snt_duration lo;
    snt_duration hi;
    uint32_t flags;
    uint32_t reserved;
} snt_bounded_duration;

SNT_API snt_status snt_bounded_time_sub(const snt_bounded_time *a, const snt_bounded_time *b,
                                        snt_bounded_duration *out);

SNT_API snt_status snt_bounded_time_compare(const snt_bounded_time *a, const snt_bounded_time *b,
                                            int32_t *order);

SNT_API snt_status snt_bounded_time_separation(const snt_bounded_time *a, const snt_bounded_time *b,
                                               snt_duration *least, snt_duration *greatest);

SNT_API snt_status snt_sample_check(const snt_sample *sample);

SNT_API snt_status snt_sample_set_times(snt_sample *sample, const snt_bounded_time *first,
                                        const snt_bounded_time *last, uint32_t event);

enum { SNT_AT_FIRST = 0, SNT_AT_MIDDLE = 1, SNT_AT_LAST = 2 };

SNT_API snt_status snt_sample_moment(const snt_sample *sample, uint32_t at, snt_bounded_time *out);

SNT_API snt_status snt_sample_span(const snt_sample *sample, snt_interval *out);

SNT_API snt_status snt_sample_comparable(const snt_sample *a, const snt_sample *b);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_TICK_UNWRAPPER_H
#define SENSORTIME_TICK_UNWRAPPER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_tick_unwrapper snt_tick_unwrapper;

enum {
    SNT_TICKS_U64_NS = 0,
    SNT_TICKS_U32_US = 1,
    SNT_TICKS_U32_NS = 2,
    SNT_TICKS_U32_MS = 3,
    SNT_TICKS_U24_MS = 4,
    SNT_TICKS_TOP_OF_HOUR_US = 5,
    SNT_TICKS_GPS_WEEK_MS = 6,
    SNT_TICKS_PPS_SECOND_NS = 7
};

typedef struct snt_tick_unwrapper_config {
    uint32_t struct_size;
    uint32_t counter_bits;
    uint64_t modulus;
    int64_t tick_num_ns;
    int64_t tick_den;
    uint64_t reorder_ticks;
} snt_tick_unwrapper_config;

enum {
    SNT_TICK_FIRST = 1 << 0,
    SNT_TICK_WRAPPED = 1 << 1,
    SNT_TICK_REORDERED = 1 << 2,
    SNT_TICK_PREDICTED = 1 << 3
};

typedef struct snt_tick_reading {
    int64_t ticks;
    int64_t device_ns;
    int64_t step_ns;
    uint32_t flags;
    uint32_t reserved;
} snt_tick_reading;

SNT_API void snt_tick_unwrapper_config_init(snt_tick_unwrapper_config *cfg, size_t size);

SNT_API snt_status snt_tick_unwrapper_config_preset(snt_tick_unwrapper_config *cfg, size_t size,
                                                    uint32_t preset);

SNT_API snt_status snt_tick_unwrapper_create(const snt_tick_unwrapper_config *cfg,
                                             const snt_allocator *allocator, snt_tick_unwrapper **out);

SNT_API void snt_tick_unwrapper_destroy(snt_tick_unwrapper *unwrapper);

SNT_API snt_status snt_tick_unwrapper_accept(snt_tick_unwrapper *unwrapper, uint64_t raw,
                                             const snt_interval *predicted, snt_tick_reading *out);

SNT_API snt_status snt_tick_unwrapper_peek(const snt_tick_unwrapper *unwrapper, uint64_t raw,
                                           const snt_interval *predicted, snt_tick_reading *out);

SNT_API void snt_tick_unwrapper_restart(snt_tick_unwrapper *unwrapper);

SNT_API snt_status snt_tick_unwrapper_period(const snt_tick_unwrapper *unwrapper, int64_t *out);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_TIMESCALE_H
#define SENSORTIME_TIMESCALE_H

#ifdef __cplusplus
extern "C" {
#endif

#define SNT_GPS_EPOCH_UNIX_S INT64_C(315964800)

#define SNT_TAI_MINUS_GPS_S INT64_C(19)

#define SNT_LEAP_CAPACITY 64

typedef struct snt_leap_step {
    int64_t unix_s;
    int32_t tai_minus_utc;
    uint32_t reserved;
} snt_leap_step;

typedef struct snt_leap_table {
    snt_time updated;
    snt_time expires;
    uint32_t count;
    uint32_t hash_state;
    snt_leap_step steps[SNT_LEAP_CAPACITY];
} snt_leap_table;

enum { SNT_LEAP_HASH_ABSENT = 0, SNT_LEAP_HASH_GOOD = 1 };

SNT_API void snt_leap_table_init(snt_leap_table *table);

SNT_API snt_status snt_leap_table_parse(const char *text, size_t length, snt_leap_table *table,
                                        uint32_t *line);

SNT_API snt_status snt_leap_table_offset(const snt_leap_table *table, snt_time unix_time, int32_t *offset_s,
                                         uint32_t *flags);

SNT_API snt_status snt_timescale_convert(const snt_leap_table *table, snt_time t, uint32_t from, uint32_t to,
                                         snt_time *out, uint32_t *flags);

SNT_API snt_status snt_timescale_convert_bounded(const snt_leap_table *table, const snt_bounded_time *in,
                                                 uint32_t to, snt_bounded_time *out);

enum { SNT_PTP_TIMESCALE = 1 << 0, SNT_PTP_UTC_OFFSET_VALID = 1 << 1 };

SNT_API snt_status snt_timescale_ptp_to_unix(const snt_leap_table *table, snt_time ptp, uint32_t ptp_flags,
                                             int32_t utc_offset, snt_time *out, uint32_t *flags);

#define SNT_RFC3339_SIZE 40

SNT_API snt_status snt_time_parse_rfc3339(const char *text, size_t length, const snt_leap_table *table,
                                          snt_time *out, uint32_t *flags);

SNT_API snt_status snt_time_parse_rfc3339_tai(const char *text, size_t length, const snt_leap_table *table,
                                              snt_time *out, uint32_t *flags);

SNT_API snt_status snt_time_format_rfc3339(snt_time t, uint32_t digits, int32_t offset_minutes, char *text,
                                           size_t size);

SNT_API snt_status snt_time_format_rfc3339_tai(snt_time t, const snt_leap_table *table, uint32_t digits,
                                               char *text, size_t size, uint32_t *flags);

enum {
    SNT_LOOKS_SAME = 0,
    SNT_LOOKS_ZERO = 1,
    SNT_LOOKS_UNIX = 2,
    SNT_LOOKS_SIMULATED = 3,
    SNT_LOOKS_UPTIME = 4,
    SNT_LOOKS_TAI = 5,
    SNT_LOOKS_UTC_FOR_TAI = 6,
    SNT_LOOKS_GPS = 7,
    SNT_LOOKS_UTC_FOR_GPS = 8,
    SNT_LOOKS_TAI_FOR_GPS = 9,
    SNT_LOOKS_GPS_FOR_TAI = 10,
    SNT_LOOKS_GPS_EPOCH = 11,
    SNT_LOOKS_GPS_TOW = 12,
    SNT_LOOKS_GPS_ROLLOVER = 13,
    SNT_LOOKS_TOP_OF_HOUR = 14,
    SNT_LOOKS_UNSET_RTC = 15,
    SNT_LOOKS_TIME_ZONE = 16,
    SNT_LOOKS_UNIT = 17,
    SNT_LOOKS_FOREIGN = 18
};

typedef struct snt_clock_finding {
    snt_duration gap;
    snt_duration constant;
    snt_duration residual;
    int64_t factor;
    uint32_t kind;
    uint32_t comparable;
    uint64_t reserved;
} snt_clock_finding;

SNT_API snt_status snt_clock_classify(snt_time stamp, snt_time reference, snt_time uptime,
                                      snt_duration tolerance, const snt_leap_table *table,
                                      snt_clock_finding *out);

SNT_API uint32_t snt_clock_kind(snt_time t);

SNT_API const char *snt_clock_kind_text(uint32_t kind);

SNT_API snt_status snt_clock_finding_format(const snt_clock_finding *finding, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_CLOCK_MAP_H
#define SENSORTIME_CLOCK_MAP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_clock_map snt_clock_map;

enum {
    SNT_CLOCK_UNINIT = 0,
    SNT_CLOCK_WARMING = 1,
    SNT_CLOCK_VALID = 2,
    SNT_CLOCK_HOLDOVER = 3,
    SNT_CLOCK_INVALID = 4,
    SNT_CLOCK_REINITIALIZING = 5
};

enum {
    SNT_CLOCK_WHY_FEW = 1 << 0,
    SNT_CLOCK_WHY_WIDE = 1 << 1,
    SNT_CLOCK_WHY_SILENT = 1 << 2,
    SNT_CLOCK_WHY_HORIZON = 1 << 3,
    SNT_CLOCK_WHY_VIOLATION = 1 << 4,
    SNT_CLOCK_WHY_SUSPECT = 1 << 5,
    SNT_CLOCK_WHY_DEVICE_BOOT = 1 << 6,
    SNT_CLOCK_WHY_COUNTER_RESET = 1 << 7,
    SNT_CLOCK_WHY_HOST_STEP = 1 << 8,
    SNT_CLOCK_WHY_REPLAY_SEEK = 1 << 9,
    SNT_CLOCK_WHY_SUSPEND = 1 << 10,
    SNT_CLOCK_WHY_USER = 1 << 11,
    SNT_CLOCK_WHY_AMBIGUOUS = 1 << 12,
    SNT_CLOCK_WHY_RESTORED = 1 << 13
};

enum {
    SNT_OBSERVED_NOTHING = 0,
    SNT_OBSERVED_ARRIVAL = 1,
    SNT_OBSERVED_TRIGGER = 2,
    SNT_OBSERVED_EXCHANGE = 3,
    SNT_OBSERVED_CROSS = 4,
    SNT_OBSERVED_PPS = 5,
    SNT_OBSERVED_INTERVAL = 6
};

enum { SNT_STAMP_FLOOR = 0, SNT_STAMP_NEAREST = 1 };

typedef struct snt_clock_map_config {
    uint32_t struct_size;
    uint32_t device_domain;
    uint32_t host_domain;
    uint32_t max_vertices;
    uint32_t versions;
    uint32_t device_rounding;
    uint32_t warm_observations;
    uint32_t suspect_window;
    int64_t rate_bound_ppb;
    double wander_ppb_s;
    int64_t delay_min_ns;
    int64_t delay_max_ns;
    int64_t command_min_ns;
    int64_t command_max_ns;
    int64_t device_quantum_ns;
    int64_t host_error_ns;
    int64_t warm_span_ns;
    int64_t valid_width_ns;
    int64_t holdover_after_ns;
    int64_t horizon_ns;
    snt_epoch *epoch;
} snt_clock_map_config;

enum { SNT_CLOCK_MAPPING_VERTICES = 32 };

typedef struct snt_clock_mapping {
    int64_t device_anchor_ns;
    int64_t host_anchor_ns;
    double x_min_ns;
    double x_max_ns;
    double y_min_ppb;
    double y_max_ppb;
    double estimate_x_ns;
    double estimate_y_ppb;
    double wander_ppb_s;
    double rate_bound_ppb;
    int64_t stamp_before_ns;
    int64_t stamp_after_ns;
    int64_t evidence_ns;
    int64_t holdover_after_ns;
    int64_t horizon_ns;
    uint32_t version;
    uint32_t session;
    uint32_t state;
    uint32_t reasons;
    uint32_t flags;
    uint32_t device_domain;
    uint32_t host_domain;
    uint32_t vertex_count;
    double vertices[2 * SNT_CLOCK_MAPPING_VERTICES];
} snt_clock_mapping;

typedef struct snt_clock_duration {
    int64_t duration_ns;
    int64_t lo_ns;
    int64_t hi_ns;
    uint32_t flags;
    uint32_t session;
} snt_clock_duration;

enum { SNT_PROOF_NONE = 0, SNT_PROOF_EARLY = 1, SNT_PROOF_LATE = 2, SNT_PROOF_IMPOSSIBLE = 3 };

typedef struct snt_clock_proof {
    int64_t device_ns;
    snt_interval predicted;
    snt_interval observed;
    int64_t gap_ns;
    int64_t age_ns;
    double rate_needed_ppb;
    double wander_needed_ppb_s;
    uint32_t side;
    uint32_t kind;
    uint32_t session;
    uint32_t version;
} snt_clock_proof;

typedef struct snt_clock_health {
    uint32_t state;
    uint32_t reasons;
    uint32_t session;
    uint32_t version;
    uint32_t restarts;
    uint32_t vertices;
    uint64_t observations;
    uint64_t cuts;
    uint64_t refused;
    int64_t last_device_ns;
    int64_t last_host_ns;
    int64_t width_ns;
    int64_t undetectable_step_ns;
    double growth_ppb;
    double rate_ppb;
    double rate_lo_ppb;
    double rate_hi_ppb;
    double suspicion_ns;
} snt_clock_health;

enum {
    SNT_ADVICE_DELAY_MIN_TIGHTER = 1 << 0,
    SNT_ADVICE_DELAY_MIN_WIDER = 1 << 1,
    SNT_ADVICE_DELAY_MAX_TIGHTER = 1 << 2,
    SNT_ADVICE_DELAY_MAX_WIDER = 1 << 3,
    SNT_ADVICE_RATE_TIGHTER = 1 << 4,
    SNT_ADVICE_RATE_WIDER = 1 << 5,
    SNT_ADVICE_WANDER_TIGHTER = 1 << 6,
    SNT_ADVICE_WANDER_WIDER = 1 << 7
};

typedef struct snt_clock_audit {
    uint64_t arrivals;
    int64_t delay_floor_lo_ns;
    int64_t delay_floor_hi_ns;
    int64_t delay_ceil_lo_ns;
    int64_t delay_ceil_hi_ns;
    int64_t round_trip_min_ns;
    double rate_lo_ppb;
    double rate_hi_ppb;
    double wander_seen_ppb_s;
    double wander_proven_ppb_s;
    int64_t advised_delay_min_ns;
    int64_t advised_delay_max_ns;
    double advised_rate_ppb;
    double advised_wander_ppb_s;
    uint32_t advice;
    uint32_t session;
    uint64_t reserved;
} snt_clock_audit;

SNT_API void snt_clock_map_config_init(snt_clock_map_config *cfg, size_t size);

SNT_API snt_status snt_clock_map_size(const snt_clock_map_config *cfg, uint64_t *out);

SNT_API snt_status snt_clock_map_create(const snt_clock_map_config *cfg, const snt_allocator *allocator,
                                        snt_clock_map **out);

SNT_API void snt_clock_map_destroy(snt_clock_map *map);

SNT_API snt_status snt_clock_map_observe_arrival(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                 snt_time receive_ns, snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_observe_trigger(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                 snt_time command_ns, snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_request(snt_clock_map *map, uint32_t session, snt_time send_ns,
                                         uint32_t *request);

SNT_API snt_status snt_clock_map_reply(snt_clock_map *map, uint32_t session, uint32_t request,
                                       int64_t device_receive_ns, int64_t device_send_ns, snt_time receive_ns,
                                       snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_observe_exchange(snt_clock_map *map, uint32_t session, snt_time send_ns,
                                                  int64_t device_receive_ns, int64_t device_send_ns,
                                                  snt_time receive_ns, snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_observe_cross(snt_clock_map *map, uint32_t session, snt_time before_ns,
                                               int64_t device_ns, snt_time after_ns, snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_observe_pps(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                             snt_time second_ns, int64_t error_ns, snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_observe_interval(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                                  const snt_interval *host, uint32_t flags,
                                                  snt_clock_proof *proof);

SNT_API snt_status snt_clock_map_to_host(const snt_clock_map *map, int64_t device_ns, snt_bounded_time *out);

SNT_API snt_status snt_clock_map_to_host_many(const snt_clock_map *map, const int64_t *device_ns,
                                              uint64_t count, snt_bounded_time *out, snt_status *statuses);

SNT_API snt_status snt_clock_map_to_device(const snt_clock_map *map, snt_time host_ns, snt_bounded_time *out);

SNT_API snt_status snt_clock_map_duration(const snt_clock_map *map, int64_t from_ns, int64_t to_ns,
                                          snt_clock_duration *out);

SNT_API snt_status snt_clock_map_to_host_at(const snt_clock_map *map, uint32_t version, int64_t device_ns,
                                            snt_bounded_time *out);

SNT_API snt_status snt_clock_map_to_host_smoothed(const snt_clock_map *map, int64_t device_ns,
                                                  snt_bounded_time *out);

SNT_API snt_status snt_clock_map_export(const snt_clock_map *map, uint32_t version, snt_clock_mapping *out);

SNT_API snt_status snt_clock_map_restore(snt_clock_map *map, const snt_clock_mapping *mapping);

SNT_API snt_status snt_clock_mapping_check(const snt_clock_mapping *mapping);

SNT_API snt_status snt_clock_mapping_to_host(const snt_clock_mapping *mapping, int64_t device_ns,
                                             snt_bounded_time *out);

SNT_API snt_status snt_clock_mapping_to_device(const snt_clock_mapping *mapping, snt_time host_ns,
                                               snt_bounded_time *out);

SNT_API snt_status snt_clock_mapping_duration(const snt_clock_mapping *mapping, int64_t from_ns,
                                              int64_t to_ns, snt_clock_duration *out);

SNT_API snt_status snt_clock_map_invalidate(snt_clock_map *map, uint32_t reason);

SNT_API snt_status snt_clock_map_restart(snt_clock_map *map, uint32_t reason, uint32_t *session);

SNT_API uint32_t snt_clock_map_session(const snt_clock_map *map);

SNT_API uint32_t snt_clock_map_version(const snt_clock_map *map);

SNT_API snt_status snt_clock_map_domains(const snt_clock_map *map, uint32_t *device_domain,
                                         uint32_t *host_domain);

SNT_API snt_status snt_clock_map_health(const snt_clock_map *map, int64_t device_ns, snt_clock_health *out);

SNT_API snt_status snt_clock_map_audit(const snt_clock_map *map, snt_clock_audit *out);

SNT_API const char *snt_clock_state_name(uint32_t state);

SNT_API snt_status snt_clock_proof_format(const snt_clock_proof *proof, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_DEVICE_CLOCK_H
#define SENSORTIME_DEVICE_CLOCK_H

#ifndef SENSORTIME_ADMISSION_H
#define SENSORTIME_ADMISSION_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_admission_policy {
    uint32_t struct_size;
    uint32_t domain;
    uint32_t session;
    uint32_t least_version;
    uint32_t forbidden_flags;
    uint32_t refused_events;
    uint32_t age_of;
    uint32_t reserved;
    int64_t max_age_ns;
    int64_t max_uncertainty_ns;
    snt_epoch *epoch;
} snt_admission_policy;

enum {
    SNT_REFUSED_MALFORMED = 1 << 0,
    SNT_REFUSED_DOMAIN = 1 << 1,
    SNT_REFUSED_SESSION = 1 << 2,
    SNT_REFUSED_VERSION = 1 << 3,
    SNT_REFUSED_EVENT = 1 << 4,
    SNT_REFUSED_MAPPING = 1 << 5,
    SNT_REFUSED_NO_BOUND = 1 << 6,
    SNT_REFUSED_ASSUMPTION = 1 << 7,
    SNT_REFUSED_FUTURE = 1 << 8,
    SNT_REFUSED_STALE = 1 << 9,
    SNT_REFUSED_MAYBE_STALE = 1 << 10,
    SNT_REFUSED_UNCERTAIN = 1 << 11,
    SNT_REFUSED_HORIZON = 1 << 12,
    SNT_REFUSED_DUPLICATE = 1 << 13,
    SNT_REFUSED_BACKWARD = 1 << 14,
    SNT_REFUSED_AMBIGUOUS = 1 << 15,
    SNT_REFUSED_RESET = 1 << 16,
    SNT_REFUSED_VIOLATION = 1 << 17,
    SNT_REFUSED_OTHER = 1 << 18
};

enum { SNT_NOTE_CROSSES_ZERO = 1 << 0, SNT_NOTE_RAW_COUNTER = 1 << 1, SNT_NOTE_NO_TIME = 1 << 2 };

typedef struct snt_admission_record {
    uint64_t raw_counter;
    uint64_t sequence;
    uint64_t token;
    int64_t t0_ns;
    int64_t t1_ns;
    int64_t err_lo_ns;
    int64_t err_hi_ns;
    int64_t receive_ns;
    int64_t now_ns;
    int64_t now_lo_ns;
    int64_t now_hi_ns;
    int64_t max_age_ns;
    int64_t max_uncertainty_ns;
    int64_t age_ns;
    int64_t age_lo_ns;
    int64_t age_hi_ns;
    int64_t uncertainty_ns;
    uint32_t source;
    uint32_t event;
    uint32_t domain;
    uint32_t session;
    uint32_t version;
    uint32_t flags;
    uint32_t receive_domain;
    uint32_t now_domain;
    uint32_t now_flags;
    uint32_t expected_domain;
    uint32_t expected_session;
    uint32_t least_version;
    uint32_t forbidden_flags;
    uint32_t refused_events;
    uint32_t age_of;
    uint32_t notes;
    uint32_t reasons;
    int32_t status;
    uint64_t reserved;
} snt_admission_record;

SNT_API void snt_admission_policy_init(snt_admission_policy *policy, size_t size);

SNT_API snt_status snt_admission_check(const snt_admission_policy *policy, const snt_sample *sample,
                                       const snt_bounded_time *now, snt_admission_record *record);

SNT_API snt_status snt_admission_refuse(snt_status status, const snt_sample *sample,
                                        const snt_bounded_time *now, snt_admission_record *record);

SNT_API snt_status snt_admission_redo(const snt_admission_record *record, snt_admission_record *again);

#define SNT_ADMISSION_TEXT_SIZE 2048

SNT_API snt_status snt_admission_format_text(const snt_admission_record *record, char *text, size_t size);

SNT_API snt_status snt_admission_format_csv_header(char *text, size_t size);

SNT_API snt_status snt_admission_format_csv(const snt_admission_record *record, char *text, size_t size);

SNT_API snt_status snt_admission_format_json(const snt_admission_record *record, char *text, size_t size);

SNT_API const char *snt_admission_reason_name(uint32_t reason);

typedef struct snt_pair_separation {
    int64_t estimate_ns;
    int64_t least_ns;
    int64_t greatest_ns;
    int64_t limit_ns;
    int32_t status;
    uint32_t flags;
} snt_pair_separation;

SNT_API snt_status snt_admission_pair(const snt_sample *a, const snt_sample *b, int64_t limit_ns,
                                      snt_pair_separation *out);

typedef struct snt_admission_log snt_admission_log;

SNT_API snt_status snt_admission_log_size(uint32_t capacity, uint64_t *out);

SNT_API snt_status snt_admission_log_create(uint32_t capacity, const snt_allocator *allocator,
                                            snt_admission_log **out);

SNT_API void snt_admission_log_destroy(snt_admission_log *log);

SNT_API snt_status snt_admission_log_push(snt_admission_log *log, const snt_admission_record *record);

typedef struct snt_admission_counts {
    uint64_t first;
    uint64_t end;
    uint64_t admitted;
    uint64_t refused;
} snt_admission_counts;

SNT_API snt_status snt_admission_log_counts(snt_admission_log *log, snt_admission_counts *out);

SNT_API snt_status snt_admission_log_get(snt_admission_log *log, uint64_t number, snt_admission_record *out);

SNT_API snt_status snt_admission_log_find(snt_admission_log *log, uint32_t source, uint32_t session,
                                          uint64_t sequence, snt_admission_record *out);

#ifdef __cplusplus
}
#endif

#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_device_clock snt_device_clock;

typedef struct snt_device_clock_config {
    uint32_t struct_size;
    uint32_t counter_bits;
    uint64_t counter_modulus;
    int64_t tick_num_ns;
    int64_t tick_den;
    uint64_t reorder_ticks;
    int64_t latency_ns;
    int64_t locked_error_ns;
    int64_t locked_offset_ns;
    uint32_t source;
    uint32_t event;
    uint32_t reset_confirm;
    uint32_t auto_restart;
    uint32_t device_domain;
    uint32_t host_domain;
    uint32_t max_vertices;
    uint32_t versions;
    uint32_t device_rounding;
    uint32_t warm_observations;
    uint32_t suspect_window;
    uint32_t reserved;
    int64_t rate_bound_ppb;
    double wander_ppb_s;
    int64_t delay_min_ns;
    int64_t delay_max_ns;
    int64_t command_min_ns;
    int64_t command_max_ns;
    int64_t device_quantum_ns;
    int64_t host_error_ns;
    int64_t warm_span_ns;
    int64_t valid_width_ns;
    int64_t holdover_after_ns;
    int64_t horizon_ns;
    snt_epoch *epoch;
} snt_device_clock_config;

typedef struct snt_device_health {
    snt_clock_health map;
    snt_clock_proof proof;
    uint64_t stamped;
    uint64_t pending;
    uint64_t duplicates;
    uint64_t backward;
    uint64_t ambiguous;
    uint64_t reset_suspects;
    uint64_t out_of_range;
    uint64_t wrong_session;
    uint64_t invalid;
    uint64_t violations;
    uint64_t rollovers;
    int64_t last_reading_ns;
    int64_t last_receive_ns;
    uint64_t reserved;
} snt_device_health;

SNT_API void snt_device_clock_config_init(snt_device_clock_config *cfg, size_t size);

SNT_API snt_status snt_device_clock_create(const snt_device_clock_config *cfg, const snt_allocator *allocator,
                                           snt_device_clock **out);

SNT_API void snt_device_clock_destroy(snt_device_clock *clock);

SNT_API uint32_t snt_device_clock_session(const snt_device_clock *clock);

SNT_API snt_status snt_device_clock_observe_arrival(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                    snt_time receive_ns, snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_observe_trigger(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                    snt_time command_ns, snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_request(snt_device_clock *clock, uint32_t session, snt_time send_ns,
                                            uint32_t *request);

SNT_API snt_status snt_device_clock_reply(snt_device_clock *clock, uint32_t session, uint32_t request,
                                          uint64_t raw_receive, uint64_t raw_send, snt_time receive_ns,
                                          snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_observe_exchange(snt_device_clock *clock, uint32_t session,
                                                     snt_time send_ns, uint64_t raw_receive,
                                                     uint64_t raw_send, snt_time receive_ns,
                                                     snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_observe_cross(snt_device_clock *clock, uint32_t session,
                                                  snt_time before_ns, uint64_t raw, snt_time after_ns,
                                                  snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_observe_pps(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                                snt_time second_ns, int64_t error_ns, snt_clock_proof *proof);

SNT_API snt_status snt_device_clock_stamp(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                          snt_time receive_ns, uint64_t sequence, snt_sample *sample);

SNT_API snt_status snt_device_clock_stamp_interval(snt_device_clock *clock, uint32_t session,
                                                   uint64_t raw_first, uint64_t raw_last, snt_time receive_ns,
                                                   uint64_t sequence, snt_sample *sample);

SNT_API snt_status snt_device_clock_stamp_many(snt_device_clock *clock, uint32_t session, const uint64_t *raw,
                                               uint64_t count, snt_time receive_ns, uint64_t sequence,
                                               snt_sample *samples, snt_status *statuses);

SNT_API snt_status snt_device_clock_admit(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                          snt_time receive_ns, uint64_t sequence,
                                          const snt_admission_policy *policy, const snt_bounded_time *now,
                                          snt_sample *sample, snt_admission_record *record);

SNT_API snt_status snt_device_clock_notify(snt_device_clock *clock, uint32_t event);

SNT_API snt_status snt_device_clock_restart(snt_device_clock *clock, uint32_t reason, uint32_t *session);

SNT_API const snt_clock_map *snt_device_clock_map(const snt_device_clock *clock);

SNT_API snt_status snt_device_clock_health(snt_device_clock *clock, snt_time now_ns, snt_device_health *out);

SNT_API snt_status snt_device_clock_audit(snt_device_clock *clock, snt_clock_audit *out);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_CLOCK_SOURCE_H
#define SENSORTIME_CLOCK_SOURCE_H

#ifdef __cplusplus
extern "C" {
#endif

SNT_API snt_status snt_clock_system_now(snt_time *now);

SNT_API snt_status snt_clock_steady_now(snt_time *now);

SNT_API snt_status snt_clock_cross_now(snt_time *steady_before, snt_time *system, snt_time *steady_after);

typedef struct snt_clock_source snt_clock_source;

enum { SNT_SOURCE_SYSTEM = 0, SNT_SOURCE_STEADY = 1, SNT_SOURCE_SIMULATED = 2 };

typedef struct snt_clock_source_config {
    uint32_t struct_size;
    uint32_t kind;
    uint32_t domain;
    uint32_t hold;
    int64_t jump_forward_ns;
    int64_t jump_back_ns;
    int64_t speed_num;
    int64_t speed_den;
    snt_epoch *epoch;
} snt_clock_source_config;

SNT_API void snt_clock_source_config_init(snt_clock_source_config *cfg, size_t size);

SNT_API snt_status snt_clock_source_create(const snt_clock_source_config *cfg, const snt_allocator *allocator,
                                           snt_clock_source **out);

SNT_API void snt_clock_source_destroy(snt_clock_source *source);

SNT_API snt_status snt_clock_source_now(snt_clock_source *source, snt_time *now);

SNT_API snt_status snt_clock_source_at(snt_clock_source *source, snt_time steady, snt_time *now);

enum { SNT_JUMP_NONE = 0, SNT_JUMP_FIRST = 1, SNT_JUMP_FORWARD = 2, SNT_JUMP_BACK = 3, SNT_JUMP_WAITING = 4 };

SNT_API snt_status snt_clock_source_set(snt_clock_source *source, snt_time steady, snt_time time,
                                        uint32_t *jump);

SNT_API snt_status snt_clock_source_pause(snt_clock_source *source, snt_time steady, int32_t paused);

SNT_API snt_status snt_clock_source_speed(snt_clock_source *source, snt_time steady, int64_t num,
                                          int64_t den);

typedef struct snt_clock_source_state {
    snt_time set_time;
    snt_time set_steady;
    uint64_t jumps_forward;
    uint64_t jumps_back;
    uint64_t sets;
    uint32_t kind;
    uint32_t domain;
    uint32_t paused;
    uint32_t session;
} snt_clock_source_state;

SNT_API snt_status snt_clock_source_inspect(snt_clock_source *source, snt_clock_source_state *out);

typedef struct snt_deadline {
    snt_time due;
    snt_duration span;
} snt_deadline;

SNT_API snt_status snt_deadline_start(snt_deadline *deadline, snt_time steady, snt_duration span);

SNT_API snt_status snt_deadline_renew(snt_deadline *deadline, snt_time steady);

SNT_API snt_status snt_deadline_check(const snt_deadline *deadline, snt_time steady, snt_duration *left);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_CLOCK_GRAPH_H
#define SENSORTIME_CLOCK_GRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_clock_graph snt_clock_graph;

#define SNT_CLOCK_GRAPH_HOPS 8

typedef struct snt_clock_graph_config {
    uint32_t struct_size;
    uint32_t max_edges;
    uint32_t max_paths;
    uint32_t without_scales;
    const snt_leap_table *leap_table;
} snt_clock_graph_config;

SNT_API void snt_clock_graph_config_init(snt_clock_graph_config *cfg, size_t size);

SNT_API snt_status snt_clock_graph_size(const snt_clock_graph_config *cfg, uint64_t *out);

SNT_API snt_status snt_clock_graph_create(const snt_clock_graph_config *cfg, const snt_allocator *allocator,
                                          snt_clock_graph **out);

SNT_API void snt_clock_graph_destroy(snt_clock_graph *graph);

enum { SNT_EDGE_SCALE = 1, SNT_EDGE_OFFSET = 2, SNT_EDGE_FACT = 3, SNT_EDGE_MAP = 4, SNT_EDGE_MAPPING = 5 };

SNT_API snt_status snt_clock_graph_add_scale(snt_clock_graph *graph, uint32_t from, uint32_t to,
                                             uint32_t *edge);

SNT_API snt_status snt_clock_graph_add_offset(snt_clock_graph *graph, uint32_t from, uint32_t to,
                                              int64_t offset_ns, int64_t error_ns, uint32_t *edge);

typedef struct snt_clock_fact {
    uint32_t from;
    uint32_t to;
    int64_t at_ns;
    int64_t offset_ns;
    int64_t error_ns;
    int64_t drift_ppb;
    int64_t valid_from;
    int64_t valid_until;
    uint64_t reserved;
} snt_clock_fact;

SNT_API snt_status snt_clock_graph_add_fact(snt_clock_graph *graph, const snt_clock_fact *fact,
                                            uint32_t *edge);

SNT_API snt_status snt_clock_graph_update_fact(snt_clock_graph *graph, uint32_t edge,
                                               const snt_clock_fact *fact);

SNT_API snt_status snt_clock_graph_add_map(snt_clock_graph *graph, const snt_clock_map *map, uint32_t *edge);

SNT_API snt_status snt_clock_graph_add_mapping(snt_clock_graph *graph, const snt_clock_mapping *mapping,
                                               uint32_t *edge);

SNT_API snt_status snt_clock_graph_update_mapping(snt_clock_graph *graph, uint32_t edge,
                                                  const snt_clock_mapping *mapping);

SNT_API snt_status snt_clock_graph_set_leap_table(snt_clock_graph *graph, const snt_leap_table *table);

SNT_API snt_status snt_clock_graph_remove(snt_clock_graph *graph, uint32_t edge);

typedef struct snt_clock_edge {
    uint32_t edge;
    uint32_t kind;
    uint32_t from;
    uint32_t to;
} snt_clock_edge;

SNT_API snt_status snt_clock_graph_edges(const snt_clock_graph *graph, snt_clock_edge *edges,
                                         uint32_t capacity, uint32_t *count);

typedef struct snt_clock_report {
    int32_t status;
    uint32_t to;
    uint32_t paths;
    uint32_t blocked;
    uint32_t truncated;
    uint32_t blocked_edge;
    int32_t blocked_status;
    uint32_t suspect_edge;
    uint32_t constant;
    uint32_t a_count;
    int64_t gap_ns;
    int64_t difference_ns;
    snt_interval a;
    snt_interval b;
    uint32_t a_edges[SNT_CLOCK_GRAPH_HOPS];
    uint32_t b_edges[SNT_CLOCK_GRAPH_HOPS];
    uint32_t b_count;
    uint32_t reserved;
} snt_clock_report;

SNT_API snt_status snt_clock_graph_convert(const snt_clock_graph *graph, const snt_bounded_time *in,
                                           uint32_t to, snt_bounded_time *out, snt_clock_report *report);

SNT_API snt_status snt_clock_graph_convert_many(const snt_clock_graph *graph, const snt_bounded_time *in,
                                                uint64_t count, uint32_t to, snt_bounded_time *out,
                                                snt_status *statuses);

SNT_API snt_status snt_clock_graph_check(const snt_clock_graph *graph, const snt_bounded_time *at,
                                         snt_clock_report *report);

SNT_API snt_status snt_clock_report_format(const snt_clock_report *report, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_POSE_H
#define SENSORTIME_POSE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_pose {
    double q[4];
    double t[3];
} snt_pose;

typedef struct snt_twist {
    double v[3];
    double w[3];
} snt_twist;

enum {
    SNT_INTERPOLATE_DEFAULT = 0,
    SNT_INTERPOLATE_HOLD = 1,
    SNT_INTERPOLATE_NEAREST = 2,
    SNT_INTERPOLATE_LINEAR = 3,
    SNT_INTERPOLATE_SCREW = 4
};

SNT_API void snt_pose_identity(snt_pose *out);

SNT_API snt_status snt_pose_check(const snt_pose *pose, double tolerance);

SNT_API snt_status snt_quaternion_normalise(const double *q, double tolerance, double *out);

SNT_API void snt_pose_compose(const snt_pose *a_b, const snt_pose *b_c, snt_pose *a_c);

SNT_API void snt_pose_inverse(const snt_pose *a_b, snt_pose *b_a);

SNT_API void snt_pose_between(const snt_pose *a_b, const snt_pose *a_c, snt_pose *b_c);

SNT_API snt_status snt_pose_apply_points(const snt_pose *pose, const void *in, uint64_t in_stride, void *out,
                                         uint64_t out_stride, uint64_t n);

SNT_API snt_status snt_pose_apply_points_f32(const snt_pose *pose, const void *in, uint64_t in_stride,
                                             void *out, uint64_t out_stride, uint64_t n);

SNT_API snt_status snt_pose_rotate_vectors(const snt_pose *pose, const void *in, uint64_t in_stride,
                                           void *out, uint64_t out_stride, uint64_t n);

SNT_API snt_status snt_pose_interpolate(const snt_pose *a, const snt_pose *b, double s, uint32_t method,
                                        snt_pose *out);

SNT_API void snt_rotation_exp(const double *rotation, double *q);

SNT_API void snt_rotation_log(const double *q, double *rotation);

SNT_API void snt_pose_exp(const snt_twist *twist, double seconds, snt_pose *out);

SNT_API void snt_pose_log(const snt_pose *start_end, double seconds, snt_twist *twist);

SNT_API void snt_twist_transform(const snt_pose *target_source, const snt_twist *in, snt_twist *out);

SNT_API void snt_twist_rotate(const double *q, const snt_twist *in, snt_twist *out);

SNT_API void snt_twist_shift(const snt_twist *in, const double *r, snt_twist *out);

SNT_API void snt_rotation_matrix(const double *q, double *m);

SNT_API snt_status snt_rotation_from_matrix(const double *m, double *q);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_FRAME_CONVENTIONS_H
#define SENSORTIME_FRAME_CONVENTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

SNT_API void snt_enu_ned_vector(const double *in, double *out);

SNT_API void snt_flu_frd_vector(const double *in, double *out);

SNT_API void snt_enu_ned_attitude(const double *in, double *out);

SNT_API double snt_heading_from_yaw(double yaw);

SNT_API double snt_yaw_from_heading(double heading);

SNT_API double snt_angle_wrap(double angle);

SNT_API snt_status snt_rotation_from_rpy(double roll, double pitch, double yaw, double *q);

SNT_API snt_status snt_rotation_to_rpy(const double *q, double *rpy);

SNT_API void snt_pose_link_from_optical(snt_pose *pose);

enum {
    SNT_UNIT_ANGLE = 1,
    SNT_UNIT_ANGULAR_VELOCITY = 2,
    SNT_UNIT_ACCELERATION = 3,
    SNT_UNIT_LENGTH = 4,
    SNT_UNIT_MAGNETIC_FIELD = 5
};

enum {
    SNT_UNIT_PLAUSIBLE = 0,
    SNT_UNIT_DEGREES = 1,
    SNT_UNIT_G = 2,
    SNT_UNIT_MILLIMETRES = 3,
    SNT_UNIT_GAUSS = 4,
    SNT_UNIT_MICROTESLA = 5,
    SNT_UNIT_IMPLAUSIBLE = 6
};

SNT_API snt_status snt_unit_check(uint32_t quantity, double magnitude, uint32_t *verdict);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_TF_BUFFER_H
#define SENSORTIME_TF_BUFFER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t snt_frame;

typedef struct snt_tf_buffer snt_tf_buffer;

typedef struct snt_tf_path snt_tf_path;

#define SNT_TF_MAX_DEPTH 128

enum { SNT_TF_NONE = 0, SNT_TF_DYNAMIC = 1, SNT_TF_STATIC = 2 };

enum {
    SNT_TF_CONFLICT_DEFAULT = 0,
    SNT_TF_CONFLICT_LAST = 1,
    SNT_TF_CONFLICT_FIRST = 2,
    SNT_TF_CONFLICT_PRIORITY = 3,
    SNT_TF_CONFLICT_REFUSE = 4
};

enum {
    SNT_TF_EXTRAPOLATE_DEFAULT = 0,
    SNT_TF_EXTRAPOLATE_NONE = 1,
    SNT_TF_EXTRAPOLATE_HOLD = 2,
    SNT_TF_EXTRAPOLATE_TWIST = 3
};

enum { SNT_TF_SLASH_STRIP = 0, SNT_TF_SLASH_KEEP = 1, SNT_TF_SLASH_REFUSE = 2 };

enum { SNT_TF_STRICT_DUPLICATES = 1 << 0, SNT_TF_REPARENT_IS_GAP = 1 << 1, SNT_TF_NO_CONVENTIONS = 1 << 2 };

typedef void (*snt_tf_notify)(void *user, snt_frame child, snt_time newest);

typedef struct snt_tf_buffer_config {
    uint32_t struct_size;
    uint32_t max_frames;
    uint32_t max_samples;
    uint32_t samples_per_edge;
    uint32_t max_name;
    uint32_t max_authorities;
    snt_duration keep_ns;
    snt_duration max_gap_ns;
    snt_duration extrapolate_ns;
    snt_duration max_future_ns;
    snt_duration max_step_ns;
    snt_duration jump_back_ns;
    uint32_t interpolation;
    uint32_t extrapolation;
    uint32_t conflict;
    uint32_t slash;
    uint32_t flags;
    uint32_t reserved;
    snt_epoch *epoch;
    snt_tf_notify notify;
    void *notify_user;
} snt_tf_buffer_config;

enum { SNT_TF_DISCONTINUITY = 1 << 0, SNT_TF_KNOWN_ONLY = 1 << 1 };

typedef struct snt_tf_transform {
    snt_frame parent;
    snt_frame child;
    snt_time stamp;
    snt_pose pose;
    snt_duration err_ns;
    snt_time now;
    uint32_t domain;
    uint32_t session;
    uint32_t authority;
    uint32_t flags;
} snt_tf_transform;

enum {
    SNT_TF_APPENDED = 1 << 0,
    SNT_TF_LATE = 1 << 1,
    SNT_TF_SAME = 1 << 2,
    SNT_TF_CHANGED = 1 << 3,
    SNT_TF_REPARENTED = 1 << 4,
    SNT_TF_QUARANTINED = 1 << 5,
    SNT_TF_SESSION_NEW = 1 << 6,
    SNT_TF_CONFLICTED = 1 << 7,
    SNT_TF_CREATED = 1 << 8
};

enum { SNT_TF_AT = 0, SNT_TF_LATEST_COMMON = 1, SNT_TF_LATEST_EACH = 2 };

typedef struct snt_tf_question {
    uint32_t struct_size;
    uint32_t when;
    snt_time t;
    snt_duration err_ns;
    snt_time now;
    snt_duration max_age_ns;
    snt_duration max_gap_ns;
    snt_duration extrapolate_ns;
    uint32_t interpolation;
    uint32_t extrapolation;
    uint32_t domain;
    uint32_t flags;
} snt_tf_question;

enum {
    SNT_TF_ALL_STATIC = 1 << 0,
    SNT_TF_INTERPOLATED = 1 << 1,
    SNT_TF_EXTRAPOLATED = 1 << 2,
    SNT_TF_HELD = 1 << 3,
    SNT_TF_MAY_JUMP = 1 << 4,
    SNT_TF_STALE_PATH = 1 << 5,
    SNT_TF_BOUND_TIME = 1 << 6,
    SNT_TF_BOUND_INTERPOLATION = 1 << 7,
    SNT_TF_IDENTITY = 1 << 8
};

typedef struct snt_tf_result {
    snt_pose pose;
    snt_time stamp;
    double pos_err;
    double rot_err;
    snt_duration extrapolated_ns;
    snt_duration gap_ns;
    snt_duration age_ns;
    uint32_t flags;
    uint32_t session;
    uint32_t moving_edges;
    uint32_t reserved;
} snt_tf_result;

enum {
    SNT_TF_MISS_NONE = 0,
    SNT_TF_MISS_UNKNOWN_FRAME = 1,
    SNT_TF_MISS_NOT_CONNECTED = 2,
    SNT_TF_MISS_NO_DATA = 3,
    SNT_TF_MISS_PAST = 4,
    SNT_TF_MISS_FUTURE = 5,
    SNT_TF_MISS_GAP = 6,
    SNT_TF_MISS_STALE = 7,
    SNT_TF_MISS_NO_COMMON_TIME = 8,
    SNT_TF_MISS_CLOCK = 9,
    SNT_TF_MISS_DOMAIN = 10,
    SNT_TF_MISS_SESSION = 11,
    SNT_TF_MISS_BUSY = 12,
    SNT_TF_MISS_CYCLE = 13,
    SNT_TF_MISS_DEPTH = 14,
    SNT_TF_MISS_ONE_SAMPLE = 15
};

typedef struct snt_tf_miss {
    int32_t status;
    uint32_t reason;
    snt_frame target;
    snt_frame source;
    snt_frame child;
    snt_frame parent;
    snt_time asked;
    snt_time oldest;
    snt_time newest;
    snt_duration missing_ns;
    snt_duration period_ns;
    snt_time next_due;
    snt_time answer_due;
    snt_frame other_child;
    snt_frame other_parent;
    snt_time other_oldest;
    snt_time other_newest;
    snt_frame root_target;
    snt_frame root_source;
    uint32_t permanent;
    uint32_t failing_edges;
    uint32_t samples;
    uint32_t domain;
    uint32_t other_domain;
    uint32_t session;
    uint32_t reserved[6];
} snt_tf_miss;

typedef struct snt_tf_cursor {
    uint32_t hint[32];
} snt_tf_cursor;

enum { SNT_TF_TWIST_ORIGIN = 0, SNT_TF_TWIST_BODY = 1, SNT_TF_TWIST_SPATIAL = 2 };

typedef struct snt_tf_twist_result {
    snt_twist twist;
    snt_time from;
    snt_time to;
    snt_time stamp;
    uint32_t convention;
    uint32_t flags;
    uint32_t moving_edges;
    uint32_t reserved;
} snt_tf_twist_result;

typedef struct snt_tf_edge_config {
    uint32_t struct_size;
    uint32_t interpolation;
    snt_duration keep_ns;
    snt_duration max_gap_ns;
    snt_duration extrapolate_ns;
    double max_accel;
    double max_angular_accel;
    uint32_t extrapolation;
    uint32_t conflict;
    uint32_t may_jump;
    uint32_t reserved;
} snt_tf_edge_config;

typedef struct snt_tf_publisher {
    uint32_t authority;
    uint32_t reserved;
    uint64_t accepted;
    uint64_t refused;
    snt_time last;
} snt_tf_publisher;

typedef struct snt_tf_edge_info {
    snt_frame child;
    snt_frame parent;
    snt_time oldest;
    snt_time newest;
    snt_duration period_ns;
    snt_duration jitter_ns;
    snt_duration delay_mean_ns;
    snt_duration delay_max_ns;
    uint64_t accepted;
    uint64_t late;
    uint64_t same;
    uint64_t changed;
    uint64_t evicted;
    uint64_t reparented;
    uint64_t cleared;
    uint64_t refused_past;
    uint64_t refused_future;
    uint64_t refused_value;
    uint64_t refused_structure;
    uint64_t refused_duplicate;
    uint64_t conflicts;
    snt_time last_refusal_stamp;
    int32_t last_refusal;
    uint32_t last_refusal_authority;
    uint32_t kind;
    uint32_t samples;
    uint32_t capacity;
    uint32_t domain;
    uint32_t session;
    uint32_t may_jump;
    uint32_t publishers;
    uint32_t reserved;
    snt_tf_publisher publisher[4];
} snt_tf_edge_info;

typedef struct snt_tf_buffer_info {
    uint64_t bytes;
    uint64_t samples_budget;
    uint64_t samples_reserved;
    uint64_t inserted;
    uint64_t refused;
    uint64_t resets;
    uint64_t structure_version;
    uint32_t frames;
    uint32_t max_frames;
    uint32_t edges_dynamic;
    uint32_t edges_static;
    uint32_t session;
    uint32_t bytes_per_sample;
    uint32_t bytes_per_frame;
    uint32_t reserved[5];
} snt_tf_buffer_info;

SNT_API void snt_tf_buffer_config_init(snt_tf_buffer_config *config, size_t size);

SNT_API snt_status snt_tf_buffer_size(const snt_tf_buffer_config *config, uint64_t *bytes);

SNT_API snt_status snt_tf_buffer_create(const snt_tf_buffer_config *config, const snt_allocator *allocator,
                                        snt_tf_buffer **out);

SNT_API void snt_tf_buffer_destroy(snt_tf_buffer *buffer);

SNT_API snt_status snt_tf_buffer_frame(snt_tf_buffer *buffer, const char *name, snt_frame *frame);

SNT_API snt_status snt_tf_buffer_frame_scoped(snt_tf_buffer *buffer, const char *prefix, const char *name,
                                              snt_frame *frame);

SNT_API snt_status snt_tf_buffer_find(const snt_tf_buffer *buffer, const char *name, snt_frame *frame);

SNT_API snt_status snt_tf_buffer_frame_name(const snt_tf_buffer *buffer, snt_frame frame, char *text,
                                            uint64_t capacity);

SNT_API snt_status snt_tf_buffer_frames(snt_tf_buffer *buffer, snt_frame *frames, uint64_t capacity,
                                        uint64_t *count);

SNT_API snt_status snt_tf_buffer_authority(snt_tf_buffer *buffer, const char *name, uint32_t *authority);

SNT_API void snt_tf_transform_init(snt_tf_transform *transform, snt_frame parent, snt_frame child,
                                   snt_time stamp);

SNT_API snt_status snt_tf_buffer_insert(snt_tf_buffer *buffer, const snt_tf_transform *transform,
                                        uint32_t *effect);

SNT_API snt_status snt_tf_buffer_insert_many(snt_tf_buffer *buffer, const snt_tf_transform *transforms,
                                             uint64_t count, snt_status *statuses);

SNT_API snt_status snt_tf_buffer_insert_named(snt_tf_buffer *buffer, const char *parent, const char *child,
                                              const snt_tf_transform *transform, uint32_t *effect);

SNT_API snt_status snt_tf_buffer_insert_static(snt_tf_buffer *buffer, const snt_tf_transform *transform,
                                               uint32_t *effect);

SNT_API snt_status snt_tf_buffer_convert(snt_tf_buffer *buffer, snt_frame child, uint32_t kind);

SNT_API snt_status snt_tf_buffer_reserve(snt_tf_buffer *buffer, snt_frame child, uint32_t samples);

SNT_API void snt_tf_edge_config_init(snt_tf_edge_config *config, size_t size);

SNT_API snt_status snt_tf_buffer_edge_configure(snt_tf_buffer *buffer, snt_frame child,
                                                const snt_tf_edge_config *config);

SNT_API snt_status snt_tf_buffer_newest(const snt_tf_buffer *buffer, snt_frame child, snt_time *newest);

SNT_API snt_status snt_tf_buffer_parent(const snt_tf_buffer *buffer, snt_frame child, snt_frame *parent);

SNT_API snt_status snt_tf_buffer_root(const snt_tf_buffer *buffer, snt_frame frame, snt_frame *root);

SNT_API uint32_t snt_tf_buffer_structure_version(const snt_tf_buffer *buffer);

SNT_API snt_status snt_tf_buffer_edge_info(snt_tf_buffer *buffer, snt_frame child, snt_tf_edge_info *info);

SNT_API snt_status snt_tf_buffer_get_info(snt_tf_buffer *buffer, snt_tf_buffer_info *info);

SNT_API snt_status snt_tf_buffer_clear_dynamic(snt_tf_buffer *buffer);

SNT_API snt_status snt_tf_buffer_clear_all(snt_tf_buffer *buffer);

SNT_API snt_status snt_tf_buffer_reset(snt_tf_buffer *buffer, uint32_t session);

SNT_API snt_status snt_tf_buffer_observe_clock(snt_tf_buffer *buffer, snt_time now);

SNT_API snt_status snt_tf_buffer_remove_frame(snt_tf_buffer *buffer, snt_frame frame);

SNT_API snt_status snt_tf_buffer_gc(snt_tf_buffer *buffer, snt_time older_than, uint64_t *removed);

SNT_API void snt_tf_question_init(snt_tf_question *question, size_t size);

SNT_API snt_status snt_tf_buffer_lookup(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                        snt_time t, snt_tf_result *result, snt_tf_miss *miss);

SNT_API snt_status snt_tf_buffer_lookup_latest(const snt_tf_buffer *buffer, snt_frame target,
                                               snt_frame source, snt_tf_result *result, snt_tf_miss *miss);

SNT_API snt_status snt_tf_buffer_ask(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                     const snt_tf_question *question, snt_tf_result *result,
                                     snt_tf_miss *miss);

SNT_API snt_status snt_tf_buffer_can(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                     snt_time t, snt_tf_miss *miss);

SNT_API snt_status snt_tf_buffer_lookup_fixed(const snt_tf_buffer *buffer, snt_frame target,
                                              snt_time t_target, snt_frame source, snt_time t_source,
                                              snt_frame fixed, snt_tf_result *result, snt_tf_miss *miss);

SNT_API snt_status snt_tf_buffer_path(snt_tf_buffer *buffer, const char *target, const char *source,
                                      snt_tf_path **path);

SNT_API snt_status snt_tf_path_create(snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                      snt_tf_path **path);

SNT_API void snt_tf_path_destroy(snt_tf_path *path);

SNT_API snt_status snt_tf_path_refresh(snt_tf_path *path);

SNT_API snt_status snt_tf_path_check(const snt_tf_path *path);

SNT_API snt_status snt_tf_path_edges(const snt_tf_path *path, snt_frame *children, uint64_t capacity,
                                     uint64_t *count);

SNT_API snt_status snt_tf_path_lookup(const snt_tf_path *path, snt_time t, snt_tf_result *result,
                                      snt_tf_miss *miss);

SNT_API snt_status snt_tf_path_lookup_latest(const snt_tf_path *path, snt_tf_result *result,
                                             snt_tf_miss *miss);

SNT_API snt_status snt_tf_path_ask(const snt_tf_path *path, const snt_tf_question *question,
                                   snt_tf_cursor *cursor, snt_tf_result *result, snt_tf_miss *miss);

SNT_API snt_status snt_tf_path_can(const snt_tf_path *path, snt_time t, snt_tf_miss *miss);

SNT_API snt_status snt_tf_path_lookup_many(const snt_tf_path *path, const snt_tf_question *question,
                                           snt_tf_cursor *cursor, const void *stamps, uint64_t stamp_stride,
                                           uint64_t n, void *poses, uint64_t pose_stride,
                                           snt_status *statuses, uint64_t *answered);

SNT_API snt_status snt_tf_path_twist(const snt_tf_path *path, const snt_tf_question *question,
                                     snt_duration window_ns, uint32_t convention, snt_tf_twist_result *result,
                                     snt_tf_miss *miss);

SNT_API void snt_tf_cursor_init(snt_tf_cursor *cursor);

SNT_API snt_status snt_tf_miss_format(const snt_tf_buffer *buffer, const snt_tf_miss *miss, char *text,
                                      size_t size);

SNT_API uint32_t snt_tf_miss_tf2_code(const snt_tf_miss *miss);

SNT_API uint64_t snt_tf_buffer_dump_dot(snt_tf_buffer *buffer, char *text, uint64_t capacity);

SNT_API uint64_t snt_tf_buffer_dump_json(snt_tf_buffer *buffer, char *text, uint64_t capacity);

enum {
    SNT_TF_LINT_ORDER = 1,
    SNT_TF_LINT_PUBLISHERS = 2,
    SNT_TF_LINT_ODOM_JUMPS = 3,
    SNT_TF_LINT_STATIC_MOVES = 4,
    SNT_TF_LINT_STATIC_WANTED = 5,
    SNT_TF_LINT_ROOTS = 6,
    SNT_TF_LINT_REFUSED = 7
};

typedef struct snt_tf_finding {
    uint32_t code;
    uint32_t authority_a;
    uint32_t authority_b;
    uint32_t reserved;
    snt_frame child;
    snt_frame parent;
    snt_time stamp;
    double value;
} snt_tf_finding;

SNT_API snt_status snt_tf_buffer_lint(snt_tf_buffer *buffer, double max_speed, snt_tf_finding *findings,
                                      uint64_t capacity, uint64_t *count);

SNT_API snt_status snt_tf_finding_format(snt_tf_buffer *buffer, const snt_tf_finding *finding, char *text,
                                         size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_IMU_BUFFER_H
#define SENSORTIME_IMU_BUFFER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_imu_buffer snt_imu_buffer;

enum { SNT_IMU_HAS_ACCELERATION = 1 << 0 };

typedef struct snt_imu_sample {
    snt_time stamp_ns;
    double rate[3];
    double acceleration[3];
    uint32_t flags;
    uint32_t reserved;
} snt_imu_sample;

typedef struct snt_imu_buffer_config {
    uint32_t struct_size;
    uint32_t capacity;
    uint32_t domain;
    uint32_t reserved;
    snt_duration reorder_ns;
    snt_pose T_body_imu;
    snt_epoch *epoch;
} snt_imu_buffer_config;

typedef struct snt_imu_margins {
    snt_duration start_ns;
    snt_duration end_ns;
    snt_duration max_gap_ns;
    snt_time oldest_ns;
    snt_time newest_ns;
    uint64_t inside;
    uint64_t count;
    uint32_t session;
    uint32_t reserved;
} snt_imu_margins;

typedef struct snt_imu_counters {
    uint64_t inserted;
    uint64_t late;
    uint64_t duplicate;
    uint64_t backward;
    uint64_t non_finite;
    uint64_t evicted;
    uint64_t resets;
    uint64_t reserved;
} snt_imu_counters;

SNT_API void snt_imu_buffer_config_init(snt_imu_buffer_config *config, size_t size);

SNT_API snt_status snt_imu_buffer_create(const snt_imu_buffer_config *config, const snt_allocator *allocator,
                                         snt_imu_buffer **out);

SNT_API void snt_imu_buffer_destroy(snt_imu_buffer *buffer);

SNT_API snt_status snt_imu_buffer_insert(snt_imu_buffer *buffer, const snt_imu_sample *sample);

SNT_API snt_status snt_imu_buffer_insert_many(snt_imu_buffer *buffer, const snt_imu_sample *samples,
                                              uint64_t count, snt_status *statuses);

SNT_API snt_status snt_imu_buffer_set_bias(snt_imu_buffer *buffer, const double *rate_bias,
                                           const double *acceleration_bias);

SNT_API snt_status snt_imu_buffer_margins(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                                          snt_imu_margins *out);

SNT_API snt_status snt_imu_buffer_copy(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                                       snt_imu_sample *out, uint64_t capacity, uint64_t *count);

SNT_API snt_status snt_imu_buffer_counters(snt_imu_buffer *buffer, snt_imu_counters *out);

SNT_API void snt_imu_buffer_clear(snt_imu_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_DROP_REASON_H
#define SENSORTIME_DROP_REASON_H

#ifdef __cplusplus
extern "C" {
#endif

#define SNT_DROP_MAP(X)                                                                                      \
    X(SNT_DROP_NONE, 0, "not dropped")                                                                       \
    X(SNT_DROP_OVERFLOW_OLDEST, 1, "the queue was full and this was the oldest")                             \
    X(SNT_DROP_OVERFLOW_NEWEST, 2, "the queue was full and this was the newest")                             \
    X(SNT_DROP_OVERFLOW_YOUNGER, 3, "the queue was full; those that waited longer were kept")                \
    X(SNT_DROP_TOO_OLD, 4, "older than the transform history, or in a hole of it")                           \
    X(SNT_DROP_EXPIRED, 5, "older than the greatest allowed age")                                            \
    X(SNT_DROP_TIMEOUT, 6, "waited longer than allowed")                                                     \
    X(SNT_DROP_NO_FRAME, 7, "a frame of this name was never seen")                                           \
    X(SNT_DROP_NOT_CONNECTED, 8, "no path leads from its frame to the target")                               \
    X(SNT_DROP_EMPTY_FRAME, 9, "its frame name is empty")                                                    \
    X(SNT_DROP_ZERO_STAMP, 10, "its stamp is zero and zero stamps are refused")                              \
    X(SNT_DROP_WRONG_DOMAIN, 11, "stamped by another clock")                                                 \
    X(SNT_DROP_CLOCK_MISMATCH, 12, "years away from its partners: another clock")                            \
    X(SNT_DROP_DUPLICATE, 13, "the same stamp was given before")                                             \
    X(SNT_DROP_LATE, 14, "older than what was already delivered")                                            \
    X(SNT_DROP_SUPERSEDED, 15, "a later message served better")                                              \
    X(SNT_DROP_NO_PARTNER, 16, "nothing on another input is near enough")                                    \
    X(SNT_DROP_UNCERTAIN, 17, "its time is not certain enough")                                              \
    X(SNT_DROP_RESET, 18, "a new session began while it waited")                                             \
    X(SNT_DROP_STRAGGLER, 19, "it belongs to an earlier session")                                            \
    X(SNT_DROP_CLEARED, 20, "the application cleared the queue")                                             \
    X(SNT_DROP_RETIRED, 21, "lent to one or more sets and now past: no loss")

enum {
#define SNT_X(name, number, text) name = number,
    SNT_DROP_MAP(SNT_X)
#undef SNT_X
        SNT_DROP_COUNT = 24
};

SNT_API const char *snt_drop_reason_name(uint32_t reason);

SNT_API const char *snt_drop_reason_text(uint32_t reason);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_MESSAGE_FILTER_H
#define SENSORTIME_MESSAGE_FILTER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_message_filter snt_message_filter;

#define SNT_FILTER_MAX_TARGETS 16u

enum {
    SNT_OVERFLOW_OLDEST = 0,
    SNT_OVERFLOW_NEWEST = 1,

    SNT_OVERFLOW_KEEP_LONGEST = 2
};

enum { SNT_FILTER_STRICT_FIFO = 1 << 0, SNT_FILTER_REFUSE_ZERO = 1 << 1, SNT_FILTER_NOTIFIED = 1 << 2 };

typedef struct snt_message_filter_config {
    uint32_t struct_size;
    uint32_t capacity;
    uint32_t undrained;
    uint32_t overflow;
    uint32_t flags;
    uint32_t max_targets;
    snt_duration wait_timeout_ns;
    snt_duration max_age_ns;
    snt_duration tolerance_ns;
    snt_epoch *epoch;
} snt_message_filter_config;

typedef struct snt_filter_release {
    snt_sample sample;
    snt_frame source;
    snt_frame target;
    snt_time capture_ns;
    snt_time release_ns;
    snt_time release_stamp_ns;
    snt_duration waited_ns;
    snt_duration age_ns;
    uint32_t targets;
    uint32_t results;
    uint32_t session;
    uint32_t more;
    uint32_t undrained;
    uint32_t reserved;
} snt_filter_release;

typedef struct snt_filter_drop {
    snt_sample sample;
    snt_frame source;
    snt_frame target;
    snt_duration waited_ns;
    snt_duration age_ns;
    uint32_t reason;
    uint32_t cause;
    uint32_t session;
    uint32_t reserved;
    snt_tf_miss miss;
    uint64_t reserved2;
} snt_filter_drop;

typedef struct snt_filter_stats {
    uint64_t in;
    uint64_t out;
    uint64_t held;
    uint64_t waiting;
    uint64_t at_once;
    uint64_t looked_up;
    uint64_t refused;
    uint32_t blocking_edges;
    uint32_t suggested_capacity;
    snt_duration period_ns;
    snt_duration longest_wait_ns;
    uint64_t dropped[SNT_DROP_COUNT];
} snt_filter_stats;

SNT_API void snt_message_filter_config_init(snt_message_filter_config *config, size_t size);

SNT_API uint32_t snt_message_filter_suggest_capacity(snt_duration period_ns, snt_duration delay_ns,
                                                     uint32_t margin);

SNT_API snt_status snt_message_filter_create(snt_tf_buffer *buffer, const snt_message_filter_config *config,
                                             const snt_allocator *allocator, snt_message_filter **out);

SNT_API void snt_message_filter_destroy(snt_message_filter *filter);

SNT_API snt_status snt_message_filter_set_targets(snt_message_filter *filter, const snt_frame *targets,
                                                  uint32_t count);

SNT_API snt_status snt_message_filter_set_target_named(snt_message_filter *filter, const char *target);

SNT_API snt_status snt_message_filter_set_tolerance(snt_message_filter *filter, snt_duration tolerance_ns);

SNT_API snt_status snt_message_filter_add(snt_message_filter *filter, const snt_sample *sample,
                                          snt_frame source, snt_time now_ns);

SNT_API snt_status snt_message_filter_add_tolerant(snt_message_filter *filter, const snt_sample *sample,
                                                   snt_frame source, snt_duration tolerance_ns,
                                                   snt_time now_ns);

SNT_API snt_status snt_message_filter_add_named(snt_message_filter *filter, const snt_sample *sample,
                                                const char *source, snt_time now_ns);

SNT_API snt_status snt_message_filter_poll_edge(snt_message_filter *filter, snt_frame child,
                                                snt_time newest_ns, snt_time now_ns);

SNT_API snt_status snt_message_filter_poll(snt_message_filter *filter, snt_time now_ns, snt_time now_stamp_ns,
                                           snt_filter_release *release, snt_tf_result *results,
                                           uint32_t capacity);

SNT_API snt_status snt_message_filter_poll_drop(snt_message_filter *filter, snt_filter_drop *drop);

SNT_API snt_status snt_message_filter_clear(snt_message_filter *filter);

SNT_API snt_status snt_message_filter_reset(snt_message_filter *filter);

SNT_API snt_status snt_message_filter_stats(snt_message_filter *filter, snt_filter_stats *stats);

SNT_API snt_status snt_message_filter_check(snt_message_filter *filter);

SNT_API snt_status snt_filter_drop_format(const snt_tf_buffer *buffer, const snt_filter_drop *drop,
                                          char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_MESSAGE_CACHE_H
#define SENSORTIME_MESSAGE_CACHE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_message_cache snt_message_cache;

enum { SNT_CACHE_OPEN = 0, SNT_CACHE_CLOSED = 1 };

typedef struct snt_message_cache_config {
    uint32_t struct_size;
    uint32_t capacity;
    uint32_t domain;
    uint32_t reserved;
    snt_epoch *epoch;
} snt_message_cache_config;

typedef struct snt_message_cache_stats {
    uint64_t in;
    uint64_t held;
    uint64_t evicted;
    uint64_t reset;
    uint64_t refused;
    uint64_t late;
} snt_message_cache_stats;

SNT_API void snt_message_cache_config_init(snt_message_cache_config *config, size_t size);

SNT_API snt_status snt_message_cache_create(const snt_message_cache_config *config,
                                            const snt_allocator *allocator, snt_message_cache **out);

SNT_API void snt_message_cache_destroy(snt_message_cache *cache);

SNT_API snt_status snt_message_cache_add(snt_message_cache *cache, const snt_sample *sample,
                                         snt_sample *evicted, uint32_t *has_evicted);

SNT_API snt_status snt_message_cache_interval(snt_message_cache *cache, snt_time lo, snt_time hi,
                                              snt_sample *samples, uint32_t capacity, uint32_t *count);

SNT_API snt_status snt_message_cache_surrounding(snt_message_cache *cache, snt_time lo, snt_time hi,
                                                 snt_sample *samples, uint32_t capacity, uint32_t *count);

SNT_API snt_status snt_message_cache_before(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                            snt_sample *sample);

SNT_API snt_status snt_message_cache_after(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                           snt_sample *sample);

SNT_API snt_status snt_message_cache_latest(snt_message_cache *cache, snt_sample *sample);

SNT_API snt_status snt_message_cache_oldest(snt_message_cache *cache, snt_sample *sample);

SNT_API snt_status snt_message_cache_clear(snt_message_cache *cache);

SNT_API snt_status snt_message_cache_get_stats(snt_message_cache *cache, snt_message_cache_stats *stats);

typedef struct snt_time_sequencer snt_time_sequencer;

typedef struct snt_time_sequencer_config {
    uint32_t struct_size;
    uint32_t capacity;
    snt_duration delay_ns;
    uint32_t domain;
    uint32_t reserved;
    snt_epoch *epoch;
} snt_time_sequencer_config;

typedef struct snt_time_sequencer_drop {
    snt_sample sample;
    snt_duration behind_ns;
    uint32_t reason;
    uint32_t reserved;
} snt_time_sequencer_drop;

typedef struct snt_time_sequencer_stats {
    uint64_t in;
    uint64_t out;
    uint64_t held;
    uint64_t refused;
    uint64_t dropped[SNT_DROP_COUNT];
} snt_time_sequencer_stats;

SNT_API void snt_time_sequencer_config_init(snt_time_sequencer_config *config, size_t size);

SNT_API snt_status snt_time_sequencer_create(const snt_time_sequencer_config *config,
                                             const snt_allocator *allocator, snt_time_sequencer **out);

SNT_API void snt_time_sequencer_destroy(snt_time_sequencer *sequencer);

SNT_API snt_status snt_time_sequencer_add(snt_time_sequencer *sequencer, const snt_sample *sample);

SNT_API snt_status snt_time_sequencer_poll(snt_time_sequencer *sequencer, snt_time now_stamp_ns,
                                           snt_sample *sample);

SNT_API snt_status snt_time_sequencer_poll_drop(snt_time_sequencer *sequencer, snt_time_sequencer_drop *drop);

SNT_API snt_status snt_time_sequencer_clear(snt_time_sequencer *sequencer);

SNT_API snt_status snt_time_sequencer_get_stats(snt_time_sequencer *sequencer,
                                                snt_time_sequencer_stats *stats);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_SYNCHRONIZER_H
#define SENSORTIME_SYNCHRONIZER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_synchronizer snt_synchronizer;

#define SNT_SYNC_MAX_INPUTS 64u

#define SNT_SYNC_NO_INPUT 0xffffffffu

enum {

    SNT_SYNC_APPROXIMATE = 0,
    SNT_SYNC_EXACT = 1,
    SNT_SYNC_EPSILON = 2,
    SNT_SYNC_LATEST = 3,
    SNT_SYNC_EARLIEST = 4
};

enum {

    SNT_SYNC_COMPAT = 1 << 0,
    SNT_SYNC_REQUIRE_CERTAIN = 1 << 1,
    SNT_SYNC_NO_LEARNING = 1 << 2,
    SNT_SYNC_REFUSE_ZERO = 1 << 3,
    SNT_SYNC_SINGLE_THREAD = 1 << 4
};

enum { SNT_ROLE_REQUIRED = 0, SNT_ROLE_OPTIONAL = 1, SNT_ROLE_LATCHED = 2, SNT_ROLE_INTERPOLATED = 3 };

enum { SNT_MATCH_START = 0, SNT_MATCH_MIDDLE = 1, SNT_MATCH_END = 2, SNT_MATCH_OVERLAP = 3 };

enum { SNT_SYNC_MAY_LACK = 1 << 0, SNT_SYNC_OFFSET_BRIDGES = 1 << 1, SNT_SYNC_DROP_NEWEST = 1 << 2 };

typedef struct snt_sync_input_config {
    uint32_t role;
    uint32_t match;
    uint32_t domain;
    uint32_t flags;
    snt_duration offset_ns;
    snt_duration offset_err_ns;
    snt_duration min_period_ns;
    snt_duration max_gap_ns;
    uint32_t queue;
    uint32_t reserved;
} snt_sync_input_config;

typedef struct snt_sync_config {
    uint32_t struct_size;
    uint32_t policy;
    uint32_t flags;
    uint32_t input_count;
    const snt_sync_input_config *inputs;
    uint32_t input_size;

    uint32_t queue;
    uint32_t ready;
    uint32_t undrained;
    uint32_t domain;
    uint32_t driver;
    uint32_t min_members;
    uint32_t reserved;
    double age_penalty;
    snt_duration max_separation_ns;
    snt_duration deadline_ns;
    snt_duration optional_wait_ns;
    snt_duration max_age_ns;
    snt_duration jump_back_ns;
    snt_epoch *epoch;
} snt_sync_config;

enum { SNT_SYNC_NO = 0, SNT_SYNC_POSSIBLE = 1, SNT_SYNC_CERTAIN = 2 };

enum { SNT_SYNC_PARTIAL = 1 << 0, SNT_SYNC_FORCED = 1 << 1 };

typedef struct snt_sync_set {
    uint64_t number;
    snt_time reference_ns;
    snt_time start_ns;
    snt_time end_ns;
    snt_duration separation_ns;
    snt_duration separation_lo_ns;
    snt_duration separation_hi_ns;
    snt_time decided_ns;
    uint64_t present;
    uint64_t missing;
    uint32_t member_count;
    uint32_t verdict;
    uint32_t flags;
    uint32_t session;
    uint32_t domain;
    uint32_t more;
    uint32_t undrained;
    uint32_t reserved;
} snt_sync_set;

enum { SNT_MEMBER_LENT = 1 << 0, SNT_MEMBER_BEFORE = 1 << 1, SNT_MEMBER_AFTER = 1 << 2 };

typedef struct snt_sync_member {
    snt_sample sample;
    snt_time key_ns;
    int64_t weight_num;
    int64_t weight_den;
    uint32_t input;
    uint32_t flags;
} snt_sync_member;

typedef struct snt_sync_drop {
    snt_sample sample;
    snt_time key_ns;
    snt_duration waited_ns;
    snt_duration gap_ns;
    uint32_t input;
    uint32_t reason;
    uint32_t cause;
    uint32_t partner;
    uint32_t uses;
    uint32_t reserved;
} snt_sync_drop;

typedef struct snt_sync_stats {
    uint64_t in;
    uint64_t out;
    uint64_t held;
    uint64_t sets;
    uint64_t partial;
    uint64_t refused;
    uint64_t resets;
    uint64_t reserved;
    uint64_t dropped[SNT_DROP_COUNT];
} snt_sync_stats;

typedef struct snt_sync_input_info {
    uint64_t received;
    uint64_t in_sets;
    snt_time newest_ns;
    snt_time oldest_waiting_ns;
    snt_duration waiting_since_ns;
    snt_duration period_ns;
    snt_duration jitter_ns;
    snt_duration min_period_ns;
    snt_duration nearest_miss_ns;
    snt_time miss_key_ns;
    snt_time miss_partner_ns;
    uint32_t miss_partner;
    uint32_t waiting;
    uint32_t suggested_queue;
    uint32_t backward;
    uint64_t reserved[3];
} snt_sync_input_info;

typedef struct snt_sync_diagnosis {
    uint64_t never;
    uint64_t empty;
    uint32_t blocker;
    uint32_t ready;
    snt_duration blocked_since_ns;
    snt_duration oldest_age_ns;
    snt_duration suggested_slop_ns;
    uint32_t undrained;
    uint32_t reserved;
    uint64_t reserved2;
} snt_sync_diagnosis;

SNT_API void snt_synchronizer_config_init(snt_sync_config *config, size_t size);

SNT_API snt_status snt_synchronizer_size(const snt_sync_config *config, uint64_t *bytes);

SNT_API snt_status snt_synchronizer_create(const snt_sync_config *config, const snt_allocator *allocator,
                                           snt_synchronizer **out);

SNT_API void snt_synchronizer_destroy(snt_synchronizer *sync);

SNT_API snt_status snt_synchronizer_add(snt_synchronizer *sync, uint32_t input, const snt_sample *sample,
                                        snt_time now_ns);

SNT_API snt_status snt_synchronizer_add_poll(snt_synchronizer *sync, uint32_t input, const snt_sample *sample,
                                             snt_time now_ns, snt_sync_set *set, snt_sync_member *members,
                                             uint32_t capacity);

SNT_API snt_status snt_synchronizer_add_many(snt_synchronizer *sync, const uint32_t *inputs,
                                             const snt_time *t_ns, const uint64_t *tokens, uint64_t count,
                                             uint32_t domain, snt_time now_ns, uint64_t *added);

SNT_API uint32_t snt_synchronizer_max_members(const snt_synchronizer *sync);

SNT_API snt_status snt_synchronizer_poll(snt_synchronizer *sync, snt_time now_ns, snt_time now_stamp_ns,
                                         snt_sync_set *set, snt_sync_member *members, uint32_t capacity);

SNT_API snt_status snt_synchronizer_poll_drops(snt_synchronizer *sync, snt_sync_drop *drops,
                                               uint32_t capacity, uint32_t *count);

SNT_API snt_status snt_synchronizer_reset(snt_synchronizer *sync);

SNT_API snt_status snt_synchronizer_clear(snt_synchronizer *sync);

SNT_API snt_status snt_synchronizer_set_offset(snt_synchronizer *sync, uint32_t input, snt_duration offset_ns,
                                               snt_duration offset_err_ns);

SNT_API snt_status snt_synchronizer_set_max_separation(snt_synchronizer *sync,
                                                       snt_duration max_separation_ns);

SNT_API snt_status snt_synchronizer_stats(snt_synchronizer *sync, snt_sync_stats *stats);

SNT_API snt_status snt_synchronizer_input_info(snt_synchronizer *sync, uint32_t input, snt_time now_ns,
                                               snt_sync_input_info *info);

SNT_API snt_status snt_synchronizer_diagnose(snt_synchronizer *sync, snt_time now_ns,
                                             snt_sync_diagnosis *diagnosis);

SNT_API snt_status snt_synchronizer_check(snt_synchronizer *sync);

SNT_API snt_status snt_sync_drop_format(const snt_sync_drop *drop, char *text, size_t size);

SNT_API snt_status snt_sync_diagnosis_format(const snt_sync_diagnosis *diagnosis, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_CLOUD_H
#define SENSORTIME_CLOUD_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SNT_TYPE_NONE = 0,
    SNT_TYPE_I8 = 1,
    SNT_TYPE_U8 = 2,
    SNT_TYPE_I16 = 3,
    SNT_TYPE_U16 = 4,
    SNT_TYPE_I32 = 5,
    SNT_TYPE_U32 = 6,
    SNT_TYPE_F32 = 7,
    SNT_TYPE_F64 = 8,
    SNT_TYPE_I64 = 9,
    SNT_TYPE_U64 = 10
};

enum {
    SNT_TIME_REF_NONE = 0,
    SNT_TIME_REF_ABSOLUTE = 1,
    SNT_TIME_REF_RELATIVE = 2,
    SNT_TIME_REF_NORMALISED = 3,
    SNT_TIME_REF_PACKET = 4
};

typedef struct snt_text {
    const char *data;
    uint64_t size;
} snt_text;

typedef struct snt_point_field {
    snt_text name;
    uint32_t offset;
    uint32_t datatype;
    uint32_t count;
    uint32_t reserved;
} snt_point_field;

enum {
    SNT_TIME_UNIT_UNKNOWN = 0,
    SNT_TIME_UNIT_S = 1,
    SNT_TIME_UNIT_MS = 2,
    SNT_TIME_UNIT_US = 3,
    SNT_TIME_UNIT_100NS = 4,
    SNT_TIME_UNIT_NS = 5
};

typedef struct snt_field {
    int64_t stride;
    void *data;
    uint32_t type;
    uint32_t flags;
} snt_field;

enum {

    SNT_FIELD_BIG_ENDIAN = 1 << 0,
    SNT_FIELD_INDEX = 1 << 1
};

typedef struct snt_cloud {
    uint64_t count;
    snt_field x;
    snt_field y;
    snt_field z;
    snt_field time;
    snt_field time_nsec;
    snt_field ring;
    uint32_t width;
    uint32_t height;
    uint32_t time_ref;
    uint32_t domain;
    int64_t time_unit_num;
    int64_t time_unit_den;
    snt_time time_base_ns;
    snt_duration time_span_ns;
    snt_duration time_quantum_ns;
} snt_cloud;

SNT_API uint32_t snt_type_size(uint32_t type);

SNT_API void snt_cloud_init(snt_cloud *cloud);

SNT_API snt_status snt_cloud_set_xyz(snt_cloud *cloud, void *x, void *y, void *z, int64_t stride,
                                     uint32_t type, uint64_t count);

SNT_API snt_status snt_cloud_set_points(snt_cloud *cloud, void *xyz, int64_t stride, uint32_t type,
                                        uint64_t count);

SNT_API snt_status snt_cloud_set_times(snt_cloud *cloud, const void *times, int64_t stride, uint32_t type,
                                       uint32_t unit, uint32_t time_ref, snt_time base_ns,
                                       snt_duration span_ns);

SNT_API snt_status snt_cloud_set_rings(snt_cloud *cloud, const void *rings, int64_t stride, uint32_t type);

SNT_API snt_status snt_cloud_check(const snt_cloud *cloud);

SNT_API snt_status snt_cloud_times(const snt_cloud *cloud, uint64_t first, uint64_t count, snt_time origin_ns,
                                   snt_time *times, uint64_t *invalid);

SNT_API snt_status snt_cloud_rings(const snt_cloud *cloud, uint64_t first, uint64_t count, uint32_t *rings,
                                   uint64_t *invalid);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_MESSAGE_VIEW_H
#define SENSORTIME_MESSAGE_VIEW_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SNT_ENCODING_ROS1 = 1, SNT_ENCODING_CDR = 2 };

enum {
    SNT_MESSAGE_UNKNOWN = 0,
    SNT_MESSAGE_HEADERED = 1,
    SNT_MESSAGE_POINTCLOUD2 = 2,
    SNT_MESSAGE_LASERSCAN = 3,
    SNT_MESSAGE_IMU = 4,
    SNT_MESSAGE_TF = 5,
    SNT_MESSAGE_LIVOX = 6,
    SNT_MESSAGE_ODOMETRY = 7,
    SNT_MESSAGE_CLOCK = 8
};

typedef struct snt_message_error {
    const char *field;
    uint64_t offset;
    uint64_t needed;
    uint64_t available;
    uint32_t index;
    snt_status status;
} snt_message_error;

enum {
    SNT_HEADER_HAS_SEQUENCE = 1 << 0,
    SNT_HEADER_NSEC_OVERFLOW = 1 << 1,
    SNT_HEADER_NEGATIVE_SECONDS = 1 << 2
};

typedef struct snt_message_header {
    snt_time stamp_ns;
    snt_text frame_id;
    uint32_t sequence;
    uint32_t flags;
    uint32_t end_offset;
    uint32_t reserved;
} snt_message_header;

enum {
    SNT_POINTCLOUD2_BIG_ENDIAN = 1 << 0,
    SNT_POINTCLOUD2_DENSE = 1 << 1,
    SNT_POINTCLOUD2_PADDED_ROWS = 1 << 2,
    SNT_POINTCLOUD2_ODD_ROW_STEP = 1 << 3,
    SNT_POINTCLOUD2_EXCESS_DATA = 1 << 4,
    SNT_POINTCLOUD2_ODD_FIELDS = 1 << 5
};

typedef struct snt_pointcloud2_view {
    snt_message_header header;
    const unsigned char *message;
    const unsigned char *data;
    uint64_t message_size;
    uint64_t data_size;
    uint64_t point_count;
    uint64_t fields_offset;
    uint32_t field_count;
    uint32_t width;
    uint32_t height;
    uint32_t point_step;
    uint32_t row_step;
    uint32_t encoding;
    uint32_t flags;
    uint32_t reserved;
} snt_pointcloud2_view;

typedef struct snt_laserscan_view {
    snt_message_header header;
    uint64_t count;
    uint64_t intensity_count;
    snt_field ranges;
    snt_field intensities;
    float angle_min;
    float angle_max;
    float angle_increment;
    float time_increment;
    float scan_time;
    float range_min;
    float range_max;
    uint32_t reserved;
} snt_laserscan_view;

enum {
    SNT_IMU_NO_ORIENTATION = 1 << 0,
    SNT_IMU_NO_ANGULAR_VELOCITY = 1 << 1,
    SNT_IMU_NO_LINEAR_ACCELERATION = 1 << 2
};

typedef struct snt_imu_view {
    snt_message_header header;
    double orientation[4];
    double angular_velocity[3];
    double linear_acceleration[3];
    snt_field orientation_covariance;
    snt_field angular_velocity_covariance;
    snt_field linear_acceleration_covariance;
    uint32_t flags;
    uint32_t reserved;
} snt_imu_view;

typedef struct snt_transform_view {
    snt_message_header header;
    snt_text child_frame_id;
    snt_pose pose;
} snt_transform_view;

typedef struct snt_tf_message_view {
    const unsigned char *message;
    uint64_t message_size;
    uint64_t position;
    uint32_t remaining;
    uint32_t count;
    uint32_t encoding;
    uint32_t reserved;
} snt_tf_message_view;

enum { SNT_LIVOX_COUNT_MISMATCH = 1 << 0 };

typedef struct snt_livox_view {
    snt_message_header header;
    uint64_t timebase_ns;
    uint64_t count;
    snt_field offset_time;
    snt_field x;
    snt_field y;
    snt_field z;
    snt_field reflectivity;
    snt_field tag;
    snt_field line;
    uint32_t point_num;
    uint32_t lidar_id;
    uint32_t flags;
    uint32_t reserved;
} snt_livox_view;

typedef struct snt_odometry_view {
    snt_message_header header;
    snt_text child_frame_id;
    snt_pose pose;
    snt_twist twist;
    snt_field pose_covariance;
    snt_field twist_covariance;
} snt_odometry_view;

SNT_API uint32_t snt_message_kind(const char *type_name, uint64_t size);

SNT_API snt_status snt_message_header_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                            snt_message_header *header, snt_message_error *error);

SNT_API snt_status snt_message_stamps(uint32_t kind, uint32_t encoding, const void *bytes, uint64_t size,
                                      const uint64_t *sizes, uint64_t count, snt_time *stamps,
                                      uint32_t *sequences, snt_status *statuses);

typedef struct snt_tf_stamp {
    snt_time stamp_ns;
    uint64_t child_hash;
    uint64_t child_offset;
    uint32_t child_size;
    uint32_t message;
} snt_tf_stamp;

SNT_API snt_status snt_tf_message_stamps(uint32_t encoding, const void *bytes, uint64_t size,
                                         const uint64_t *sizes, uint64_t count, snt_tf_stamp *out,
                                         uint64_t capacity, uint64_t *written, snt_status *statuses);

SNT_API snt_status snt_pointcloud2_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                              snt_pointcloud2_view *view, snt_message_error *error);

SNT_API snt_status snt_pointcloud2_view_init(const snt_point_field *fields, uint32_t field_count,
                                             const void *data, uint64_t data_size, uint32_t width,
                                             uint32_t height, uint32_t point_step, uint32_t row_step,
                                             snt_time stamp_ns, uint32_t big_endian,
                                             snt_pointcloud2_view *view, snt_message_error *error);

SNT_API snt_status snt_pointcloud2_fields(const snt_pointcloud2_view *view, snt_point_field *fields,
                                          uint32_t capacity, uint32_t *count);

SNT_API snt_status snt_laserscan_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                            snt_laserscan_view *view, snt_message_error *error);

SNT_API snt_status snt_imu_view_parse(uint32_t encoding, const void *bytes, uint64_t size, snt_imu_view *view,
                                      snt_message_error *error);

SNT_API snt_status snt_tf_message_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                             snt_tf_message_view *view, snt_message_error *error);

SNT_API snt_status snt_tf_message_next(snt_tf_message_view *view, snt_transform_view *transform);

SNT_API snt_status snt_livox_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                        snt_livox_view *view, snt_message_error *error);

SNT_API snt_status snt_odometry_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                           snt_odometry_view *view, snt_message_error *error);

SNT_API snt_status snt_clock_message_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                           snt_time *clock_ns, snt_message_error *error);

SNT_API snt_status snt_message_error_format(const snt_message_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_POINT_LAYOUT_H
#define SENSORTIME_POINT_LAYOUT_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SNT_HEADER_ROLE_UNKNOWN = 0,
    SNT_HEADER_ROLE_START = 1,
    SNT_HEADER_ROLE_MIDDLE = 2,
    SNT_HEADER_ROLE_END = 3,
    SNT_HEADER_ROLE_LAST_PACKET = 4,
    SNT_HEADER_ROLE_RECEIVE = 5,
    SNT_HEADER_ROLE_UNRELATED = 6
};

#define SNT_LAYOUT_EVIDENCE_MAP(X)                                                                           \
    X(KNOWN_PRODUCER, 0, "names, types and offsets are those of a known producer")                           \
    X(NAMED_FIELD, 1, "a field has the name of a time")                                                      \
    X(UNIT_BY_NAME, 2, "the name says the unit")                                                             \
    X(UNIT_BY_SPAN, 3, "only this unit makes the scan plausibly long")                                       \
    X(UNIT_BY_PERIOD, 4, "this unit fits the scan period")                                                   \
    X(UNIT_BY_MAGNITUDE, 5, "the magnitude of absolute times says the unit")                                 \
    X(SCANS_AGREE, 6, "several scans agree")                                                                 \
    X(ABSOLUTE_NEAR_HEADER, 7, "the values lie near the header stamp")                                       \
    X(VALUES_FOLLOW_HEADER, 8, "from scan to scan the values advance as the header does")                    \
    X(VALUES_RESTART, 9, "every scan's values begin anew")                                                   \
    X(NEGATIVE_TIMES, 10, "times before the header")                                                         \
    X(SPLIT_TIME, 11, "seconds and nanoseconds are two fields")                                              \
    X(BASE_IN_POINTS, 12, "the zero of the times is stored in each point")                                   \
    X(OUTLIERS, 13, "some times lie far outside the scan")                                                   \
    X(INVALID_VALUES, 14, "some times are NaN, infinite or out of range")                                    \
    X(UNSIGNED_UNDERFLOW, 15, "unsigned times wrapped below zero: they are read as signed")                  \
    X(MANY_ZEROS, 16, "many times are exactly zero: clamped or unfilled")                                    \
    X(ALL_ZERO, 17, "all times are zero")                                                                    \
    X(CONSTANT, 18, "all times are equal")                                                                   \
    X(NO_TIME_FIELD, 19, "no field has the name of a time")                                                  \
    X(TOO_COARSE, 20, "the type cannot hold absolute times to a millisecond")                                \
    X(COARSE, 21, "the steps of the type are wider than 10 µs")                                              \
    X(PER_PACKET, 22, "times restart many times within the scan while the azimuth goes on: per packet")      \
    X(NOT_MONOTONIC, 23, "array order is not time order")                                                    \
    X(UNIT_CONTRADICTED, 24, "the unit that the name or the producer says gives an implausible scan")        \
    X(BYTE_ORDER_CONTRADICTED, 25, "coordinates are plausible only in the other byte order")                 \
    X(POINTS_AFTER_RECEIVE, 26, "with the header as scan start, points would lie after their reception")     \
    X(HEADER_UNSTEADY, 27, "the header's place in the scan changes from scan to scan: a host's stamp")       \
    X(HEADER_PERIOD_EARLY, 28, "the header is one scan period before the first point")                       \
    X(OTHER_CLOCK, 29, "header and points are on different clocks: see `clock`")                             \
    X(IMPLAUSIBLE_SPAN, 30, "no unit makes the scan plausibly long")                                         \
    X(ROLE_BY_PRODUCER, 31, "the header's role is what the known producer writes")                           \
    X(ROLE_NOT_AS_PRODUCER, 32, "the header's role is not what the known producer writes by default")        \
    X(HINT_INTENSITY_TIME, 33, "the fraction of the intensity may be the time (LOAM); it is not used")       \
    X(HINT_AZIMUTH, 34, "the azimuth goes round once: a time could be derived from it; it is not used")      \
    X(EMPTY_SCANS, 35, "some scans have no points")                                                          \
    X(SHORT_SCANS, 36, "scans are much shorter than the scan period: parts are missing")                     \
    X(PACKET_STEPS, 37, "few distinct times: one for each packet or column")                                 \
    X(MIXED_TYPES, 38, "two time fields agree with each other")                                              \
    X(HEADER_SMALL, 39, "the header is near zero (simulation), so that it cannot tell absolute from relative")

enum {
#define SNT_X(name, bit, text) SNT_LAYOUT_EVIDENCE_BIT_##name = bit,
    SNT_LAYOUT_EVIDENCE_MAP(SNT_X)
#undef SNT_X
        SNT_LAYOUT_EVIDENCE_COUNT
};

#define SNT_LAYOUT_EVIDENCE(name) (UINT64_C(1) << SNT_LAYOUT_EVIDENCE_BIT_##name)

typedef struct snt_layout_field {
    uint32_t offset;
    uint32_t type;
} snt_layout_field;

typedef struct snt_point_layout {
    snt_layout_field x;
    snt_layout_field y;
    snt_layout_field z;
    snt_layout_field time;
    snt_layout_field time_nsec;
    snt_layout_field time_base_low;
    snt_layout_field time_base_high;
    snt_layout_field ring;
    uint32_t time_ref;
    uint32_t time_unit;
    uint32_t header_role;
    uint32_t flags;
    uint32_t domain;
    uint32_t reserved;
    snt_duration time_shift_ns;
    snt_duration time_quantum_ns;
} snt_point_layout;

enum { SNT_LAYOUT_SWAP = 1 << 0 };

typedef struct snt_layout_candidate {
    uint32_t field;
    uint32_t time_unit;
    uint32_t time_ref;
    uint32_t header_role;
    snt_duration span_ns;
    double confidence;
} snt_layout_candidate;

enum { SNT_LAYOUT_CANDIDATES = 4 };

typedef struct snt_layout_report {
    snt_status status;
    uint32_t candidate_count;
    uint64_t evidence;
    const char *producer;
    const char *producer_note;
    uint32_t producer_count;
    uint32_t producer_role;
    int32_t time_field;
    int32_t ring_field;
    uint32_t scans_used;
    uint32_t ring_count;
    double unit_confidence;
    double reference_confidence;
    double role_confidence;
    double ring_confidence;
    snt_duration span_ns;
    snt_duration period_ns;
    snt_duration header_to_first_ns;
    snt_duration header_to_last_ns;
    snt_duration packet_span_ns;
    snt_duration resolution_ns;
    snt_clock_finding clock;
    uint64_t points;
    uint64_t invalid;
    uint64_t zeros;
    uint64_t outliers;
    uint64_t underflows;
    uint64_t negative_jumps;
    uint64_t restarts;
    char time_name[24];
    char ring_name[24];
    snt_layout_candidate candidates[SNT_LAYOUT_CANDIDATES];
} snt_layout_report;

typedef struct snt_layout_options {
    uint32_t struct_size;
    uint32_t byte_order;
    snt_duration period_ns;
    const snt_time *receive_ns;
    uint32_t max_points_per_scan;
    uint32_t reserved;
} snt_layout_options;

SNT_API void snt_layout_options_init(snt_layout_options *options, size_t size);

SNT_API snt_status snt_point_layout_detect(const snt_point_field *fields, uint32_t field_count,
                                           const snt_pointcloud2_view *scans, uint32_t scan_count,
                                           const snt_layout_options *options, snt_point_layout *layout,
                                           snt_layout_report *report);

SNT_API snt_status snt_point_layout_format(const snt_point_layout *layout, const snt_layout_report *report,
                                           char *text, size_t size);

SNT_API const char *snt_layout_evidence_text(uint32_t bit);

SNT_API const char *snt_time_unit_name(uint32_t unit);

SNT_API const char *snt_header_role_name(uint32_t role);

SNT_API snt_status snt_cloud_from_pointcloud2(const snt_pointcloud2_view *view,
                                              const snt_point_layout *layout, snt_cloud *cloud);

SNT_API snt_status snt_cloud_from_pointcloud2_row(const snt_pointcloud2_view *view,
                                                  const snt_point_layout *layout, uint32_t row,
                                                  snt_cloud *cloud);

SNT_API snt_status snt_cloud_from_livox(const snt_livox_view *view, snt_cloud *cloud);

SNT_API snt_status snt_cloud_from_laserscan(const snt_laserscan_view *view, snt_cloud *cloud);

SNT_API snt_status snt_laserscan_project(const snt_laserscan_view *view, uint64_t first, uint64_t count,
                                         void *xyz, int64_t stride);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_DESKEW_H
#define SENSORTIME_DESKEW_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_deskew snt_deskew;

enum {
    SNT_KERNEL_AUTO = 0,
    SNT_KERNEL_SCALAR = 1,
    SNT_KERNEL_SSE2 = 2,
    SNT_KERNEL_SCALAR_FMA = 3,
    SNT_KERNEL_AVX2 = 4,
    SNT_KERNEL_AVX512 = 5,
    SNT_KERNEL_NEON = 6
};

enum { SNT_REF_START = 0, SNT_REF_MID = 1, SNT_REF_END = 2, SNT_REF_AT = 3 };

enum { SNT_DESKEW_OUTPUT_SENSOR = 0, SNT_DESKEW_OUTPUT_FIXED = 1 };

enum {
    SNT_DESKEW_CLAMP = 0,
    SNT_DESKEW_EXTRAPOLATE = 1,
    SNT_DESKEW_KEEP = 2,
    SNT_DESKEW_DROP = 3,
    SNT_DESKEW_FAIL = 4
};

enum {
    SNT_POINT_OUTSIDE = 1 << 0,
    SNT_POINT_OUTLIER = 1 << 1,
    SNT_POINT_INVALID_TIME = 1 << 2,
    SNT_POINT_NON_FINITE = 1 << 3,
    SNT_POINT_EXTRAPOLATED = 1 << 4,
    SNT_POINT_CLAMPED = 1 << 5,
    SNT_POINT_DROPPED = 1 << 6,
    SNT_POINT_FROM_AZIMUTH = 1 << 7
};

typedef struct snt_deskew_config {
    uint32_t struct_size;
    uint32_t max_segments;
    uint32_t max_knots;
    uint32_t kernel;
    double tolerance_m;
    double range_m;
} snt_deskew_config;

typedef struct snt_deskew_scan {
    uint32_t struct_size;
    uint32_t reference;
    uint32_t output;
    uint32_t domain;
    snt_time begin_ns;
    snt_time end_ns;
    snt_time reference_ns;
    snt_duration clock_bound_ns;
    snt_duration max_gap_ns;
    snt_duration extrapolation_ns;
    uint32_t outside;
    uint32_t outlier;
    uint32_t invalid_time;
    uint32_t inverse;
    double max_acceleration;
    double max_angular_acceleration;
    double rate_error;
    double velocity_error;
    snt_pose T_body_sensor;
} snt_deskew_scan;

typedef struct snt_imu_state {
    snt_time stamp_ns;
    snt_pose T_fixed_body;
    double velocity[3];
    double gravity[3];
    uint32_t use_acceleration;
    uint32_t reserved[7];
} snt_imu_state;

typedef struct snt_deskew_info {
    snt_time reference_ns;
    snt_time begin_ns;
    snt_time end_ns;
    snt_time covered_begin_ns;
    snt_time covered_end_ns;
    snt_duration start_margin_ns;
    snt_duration end_margin_ns;
    double max_speed;
    double max_rate;
    uint32_t segments;
    uint32_t knots;
    uint32_t holes;
    uint32_t kernel;
    uint32_t fused;
    uint32_t flags;
    uint32_t domain;
    uint32_t reserved[7];
} snt_deskew_info;

enum {
    SNT_DESKEW_PLAN_IDENTITY = 1 << 0,
    SNT_DESKEW_PLAN_PARTIAL = 1 << 1,
    SNT_DESKEW_PLAN_REFERENCE_OUTSIDE = 1 << 2,
    SNT_DESKEW_PLAN_ROTATION_ONLY = 1 << 3
};

typedef struct snt_deskew_bound {
    double total_m;
    double approximation_m;
    double rounding_m;
    double resolution_m;
    double clock_m;
    double interpolation_m;
    double motion_m;
    double resolution_ns;
    uint32_t flags;
    uint32_t reserved[3];
} snt_deskew_bound;

enum {
    SNT_DESKEW_BOUND_DECLARED = 1 << 0,
    SNT_DESKEW_BOUND_ESTIMATED = 1 << 1,
    SNT_DESKEW_BOUND_CONSTANT = 1 << 2,
    SNT_DESKEW_BOUND_QUANTUM = 1 << 3,
    SNT_DESKEW_BOUND_PARTIAL = 1 << 4,
    SNT_DESKEW_BOUND_ROTATION_ONLY = 1 << 5
};

enum { SNT_DESKEW_TIMES_TABLE = 1, SNT_DESKEW_TIMES_AZIMUTH = 2 };

typedef struct snt_deskew_times {
    uint32_t struct_size;
    uint32_t kind;
    const int32_t *column_ns;
    const int32_t *ring_ns;
    uint32_t columns;
    uint32_t rings;
    uint32_t column_major;
    int32_t direction;
    double azimuth_start;
} snt_deskew_times;

typedef struct snt_deskew_options {
    uint32_t struct_size;
    uint32_t audit;
    uint64_t first;
    uint64_t count;
    uint8_t *point_flags;
    const snt_deskew_times *times;
} snt_deskew_options;

typedef struct snt_deskew_report {
    snt_time reference_ns;
    snt_time begin_ns;
    snt_time end_ns;
    snt_time first_ns;
    snt_time last_ns;
    snt_duration start_margin_ns;
    snt_duration end_margin_ns;
    snt_duration max_gap_ns;
    uint64_t points;
    uint64_t moved;
    uint64_t outside;
    uint64_t outlier;
    uint64_t invalid_time;
    uint64_t non_finite;
    uint64_t extrapolated;
    uint64_t clamped;
    uint64_t dropped;
    uint64_t negative_jumps;
    uint64_t equal_times;
    uint32_t flags;
    uint32_t domain;
    uint64_t reserved;
} snt_deskew_report;

enum {
    SNT_DESKEW_REPORT_IDENTITY = 1 << 0,
    SNT_DESKEW_REPORT_NO_SPREAD = 1 << 1,
    SNT_DESKEW_REPORT_FROM_TABLE = 1 << 2,
    SNT_DESKEW_REPORT_FROM_AZIMUTH = 1 << 3,
    SNT_DESKEW_REPORT_AUDITED = 1 << 4
};

typedef struct snt_laser_scan {
    uint32_t struct_size;
    uint32_t domain;
    const float *ranges;
    uint64_t count;
    snt_time stamp_ns;
    double time_increment_s;
    double angle_min;
    double angle_increment;
    double range_min;
    double range_max;
} snt_laser_scan;

SNT_API uint32_t snt_deskew_kernel_available(uint32_t kernel);

SNT_API const char *snt_deskew_kernel_name(uint32_t kernel);

SNT_API void snt_deskew_config_init(snt_deskew_config *config, size_t size);

SNT_API void snt_deskew_scan_init(snt_deskew_scan *scan, size_t size);

SNT_API void snt_deskew_options_init(snt_deskew_options *options, size_t size);

SNT_API void snt_deskew_times_init(snt_deskew_times *times, size_t size);

SNT_API void snt_laser_scan_init(snt_laser_scan *laser, size_t size);

SNT_API snt_status snt_deskew_size(const snt_deskew_config *config, uint64_t *size);

SNT_API snt_status snt_deskew_create(const snt_deskew_config *config, const snt_allocator *allocator,
                                     snt_deskew **out);

SNT_API void snt_deskew_destroy(snt_deskew *plan);

SNT_API snt_status snt_deskew_scan_from_cloud(const snt_cloud *cloud, const snt_deskew_times *times,
                                              snt_duration limit_ns, snt_deskew_scan *scan,
                                              uint64_t *outliers);

SNT_API snt_status snt_deskew_plan_twist(snt_deskew *plan, const snt_deskew_scan *scan,
                                         const snt_twist *twist);

SNT_API snt_status snt_deskew_plan_two_poses(snt_deskew *plan, const snt_deskew_scan *scan, snt_time a_ns,
                                             const snt_pose *a, snt_time b_ns, const snt_pose *b,
                                             uint32_t method);

SNT_API snt_status snt_deskew_plan_knots(snt_deskew *plan, const snt_deskew_scan *scan, const void *stamps,
                                         uint64_t stamp_stride, const void *poses, uint64_t pose_stride,
                                         uint64_t count, uint32_t method);

SNT_API snt_status snt_deskew_plan_imu(snt_deskew *plan, const snt_deskew_scan *scan, snt_imu_buffer *imu,
                                       const snt_imu_state *state);

SNT_API snt_status snt_deskew_plan_path(snt_deskew *plan, const snt_deskew_scan *scan,
                                        const snt_tf_path *path, snt_duration spacing_ns, uint32_t method);

SNT_API snt_status snt_deskew_get_info(const snt_deskew *plan, snt_deskew_info *out);

SNT_API snt_status snt_deskew_get_bound(const snt_deskew *plan, const snt_cloud *cloud, double range_m,
                                        snt_deskew_bound *out);

SNT_API snt_status snt_deskew_apply(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                                    snt_deskew_report *report);

SNT_API snt_status snt_deskew_apply_with(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                                         const snt_deskew_options *options, snt_deskew_report *report);

SNT_API snt_status snt_deskew_apply_copy(const snt_deskew *plan, const snt_cloud *cloud, const void *records,
                                         void *out_records, uint64_t step, const snt_deskew_options *options,
                                         snt_deskew_report *report);

SNT_API snt_status snt_deskew_report_merge(snt_deskew_report *left, const snt_deskew_report *right);

SNT_API snt_status snt_deskew_poses(const snt_deskew *plan, const void *stamps, uint64_t stamp_stride,
                                    uint64_t count, void *poses, uint64_t pose_stride, uint8_t *flags);

SNT_API snt_status snt_deskew_rows(const snt_deskew *plan, snt_time first_ns, snt_duration readout_ns,
                                   uint64_t rows, void *poses, uint64_t pose_stride, uint8_t *flags);

SNT_API snt_status snt_deskew_matrices(const void *poses, uint64_t pose_stride, uint64_t count,
                                       double *matrices);

SNT_API snt_status snt_deskew_scan_from_laser(const snt_laser_scan *laser, snt_deskew_scan *scan);

SNT_API snt_status snt_deskew_laser(const snt_deskew *plan, const snt_laser_scan *laser, void *xyz,
                                    uint64_t stride, uint8_t *flags, snt_deskew_report *report);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_FINDING_H
#define SENSORTIME_FINDING_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SNT_SEVERITY_NOTE = 1, SNT_SEVERITY_WARNING = 2, SNT_SEVERITY_ERROR = 3 };

#define SNT_FINDING_MAP(X)                                                                                   \
    X(SNT_FINDING_NO_MESSAGES, 1, SNT_SEVERITY_ERROR,                                                        \
      "no message at all arrived: the publisher is absent or the QoS profiles do not match",                 \
      "compare the profiles of both ends (ros2 topic info -v) and align them")                               \
    X(SNT_FINDING_SILENT, 2, SNT_SEVERITY_ERROR, "messages came and then stopped",                           \
      "look for a stopped driver, a broken link or an ended recording")                                      \
    X(SNT_FINDING_GAP, 3, SNT_SEVERITY_WARNING, "messages are missing between two stamps",                   \
      "reduce load, use best effort for sensors, check the link")                                            \
    X(SNT_FINDING_RATE, 4, SNT_SEVERITY_WARNING, "the rate is not the expected one",                         \
      "check the sensor's configuration and the load of the machine")                                        \
    X(SNT_FINDING_JITTER, 5, SNT_SEVERITY_NOTE, "the intervals between stamps scatter",                      \
      "stamp with the device's clock instead of the host's time of arrival")                                 \
    X(SNT_FINDING_DUPLICATE, 6, SNT_SEVERITY_WARNING, "stamps repeat",                                       \
      "look for a second publisher or a node that sends old data again; drop repeats by stamp")              \
    X(SNT_FINDING_BACKWARD, 7, SNT_SEVERITY_ERROR, "stamps jump back",                                       \
      "reset the SLAM node after a simulation reset, driver restart or clock step; cut the recording there") \
    X(SNT_FINDING_INTERLEAVED, 8, SNT_SEVERITY_ERROR,                                                        \
      "stamps jump back again and again: two publishers share the topic, or one reorders",                   \
      "remove the duplicate publisher")                                                                      \
    X(SNT_FINDING_ZERO_STAMP, 9, SNT_SEVERITY_ERROR, "the header's stamp is zero: nobody filled it",         \
      "fix the node; zero means latest to some interfaces and 1970 to others")                               \
    X(SNT_FINDING_FROZEN_STAMP, 10, SNT_SEVERITY_ERROR, "the stamp stands still while messages arrive",      \
      "restart the driver or fix the clock that feeds its stamps")                                           \
    X(SNT_FINDING_FROZEN_CONTENT, 11, SNT_SEVERITY_WARNING, "the content stands still while stamps advance", \
      "check the sensor; a robot at rest may send equal encoder values, a lidar or camera never does")       \
    X(SNT_FINDING_BURST, 12, SNT_SEVERITY_WARNING,                                                           \
      "delivery stopped and then many messages came at once while their stamps are even: not a sensor gap",  \
      "trust the stamps; look for a starved executor, recorder or link")                                     \
    X(SNT_FINDING_SEQUENCE_LOSS, 13, SNT_SEVERITY_ERROR,                                                     \
      "sequence numbers are missing: messages were lost, this is proof",                                     \
      "enlarge queues and socket buffers, reduce load, check the link")                                      \
    X(SNT_FINDING_RECORDED_BACKWARD, 14, SNT_SEVERITY_ERROR,                                                 \
      "the log's own times go back in recorded order",                                                       \
      "sort by header stamp before use; the recorder's clock was set or files were merged")                  \
    X(SNT_FINDING_FUTURE, 15, SNT_SEVERITY_WARNING, "stamps lie after their time of arrival",                \
      "fix the clock source; post-dated transforms are meant so and harmless")                               \
    X(SNT_FINDING_LATE_CONSTANT, 16, SNT_SEVERITY_WARNING,                                                   \
      "the delay is large and constant: stamped on arrival, or the clocks of two machines differ",           \
      "use the driver's hardware time and synchronise the clocks")                                           \
    X(SNT_FINDING_LATE, 17, SNT_SEVERITY_WARNING, "messages arrive late and unevenly",                       \
      "reduce load and queue lengths between sensor and consumer")                                           \
    X(SNT_FINDING_DELAY_TREND, 18, SNT_SEVERITY_WARNING,                                                     \
      "the delay grows or shrinks steadily: a backlog, or two clocks that drift apart",                      \
      "steady over the whole recording: map the device clock; growing under load: shorten the queue")        \
    X(SNT_FINDING_STAMPED_ON_ARRIVAL, 19, SNT_SEVERITY_WARNING,                                              \
      "stamps scatter exactly as arrivals do: they are times of reception, not of measurement",              \
      "use the device's own time; else subtract the known latency")                                          \
    X(SNT_FINDING_DELIVERY_JITTER, 20, SNT_SEVERITY_NOTE, "arrivals scatter while stamps are even",          \
      "nothing, as long as consumers use the stamps")                                                        \
    X(SNT_FINDING_STAMP_JUMP, 21, SNT_SEVERITY_ERROR, "stamps jump while arrivals go on evenly",             \
      "the stamping clock was set: cut the recording there or correct the stamps by the jump")               \
    X(SNT_FINDING_CLOCK_DOMAIN, 40, SNT_SEVERITY_ERROR,                                                      \
      "stamps and log times are of different clocks: their difference is no delay",                          \
      "set use_sim_time on every node or none; map device time to host time")                                \
    X(SNT_FINDING_MIXED_CLOCKS, 41, SNT_SEVERITY_ERROR, "stamps of two different clocks in one stream",      \
      "find the node on the wrong clock (use_sim_time)")                                                     \
    X(SNT_FINDING_TIME_SCALE, 42, SNT_SEVERITY_ERROR,                                                        \
      "stamps are off by a whole time-scale offset (TAI, GPS, time zone, epoch), not by a delay",            \
      "set the UTC offset of the sensor or of PTP, or convert with the leap-second table")                   \
    X(SNT_FINDING_HOST_STEP, 43, SNT_SEVERITY_ERROR,                                                         \
      "log time and stamps step together: the host's clock was set, no sensor fault",                        \
      "cut the recording there; discipline the clock by slewing (chrony, ntpd -x)")                          \
    X(SNT_FINDING_UNSET_CLOCK, 44, SNT_SEVERITY_WARNING,                                                     \
      "stamps count from a default date: the device's clock was never set",                                  \
      "synchronise the device (PTP, NTP, GPS) or map its clock")                                             \
    X(SNT_FINDING_NO_POINT_TIME, 70, SNT_SEVERITY_ERROR, "the points carry no usable time",                  \
      "enable per-point time in the driver; without it the cloud cannot be deskewed")                        \
    X(SNT_FINDING_INVALID_POINT_TIME, 71, SNT_SEVERITY_WARNING,                                              \
      "some point times are not numbers or too large", "ignore those points; check the driver")              \
    X(SNT_FINDING_WRAPPED_POINT_TIME, 72, SNT_SEVERITY_WARNING,                                              \
      "negative point times are stored in an unsigned field and wrapped",                                    \
      "read the field as signed; the driver subtracted a later time from an earlier one")                    \
    X(SNT_FINDING_NOT_TIME_ORDERED, 73, SNT_SEVERITY_NOTE,                                                   \
      "points are not stored in the order of their times", "use each point's own time, never its index")     \
    X(SNT_FINDING_RING_BACKWARD, 74, SNT_SEVERITY_WARNING, "times go back within a ring",                    \
      "look at those scans: overlapping revolutions, a clock step or mixed packets")                         \
    X(SNT_FINDING_FOREIGN_POINTS, 75, SNT_SEVERITY_WARNING,                                                  \
      "some points lie outside their scan's period: they belong to another scan",                            \
      "drop or move them by their time")                                                                     \
    X(SNT_FINDING_DURATION, 76, SNT_SEVERITY_ERROR,                                                          \
      "the scan's duration is impossible: the unit is misread", "check the unit of the time field")          \
    X(SNT_FINDING_SUSPECT_LOSS, 77, SNT_SEVERITY_WARNING,                                                    \
      "scans look as if packets were missing: a suspicion, not proof",                                       \
      "open these scans: point count, rings and the position of the gap")                                    \
    X(SNT_FINDING_PACKET_LOSS, 78, SNT_SEVERITY_ERROR, "packets were lost: proven by their numbers",         \
      "enlarge the socket buffer, check the network")                                                        \
    X(SNT_FINDING_IMU_MISSING, 79, SNT_SEVERITY_ERROR, "IMU samples do not reach over the scan",             \
      "wait for the IMU before deskewing; check its delay, its queue and both clocks")                       \
    X(SNT_FINDING_IMU_HOLE, 80, SNT_SEVERITY_WARNING, "a hole in the IMU samples lies inside scans",         \
      "check the IMU's link; interpolation over the hole is a guess")                                        \
    X(SNT_FINDING_IMU_BACKWARD, 81, SNT_SEVERITY_ERROR, "the IMU's stamps step back",                        \
      "cut the recording there or correct the stamps by the step")                                           \
    X(SNT_FINDING_IMU_CLOCK, 82, SNT_SEVERITY_ERROR, "scan and IMU times are of different clocks",           \
      "map both to one clock before combining them")                                                         \
    X(SNT_FINDING_SCAN_OVERLAP, 83, SNT_SEVERITY_WARNING, "a scan begins before the previous one ended",     \
      "check which moment the header means; wrong start or unit makes scans overlap")                        \
    X(SNT_FINDING_HEADER_ROLE, 84, SNT_SEVERITY_NOTE, "the header is not the start of the scan",             \
      "tell your SLAM, or shift the header to the first point")                                              \
    X(SNT_FINDING_HEADER_UNSTEADY, 85, SNT_SEVERITY_WARNING,                                                 \
      "the distance from header to first point is not constant",                                             \
      "use the points' absolute times; the header is not tied to the scan")                                  \
    X(SNT_FINDING_RECEIVED_BEFORE_END, 86, SNT_SEVERITY_ERROR,                                               \
      "scans arrive before their last point was measured: the header cannot be the scan's start",            \
      "the header is the scan's end or time of reception: subtract the scan's duration")                     \
    X(SNT_FINDING_PERIOD_EARLY, 87, SNT_SEVERITY_WARNING,                                                    \
      "the header lies one whole period before the scan's first point",                                      \
      "add one period to the stamps, or update the driver")                                                  \
    X(SNT_FINDING_LATENCY, 88, SNT_SEVERITY_NOTE, "the time from the scan's end to its reception varies",    \
      "nothing if the header is a measurement time; else the stamps vary with it")                           \
    X(SNT_FINDING_COARSE_POINT_TIME, 89, SNT_SEVERITY_WARNING,                                               \
      "the time field is too coarse: neighbouring points share one step of its type",                        \
      "publish times relative to the header or as integers")                                                 \
    X(SNT_FINDING_RINGS_UNTRACKED, 90, SNT_SEVERITY_NOTE, "more rings than the auditor keeps track of",      \
      "raise max_rings or check the ring field")

enum {
#define SNT_X(name, number, severity, meaning, remedy) name = number,
    SNT_FINDING_MAP(SNT_X)
#undef SNT_X
        SNT_FINDING_NONE = 0
};

typedef struct snt_finding {
    uint32_t code;
    uint32_t severity;
    double certainty;
    uint64_t count;
    uint64_t total;
    uint64_t first_index;
    snt_time first_stamp_ns;
    snt_time first_log_ns;
    snt_duration value_ns;
    snt_duration reference_ns;
    int64_t lo;
    int64_t hi;
    double number;
    double number_error;
} snt_finding;

SNT_API const char *snt_finding_name(uint32_t code);

SNT_API const char *snt_finding_meaning(uint32_t code);

SNT_API const char *snt_finding_remedy(uint32_t code);

SNT_API uint32_t snt_finding_severity(uint32_t code);

SNT_API snt_status snt_finding_format(const snt_finding *finding, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_QOS_H
#define SENSORTIME_QOS_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SNT_QOS_RELIABILITY_SYSTEM_DEFAULT = 0,
    SNT_QOS_RELIABLE = 1,
    SNT_QOS_BEST_EFFORT = 2,
    SNT_QOS_RELIABILITY_UNKNOWN = 3,
    SNT_QOS_RELIABILITY_BEST_AVAILABLE = 4
};

enum {
    SNT_QOS_DURABILITY_SYSTEM_DEFAULT = 0,
    SNT_QOS_TRANSIENT_LOCAL = 1,
    SNT_QOS_VOLATILE = 2,
    SNT_QOS_DURABILITY_UNKNOWN = 3,
    SNT_QOS_DURABILITY_BEST_AVAILABLE = 4,
    SNT_QOS_TRANSIENT = 64,
    SNT_QOS_PERSISTENT = 65
};

enum {
    SNT_QOS_HISTORY_SYSTEM_DEFAULT = 0,
    SNT_QOS_KEEP_LAST = 1,
    SNT_QOS_KEEP_ALL = 2,
    SNT_QOS_HISTORY_UNKNOWN = 3
};

enum {
    SNT_QOS_LIVELINESS_SYSTEM_DEFAULT = 0,
    SNT_QOS_AUTOMATIC = 1,
    SNT_QOS_MANUAL_BY_NODE = 2,
    SNT_QOS_MANUAL_BY_TOPIC = 3,
    SNT_QOS_LIVELINESS_UNKNOWN = 4,
    SNT_QOS_LIVELINESS_BEST_AVAILABLE = 5
};

#define SNT_QOS_INFINITE INT64_MAX

#define SNT_QOS_DURATION_BEST_AVAILABLE (INT64_MAX - 1)

typedef struct snt_qos_profile {
    uint32_t history;
    uint32_t depth;
    uint32_t reliability;
    uint32_t durability;
    uint32_t liveliness;
    uint32_t reserved;
    snt_duration deadline_ns;
    snt_duration lifespan_ns;
    snt_duration lease_ns;
} snt_qos_profile;

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
        SNT_QOS_PRESET_COUNT = 11
};

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
        SNT_QOS_COMPATIBLE = 0
};

typedef struct snt_qos_verdict {
    uint32_t errors;
    uint32_t undecided;
    uint32_t warnings;
    uint32_t reserved;
    snt_qos_profile offered;
    snt_qos_profile requested;
} snt_qos_verdict;

SNT_API snt_status snt_qos_preset(uint32_t preset, snt_qos_profile *out);

SNT_API const char *snt_qos_preset_use(uint32_t preset);

SNT_API snt_status snt_qos_check(const snt_qos_profile *offered, const snt_qos_profile *requested,
                                 snt_qos_verdict *out);

SNT_API const char *snt_qos_reason_text(uint32_t reason);

SNT_API snt_status snt_qos_verdict_format(const snt_qos_verdict *verdict, char *text, size_t size);

SNT_API snt_status snt_qos_profile_format(const snt_qos_profile *profile, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_SCAN_AUDIT_H
#define SENSORTIME_SCAN_AUDIT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_scan_auditor snt_scan_auditor;

enum {
    SNT_ORDER_UNKNOWN = 0,
    SNT_ORDER_TIME = 1,
    SNT_ORDER_RING = 2,
    SNT_ORDER_AZIMUTH = 3,
    SNT_ORDER_ECHO = 4,
    SNT_ORDER_PACKET = 5
};

enum {
    SNT_LOSS_POINT_COUNT = 1 << 0,
    SNT_LOSS_DURATION = 1 << 1,
    SNT_LOSS_TIME_GAP = 1 << 2,
    SNT_LOSS_EMPTY_RINGS = 1 << 3,
    SNT_LOSS_HEADER_INTERVAL = 1 << 4
};

enum { SNT_PROOF_SEQUENCE = 1 << 0, SNT_PROOF_COLUMNS = 1 << 1 };

enum {
    SNT_SCAN_MONOTONIC = 1 << 0,
    SNT_SCAN_NO_TIME = 1 << 1,
    SNT_SCAN_CONSTANT_TIME = 1 << 2,
    SNT_SCAN_FIRST = 1 << 3,
    SNT_SCAN_LAST = 1 << 4,
    SNT_SCAN_BEFORE_IMU = 1 << 5,
    SNT_SCAN_AFTER_IMU = 1 << 6,
    SNT_SCAN_IMU_BRACKETED = 1 << 7,
    SNT_SCAN_IMU_FORCED = 1 << 8,
    SNT_SCAN_IMU_CLOCK = 1 << 9,
    SNT_SCAN_IMU_RESET = 1 << 10,
    SNT_SCAN_NO_IMU = 1 << 11,
    SNT_SCAN_GAP_BOUND = 1 << 12,
    SNT_SCAN_RINGS_UNTRACKED = 1 << 13,
    SNT_SCAN_EDGE = 1 << 14,
    SNT_SCAN_WARMUP = 1 << 15,
    SNT_SCAN_UNSIGNED_WRAP = 1 << 16
};

typedef struct snt_scan_auditor_config {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t imu_capacity;
    uint32_t scan_capacity;
    uint32_t max_rings;
    uint32_t scratch_points;
    uint32_t warmup_scans;
    uint32_t reserved;
    snt_duration period_ns;
    snt_duration large_gap_ns;
    snt_duration min_duration_ns;
    snt_duration max_duration_ns;
    snt_duration imu_hole_ns;
    snt_duration imu_reset_ns;
    double count_factor;
    double duration_factor;
    double gap_factor;
    double interval_factor;
} snt_scan_auditor_config;

enum { SNT_SCAN_AUDIT_LIVE = 1 << 0, SNT_SCAN_AUDIT_NO_IMU = 1 << 1 };

typedef struct snt_point_stats {
    uint64_t points;
    uint64_t timed;
    uint64_t nan_times;
    uint64_t invalid_times;
    uint64_t nonfinite_points;
    uint64_t zero_points;
    uint64_t zero_times;
    uint64_t negative_times;
    uint64_t beyond_period;
    uint64_t wrapped_times;
    uint64_t negative_jumps;
    uint64_t equal_steps;
    uint64_t large_gaps;
    snt_time min_ns;
    snt_time max_ns;
    snt_duration min_step_ns;
    snt_duration max_step_ns;
    snt_duration max_gap_ns;
    snt_duration sorted_gap_ns;
    snt_time sorted_gap_at_ns;
    snt_duration robust_span_ns;
    uint64_t ring_jumps;
    uint32_t rings;
    uint32_t rings_monotonic;
    uint32_t order;
    uint32_t flags;
    snt_duration quantum_ns;
    double unit_factor;
} snt_point_stats;

typedef struct snt_scan_input {
    snt_time header_ns;
    snt_time receive_ns;
    uint64_t token;
    uint64_t lost_packets;
    uint64_t columns;
    uint64_t columns_expected;
    uint64_t valid_points;
    snt_duration period_ns;
    uint32_t flags;
    uint32_t reserved;
} snt_scan_input;

enum {
    SNT_SCAN_INPUT_HAS_SEQUENCE = 1 << 0,
    SNT_SCAN_INPUT_HAS_COLUMNS = 1 << 1,
    SNT_SCAN_INPUT_HAS_VALID_POINTS = 1 << 2
};

typedef struct snt_scan_report {
    uint64_t scan_id;
    uint64_t token;
    snt_time header_ns;
    snt_time receive_ns;
    snt_duration duration_ns;
    snt_duration header_interval_ns;
    snt_duration header_offset_ns;
    snt_duration latency_ns;
    snt_duration overlap_ns;
    snt_duration imu_start_margin_ns;
    snt_duration imu_end_margin_ns;
    snt_duration imu_start_nearest_ns;
    snt_duration imu_end_nearest_ns;
    snt_duration imu_arrival_margin_ns;
    snt_duration imu_largest_hole_ns;
    uint64_t imu_inside;
    uint64_t valid_points;
    uint64_t empty_rings;
    uint64_t lost_packets;
    uint32_t suspicion;
    uint32_t proof;
    uint32_t flags;
    uint32_t header_event;
    snt_duration usual_duration_ns;
    snt_duration usual_gap_ns;
    snt_duration usual_interval_ns;
    uint64_t usual_points;
    snt_duration large_gap_limit_ns;
    snt_time imu_hole_at_ns;
    snt_point_stats points;
} snt_scan_report;

typedef struct snt_scan_summary {
    uint64_t scans;
    uint64_t waiting;
    uint64_t timed;
    uint64_t monotonic;
    uint64_t suspected;
    uint64_t proven;
    uint64_t lost_packets;
    uint64_t edge;
    uint64_t uncovered;
    uint64_t reports_dropped;
    uint64_t imu_samples;
    uint64_t imu_backward;
    uint64_t imu_duplicate;
    snt_duration imu_worst_back_ns;
    uint64_t points_median;
    snt_duration duration_median_ns;
    snt_duration interval_median_ns;
    snt_duration imu_start_nearest_max_ns;
    snt_duration imu_end_nearest_max_ns;
    uint64_t imu_inside_median;
    snt_duration imu_hole_max_ns;
    snt_duration point_gap_max_ns;
    snt_duration sorted_gap_max_ns;
    uint64_t sorted_gap_scan;
    snt_duration overlap_max_ns;
    snt_duration header_offset_median_ns;
    double header_offset_std_ns;
    snt_duration latency_min_ns;
    snt_duration latency_median_ns;
    snt_duration latency_max_ns;
    double latency_std_ns;
    uint32_t latency_constant;
    uint32_t header_event;
    double header_offset_b_ns;
    double header_drift_ppb;
    double header_drift_error_ppb;
    double header_jitter_ns;
    uint32_t order;
    uint32_t rings_max;
    double monotonic_ratio;
    double suspected_ratio;
    double unit_factor;
    snt_duration quantum_ns;
} snt_scan_summary;

SNT_API void snt_scan_auditor_config_init(snt_scan_auditor_config *config, size_t size);

SNT_API snt_status snt_scan_auditor_size(const snt_scan_auditor_config *config, uint64_t *bytes);

SNT_API snt_status snt_scan_auditor_create(const snt_scan_auditor_config *config,
                                           const snt_allocator *allocator, snt_scan_auditor **out);

SNT_API void snt_scan_auditor_destroy(snt_scan_auditor *auditor);

SNT_API void snt_scan_auditor_reset(snt_scan_auditor *auditor);

SNT_API snt_status snt_scan_auditor_add_scan(snt_scan_auditor *auditor, const snt_scan_input *input,
                                             const snt_cloud *cloud);

SNT_API snt_status snt_scan_auditor_add_imu(snt_scan_auditor *auditor, snt_time stamp);

SNT_API snt_status snt_scan_auditor_add_imu_many(snt_scan_auditor *auditor, const void *stamps,
                                                 int64_t stride, uint64_t count);

SNT_API snt_status snt_scan_auditor_finish(snt_scan_auditor *auditor);

SNT_API snt_status snt_scan_auditor_next(snt_scan_auditor *auditor, snt_scan_report *out);

SNT_API snt_status snt_scan_auditor_summary(const snt_scan_auditor *auditor, snt_scan_summary *out);

SNT_API snt_status snt_scan_auditor_findings(const snt_scan_auditor *auditor, snt_finding *out,
                                             uint32_t capacity, uint32_t *count);

SNT_API snt_status snt_scan_auditor_points(snt_scan_auditor *auditor, const snt_cloud *cloud,
                                           snt_duration period_ns, snt_point_stats *out);

SNT_API const char *snt_order_text(uint32_t order);

SNT_API snt_status snt_loss_format(uint32_t suspicion, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

#ifndef SENSORTIME_STREAM_MONITOR_H
#define SENSORTIME_STREAM_MONITOR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snt_stream_monitor snt_stream_monitor;

enum {
    SNT_STREAM_HAS_STAMP = 1 << 0,
    SNT_STREAM_HAS_LOG = 1 << 1,
    SNT_STREAM_HAS_SEQUENCE = 1 << 2,
    SNT_STREAM_HAS_CONTENT = 1 << 3
};

typedef struct snt_stream_message {
    snt_time stamp_ns;
    snt_time log_ns;
    uint64_t size_bytes;
    uint64_t sequence;
    uint64_t content;
    uint32_t flags;
    uint32_t reserved;
} snt_stream_message;

enum {
    SNT_STREAM_STATIC = 1 << 0,
    SNT_STREAM_EVENTUAL = 1 << 1,
    SNT_STREAM_POST_DATED = 1 << 2,
    SNT_STREAM_CAN_REST = 1 << 3
};

typedef struct snt_stream_monitor_config {
    uint32_t struct_size;
    uint32_t flags;
    snt_duration expected_period_ns;
    uint32_t rate_tolerance_permille;
    uint32_t event_capacity;
    double gap_note_factor;
    double gap_warn_factor;
    double gap_error_factor;
    snt_duration gap_warn_floor_ns;
    snt_duration gap_error_floor_ns;
    snt_duration tiny_period_ns;
    snt_duration delay_warn_ns;
    snt_duration delay_error_ns;
    snt_duration future_warn_ns;
    snt_duration future_error_ns;
    snt_duration step_floor_ns;
    snt_duration silence_ns;
    snt_duration frozen_ns;
    snt_duration drift_span_ns;
    uint32_t duplicate_permille;
    uint32_t stamp_domain;
    uint32_t log_domain;
    uint32_t reserved;
} snt_stream_monitor_config;

typedef struct snt_interval_stats {
    uint64_t steps;
    uint64_t forward;
    uint64_t equal;
    uint64_t backward;
    snt_duration worst_back_ns;
    snt_duration min_ns;
    snt_duration max_ns;
    snt_duration median_ns;
    snt_duration p05_ns;
    snt_duration p95_ns;
    snt_duration jitter_p95_ns;
    double mean_ns;
    double std_ns;
    double rate_hz;
} snt_interval_stats;

typedef struct snt_delay_stats {
    uint64_t count;
    uint64_t incomparable;
    snt_duration min_ns;
    snt_duration max_ns;
    snt_duration median_ns;
    snt_duration p05_ns;
    snt_duration p95_ns;
    double mean_ns;
    double std_ns;
    double span_s;
    double offset_ns;
    double drift_ppb;
    double drift_error_ppb;
    double jitter_ns;
    double floor_ppb;
    double floor_first_ppb;
    double floor_second_ppb;
    double floor_error_ns;
    uint64_t future;
    uint32_t comparable;
    uint32_t clock_kind;
} snt_delay_stats;

typedef struct snt_stream_report {
    uint64_t messages;
    uint64_t bytes;
    snt_time first_stamp_ns;
    snt_time last_stamp_ns;
    snt_time first_log_ns;
    snt_time last_log_ns;
    snt_interval_stats stamps;
    snt_interval_stats log;
    snt_delay_stats delay;
    double bandwidth_bps;
    snt_duration period_ns;
    uint64_t zero_stamps;
    uint64_t frozen_stamps;
    uint64_t frozen_contents;
    uint64_t gaps;
    uint64_t gaps_warning;
    uint64_t gaps_error;
    uint64_t missing_lo;
    uint64_t missing_hi;
    snt_duration longest_gap_ns;
    snt_time longest_gap_at_ns;
    uint64_t bursts;
    uint64_t burst_messages;
    snt_duration longest_hold_ns;
    uint64_t host_steps;
    snt_duration host_step_ns;
    snt_time host_step_at_ns;
    uint64_t stamp_jumps;
    snt_duration stamp_jump_ns;
    uint64_t lost;
    uint64_t reordered;
    uint64_t events_dropped;
    uint32_t stamp_kind;
    uint32_t log_kind;
    uint32_t mixed_kinds;
    uint32_t silent;
} snt_stream_report;

typedef struct snt_stream_event {
    uint64_t index;
    snt_time stamp_ns;
    snt_time log_ns;
    snt_duration step_ns;
    snt_duration other_ns;
    uint64_t missing_lo;
    uint64_t missing_hi;
    uint32_t code;
    uint32_t severity;
} snt_stream_event;

SNT_API void snt_stream_monitor_config_init(snt_stream_monitor_config *config, size_t size);

SNT_API snt_status snt_stream_monitor_size(const snt_stream_monitor_config *config, uint64_t *bytes);

SNT_API snt_status snt_stream_monitor_create(const snt_stream_monitor_config *config,
                                             const snt_allocator *allocator, snt_stream_monitor **out);

SNT_API void snt_stream_monitor_destroy(snt_stream_monitor *monitor);

SNT_API void snt_stream_monitor_reset(snt_stream_monitor *monitor);

SNT_API snt_status snt_stream_monitor_add(snt_stream_monitor *monitor, const snt_stream_message *message);

SNT_API snt_status snt_stream_monitor_add_many(snt_stream_monitor *monitor,
                                               const snt_stream_message *messages, uint64_t count);

SNT_API snt_status snt_stream_monitor_poll(snt_stream_monitor *monitor, snt_time now);

SNT_API snt_status snt_stream_monitor_finish(snt_stream_monitor *monitor);

SNT_API snt_status snt_stream_monitor_report(snt_stream_monitor *monitor, snt_stream_report *out);

SNT_API snt_status snt_stream_monitor_next_event(snt_stream_monitor *monitor, snt_stream_event *out);

SNT_API snt_status snt_stream_monitor_findings(snt_stream_monitor *monitor, snt_finding *out,
                                               uint32_t capacity, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif

#endif
