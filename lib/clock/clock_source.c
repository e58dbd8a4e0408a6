/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's clocks, a simulated one, and deadlines. The only file of the library that reads a clock. */
#include "../base/internal.h"

#include <time.h>

#include "../base/lock.h"
#include "../base/memory.h"
#include "../base/wide.h"

#include "sensortime/clock_source.h"

_Static_assert(sizeof(snt_clock_source_state) == 56, "frozen");
_Static_assert(sizeof(snt_deadline) == 16, "frozen");

/* ---- the host's clocks ---- */

#if defined(_WIN32)
snt_status snt_clock_system_now(snt_time *now)
{
    FILETIME file;
    if (!now)
        return SNT_ERR_INVALID_ARG;
    GetSystemTimePreciseAsFileTime(&file);
    const int64_t ticks = (int64_t)((uint64_t)file.dwHighDateTime << 32 | file.dwLowDateTime);
    *now = (ticks - INT64_C(116444736000000000)) * 100; /* 100 ns since 1601 */
    return SNT_OK;
}

snt_status snt_clock_steady_now(snt_time *now)
{
    LARGE_INTEGER count, frequency;
    if (!now)
        return SNT_ERR_INVALID_ARG;
    if (!QueryPerformanceFrequency(&frequency) || !QueryPerformanceCounter(&count))
        return SNT_ERR_UNSUPPORTED;
    return snt__muldiv_i64(count.QuadPart, SNT_NS_PER_S, frequency.QuadPart, SNT_ROUND_FLOOR, now, NULL);
}
#else
static snt_status source_read(clockid_t id, snt_time *now)
{
    struct timespec read;
    if (!now)
        return SNT_ERR_INVALID_ARG;
    if (clock_gettime(id, &read) != 0)
        return SNT_ERR_UNSUPPORTED;
    return snt_time_from_timespec((int64_t)read.tv_sec, (int64_t)read.tv_nsec, now);
}

snt_status snt_clock_system_now(snt_time *now)
{
    return source_read(CLOCK_REALTIME, now);
}

snt_status snt_clock_steady_now(snt_time *now)
{
    return source_read(CLOCK_MONOTONIC, now);
}
#endif

snt_status snt_clock_cross_now(snt_time *steady_before, snt_time *system, snt_time *steady_after)
{
    snt_time before, between, after;
    if (!steady_before || !system || !steady_after)
        return SNT_ERR_INVALID_ARG;
    if (snt_clock_steady_now(&before) < 0 || snt_clock_system_now(&between) < 0 ||
        snt_clock_steady_now(&after) < 0)
        return SNT_ERR_UNSUPPORTED;
    *steady_before = before;
    *system = between;
    *steady_after = after;
    return SNT_OK;
}

/* ---- sources ---- */

struct snt_clock_source {
    snt_allocator allocator;
    snt_clock_source_config config;
    snt__lock lock;
    /* simulated time is anchor_time + (steady − anchor_steady)·speed, and never below `shown` between jumps */
    snt_time anchor_steady;
    snt_time anchor_time;
    snt_time shown;
    snt_time set_time;
    snt_time set_steady;
    uint64_t jumps_forward;
    uint64_t jumps_back;
    uint64_t sets;
    bool known;
    bool paused;
};

static snt_clock_source_config source_defaults(void)
{
    return (snt_clock_source_config){.struct_size = sizeof(snt_clock_source_config),
                                     .jump_forward_ns = SNT_NS_PER_S,
                                     .speed_num = 1,
                                     .speed_den = 1};
}

void snt_clock_source_config_init(snt_clock_source_config *cfg, size_t size)
{
    const snt_clock_source_config defaults = source_defaults();
    snt__config_init(cfg, size, &defaults, sizeof defaults);
}

static snt_status source_config(const snt_clock_source_config *given, snt_clock_source_config *out)
{
    static const uint32_t domains[] = {SNT_DOMAIN_UNIX, SNT_DOMAIN_STEADY, SNT_DOMAIN_SIM};
    *out = source_defaults();
    const snt_status status =
        snt__config_read(out, sizeof *out, SNT_END_OF(snt_clock_source_config, epoch), given);
    if (status < 0)
        return status;
    if (out->kind > SNT_SOURCE_SIMULATED || out->hold > 1 || out->jump_forward_ns < 0 ||
        out->jump_back_ns < 0 || out->speed_num <= 0 || out->speed_den <= 0)
        return SNT_ERR_INVALID_ARG;
    if (out->jump_forward_ns == 0)
        out->jump_forward_ns = SNT_NS_PER_S;
    if (out->domain == SNT_DOMAIN_UNSPECIFIED)
        out->domain = domains[out->kind];
    return SNT_OK;
}

