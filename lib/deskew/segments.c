/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From exact motion to polynomials.
 *
 * About the middle of a segment the rotation is Q·(cos φ + n·sin φ) with φ = |w|u/2, so b, W and most of t are
 * combinations of sin and cos with constant vectors. Sine and cosine are replaced by the cubic and quadratic that
 * Chebyshev economisation makes of their Taylor series over |φ| <= φ_h:
 *     cos φ ≈ 1 − φ_h⁴/192 + φ²(−1/2 + φ_h²/24)          off by at most φ_h⁴/192 + φ_h⁶/720
 *     sin φ ≈ φ(1 − φ_h⁴/384) + φ³(−1/6 + φ_h²/96)       off by at most φ_h⁵/1920 + φ_h⁷/5040
 * The errors are what remains of the economised term plus the first term left out of an alternating series: proven, no
 * sampling. A rotation error δ of the unit quaternion moves a point at r by at most 4·r·δ·(1 + δ).
 */
#include "plan.h"

/* What one segment of half length h [s] does with cos/sin of angles up to x = (angle at h)². */
static double seg_cos_error(double x)
{
    return x * x / 192 + x * x * x / 720;
}
static double seg_sin_error(double x, double root)
{
    return root * (x * x / 1920 + x * x * x / 5040);
}

typedef struct seg_error {
    double rotation;    /* of the unit quaternion */
    double translation; /* [m] */
} seg_error;

/* The sensor's lever arm and speed of a piece, as far as errors need them. */
typedef struct seg_facts {
    double rate, speed, acceleration, lever;
    double distance; /* inverse only: from the moving frame to the output frame's origin */
    bool screw, inverse;
} seg_facts;

static seg_error seg_error_of(const seg_facts *facts, double h)
{
    const double angle = facts->rate * h, x = angle * angle;
    seg_error e;
    e.rotation = seg_cos_error(x / 4) + seg_sin_error(x / 4, angle / 2);
    if (facts->inverse) {
        /* interpolation at Chebyshev nodes: greatest fourth derivative · h⁴/192 */
        const double w = facts->rate, g = facts->distance + facts->speed * h;
        const double d4 = w * w * w * (w * g + 4 * facts->speed) + 6 * w * w * facts->acceleration +
                          facts->acceleration * h * 4 * w * w * w;
        e.translation = d4 * h * h * h * h / 192;
        return e;
    }
    const double turn = seg_cos_error(x) + seg_sin_error(x, angle);
    e.translation = facts->lever * turn;
    if (facts->screw) /* |v|/|w| · turn, without the division */
        e.translation +=
            facts->speed * h * (angle * x / 192 + angle * x * x / 720 + x * x / 1920 + x * x * x / 5040);
    return e;
}

static double seg_total(const snt_deskew *plan, seg_error e)
{
    return 4 * plan->config.range_m * e.rotation * (1 + e.rotation) + e.translation;
}

/* Greatest distance of the moving frame from the output frame's origin while this piece is used, in fixed axes. */
static double seg_distance(const snt_deskew *plan, const snt__deskew_piece *piece, const seg_facts *facts,
                           double from_s, double to_s)
{
    double q[4], origin[3], d = 0;
    snt__quat_conj(plan->output_fixed.q, q);
    snt__quat_rotate(q, plan->output_fixed.t, origin);
    for (int i = 0; i < 3; i++) {
        const double gap = piece->pose.t[i] + origin[i];
        d += gap * gap;
    }
    const double reach = fabs(from_s) > fabs(to_s) ? fabs(from_s) : fabs(to_s);
    return snt__sqrt(d) + facts->speed * reach;
}

