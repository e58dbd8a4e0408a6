/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

/* After the map has judged: remember what it took, or why it refused. */
static void device_judged(snt_device_clock *clock, snt_status status, const snt_clock_proof *found,
                          snt_clock_proof *proof, int64_t device, int64_t host)
{
    if (status == SNT_OK) {
        snt__device_accepted(clock, device, host);
        return;
    }
    if (status == SNT_ERR_VIOLATION) {
        clock->count.violations++;
        clock->count.proof = *found;
        clock->restart_reason = SNT_EPOCH_COUNTER_RESET;
    }
    if (status == SNT_ERR_HORIZON)
        clock->restart_reason = SNT_EPOCH_USER;
    if (proof && (status == SNT_ERR_VIOLATION || status == SNT_ERR_AMBIGUOUS))
        *proof = *found;
}

/* Unwrap a reading that is no packet of the stream, so may repeat or lie before others. */
static snt_status device_reading(snt_device_clock *clock, uint64_t raw, int64_t host, int64_t *device)
{
    snt_tick_reading reading;
    const snt_status status = snt__device_resolve(clock, &clock->plain, raw, host, &reading);
    if (status == SNT_ERR_RESET_SUSPECT || status == SNT_ERR_AMBIGUOUS)
        snt__device_suspect(clock, raw, host, status);
    if (status == SNT_OK)
        *device = reading.device_ns;
    return status;
}

snt_status snt_device_clock_observe_arrival(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                            snt_time receive_ns, snt_clock_proof *proof)
{
    if (!clock || receive_ns == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt__device_enter(clock, session, true);
    if (status != SNT_OK)
        return status;
    snt_tick_reading reading;
    snt_clock_proof found;
    status = snt__device_resolve(clock, &clock->arrivals, raw, receive_ns, &reading);
    if (status == SNT_OK) {
        status = snt_clock_map_observe_arrival(clock->map, 0, reading.device_ns, receive_ns, &found);
        if (status == SNT_OK) {
            clock->count.rollovers += (reading.flags & SNT_TICK_WRAPPED) != 0;
            snt__unwrap_commit(&clock->arrivals, &reading);
        }
        device_judged(clock, status, &found, proof, reading.device_ns, receive_ns);
    } else if (status == SNT_ERR_RESET_SUSPECT || status == SNT_ERR_AMBIGUOUS || status == SNT_ERR_BACKWARD) {
        snt__device_suspect(clock, raw, receive_ns, status);
    }
    snt__device_leave(clock);
    return status;
}

/* What the map is told about one reading; `value_ns` is the other number of its kind. */
typedef enum device_event { DEVICE_TRIGGER, DEVICE_CROSS, DEVICE_PPS } device_event;

static snt_status device_tell(snt_clock_map *map, device_event event, int64_t device, int64_t host,
                              int64_t value_ns, snt_clock_proof *found)
{
    switch (event) {
    case DEVICE_TRIGGER:
        return snt_clock_map_observe_trigger(map, 0, device, host, found);
    case DEVICE_CROSS:
        return snt_clock_map_observe_cross(map, 0, value_ns, device, host, found);
    default:
        return snt_clock_map_observe_pps(map, 0, device, host, value_ns, found);
    }
}

static snt_status device_observe(snt_device_clock *clock, uint32_t session, device_event event, uint64_t raw,
                                 int64_t host, int64_t value_ns, snt_clock_proof *proof)
{
    if (!clock || host == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt__device_enter(clock, session, true);
    if (status != SNT_OK)
        return status;
    int64_t device;
    snt_clock_proof found;
    status = device_reading(clock, raw, host, &device);
    if (status == SNT_OK) {
        status = device_tell(clock->map, event, device, host, value_ns, &found);
        device_judged(clock, status, &found, proof, device, host);
    }
    snt__device_leave(clock);
    return status;
}

snt_status snt_device_clock_observe_trigger(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                            snt_time command_ns, snt_clock_proof *proof)
{
    return device_observe(clock, session, DEVICE_TRIGGER, raw, command_ns, 0, proof);
}

snt_status snt_device_clock_observe_cross(snt_device_clock *clock, uint32_t session, snt_time before_ns,
                                          uint64_t raw, snt_time after_ns, snt_clock_proof *proof)
{
    return before_ns > after_ns
               ? SNT_ERR_INVALID_ARG
               : device_observe(clock, session, DEVICE_CROSS, raw, after_ns, before_ns, proof);
}

snt_status snt_device_clock_observe_pps(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                        snt_time second_ns, int64_t error_ns, snt_clock_proof *proof)
{
    return device_observe(clock, session, DEVICE_PPS, raw, second_ns, error_ns, proof);
}

snt_status snt_device_clock_request(snt_device_clock *clock, uint32_t session, snt_time send_ns,
                                    uint32_t *request)
{
    if (!clock || !request)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&clock->lock);
    const snt_status status = snt_clock_map_request(clock->map, session, send_ns, request);
    clock->count.wrong_session += status == SNT_ERR_SESSION;
    snt__lock_release(&clock->lock);
    return status;
}

/* An exchange, by request id or (0) by its own send time. */
static snt_status device_exchange(snt_device_clock *clock, uint32_t session, uint32_t request,
                                  snt_time send_ns, uint64_t raw_receive, uint64_t raw_send,
                                  snt_time receive_ns, snt_clock_proof *proof)
{
    snt_status status = snt__device_enter(clock, session, true);
    if (status != SNT_OK)
        return status;
    int64_t got, sent;
    snt_clock_proof found;
    status = device_reading(clock, raw_receive, receive_ns, &got);
    if (status == SNT_OK) {
        sent = got;
        if (raw_send != raw_receive)
            status = device_reading(clock, raw_send, receive_ns, &sent);
    }
    if (status == SNT_OK) {
        status = request
                     ? snt_clock_map_reply(clock->map, 0, request, got, sent, receive_ns, &found)
                     : snt_clock_map_observe_exchange(clock->map, 0, send_ns, got, sent, receive_ns, &found);
        device_judged(clock, status, &found, proof, sent, receive_ns);
    }
    snt__device_leave(clock);
    return status;
}

snt_status snt_device_clock_reply(snt_device_clock *clock, uint32_t session, uint32_t request,
                                  uint64_t raw_receive, uint64_t raw_send, snt_time receive_ns,
                                  snt_clock_proof *proof)
{
    if (!clock || receive_ns == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    if (!request)
        return SNT_ERR_STALE;
    return device_exchange(clock, session, request, 0, raw_receive, raw_send, receive_ns, proof);
}

snt_status snt_device_clock_observe_exchange(snt_device_clock *clock, uint32_t session, snt_time send_ns,
                                             uint64_t raw_receive, uint64_t raw_send, snt_time receive_ns,
                                             snt_clock_proof *proof)
{
    if (!clock || receive_ns == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    return device_exchange(clock, session, 0, send_ns, raw_receive, raw_send, receive_ns, proof);
}