snt_status snt_clock_source_create(const snt_clock_source_config *cfg, const snt_allocator *allocator,
                                   snt_clock_source **out)
{
    snt_clock_source_config config;
    snt_allocator memory;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_status status = source_config(cfg, &config);
    if (status == SNT_OK)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt_clock_source *source = snt__alloc(&memory, sizeof *source, SNT_CACHE_LINE);
    if (!source)
        return SNT_ERR_NO_MEMORY;
    if (snt__lock_init(&source->lock) != 0) {
        snt__free(&memory, source);
        return SNT_ERR_NO_MEMORY;
    }
    source->allocator = memory;
    source->config = config;
    source->set_time = source->set_steady = SNT_UNKNOWN;
    snt_epoch_ref(config.epoch);
    *out = source;
    return SNT_OK;
}

void snt_clock_source_destroy(snt_clock_source *source)
{
    if (!source)
        return;
    const snt_allocator memory = source->allocator;
    snt_epoch_unref(source->config.epoch);
    snt__lock_destroy(&source->lock);
    snt__free(&memory, source);
}

static bool source_simulated(const snt_clock_source *source)
{
    return source && source->config.kind == SNT_SOURCE_SIMULATED;
}

static bool source_finite(snt_time t)
{
    return t != SNT_TIME_INFINITE_PAST && t != SNT_TIME_INFINITE_FUTURE;
}

/* Simulated time at a steady time, with the lock held. */
static snt_status source_running(const snt_clock_source *source, snt_time steady, snt_time *out)
{
    snt_duration elapsed = 0, moved = 0;
    snt_time now = source->anchor_time;
    if (!source->known)
        return SNT_PENDING;
    if (!source->paused && !source->config.hold && steady > source->anchor_steady) {
        if (snt_time_sub(steady, source->anchor_steady, &elapsed) < 0 ||
            snt_duration_scale(elapsed, source->config.speed_num, source->config.speed_den, SNT_ROUND_FLOOR,
                               &moved) < 0 ||
            snt_time_add(now, moved, &now) < 0)
            return SNT_ERR_OVERFLOW;
    }
    *out = now > source->shown ? now : source->shown;
    return SNT_OK;
}

snt_status snt_clock_source_at(snt_clock_source *source, snt_time steady, snt_time *now)
{
    snt_time time;
    if (!source_simulated(source) || !now)
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady))
        return SNT_ERR_RANGE;
    snt__lock_acquire(&source->lock);
    const snt_status status = source_running(source, steady, &time);
    if (status == SNT_OK)
        source->shown = *now = time;
    snt__lock_release(&source->lock);
    return status;
}

snt_status snt_clock_source_now(snt_clock_source *source, snt_time *now)
{
    snt_time steady;
    if (!source || !now)
        return SNT_ERR_INVALID_ARG;
    if (source->config.kind == SNT_SOURCE_SYSTEM)
        return snt_clock_system_now(now);
    const snt_status status = snt_clock_steady_now(&steady);
    if (status < 0)
        return status;
    if (source->config.kind == SNT_SOURCE_SIMULATED)
        return snt_clock_source_at(source, steady, now);
    *now = steady;
    return SNT_OK;
}

/*
 * Which kind of set this is. Back is judged against the last time told, because the running time may merely have been
 * extrapolated too far; ahead is judged against the running time.
 */
static uint32_t source_judge(const snt_clock_source *source, snt_time running, snt_time time)
{
    const snt_duration back = source->config.jump_back_ns, ahead = source->config.jump_forward_ns;
    if (!source->known)
        return SNT_JUMP_FIRST;
    if (back != SNT_UNKNOWN && time < snt_time_sub_sat(source->set_time, back))
        return SNT_JUMP_BACK;
    if (ahead != SNT_UNKNOWN && time > snt_time_add_sat(running, ahead))
        return SNT_JUMP_FORWARD;
    return time < running ? SNT_JUMP_WAITING : SNT_JUMP_NONE;
}

