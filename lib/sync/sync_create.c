/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, their contradictions, and the one slab. */
#include "sync_internal.h"

#include <math.h>

_Static_assert(sizeof(snt_sync_set) == 112, "frozen");
_Static_assert(sizeof(snt_sync_member) == 128, "frozen");
_Static_assert(sizeof(snt_sync_drop) == 144, "frozen");
_Static_assert(sizeof(snt_sync_stats) == 256, "frozen");
_Static_assert(sizeof(snt_sync_input_info) == 128, "frozen");
_Static_assert(sizeof(snt_sync_diagnosis) == 64, "frozen");
_Static_assert(sizeof(snt_sync_input_config) == 56, "appended to only");
_Static_assert(SNT_DROP_RETIRED < SNT_DROP_COUNT, "counters by reason");

enum { CREATE_MAX_QUEUE = 1 << 20 };

/* The greatest ros Duration, ApproximateTime's default. */
#define CREATE_ROS_MAX (INT64_C(2147483647) * SNT_NS_PER_S + 999999999)

static const snt_sync_config create_defaults = {.input_count = 2,
                                                .queue = 10,
                                                .ready = 16,
                                                .driver = SNT_SYNC_NO_INPUT,
                                                .age_penalty = 0.1,
                                                .max_separation_ns = SNT_UNKNOWN};

void snt_synchronizer_config_init(snt_sync_config *config, size_t size)
{
    snt__config_init(config, size, &create_defaults, sizeof create_defaults);
}

typedef struct create_plan {
    snt_sync_config cfg;
    snt_sync_input_config inputs[SNT_SYNC_MAX_INPUTS];
    uint64_t required;
    uint32_t slots, ready, width;
} create_plan;

static snt_status create_check_input(const snt_sync_config *cfg, const snt_sync_input_config *in)
{
    if (in->role > SNT_ROLE_INTERPOLATED || in->match > SNT_MATCH_OVERLAP || in->flags > 7 || in->reserved)
        return SNT_ERR_INVALID_ARG;
    if (in->offset_err_ns < 0 || in->min_period_ns < 0 || in->max_gap_ns < 0 || in->queue > CREATE_MAX_QUEUE)
        return SNT_ERR_RANGE;
    const bool bridges = (in->flags & SNT_SYNC_OFFSET_BRIDGES) != 0;
    if (in->domain && in->domain != cfg->domain && !bridges)
        return SNT_ERR_DOMAIN;
    if (bridges && (!in->domain || !cfg->domain))
        return SNT_ERR_DOMAIN;
    if (in->role != SNT_ROLE_REQUIRED && (cfg->policy == SNT_SYNC_LATEST || (cfg->flags & SNT_SYNC_COMPAT)))
        return SNT_ERR_INVALID_ARG;
    return SNT_OK;
}