static seg_facts seg_facts_of(const snt_deskew *plan, const snt__deskew_piece *piece, double from_s,
                              double to_s)
{
    const double reach = fabs(from_s) > fabs(to_s) ? fabs(from_s) : fabs(to_s);
    seg_facts facts = {.rate = snt__norm3(piece->w),
                       .acceleration = snt__norm3(piece->a),
                       .lever = snt__norm3(plan->moving_sensor.t),
                       .screw = piece->screw,
                       .inverse = plan->scan.inverse};
    facts.speed = snt__norm3(piece->v) + facts.acceleration * reach;
    if (facts.inverse)
        facts.distance = seg_distance(plan, piece, &facts, from_s, to_s);
    return facts;
}

/* Equal parts of a stretch of `length` ns that keep the tolerance; 0 if more than `limit` would be needed. */
static uint32_t seg_parts(const snt_deskew *plan, const seg_facts *facts, int64_t length, uint32_t limit)
{
    int64_t parts = (length + 2 * SNT__DESKEW_HALF_MAX) / (2 * (int64_t)SNT__DESKEW_HALF_MAX);
    for (;;) {
        if (parts > limit)
            return 0;
        const int64_t longest = (length + parts - 1) / parts;
        const double h = 0.5e-9 * (double)(longest + 1);
        const double excess = seg_total(plan, seg_error_of(facts, h)) / plan->config.tolerance_m;
        if (excess <= 1)
            return (uint32_t)parts;
        if (!(excess < 1e30))
            return 0;
        /* the error goes with h⁴ */
        const double more = (double)parts * snt__sqrt(snt__sqrt(excess));
        parts = more > (double)parts + 1 ? (int64_t)more : parts + 1;
    }
}

/* row += vector·(c0 + c1·u + c2·u² + c3·u³), u in ns. */
static void seg_add(double row[4][3], const double *vector, double c0, double c1, double c2, double c3)
{
    for (int i = 0; i < 3; i++) {
        row[0][i] += vector[i] * c0;
        row[1][i] += vector[i] * c1;
        row[2][i] += vector[i] * c2;
        row[3][i] += vector[i] * c3;
    }
}

/* Translation of the sensor about u = 0, in s: origin of the moving frame plus the turning lever arm. */
static void seg_translation(const snt_deskew *plan, const snt__deskew_piece *piece, const snt_pose *mid,
                            const double *velocity, double h, double row[4][3])
{
    const double *x = plan->moving_sensor.t;
    const double w2 = snt__dot3(piece->w, piece->w), y = w2 * h * h;
    /* sin θ/|w| and (1 − cos θ)/|w|² as polynomials of u */
    const double s1 = 1 - y * y / 384, s3 = w2 * (-1.0 / 6 + y / 96);
    const double c0 = w2 * h * h * h * h / 192, c2 = 0.5 - y / 24;
    double arm[3], wx[3], wwx[3], turned[3];
    snt__quat_rotate(mid->q, x, arm);
    seg_add(row, mid->t, 1, 0, 0, 0);
    seg_add(row, arm, 1, 0, 0, 0);
    snt__cross(piece->w, x, wx);
    snt__cross(piece->w, wx, wwx);
    snt__quat_rotate(mid->q, wx, turned);
    seg_add(row, turned, 0, s1, 0, s3);
    snt__quat_rotate(mid->q, wwx, turned);
    seg_add(row, turned, c0, 0, c2, 0);
    if (!piece->screw) {
        seg_add(row, velocity, 0, 1, 0, 0);
        seg_add(row, piece->a, 0, 0, 0.5, 0);
        return;
    }
    double wv[3], wwv[3];
    snt__cross(piece->w, piece->v, wv);
    snt__cross(piece->w, wv, wwv);
    snt__quat_rotate(mid->q, piece->v, turned);
    seg_add(row, turned, 0, 1, 0, 0);
    snt__quat_rotate(mid->q, wv, turned);
    seg_add(row, turned, c0, 0, c2, 0);
    snt__quat_rotate(mid->q, wwv, turned);
    seg_add(row, turned, 0, w2 * h * h * h * h / 384, 0, 1.0 / 6 - y / 96);
}

