/* SPDX-License-Identifier: BSD-3-Clause */
/* The handle: adding, polling, sessions. */
#include "sync_internal.h"

void snt__sync_rematch(snt_synchronizer *s)
{
    if (s->policy == SNT_SYNC_APPROXIMATE) {
        if (s->flags & SNT_SYNC_COMPAT)
            snt__sync_approx_process(s);
        else
            snt__sync_approx_restart(s);
    } else if (s->policy == SNT_SYNC_EPSILON || s->policy == SNT_SYNC_EARLIEST)
        snt__sync_window_process(s);
}

/* One input starts anew: nothing of it may meet what comes. */
static void sync_restart_lane(snt_synchronizer *s, uint32_t input, uint32_t reason)
{
    snt__sync_lane *lane = &s->lanes[input];
    snt__sync_drop_waiting(s, input, reason);
    lane->last_out = INT64_MIN;
    lane->newest = SNT_UNKNOWN;
}

static void sync_forget_search(snt_synchronizer *s)
{
    s->pivot = SNT_SYNC_NO_INPUT;
    for (; s->hidden; s->hidden &= s->hidden - 1) {
        const uint32_t rank = snt__first_bit(s->hidden);
        snt__sync_lane *lane = snt__sync_ranked(s, rank);
        lane->cur = lane->head;
        snt__sync_touch(s, rank);
    }
}

static void sync_restart(snt_synchronizer *s, uint32_t reason)
{
    sync_forget_search(s);
    s->overflowed = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        sync_restart_lane(s, i, reason);
    snt__sync_dissolve_ready(s, false, reason);
    s->newest = INT64_MIN;
    s->resets++;
}

void snt__sync_new_epoch(snt_synchronizer *s)
{
    const uint32_t session = snt_epoch_session(s->epoch);
    if (session == s->session)
        return;
    sync_restart(s, SNT_DROP_RESET);
    s->session = session;
}

static void sync_learn_bound(const snt_synchronizer *s, snt__sync_lane *lane)
{
    if (lane->cfg.min_period_ns || (s->flags & (SNT_SYNC_COMPAT | SNT_SYNC_NO_LEARNING)) ||
        lane->blocks * SNT__SYNC_BLOCK + lane->block_count < 3)
        return;
    /* least gap of the last 16..31, and an eighth for jitter not seen yet */
    const int64_t least = lane->block_min < lane->previous_min ? lane->block_min : lane->previous_min;
    lane->bound = least - least / 8;
}

/* What a sample of one in sixteen, or with the shortest gap yet, has to do. Kept apart from the path of the others. */
static SNT__SYNC_COLD void sync_learn_seldom(const snt_synchronizer *s, snt__sync_lane *lane, int64_t step)
{
    lane->block_min = step < lane->block_min ? step : lane->block_min;
    sync_learn_bound(s, lane);
    if (lane->block_count < SNT__SYNC_BLOCK)
        return;
    lane->previous_period = snt__sync_sub(lane->newest, lane->block_start) / (int64_t)SNT__SYNC_BLOCK;
    lane->previous_min = lane->block_min;
    lane->previous_max = lane->block_max;
    lane->block_start = lane->newest;
    lane->block_min = INT64_MAX;
    lane->block_max = INT64_MIN;
    lane->block_count = 0;
    lane->blocks = 1;
    sync_learn_bound(s, lane);
}

static SNT__SYNC_COLD void sync_learn_odd(snt_synchronizer *s, snt__sync_lane *lane, int64_t key)
{
    if (lane->newest != SNT_UNKNOWN && key <= lane->newest) {
        lane->backward += key < lane->newest;
        return;
    }
    lane->newest = lane->block_start = key; /* the first, or the first after a hole of years */
    lane->block_count = 0;
    if (key > s->newest)
        s->newest = key;
}

SNT__SYNC_HOT void sync_learn(snt_synchronizer *s, snt__sync_lane *lane, int64_t key)
{
    /* the difference as unsigned: a backward step and a first stamp (newest unknown) are huge */
    const uint64_t gap = (uint64_t)key - (uint64_t)lane->newest;
    if (gap - 1 >= (uint64_t)SNT__SYNC_YEAR || lane->newest == SNT_UNKNOWN) {
        sync_learn_odd(s, lane, key);
        return;
    }
    lane->newest = key;
    if (key > s->newest)
        s->newest = key;
    const int64_t step = (int64_t)gap;
    const uint32_t n = ++lane->block_count;
    lane->block_max = step > lane->block_max ? step : lane->block_max;
    if (SNT_UNLIKELY(step < lane->block_min || n == 3 || n == SNT__SYNC_BLOCK))
        sync_learn_seldom(s, lane, step);
}

