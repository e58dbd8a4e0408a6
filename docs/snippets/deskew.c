/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/deskew.md: a wall 5 m ahead, measured while driving towards it at 2 m/s. */
#include "snippet.h"

enum { POINTS = 1000 };

int main(void)
{
    static struct {
        float x, y, z;
        uint32_t t_ns;
    } points[POINTS];
    const snt_twist twist = {{2, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i].t_ns = i * 100000;
        points[i].x = (float)(5 - 2e-4 * i);
    }
    /* [cloud] */
    snt_cloud cloud; /* a view of the caller's points: nothing is copied */
    snt_cloud_init(&cloud);
    need(snt_cloud_set_points(&cloud, &points[0].x, sizeof points[0], SNT_TYPE_F32, POINTS));
    need(snt_cloud_set_times(&cloud, &points[0].t_ns, sizeof points[0], SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                             SNT_TIME_REF_RELATIVE, 1700000000 * SNT_NS_PER_S, 0));
    /* [cloud] */
    snt_deskew_report report;
    /* [plan] */
    snt_deskew *plan;
    need(snt_deskew_create(NULL, NULL, &plan)); /* once */

    snt_deskew_scan scan; /* for every scan */
    snt_deskew_scan_init(&scan, sizeof scan);
    need(snt_deskew_scan_from_cloud(&cloud, NULL, 150 * SNT_NS_PER_MS, &scan, NULL));
    scan.reference = SNT_REF_END;
    need(snt_deskew_plan_twist(plan, &scan, &twist));      /* or one of the others */
    need(snt_deskew_apply(plan, &cloud, &cloud, &report)); /* in place */
    /* [plan] */
    snt_deskew_bound bound;
    /* [bound] */
    need(snt_deskew_get_bound(plan, &cloud, 5.0, &bound)); /* at 5 m */
    /* [bound] */
    const double wall = (double)points[0].x, off = fabs(wall - (5 - 2e-4 * (POINTS - 1)));
    expect(off <= bound.total_m && bound.total_m < 1e-5);
    printf("%llu points moved, the first one to %.4f m; wrong by at most %.1g m\n",
           (unsigned long long)report.moved, wall, bound.total_m);
    snt_deskew_destroy(plan);
    return 0;
}
