/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole interface of the transform buffer as a program of bytes: whatever the order of calls and however wild the
 * numbers, statuses come back, answers are finite and unit, and nothing is touched on failure. */
#include "tf_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct program {
    const uint8_t *at, *end;
    snt_tf_buffer *b;
    snt_epoch *epoch;
    snt_frame frames[8];
    snt_tf_path *path;
    snt_tf_cursor cursor;
} program;

static void must(int condition)
{
    if (!condition)
        abort();
}

static uint8_t byte(program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static int64_t stamp(program *p)
{
    const uint8_t kind = byte(p);
    if (kind < 200)
        return 1000 * (int64_t)kind + byte(p);
    int64_t t = 0;
    for (int i = 0; i < 8; i++)
        t = (int64_t)((uint64_t)t << 8 | byte(p));
    return kind < 220 ? t : kind < 235 ? INT64_MAX - byte(p) : INT64_MIN + byte(p);
}

static double number(program *p)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e300, -1e-300, 5e-324, 0.5};
    const uint8_t kind = byte(p);
    if (kind < 200)
        return (kind - 100) / 64.0;
    if (kind == 201)
        return NAN;
    if (kind == 202)
        return INFINITY;
    return odd[kind % 8];
}

static snt_frame some_frame(program *p)
{
    const uint8_t i = byte(p);
    return i < 240 ? p->frames[i % 8] : (snt_frame)i << (i % 50);
}

static snt_tf_transform transform(program *p)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, some_frame(p), some_frame(p), stamp(p));
    const uint8_t kind = byte(p);
    for (int i = 0; i < 3; i++)
        in.pose.t[i] = number(p);
    if (kind & 1) {
        const double w[3] = {number(p), number(p), number(p)};
        snt_rotation_exp(w, in.pose.q);
    } else if (kind & 2) {
        for (int i = 0; i < 4; i++)
            in.pose.q[i] = number(p);
    }
    if (kind & 4)
        in.err_ns = stamp(p);
    if (kind & 8)
        in.now = stamp(p);
    if (kind & 16)
        in.domain = byte(p) % 4;
    if (kind & 32)
        in.session = byte(p) % 4;
    if (kind & 64)
        in.authority = byte(p) % 8;
    if (kind & 128)
        in.flags = byte(p) % 5;
    return in;
}

static void check_answer(program *p, snt_status status, const snt_tf_result *r, const snt_tf_miss *miss)
{
    if (status == SNT_OK) {
        const double *q = r->pose.q;
        const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        must(fabs(n - 1) < 1e-6);
        must(r->pos_err >= 0 && r->rot_err >= 0);
    } else {
        char line[200];
        must(status < 0 || status == SNT_BUSY);
        if (status == SNT_ERR_INVALID_ARG)
            return;
        must(miss->status == status && miss->reason != 0);
        const snt_status told = snt_tf_miss_format(p->b, miss, line, sizeof line);
        must((told == SNT_OK || told == SNT_ERR_BUFFER_TOO_SMALL) && *line && strlen(line) < sizeof line);
        must(snt_tf_miss_tf2_code(miss) > 0);
    }
}

static snt_tf_question question(program *p)
{
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    const uint8_t kind = byte(p);
    q.when = kind % 4;
    q.t = stamp(p);
    if (kind & 4)
        q.err_ns = stamp(p);
    if (kind & 8) {
        q.now = stamp(p);
        q.max_age_ns = stamp(p);
    }
    if (kind & 16)
        q.extrapolate_ns = stamp(p);
    if (kind & 32)
        q.max_gap_ns = stamp(p);
    if (kind & 64) {
        q.interpolation = byte(p) % 6;
        q.extrapolation = byte(p) % 5;
    }
    if (kind & 128)
        q.domain = byte(p) % 4;
    return q;
}

