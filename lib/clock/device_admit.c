/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

/* What is known of a reading that got no time, for the record. */
static void device_nameless(const snt_device_clock *clock, uint32_t session, snt_time receive,
                            uint64_t sequence, snt_sample *sample)
{
    snt_sample_init(sample, 0, clock->cfg.host_domain, 0);
    sample->receive_ns = receive;
    sample->receive_domain = clock->cfg.host_domain;
    sample->sequence = sequence;
    sample->source = clock->cfg.source;
    sample->event = clock->cfg.event;
    sample->session = session ? session : snt_clock_map_session(clock->map);
    sample->version = snt_clock_map_version(clock->map);
}

snt_status snt_device_clock_admit(snt_device_clock *clock, uint32_t session, uint64_t raw,
                                  snt_time receive_ns, uint64_t sequence, const snt_admission_policy *policy,
                                  const snt_bounded_time *now, snt_sample *sample,
                                  snt_admission_record *record)
{
    if (!clock || !now || !sample)
        return SNT_ERR_INVALID_ARG;
    snt_admission_policy mine;
    snt_admission_policy_init(&mine, sizeof mine);
    snt_status status = snt__config_read(&mine, sizeof mine, SNT_END_OF(snt_admission_policy, epoch), policy);
    if (status < 0)
        return status;
    mine.struct_size = sizeof mine;
    snt_admission_record made;
    bool recorded = false;
    status = snt_device_clock_stamp(clock, session, raw, receive_ns, sequence, sample);
    if (status == SNT_OK) {
        if (!mine.session && !mine.epoch)
            mine.session = snt_clock_map_session(clock->map);
        status = snt_admission_check(&mine, sample, now, &made);
        recorded = status != SNT_ERR_INVALID_ARG && (status != SNT_ERR_RANGE || made.status == status);
    } else {
        snt_sample nameless;
        device_nameless(clock, session, receive_ns, sequence, &nameless);
        recorded = snt_admission_refuse(status, &nameless, now, &made) == SNT_OK;
    }
    if (recorded && record) {
        made.raw_counter = raw;
        made.notes |= SNT_NOTE_RAW_COUNTER;
        *record = made;
    }
    return status;
}
