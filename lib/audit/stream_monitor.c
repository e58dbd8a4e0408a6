/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream_internal.h"

#include <math.h>

_Static_assert(sizeof(snt_stream_message) == 48, "frozen");
_Static_assert(sizeof(snt_stream_event) == 64, "frozen");
_Static_assert(SNT_END_OF(snt_stream_monitor_config, reserved) == 152, "first release");

static const snt_stream_monitor_config stream_defaults = {
    .struct_size = sizeof(snt_stream_monitor_config),
    .rate_tolerance_permille = 100,
    .event_capacity = 64,
    .gap_note_factor = 1.75,
    .gap_warn_factor = 3,
    .gap_error_factor = 5,
    .gap_warn_floor_ns = 50 * SNT_NS_PER_MS,
    .gap_error_floor_ns = 500 * SNT_NS_PER_MS,
    .tiny_period_ns = 100 * SNT_NS_PER_US,
    .delay_warn_ns = 100 * SNT_NS_PER_MS,
    .delay_error_ns = 500 * SNT_NS_PER_MS,
    .future_warn_ns = SNT_NS_PER_MS,
    .future_error_ns = SNT_NS_PER_S,
    .step_floor_ns = SNT_NS_PER_S,
    .silence_ns = SNT_NS_PER_S,
    .frozen_ns = 2 * SNT_NS_PER_S,
    .drift_span_ns = 10 * SNT_NS_PER_S,
    .duplicate_permille = 10,
};

void snt_stream_monitor_config_init(snt_stream_monitor_config *config, size_t size)
{
    snt__config_init(config, size, &stream_defaults, sizeof stream_defaults);
}

static snt_status stream_config(const snt_stream_monitor_config *given, snt_stream_monitor_config *out)
{
    *out = stream_defaults;
    const snt_status status =
        snt__config_read(out, sizeof *out, SNT_END_OF(snt_stream_monitor_config, reserved), given);
    if (status < 0)
        return status;
    const double factors[] = {out->gap_note_factor, out->gap_warn_factor, out->gap_error_factor};
    for (size_t i = 0; i < SNT_COUNT_OF(factors); i++)
        if (!(factors[i] >= 1 && factors[i] <= 1e6)) /* also refuses NaN */
            return SNT_ERR_INVALID_ARG;
    const int64_t durations[] = {out->expected_period_ns, out->gap_warn_floor_ns, out->gap_error_floor_ns,
                                 out->tiny_period_ns,     out->delay_warn_ns,     out->delay_error_ns,
                                 out->future_warn_ns,     out->future_error_ns,   out->step_floor_ns,
                                 out->silence_ns,         out->frozen_ns,         out->drift_span_ns};
    for (size_t i = 0; i < SNT_COUNT_OF(durations); i++)
        if (durations[i] < 0)
            return SNT_ERR_INVALID_ARG;
    return out->event_capacity > (1u << 24) ? SNT_ERR_INVALID_ARG : SNT_OK;
}

static size_t stream_layout(unsigned char *base, const snt_stream_monitor_config *config)
{
    snt__slab slab = {base, 0};
    snt_stream_monitor *m = snt__slab_take(&slab, 1, sizeof *m, SNT_CACHE_LINE);
    snt_stream_event *events = snt__slab_take(&slab, config->event_capacity, sizeof *events, 8);
    if (m)
        m->events = events;
    return slab.used;
}

snt_status snt_stream_monitor_size(const snt_stream_monitor_config *config, uint64_t *bytes)
{
    if (!bytes)
        return SNT_ERR_INVALID_ARG;
    snt_stream_monitor_config read;
    const snt_status status = stream_config(config, &read);
    if (status == SNT_OK)
        *bytes = stream_layout(NULL, &read);
    return status;
}

static void stream_clear(snt_stream_monitor *m)
{
    snt__stream_state *s = &m->s;
    memset(s, 0, sizeof *s);
    s->first_stamp = s->last_stamp = s->first_log = s->last_log = SNT_UNKNOWN;
    s->counts.longest_gap_at = s->counts.host_step_at = SNT_UNKNOWN;
    snt__fit_reset(&s->fit);
}