snt_status snt_clock_source_set(snt_clock_source *source, snt_time steady, snt_time time, uint32_t *jump)
{
    snt_time running = time;
    if (!source_simulated(source))
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady) || !source_finite(time))
        return SNT_ERR_RANGE;
    snt__lock_acquire(&source->lock);
    const snt_status status = source_running(source, steady, &running);
    if (status < 0) {
        snt__lock_release(&source->lock);
        return status;
    }
    const uint32_t kind = source_judge(source, running, time);
    source->anchor_steady = source->set_steady = steady;
    source->anchor_time = source->set_time = time;
    source->sets++;
    source->known = true;
    source->shown = kind == SNT_JUMP_WAITING || kind == SNT_JUMP_NONE ? source->shown : time;
    source->jumps_forward += kind == SNT_JUMP_FORWARD;
    source->jumps_back += kind == SNT_JUMP_BACK;
    if (kind == SNT_JUMP_FORWARD || kind == SNT_JUMP_BACK)
        snt_epoch_bump(source->config.epoch, SNT_EPOCH_REPLAY_SEEK);
    snt__lock_release(&source->lock);
    if (jump)
        *jump = kind;
    return SNT_OK;
}

/* Count from here on, so that a change of pace leaves the time as it is. With the lock held. */
static snt_status source_reanchor(snt_clock_source *source, snt_time steady)
{
    snt_time running;
    const snt_status status = source_running(source, steady, &running);
    if (status == SNT_OK) {
        source->anchor_steady = steady;
        source->anchor_time = source->shown = running;
    }
    return status;
}

snt_status snt_clock_source_pause(snt_clock_source *source, snt_time steady, int32_t paused)
{
    if (!source_simulated(source))
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady))
        return SNT_ERR_RANGE;
    snt__lock_acquire(&source->lock);
    const snt_status status = source_reanchor(source, steady);
    if (status >= 0)
        source->paused = paused != 0;
    snt__lock_release(&source->lock);
    return status;
}

snt_status snt_clock_source_speed(snt_clock_source *source, snt_time steady, int64_t num, int64_t den)
{
    if (!source_simulated(source) || num <= 0 || den <= 0)
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady))
        return SNT_ERR_RANGE;
    snt__lock_acquire(&source->lock);
    const snt_status status = source_reanchor(source, steady);
    if (status >= 0) {
        source->config.speed_num = num;
        source->config.speed_den = den;
    }
    snt__lock_release(&source->lock);
    return status;
}

snt_status snt_clock_source_inspect(snt_clock_source *source, snt_clock_source_state *out)
{
    if (!source || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&source->lock);
    *out = (snt_clock_source_state){.set_time = source->set_time,
                                    .set_steady = source->set_steady,
                                    .jumps_forward = source->jumps_forward,
                                    .jumps_back = source->jumps_back,
                                    .sets = source->sets,
                                    .kind = source->config.kind,
                                    .domain = source->config.domain,
                                    .paused = source->paused,
                                    .session = snt_epoch_session(source->config.epoch)};
    snt__lock_release(&source->lock);
    return SNT_OK;
}

/* ---- deadlines ---- */

snt_status snt_deadline_start(snt_deadline *deadline, snt_time steady, snt_duration span)
{
    if (!deadline)
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady) || span < 0)
        return SNT_ERR_RANGE;
    *deadline = (snt_deadline){snt_time_add_sat(steady, span), span};
    return SNT_OK;
}

snt_status snt_deadline_renew(snt_deadline *deadline, snt_time steady)
{
    return deadline ? snt_deadline_start(deadline, steady, deadline->span) : SNT_ERR_INVALID_ARG;
}

snt_status snt_deadline_check(const snt_deadline *deadline, snt_time steady, snt_duration *left)
{
    if (!deadline)
        return SNT_ERR_INVALID_ARG;
    if (!source_finite(steady))
        return SNT_ERR_RANGE;
    if (left)
        *left = snt_time_sub_sat(deadline->due, steady);
    return steady >= deadline->due ? SNT_ERR_TIMEOUT : SNT_OK;
}
