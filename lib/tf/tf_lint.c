/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree lint: what breaks REP-105, and what is odd about an edge. */
#include "tf_internal.h"
#include "tf_text.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

_Static_assert(sizeof(snt_tf_finding) == 48, "frozen");

typedef struct tf_lint {
    snt_tf_buffer *b;
    snt_tf_finding *out;
    uint64_t capacity, count;
    double max_speed;
} tf_lint;

static void tf_found_add(tf_lint *lint, const snt_tf_finding *finding)
{
    if (lint->count < lint->capacity)
        lint->out[lint->count] = *finding;
    lint->count++;
}

/* 1..4 for earth, map, odom, base; 0 for any other name. The last component counts, so that r1/odom is odom. */
static int tf_rank(const snt_tf_buffer *b, uint32_t slot)
{
    char name[TF_NAME_LIMIT + 1];
    snt__tf_name_copy(b, slot, name, sizeof name);
    const char *last = name;
    for (const char *p = name; *p; p++)
        if (*p == '/')
            last = p + 1;
    if (strcmp(last, "earth") == 0)
        return 1;
    if (strcmp(last, "map") == 0)
        return 2;
    if (strcmp(last, "odom") == 0)
        return 3;
    return strcmp(last, "base_link") == 0 || strcmp(last, "base_footprint") == 0 ? 4 : 0;
}

static void tf_lint_history(tf_lint *lint, uint32_t slot, const snt_tf_finding *base, bool odometry)
{
    snt_tf_buffer *b = lint->b;
    tf_edge *edge = tf_edge_at(b, slot);
    const uint32_t head = TF_GET(edge->ring.head), tail = TF_GET(edge->ring.tail);
    const uint32_t first = TF_GET(edge->ring.first), mask = TF_GET(edge->ring.mask);
    bool moves = (TF_GET(edge->ring.late) & TF_LATE_MASK) != 0 || head - tail < 3;
    snt_tf_finding worst = *base;
    for (uint32_t p = tail + 1; (int32_t)(head - p) > 0; p++) {
        uint64_t a[TF_SAMPLE_WORDS], c[TF_SAMPLE_WORDS];
        tf_copy(&b->store, first + ((p - 1) & mask), a);
        tf_copy(&b->store, first + (p & mask), c);
        moves |= memcmp(a, c, sizeof(snt_pose)) != 0;
        if (!odometry || (c[TF_META] & TF_META_DISCONTINUITY) || ((a[TF_META] ^ c[TF_META]) & TF_META_PARENT))
            continue;
        const int64_t t0 = tf_stamp(&b->store, first + ((p - 1) & mask)),
                      t1 = tf_stamp(&b->store, first + (p & mask));
        snt_pose from, to;
        tf_words_pose(a, &from);
        tf_words_pose(c, &to);
        const double d[3] = {to.t[0] - from.t[0], to.t[1] - from.t[1], to.t[2] - from.t[2]};
        const double speed = snt__norm3(d) / ((double)tf_minus(t1, t0) * 1e-9);
        if (speed > lint->max_speed && speed > worst.value) {
            worst.code = SNT_TF_LINT_ODOM_JUMPS;
            worst.stamp = t1;
            worst.value = speed;
        }
    }
    if (worst.code)
        tf_found_add(lint, &worst);
    if (!moves) {
        snt_tf_finding still = *base;
        still.code = SNT_TF_LINT_STATIC_WANTED;
        still.value = head - tail;
        tf_found_add(lint, &still);
    }
}

static void tf_lint_edge(tf_lint *lint, uint32_t slot)
{
    snt_tf_buffer *b = lint->b;
    tf_edge *edge = tf_edge_at(b, slot);
    const uint32_t parent = TF_GET(edge->parent), kind = TF_GET(edge->kind);
    const snt_tf_finding base = {.child = tf_frame_of(b, slot),
                                 .parent = parent ? tf_frame_of(b, parent - 1) : 0,
                                 .stamp = SNT_UNKNOWN};
    const int rank = tf_rank(b, slot), above = parent ? tf_rank(b, parent - 1) : 0;
    if (rank && above && rank <= above) {
        snt_tf_finding f = base;
        f.code = SNT_TF_LINT_ORDER;
        tf_found_add(lint, &f);
    } else if (rank && rank < 4 && parent && !above) { /* map or odom below some sensor or link */
        snt_tf_finding f = base;
        f.code = SNT_TF_LINT_ORDER;
        tf_found_add(lint, &f);
    }
    if (edge->info.publishers > 1) {
        snt_tf_finding f = base;
        f.code = SNT_TF_LINT_PUBLISHERS;
        f.authority_a = edge->info.publisher[0].authority;
        f.authority_b = edge->info.publisher[1].authority;
        f.value = (double)edge->info.publishers;
        tf_found_add(lint, &f);
    }
    if (kind == SNT_TF_STATIC && edge->static_changes) {
        snt_tf_finding f = base;
        f.code = SNT_TF_LINT_STATIC_MOVES;
        f.value = edge->static_changes;
        tf_found_add(lint, &f);
    }
    if (kind == SNT_TF_DYNAMIC)
        tf_lint_history(lint, slot, &base, rank == 4 && above == 3);
    const snt_tf_edge_info *i = &edge->info;
    const uint64_t refused =
        i->refused_past + i->refused_future + i->refused_value + i->refused_structure + i->refused_duplicate;
    if (refused) {
        snt_tf_finding f = base;
        f.code = SNT_TF_LINT_REFUSED;
        f.value = (double)refused;
        f.stamp = i->last_refusal_stamp;
        f.authority_a = i->last_refusal_authority;
        tf_found_add(lint, &f);
    }
}

