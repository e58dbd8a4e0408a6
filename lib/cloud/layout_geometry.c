/* SPDX-License-Identifier: BSD-3-Clause */
/* What the directions of the points say about their times. */
#include "layout.h"

#include <math.h>

enum { GEOMETRY_RESTARTS = 8 }; /* fewer are rings of a small device, or several devices */

#define GEOMETRY_TURN 6.283185307179586

/* Azimuth of a point, or NaN where it was not hit. */
static double geometry_azimuth(const snt__scan *scan, const snt_point_layout *layout, uint64_t i)
{
    const unsigned char *at = snt__scan_point(scan, i);
    const double x = snt__element_f64(at + layout->x.offset, layout->x.type, scan->big_endian);
    const double y = snt__element_f64(at + layout->y.offset, layout->y.type, scan->big_endian);
    if (!isfinite(x) || !isfinite(y) || (x == 0 && y == 0))
        return (double)NAN;
    return atan2(y, x);
}

/* Smallest signed way from one azimuth to another. */
static double geometry_turn(double from, double to)
{
    double turn = to - from;
    if (turn > GEOMETRY_TURN / 2)
        turn -= GEOMETRY_TURN;
    else if (turn < -GEOMETRY_TURN / 2)
        turn += GEOMETRY_TURN;
    return turn;
}

/* Directions in which the scan saw anything, in 64ths of a round. */
static double geometry_coverage(const snt__scan *scan, const snt_point_layout *layout)
{
    uint64_t seen = 0;
    int bins = 0;
    for (uint64_t i = 0; i < scan->count; i++) {
        const double azimuth = geometry_azimuth(scan, layout, i);
        if (isfinite(azimuth))
            seen |= UINT64_C(1) << ((int)((azimuth / GEOMETRY_TURN + 1) * 64) & 63);
    }
    for (; seen; seen &= seen - 1)
        bins++;
    return GEOMETRY_TURN * bins / 64;
}

/* The sector that one run of rising times sees, as its azimuths are followed from point to point. */
typedef struct geometry_run {
    double previous, at, least, most;
    bool any;
} geometry_run;

static void geometry_follow(geometry_run *run, double azimuth)
{
    if (run->any)
        run->at += geometry_turn(run->previous, azimuth);
    run->any = true;
    run->previous = azimuth;
    run->least = run->at < run->least ? run->at : run->least;
    run->most = run->at > run->most ? run->at : run->most;
}

/*
 * Runs of rising times are packets if each sees a small part of what the scan sees, and rings if each sees all of it.
 */
static bool geometry_runs_are_sectors(const snt__scan *scan, const snt__column *column,
                                      const snt_point_layout *layout, const snt__series *series,
                                      const snt__measure *m)
{
    const double half = (m->hi - m->lo) / 2;
    double previous = 0, seen = 0;
    uint64_t runs = 1;
    geometry_run run = {0};
    for (uint64_t i = 0; i < scan->count; i++) {
        const double value = snt__column_value(scan, column, series->type, i);
        const double azimuth = geometry_azimuth(scan, layout, i);
        if (i && previous - value > half) {
            seen += run.most - run.least;
            runs++;
            run = (geometry_run){0};
        }
        if (isfinite(azimuth))
            geometry_follow(&run, azimuth);
        previous = value;
    }
    seen += run.most - run.least;
    return seen / (double)runs < geometry_coverage(scan, layout) / 3;
}

/* A ring-major cloud keeps the ring within a run; a packet holds many rings. */
static bool geometry_runs_are_rings(const snt__scan *scan, const snt_point_layout *layout)
{
    uint64_t same = 0;
    double previous = -1, rings[SNT__LAYOUT_BLOCK];
    for (uint64_t first = 0; first < scan->count; first += SNT__LAYOUT_BLOCK) {
        const uint64_t left = scan->count - first, n = left < SNT__LAYOUT_BLOCK ? left : SNT__LAYOUT_BLOCK;
        snt__scan_values(scan, layout->ring, first, n, rings);
        for (uint64_t i = 0; i < n; i++) {
            same += rings[i] == previous;
            previous = rings[i];
        }
    }
    return same * 10 > scan->count * 8;
}

bool snt__is_per_packet(const snt__scan *scan, const snt__column *column, const snt_point_layout *layout,
                        const snt__series *series, const snt__measure *m)
{
    if (m->restarts < GEOMETRY_RESTARTS || m->restarts * 3 > scan->count)
        return false;
    if (layout->ring.type != SNT_TYPE_NONE && geometry_runs_are_rings(scan, layout))
        return false;
    if (layout->x.type == SNT_TYPE_NONE || layout->y.type == SNT_TYPE_NONE)
        return layout->ring.type != SNT_TYPE_NONE; /* rings mix within the runs */
    return geometry_runs_are_sectors(scan, column, layout, series, m);
}

/* Whole turns that the azimuth makes from point to point, if it hardly ever turns back. */
static bool geometry_goes_round(const snt__scan *scan, const snt_point_layout *layout)
{
    double sum = 0, length = 0, previous = (double)NAN;
    for (uint64_t i = 0; i < scan->count; i++) {
        const double azimuth = geometry_azimuth(scan, layout, i);
        if (isfinite(azimuth) && isfinite(previous)) {
            const double turn = geometry_turn(previous, azimuth);
            sum += turn;
            length += fabs(turn);
        }
        previous = isfinite(azimuth) ? azimuth : previous;
    }
    return fabs(sum) > 0.8 * GEOMETRY_TURN && fabs(sum) < 1.2 * GEOMETRY_TURN && length < 1.5 * fabs(sum);
}

/* LOAM keeps ring + scan_period·t in the intensity: fractions below a fifth that rise along each ring. */
static bool geometry_intensity_is_time(const snt__scan *scan, snt_layout_field field)
{
    uint64_t rising = 0, pairs = 0;
    double least = 1, most = 0, previous = 0, previous_ring = -1;
    for (uint64_t i = 0; i < scan->count; i++) {
        const double value =
            snt__element_f64(snt__scan_point(scan, i) + field.offset, field.type, scan->big_endian);
        if (!(value >= 0 && value < 256))
            return false;
        const double ring = floor(value), fraction = value - ring;
        if (fraction > 0.21)
            return false;
        least = fraction < least ? fraction : least;
        most = fraction > most ? fraction : most;
        if (ring == previous_ring) {
            pairs++;
            rising += fraction >= previous;
        }
        previous = fraction;
        previous_ring = ring;
    }
    return scan->count >= 16 && most - least > 0.01 && pairs * 2 > scan->count && rising * 10 > pairs * 9;
}

uint64_t snt__layout_hints(const snt_point_field *fields, uint32_t count, const snt__scan *scan,
                           const snt_point_layout *layout)
{
    uint64_t hints = 0;
    const int32_t intensity = snt__fields_find(fields, count, "intensity");
    if (intensity >= 0 && fields[intensity].datatype == SNT_TYPE_F32 &&
        geometry_intensity_is_time(scan, (snt_layout_field){fields[intensity].offset, SNT_TYPE_F32}))
        hints |= SNT_LAYOUT_EVIDENCE(HINT_INTENSITY_TIME);
    if (layout->x.type != SNT_TYPE_NONE && layout->y.type != SNT_TYPE_NONE && scan->count >= 16 &&
        geometry_goes_round(scan, layout))
        hints |= SNT_LAYOUT_EVIDENCE(HINT_AZIMUTH);
    return hints;
}

#undef GEOMETRY_TURN