/* The inverse's translation is no sum of few terms: interpolate the exact one at four Chebyshev nodes. */
static void seg_inverse_translation(const snt_deskew *plan, const snt__deskew_piece *piece,
                                    const snt_pose *at_mid, double mid_s, double h, double row[4][3])
{
    static const double node[4] = {-0.92387953251128674, -0.38268343236508977, 0.38268343236508977,
                                   0.92387953251128674};
    double f[4][3];
    snt__deskew_piece from_mid = *piece; /* the same motion, told from the middle */
    from_mid.begin = 0;
    from_mid.pose = *at_mid;
    if (!piece->screw)
        for (int i = 0; i < 3; i++)
            from_mid.v[i] = piece->v[i] + piece->a[i] * mid_s;
    for (int k = 0; k < 4; k++) {
        const double s = node[k] * h;
        snt_pose moving, sensor, output, inverse;
        double v[3], w[3];
        for (int i = 0; i < 3; i++) {
            v[i] = from_mid.v[i] * s;
            w[i] = from_mid.w[i] * s;
        }
        if (piece->screw) {
            snt_pose step;
            snt__pose_exp(v, w, &step);
            snt__pose_compose(&from_mid.pose, &step, &moving);
        } else {
            double q[4];
            snt__rotation_exp(w, q);
            snt__quat_mul(from_mid.pose.q, q, moving.q);
            for (int i = 0; i < 3; i++)
                moving.t[i] = from_mid.pose.t[i] + (v[i] + 0.5 * piece->a[i] * s * s);
        }
        snt__pose_compose(&moving, &plan->moving_sensor, &sensor);
        snt__pose_compose(&plan->output_fixed, &sensor, &output);
        snt__pose_inverse(&output, &inverse);
        memcpy(f[k], inverse.t, sizeof f[k]);
    }
    /* even and odd parts at ±a, ±b */
    const double a = node[3] * h, b = node[2] * h, a2 = a * a, b2 = b * b;
    for (int i = 0; i < 3; i++) {
        const double ea = (f[3][i] + f[0][i]) / 2, eb = (f[2][i] + f[1][i]) / 2;
        const double oa = (f[3][i] - f[0][i]) / 2, ob = (f[2][i] - f[1][i]) / 2;
        double c2 = 0, c3 = 0, c1 = 0;
        if (h > 0) {
            c2 = (ea - eb) / (a2 - b2);
            c3 = (oa / a - ob / b) / (a2 - b2);
            c1 = ob / b - c3 * b2;
        }
        row[0][i] = eb - c2 * b2;
        row[1][i] = c1;
        row[2][i] = c2;
        row[3][i] = c3;
    }
}

static float seg_round(double c)
{
    /* Where even u³ at its greatest cannot lift it to the rounding error of anything, and below lie denormals. */
    return fabs(c) < 1e-36 ? 0.0f : (float)c;
}

static double seg_max(double a, double b)
{
    return a > b ? a : b;
}

static double seg_norm(const double *v)
{
    return snt__norm3(v);
}

