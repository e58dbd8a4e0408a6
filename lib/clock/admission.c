/* SPDX-License-Identifier: BSD-3-Clause */
/* The admission procedure. A check writes its inputs into the record and decides from the record, so that any record can be
 * decided again. */
#include "../base/internal.h"

#include "../stamp/stamp.h"

#include "sensortime/admission.h"

_Static_assert(sizeof(snt_admission_record) == 216, "frozen");
_Static_assert(sizeof(snt_pair_separation) == 40, "frozen");
_Static_assert(sizeof(snt_admission_counts) == 32, "frozen");

#define ADMISSION_SIDES       ((uint32_t)SNT_TIME_BOUND_LO | (uint32_t)SNT_TIME_BOUND_HI)
#define ADMISSION_LATE_EVENTS (1u << SNT_EVENT_TRANSFER | 1u << SNT_EVENT_RECEIVE | 1u << SNT_EVENT_PUBLISH)

static snt_admission_policy admission_defaults(void)
{
    return (snt_admission_policy){.struct_size = sizeof(snt_admission_policy),
                                  .domain = SNT_DOMAIN_UNIX,
                                  .refused_events = ADMISSION_LATE_EVENTS,
                                  .age_of = SNT_AT_FIRST,
                                  .max_age_ns = SNT_UNKNOWN,
                                  .max_uncertainty_ns = SNT_UNKNOWN};
}

void snt_admission_policy_init(snt_admission_policy *policy, size_t size)
{
    const snt_admission_policy defaults = admission_defaults();
    snt__config_init(policy, size, &defaults, sizeof defaults);
}

/* Which status a reason stands for. Reasons that only ::snt_admission_refuse gives keep the status they came with. */
static snt_status admission_status(uint32_t reasons, snt_status given)
{
    if (!reasons)
        return SNT_OK;
    switch (reasons & (0u - reasons)) { /* the lowest bit: the first step that failed */
    case SNT_REFUSED_MALFORMED:
        return SNT_ERR_RANGE;
    case SNT_REFUSED_DOMAIN:
        return SNT_ERR_DOMAIN;
    case SNT_REFUSED_SESSION:
        return SNT_ERR_SESSION;
    case SNT_REFUSED_VERSION:
        return SNT_ERR_VERSION;
    case SNT_REFUSED_EVENT:
        return SNT_ERR_INCOMPATIBLE;
    case SNT_REFUSED_NO_BOUND:
    case SNT_REFUSED_ASSUMPTION:
    case SNT_REFUSED_UNCERTAIN:
        return SNT_ERR_UNCERTAIN;
    case SNT_REFUSED_FUTURE:
        return SNT_ERR_FUTURE;
    case SNT_REFUSED_STALE:
    case SNT_REFUSED_MAYBE_STALE:
        return SNT_ERR_STALE;
    default:
        return given;
    }
}

static uint32_t admission_reason(snt_status status)
{
    switch (status) {
    case SNT_PENDING:
    case SNT_ERR_INVALID_STATE:
        return SNT_REFUSED_MAPPING;
    case SNT_ERR_DOMAIN:
    case SNT_ERR_CLOCK_MISMATCH:
        return SNT_REFUSED_DOMAIN;
    case SNT_ERR_SESSION:
        return SNT_REFUSED_SESSION;
    case SNT_ERR_VERSION:
        return SNT_REFUSED_VERSION;
    case SNT_ERR_UNCERTAIN:
        return SNT_REFUSED_NO_BOUND;
    case SNT_ERR_FUTURE:
        return SNT_REFUSED_FUTURE;
    case SNT_ERR_STALE:
        return SNT_REFUSED_STALE;
    case SNT_ERR_HORIZON:
        return SNT_REFUSED_HORIZON;
    case SNT_ERR_DUPLICATE:
        return SNT_REFUSED_DUPLICATE;
    case SNT_ERR_BACKWARD:
        return SNT_REFUSED_BACKWARD;
    case SNT_ERR_AMBIGUOUS:
        return SNT_REFUSED_AMBIGUOUS;
    case SNT_ERR_RESET_SUSPECT:
        return SNT_REFUSED_RESET;
    case SNT_ERR_VIOLATION:
        return SNT_REFUSED_VIOLATION;
    default:
        return SNT_REFUSED_OTHER;
    }
}

/* ---- the record's inputs ---- */

static void admission_take_sample(snt_admission_record *r, const snt_sample *s)
{
    r->sequence = s->sequence;
    r->token = s->token;
    r->t0_ns = s->t0_ns;
    r->t1_ns = s->t1_ns;
    r->err_lo_ns = s->err_lo_ns;
    r->err_hi_ns = s->err_hi_ns;
    r->receive_ns = s->receive_ns;
    r->source = s->source;
    r->event = s->event;
    r->domain = s->domain;
    r->session = s->session;
    r->version = s->version;
    r->flags = s->flags;
    r->receive_domain = s->receive_domain;
}

