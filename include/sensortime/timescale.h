/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file timescale.h
 * UTC, TAI and GPS time, the leap seconds between them, RFC 3339 text, and naming the clock behind an odd stamp.
 *
 * Unix time (SNT_DOMAIN_UNIX) has no number of its own for a leap second. POSIX counts 23:59:60 as the next day's first
 * second; Linux repeats the day's last one. Which of them a given clock did is not in the stamp, so the point functions
 * follow POSIX and flag SNT_TIME_LEAP_AMBIGUOUS within one second on either side, and the bounded conversion covers both.
 * Clocks that smear a leap second over a day follow neither: give them a domain of their own.
 */
#ifndef SENSORTIME_TIMESCALE_H
#define SENSORTIME_TIMESCALE_H

#include "base.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** GPS time counts from 1980-01-06, which is this many seconds of unix time. */
#define SNT_GPS_EPOCH_UNIX_S INT64_C(315964800)
/** TAI − GPS, for ever. */
#define SNT_TAI_MINUS_GPS_S INT64_C(19)
/** Most steps a leap table holds. UTC had 28 up to 2017 and leap seconds are to end by 2035. */
#define SNT_LEAP_CAPACITY 64

/** One step of TAI − UTC. 16 bytes, frozen. */
typedef struct snt_leap_step {
    int64_t unix_s;        /**< first second with the new offset [s, unix] */
    int32_t tai_minus_utc; /**< from then on [s] */
    uint32_t reserved;     /**< 0 */
} snt_leap_step;

/**
 * TAI − UTC since 1972: plain data that the caller owns, copies and swaps as a whole. Wherever a table is asked for, NULL
 * means the built-in one, which ends with 2017-01-01 (37 s) and expires on 2026-12-28. 1048 bytes, frozen.
 */
typedef struct snt_leap_table {
    snt_time updated;    /**< when its source was last changed; SNT_UNKNOWN = not said [ns, unix] */
    snt_time expires;    /**< nobody vouches for it from here on [ns, unix] */
    uint32_t count;      /**< steps in use, >= 1 */
    uint32_t hash_state; /**< SNT_LEAP_HASH_* */
    snt_leap_step steps[SNT_LEAP_CAPACITY]; /**< ascending in time */
} snt_leap_table;

/** What is known of a table's checksum. */
enum {
    SNT_LEAP_HASH_ABSENT = 0, /**< the text had no checksum line */
    SNT_LEAP_HASH_GOOD = 1    /**< the checksum line matched */
};

