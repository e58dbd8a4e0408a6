/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs/recipes.md, "points are smeared when turning": a wall 10 m away, scanned for 0.1 s by a robot that begins to turn at
 * 10 rad/s². Its driver stamps the header at the end of the scan.
 */
#include "snippet.h"

enum { POINTS = 1000, KNOTS = 61 };

static struct {
    float x, y, z;
    uint32_t t_ns;
} points[POINTS], out[POINTS];

static const snt_time begin_ns = INT64_C(1700000000) * SNT_NS_PER_S; /* of the scan */

static double yaw(double t)
{
    return 5 * t * t;
}

static double off(const void *cloud) /* greatest distance from the point that was hit, at the scan's end */
{
    const float *p = cloud;
    double greatest = 0;
    for (int i = 0; i < POINTS; i++, p += 4) {
        const double d = hypot((double)p[0] - 10 * cos(yaw(0.1)), (double)p[1] + 10 * sin(yaw(0.1)));
        greatest = d > greatest ? d : greatest;
    }
    return greatest;
}

/* Deskews with the zero of the point times taken to be `base_ns`. */
static double smear(snt_time base_ns, const snt_time *stamps, const snt_pose *poses)
{
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    need(snt_cloud_set_points(&cloud, &points[0].x, sizeof points[0], SNT_TYPE_F32, POINTS));
    /* [base] */
    need(snt_cloud_set_times(&cloud, &points[0].t_ns, sizeof points[0], SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                             SNT_TIME_REF_RELATIVE, base_ns, 0));
    /* [base] */
    snt_deskew *plan;
    need(snt_deskew_create(NULL, NULL, &plan));
    snt_deskew_scan scan;
    snt_deskew_report report;
    snt_deskew_scan_init(&scan, sizeof scan);
    /* [plan] */
    need(snt_deskew_scan_from_cloud(&cloud, NULL, 150 * SNT_NS_PER_MS, &scan, NULL));
    scan.reference = SNT_REF_END;
    need(snt_deskew_plan_knots(plan, &scan, stamps, 0, poses, 0, KNOTS, SNT_INTERPOLATE_LINEAR));
    need(snt_deskew_apply_copy(plan, &cloud, points, out, sizeof points[0], NULL, &report));
    if (report.outside || report.end_margin_ns < 0)
        puts("the motion does not cover the scan: is its clock the cloud's?");
    /* [plan] */
    snt_deskew_destroy(plan);
    return off(out);
}

int main(void)
{
    snt_time stamps[KNOTS];
    snt_pose poses[KNOTS];
    for (int i = 0; i < KNOTS; i++) { /* 200 Hz from 0.1 s before the scan to 0.1 s after it */
        const double t = (i - 20) * 0.005, turned = t > 0 ? yaw(t) : 0;
        stamps[i] = begin_ns + (i - 20) * 5 * SNT_NS_PER_MS;
        poses[i] = (snt_pose){{0, 0, sin(turned / 2), cos(turned / 2)}, {0, 0, 0}};
    }
    for (uint32_t i = 0; i < POINTS; i++) { /* the same spot of the wall, seen from the turning robot */
        points[i].t_ns = i * 100100;
        points[i].x = (float)(10 * cos(yaw(1e-9 * points[i].t_ns)));
        points[i].y = (float)(-10 * sin(yaw(1e-9 * points[i].t_ns)));
    }
    const double raw = off(points);
    const double wrong = smear(begin_ns + 100 * SNT_NS_PER_MS, stamps, poses);
    const double right = smear(begin_ns, stamps, poses);
    printf("as measured:                          %5.1f cm\n", 100 * raw);
    printf("deskewed, header taken for the start: %5.1f cm\n", 100 * wrong);
    printf("deskewed, header known as the end:    %5.1f cm\n", 100 * right);
    expect(right < 0.01 && wrong > 0.1 && raw > 0.1);
    return 0;
}
