/* SPDX-License-Identifier: BSD-3-Clause */
/* What the buffer knows about itself: statistics, dumps and the lint. */
#include "tf_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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
    const int64_t period = (int64_t)tf_word_get(&edge->period);
    info->period_ns = period > 0 ? period : SNT_UNKNOWN;
    info->jitter_ns = period > 0 ? tf_whole_ns(edge->jitter_mean) : SNT_UNKNOWN;
    info->delay_mean_ns = edge->delays ? tf_whole_ns(edge->delay_mean) : SNT_UNKNOWN;
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

typedef struct tf_text {
    char *out;
    uint64_t capacity, used;
} tf_text;

static void tf_put_char(tf_text *text, char c)
{
    if (text->used + 1 < text->capacity)
        text->out[text->used] = c;
    text->used++;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
tf_print(tf_text *text, const char *format, ...)
{
    char piece[256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    for (int i = 0; i < n && i < (int)sizeof piece - 1; i++)
        tf_put_char(text, piece[i]);
}

static uint64_t tf_text_end(tf_text *text)
{
    if (text->capacity)
        text->out[text->used < text->capacity ? text->used : text->capacity - 1] = 0;
    return text->used;
}

/* Bytes of one well-formed UTF-8 character at s; 0 if it is none. Names are whatever a network sent. */
static int tf_utf8(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    const int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* Inside double quotes, for JSON and DOT alike; bad bytes become U+FFFD. */
static void tf_put_quoted(tf_text *text, const char *name, bool json)
{
    const unsigned char *s = (const unsigned char *)name;
    tf_put_char(text, '"');
    while (*s) {
        const int n = tf_utf8(s);
        if (n == 0) {
            tf_print(text, "\xef\xbf\xbd");
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\')
            tf_print(text, "\\%c", (char)*s);
        else if (*s < 0x20 || *s == 0x7f)
            tf_print(text, json ? "\\u%04x" : "?%02x", *s);
        else
            for (int i = 0; i < n; i++)
                tf_put_char(text, (char)s[i]);
        s += n;
    }
    tf_put_char(text, '"');
}

static void tf_put_name(tf_text *text, const snt_tf_buffer *b, snt_frame frame, bool json)
{
    char name[TF_NAME_LIMIT + 1];
    if (snt_tf_buffer_frame_name(b, frame, name, sizeof name) != SNT_OK)
        strcpy(name, "?");
    tf_put_quoted(text, name, json);
}

static void tf_put_seconds(tf_text *text, int64_t t)
{
    const uint64_t m = t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
    tf_print(text, "%s%" PRIu64 ".%09" PRIu64, t < 0 ? "-" : "", m / 1000000000, m % 1000000000);
}

static const char *const tf_kind_names[] = {"none", "dynamic", "static"};

static void tf_put_publisher(tf_text *text, const snt_tf_buffer *b, uint32_t authority, bool json)
{
    const char *name =
        authority && authority <= b->authority_count ? b->authorities[authority - 1] : "unnamed";
    if (json)
        tf_put_quoted(text, name, true);
    else
        for (const char *p = name; *p; p++)
            tf_put_char(text, *p == '"' || *p == '\\' || (unsigned char)*p < 0x20 ? '?' : *p);
}

static void tf_dot_edge(tf_text *text, const snt_tf_buffer *b, const snt_tf_edge_info *e)
{
    tf_print(text, "  ");
    tf_put_name(text, b, e->parent, false);
    tf_print(text, " -> ");
    tf_put_name(text, b, e->child, false);
    tf_print(text, " [label=\"%s", tf_kind_names[e->kind]);
    if (e->period_ns != SNT_UNKNOWN)
        tf_print(text, "\\n%.3f Hz, jitter %.3f ms", 1e9 / (double)e->period_ns, (double)e->jitter_ns * 1e-6);
    if (e->newest != SNT_UNKNOWN) {
        tf_print(text, "\\n");
        tf_put_seconds(text, e->oldest);
        tf_print(text, " .. ");
        tf_put_seconds(text, e->newest);
    }
    for (uint32_t i = 0; i < e->publishers; i++) {
        tf_print(text, i ? ", " : "\\nby ");
        tf_put_publisher(text, b, e->publisher[i].authority, false);
    }
    tf_print(text, "\"%s];\n",
             e->kind == SNT_TF_STATIC ? ", style=dashed"
             : e->may_jump            ? ", style=dotted"
                                      : "");
}

uint64_t snt_tf_buffer_dump_dot(snt_tf_buffer *buffer, char *out, uint64_t capacity)
{
    if (!buffer || (!out && capacity))
        return 0;
    tf_text text = {out, capacity, 0};
    snt__lock_acquire(&buffer->topology);
    tf_print(&text, "digraph tf {\n");
    const uint32_t high = TF_GET(buffer->high_water);
    for (uint32_t slot = 0; slot < high; slot++) {
        snt_tf_edge_info e;
        if (!tf_frame_of(buffer, slot))
            continue;
        tf_fill_info(buffer, slot, &e);
        tf_print(&text, "  ");
        tf_put_name(&text, buffer, e.child, false);
        tf_print(&text, ";\n");
        if (e.parent)
            tf_dot_edge(&text, buffer, &e);
    }
    tf_print(&text, "}\n");
    snt__lock_release(&buffer->topology);
    return tf_text_end(&text);
}

static void tf_json_time(tf_text *text, const char *key, int64_t t)
{
    tf_print(text, ",\"%s\":", key);
    if (t == SNT_UNKNOWN)
        tf_print(text, "null");
    else
        tf_print(text, "\"%" PRId64 "\"", t);
}

static void tf_json_count(tf_text *text, const char *key, uint64_t n)
{
    tf_print(text, ",\"%s\":%" PRIu64, key, n);
}

static void tf_json_edge(tf_text *text, const snt_tf_buffer *b, const snt_tf_edge_info *e)
{
    tf_print(text, "{\"frame\":");
    tf_put_name(text, b, e->child, true);
    tf_print(text, ",\"parent\":");
    if (e->parent)
        tf_put_name(text, b, e->parent, true);
    else
        tf_print(text, "null");
    tf_print(text, ",\"kind\":\"%s\",\"may_jump\":%s", tf_kind_names[e->kind],
             e->may_jump ? "true" : "false");
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
    tf_print(text, ",\"last_refusal\":");
    if (e->last_refusal)
        tf_print(text, "\"%s\"", snt_status_name(e->last_refusal));
    else
        tf_print(text, "null");
    tf_print(text, ",\"publishers\":[");
    for (uint32_t i = 0; i < e->publishers; i++) {
        tf_print(text, "%s{\"name\":", i ? "," : "");
        tf_put_publisher(text, b, e->publisher[i].authority, true);
        tf_json_count(text, "accepted", e->publisher[i].accepted);
        tf_json_count(text, "refused", e->publisher[i].refused);
        tf_print(text, "}");
    }
    tf_print(text, "]}");
}

uint64_t snt_tf_buffer_dump_json(snt_tf_buffer *buffer, char *out, uint64_t capacity)
{
    if (!buffer || (!out && capacity))
        return 0;
    tf_text text = {out, capacity, 0};
    snt__lock_acquire(&buffer->topology);
    tf_print(&text, "{\"session\":%" PRIu32 ",\"frames\":[", TF_GET(buffer->session));
    const uint32_t high = TF_GET(buffer->high_water);
    bool first = true;
    for (uint32_t slot = 0; slot < high; slot++) {
        snt_tf_edge_info e;
        if (!tf_frame_of(buffer, slot))
            continue;
        tf_fill_info(buffer, slot, &e);
        if (!first)
            tf_put_char(&text, ',');
        first = false;
        tf_json_edge(&text, buffer, &e);
    }
    tf_print(&text, "]}\n");
    snt__lock_release(&buffer->topology);
    return tf_text_end(&text);
}

#undef TF_GET