/**
 * Fill a table with the built-in steps.
 *
 * @param[out] table what to fill; NULL does nothing
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_leap_table_init(snt_leap_table *table);

/**
 * Read the text of a `leap-seconds.list` as IERS and NIST publish it, with its `#$` (updated), `#@` (expires) and `#h`
 * (SHA-1) lines. The text may come from anybody: it is checked to the last byte. O(length).
 *
 * @param      text   the file's bytes, need not end in NUL or newline
 * @param      length of the text [bytes]
 * @param[out] table  the new table; untouched on failure
 * @param[out] line   line at fault, 1-based, or 0 where the fault is not one line's; NULL if not wanted. Written on
 *                    failure, too: it says where.
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG text or table is NULL
 * @retval SNT_ERR_FORMAT      a line is malformed, the steps do not ascend by one second at a midnight, there is no step
 *                             or no expiry line
 * @retval SNT_ERR_RANGE       a number is no time or offset that can be
 * @retval SNT_ERR_FULL        more than SNT_LEAP_CAPACITY steps
 * @retval SNT_ERR_CONFLICT    the checksum line does not match
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_leap_table_parse(const char *text, size_t length, snt_leap_table *table,
                                        uint32_t *line);

/**
 * TAI − UTC at a unix time.
 *
 * @param      table     leap table; NULL = built-in
 * @param      unix_time [ns, unix]
 * @param[out] offset_s  TAI − UTC [s]
 * @param[out] flags     SNT_TIME_LEAP_EXPIRED, SNT_TIME_LEAP_AMBIGUOUS (within a second of a step), or 0; NULL if not
 *                       wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (offset_s is NULL, or the table is none), SNT_ERR_PAST (before the first step:
 *         UTC had no whole-second offset), SNT_ERR_RANGE (the time is infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_leap_table_offset(const snt_leap_table *table, snt_time unix_time, int32_t *offset_s,
                                         uint32_t *flags);

/**
 * A time of one of the scales unix, TAI and GPS on another. After the table's expiry the last known offset is used and
 * flagged.
 *
 * @param      table leap table; NULL = built-in
 * @param      t     a finite time [ns, from]
 * @param      from  SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI or SNT_DOMAIN_GPS
 * @param      to    one of the same
 * @param[out] out   [ns, to]
 * @param[out] flags SNT_TIME_LEAP_EXPIRED, SNT_TIME_LEAP_AMBIGUOUS, or 0; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, or the table is none), SNT_ERR_DOMAIN (another domain), SNT_ERR_PAST
 *         (leap seconds are involved and the time is before 1972), SNT_ERR_RANGE (t is infinite), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_timescale_convert(const snt_leap_table *table, snt_time t, uint32_t from, uint32_t to,
                                         snt_time *out, uint32_t *flags);

/**
 * The same for a bounded time: the bounds contain the truth whichever way the clock treated a leap second, as long as the
 * table holds (SNT_TIME_LEAP_EXPIRED says that it may not). Session, version and flags are kept.
 *
 * @param      table leap table; NULL = built-in
 * @param      in    a time of domain unix, TAI or GPS
 * @param      to    SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI or SNT_DOMAIN_GPS
 * @param[out] out   may be `in`
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL, or the table is none), SNT_ERR_DOMAIN, SNT_ERR_PAST,
 *         SNT_ERR_RANGE (`in` is no bounded time), SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_timescale_convert_bounded(const snt_leap_table *table, const snt_bounded_time *in,
                                                 uint32_t to, snt_bounded_time *out);

/** Flags of a PTP announce message that say what its time is. */
enum {
    SNT_PTP_TIMESCALE = 1 << 0,       /**< ptpTimescale: the time is TAI; without it, anything */
    SNT_PTP_UTC_OFFSET_VALID = 1 << 1 /**< currentUtcOffsetValid: the announced offset may be trusted */
};

/**
 * A PTP time as unix time, with what the grandmaster announced and what the table knows held against each other.
 *
 * @param      table      leap table; NULL = built-in
 * @param      ptp        as received, see ::snt_time_from_ptp [ns]
 * @param      ptp_flags  SNT_PTP_* bits
 * @param      utc_offset announced currentUtcOffset [s]; read only with SNT_PTP_UTC_OFFSET_VALID
 * @param[out] out        [ns, unix]
 * @param[out] flags      SNT_TIME_LEAP_* bits; SNT_TIME_DECLARED if the announced offset was used because the table had
 *                        expired; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_DOMAIN (without SNT_PTP_TIMESCALE it is not TAI), SNT_ERR_CONFLICT (the
 *         announced offset contradicts a table that has not expired), SNT_ERR_PAST, SNT_ERR_RANGE, SNT_ERR_OVERFLOW
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_timescale_ptp_to_unix(const snt_leap_table *table, snt_time ptp, uint32_t ptp_flags,
                                             int32_t utc_offset, snt_time *out, uint32_t *flags);

/* ---- RFC 3339 text ---- */

/** Room for any text that the format functions below write, with its NUL. */
#define SNT_RFC3339_SIZE 40

