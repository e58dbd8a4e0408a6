/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwrap.h"

#include "../base/memory.h"

struct snt_tick_unwrapper {
    snt_allocator allocator;
    snt__unwrap core;
};

_Static_assert(sizeof(snt_tick_reading) == 32, "frozen");

static const snt_tick_unwrapper_config unwrap_defaults = {
    .struct_size = sizeof(snt_tick_unwrapper_config), .counter_bits = 64, .tick_num_ns = 1, .tick_den = 1};

void snt_tick_unwrapper_config_init(snt_tick_unwrapper_config *cfg, size_t size)
{
    snt__config_init(cfg, size, &unwrap_defaults, sizeof unwrap_defaults);
}

snt_status snt_tick_unwrapper_config_preset(snt_tick_unwrapper_config *cfg, size_t size, uint32_t preset)
{
    static const struct {
        uint32_t bits;
        uint64_t modulus;
        int64_t num;
    } presets[] = {
        [SNT_TICKS_U64_NS] = {64, 0, 1},
        [SNT_TICKS_U32_US] = {32, 0, 1000},
        [SNT_TICKS_U32_NS] = {32, 0, 1},
        [SNT_TICKS_U32_MS] = {32, 0, 1000000},
        [SNT_TICKS_U24_MS] = {24, 0, 1000000},
        [SNT_TICKS_TOP_OF_HOUR_US] = {0, UINT64_C(3600000000), 1000},
        [SNT_TICKS_GPS_WEEK_MS] = {0, UINT64_C(604800000), 1000000},
        [SNT_TICKS_PPS_SECOND_NS] = {0, UINT64_C(1000000000), 1},
    };
    if (!cfg || size < SNT_END_OF(snt_tick_unwrapper_config, reorder_ticks) ||
        preset >= SNT_COUNT_OF(presets))
        return SNT_ERR_INVALID_ARG;
    snt_tick_unwrapper_config_init(cfg, size);
    cfg->counter_bits = presets[preset].bits;
    cfg->modulus = presets[preset].modulus;
    cfg->tick_num_ns = presets[preset].num;
    return SNT_OK;
}

snt_status snt__unwrap_init(snt__unwrap *u, const snt_tick_unwrapper_config *cfg)
{
    if (cfg->tick_num_ns <= 0 || cfg->tick_den <= 0 || (!cfg->modulus && (cfg->counter_bits - 1u) > 63u))
        return SNT_ERR_INVALID_ARG;
    uint64_t modulus = cfg->modulus;
    if (!modulus && cfg->counter_bits < 64)
        modulus = UINT64_C(1) << cfg->counter_bits;
    if (modulus > (uint64_t)INT64_MAX)
        modulus = 0; /* such a counter does not roll over in its device's lifetime */
    if (modulus == 1 || cfg->reorder_ticks >= (modulus ? (modulus + 1) / 2 : (uint64_t)INT64_MAX))
        return SNT_ERR_INVALID_ARG;
    *u = (snt__unwrap){
        .modulus = modulus, .num = cfg->tick_num_ns, .den = cfg->tick_den, .reorder = cfg->reorder_ticks};
    if (!modulus || !snt__scale_floor((int64_t)modulus, u->num, u->den, &u->period_ns))
        u->period_ns = SNT_UNKNOWN;
    return SNT_OK;
}

/* floor(a/b) for b > 0 */
static int64_t unwrap_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* a − b where that fits, else the nearest end of the range */
static int64_t unwrap_sub_sat(int64_t a, int64_t b)
{
    if (b > 0 && a < INT64_MIN + b)
        return INT64_MIN;
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    return a - b;
}

/* The one candidate raw + k·M within [lo, hi] ticks. */
static snt_status unwrap_by_prediction(const snt__unwrap *u, uint64_t raw, const snt_interval *predicted,
                                       int64_t *ticks)
{
    int64_t lo, hi;
    if (predicted->lo > predicted->hi)
        return SNT_ERR_INVALID_ARG;
    if (u->modulus && (uint64_t)predicted->hi - (uint64_t)predicted->lo >= (uint64_t)u->period_ns)
        return SNT_ERR_AMBIGUOUS;
    /* Whole ticks, and one more on either side for devices that round instead of cutting off. */
    lo = snt__scale_floor(predicted->lo, u->den, u->num, &lo) ? unwrap_sub_sat(lo, 1)
         : predicted->lo < 0                                  ? INT64_MIN
                                                              : INT64_MAX;
    hi = snt__scale_floor(predicted->hi, u->den, u->num, &hi) ? unwrap_sub_sat(hi, -1)
         : predicted->hi < 0                                  ? INT64_MIN
                                                              : INT64_MAX;
    if (!u->modulus) {
        const int64_t value = (int64_t)raw;
        if (value < lo || value > hi)
            return SNT_ERR_RESET_SUSPECT;
        *ticks = value;
        return SNT_OK;
    }
    const int64_t m = (int64_t)u->modulus, value = (int64_t)raw;
    const int64_t k = unwrap_floor_div(unwrap_sub_sat(hi, value), m); /* last candidate not beyond hi */
    if (k > (INT64_MAX - value) / m || k <= INT64_MIN / m)
        return SNT_ERR_OVERFLOW;
    const int64_t last = value + k * m;
    if (last < lo)
        return SNT_ERR_RESET_SUSPECT;
    if (unwrap_sub_sat(last, m) >= lo)
        return SNT_ERR_AMBIGUOUS;
    *ticks = last;
    return SNT_OK;
}