static snt_status create_check(const snt_sync_config *cfg)
{
    if (cfg->policy > SNT_SYNC_EARLIEST || cfg->flags > 31 || cfg->reserved)
        return SNT_ERR_INVALID_ARG;
    if (!cfg->input_count || cfg->input_count > SNT_SYNC_MAX_INPUTS || cfg->queue < 1 ||
        cfg->queue > CREATE_MAX_QUEUE || cfg->ready < 1 || cfg->ready > 32768 ||
        cfg->undrained > CREATE_MAX_QUEUE)
        return SNT_ERR_RANGE;
    if (!isfinite(cfg->age_penalty) || cfg->age_penalty < 0 || cfg->age_penalty > 1000)
        return SNT_ERR_RANGE;
    if (cfg->max_separation_ns < 0 || cfg->deadline_ns < 0 || cfg->optional_wait_ns < 0 ||
        cfg->max_age_ns < 0 || cfg->jump_back_ns < 0)
        return SNT_ERR_RANGE;
    const bool window = cfg->policy == SNT_SYNC_EPSILON || cfg->policy == SNT_SYNC_EARLIEST;
    if (window && cfg->max_separation_ns == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    if (!(cfg->flags & SNT_SYNC_COMPAT))
        return SNT_OK;
    if (cfg->policy != SNT_SYNC_APPROXIMATE && cfg->policy != SNT_SYNC_EPSILON)
        return SNT_ERR_INVALID_ARG;
    return cfg->deadline_ns || cfg->min_members || (cfg->flags & SNT_SYNC_REQUIRE_CERTAIN)
               ? SNT_ERR_INVALID_ARG
               : SNT_OK;
}

/* One of the caller's inputs. Theirs may be shorter or longer than ours, as a config may: see snt__config_read. */
static snt_status create_take_input(const snt_sync_config *cfg, uint32_t i, snt_sync_input_config *in)
{
    const size_t v1 = SNT_END_OF(snt_sync_input_config, reserved);
    const size_t size = cfg->input_size ? cfg->input_size : v1;
    memset(in, 0, sizeof *in);
    if (size < v1)
        return SNT_ERR_INVALID_ARG;
    if (!cfg->inputs)
        return SNT_OK;
    const unsigned char *bytes = (const unsigned char *)cfg->inputs + i * size;
    for (size_t k = sizeof *in; k < size; k++)
        if (bytes[k])
            return SNT_ERR_INVALID_ARG;
    memcpy(in, bytes, size < sizeof *in ? size : sizeof *in);
    return create_check_input(cfg, in);
}

static snt_status create_read(const snt_sync_config *config, create_plan *plan)
{
    plan->cfg = create_defaults;
    snt_sync_config *cfg = &plan->cfg;
    snt_status status = snt__config_read(cfg, sizeof *cfg, SNT_END_OF(snt_sync_config, epoch), config);
    if (status >= 0)
        status = create_check(cfg);
    if (status < 0)
        return status;
    uint64_t waiting = 0;
    uint32_t ranks = 0, longest = 0;
    plan->required = 0;
    plan->width = cfg->input_count;
    for (uint32_t i = 0; i < cfg->input_count; i++) {
        snt_sync_input_config *in = &plan->inputs[i];
        status = create_take_input(cfg, i, in);
        if (status < 0)
            return status;
        in->queue = cfg->policy == SNT_SYNC_LATEST ? 1 : in->queue ? in->queue : cfg->queue;
        longest = in->queue > longest ? in->queue : longest;
        waiting += in->queue + 1u;
        plan->width += in->role == SNT_ROLE_INTERPOLATED;
        ranks += in->role == SNT_ROLE_REQUIRED;
        plan->required |= in->role == SNT_ROLE_REQUIRED ? SNT__BIT(i) : 0;
    }
    if (!ranks || cfg->min_members > ranks)
        return SNT_ERR_RANGE;
    if (cfg->driver != SNT_SYNC_NO_INPUT &&
        (cfg->driver >= cfg->input_count || !(plan->required >> cfg->driver & 1)))
        return SNT_ERR_INVALID_ARG;
    const uint64_t slots =
        waiting + (uint64_t)cfg->ready * plan->width + (cfg->undrained ? cfg->undrained : waiting);
    if (slots >= UINT32_MAX / 2)
        return SNT_ERR_RANGE;
    plan->slots = (uint32_t)slots;
    /* one call decides at most as many sets as the longest queue holds; deadlines do so twice */
    plan->ready = snt__pow2_at_least(cfg->ready + 2 * longest + 4);
    return SNT_OK;
}

static void create_carve(snt__slab *slab, const create_plan *plan, snt_synchronizer **out)
{
    const snt_sync_config *cfg = &plan->cfg;
    snt_synchronizer *s =
        snt__slab_take(slab, 1, sizeof *s + sizeof s->lanes[0] * cfg->input_count, SNT_CACHE_LINE);
    snt__sync_slot *slots = snt__slab_take(slab, plan->slots, sizeof *slots, SNT_CACHE_LINE);
    uint32_t *drops = snt__slab_take(slab, snt__pow2_at_least(plan->slots), sizeof *drops, SNT_CACHE_LINE);
    snt__sync_ready *ready = snt__slab_take(slab, plan->ready, sizeof *ready, SNT_CACHE_LINE);
    uint32_t *members =
        snt__slab_take(slab, (size_t)plan->ready * plan->width, sizeof *members, SNT_CACHE_LINE);
    if (s) {
        s->slots = slots;
        s->drops = drops;
        s->ready = ready;
        s->members = members;
    }
    for (uint32_t i = 0; i < cfg->input_count; i++) {
        const uint32_t room = snt__pow2_at_least(plan->inputs[i].queue + 2);
        snt__sync_entry *ring = snt__slab_take(slab, room, sizeof *ring, SNT_CACHE_LINE);
        if (s) {
            s->lanes[i].ring = ring;
            s->lanes[i].mask = room - 1;
        }
    }
    *out = s;
}

static snt__sync_match create_match(const snt_sync_config *cfg, uint32_t role)
{
    if (role != SNT_ROLE_REQUIRED)
        return snt__sync_attached_add;
    switch (cfg->policy) {
    case SNT_SYNC_APPROXIMATE:
        return cfg->flags & SNT_SYNC_COMPAT ? snt__sync_approx_add_compat : snt__sync_approx_add;
    case SNT_SYNC_EXACT:
        return snt__sync_exact_add;
    case SNT_SYNC_LATEST:
        return snt__sync_latest_add;
    default:
        return snt__sync_window_add;
    }
}

static void create_lanes(snt_synchronizer *s, const create_plan *plan)
{
    const bool compat = (plan->cfg.flags & SNT_SYNC_COMPAT) != 0;
    for (uint32_t i = 0; i < s->inputs; i++) {
        snt__sync_lane *lane = &s->lanes[i];
        lane->cfg = plan->inputs[i];
        lane->limit = lane->cfg.queue;
        lane->match = create_match(&plan->cfg, lane->cfg.role);
        lane->kind = lane->match == snt__sync_exact_add           ? SNT__SYNC_EXACT
                     : lane->match == snt__sync_approx_add_compat ? SNT__SYNC_ROS
                                                                  : SNT__SYNC_ANY;
        lane->until = SNT__SYNC_BLOCK;
        lane->learns = !lane->cfg.min_period_ns && !(s->flags & (SNT_SYNC_COMPAT | SNT_SYNC_NO_LEARNING));
        lane->bound = lane->cfg.min_period_ns;
        lane->last_out = INT64_MIN;
        lane->newest = lane->miss = SNT_UNKNOWN;
        lane->block_min = lane->previous_min = INT64_MAX;
        lane->block_max = lane->previous_max = INT64_MIN;
        lane->domain = lane->cfg.domain ? lane->cfg.domain : plan->cfg.domain ? plan->cfg.domain : UINT32_MAX;
        snt__sync_set_plain(lane);
        lane->empty_since = INT64_MIN;
        if (s->required >> i & 1) {
            lane->rank = s->ranks;
            s->input_of[s->ranks++] = (uint8_t)i;
        }
        if (lane->cfg.offset_err_ns > 0 || (lane->cfg.match == SNT_MATCH_OVERLAP && !compat))
            s->careful = 1;
    }
}

static void create_fill(snt_synchronizer *s, const create_plan *plan, const snt_allocator *memory)
{
    const snt_sync_config *cfg = &plan->cfg;
    s->allocator = *memory;
    s->policy = cfg->policy;
    s->flags = cfg->flags;
    s->locked = !(cfg->flags & SNT_SYNC_SINGLE_THREAD);
    s->inputs = cfg->input_count;
    s->required = plan->required;
    s->attached = ~plan->required & (s->inputs == 64 ? ~UINT64_C(0) : SNT__BIT(s->inputs) - 1);
    s->max_separation = cfg->max_separation_ns;
    if ((s->flags & SNT_SYNC_COMPAT) && s->max_separation == SNT_UNKNOWN)
        s->max_separation = CREATE_ROS_MAX;
    s->now = SNT_UNKNOWN;
    s->newest = INT64_MIN;
    s->deadline = cfg->deadline_ns;
    s->optional_wait = cfg->optional_wait_ns;
    s->max_age = cfg->max_age_ns;
    s->jump_back = cfg->jump_back_ns;
    s->timed = s->deadline > 0 || s->max_age > 0 || s->attached;
    s->watchful = s->jump_back > 0 || (s->flags & SNT_SYNC_REFUSE_ZERO);
    s->min_members = cfg->min_members;
    s->driver = cfg->driver;
    s->domain = cfg->domain;
    s->adopt_domain = !cfg->domain;
    s->careful = (s->flags & SNT_SYNC_REQUIRE_CERTAIN) != 0;
    s->pivot = s->chosen = SNT_SYNC_NO_INPUT;
    create_lanes(s, plan);
    s->direct = s->policy != SNT_SYNC_LATEST && !s->deadline && !s->attached && !s->careful;
    s->reference = s->driver != SNT_SYNC_NO_INPUT ? s->driver : s->input_of[0];
    s->reference_rank = s->lanes[s->reference].rank;
    /* 1 + p as a double is mantissa·2^(exponent − 53) */
    int exponent;
    const double fraction = frexp(1.0 + cfg->age_penalty, &exponent);
    s->scale_mantissa = (uint64_t)ldexp(fraction, 53);
    s->scale_shift = (uint32_t)(53 - exponent);
    s->slot_count = plan->slots;
    s->drop_mask = snt__pow2_at_least(plan->slots) - 1;
    for (uint32_t i = 0; i < plan->slots; i++) {
        s->slots[i].gap = 0;
        s->slots[i].lent = 0;
        s->slots[i].next = i + 1 < plan->slots ? i + 1 : SNT__SYNC_NONE;
    }
    s->ready_mask = plan->ready - 1;
    s->ready_limit = cfg->ready;
    s->width = plan->width;
    s->epoch = snt_epoch_ref(cfg->epoch);
    s->session = snt_epoch_session(s->epoch);
    s->verdict = s->ranks < 2 || s->max_separation == SNT_UNKNOWN ? SNT_SYNC_CERTAIN : SNT_SYNC_POSSIBLE;
}

snt_status snt_synchronizer_size(const snt_sync_config *config, uint64_t *bytes)
{
    if (!bytes)
        return SNT_ERR_INVALID_ARG;
    create_plan plan;
    const snt_status status = create_read(config, &plan);
    if (status < 0)
        return status;
    snt__slab slab = {0};
    snt_synchronizer *s;
    create_carve(&slab, &plan, &s);
    *bytes = slab.used;
    return SNT_OK;
}

snt_status snt_synchronizer_create(const snt_sync_config *config, const snt_allocator *allocator,
                                   snt_synchronizer **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    create_plan plan;
    snt_allocator memory;
    snt_status status = create_read(config, &plan);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt__slab slab = {0};
    snt_synchronizer *s;
    create_carve(&slab, &plan, &s);
    unsigned char *base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE);
    if (!base)
        return SNT_ERR_NO_MEMORY;
    slab = (snt__slab){.base = base};
    create_carve(&slab, &plan, &s);
    if (snt__lock_init(&s->lock)) {
        snt__free(&memory, base);
        return SNT_ERR_NO_MEMORY;
    }
    create_fill(s, &plan, &memory);
    *out = s;
    return SNT_OK;
}

void snt_synchronizer_destroy(snt_synchronizer *s)
{
    if (!s)
        return;
    snt_epoch_unref(s->epoch);
    snt__lock_destroy(&s->lock);
    const snt_allocator memory = s->allocator;
    snt__free(&memory, s);
}

uint32_t snt_synchronizer_max_members(const snt_synchronizer *s)
{
    return s ? s->width : 0;
}