snt_status snt_stream_monitor_create(const snt_stream_monitor_config *config, const snt_allocator *allocator,
                                     snt_stream_monitor **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_stream_monitor_config read;
    snt_allocator memory;
    snt_status status = stream_config(config, &read);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    unsigned char *slab = snt__alloc(&memory, stream_layout(NULL, &read), SNT_CACHE_LINE);
    if (!slab)
        return SNT_ERR_NO_MEMORY;
    snt_stream_monitor *m = (snt_stream_monitor *)(void *)slab;
    stream_layout(slab, &read);
    m->allocator = memory;
    m->config = read;
    if (snt__lock_init(&m->lock)) {
        snt__free(&memory, slab);
        return SNT_ERR_NO_MEMORY;
    }
    stream_clear(m);
    *out = m;
    return SNT_OK;
}

void snt_stream_monitor_destroy(snt_stream_monitor *monitor)
{
    if (!monitor)
        return;
    const snt_allocator memory = monitor->allocator;
    snt__lock_destroy(&monitor->lock);
    snt__free(&memory, monitor);
}

void snt_stream_monitor_reset(snt_stream_monitor *monitor)
{
    if (!monitor)
        return;
    snt__lock_acquire(&monitor->lock);
    stream_clear(monitor);
    snt__lock_release(&monitor->lock);
}

static void stream_step(snt__stream_steps *steps, int64_t step)
{
    steps->steps++;
    if (step == 0) {
        steps->equal++;
        return;
    }
    if (step < 0) {
        const int64_t back = step == INT64_MIN ? INT64_MAX : -step;
        steps->backward++;
        if (back > steps->worst_back)
            steps->worst_back = back;
        return;
    }
    const double away = (double)step - steps->mean;
    steps->forward++;
    steps->sum += (double)step;
    steps->mean += away / (double)steps->forward;
    steps->m2 += away * ((double)step - steps->mean);
    if (steps->forward == 1 || step < steps->min)
        steps->min = step;
    if (step > steps->max)
        steps->max = step;
    snt__histogram_add(&steps->histogram, (uint64_t)step);
}

static uint64_t stream_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static snt_finding stream_here(const snt__stream_step *step)
{
    return (snt_finding){
        .first_index = step->index, .first_stamp_ns = step->stamp, .first_log_ns = step->log};
}

/* A run of equal values that has lasted long enough is frozen; its earlier members count when it becomes so. */
static void stream_run(snt__stream_run *run, bool equal, const snt__stream_step *step, int64_t frozen_ns)
{
    const int64_t now = step->log != SNT_UNKNOWN ? step->log : step->stamp;
    if (!equal || !run->length) {
        run->length = 1;
        run->from = now;
        run->counted = 0;
        return;
    }
    const int64_t lasted = snt_time_sub_sat(now, run->from);
    run->length++;
    if (run->length < SNT__STREAM_FROZEN_RUN || lasted < frozen_ns)
        return;
    if (!run->frozen)
        run->first = stream_here(step);
    run->frozen += run->counted ? 1 : run->length;
    run->counted = 1;
    if (lasted > run->longest)
        run->longest = lasted;
}

static void stream_sequence(snt__stream_state *s, const snt_stream_message *message, snt__stream_step *step)
{
    if (!(message->flags & SNT_STREAM_HAS_SEQUENCE))
        return;
    if (s->has_sequence) {
        const uint64_t ahead = message->sequence - s->last_sequence;
        s->sequence_steps++;
        if (ahead == 0 || ahead > UINT64_MAX / 2) {
            s->reordered++;
        } else {
            step->sequence_step = ahead > INT64_MAX ? INT64_MAX : (int64_t)ahead;
            if (ahead > 1 && !s->lost)
                s->lost_first = stream_here(step);
            s->lost += ahead - 1;
        }
    }
    s->has_sequence = 1;
    s->last_sequence = message->sequence;
}

/* Times of different kinds are no step apart: one of them is of another clock. */
static bool stream_same_clock(uint32_t a, uint32_t b)
{
    return snt__clock_small(a) == snt__clock_small(b);
}

