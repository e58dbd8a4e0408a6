/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which point of the feasible set stands for it. Not its centre: packets press on one side only. The rule is fixed, by
 * kind of evidence (docs/clocks.md compares it with other estimators):
 *
 * - The upper line is the one that touches the set at the centroid of the window: for arrivals this is the edge of the
 *   convex hull that minimum-delay methods use. The lower line mirrors it.
 * - Evidence on one side only: that side's line.
 * - Both sides, with least delays declared: between the lines, nearer to a side by the square of how many observations press on it
 *   (the variance of the shortest of n delays goes with 1/n²).
 *   Unless the lines are much farther apart than shortest delays sown this thinly explain: then one of the ways no longer
 *   attains its least delay (a queue filled up), nobody knows which, and it is half way as well.
 * - Both sides, least delays not declared: half way, as the undeclared part is as likely on either side.
 *
 * Both lines are points of the set, and so is every point between them: the estimate lies within the bounds.
 */
#include "map.h"

#include <float.h>
#include <math.h>

/* Lines this many mean gaps apart are no accident: an exponential's minimum is that far off once in 10^13. */
#define MAP_THIN 32

/* Length of the past the estimate looks at [s]: the longer, the more packets come near the least delay (it shrinks like
 * 1/window); the shorter, the less the rate has changed (the error grows with wander·window²). */
static double map_window(const snt_clock_map *map)
{
    const double age = (double)(map->last_device - map->first_device) * 1e-9;
    if (map->wander < 0)
        return 0;
    if (map->wander <= 0)
        return age;
    const double best = cbrt(16 * map->mean_excess * map->mean_interval / map->wander);
    return best < age ? best : age;
}

/* `gap` [ns] between the two lines, `window` [s] they were drawn over. */
static double map_upper_share(const snt_clock_map *map, double gap, double window)
{
    if (map->set.open_hi)
        return 0;
    const double from_above = (double)(map->arrivals + map->exact),
                 from_below = (double)(map->commands + map->exact);
    if (map->set.open_lo || from_below <= 0)
        return 1;
    if (from_above <= 0)
        return 0;
    const bool above_known = map->cfg.delay_min_ns > 0 || !map->arrivals;
    const bool below_known = map->cfg.command_min_ns > 0 || !map->commands;
    if (above_known && below_known) {
        const double above2 = from_above * from_above, below2 = from_below * from_below;
        const double by_number = above2 / (above2 + below2);
        const double thin =
            map->mean_excess * map->mean_interval + map->command_excess * map->command_interval;
        const double grid = 2 * (double)(map->stamp_before + map->stamp_after + map->cfg.host_error_ns);
        const double apart =
            thin > 0 && map->arrivals && map->commands ? (gap - grid) * window / (MAP_THIN * thin) - 1 : 0;
        const double doubt = apart < 0 ? 0 : apart > 1 ? 1 : apart;
        return by_number + (0.5 - by_number) * doubt;
    }
    return above_known ? 1 : below_known ? 0 : 0.5;
}

void snt__map_estimate(snt_clock_map *map)
{
    snt_clock_mapping *m = &map->now;
    const snt__polygon *p = &map->set;
    const double window = map_window(map);
    /* its middle, seen from the anchor: the last cut may be a while ago */
    const double middle = (double)(map->last_device - m->device_anchor_ns) * 1e-9 - window / 2;
    double x[2], y[2], until = window / 16;
    for (int side = 0; side < 2; side++) {
        const uint32_t i = snt__polygon_support(p, middle, side);
        x[side] = p->x[i];
        y[side] = p->y[i];
        /* the line turns to the next vertex when the middle has moved past the edge between them */
        const uint32_t next = i + 1 < p->count ? i + 1 : 0;
        const double turn = -(p->x[next] - p->x[i]) / (p->y[next] - p->y[i]) - middle;
        if (turn > 0 && turn < until)
            until = turn;
        if (window <= 0) { /* no past to tell the rate from: the middle of the outermost edge */
            const uint32_t a = snt__polygon_support(p, -1e-6, side), b = snt__polygon_support(p, 1e-6, side);
            x[side] = (p->x[a] + p->x[b]) / 2;
            y[side] = (p->y[a] + p->y[b]) / 2;
        }
    }
    const double share = map_upper_share(map, x[1] - x[0], window);
    m->estimate_x_ns = share >= 1 ? x[1] : share <= 0 ? x[0] : share * x[1] + (1 - share) * x[0];
    m->estimate_y_ppb = share >= 1 ? y[1] : share <= 0 ? y[0] : share * y[1] + (1 - share) * y[0];
    m->x_min_ns = p->x_min;
    m->x_max_ns = p->x_max;
    m->y_min_ppb = p->y_min;
    m->y_max_ppb = p->y_max;
    const double wait = fmax(fmax(until, window / 1024), 1e-3);
    map->refresh_at = wait < 1e9 ? map->last_device + (int64_t)(wait * 1e9) : INT64_MAX;
}

