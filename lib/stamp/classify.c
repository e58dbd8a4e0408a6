/* SPDX-License-Identifier: BSD-3-Clause */
/* Naming the clock behind a stamp: constants that turn up in the field when two clocks are taken for one. */
#include "stamp.h"

#include "../base/print.h"

_Static_assert(sizeof(snt_clock_finding) == 48, "frozen");

#define CLASSIFY_S    SNT_NS_PER_S
#define CLASSIFY_DAY  (INT64_C(86400) * CLASSIFY_S)
#define CLASSIFY_WEEK (7 * CLASSIFY_DAY)
#define CLASSIFY_HOUR (INT64_C(3600) * CLASSIFY_S)
#define CLASSIFY_SMALL                                                                                       \
    (INT64_C(10000000) * CLASSIFY_S) /* 115 days: no unix date, but many a simulation and boot */
#define CLASSIFY_SINCE    (INT64_C(631152000) * CLASSIFY_S) /* 1990 */
#define CLASSIFY_TAI_GPS  (SNT_TAI_MINUS_GPS_S * CLASSIFY_S)
#define CLASSIFY_ROLLOVER (1024 * CLASSIFY_WEEK)

/* Dates at which clocks and firmware start when nobody sets them; the first three are also too old for a recording. */
static const int64_t classify_rtc_s[] = {
    315532800,  /* 1980-01-01: FAT, PC BIOS */
    315964800,  /* 1980-01-06: GPS week 0 */
    946684800,  /* 2000-01-01: most RTC chips */
    935280000,  /* 1999-08-22: GPS after its first rollover */
    1104537600, /* 2005-01-01 */
    1262304000, /* 2010-01-01 */
    1483228800, /* 2017-01-01: Hesai without PTP */
    1577836800, /* 2020-01-01: the same, later firmware */
};
#define CLASSIFY_RTC_CERTAIN 3

static bool classify_rtc(snt_time t, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const snt_time date = classify_rtc_s[i] * CLASSIFY_S;
        if (t >= date - CLASSIFY_DAY && t < date + 30 * CLASSIFY_DAY)
            return true;
    }
    return false;
}

uint32_t snt_clock_kind(snt_time t)
{
    if (t == 0)
        return SNT_LOOKS_ZERO;
    if (t < 0 || !snt__time_finite(t))
        return SNT_LOOKS_FOREIGN;
    if (t < CLASSIFY_SMALL)
        return SNT_LOOKS_SIMULATED;
    if (classify_rtc(t, CLASSIFY_RTC_CERTAIN))
        return SNT_LOOKS_UNSET_RTC;
    return t >= CLASSIFY_SINCE ? SNT_LOOKS_UNIX : SNT_LOOKS_FOREIGN;
}

typedef struct classify_work {
    snt_time stamp;
    snt_time reference;
    snt_duration gap;
    snt_duration tolerance;
    int64_t leap; /* TAI − UTC at the reference [ns]; 0 = unknown there */
    snt_clock_finding *out;
} classify_work;

static bool classify_near(const classify_work *w, snt_duration x)
{
    return x >= -w->tolerance && x <= w->tolerance;
}

/* Always true, so that tests can be chained. */
static bool classify_found(classify_work *w, uint32_t kind, snt_duration residual, int64_t factor)
{
    w->out->kind = kind;
    w->out->residual = residual;
    w->out->constant = snt_time_sub_sat(w->gap, residual);
    w->out->factor = factor;
    w->out->comparable = 0;
    return true;
}

/* `kind` if the gap is this constant, up to the tolerance */
static bool classify_gap(classify_work *w, snt_duration constant, uint32_t kind)
{
    const snt_duration residual = snt_time_sub_sat(w->gap, constant);
    return classify_near(w, residual) && classify_found(w, kind, residual, 1);
}

/* `kind` if both agree modulo the period */
static bool classify_modulo(classify_work *w, snt_time reference, snt_duration period, uint32_t kind)
{
    if (w->stamp > period + w->tolerance)
        return false;
    snt_duration off = (w->stamp % period - reference % period) % period;
    if (off > period / 2)
        off -= period;
    else if (off < -period / 2)
        off += period;
    return classify_near(w, off) && classify_found(w, kind, off, 1);
}

