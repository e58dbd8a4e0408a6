/* SPDX-License-Identifier: BSD-3-Clause */
/* The handle: adding, polling, sessions. */
#include "sync_internal.h"

static void sync_enter(snt_synchronizer *s)
{
    if (!(s->flags & SNT_SYNC_SINGLE_THREAD))
        snt__lock_acquire(&s->lock);
}

static void sync_leave(snt_synchronizer *s)
{
    if (!(s->flags & SNT_SYNC_SINGLE_THREAD))
        snt__lock_release(&s->lock);
}

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

static void sync_new_epoch(snt_synchronizer *s)
{
    const uint32_t session = snt_epoch_session(s->epoch);
    if (session == s->session)
        return;
    sync_restart(s, SNT_DROP_RESET);
    s->session = session;
}

/* At the start of every call: is it still the same session, and what time is it? */
SNT__SYNC_HOT void sync_begin(snt_synchronizer *s, snt_time now)
{
    if (now != SNT_UNKNOWN && (s->now == SNT_UNKNOWN || now > s->now))
        s->now = now;
    if (SNT_UNLIKELY(s->epoch != NULL))
        sync_new_epoch(s);
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

static void sync_learn_block(const snt_synchronizer *s, snt__sync_lane *lane)
{
    lane->previous_period = snt__sync_period(lane);
    lane->previous_min = lane->block_min;
    lane->previous_max = lane->block_max;
    lane->block_start = lane->newest;
    lane->block_min = INT64_MAX;
    lane->block_max = INT64_MIN;
    lane->block_count = 0;
    lane->blocks = 1;
    sync_learn_bound(s, lane);
}

static void sync_learn_odd(snt_synchronizer *s, snt__sync_lane *lane, int64_t key)
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
    lane->block_count++;
    if (step > lane->block_max)
        lane->block_max = step;
    if (step < lane->block_min) {
        lane->block_min = step;
        sync_learn_bound(s, lane);
    } else if (lane->block_count == 3)
        sync_learn_bound(s, lane);
    if (lane->block_count == SNT__SYNC_BLOCK)
        sync_learn_block(s, lane);
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
static uint32_t sync_admit(snt_synchronizer *s, uint32_t input, const snt_sample *sample)
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
    const int64_t key = lane->plain && sample->t0_ns > INT64_MIN && sample->t0_ns < INT64_MAX
                            ? sample->t0_ns
                            : snt__sync_key(lane, sample);
    slot->key = key;
    if (SNT_UNLIKELY((sample->domain ^ lane->domain) | sample->session | s->watchful)) {
        const uint32_t reason = sync_admit(s, input, sample);
        if (reason) {
            snt__sync_drop(s, index, reason, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
            return SNT_OK;
        }
        if (s->jump_back > 0 && lane->newest != SNT_UNKNOWN &&
            snt__sync_sub(lane->newest, key) > s->jump_back)
            sync_restart(s, SNT_DROP_RESET);
    }
    s->careful |= sample->flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    sync_learn(s, lane, key);
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
    sync_enter(s);
    sync_begin(s, now);
    snt_status status = sync_add(s, input, sample);
    if (status >= 0) {
        if (s->deadline > 0)
            snt__sync_expire(s, SNT_UNKNOWN);
        status = sync_anything(s);
    }
    sync_leave(s);
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
    sync_enter(s);
    sync_begin(s, now);
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
    sync_leave(s);
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

static void sync_measure_careful(snt_synchronizer *s, const snt__sync_ready *ready, const uint32_t *row,
                                 snt_sync_member *members, snt__sync_separation *out)
{
    uint32_t matched[2 * SNT_SYNC_MAX_INPUTS], m = 0;
    for (uint32_t i = 0; i < ready->count; i++) {
        const uint32_t role = s->lanes[members[i].input].cfg.role;
        if (role <= SNT_ROLE_OPTIONAL)
            matched[m++] = row[i];
        else if (role == SNT_ROLE_INTERPOLATED && i && members[i - 1].input == members[i].input)
            sync_weigh(&members[i - 1], &members[i], ready->reference);
    }
    snt__sync_separate(s, matched, m, out);
}

static void sync_hand_out(snt_synchronizer *s, snt_sync_set *set, snt_sync_member *members)
{
    const uint32_t at = s->ready_head++;
    const snt__sync_ready *ready = &s->ready[at & s->ready_mask];
    const uint32_t *row = snt__sync_row(s, at), count = ready->count;
    snt__sync_separation separation;
    int64_t start = INT64_MAX, end = INT64_MIN;
    uint32_t lent = 0; /* what is let go of below stays readable: places are only linked */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = row[i];
        const snt__sync_slot *slot = &s->slots[index];
        sync_fill(slot, &members[i]);
        start = slot->key < start ? slot->key : start;
        end = slot->key > end ? slot->key : end;
        if (SNT_UNLIKELY(slot->lent)) {
            snt__sync_release(s, index);
            lent++;
        } else
            sync_free(s, index);
    }
    s->out += count - lent;
    if (SNT_UNLIKELY(s->careful || s->attached))
        sync_measure_careful(s, ready, row, members, &separation);
    else { /* one key per member and no bounds */
        separation.start = start;
        separation.end = end;
        separation.nominal = separation.lo = snt__sync_sub(end, start);
        separation.hi = count < 2 ? 0 : SNT_UNKNOWN;
        separation.verdict = s->max_separation == SNT_UNKNOWN || count < 2 ? SNT_SYNC_CERTAIN
                             : separation.nominal <= s->max_separation     ? SNT_SYNC_POSSIBLE
                                                                           : SNT_SYNC_NO;
    }
    set->number = s->number++;
    set->reference_ns = ready->reference;
    set->start_ns = separation.start;
    set->end_ns = separation.end;
    set->separation_ns = separation.nominal;
    set->separation_lo_ns = separation.lo;
    set->separation_hi_ns = separation.hi;
    set->decided_ns = ready->decided;
    set->present = ready->present;
    set->missing = ready->missing;
    set->member_count = count;
    set->verdict = separation.verdict;
    set->flags = ready->flags;
    set->session = ready->session;
    set->domain = s->domain;
    set->more = s->ready_open - s->ready_head;
    set->undrained = s->drop_count;
    set->reserved = 0;
}

snt_status snt_synchronizer_poll(snt_synchronizer *s, snt_time now, snt_time now_stamp, snt_sync_set *set,
                                 snt_sync_member *members, uint32_t capacity)
{
    if (!s || !set || !members)
        return SNT_ERR_INVALID_ARG;
    if (capacity < s->width)
        return SNT_ERR_BUFFER_TOO_SMALL;
    sync_enter(s);
    sync_begin(s, now);
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
    sync_leave(s);
    return status;
}

snt_status snt_synchronizer_poll_drops(snt_synchronizer *s, snt_sync_drop *drops, uint32_t capacity,
                                       uint32_t *count)
{
    if (!s || !count || (capacity && !drops))
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
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
    sync_leave(s);
    *count = n;
    return n ? SNT_OK : SNT_EMPTY;
}

snt_status snt_synchronizer_reset(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
    sync_restart(s, SNT_DROP_RESET);
    sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_clear(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
    sync_forget_search(s);
    for (uint32_t i = 0; i < s->inputs; i++)
        snt__sync_drop_waiting(s, i, SNT_DROP_CLEARED);
    snt__sync_dissolve_ready(s, true, SNT_DROP_CLEARED);
    s->ready_head = s->ready_tail;
    sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_offset(snt_synchronizer *s, uint32_t input, snt_duration offset,
                                       snt_duration offset_err)
{
    if (!s || input >= s->inputs || offset_err < 0)
        return SNT_ERR_INVALID_ARG;
    if (s->flags & SNT_SYNC_COMPAT)
        return SNT_ERR_UNSUPPORTED;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
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
    sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_max_separation(snt_synchronizer *s, snt_duration max_separation)
{
    if (!s || max_separation < 0)
        return SNT_ERR_INVALID_ARG;
    if (max_separation == SNT_UNKNOWN && (s->policy == SNT_SYNC_EPSILON || s->policy == SNT_SYNC_EARLIEST))
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
    s->max_separation = max_separation;
    sync_forget_search(s);
    snt__sync_rematch(s);
    sync_leave(s);
    return SNT_OK;
}

static uint64_t sync_count_in(const snt_synchronizer *s)
{
    uint64_t in = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        in += s->lanes[i].received;
    return in;
}

/* Counted, not kept: so the books are two independent sums. */
static uint64_t sync_count_held(const snt_synchronizer *s)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        held += s->lanes[i].tail - s->lanes[i].head;
    for (uint32_t i = s->ready_head; i != s->ready_tail; i++) {
        const uint32_t *row = snt__sync_row(s, i);
        for (uint32_t k = 0; k < s->ready[i & s->ready_mask].count; k++)
            held += !s->slots[row[k]].lent;
    }
    return held;
}

snt_status snt_synchronizer_stats(snt_synchronizer *s, snt_sync_stats *stats)
{
    if (!s || !stats)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, SNT_UNKNOWN);
    *stats = (snt_sync_stats){.in = sync_count_in(s),
                              .out = s->out,
                              .held = sync_count_held(s),
                              .sets = s->sets,
                              .partial = s->partial,
                              .refused = s->refused,
                              .resets = s->resets};
    memcpy(stats->dropped, s->dropped, sizeof s->dropped);
    sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_check(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    const uint64_t held = sync_count_held(s);
    uint64_t pending = 0, free_slots = 0, drops = 0, sum = s->out + held;
    for (uint32_t i = s->free_head; i != SNT__SYNC_NONE && free_slots <= s->slot_count;
         i = s->slots[i].next) {
        free_slots++;
        pending -= snt__sync_reason(&s->slots[i]) && s->slots[i].lent; /* a free one is none */
    }
    for (uint32_t i = 0; i < s->slot_count; i++)
        pending += snt__sync_reason(&s->slots[i]) && s->slots[i].lent;
    for (uint32_t i = s->drop_head, n = 0; n < s->drop_count; n++, i = s->slots[i].next)
        drops += snt__sync_reason(&s->slots[i]) != 0;
    for (uint32_t i = 0; i < SNT_DROP_COUNT; i++)
        sum += s->dropped[i];
    const bool good = sum == sync_count_in(s) && drops == s->drop_count &&
                      free_slots + held + drops + pending == s->slot_count;
    sync_leave(s);
    return good ? SNT_OK : SNT_ERR_VIOLATION;
}

/* The two diagnoses read under the lock too. */
static uint32_t sync_suggested_queue(const snt_synchronizer *s, const snt__sync_lane *lane)
{
    int64_t slowest = 0, lag = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *other = &s->lanes[s->input_of[r]];
        const int64_t period = snt__sync_period(other);
        if (period == SNT_UNKNOWN)
            return 0;
        const int64_t longest = snt__sync_plus(period, snt__sync_jitter(other));
        slowest = longest > slowest ? longest : slowest;
        const int64_t behind = snt__sync_sub(s->newest, other->newest);
        lag = behind > lag ? behind : lag;
    }
    const int64_t own = snt__sync_period(lane);
    if (own == SNT_UNKNOWN || own < 1)
        return 0;
    const int64_t n = snt__sync_plus(slowest, lag) / own + 3;
    return n < (1 << 20) ? (uint32_t)n : 1u << 20;
}

snt_status snt_synchronizer_input_info(snt_synchronizer *s, uint32_t input, snt_time now,
                                       snt_sync_input_info *info)
{
    if (!s || !info || input >= s->inputs)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, now);
    const snt__sync_lane *lane = &s->lanes[input];
    const bool any = lane->head != lane->tail;
    const snt__sync_entry *oldest = snt__sync_at(lane, lane->head);
    const int64_t arrived = any ? s->slots[oldest->slot].arrived : SNT_UNKNOWN;
    *info = (snt_sync_input_info){
        .received = lane->received,
        .in_sets = lane->in_sets,
        .newest_ns = lane->newest,
        .oldest_waiting_ns = any ? oldest->key : SNT_UNKNOWN,
        .waiting_since_ns =
            arrived != SNT_UNKNOWN && s->now != SNT_UNKNOWN ? snt__sync_sub(s->now, arrived) : SNT_UNKNOWN,
        .period_ns = snt__sync_period(lane),
        .jitter_ns = snt__sync_jitter(lane),
        .min_period_ns = lane->bound,
        .nearest_miss_ns = lane->miss,
        .miss_key_ns = lane->miss == SNT_UNKNOWN ? SNT_UNKNOWN : lane->miss_key,
        .miss_partner_ns = lane->miss == SNT_UNKNOWN ? SNT_UNKNOWN : lane->miss_partner_key,
        .miss_partner = lane->miss == SNT_UNKNOWN ? SNT_SYNC_NO_INPUT : lane->miss_partner,
        .waiting = lane->tail - lane->head,
        .suggested_queue = sync_suggested_queue(s, lane),
        .backward = lane->backward};
    sync_leave(s);
    return SNT_OK;
}

/*
 * Free-running inputs: beside the slowest, whose every sample wants partners, the nearest sample of another lies within
 * half its period, so two others are apart by at most the sum of their half periods.
 */
static int64_t sync_suggested_slop(const snt_synchronizer *s)
{
    int64_t longest[3] = {0, 0, 0}, jitter = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = &s->lanes[s->input_of[r]];
        int64_t p = snt__sync_period(lane);
        if (p == SNT_UNKNOWN)
            return SNT_UNKNOWN;
        for (uint32_t k = 0; k < 3; k++) {
            if (p > longest[k]) {
                const int64_t old = longest[k];
                longest[k] = p;
                p = old;
            }
        }
        jitter = snt__sync_jitter(lane) > jitter ? snt__sync_jitter(lane) : jitter;
    }
    return s->ranks < 2 ? 0 : snt__sync_plus(longest[1] / 2 + longest[2] / 2, jitter);
}