static void sync_new_lane_session(snt_synchronizer *s, uint32_t input, uint32_t session)
{
    if (s->lanes[input].session) {
        sync_forget_search(s);
        sync_restart_lane(s, input, SNT_DROP_RESET);
        s->resets++;
    }
    s->lanes[input].session = session;
}

/* Clock and session in full: the reason to refuse the sample, or 0. */
static SNT__SYNC_COLD uint32_t sync_admit(snt_synchronizer *s, uint32_t input, const snt_sample *sample)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (s->adopt_domain && !lane->cfg.domain) {
        s->domain = sample->domain;
        s->adopt_domain = 0;
        for (uint32_t i = 0; i < s->inputs; i++)
            if (!s->lanes[i].cfg.domain)
                s->lanes[i].domain = s->domain;
    }
    if (sample->domain != lane->domain)
        return SNT_DROP_WRONG_DOMAIN;
    if (sample->t0_ns == 0 && (s->flags & SNT_SYNC_REFUSE_ZERO))
        return SNT_DROP_ZERO_STAMP;
    if (!sample->session)
        return 0;
    if (s->epoch)
        return (int32_t)(sample->session - s->session) < 0 ? SNT_DROP_STRAGGLER : 0;
    if (sample->session != lane->session) {
        if (lane->session && (int32_t)(sample->session - lane->session) < 0)
            return SNT_DROP_STRAGGLER;
        sync_new_lane_session(s, input, sample->session);
    }
    return 0;
}

void snt__sync_attached_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (!snt__sync_insert_sorted(s, lane, index))
        return;
    snt__sync_touch_any(s, input);
    snt__sync_attach(s);
    if (lane->tail - lane->head > lane->limit) {
        snt__sync_overflow(s, input);
        snt__sync_touch_any(s, input);
    }
}