/*
 * Suspicion below proof. The shortest delay of a window of packets hardly changes; if a whole window stays above all
 * floors seen before, something stepped or the way got longer. A packet far below them is the opposite step.
 */
static bool map_suspect(snt_clock_map *map, bool suspected, double amount)
{
    map->suspicion = suspected ? amount : 0;
    const uint32_t why = map->now.reasons & ~(uint32_t)SNT_CLOCK_WHY_SUSPECT;
    const uint32_t reasons = suspected ? why | SNT_CLOCK_WHY_SUSPECT : why;
    const bool changed = reasons != map->now.reasons;
    map->now.reasons = reasons;
    return changed;
}

/* What floors differ by without any step: resolution, and how thinly the shortest delays are sown. */
static double map_usual(const snt_clock_map *map)
{
    return 1000 + map->mean_excess / 8 +
           2 * (double)(map->stamp_before + map->stamp_after + map->cfg.host_error_ns);
}

enum { MAP_HISTORY = 4, MAP_BATCH = 16 };

static bool map_window_full(snt_clock_map *map)
{
    const double floor = map->window_floor;
    const bool history = map->windows >= MAP_HISTORY;
    map->window_fill = 0;
    if (history && floor > 4 * map->worst_floor + map_usual(map))
        return map_suspect(map, true, floor - map->worst_floor);
    map->worst_floor = fmax(map->worst_floor, floor);
    map->windows += !history;
    return history ? map_suspect(map, false, 0) : false;
}

void snt__map_note_command(snt_clock_map *map, int64_t device, double excess)
{
    const double interval = (double)(device - map->last_command) * 1e-9;
    const double weight = map->commands < 2 ? 1 : map->commands < 16 ? 1.0 / (double)map->commands : 1.0 / 16;
    if (map->commands)
        map->command_interval += (fmax(interval, 0) - map->command_interval) * weight;
    map->command_excess += (fmax(excess, 0) - map->command_excess) * weight;
    map->last_command = device;
}

bool snt__map_note_excess(snt_clock_map *map, int64_t device, double excess)
{
    map->batch_excess += excess;
    if (++map->batch_fill >=
        map->batch_size) { /* means by batches of 1, 2, 4, … 16: little to do per packet */
        const double count = map->batch_fill, weight = map->batch_size < MAP_BATCH ? 0.5 : 1.0 / 16;
        const double interval = (double)(device - map->batch_start) * 1e-9 / count;
        const bool first = map->mean_interval <= 0;
        map->mean_excess += (fmax(map->batch_excess / count, 0) - map->mean_excess) * (first ? 1 : weight);
        map->mean_interval += (fmax(interval, 0) - map->mean_interval) * (first ? 1 : weight);
        map->batch_size = map->batch_size < MAP_BATCH ? 2 * map->batch_size : MAP_BATCH;
        map->batch_fill = 0;
        map->batch_excess = 0;
        map->batch_start = device;
    }
    if (!map->cfg.suspect_window)
        return false;
    if (SNT_UNLIKELY(excess < 0 && map->windows >= MAP_HISTORY &&
                     -excess > 8 * map->worst_floor + map_usual(map))) {
        map->windows = map->window_fill = 0; /* the floors are those of another line from here on */
        map->worst_floor = 0;
        map->window_floor = excess;
        return map_suspect(map, true, -excess);
    }
    map->window_floor = map->window_fill && map->window_floor < excess ? map->window_floor : excess;
    return ++map->window_fill >= map->cfg.suspect_window ? map_window_full(map) : false;
}
