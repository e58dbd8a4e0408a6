/* SPDX-License-Identifier: BSD-3-Clause */
/* What the buffer knows about itself: statistics, dumps and the lint. */
#include "tf_internal.h"

#include "../base/print.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* A mean in whole nanoseconds. Hostile stamps make means that no int64 holds. */
static int64_t tf_whole_ns(double ns)
{
    return ns >= 9.2e18    ? INT64_MAX - 1
           : ns <= -9.2e18 ? INT64_MIN + 1
                           : (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

static void tf_fill_info(snt_tf_buffer *b, uint32_t slot, snt_tf_edge_info *info)
{
    tf_edge *edge = tf_edge_at(b, slot);
    tf_lock(edge);
    *info = edge->info;
    info->child = tf_frame_of(b, slot);
    const uint32_t parent = TF_GET(edge->parent);
    info->parent = parent ? tf_frame_of(b, parent - 1) : 0;
    info->kind = TF_GET(edge->kind);
    info->oldest = info->newest = SNT_UNKNOWN;
    uint32_t count = 0;
    int64_t oldest, newest;
    if (snt__tf_edge_range(b, edge, &oldest, &newest, &count) == SNT_OK) {
        info->oldest = oldest;
        info->newest = newest;
    }
    info->samples = info->kind == SNT_TF_STATIC ? 1 : count;
    info->period_ns = tf_period(edge);
    info->jitter_ns = info->period_ns != SNT_UNKNOWN ? (edge->jitter + 8) >> 4 : SNT_UNKNOWN;
    info->delay_mean_ns = edge->delays ? tf_whole_ns(edge->delay_sum / (double)edge->delays) : SNT_UNKNOWN;
    info->delay_max_ns = edge->delays ? edge->info.delay_max_ns : SNT_UNKNOWN;
    info->last_refusal_stamp = edge->info.last_refusal ? edge->info.last_refusal_stamp : SNT_UNKNOWN;
    info->capacity = edge->has_ring ? TF_GET(edge->ring.mask) + 1 : 0;
    info->domain = TF_GET(edge->domain);
    info->may_jump = (TF_GET(edge->traits) & TF_TRAIT_MAY_JUMP) != 0;
    tf_unlock(edge);
}

snt_status snt_tf_buffer_edge_info(snt_tf_buffer *buffer, snt_frame child, snt_tf_edge_info *info)
{
    if (!buffer || !info)
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_ERR_NOT_FOUND;
    snt__lock_acquire(&buffer->topology);
    if (tf_frame_alive(buffer, child)) {
        tf_fill_info(buffer, tf_frame_slot(child), info);
        status = SNT_OK;
    }
    snt__lock_release(&buffer->topology);
    return status;
}

snt_status snt_tf_buffer_get_info(snt_tf_buffer *buffer, snt_tf_buffer_info *info)
{
    if (!buffer || !info)
        return SNT_ERR_INVALID_ARG;
    snt_tf_buffer *b = buffer;
    snt_tf_buffer_info r = {.bytes = b->bytes,
                            .samples_budget = b->config.max_samples,
                            .max_frames = b->config.max_frames,
                            .bytes_per_sample = sizeof(tf_sample) + sizeof(tf_word)};
    r.bytes_per_frame =
        (uint32_t)(sizeof(tf_edge) + b->name_words * sizeof(tf_word) + 3 * sizeof(uint32_t) +
                   b->name_buckets * sizeof(uint32_t) / b->config.max_frames + 2 * sizeof(tf_extent));
    snt__lock_acquire(&b->topology);
    r.samples_reserved = b->samples_reserved;
    r.inserted = b->retired_accepted;
    r.refused = b->retired_refused + TF_GET(b->refused);
    r.resets = b->resets;
    r.frames = b->frames;
    r.session = TF_GET(b->session);
    r.structure_version = TF_GET(b->structure);
    const uint32_t high = TF_GET(b->high_water);
    for (uint32_t slot = 0; slot < high; slot++) {
        snt_tf_edge_info edge;
        if (!tf_frame_of(b, slot))
            continue;
        tf_fill_info(b, slot, &edge);
        r.edges_dynamic += edge.kind == SNT_TF_DYNAMIC;
        r.edges_static += edge.kind == SNT_TF_STATIC;
        r.inserted += edge.accepted;
        r.refused += edge.refused_past + edge.refused_future + edge.refused_value + edge.refused_structure +
                     edge.refused_duplicate;
    }
    snt__lock_release(&b->topology);
    *info = r;
    return SNT_OK;
}

/* ---- text ---- */

/* All that fits; the length of the whole text, so that a caller can make room for it. */
static uint64_t tf_dump_end(snt__printer *text)
{
    (void)snt__print_end(text);
    return text->length;
}

static void tf_put_name(snt__printer *text, const snt_tf_buffer *b, snt_frame frame, bool json)
{
    char name[TF_NAME_LIMIT + 1];
    if (snt_tf_buffer_frame_name(b, frame, name, sizeof name) != SNT_OK)
        strcpy(name, "?");
    snt__print_quoted(text, name, strlen(name), json);
}

static const char *const tf_kind_names[] = {"none", "dynamic", "static"};

static void tf_put_publisher(snt__printer *text, const snt_tf_buffer *b, uint32_t authority, bool json)
{
    const char *name =
        authority && authority <= b->authority_count ? b->authorities[authority - 1] : "unnamed";
    if (json)
        snt__print_quoted(text, name, strlen(name), true);
    else
        for (const char *p = name; *p; p++)
            snt__print_char(text, *p == '"' || *p == '\\' || (unsigned char)*p < 0x20 ? '?' : *p);
}

static void tf_dot_edge(snt__printer *text, const snt_tf_buffer *b, const snt_tf_edge_info *e)
{
    snt__print_string(text, "  ");
    tf_put_name(text, b, e->parent, false);
    snt__print_string(text, " -> ");
    tf_put_name(text, b, e->child, false);
    snt__print_string(text, " [label=\"");
    snt__print_string(text, tf_kind_names[e->kind]);
    if (e->period_ns != SNT_UNKNOWN) {
        snt__print_string(text, "\\n");
        snt__print_number(text, 1e9 / (double)e->period_ns, 3);
        snt__print_string(text, " Hz, jitter ");
        snt__print_number(text, (double)e->jitter_ns * 1e-6, 3);
        snt__print_string(text, " ms");
    }
    if (e->newest != SNT_UNKNOWN) {
        snt__print_string(text, "\\n");
        snt__print_seconds(text, e->oldest);
        snt__print_string(text, " .. ");
        snt__print_seconds(text, e->newest);
    }
    for (uint32_t i = 0; i < e->publishers; i++) {
        snt__print_string(text, i ? ", " : "\\nby ");
        tf_put_publisher(text, b, e->publisher[i].authority, false);
    }
    snt__print_string(text, e->kind == SNT_TF_STATIC ? "\", style=dashed];\n"
                            : e->may_jump            ? "\", style=dotted];\n"
                                                     : "\"];\n");
}

uint64_t snt_tf_buffer_dump_dot(snt_tf_buffer *buffer, char *out, uint64_t capacity)
{
    if (!buffer || (!out && capacity))
        return 0;
    snt__printer text = snt__print_begin(out, (size_t)capacity);
    snt__lock_acquire(&buffer->topology);
    snt__print_string(&text, "digraph tf {\n");
    const uint32_t high = TF_GET(buffer->high_water);
    for (uint32_t slot = 0; slot < high; slot++) {
        snt_tf_edge_info e;
        if (!tf_frame_of(buffer, slot))
            continue;
        tf_fill_info(buffer, slot, &e);
        snt__print_string(&text, "  ");
        tf_put_name(&text, buffer, e.child, false);
        snt__print_string(&text, ";\n");
        if (e.parent)
            tf_dot_edge(&text, buffer, &e);
    }
    snt__print_string(&text, "}\n");
    snt__lock_release(&buffer->topology);
    return tf_dump_end(&text);
}

static void tf_json_key(snt__printer *text, const char *key)
{
    snt__print_string(text, ",\"");
    snt__print_string(text, key);
    snt__print_string(text, "\":");
}

static void tf_json_time(snt__printer *text, const char *key, int64_t t)
{
    tf_json_key(text, key);
    if (t == SNT_UNKNOWN) {
        snt__print_string(text, "null");
        return;
    }
    snt__print_char(text, '"'); /* a string, because many a reader keeps numbers as doubles */
    snt__print_integer(text, t);
    snt__print_char(text, '"');
}

static void tf_json_count(snt__printer *text, const char *key, uint64_t n)
{
    tf_json_key(text, key);
    snt__print_unsigned(text, n);
}

static void tf_json_edge(snt__printer *text, const snt_tf_buffer *b, const snt_tf_edge_info *e)
{
    snt__print_string(text, "{\"frame\":");
    tf_put_name(text, b, e->child, true);
    snt__print_string(text, ",\"parent\":");
    if (e->parent)
        tf_put_name(text, b, e->parent, true);
    else
        snt__print_string(text, "null");
    snt__print_string(text, ",\"kind\":\"");
    snt__print_string(text, tf_kind_names[e->kind]);
    snt__print_string(text, e->may_jump ? "\",\"may_jump\":true" : "\",\"may_jump\":false");
    tf_json_time(text, "oldest_ns", e->oldest);
    tf_json_time(text, "newest_ns", e->newest);
    tf_json_time(text, "period_ns", e->period_ns);
    tf_json_time(text, "jitter_ns", e->jitter_ns);
    tf_json_time(text, "delay_mean_ns", e->delay_mean_ns);
    tf_json_time(text, "delay_max_ns", e->delay_max_ns);
    tf_json_count(text, "samples", e->samples);
    tf_json_count(text, "capacity", e->capacity);
    tf_json_count(text, "domain", e->domain);
    tf_json_count(text, "session", e->session);
    tf_json_count(text, "accepted", e->accepted);
    tf_json_count(text, "late", e->late);
    tf_json_count(text, "same", e->same);
    tf_json_count(text, "changed", e->changed);
    tf_json_count(text, "evicted", e->evicted);
    tf_json_count(text, "refused_past", e->refused_past);
    tf_json_count(text, "refused_future", e->refused_future);
    tf_json_count(text, "refused_value", e->refused_value);
    tf_json_count(text, "refused_structure", e->refused_structure);
    tf_json_count(text, "refused_duplicate", e->refused_duplicate);
    tf_json_count(text, "conflicts", e->conflicts);
    snt__print_string(text, ",\"last_refusal\":");
    if (e->last_refusal) {
        const char *name = snt_status_name(e->last_refusal);
        snt__print_quoted(text, name, strlen(name), true);
    } else
        snt__print_string(text, "null");
    snt__print_string(text, ",\"publishers\":[");
    for (uint32_t i = 0; i < e->publishers; i++) {
        snt__print_string(text, i ? ",{\"name\":" : "{\"name\":");
        tf_put_publisher(text, b, e->publisher[i].authority, true);
        tf_json_count(text, "accepted", e->publisher[i].accepted);
        tf_json_count(text, "refused", e->publisher[i].refused);
        snt__print_string(text, "}");
    }
    snt__print_string(text, "]}");
}

uint64_t snt_tf_buffer_dump_json(snt_tf_buffer *buffer, char *out, uint64_t capacity)
{
    if (!buffer || (!out && capacity))
        return 0;
    snt__printer text = snt__print_begin(out, (size_t)capacity);
    snt__lock_acquire(&buffer->topology);
    snt__print_string(&text, "{\"session\":");
    snt__print_unsigned(&text, TF_GET(buffer->session));
    snt__print_string(&text, ",\"frames\":[");
    const uint32_t high = TF_GET(buffer->high_water);
    bool first = true;
    for (uint32_t slot = 0; slot < high; slot++) {
        snt_tf_edge_info e;
        if (!tf_frame_of(buffer, slot))
            continue;
        tf_fill_info(buffer, slot, &e);
        if (!first)
            snt__print_char(&text, ',');
        first = false;
        tf_json_edge(&text, buffer, &e);
    }
    snt__print_string(&text, "]}\n");
    snt__lock_release(&buffer->topology);
    return tf_dump_end(&text);
}

#undef TF_GET