/* The stamp counts µs, ms or s although it is taken for ns. */
static bool classify_unit(classify_work *w)
{
    for (int64_t factor = 1000; factor <= CLASSIFY_S; factor *= 1000) {
        const snt_time scaled = snt_duration_mul_sat(w->stamp, factor);
        const snt_duration residual = snt_time_sub_sat(scaled, w->reference);
        if (residual >= -w->tolerance - factor && residual <= w->tolerance + factor)
            return classify_found(w, SNT_LOOKS_UNIT, residual, factor);
    }
    return false;
}

/* A stamp below 115 days against a date. */
static bool classify_small(classify_work *w, snt_time uptime)
{
    if (w->stamp < 0 || w->stamp >= CLASSIFY_SMALL)
        return false;
    if (uptime != SNT_UNKNOWN && classify_near(w, snt_time_sub_sat(w->stamp, uptime)))
        return classify_found(w, SNT_LOOKS_UPTIME, snt_time_sub_sat(w->stamp, uptime), 1);
    const snt_duration epoch = SNT_GPS_EPOCH_UNIX_S * CLASSIFY_S - (w->leap ? w->leap - CLASSIFY_TAI_GPS : 0);
    const snt_time gps = snt_time_sub_sat(w->reference, epoch);
    return classify_unit(w) || classify_modulo(w, w->reference, CLASSIFY_HOUR, SNT_LOOKS_TOP_OF_HOUR) ||
           (gps > 0 && classify_modulo(w, gps, CLASSIFY_WEEK, SNT_LOOKS_GPS_TOW)) ||
           classify_found(w, SNT_LOOKS_SIMULATED, 0, 1);
}

/* TAI, GPS and UTC labelled as one another. */
static bool classify_scale(classify_work *w)
{
    if (!w->leap)
        return false;
    return classify_gap(w, w->leap, SNT_LOOKS_TAI) || classify_gap(w, -w->leap, SNT_LOOKS_UTC_FOR_TAI) ||
           classify_gap(w, w->leap - CLASSIFY_TAI_GPS, SNT_LOOKS_GPS) ||
           classify_gap(w, CLASSIFY_TAI_GPS - w->leap, SNT_LOOKS_UTC_FOR_GPS) ||
           classify_gap(w, CLASSIFY_TAI_GPS, SNT_LOOKS_TAI_FOR_GPS) ||
           classify_gap(w, -CLASSIFY_TAI_GPS, SNT_LOOKS_GPS_FOR_TAI);
}

static bool classify_zone(classify_work *w)
{
    const int64_t quarter = CLASSIFY_HOUR / 4;
    const int64_t n = (w->gap + (w->gap < 0 ? -quarter / 2 : quarter / 2)) / quarter;
    return n != 0 && n >= -48 && n <= 56 && classify_gap(w, n * quarter, SNT_LOOKS_TIME_ZONE);
}

/* Gaps of years. */
static bool classify_epoch(classify_work *w)
{
    const int64_t gps_ahead = w->leap ? w->leap - CLASSIFY_TAI_GPS : 0;
    if (classify_gap(w, gps_ahead - SNT_GPS_EPOCH_UNIX_S * CLASSIFY_S, SNT_LOOKS_GPS_EPOCH) ||
        classify_gap(w, -SNT_GPS_EPOCH_UNIX_S * CLASSIFY_S, SNT_LOOKS_GPS_EPOCH))
        return true;
    for (int64_t k = -3; k <= 3; k++)
        if (k != 0 && classify_gap(w, k * CLASSIFY_ROLLOVER, SNT_LOOKS_GPS_ROLLOVER))
            return true;
    return classify_rtc(w->stamp, SNT_COUNT_OF(classify_rtc_s)) &&
           classify_found(w, SNT_LOOKS_UNSET_RTC, 0, 1);
}

