/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

/* Host time of a reading; what is received at `receive` happened at least the shortest delay before. */
static snt_status device_time(const snt_device_clock *clock, int64_t device, int64_t receive,
                              snt_bounded_time *t)
{
    const snt_status status = snt__mapping_to_host(&clock->map->now, device, t);
    if (status != SNT_OK || receive == SNT_UNKNOWN)
        return status;
    const int64_t latest = receive - clock->cfg.delay_min_ns + clock->cfg.host_error_ns;
    if (t->flags & SNT_TIME_BOUND_LO && t->lo > latest)
        return SNT_ERR_FUTURE;
    if (t->hi > latest) {
        t->hi = latest;
        t->flags |= SNT_TIME_BOUND_HI | SNT_TIME_CAUSAL;
    }
    t->t = t->t > t->hi ? t->hi : t->t;
    return SNT_OK;
}

/* One sample; the lock is held. */
static snt_status device_sample(snt_device_clock *clock, uint64_t raw_first, uint64_t raw_last,
                                int64_t receive, uint64_t sequence, snt_sample *out)
{
    snt_status status = snt__mapping_answers(&clock->map->now);
    if (status != SNT_OK) {
        clock->count.pending += status == SNT_PENDING;
        return status;
    }
    snt_tick_reading first, last;
    status = snt__device_resolve(clock, &clock->stamps, raw_first, receive, &first);
    if (status != SNT_OK)
        return status;
    last = first;
    if (raw_last != raw_first) {
        status = snt__device_resolve(clock, &clock->plain, raw_last, receive, &last);
        if (status != SNT_OK)
            return status;
        if (last.device_ns < first.device_ns)
            return SNT_ERR_INVALID_ARG;
    }
    if (snt__device_suspected(clock, raw_first) || snt__device_suspected(clock, raw_last)) {
        clock->count.backward++;
        return SNT_ERR_BACKWARD;
    }
    snt_bounded_time t0, t1;
    status = device_time(clock, first.device_ns, receive, &t0);
    if (status == SNT_OK)
        status = device_time(clock, last.device_ns, receive, &t1);
    if (status != SNT_OK)
        return status;
    snt__unwrap_commit(&clock->stamps, &first);
    snt__device_accepted(clock, last.device_ns, receive);
    clock->sequence = sequence ? sequence : clock->sequence + 1;
    clock->count.stamped++;
    const uint32_t flags = (t0.flags | t1.flags) & ~(uint32_t)(SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    const uint32_t bounds = t0.flags & t1.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    snt_sample s;
    snt_sample_init(&s, t0.t, clock->cfg.host_domain, 0);
    s.t1_ns = t1.t > t0.t ? t1.t : t0.t;
    s.err_lo_ns = s.err_hi_ns = SNT_UNKNOWN;
    if (bounds & SNT_TIME_BOUND_LO)
        s.err_lo_ns = t0.t - t0.lo > s.t1_ns - t1.lo ? t0.t - t0.lo : s.t1_ns - t1.lo;
    if (bounds & SNT_TIME_BOUND_HI)
        s.err_hi_ns = t0.hi - t0.t > t1.hi - s.t1_ns ? t0.hi - t0.t : t1.hi - s.t1_ns;
    s.receive_ns = receive;
    s.receive_domain = clock->cfg.host_domain;
    s.sequence = clock->sequence;
    s.source = clock->cfg.source;
    s.event = clock->cfg.event;
    s.session = t0.session;
    s.version = t0.version;
    s.flags = flags | bounds;
    *out = s;
    return SNT_OK;
}

snt_status snt_device_clock_stamp_interval(snt_device_clock *clock, uint32_t session, uint64_t raw_first,
                                           uint64_t raw_last, snt_time receive_ns, uint64_t sequence,
                                           snt_sample *sample)
{
    if (!clock || !sample)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt__device_enter(clock, session, false);
    if (status != SNT_OK)
        return status;
    status = device_sample(clock, raw_first, raw_last, receive_ns, sequence, sample);
    snt__device_leave(clock);
    return status;
}

snt_status snt_device_clock_stamp(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                  snt_time receive_ns, uint64_t sequence, snt_sample *sample)
{
    return snt_device_clock_stamp_interval(clock, session, raw, raw, receive_ns, sequence, sample);
}

snt_status snt_device_clock_stamp_many(snt_device_clock *clock, uint32_t session, const uint64_t *raw,
                                       uint64_t count, snt_time receive_ns, uint64_t sequence,
                                       snt_sample *samples, snt_status *statuses)
{
    if (!clock || (count && (!raw || !samples)))
        return SNT_ERR_INVALID_ARG;
    snt_status first = snt__device_enter(clock, session, false);
    if (first != SNT_OK) {
        for (uint64_t i = 0; statuses && i < count; i++)
            statuses[i] = first;
        return first;
    }
    for (uint64_t i = 0; i < count; i++) {
        const snt_status status =
            device_sample(clock, raw[i], raw[i], receive_ns, sequence ? sequence + i : 0, &samples[i]);
        snt__keep_outcome(status, i, statuses, &first);
    }
    snt__device_leave(clock);
    return first;
}
