/* SPDX-License-Identifier: BSD-3-Clause */
/* A transform buffer with short calls, for tests. Times in seconds where a double will do. */
#ifndef SNT_TEST_TF_WORLD_H
#define SNT_TEST_TF_WORLD_H

#include <stdbool.h>

#include "test.h"

#define S(seconds) ((int64_t)((seconds)*1e9 + ((seconds) < 0 ? -0.5 : 0.5)))

typedef struct tf_world {
    snt_tf_buffer *b;
    snt_tf_result r;
    snt_tf_miss m;
    uint32_t effect;
    char text[512];
} tf_world;

static inline tf_world world_with(const snt_tf_buffer_config *config)
{
    tf_world w = {0};
    assert_status(snt_tf_buffer_create(config, NULL, &w.b), SNT_OK);
    return w;
}

static inline tf_world world(void)
{
    return world_with(NULL);
}

static inline void world_end(tf_world *w)
{
    snt_tf_buffer_destroy(w->b);
    w->b = NULL;
}

static inline snt_frame frame(tf_world *w, const char *name)
{
    snt_frame f = 0;
    assert_status(snt_tf_buffer_frame(w->b, name, &f), SNT_OK);
    return f;
}

static inline snt_pose at_x(double x)
{
    return (snt_pose){{0, 0, 0, 1}, {x, 0, 0}};
}

static inline snt_pose yawed(double x, double y, double yaw)
{
    return (snt_pose){{0, 0, sin(yaw / 2), cos(yaw / 2)}, {x, y, 0}};
}

static inline snt_tf_transform sample_ns(tf_world *w, const char *parent, const char *child, int64_t t,
                                         snt_pose pose)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, frame(w, parent), frame(w, child), t);
    in.pose = pose;
    return in;
}

static inline snt_status put_ns(tf_world *w, const char *parent, const char *child, int64_t t, snt_pose pose)
{
    const snt_tf_transform in = sample_ns(w, parent, child, t, pose);
    return snt_tf_buffer_insert(w->b, &in, &w->effect);
}

static inline snt_status put(tf_world *w, const char *parent, const char *child, double t, double x)
{
    return put_ns(w, parent, child, S(t), at_x(x));
}

static inline snt_status put_static(tf_world *w, const char *parent, const char *child, snt_pose pose)
{
    const snt_tf_transform in = sample_ns(w, parent, child, 0, pose);
    return snt_tf_buffer_insert_static(w->b, &in, &w->effect);
}

static inline snt_frame known(tf_world *w, const char *name)
{
    snt_frame f = 0;
    (void)snt_tf_buffer_find(w->b, name, &f);
    return f;
}

static inline snt_status get_ns(tf_world *w, const char *target, const char *source, int64_t t)
{
    return snt_tf_buffer_lookup(w->b, known(w, target), known(w, source), t, &w->r, &w->m);
}

static inline snt_status get(tf_world *w, const char *target, const char *source, double t)
{
    return get_ns(w, target, source, S(t));
}

static inline snt_status latest(tf_world *w, const char *target, const char *source)
{
    return snt_tf_buffer_lookup_latest(w->b, known(w, target), known(w, source), &w->r, &w->m);
}

static inline const char *why(tf_world *w)
{
    snt_tf_miss_format(w->b, &w->m, w->text, sizeof w->text);
    return w->text;
}

static inline snt_tf_edge_info info_of(tf_world *w, const char *child)
{
    snt_tf_edge_info info;
    assert_status(snt_tf_buffer_edge_info(w->b, known(w, child), &info), SNT_OK);
    return info;
}

#define assert_x(w, expected) assert_near((w).r.pose.t[0], expected, 1e-9)

#endif
