/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding: what is checked and learned of each sample, and the commonest cases without a search. */
#include "sample_sane.h"
#include "sync_emit.h"

/* One gap in sixteen begins a new block. */
static SNT__SYNC_COLD void add_learn_block(snt__sync_lane *lane)
{
    lane->previous_period = snt__sync_sub(lane->newest, lane->block_start) / (int64_t)SNT__SYNC_BLOCK;
    lane->previous_min = lane->block_min;
    lane->previous_max = lane->block_max;
    lane->block_min = INT64_MAX;
    lane->block_max = INT64_MIN;
    snt__sync_new_block(lane, lane->newest);
    lane->blocks = 1;
}

static SNT__SYNC_COLD void add_learn_odd(snt__sync_lane *lane, int64_t key)
{
    if (lane->newest != SNT_UNKNOWN && key <= lane->newest) {
        lane->backward += key < lane->newest;
        return;
    }
    lane->bound = snt__sync_bound(lane);
    snt__sync_set_newest(lane, key); /* the first, or the first after a hole of years */
    snt__sync_new_block(lane, key);
}

/* The difference as unsigned: a backward step is huge. */
static inline uint64_t add_gap(const snt__sync_lane *lane, int64_t key)
{
    return (uint64_t)key - (uint64_t)lane->newest;
}

SNT__SYNC_HOT void add_learn_gap(snt__sync_lane *lane, int64_t key, uint64_t gap)
{
    const int64_t step = (int64_t)gap;
    lane->newest = key;
    lane->until--;
    if (SNT_UNLIKELY(step > lane->block_max))
        lane->block_max = step;
    if (SNT_UNLIKELY(step < lane->block_min))
        lane->block_min = step;
}

SNT__SYNC_HOT void add_learn(snt__sync_lane *lane, int64_t key)
{
    const uint64_t gap = add_gap(lane, key);
    if (SNT_UNLIKELY(gap - 1 >= lane->reach)) {
        add_learn_odd(lane, key);
        return;
    }
    add_learn_gap(lane, key, gap);
    if (SNT_UNLIKELY(!lane->until))
        add_learn_block(lane);
}

/* Clock and session in full: the reason to refuse the sample, or 0. */
static SNT__SYNC_COLD uint32_t add_admit(snt_synchronizer *s, uint32_t input, const snt_sample *sample)
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
        snt__sync_new_lane_session(s, input, sample->session);
    }
    return 0;
}

/* A place for the sample; there is one, for adds are refused while there is none. */
SNT__SYNC_HOT uint32_t add_place(snt_synchronizer *s, uint32_t input, const snt_sample *sample, int64_t key)
{
    const uint32_t index = s->free_head;
    snt__sync_slot *slot = &s->slots[index];
    s->free_head = slot->next;
    slot->sample = *sample;
    slot->key = key;
    slot->arrived = s->now;
    slot->tag = (uint16_t)input;
    return index;
}

SNT__SYNC_HOT void add_push(snt__sync_lane *lane, int64_t key, uint32_t index)
{
    snt__sync_entry *entry = snt__sync_at(lane, lane->tail++);
    entry->key = key;
    entry->slot = index;
}

/* What is out of the ordinary: false = the sample was dropped. */
static SNT__SYNC_COLD bool add_odd(snt_synchronizer *s, uint32_t input, const snt_sample *sample, int64_t key)
{
    const snt__sync_lane *lane = &s->lanes[input];
    const uint32_t reason = add_admit(s, input, sample);
    if (reason) {
        snt__sync_drop(s, add_place(s, input, sample, key), reason, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
        return false;
    }
    if (sample->flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI))
        snt__sync_be_careful(s);
    if (s->jump_back > 0 && lane->newest != SNT_UNKNOWN && snt__sync_sub(lane->newest, key) > s->jump_back)
        snt__sync_restart(s, SNT_DROP_RESET);
    return true;
}

/* The commonest case takes a sample's word for its matching time. */
SNT__SYNC_HOT int64_t add_key(const snt__sync_lane *lane, const snt_sample *sample)
{
    const uint64_t at = (uint64_t)sample->t0_ns - ((UINT64_C(1) << 63) + 1);
    return SNT_LIKELY(at < lane->plain) ? sample->t0_ns : snt__sync_key(lane, sample);
}