static void classify_run(classify_work *w, snt_time uptime)
{
    const bool far = w->gap > CLASSIFY_SMALL || w->gap < -CLASSIFY_SMALL;
    *w->out = (snt_clock_finding){
        .gap = w->gap, .residual = w->gap, .factor = 1, .kind = SNT_LOOKS_SAME, .comparable = 1};
    if (classify_near(w, w->gap))
        return;
    if (w->stamp == 0) {
        classify_found(w, SNT_LOOKS_ZERO, 0, 1);
        return;
    }
    if (w->reference >= 0 && w->reference < CLASSIFY_SMALL) { /* the reference itself is no date */
        if (far)
            classify_found(w, snt_clock_kind(w->stamp), 0, 1);
        return;
    }
    if (far ? classify_small(w, uptime) || classify_epoch(w) : classify_scale(w) || classify_zone(w))
        return;
    if (far)
        classify_found(w, SNT_LOOKS_FOREIGN, 0, 1);
}

snt_status snt_clock_classify(snt_time stamp, snt_time reference, snt_time uptime, snt_duration tolerance,
                              const snt_leap_table *table, snt_clock_finding *out)
{
    int32_t leap;
    if (!out || tolerance < 0 || !snt__leap_table(table))
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(stamp) || !snt__time_finite(reference))
        return SNT_ERR_RANGE;
    classify_work work = {.stamp = stamp,
                          .reference = reference,
                          .gap = snt_time_sub_sat(stamp, reference),
                          .tolerance = tolerance ? tolerance : 500 * SNT_NS_PER_MS,
                          .out = out};
    if (work.tolerance > CLASSIFY_DAY) /* wider would make everything near something */
        work.tolerance = CLASSIFY_DAY;
    if (snt_leap_table_offset(table, reference, &leap, NULL) == SNT_OK)
        work.leap = leap * CLASSIFY_S;
    classify_run(&work, uptime);
    return SNT_OK;
}

const char *snt_clock_kind_text(uint32_t kind)
{
    static const char *const texts[] = {
        "same clock",
        "zero, most likely an unfilled header",
        "unix time",
        "simulated time or time since boot",
        "time since the host booted",
        "TAI labelled as UTC",
        "UTC labelled as TAI",
        "GPS time labelled as UTC",
        "UTC labelled as GPS time",
        "TAI labelled as GPS time",
        "GPS time labelled as TAI",
        "counted from the GPS epoch 1980-01-06",
        "GPS time of week",
        "wrong by whole GPS rollovers of 1024 weeks",
        "counted from the top of the hour",
        "a clock that was never set",
        "local time labelled as UTC",
        "another unit than nanoseconds",
        "a foreign clock",
    };
    return kind < SNT_COUNT_OF(texts) ? texts[kind] : "unknown kind of clock";
}

/* Kinds whose gap is whatever it happens to be. */
static bool classify_has_no_constant(uint32_t kind)
{
    return kind == SNT_LOOKS_ZERO || kind == SNT_LOOKS_UNIX || kind == SNT_LOOKS_SIMULATED ||
           kind == SNT_LOOKS_UNSET_RTC || kind == SNT_LOOKS_FOREIGN;
}

snt_status snt_clock_finding_format(const snt_clock_finding *finding, char *text, size_t size)
{
    if (!finding || !text)
        return SNT_ERR_INVALID_ARG;
    const bool no_delay =
        !finding->comparable && finding->residual == 0 && classify_has_no_constant(finding->kind);
    snt__printer out = snt__print_begin(text, size);
    snt__print_string(&out, snt_clock_kind_text(finding->kind));
    snt__print_string(&out, no_delay ? ": the gap of " : ": gap ");
    snt__print_time(&out, finding->gap);
    if (no_delay) {
        snt__print_string(&out, " is no delay");
    } else if (!finding->comparable && finding->kind == SNT_LOOKS_UNIT) {
        snt__print_string(&out, "; times ");
        snt__print_integer(&out, finding->factor);
        snt__print_string(&out, " the gap is ");
        snt__print_time(&out, finding->residual);
    } else if (!finding->comparable) {
        snt__print_string(&out, " = ");
        snt__print_time(&out, finding->constant);
        snt__print_string(&out, " and ");
        snt__print_time(&out, finding->residual);
    }
    return snt__print_end(&out);
}

#undef CLASSIFY_S
#undef CLASSIFY_DAY
#undef CLASSIFY_WEEK
#undef CLASSIFY_HOUR
#undef CLASSIFY_SMALL
#undef CLASSIFY_SINCE
#undef CLASSIFY_TAI_GPS
#undef CLASSIFY_ROLLOVER
#undef CLASSIFY_RTC_CERTAIN