static void admission_take_now(snt_admission_record *r, const snt_bounded_time *now)
{
    r->now_ns = now->t;
    r->now_lo_ns = now->lo;
    r->now_hi_ns = now->hi;
    r->now_domain = now->domain;
    r->now_flags = now->flags;
}

static void admission_take_policy(snt_admission_record *r, const snt_admission_policy *p)
{
    r->max_age_ns = p->max_age_ns;
    r->max_uncertainty_ns = p->max_uncertainty_ns;
    r->expected_domain = p->domain;
    r->expected_session = p->session ? p->session : snt_epoch_session(p->epoch);
    r->least_version = p->least_version;
    r->forbidden_flags = p->forbidden_flags;
    r->refused_events = p->refused_events;
    r->age_of = p->age_of;
}

static snt_sample admission_sample(const snt_admission_record *r)
{
    return (snt_sample){.t0_ns = r->t0_ns,
                        .t1_ns = r->t1_ns,
                        .err_lo_ns = r->err_lo_ns,
                        .err_hi_ns = r->err_hi_ns,
                        .event = r->event,
                        .domain = r->domain,
                        .session = r->session,
                        .version = r->version,
                        .flags = r->flags};
}

static snt_bounded_time admission_now(const snt_admission_record *r)
{
    return (snt_bounded_time){.t = r->now_ns,
                              .lo = r->now_lo_ns,
                              .hi = r->now_hi_ns,
                              .domain = r->now_domain,
                              .flags = r->now_flags};
}

/* ---- the decision ---- */

static void admission_no_age(snt_admission_record *r)
{
    r->age_ns = 0;
    r->age_lo_ns = INT64_MIN;
    r->age_hi_ns = SNT_UNKNOWN;
    r->uncertainty_ns = SNT_UNKNOWN;
}

static void admission_age(snt_admission_record *r, const snt_bounded_time *moment)
{
    r->age_ns = snt_time_sub_sat(r->now_ns, moment->t);
    r->age_lo_ns = snt__sub_down(r->now_lo_ns, moment->hi);
    r->age_hi_ns = snt__sub_up(r->now_hi_ns, moment->lo);
    const snt_duration younger = snt_time_sub_sat(r->age_ns, r->age_lo_ns);
    const snt_duration older = snt_time_sub_sat(r->age_hi_ns, r->age_ns);
    r->uncertainty_ns = younger > older ? younger : older;
}

/* Steps 2 to 4, on ages that mean something. */
static uint32_t admission_freshness(const snt_admission_record *r, uint32_t sides)
{
    uint32_t reasons = 0;
    if ((sides & ADMISSION_SIDES) != ADMISSION_SIDES)
        reasons |= SNT_REFUSED_NO_BOUND;
    if (r->flags & r->forbidden_flags)
        reasons |= SNT_REFUSED_ASSUMPTION;
    if (r->age_hi_ns < 0)
        reasons |= SNT_REFUSED_FUTURE;
    if (r->max_age_ns != SNT_UNKNOWN && r->age_hi_ns > r->max_age_ns)
        reasons |= r->age_lo_ns > r->max_age_ns ? SNT_REFUSED_STALE : SNT_REFUSED_MAYBE_STALE;
    if (r->max_uncertainty_ns != SNT_UNKNOWN && r->uncertainty_ns > r->max_uncertainty_ns)
        reasons |= SNT_REFUSED_UNCERTAIN;
    return reasons;
}

static void admission_decide(snt_admission_record *r)
{
    const snt_sample sample = admission_sample(r);
    snt_bounded_time moment;
    uint32_t reasons = 0;
    r->notes &= ~(uint32_t)(SNT_NOTE_CROSSES_ZERO | SNT_NOTE_NO_TIME);
    admission_no_age(r);
    if (snt_sample_moment(&sample, r->age_of, &moment) < 0) {
        reasons = SNT_REFUSED_MALFORMED; /* nothing else in it can be trusted */
    } else {
        if (r->expected_session && r->session != r->expected_session)
            reasons |= SNT_REFUSED_SESSION;
        if (r->version < r->least_version)
            reasons |= SNT_REFUSED_VERSION;
        if (r->refused_events >> r->event & 1)
            reasons |= SNT_REFUSED_EVENT;
        if (r->domain != r->expected_domain || r->now_domain != r->expected_domain) {
            reasons |= SNT_REFUSED_DOMAIN; /* different clocks never subtract: there is no age */
        } else {
            admission_age(r, &moment);
            reasons |= admission_freshness(r, moment.flags & r->now_flags);
            if (r->age_lo_ns < 0 && r->age_hi_ns >= 0)
                r->notes |= SNT_NOTE_CROSSES_ZERO;
        }
    }
    r->reasons = reasons;
    r->status = admission_status(reasons, SNT_OK);
}