/* One of the heads that make a set of EXACT leaves its queue; returns its place. */
SNT__SYNC_HOT uint32_t add_exact_head(snt_synchronizer *s, uint32_t rank, int64_t key)
{
    const uint32_t input = s->input_of[rank];
    snt__sync_lane *lane = &s->lanes[input];
    SNT__SYNC_HOLD(lane);
    const uint32_t head = lane->head, next = head + 1;
    lane->last_out = key;
    lane->cur = lane->head = next;
    if (SNT_UNLIKELY(next != lane->tail))
        s->front[rank] = snt__sync_at(lane, next)->key;
    else {
        s->full &= ~SNT__BIT(input);
        snt__sync_ran_empty(s, lane);
    }
    return snt__sync_at(lane, head)->slot;
}

SNT__SYNC_HOT void add_exact_member(snt_synchronizer *s, uint32_t rank, int64_t key, snt_sync_member *members)
{
    const uint32_t index = add_exact_head(s, rank, key);
    snt__sync_slot *slot = &s->slots[index];
    snt__sync_fill(&members[rank], &slot->sample, key, s->input_of[rank], 0);
    slot->next = s->free_head;
    s->free_head = index;
}

/* The heads of all others have the sample's stamp, and the set goes out without its having queued. */
SNT__SYNC_HOT void add_exact_out(snt_synchronizer *s, snt__sync_lane *own, uint32_t input, int64_t key,
                                 const snt_sample *sample, snt_sync_set *set, snt_sync_member *members,
                                 uint32_t ranks)
{
    const uint32_t rank = own->rank;
    snt__sync_fill(&members[rank], sample, key, input,
                   0); /* first: the sample may lie where this is written */
    own->last_out = key;
    snt__sync_ran_empty(s, own);
    if (ranks == 2)
        add_exact_member(s, rank ^ 1, key, members);
    else
        for (uint32_t r = 0; r < ranks; r++)
            if (r != rank)
                add_exact_member(s, r, key, members);
    snt__sync_facts_now(s, set, ranks, key, key, key, 0);
}

/* The same into the ready sets. */
static SNT__SYNC_COLD void add_exact_ready(snt_synchronizer *s, uint32_t input, int64_t key,
                                           const snt_sample *sample)
{
    snt__sync_lane *own = &s->lanes[input];
    uint32_t *row = snt__sync_row(s, s->ready_tail);
    own->last_out = key;
    snt__sync_ran_empty(s, own);
    for (uint32_t r = 0; r < s->ranks; r++)
        row[r] = r == own->rank ? add_place(s, input, sample, key) : add_exact_head(s, r, key);
    snt__sync_close_full(s, s->ranks, 0);
}

/* ADD_DONE = taken, and all there is was written. ADD_OUT = a set was written, and more may be ready. */
enum { ADD_DONE = 64, ADD_OUT, ADD_UNUSUAL };

/*
 * EXACT's two commonest cases, without a search: the queue is empty, and either some other is empty too, so the sample
 * waits, or all others have its stamp at their heads. ADD_UNUSUAL = neither.
 */
SNT__SYNC_HOT int add_exact(snt_synchronizer *s, snt__sync_lane *lane, uint32_t input, int64_t key,
                            const snt_sample *sample, snt_sync_set *set, snt_sync_member *members)
{
    const uint64_t full = s->full | SNT__BIT(input);
    if (SNT_UNLIKELY(full == s->full || key <= lane->last_out))
        return ADD_UNUSUAL;
    s->front[lane->rank] = key; /* not looked at while the queue is empty */
    if ((full & s->required) != s->required) {
        add_push(lane, key, add_place(s, input, sample, key));
        s->full = full;
        return SNT_OK;
    }
    const uint32_t ranks = s->ranks;
    if (SNT_LIKELY(ranks == 2)) {
        if (SNT_UNLIKELY(s->front[0] != s->front[1]))
            return ADD_UNUSUAL;
    } else
        for (uint32_t r = 0; r < ranks; r++)
            if (s->front[r] != key)
                return ADD_UNUSUAL;
    if (SNT_UNLIKELY(!set || !s->direct || s->ready_head != s->ready_tail)) {
        add_exact_ready(s, input, key, sample);
        return SNT_OK;
    }
    if (SNT_LIKELY(ranks == 2))
        add_exact_out(s, lane, input, key, sample, set, members, 2);
    else
        add_exact_out(s, lane, input, key, sample, set, members, ranks);
    return ADD_DONE;
}

/* Matches with what waits. A set that this decides goes out if it can. */
SNT__SYNC_HOT int add_match(snt_synchronizer *s, uint32_t input, uint32_t index, snt__sync_match match,
                            snt_sync_set *set, snt_sync_member *members)
{
    s->sink = set;
    s->sink_members = members;
    if (match)
        match(s, input, index);
    else
        snt__sync_approx_process(s);
    const bool out = s->sink != set;
    s->sink = NULL;
    return out ? ADD_OUT : SNT_OK;
}

