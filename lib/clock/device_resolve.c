/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which reading a raw counter stands for. First by a wide window around where the counter must be by now, wide enough that
 * a small step of a clock reaches the map, which proves it with an amount; only where that window holds two rollovers is
 * the map's own prediction asked.
 */
#include "device.h"

#include <math.h>

static int64_t device_clamp(double v)
{
    const double limit = 0x1p62;
    return (int64_t)(v > limit ? limit : v < -limit ? -limit : v);
}

/* [at − before, at + after], clamped. */
static snt_interval device_around(int64_t at, double before, double after)
{
    const int64_t limit = SNT__MAP_TIME_LIMIT, lo = device_clamp(ceil(before)),
                  hi = device_clamp(ceil(after));
    return (snt_interval){at < -limit + lo ? -limit : at - lo, at > limit - hi ? limit : at + hi};
}

/* Where the reading must be at host time `host`, given an earlier pair. */
static snt_interval device_window(const snt_device_clock *clock, const snt__device_pair *from, int64_t host)
{
    const double rate = (double)clock->cfg.rate_bound_ppb * 1e-9;
    const double elapsed = (double)(host - from->host), slack = (double)clock->latency * (1 + rate);
    const double early = elapsed >= 0 ? elapsed * (1 - rate) : elapsed * (1 + rate);
    const double late = elapsed >= 0 ? elapsed * (1 + rate) : elapsed * (1 - rate);
    return device_around(from->device, slack - early, late + slack);
}

/* The map's own prediction, where it has both sides. */
static bool device_narrow(const snt_device_clock *clock, int64_t host, snt_interval *window)
{
    snt_bounded_time early, late;
    snt_clock_mapping open = clock->map->now;
    open.horizon_ns = SNT_UNKNOWN;
    const uint32_t both = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    if ((open.flags & both) != both ||
        snt__mapping_to_device(&open, host - clock->latency, &early) != SNT_OK ||
        snt__mapping_to_device(&open, host + clock->latency, &late) != SNT_OK)
        return false;
    window->lo = early.lo > window->lo ? early.lo : window->lo;
    window->hi = late.hi < window->hi ? late.hi : window->hi;
    return window->lo <= window->hi;
}

static bool device_host_ok(int64_t host)
{
    return host < SNT__MAP_TIME_LIMIT / 2 && host > -SNT__MAP_TIME_LIMIT / 2;
}

static void device_count_refusal(snt_device_clock *clock, snt_status status)
{
    snt_device_health *n = &clock->count;
    n->duplicates += status == SNT_ERR_DUPLICATE;
    n->backward += status == SNT_ERR_BACKWARD;
    n->ambiguous += status == SNT_ERR_AMBIGUOUS;
    n->reset_suspects += status == SNT_ERR_RESET_SUSPECT;
    n->out_of_range += status == SNT_ERR_RANGE;
}

snt_status snt__device_resolve(snt_device_clock *clock, const snt__unwrap *u, uint64_t raw, int64_t host,
                               snt_tick_reading *out)
{
    if (host != SNT_UNKNOWN && !device_host_ok(host))
        return SNT_ERR_OVERFLOW;
    snt_status status;
    if (host == SNT_UNKNOWN) {
        status = snt__unwrap_peek(u, raw, NULL, out);
    } else if (clock->cfg.locked_error_ns != SNT_UNKNOWN) {
        const double error = (double)clock->cfg.locked_error_ns;
        const int64_t offset = clock->cfg.locked_offset_ns;
        if (!device_host_ok(offset))
            return SNT_ERR_OVERFLOW;
        const snt_interval window = device_around(host - offset, error + (double)clock->latency, error);
        status = snt__unwrap_peek(u, raw, &window, out);
    } else if (clock->last.known) {
        snt_interval window = device_window(clock, &clock->last, host);
        status = snt__unwrap_peek(u, raw, &window, out);
        if (status == SNT_ERR_AMBIGUOUS && device_narrow(clock, host, &window))
            status = snt__unwrap_peek(u, raw, &window, out);
    } else {
        status = snt__unwrap_peek(u, raw, NULL, out);
    }
    device_count_refusal(clock, status);
    return status;
}

void snt__device_accepted(snt_device_clock *clock, int64_t device, int64_t host)
{
    if (clock->last.known && device < clock->last.device)
        return; /* only a counter that goes on refutes a restart */
    clock->fresh_count = 0;
    clock->fresh_last.known = false;
    if (host == SNT_UNKNOWN)
        return;
    clock->last = (snt__device_pair){true, device, host};
}

/* Does the raw counter go on from the newest reading as if nothing had happened? Then it is the host that stepped. */
static bool device_counter_continues(const snt_device_clock *clock, uint64_t raw)
{
    snt_tick_reading reading;
    const snt_status status = snt__unwrap_peek(&clock->arrivals, raw, NULL, &reading);
    return status == SNT_OK && reading.step_ns <= clock->latency;
}

bool snt__device_suspected(const snt_device_clock *clock, uint64_t raw)
{
    return clock->fresh_count && clock->fresh_raw == raw;
}

/*
 * Do the suspects advance as host time does, to within a factor of two? Readings behind the newest may be packets that were
 * overtaken together. Those come in a burst, and the counter goes on soon after; what a restarted device sends keeps pace.
 */
static bool device_keeps_pace(const snt__device_pair *first, const snt__device_pair *last)
{
    const int64_t device = last->device - first->device, host = last->host - first->host;
    return device > 0 && host > 0 && device / 2 <= host && host / 2 <= device;
}

void snt__device_suspect(snt_device_clock *clock, uint64_t raw, int64_t host, snt_status why)
{
    if (!device_host_ok(host))
        return;
    snt_tick_reading reading;
    snt_status status = SNT_ERR_RESET_SUSPECT;
    if (clock->fresh_count) {
        const snt_interval window = device_window(clock, &clock->fresh_last, host);
        status = snt__unwrap_peek(&clock->fresh, raw, &window, &reading);
    }
    if (status != SNT_OK) { /* does not continue the one before either: begin anew with this one */
        clock->fresh_count = 0;
        snt__unwrap_restart(&clock->fresh);
        if (snt__unwrap_peek(&clock->fresh, raw, NULL, &reading) != SNT_OK)
            return;
    }
    snt__unwrap_commit(&clock->fresh, &reading);
    clock->fresh_raw = raw;
    clock->fresh_last = (snt__device_pair){true, reading.device_ns, host};
    if (!clock->fresh_count)
        clock->fresh_first = clock->fresh_last;
    clock->fresh_count += clock->fresh_count < UINT32_MAX;
    if (clock->fresh_count < clock->cfg.reset_confirm)
        return;
    if (why == SNT_ERR_BACKWARD && !device_keeps_pace(&clock->fresh_first, &clock->fresh_last))
        return;
    uint32_t reason = SNT_CLOCK_WHY_COUNTER_RESET;
    clock->restart_reason = SNT_EPOCH_COUNTER_RESET;
    if (why == SNT_ERR_AMBIGUOUS) {
        reason = SNT_CLOCK_WHY_AMBIGUOUS;
    } else if (device_counter_continues(clock, raw)) {
        reason = SNT_CLOCK_WHY_HOST_STEP;
        clock->restart_reason = SNT_EPOCH_HOST_STEP;
    }
    snt__map_set_state(clock->map, SNT_CLOCK_INVALID, reason);
}