static void stream_take_stamp(snt_stream_monitor *m, const snt_stream_message *message,
                              snt__stream_step *step)
{
    snt__stream_state *s = &m->s;
    const int64_t stamp = message->stamp_ns;
    const uint32_t kind = snt_clock_kind(stamp);
    step->stamp = stamp;
    s->kinds[kind]++;
    if (stamp == 0) {
        if (!s->zero++)
            s->zero_first = stream_here(step);
        return;
    }
    if (kind == SNT_LOOKS_SIMULATED)
        s->stamp_gcd = stream_gcd(s->stamp_gcd, (uint64_t)stamp);
    if (s->stamped) {
        if (stream_same_clock(snt_clock_kind(s->last_stamp), kind)) {
            step->stamp_step = snt_time_sub_sat(stamp, s->last_stamp);
            stream_step(&s->stamps, step->stamp_step);
            if (step->stamp_step == 0 && s->stamps.equal == 1)
                s->duplicate_first = stream_here(step);
        } else if (s->mixed_first.first_index == 0) {
            s->mixed_first = stream_here(step);
        }
    } else {
        s->first_stamp = stamp;
    }
    stream_run(&s->stamp_run, stamp == s->last_stamp, step, m->config.frozen_ns);
    s->last_stamp = stamp;
    s->stamped++;
}

static void stream_take_log(snt__stream_state *s, const snt_stream_message *message, snt__stream_step *step)
{
    const int64_t log = message->log_ns;
    s->log_kinds[snt_clock_kind(log)]++;
    if (snt_clock_kind(log) == SNT_LOOKS_SIMULATED)
        s->log_gcd = stream_gcd(s->log_gcd, (uint64_t)log);
    if (s->logged) {
        step->log_step = snt_time_sub_sat(log, s->last_log);
        stream_step(&s->log, step->log_step);
    } else {
        s->first_log = log;
        s->first_bytes = message->size_bytes;
    }
    s->last_log = log;
    s->logged++;
}

static void stream_take_delay(snt_stream_monitor *m, const snt__stream_step *step)
{
    snt__stream_state *s = &m->s;
    if (step->stamp == SNT_UNKNOWN || step->log == SNT_UNKNOWN || step->stamp == 0)
        return;
    const bool declared = m->config.stamp_domain && m->config.log_domain;
    const bool comparable = declared ? m->config.stamp_domain == m->config.log_domain
                                     : snt__clock_comparable(step->stamp, step->log);
    if (!comparable) {
        const int64_t apart = snt_time_sub_sat(step->stamp, step->log);
        if (!s->incomparable++) {
            s->apart_min = s->apart_max = apart;
            s->apart_log = step->log;
        }
        if (apart < s->apart_min)
            s->apart_min = apart;
        if (apart > s->apart_max)
            s->apart_max = apart;
        return;
    }
    const int64_t delay = snt_time_sub_sat(step->log, step->stamp);
    if (!s->compared++)
        s->delay_min = s->delay_max = delay;
    if (delay < s->delay_min)
        s->delay_min = delay;
    if (delay > s->delay_max)
        s->delay_max = delay;
    if (delay < -m->config.future_warn_ns && !s->future++)
        s->future_first = stream_here(step);
    snt__histogram_signed_add(&s->delay, delay);
    snt__fit_add(&s->fit, step->log, delay);
}

static void stream_take_content(snt_stream_monitor *m, const snt_stream_message *message,
                                const snt__stream_step *step)
{
    snt__stream_state *s = &m->s;
    if (!(message->flags & SNT_STREAM_HAS_CONTENT))
        return;
    /* a repeated message (same stamp too) is a duplicate, not a sensor that stands still */
    const bool repeated = step->stamp_step == 0;
    if (!repeated)
        stream_run(&s->content_run, message->content == s->content, step, m->config.frozen_ns);
    s->content = message->content;
}

static void stream_warm(snt_stream_monitor *m)
{
    if (m->s.warm)
        return;
    for (uint32_t i = 0; i < m->s.held_count; i++)
        snt__stream_judge(m, &m->s.counts, &m->s.held[i], true);
    m->s.warm = 1;
}