/**
 * Read an RFC 3339 date and time, such as 2016-12-31T23:59:60.25Z or 1969-07-20t20:17:40.000001-04:00. One or more
 * fraction digits are taken; those past the ninth are dropped towards the past. O(length).
 *
 * @param      text   the characters; every one of them must belong
 * @param      length of the text [bytes]
 * @param      table  which leap seconds exist; NULL = built-in
 * @param[out] out    a leap second becomes the next day's first second, as POSIX counts [ns, unix]
 * @param[out] flags  SNT_TIME_ROUNDED (digits were dropped), SNT_TIME_LEAP_AMBIGUOUS (it was a leap second), or 0; NULL
 *                    if not wanted
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG text or out is NULL, or the table is none
 * @retval SNT_ERR_FORMAT      not of this form
 * @retval SNT_ERR_RANGE       no such month, day, hour, minute, second or offset, or a leap second the table does not have
 * @retval SNT_ERR_EXPIRED     a leap second after the table's expiry: it may exist
 * @retval SNT_ERR_OVERFLOW    before 1677-09-21 or after 2262-04-11
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_parse_rfc3339(const char *text, size_t length, const snt_leap_table *table,
                                          snt_time *out, uint32_t *flags);

/**
 * Read an RFC 3339 date and time as TAI, in which leap seconds are seconds like any other.
 *
 * @param      text   the characters; every one of them must belong
 * @param      length of the text [bytes]
 * @param      table  leap table; NULL = built-in
 * @param[out] out    [ns, TAI]
 * @param[out] flags  SNT_TIME_ROUNDED, SNT_TIME_LEAP_EXPIRED, or 0; NULL if not wanted
 * @retval SNT_OK, or a failure of ::snt_time_parse_rfc3339, or SNT_ERR_PAST (before 1972)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_parse_rfc3339_tai(const char *text, size_t length, const snt_leap_table *table,
                                              snt_time *out, uint32_t *flags);

/**
 * Write a unix time as RFC 3339 text. A unix time cannot say that it is in a leap second: see
 * ::snt_time_format_rfc3339_tai.
 *
 * @param      t              a finite time [ns, unix]
 * @param      digits         of the fraction, 0..9; finer ones are dropped towards the past, so that text never says a
 *                            later moment than the time
 * @param      offset_minutes of local time from UTC, −1439..1439; 0 writes Z [min]
 * @param[out] text           cut to fit and always terminated
 * @param      size           of `text`, SNT_RFC3339_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (text is NULL), SNT_ERR_RANGE (t is infinite, digits or offset), SNT_ERR_OVERFLOW
 *         (the local date leaves the range), SNT_ERR_BUFFER_TOO_SMALL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_format_rfc3339(snt_time t, uint32_t digits, int32_t offset_minutes, char *text,
                                           size_t size);

/**
 * Write a TAI time as UTC in RFC 3339 text, with second 60 in a leap second.
 *
 * @param      t      a finite time [ns, TAI]
 * @param      table  leap table; NULL = built-in
 * @param      digits of the fraction, 0..9; finer ones are dropped towards the past
 * @param[out] text   cut to fit and always terminated
 * @param      size   of `text`, SNT_RFC3339_SIZE is enough [bytes]
 * @param[out] flags  SNT_TIME_LEAP_EXPIRED or 0; NULL if not wanted
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_PAST (before 1972), SNT_ERR_BUFFER_TOO_SMALL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_time_format_rfc3339_tai(snt_time t, const snt_leap_table *table, uint32_t digits,
                                               char *text, size_t size, uint32_t *flags);

/* ---- which clock is this? ---- */

