/* SPDX-License-Identifier: BSD-3-Clause */
/* Who writes an edge, how often, and what was refused. Under the edge's lock. */
#include "tf_internal.h"

/* Count a refusal where an edge can remember it. */
snt_status snt__tf_refuse(tf_edge *edge, const snt_tf_transform *in, snt_status status)
{
    snt_tf_edge_info *info = &edge->info;
    switch (status) {
    case SNT_ERR_PAST:
        info->refused_past++;
        break;
    case SNT_ERR_FUTURE:
        info->refused_future++;
        break;
    case SNT_ERR_NON_FINITE:
    case SNT_ERR_BAD_QUATERNION:
        info->refused_value++;
        break;
    case SNT_ERR_DUPLICATE:
        info->refused_duplicate++;
        break;
    default:
        info->refused_structure++;
    }
    info->last_refusal = status;
    info->last_refusal_stamp = in->stamp;
    info->last_refusal_authority = in->authority;
    return status;
}

/* ---- publishers ---- */

static uint32_t tf_publisher_index(snt_tf_edge_info *info, uint32_t authority)
{
    for (uint32_t i = 0; i < info->publishers; i++)
        if (info->publisher[i].authority == authority)
            return i;
    if (info->publishers < SNT_COUNT_OF(info->publisher)) {
        info->publisher[info->publishers] = (snt_tf_publisher){.authority = authority, .last = SNT_UNKNOWN};
        return info->publishers++;
    }
    info->publisher[SNT_COUNT_OF(info->publisher) - 1].authority = authority;
    return SNT_COUNT_OF(info->publisher) - 1;
}

/* Whether this publisher may write now, by the edge's policy. */
snt_status snt__tf_claim(const snt_tf_buffer *b, tf_edge *edge, const snt_tf_transform *in, uint32_t *effect,
                         uint32_t *index)
{
    snt_tf_edge_info *info = &edge->info;
    if (SNT_LIKELY(info->publishers == 1 && info->publisher[0].authority == in->authority)) {
        *index = 0;
        return SNT_OK;
    }
    const bool first = info->publishers == 0;
    const uint32_t i = *index = tf_publisher_index(info, in->authority);
    if (first) {
        edge->owner = edge->last_publisher = (uint8_t)i;
        return SNT_OK;
    }
    const uint32_t policy = edge->conflict ? edge->conflict : b->config.conflict;
    if (i != edge->last_publisher) {
        info->conflicts++;
        *effect |= SNT_TF_CONFLICTED;
    }
    if (i == edge->owner || policy == SNT_TF_CONFLICT_LAST) {
        edge->owner = (uint8_t)i;
        return SNT_OK;
    }
    const snt_tf_publisher *owner = &info->publisher[edge->owner];
    const bool silent = owner->last == SNT_UNKNOWN || tf_minus(in->stamp, owner->last) > edge->keep_ns;
    const bool outranks = policy == SNT_TF_CONFLICT_PRIORITY && in->authority > owner->authority;
    if (outranks || (silent && policy != SNT_TF_CONFLICT_REFUSE)) {
        edge->owner = (uint8_t)i;
        return SNT_OK;
    }
    info->publisher[i].refused++;
    return SNT_ERR_CONFLICT;
}

/* ---- statistics ---- */

void snt__tf_note_period(tf_edge *edge, uint64_t dt)
{
    dt = dt < TF_LONGEST_STEP ? dt : TF_LONGEST_STEP;
    if (edge->intervals == 16) {
        tf_note_steady(edge, dt);
        return;
    }
    int64_t sum = (int64_t)tf_word_get(&edge->period), now = (int64_t)dt * 16;
    const int64_t n = ++edge->intervals;
    if (n == 2)
        sum = -sum;
    if (n > 3 && now > 4 * sum)
        now = 4 * sum;
    const int64_t off = now > sum ? now - sum : sum - now;
    sum += (now - sum) / n;
    edge->jitter = n > 1 ? edge->jitter + (off - edge->jitter) / (n - 1) : 0;
    tf_word_set(&edge->period, (uint64_t)(n > 1 ? sum : -sum));
}

void snt__tf_note_stored(tf_edge *edge, const snt_tf_transform *in, uint32_t effect, uint32_t publisher)
{
    snt_tf_publisher *p = &edge->info.publisher[publisher];
    if (effect & SNT_TF_SAME) {
        edge->info.same++;
    } else {
        edge->info.accepted++;
        edge->info.late += (effect & SNT_TF_LATE) != 0;
        edge->info.changed += (effect & SNT_TF_CHANGED) != 0;
    }
    p->accepted++;
    if (p->last == SNT_UNKNOWN || in->stamp > p->last)
        p->last = in->stamp;
    edge->last_publisher = (uint8_t)publisher;
    if (in->now != SNT_UNKNOWN)
        tf_note_delay(edge, tf_minus(in->now, in->stamp));
}