snt_status snt_synchronizer_diagnose(snt_synchronizer *s, snt_time now, snt_sync_diagnosis *diagnosis)
{
    if (!s || !diagnosis)
        return SNT_ERR_INVALID_ARG;
    sync_enter(s);
    sync_begin(s, now);
    snt_sync_diagnosis d = {.blocker = SNT_SYNC_NO_INPUT,
                            .ready = s->ready_open - s->ready_head,
                            .blocked_since_ns = SNT_UNKNOWN,
                            .oldest_age_ns = SNT_UNKNOWN,
                            .suggested_slop_ns = sync_suggested_slop(s),
                            .undrained = s->drop_count};
    int64_t oldest = INT64_MAX;
    for (uint32_t i = 0; i < s->inputs; i++) {
        const snt__sync_lane *lane = &s->lanes[i];
        const bool wanted = lane->cfg.role != SNT_ROLE_OPTIONAL && !(lane->cfg.flags & SNT_SYNC_MAY_LACK);
        d.never |= lane->received ? 0 : SNT__BIT(i);
        if (lane->head != lane->tail) {
            const int64_t key = snt__sync_at(lane, lane->head)->key;
            if (lane->cfg.role != SNT_ROLE_LATCHED)
                oldest = key < oldest ? key : oldest;
            continue;
        }
        if (!wanted)
            continue;
        d.empty |= SNT__BIT(i);
        if (d.blocker == SNT_SYNC_NO_INPUT || lane->empty_since < s->lanes[d.blocker].empty_since)
            d.blocker = i;
    }
    if (d.blocker != SNT_SYNC_NO_INPUT && s->lanes[d.blocker].empty_since != INT64_MIN)
        d.blocked_since_ns = s->lanes[d.blocker].empty_since;
    if (oldest != INT64_MAX)
        d.oldest_age_ns = snt__sync_sub(s->newest, oldest);
    *diagnosis = d;
    sync_leave(s);
    return SNT_OK;
}