/** Which clock a stamp looks like, and how it relates to a reference. */
enum {
    SNT_LOOKS_SAME = 0,          /**< the reference's own time scale: the gap is an offset or a delay */
    SNT_LOOKS_ZERO = 1,          /**< exactly 0: most likely an unfilled header */
    SNT_LOOKS_UNIX = 2,          /**< a date since 1990, while the reference is none */
    SNT_LOOKS_SIMULATED = 3,     /**< below 1e7 s: a simulator's clock, or a device's or host's since boot */
    SNT_LOOKS_UPTIME = 4,        /**< agrees with the host's uptime */
    SNT_LOOKS_TAI = 5,           /**< ahead by TAI − UTC (37 s since 2017) */
    SNT_LOOKS_UTC_FOR_TAI = 6,   /**< behind by TAI − UTC: the reference is TAI and the stamp UTC */
    SNT_LOOKS_GPS = 7,           /**< ahead by GPS − UTC (18 s since 2017) */
    SNT_LOOKS_UTC_FOR_GPS = 8,   /**< behind by GPS − UTC */
    SNT_LOOKS_TAI_FOR_GPS = 9,   /**< ahead by TAI − GPS (19 s) */
    SNT_LOOKS_GPS_FOR_TAI = 10,  /**< behind by TAI − GPS (19 s) */
    SNT_LOOKS_GPS_EPOCH = 11,    /**< counts from the GPS epoch, 1980-01-06 */
    SNT_LOOKS_GPS_TOW = 12,      /**< GPS time of week */
    SNT_LOOKS_GPS_ROLLOVER = 13, /**< wrong by whole periods of 1024 weeks */
    SNT_LOOKS_TOP_OF_HOUR = 14,  /**< counts from the last full hour */
    SNT_LOOKS_UNSET_RTC = 15,    /**< within days of a date that clocks start with before they are set */
    SNT_LOOKS_TIME_ZONE = 16,    /**< off by whole quarters of an hour: local time taken for UTC */
    SNT_LOOKS_UNIT = 17,         /**< the same date in another unit, see `factor` */
    SNT_LOOKS_FOREIGN = 18       /**< months or years apart and none of the above */
};

/** What the gap between a stamp and a reference is made of. 48 bytes, frozen. */
typedef struct snt_clock_finding {
    snt_duration gap;      /**< stamp − reference; clamped [ns] */
    snt_duration constant; /**< the named part of the gap: 37 s, a time zone, an epoch; 0 = none [ns] */
    snt_duration residual; /**< gap − constant: what is left as offset or delay; clamped [ns] */
    int64_t factor;        /**< SNT_LOOKS_UNIT: the stamp times this is ns; else 1 */
    uint32_t kind;         /**< SNT_LOOKS_* */
    uint32_t comparable; /**< 1: the gap is a time between two readings of one clock; 0: it is not, name it */
    uint64_t reserved;   /**< 0 */
} snt_clock_finding;

/**
 * Name the clock behind a stamp by holding it against a reference such as the time at which a log received it, so that a
 * gap of years is called "simulated time" and one of 36.95 s "TAI", and neither is taken for delay. One pair is evidence,
 * not proof: ask with several, and take what they agree on. O(steps of the leap table).
 *
 * @param      stamp     a finite time, as found [ns]
 * @param      reference a finite time of a clock that is trusted more: receive or log time [ns, unix as a rule]
 * @param      uptime    the host's steady clock at the same moment; SNT_UNKNOWN = not known [ns]
 * @param      tolerance how far from a named constant still counts, i.e. delay and jitter; 0 = 500 ms [ns]
 * @param      table     leap table; NULL = built-in
 * @param[out] out       the finding
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (out is NULL, tolerance < 0, or the table is none), SNT_ERR_RANGE (a time is
 *         infinite)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_classify(snt_time stamp, snt_time reference, snt_time uptime,
                                      snt_duration tolerance, const snt_leap_table *table,
                                      snt_clock_finding *out);

/**
 * What kind of clock a time alone suggests, for a log's own clock before anything is compared with it.
 *
 * @param t a time [ns]
 * @return SNT_LOOKS_ZERO, SNT_LOOKS_SIMULATED (0..1e7 s), SNT_LOOKS_UNSET_RTC (within days of a default date),
 *         SNT_LOOKS_UNIX (1990..2262), else SNT_LOOKS_FOREIGN
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_clock_kind(snt_time t);

/**
 * What a kind means, in a few English words.
 *
 * @param kind one of SNT_LOOKS_*
 * @return static text; "unknown kind of clock" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_clock_kind_text(uint32_t kind);

/**
 * A finding as one line of English with its figures, such as "TAI labelled as UTC: gap 36.950000000 s = 37.000000000 s
 * and -0.050000000 s".
 *
 * @param      finding what ::snt_clock_classify found
 * @param[out] text    cut to fit and always terminated
 * @param      size    of `text`, 192 is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_finding_format(const snt_clock_finding *finding, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_TIMESCALE_H */