snt_status snt_admission_check(const snt_admission_policy *given, const snt_sample *sample,
                               const snt_bounded_time *now, snt_admission_record *record)
{
    snt_admission_policy policy = admission_defaults();
    if (!sample || !now)
        return SNT_ERR_INVALID_ARG;
    snt_status status =
        snt__config_read(&policy, sizeof policy, SNT_END_OF(snt_admission_policy, epoch), given);
    if (status < 0)
        return status;
    if (policy.age_of > SNT_AT_LAST || policy.max_age_ns < 0 || policy.max_uncertainty_ns < 0)
        return SNT_ERR_INVALID_ARG;
    status = snt_bounded_time_check(now);
    if (status < 0)
        return status;
    snt_admission_record made = {0};
    admission_take_sample(&made, sample);
    admission_take_now(&made, now);
    admission_take_policy(&made, &policy);
    admission_decide(&made);
    if (record)
        *record = made;
    return made.status;
}

snt_status snt_admission_refuse(snt_status status, const snt_sample *sample, const snt_bounded_time *now,
                                snt_admission_record *record)
{
    if (!sample || !record || status == SNT_OK)
        return SNT_ERR_INVALID_ARG;
    snt_admission_record made = {.max_age_ns = SNT_UNKNOWN, .max_uncertainty_ns = SNT_UNKNOWN};
    admission_take_sample(&made, sample);
    if (now)
        admission_take_now(&made, now);
    else
        made.now_ns = SNT_UNKNOWN;
    admission_no_age(&made);
    made.notes = SNT_NOTE_NO_TIME;
    made.reasons = admission_reason(status);
    made.status = status;
    *record = made;
    return SNT_OK;
}

snt_status snt_admission_redo(const snt_admission_record *record, snt_admission_record *again)
{
    if (!record || !again)
        return SNT_ERR_INVALID_ARG;
    snt_admission_record made = *record;
    if (made.notes &
        SNT_NOTE_NO_TIME) { /* the decision was the unwrapper's or mapping's: it is the evidence */
        if (made.status == SNT_OK || made.reasons != admission_reason(made.status))
            return SNT_ERR_FORMAT;
        *again = made;
        return SNT_OK;
    }
    const snt_bounded_time now = admission_now(&made);
    if (snt_bounded_time_check(&now) < 0 || made.age_of > SNT_AT_LAST || made.max_age_ns < 0 ||
        made.max_uncertainty_ns < 0)
        return SNT_ERR_FORMAT;
    admission_decide(&made);
    *again = made;
    return SNT_OK;
}

/* ---- pairs ---- */

/* Events whose [t0, t1] is the whole acquisition. */
static bool admission_whole(uint32_t event)
{
    return event == SNT_EVENT_INSTANT || event == SNT_EVENT_EXPOSURE || event == SNT_EVENT_SWEEP ||
           event == SNT_EVENT_INPUTS;
}

static bool admission_like(const snt_sample *a, const snt_sample *b)
{
    if ((ADMISSION_LATE_EVENTS >> a->event | ADMISSION_LATE_EVENTS >> b->event) & 1)
        return false;
    return (admission_whole(a->event) && admission_whole(b->event)) || a->event == b->event;
}

static snt_status admission_pair_status(const snt_pair_separation *pair)
{
    if (pair->limit_ns == SNT_UNKNOWN || pair->greatest_ns <= pair->limit_ns)
        return SNT_OK;
    return pair->least_ns > pair->limit_ns ? SNT_ERR_GAP : SNT_ERR_UNCERTAIN;
}

snt_status snt_admission_pair(const snt_sample *a, const snt_sample *b, int64_t limit_ns,
                              snt_pair_separation *out)
{
    snt_interval of_a = {0, 0}, of_b = {0, 0};
    snt_bounded_time middle_a = {0}, middle_b = {0};
    snt_status status = snt_sample_comparable(a, b);
    if (status < 0)
        return status;
    if (limit_ns < 0 || snt_sample_span(a, &of_a) < 0 || snt_sample_span(b, &of_b) < 0 ||
        snt_sample_moment(a, SNT_AT_MIDDLE, &middle_a) < 0 ||
        snt_sample_moment(b, SNT_AT_MIDDLE, &middle_b) < 0)
        return SNT_ERR_RANGE;
    if (!admission_like(a, b))
        return SNT_ERR_INCOMPATIBLE;
    const snt_duration between = snt_time_sub_sat(middle_a.t, middle_b.t);
    const snt_duration a_first = snt__sub_up(of_b.hi, of_a.lo), b_first = snt__sub_up(of_a.hi, of_b.lo);
    const snt_duration a_later = snt__sub_down(of_a.lo, of_b.hi), b_later = snt__sub_down(of_b.lo, of_a.hi);
    const snt_duration apart = a_later > b_later ? a_later : b_later;
    snt_pair_separation pair = {.estimate_ns = between < 0 ? snt_time_sub_sat(0, between) : between,
                                .least_ns = apart > 0 ? apart : 0,
                                .greatest_ns = a_first > b_first ? a_first : b_first,
                                .limit_ns = limit_ns,
                                .flags = a->flags | b->flags};
    pair.status = status = admission_pair_status(&pair);
    if (out)
        *out = pair;
    return status;
}

#undef ADMISSION_SIDES
#undef ADMISSION_LATE_EVENTS