/* Lock held. */
static void stream_add(snt_stream_monitor *m, const snt_stream_message *message)
{
    snt__stream_state *s = &m->s;
    snt__stream_step step = {s->messages, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, 0};
    if (message->flags & SNT_STREAM_HAS_LOG)
        step.log = message->log_ns;
    if (message->flags & SNT_STREAM_HAS_STAMP)
        step.stamp = message->stamp_ns;
    s->messages++;
    s->bytes = s->bytes > UINT64_MAX - message->size_bytes ? UINT64_MAX : s->bytes + message->size_bytes;
    s->silent = 0;
    stream_sequence(s, message, &step);
    if (message->flags & SNT_STREAM_HAS_STAMP)
        stream_take_stamp(m, message, &step);
    if (message->flags & SNT_STREAM_HAS_LOG)
        stream_take_log(s, message, &step);
    stream_take_delay(m, &step);
    stream_take_content(m, message, &step);
    if (step.stamp_step == SNT_UNKNOWN && step.log_step == SNT_UNKNOWN)
        return;
    if (s->warm) {
        snt__stream_judge(m, &s->counts, &step, true);
        return;
    }
    s->held[s->held_count++] = step;
    if (s->held_count == SNT__STREAM_WARMUP)
        stream_warm(m);
}

static bool stream_acceptable(const snt_stream_message *message)
{
    return message->flags & (SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG);
}

snt_status snt_stream_monitor_add(snt_stream_monitor *monitor, const snt_stream_message *message)
{
    if (!monitor || !message || !stream_acceptable(message))
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&monitor->lock);
    stream_add(monitor, message);
    snt__lock_release(&monitor->lock);
    return SNT_OK;
}

snt_status snt_stream_monitor_add_many(snt_stream_monitor *monitor, const snt_stream_message *messages,
                                       uint64_t count)
{
    if (!monitor || (!messages && count))
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_OK;
    snt__lock_acquire(&monitor->lock);
    for (uint64_t i = 0; i < count && status == SNT_OK; i++) {
        if (stream_acceptable(&messages[i]))
            stream_add(monitor, &messages[i]);
        else
            status = SNT_ERR_INVALID_ARG;
    }
    snt__lock_release(&monitor->lock);
    return status;
}

snt_status snt_stream_monitor_poll(snt_stream_monitor *monitor, snt_time now)
{
    if (!monitor)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&monitor->lock);
    snt__stream_state *s = &monitor->s;
    const snt_stream_monitor_config *config = &monitor->config;
    if (!s->polled)
        s->poll_from = now;
    s->polled = 1;
    s->poll_now = now;
    bool even;
    const int64_t period = snt__stream_period(monitor, &even);
    const int64_t since = s->logged ? s->last_log : s->stamped ? s->last_stamp : s->poll_from;
    const double limit = fmax((double)config->silence_ns, period == SNT_UNKNOWN ? 0.0 : 5.0 * (double)period);
    const bool judged = !s->messages || !(config->flags & (SNT_STREAM_STATIC | SNT_STREAM_EVENTUAL));
    s->silent = judged && (double)snt_time_sub_sat(now, since) > limit;
    const snt_status status = s->silent ? SNT_ERR_TIMEOUT : SNT_OK;
    snt__lock_release(&monitor->lock);
    return status;
}

snt_status snt_stream_monitor_finish(snt_stream_monitor *monitor)
{
    if (!monitor)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&monitor->lock);
    stream_warm(monitor);
    snt__stream_settle(monitor, &monitor->s.counts, true);
    snt__lock_release(&monitor->lock);
    return SNT_OK;
}

snt_status snt_stream_monitor_report(snt_stream_monitor *monitor, snt_stream_report *out)
{
    if (!monitor || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&monitor->lock);
    const snt__stream_counts counts = snt__stream_settled(monitor);
    snt__stream_report(monitor, &counts, out);
    snt__lock_release(&monitor->lock);
    return SNT_OK;
}

snt_status snt_stream_monitor_next_event(snt_stream_monitor *monitor, snt_stream_event *out)
{
    if (!monitor || !out)
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_EMPTY;
    snt__lock_acquire(&monitor->lock);
    snt__stream_state *s = &monitor->s;
    if (s->event_tail != s->event_head) {
        *out = monitor->events[s->event_tail++ % monitor->config.event_capacity];
        status = SNT_OK;
    }
    snt__lock_release(&monitor->lock);
    return status;
}