/* Store one segment: middle `mid` and half length h [s] of `piece`. */
static void seg_store(snt_deskew *plan, const snt__deskew_piece *piece, uint32_t index, snt_time mid_ns,
                      double h)
{
    snt_pose mid, sensor, output;
    snt__deskew_piece_pose(piece, mid_ns, &mid);
    snt__pose_compose(&mid, &plan->moving_sensor, &sensor);
    snt__pose_compose(&plan->output_fixed, &sensor, &output);
    const double mid_s = snt__deskew_seconds(mid_ns, piece->begin);

    /* (b, W) = cos φ·Q + sin φ/|w|·(Q ⊗ w'), w' the rate in sensor axes */
    const double w2 = snt__dot3(piece->w, piece->w), x = w2 * h * h / 4;
    const double c0 = (1 - x * x / 192), c2 = (w2 / 4) * (-0.5 + x / 24);
    const double s1 = 0.5 * (1 - x * x / 384), s3 = (w2 / 8) * (-1.0 / 6 + x / 96);
    double back[4], rate[4] = {0, 0, 0, 0}, turned[4];
    snt__quat_conj(plan->moving_sensor.q, back);
    snt__quat_rotate(back, piece->w, rate);
    snt__quat_mul(output.q, rate, turned);

    double row[4][3] = {{0}};
    if (plan->scan.inverse) {
        seg_inverse_translation(plan, piece, &mid, mid_s, h, row);
    } else {
        double velocity[3], about[4][3] = {{0}};
        for (int i = 0; i < 3; i++)
            velocity[i] = piece->v[i] + piece->a[i] * mid_s;
        seg_translation(plan, piece, &mid, velocity, h, about);
        for (int d = 0; d < 4; d++)
            snt__quat_rotate(plan->output_fixed.q, about[d], row[d]);
        for (int i = 0; i < 3; i++)
            row[0][i] += plan->output_fixed.t[i];
    }

    const double sign = plan->scan.inverse ? -1 : 1; /* the inverse rotation is the conjugate */
    double q[4][4];
    for (int i = 0; i < 4; i++) {
        const double flip = i < 3 ? sign : 1;
        q[0][i] = flip * output.q[i] * c0;
        q[1][i] = flip * turned[i] * s1;
        q[2][i] = flip * output.q[i] * c2;
        q[3][i] = flip * turned[i] * s3;
    }
    snt__deskew_segment *segment = &plan->segments[index];
    double unit = 1, power = 1, b = 0, w = 0, t = 0; /* ns^d per s^d */
    for (int d = 0; d < 4; d++, unit *= 1e-9, power *= h) {
        for (int i = 0; i < 4; i++)
            segment->row[d][i] = seg_round(q[d][i] * unit);
        for (int i = 0; i < 3; i++)
            segment->row[d][4 + i] = seg_round(row[d][i] * unit);
        segment->row[d][7] = 0;
        if (d) {
            b += seg_norm(q[d]) * power;
            w += fabs(q[d][3]) * power;
            t += seg_norm(row[d]) * power;
        }
    }
    snt__deskew_sizes *sizes = &plan->sizes;
    sizes->b0 = seg_max(sizes->b0, seg_norm(q[0]));
    sizes->t0 = seg_max(sizes->t0, seg_norm(row[0]));
    sizes->b = seg_max(sizes->b, b);
    sizes->w = seg_max(sizes->w, w);
    sizes->t = seg_max(sizes->t, t);
}

/* Cut the stretch [from, to) of one piece. */
static snt_status seg_cut(snt_deskew *plan, const snt__deskew_piece *piece, snt_time from, snt_time to)
{
    const double from_s = snt__deskew_seconds(from, piece->begin),
                 to_s = snt__deskew_seconds(to, piece->begin);
    const seg_facts facts = seg_facts_of(plan, piece, from_s, to_s);
    const int64_t length = to - from;
    const uint32_t parts = seg_parts(plan, &facts, length, plan->config.max_segments - plan->table.count);
    if (!parts)
        return SNT_ERR_FULL;
    snt_time begin = from;
    for (uint32_t i = 0; i < parts; i++) {
        const snt_time end = from + length / parts * (i + 1) + length % parts * (i + 1) / parts;
        const snt_time mid = begin + (end - begin) / 2;
        const double h = 0.5e-9 * (double)(end - begin + 1);
        const uint32_t index = plan->table.count++;
        plan->begin[index] = (int32_t)(begin - plan->origin_ns);
        plan->mid[index] = (int32_t)(mid - plan->origin_ns);
        seg_store(plan, piece, index, mid, h);
        const seg_error e = seg_error_of(&facts, h);
        plan->sizes.approximation_rotation = seg_max(plan->sizes.approximation_rotation, e.rotation);
        plan->sizes.approximation_translation = seg_max(plan->sizes.approximation_translation, e.translation);
        begin = end;
    }
    double lever[3], along[3];
    snt__cross(piece->w, plan->moving_sensor.t, lever);
    for (int i = 0; i < 3; i++)
        along[i] = piece->v[i] + lever[i];
    const double speed = piece->screw ? seg_norm(along) : facts.speed + seg_norm(lever);
    plan->max_rate = seg_max(plan->max_rate, facts.rate);
    plan->max_speed = seg_max(plan->max_speed, speed);
    return SNT_OK;
}