SNT__SYNC_HOT snt_status sync_add(snt_synchronizer *s, uint32_t input, const snt_sample *sample)
{
    if (s->free_head == SNT__SYNC_NONE || s->ready_tail - s->ready_head >= s->ready_limit) {
        s->refused++;
        return SNT_ERR_FULL;
    }
    snt__sync_lane *lane = &s->lanes[input];
    const uint32_t index = s->free_head;
    snt__sync_slot *slot = &s->slots[index];
    s->free_head = slot->next;
    slot->sample = *sample;
    slot->arrived = s->now;
    slot->gap = 0;
    slot->lent = 0;
    slot->tag = (uint16_t)input;
    lane->received++;
    /* finite, in one comparison: INT64_MAX becomes 0 and INT64_MIN 1 */
    const bool finite = (uint64_t)sample->t0_ns + ((UINT64_C(1) << 63) + 1) > 1;
    const int64_t key = SNT_LIKELY(lane->plain & finite) ? sample->t0_ns : snt__sync_key(lane, sample);
    slot->key = key;
    const uint32_t bounds = sample->flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    if (SNT_UNLIKELY((sample->domain ^ lane->domain) | sample->session | bounds | s->watchful)) {
        const uint32_t reason = sync_admit(s, input, sample);
        if (reason) {
            snt__sync_drop(s, index, reason, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
            return SNT_OK;
        }
        s->careful |= bounds;
        if (s->jump_back > 0 && lane->newest != SNT_UNKNOWN &&
            snt__sync_sub(lane->newest, key) > s->jump_back)
            sync_restart(s, SNT_DROP_RESET);
    }
    sync_learn(s, lane, key);
    if (s->policy == SNT_SYNC_EXACT ? snt__sync_exact_quick(s, input, index)
                                    : snt__sync_approx_quick(s, lane, index))
        return SNT_OK;
    lane->match(s, input, index);
    return SNT_OK;
}

static snt_status sync_anything(const snt_synchronizer *s)
{
    return s->drop_count | (s->ready_head ^ s->ready_open) ? SNT_OK : SNT_PENDING;
}

static bool sync_sane(const snt_sample *sample)
{
    return (sample->t1_ns >= sample->t0_ns) & ((sample->err_lo_ns | sample->err_hi_ns) >= 0);
}

snt_status snt_synchronizer_add(snt_synchronizer *s, uint32_t input, const snt_sample *sample, snt_time now)
{
    if (!s || !sample || input >= s->inputs || !sync_sane(sample))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    snt_status status = sync_add(s, input, sample);
    if (status >= 0) {
        if (s->deadline > 0)
            snt__sync_expire(s, SNT_UNKNOWN);
        status = sync_anything(s);
    }
    snt__sync_leave(s);
    return status;
}

snt_status snt_synchronizer_add_many(snt_synchronizer *s, const uint32_t *inputs, const snt_time *t_ns,
                                     const uint64_t *tokens, uint64_t count, uint32_t domain, snt_time now,
                                     uint64_t *added)
{
    if (!s || (count && (!inputs || !t_ns || !tokens)))
        return SNT_ERR_INVALID_ARG;
    snt_sample sample;
    snt_sample_init(&sample, 0, domain, 0);
    uint64_t i = 0;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    snt_status status = SNT_OK;
    for (; i < count && status >= 0; i += status >= 0) {
        if (inputs[i] >= s->inputs) {
            status = SNT_ERR_INVALID_ARG;
            continue;
        }
        sample.t0_ns = sample.t1_ns = t_ns[i];
        sample.token = tokens[i];
        status = sync_add(s, inputs[i], &sample);
    }
    if (status >= 0) {
        if (s->deadline > 0)
            snt__sync_expire(s, SNT_UNKNOWN);
        status = sync_anything(s);
    }
    snt__sync_leave(s);
    if (added)
        *added = i;
    return status;
}

static inline void sync_fill(const snt__sync_slot *slot, snt_sync_member *out)
{
    out->sample = slot->sample;
    out->key_ns = slot->key;
    out->weight_num = 0;
    out->weight_den = 1;
    out->input = snt__sync_input(slot);
    out->flags = slot->lent ? SNT_MEMBER_LENT : 0;
}

static void sync_weigh(snt_sync_member *before, snt_sync_member *after, int64_t reference)
{
    before->flags |= SNT_MEMBER_BEFORE;
    after->flags |= SNT_MEMBER_AFTER;
    const int64_t whole = snt__sync_sub(after->key_ns, before->key_ns);
    const int64_t part = snt__sync_sub(reference, before->key_ns);
    before->weight_num = after->weight_num = whole > 0 ? part : 0;
    before->weight_den = after->weight_den = whole > 0 ? whole : 1;
}

static inline void sync_free(snt_synchronizer *s, uint32_t index)
{
    s->slots[index].next = s->free_head;
    s->free_head = index;
}

/* Where bounds, intervals or attached inputs have a say in how far the members are apart. */
static SNT__SYNC_COLD void sync_measure(const snt_synchronizer *s, const snt__sync_ready *ready,
                                        const uint32_t *row, snt_sync_member *members, snt_sync_set *set)
{
    uint32_t matched[2 * SNT_SYNC_MAX_INPUTS], m = 0;
    snt__sync_separation separation;
    for (uint32_t i = 0; i < ready->count; i++) {
        const uint32_t role = s->lanes[members[i].input].cfg.role;
        if (role <= SNT_ROLE_OPTIONAL)
            matched[m++] = row[i];
        else if (role == SNT_ROLE_INTERPOLATED && i && members[i - 1].input == members[i].input)
            sync_weigh(&members[i - 1], &members[i], ready->reference);
    }
    snt__sync_separate(s, matched, m, &separation);
    set->start_ns = separation.start;
    set->end_ns = separation.end;
    set->separation_ns = separation.nominal;
    set->separation_lo_ns = separation.lo;
    set->separation_hi_ns = separation.hi;
    set->verdict = separation.verdict;
}

static inline void sync_hand_out(snt_synchronizer *s, snt_sync_set *set, snt_sync_member *members)
{
    const uint32_t at = s->ready_head++;
    const snt__sync_ready *ready = &s->ready[at & s->ready_mask];
    const uint32_t *row = snt__sync_row(s, at), count = ready->count;
    int64_t start = INT64_MAX, end = INT64_MIN;
    uint32_t lent = 0,
             free_head = s->free_head; /* what is let go of stays readable: places are only linked */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = row[i];
        snt__sync_slot *slot = &s->slots[index];
        sync_fill(slot, &members[i]);
        start = slot->key < start ? slot->key : start;
        end = slot->key > end ? slot->key : end;
        if (SNT_UNLIKELY(slot->lent)) {
            snt__sync_release(s, index); /* into the drop list, if anywhere */
            lent++;
        } else {
            slot->next = free_head;
            free_head = index;
        }
    }
    s->free_head = free_head;
    s->out += count - lent;
    const int64_t nominal = snt__sync_sub(end, start);
    set->number = s->number++;
    set->reference_ns = ready->reference;
    set->start_ns = start; /* one key per member and no bounds */
    set->end_ns = end;
    set->separation_ns = nominal;
    set->separation_lo_ns = nominal;
    set->separation_hi_ns = count < 2 ? 0 : SNT_UNKNOWN;
    set->decided_ns = ready->decided;
    set->present = ready->present;
    set->missing = ready->missing;
    set->member_count = count;
    set->verdict = s->max_separation == SNT_UNKNOWN || count < 2 ? SNT_SYNC_CERTAIN
                   : nominal <= s->max_separation                ? SNT_SYNC_POSSIBLE
                                                                 : SNT_SYNC_NO;
    set->flags = ready->flags;
    set->session = ready->session;
    set->domain = s->domain;
    set->more = s->ready_open - s->ready_head;
    set->undrained = s->drop_count;
    set->reserved = 0;
    if (SNT_UNLIKELY(s->careful | (s->attached != 0)))
        sync_measure(s, ready, row, members, set);
}

