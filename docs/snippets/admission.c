/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/admission.md: 28 ms old, give or take 15 ms, and at most 40 ms allowed. */
#include "snippet.h"

int main(void)
{
    snt_epoch *epoch;
    snt_admission_log *log;
    need(snt_epoch_create(NULL, &epoch));
    need(snt_admission_log_create(100, NULL, &log));
    const uint64_t ticks = 4711;
    snt_sample sample;
    snt_sample_init(&sample, 1000 * SNT_NS_PER_MS, SNT_DOMAIN_STEADY, 0);
    sample.err_lo_ns = sample.err_hi_ns = 10 * SNT_NS_PER_MS;
    sample.flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    sample.session = snt_epoch_session(epoch);
    sample.event = SNT_EVENT_INSTANT;
    snt_bounded_time now;
    need(snt_bounded_time_init(1028 * SNT_NS_PER_MS, 5 * SNT_NS_PER_MS, 5 * SNT_NS_PER_MS, SNT_DOMAIN_STEADY,
                               0, &now));
    /* [check] */
    snt_admission_policy policy;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.domain = SNT_DOMAIN_STEADY; /* the clock both times are on */
    policy.epoch = epoch;              /* only the current session */
    policy.max_age_ns = 40 * SNT_NS_PER_MS;
    policy.max_uncertainty_ns = 20 * SNT_NS_PER_MS;

    snt_admission_record why = {0};
    const snt_status status = snt_admission_check(&policy, &sample, &now, &why);
    if (why.status == status) { /* decided; a call that was wrong leaves no record */
        why.raw_counter = ticks;
        why.notes |= SNT_NOTE_RAW_COUNTER;
        snt_admission_log_push(log, &why); /* also what was refused */
    }
    /* [check] */
    expect(status == SNT_ERR_STALE);
    char text[SNT_ADMISSION_TEXT_SIZE];
    need(snt_admission_format_text(&why, text, sizeof text));
    puts(text);
    snt_admission_log_destroy(log);
    snt_epoch_unref(epoch);
    return 0;
}