snt_status snt_tf_buffer_lint(snt_tf_buffer *buffer, double max_speed, snt_tf_finding *findings,
                              uint64_t capacity, uint64_t *count)
{
    if (!buffer || !count || (!findings && capacity) || !(max_speed >= 0))
        return SNT_ERR_INVALID_ARG;
    tf_lint lint = {buffer, findings, capacity, 0, max_speed > 0 ? max_speed : 50};
    uint32_t roots = 0;
    snt__lock_acquire(&buffer->topology);
    const uint32_t high = TF_GET(buffer->high_water);
    for (uint32_t slot = 0; slot < high; slot++) {
        tf_edge *edge = tf_edge_at(buffer, slot);
        if (!tf_frame_of(buffer, slot))
            continue;
        roots += TF_GET(edge->parent) == 0 && edge->children > 0;
        if (TF_GET(edge->kind) == SNT_TF_NONE)
            continue;
        tf_lock(edge);
        tf_lint_edge(&lint, slot);
        tf_unlock(edge);
    }
    snt__lock_release(&buffer->topology);
    if (roots > 1) {
        const snt_tf_finding f = {.code = SNT_TF_LINT_ROOTS, .stamp = SNT_UNKNOWN, .value = roots};
        tf_found_add(&lint, &f);
    }
    *count = lint.count;
    return lint.count > capacity && capacity ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}

static const char *tf_authority_name(const snt_tf_buffer *b, uint32_t authority)
{
    return authority && authority <= b->authority_count ? b->authorities[authority - 1] : "unnamed";
}

static void tf_lint_count(snt__printer *out, const char *before, double count, const char *after)
{
    snt__print_string(out, before);
    snt__print_number(out, count, 0);
    snt__print_string(out, after);
}

static void tf_lint_words(snt__printer *out, const snt_tf_buffer *b, const snt_tf_finding *finding)
{
    switch (finding->code) {
    case SNT_TF_LINT_ORDER:
        snt__print_string(out, "REP-105 stacks earth, map, odom, base_link in this order");
        break;
    case SNT_TF_LINT_PUBLISHERS:
        tf_lint_count(out, "", finding->value, " publishers, among them ");
        snt__print_string(out, tf_authority_name(b, finding->authority_a));
        snt__print_string(out, " and ");
        snt__print_string(out, tf_authority_name(b, finding->authority_b));
        snt__print_string(out, "; one must stop");
        break;
    case SNT_TF_LINT_ODOM_JUMPS:
        snt__print_string(out, "moves at ");
        snt__print_number(out, finding->value, 1);
        snt__print_string(out, " m/s up to stamp ");
        snt__print_integer(out, finding->stamp);
        snt__print_string(out, " ns; odometry must not jump");
        break;
    case SNT_TF_LINT_STATIC_MOVES:
        tf_lint_count(out, "static, but given ", finding->value, " other poses");
        break;
    case SNT_TF_LINT_STATIC_WANTED:
        tf_lint_count(out, "dynamic, but the last ", finding->value, " samples are one pose; make it static");
        break;
    case SNT_TF_LINT_ROOTS:
        tf_lint_count(out, "", finding->value, " unconnected trees");
        break;
    case SNT_TF_LINT_REFUSED:
        tf_lint_count(out, "", finding->value, " samples refused, the last from ");
        snt__print_string(out, tf_authority_name(b, finding->authority_a));
        break;
    default:
        snt__print_string(out, "unknown finding");
    }
}

snt_status snt_tf_finding_format(snt_tf_buffer *buffer, const snt_tf_finding *finding, char *text,
                                 size_t size)
{
    if (!buffer || !finding || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    snt__lock_acquire(&buffer->topology);
    if (finding->code != SNT_TF_LINT_ROOTS) { /* which is of no edge */
        snt__tf_print_frame(&out, buffer, finding->parent);
        snt__print_string(&out, "->");
        snt__tf_print_frame(&out, buffer, finding->child);
        snt__print_string(&out, ": ");
    }
    tf_lint_words(&out, buffer, finding);
    snt__lock_release(&buffer->topology);
    return snt__print_end(&out);
}

#undef TF_GET