/* Without a prediction: the step from the newest reading, in [−reorder, M/2). */
static snt_status unwrap_by_continuity(const snt__unwrap *u, uint64_t raw, int64_t *ticks)
{
    if (!u->recent_count) {
        *ticks = (int64_t)raw;
        return SNT_OK;
    }
    if (!u->modulus) {
        if ((int64_t)raw < unwrap_sub_sat(u->newest, (int64_t)u->reorder))
            return SNT_ERR_RESET_SUSPECT;
        *ticks = (int64_t)raw;
        return SNT_OK;
    }
    const int64_t m = (int64_t)u->modulus;
    const int64_t newest_raw = u->newest - unwrap_floor_div(u->newest, m) * m;
    int64_t step = (int64_t)raw - newest_raw;
    if (step < 0)
        step += m;
    if ((uint64_t)step >= u->modulus - u->reorder)
        step -= m;
    else if (step >= m - step)
        return SNT_ERR_AMBIGUOUS; /* as well a step back beyond the window */
    if (step > 0 && u->newest > INT64_MAX - step)
        return SNT_ERR_OVERFLOW;
    *ticks = u->newest + step;
    return SNT_OK;
}

snt_status snt__unwrap_peek(const snt__unwrap *u, uint64_t raw, const snt_interval *predicted,
                            snt_tick_reading *out)
{
    if (raw >= (u->modulus ? u->modulus : (uint64_t)INT64_MAX))
        return SNT_ERR_RANGE;
    snt_tick_reading reading = {0};
    const snt_status status = predicted ? unwrap_by_prediction(u, raw, predicted, &reading.ticks)
                                        : unwrap_by_continuity(u, raw, &reading.ticks);
    if (status < 0)
        return status;
    if (!snt__scale_floor(reading.ticks, u->num, u->den, &reading.device_ns))
        return SNT_ERR_OVERFLOW;
    if (predicted)
        reading.flags |= SNT_TICK_PREDICTED;
    if (!u->recent_count) {
        reading.flags |= SNT_TICK_FIRST;
        *out = reading;
        return SNT_OK;
    }
    for (uint32_t i = 0; i < u->recent_count; i++)
        if (u->recent[i] == reading.ticks)
            return SNT_ERR_DUPLICATE;
    const int64_t step = unwrap_sub_sat(reading.ticks, u->newest);
    if (step < 0 && (uint64_t)0 - (uint64_t)step > u->reorder)
        return SNT_ERR_BACKWARD;
    int64_t newest_ns;
    if (!snt__scale_floor(u->newest, u->num, u->den, &newest_ns))
        return SNT_ERR_OVERFLOW;
    reading.step_ns = unwrap_sub_sat(reading.device_ns, newest_ns);
    if (step < 0)
        reading.flags |= SNT_TICK_REORDERED;
    else if (u->modulus && unwrap_floor_div(reading.ticks, (int64_t)u->modulus) !=
                               unwrap_floor_div(u->newest, (int64_t)u->modulus))
        reading.flags |= SNT_TICK_WRAPPED;
    *out = reading;
    return SNT_OK;
}

void snt__unwrap_commit(snt__unwrap *u, const snt_tick_reading *reading)
{
    if (!u->recent_count || reading->ticks > u->newest)
        u->newest = reading->ticks;
    u->recent[u->recent_next] = reading->ticks;
    u->recent_next = (u->recent_next + 1) % SNT__UNWRAP_REMEMBERED;
    if (u->recent_count < SNT__UNWRAP_REMEMBERED)
        u->recent_count++;
}

void snt__unwrap_restart(snt__unwrap *u)
{
    u->recent_count = 0;
    u->recent_next = 0;
    u->newest = 0;
}

snt_status snt_tick_unwrapper_create(const snt_tick_unwrapper_config *given, const snt_allocator *allocator,
                                     snt_tick_unwrapper **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_tick_unwrapper_config cfg = unwrap_defaults;
    snt_status status =
        snt__config_read(&cfg, sizeof cfg, SNT_END_OF(snt_tick_unwrapper_config, reorder_ticks), given);
    snt__unwrap core;
    if (status == SNT_OK)
        status = snt__unwrap_init(&core, &cfg);
    snt_allocator memory;
    if (status == SNT_OK)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt_tick_unwrapper *unwrapper = snt__alloc(&memory, sizeof *unwrapper, SNT_CACHE_LINE);
    if (!unwrapper)
        return SNT_ERR_NO_MEMORY;
    unwrapper->allocator = memory;
    unwrapper->core = core;
    *out = unwrapper;
    return SNT_OK;
}

void snt_tick_unwrapper_destroy(snt_tick_unwrapper *unwrapper)
{
    if (!unwrapper)
        return;
    const snt_allocator memory = unwrapper->allocator;
    snt__free(&memory, unwrapper);
}

snt_status snt_tick_unwrapper_peek(const snt_tick_unwrapper *unwrapper, uint64_t raw,
                                   const snt_interval *predicted, snt_tick_reading *out)
{
    if (!unwrapper || !out)
        return SNT_ERR_INVALID_ARG;
    return snt__unwrap_peek(&unwrapper->core, raw, predicted, out);
}

snt_status snt_tick_unwrapper_accept(snt_tick_unwrapper *unwrapper, uint64_t raw,
                                     const snt_interval *predicted, snt_tick_reading *out)
{
    const snt_status status = snt_tick_unwrapper_peek(unwrapper, raw, predicted, out);
    if (status == SNT_OK)
        snt__unwrap_commit(&unwrapper->core, out);
    return status;
}

void snt_tick_unwrapper_restart(snt_tick_unwrapper *unwrapper)
{
    if (unwrapper)
        snt__unwrap_restart(&unwrapper->core);
}

snt_status snt_tick_unwrapper_period(const snt_tick_unwrapper *unwrapper, int64_t *out)
{
    if (!unwrapper || !out)
        return SNT_ERR_INVALID_ARG;
    *out = unwrapper->core.period_ns;
    return SNT_OK;
}