static void seg_make_tiles(snt_deskew *plan)
{
    snt__deskew_table *table = &plan->table;
    table->tiles = plan->kernel.id == SNT_KERNEL_AVX512 && !table->walk ? plan->tiles : NULL;
    if (!table->tiles)
        return;
    for (uint32_t i = 0; i < table->count; i++) {
        snt__deskew_tile *tile = &plan->tiles[i / SNT__DESKEW_TILE];
        const uint32_t lane = i % SNT__DESKEW_TILE;
        tile->next[lane] = plan->begin[i + 1];
        tile->mid[lane] = plan->mid[i];
        for (int d = 0; d < 4; d++)
            for (int k = 0; k < 7; k++)
                tile->coefficient[d][k][lane] = plan->segments[i].row[d][k];
    }
}

/* Slots no wider than the shortest segment between two borders, so that one comparison finds the segment. */
static void seg_make_slots(snt_deskew *plan)
{
    snt__deskew_table *table = &plan->table;
    const uint64_t span = (uint64_t)((int64_t)plan->begin[table->count] - (int64_t)plan->begin[0]);
    uint64_t shortest = span;
    for (uint32_t s = 1; s + 1 < table->count; s++) {
        const uint64_t length = (uint64_t)((int64_t)plan->begin[s + 1] - (int64_t)plan->begin[s]);
        shortest = length < shortest ? length : shortest;
    }
    uint32_t shift = 0;
    while (shift < 31 && (UINT64_C(2) << shift) <= shortest)
        shift++;
    table->walk = 0;
    while ((span >> shift) >= SNT__DESKEW_SLOTS) {
        shift++;
        table->walk = 1;
    }
    table->shift = shift;
    const uint32_t slots = (uint32_t)(span >> shift) + 1;
    uint32_t s = 0;
    for (uint32_t i = 0; i < slots; i++) {
        const int64_t t = (int64_t)plan->begin[0] + ((int64_t)i << shift);
        while (s + 1 < table->count && t >= plan->begin[s + 1])
            s++;
        plan->slot[i] = (uint16_t)s;
    }
    seg_make_tiles(plan);
}

static bool seg_all_zero(const snt_deskew *plan)
{
    for (uint32_t s = 0; s < plan->table.count; s++)
        for (int d = 0; d < 4; d++)
            for (int k = 0; k < 7; k++)
                if (k != 3 && plan->segments[s].row[d][k] != 0.0f)
                    return false;
    return true;
}

snt_status snt__deskew_build_segments(snt_deskew *plan)
{
    plan->table.count = 0;
    plan->sizes = (snt__deskew_sizes){0};
    plan->max_speed = plan->max_rate = 0;
    const uint32_t last = snt__deskew_piece_at(plan, plan->eval_end_ns);
    snt_time from = plan->eval_begin_ns;
    for (uint32_t i = snt__deskew_piece_at(plan, from); i <= last; i++) {
        const snt_time to = i == last ? plan->eval_end_ns + 1 : plan->pieces[i + 1].begin;
        const snt_status status = seg_cut(plan, &plan->pieces[i], from, to);
        if (status < 0)
            return status;
        from = to;
    }
    plan->begin[plan->table.count] = (int32_t)(plan->eval_end_ns + 1 - plan->origin_ns);
    seg_make_slots(plan);
    if (seg_all_zero(plan))
        plan->flags |= SNT_DESKEW_PLAN_IDENTITY;
    return SNT_OK;
}