static void step(program *p)
{
    snt_tf_result r;
    snt_tf_miss miss;
    memset(&miss, 0, sizeof miss);
    static char text[4096];
    snt_pose poses[4];
    snt_status statuses[4];
    uint32_t effect = 0;
    uint64_t n;
    snt_tf_transform in;
    snt_tf_question q;
    snt_tf_edge_info info;
    snt_tf_finding findings[4];
    int64_t times[4];
    const snt_frame a = some_frame(p), c = some_frame(p);
    switch (byte(p) % 32) {
    case 0: {
        char name[12];
        const uint8_t length = byte(p) % 12;
        for (int i = 0; i < length; i++)
            name[i] = (char)byte(p);
        name[length ? length - 1 : 0] = 0;
        (void)snt_tf_buffer_frame(p->b, name, &p->frames[byte(p) % 8]);
        (void)snt_tf_buffer_insert_named(p->b, name, "x", &(snt_tf_transform){.stamp = 5, .now = SNT_UNKNOWN},
                                         NULL);
        break;
    }
    case 1:
        (void)snt_tf_buffer_remove_frame(p->b, a);
        break;
    case 2:
        in = transform(p);
        (void)snt_tf_buffer_insert_static(p->b, &in, &effect);
        break;
    case 3:
        (void)snt_tf_buffer_convert(p->b, a, byte(p) % 4);
        break;
    case 4: {
        snt_tf_edge_config e;
        snt_tf_edge_config_init(&e, sizeof e);
        e.keep_ns = stamp(p);
        e.extrapolate_ns = stamp(p);
        e.max_accel = number(p);
        e.max_angular_accel = number(p);
        e.interpolation = byte(p) % 6;
        e.extrapolation = byte(p) % 5;
        e.conflict = byte(p) % 6;
        (void)snt_tf_buffer_edge_configure(p->b, a, &e);
        break;
    }
    case 5:
        (void)snt_tf_buffer_clear_dynamic(p->b);
        break;
    case 6:
        if (byte(p) % 8 == 0)
            (void)snt_tf_buffer_clear_all(p->b);
        break;
    case 7:
        (void)snt_tf_buffer_reset(p->b, byte(p) % 4);
        if (p->epoch && byte(p) % 4 == 0)
            snt_epoch_bump(p->epoch, SNT_EPOCH_USER);
        break;
    case 8:
        (void)snt_tf_buffer_observe_clock(p->b, stamp(p));
        break;
    case 9:
        (void)snt_tf_buffer_gc(p->b, stamp(p), &n);
        break;
    case 10:
        check_answer(p, snt_tf_buffer_lookup(p->b, a, c, stamp(p), &r, &miss), &r, &miss);
        break;
    case 11:
        check_answer(p, snt_tf_buffer_lookup_latest(p->b, a, c, &r, &miss), &r, &miss);
        break;
    case 12:
        q = question(p);
        check_answer(p, snt_tf_buffer_ask(p->b, a, c, &q, &r, &miss), &r, &miss);
        break;
    case 13: {
        const int64_t t = stamp(p);
        check_answer(p, snt_tf_buffer_lookup_fixed(p->b, a, t, c, stamp(p), some_frame(p), &r, &miss), &r,
                     &miss);
        break;
    }
    case 14:
        snt_tf_path_destroy(p->path);
        p->path = NULL;
        (void)snt_tf_path_create(p->b, a, c, &p->path);
        break;
    case 15:
        if (p->path)
            (void)snt_tf_path_refresh(p->path);
        break;
    case 16:
        q = question(p);
        if (p->path)
            check_answer(p, snt_tf_path_ask(p->path, &q, &p->cursor, &r, &miss), &r, &miss);
        break;
    case 17:
        for (int i = 0; i < 4; i++)
            times[i] = stamp(p);
        q = question(p);
        if (p->path &&
            snt_tf_path_lookup_many(p->path, &q, &p->cursor, times, 0, 4, poses, 0, statuses, &n) == SNT_OK)
            must(n == 4);
        break;
    case 18: {
        snt_tf_twist_result twist;
        q = question(p);
        const int64_t window = stamp(p);
        if (p->path)
            (void)snt_tf_path_twist(p->path, &q, window, byte(p) % 4, &twist, &miss);
        break;
    }
    case 19:
        if (snt_tf_buffer_edge_info(p->b, a, &info) == SNT_OK)
            must(info.child == a && info.samples <= info.capacity + 16 + 1);
        break;
    case 20:
        n = snt_tf_buffer_dump_json(p->b, text, byte(p) * 16u);
        (void)snt_tf_buffer_dump_dot(p->b, text, sizeof text);
        break;
    case 21:
        if (snt_tf_buffer_lint(p->b, number(p), findings, 4, &n) == SNT_OK)
            for (uint64_t i = 0; i < n && i < 4; i++)
                must(snt_tf_finding_format(p->b, &findings[i], text, 64) != SNT_ERR_INVALID_ARG && *text &&
                     strlen(text) < 64);
        break;
    case 22:
        (void)snt_tf_buffer_reserve(p->b, a, byte(p));
        break;
    case 23: {
        snt_frame f;
        (void)snt_tf_buffer_root(p->b, a, &f);
        (void)snt_tf_buffer_parent(p->b, a, &f);
        (void)snt_tf_buffer_newest(p->b, a, &times[0]);
        break;
    }
    default: /* most of the time data comes in */
        in = transform(p);
        (void)snt_tf_buffer_insert(p->b, &in, &effect);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    program p = {.at = data, .end = data + size};
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_frames = 8;
    cfg.max_samples = 256;
    cfg.samples_per_edge = 8;
    cfg.max_name = 15;
    cfg.keep_ns = 50000;
    const uint8_t kind = byte(&p);
    if (kind & 1)
        cfg.jump_back_ns = 20000;
    if (kind & 2)
        cfg.flags = SNT_TF_STRICT_DUPLICATES | SNT_TF_REPARENT_IS_GAP;
    if (kind & 4)
        cfg.conflict = 1 + kind / 8 % 4;
    if (kind & 64)
        must(snt_epoch_create(NULL, &p.epoch) == SNT_OK);
    cfg.epoch = p.epoch;
    must(snt_tf_buffer_create(&cfg, NULL, &p.b) == SNT_OK);
    for (int i = 0; i < 6; i++) {
        const char name[3] = {'f', (char)('0' + i), 0};
        must(snt_tf_buffer_frame(p.b, name, &p.frames[i]) == SNT_OK);
    }
    snt_tf_cursor_init(&p.cursor);
    while (p.at < p.end)
        step(&p);
    snt_tf_path_destroy(p.path);
    snt_tf_buffer_destroy(p.b);
    snt_epoch_unref(p.epoch);
    return 0;
}