snt_status snt_synchronizer_poll(snt_synchronizer *s, snt_time now, snt_time now_stamp, snt_sync_set *set,
                                 snt_sync_member *members, uint32_t capacity)
{
    if (!s || !set || !members)
        return SNT_ERR_INVALID_ARG;
    if (capacity < s->width)
        return SNT_ERR_BUFFER_TOO_SMALL;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    if (SNT_UNLIKELY(s->timed))
        snt__sync_expire(s, now_stamp);
    snt_status status = SNT_EMPTY;
    while (s->ready_head != s->ready_open) {
        if (SNT_UNLIKELY(!s->ready[s->ready_head & s->ready_mask].count)) {
            s->ready_head++; /* dissolved */
            continue;
        }
        sync_hand_out(s, set, members);
        status = SNT_OK;
        break;
    }
    snt__sync_leave(s);
    return status;
}

snt_status snt_synchronizer_poll_drops(snt_synchronizer *s, snt_sync_drop *drops, uint32_t capacity,
                                       uint32_t *count)
{
    if (!s || !count || (capacity && !drops))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    uint32_t n = 0;
    for (; n < capacity && s->drop_count; n++) {
        const uint32_t index = s->drop_head;
        const snt__sync_slot *slot = &s->slots[index];
        const uint32_t notes = slot->sample.reserved, partner = notes >> 8;
        const bool retired = snt__sync_reason(slot) == SNT_DROP_RETIRED;
        snt_sync_drop *drop = &drops[n];
        drop->sample = slot->sample;
        drop->sample.reserved = 0;
        drop->key_ns = slot->key;
        drop->waited_ns = slot->arrived;
        drop->gap_ns = retired ? SNT_UNKNOWN : slot->gap;
        drop->input = snt__sync_input(slot);
        drop->reason = snt__sync_reason(slot);
        drop->cause = notes & 255;
        drop->partner = partner == 255 ? SNT_SYNC_NO_INPUT : partner;
        drop->uses = retired ? (uint32_t)slot->gap : 0;
        drop->reserved = 0;
        s->drop_head = slot->next;
        s->drop_count--;
        sync_free(s, index);
    }
    snt__sync_leave(s);
    *count = n;
    return n ? SNT_OK : SNT_EMPTY;
}

snt_status snt_synchronizer_reset(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    sync_restart(s, SNT_DROP_RESET);
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_clear(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    sync_forget_search(s);
    for (uint32_t i = 0; i < s->inputs; i++)
        snt__sync_drop_waiting(s, i, SNT_DROP_CLEARED);
    snt__sync_dissolve_ready(s, true, SNT_DROP_CLEARED);
    s->ready_head = s->ready_tail;
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_offset(snt_synchronizer *s, uint32_t input, snt_duration offset,
                                       snt_duration offset_err)
{
    if (!s || input >= s->inputs || offset_err < 0)
        return SNT_ERR_INVALID_ARG;
    if (s->flags & SNT_SYNC_COMPAT)
        return SNT_ERR_UNSUPPORTED;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    sync_forget_search(s);
    snt__sync_lane *lane = &s->lanes[input];
    lane->cfg.offset_ns = offset;
    lane->cfg.offset_err_ns = offset_err;
    lane->plain = lane->cfg.match == SNT_MATCH_START && offset == 0;
    s->careful |= offset_err > 0;
    lane->newest = SNT_UNKNOWN;
    for (uint32_t i = lane->head; i != lane->tail; i++) { /* all move alike, so their order stays */
        snt__sync_entry *entry = snt__sync_at(lane, i);
        entry->key = snt__sync_key(lane, &s->slots[entry->slot].sample);
        s->slots[entry->slot].key = entry->key;
        lane->newest = entry->key;
    }
    for (uint32_t late = 0; lane->head != lane->tail && snt__sync_at(lane, lane->head)->key < lane->last_out;
         late++)
        snt__sync_drop_front(s, lane, SNT_DROP_LATE, SNT_SYNC_NO_INPUT);
    snt__sync_touch_any(s, input);
    snt__sync_rematch(s);
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_max_separation(snt_synchronizer *s, snt_duration max_separation)
{
    if (!s || max_separation < 0)
        return SNT_ERR_INVALID_ARG;
    if (max_separation == SNT_UNKNOWN && (s->policy == SNT_SYNC_EPSILON || s->policy == SNT_SYNC_EARLIEST))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    s->max_separation = max_separation;
    sync_forget_search(s);
    snt__sync_rematch(s);
    snt__sync_leave(s);
    return SNT_OK;
}