/* Compat APPROXIMATE with room in the queue: only a sample that was awaited, and by nobody else, has consequences. */
SNT__SYNC_HOT int add_approximate(snt_synchronizer *s, snt__sync_lane *lane, uint32_t input, int64_t key,
                                  uint32_t index, snt_sync_set *set, snt_sync_member *members)
{
    const bool awaited = lane->cur == lane->tail;
    add_push(lane, key, index);
    if (!awaited)
        return SNT_OK;
    s->front[lane->rank] = key;
    s->full |= SNT__BIT(input);
    return snt__sync_complete(s) ? add_match(s, input, index, NULL, set, members) : SNT_OK;
}

/* Takes a sample. `set` and `members`, where not NULL, may be written at once. */
SNT__SYNC_HOT int add_one(snt_synchronizer *s, uint32_t input, const snt_sample *sample, snt_sync_set *set,
                          snt_sync_member *members)
{
    if (SNT_UNLIKELY(s->free_head == SNT__SYNC_NONE || s->ready_tail - s->ready_head >= s->ready_limit)) {
        s->refused++;
        return SNT_ERR_FULL;
    }
    snt__sync_lane *lane = &s->lanes[input];
    SNT__SYNC_HOLD(lane);
    lane->received++;
    const int64_t key = add_key(lane, sample);
    const uint32_t bounds = sample->flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    if (SNT_UNLIKELY((sample->domain ^ lane->domain) | sample->session | bounds | s->watchful) &&
        !add_odd(s, input, sample, key))
        return SNT_OK;
    add_learn(lane, key);
    if (SNT_LIKELY(lane->kind == SNT__SYNC_EXACT)) {
        const int done = add_exact(s, lane, input, key, sample, set, members);
        if (SNT_LIKELY(done != ADD_UNUSUAL))
            return done;
    }
    const uint32_t index = add_place(s, input, sample, key);
    if (lane->kind == SNT__SYNC_ROS && lane->tail - lane->head < lane->limit)
        return add_approximate(s, lane, input, key, index, set, members);
    return add_match(s, input, index, lane->match, set, members);
}

static inline snt_status add_anything(const snt_synchronizer *s)
{
    return snt__sync_undrained(s) | (s->ready_head ^ s->ready_open) ? SNT_OK : SNT_PENDING;
}

snt_status snt_synchronizer_add(snt_synchronizer *s, uint32_t input, const snt_sample *sample, snt_time now)
{
    if (!s || !sample || input >= s->inputs || !snt__sample_sane(sample))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    snt_status status = add_one(s, input, sample, NULL, NULL);
    if (SNT_LIKELY(status >= 0)) {
        if (SNT_UNLIKELY(s->deadline > 0))
            snt__sync_expire(s, SNT_UNKNOWN);
        status = add_anything(s);
    }
    snt__sync_leave(s);
    return status;
}

snt_status snt_synchronizer_add_poll(snt_synchronizer *s, uint32_t input, const snt_sample *sample,
                                     snt_time now, snt_sync_set *set, snt_sync_member *members,
                                     uint32_t capacity)
{
    if (!s || !sample || !set || !members || input >= s->inputs || !snt__sample_sane(sample))
        return SNT_ERR_INVALID_ARG;
    if (capacity < s->width)
        return SNT_ERR_BUFFER_TOO_SMALL;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    snt_status status = add_one(s, input, sample, set, members);
    if (SNT_LIKELY(status == ADD_DONE))
        status = SNT_OK;
    else if (status == ADD_OUT) {
        set->more = s->ready_open - s->ready_head;
        set->undrained = snt__sync_undrained(s);
        status = SNT_OK;
    } else if (SNT_LIKELY(status >= 0)) {
        if (SNT_UNLIKELY(s->timed))
            snt__sync_expire(s, SNT_UNKNOWN);
        if (SNT_LIKELY(s->ready_head == s->ready_open) || snt__sync_take(s, set, members) != SNT_OK)
            status = snt__sync_undrained(s) ? SNT_EMPTY : SNT_PENDING;
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
        status = add_one(s, inputs[i], &sample, NULL, NULL);
    }
    if (status >= 0) {
        if (s->deadline > 0)
            snt__sync_expire(s, SNT_UNKNOWN);
        status = add_anything(s);
    }
    snt__sync_leave(s);
    if (added)
        *added = i;
    return status;
}
