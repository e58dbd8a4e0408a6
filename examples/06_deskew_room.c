/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lidar on a turning robot scans a room; deskewing puts the walls straight.
 *
 *     06_deskew_room [points.csv]
 *
 * Prints the distance of points from the walls they hit, before and after, beside the bound the library promises. With a
 * file name, writes one ring of points, before and after: docs/pictures/deskew_room.py draws it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sensortime/sensortime.h>

enum { RINGS = 32, COLUMNS = 1024, POINTS = RINGS * COLUMNS };

/* As many drivers lay points out: coordinates, intensity, ring and the time after the header. */
typedef struct point {
    float x, y, z, intensity;
    uint32_t t_ns;
    uint32_t ring;
} point;

/* The room is a box around the fixed frame's origin, where the robot is at the end of the scan. */
static const double room[3] = {6, 4, 1.5};
static const snt_twist motion = {{2, 0, 0}, {0, 0, 2.5}}; /* 2 m/s ahead, turning at 143°/s */
static const snt_time header_ns = INT64_C(1700000000000000000);
static const snt_duration scan_ns = 100 * SNT_NS_PER_MS;

/* Where a ray from inside the box meets it: distance, and which pair of walls. */
static double hit(const double *from, const double *direction, int *wall)
{
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (fabs(direction[k]) < 1e-12)
            continue;
        const double side = direction[k] > 0 ? room[k] : -room[k];
        const double distance = (side - from[k]) / direction[k];
        if (distance < nearest) {
            nearest = distance;
            *wall = k;
        }
    }
    return nearest;
}

/* One turn of the sensor: every ray leaves from where the robot is at that moment. */
static void scan(point *points, int *walls)
{
    for (int column = 0; column < COLUMNS; column++) {
        const uint32_t t = (uint32_t)(scan_ns / COLUMNS * column);
        snt_pose pose; /* T_room_sensor at t; the scan ends at the origin */
        snt_pose_exp(&motion, 1e-9 * (double)t - 0.1, &pose);
        const double azimuth = -6.283185307179586 * column / COLUMNS;
        for (int ring = 0; ring < RINGS; ring++) {
            const double elevation = 0.5 * ((ring + 0.5) / RINGS - 0.5);
            const double ray[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth),
                                   sin(elevation)};
            double direction[3];
            snt_pose_rotate_vectors(&pose, ray, 0, direction, 0, 1);
            point *p = &points[column * RINGS + ring];
            const double r = hit(pose.t, direction, &walls[column * RINGS + ring]);
            *p = (point){(float)(r * ray[0]), (float)(r * ray[1]), (float)(r * ray[2]), 1, t, (uint32_t)ring};
        }
    }
}

/* Root mean square and greatest distance of the points from the walls they hit. */
static double off_the_walls(const point *points, const int *walls, double *greatest)
{
    double sum = 0;
    *greatest = 0;
    for (int i = 0; i < POINTS; i++) {
        const double p[3] = {(double)points[i].x, (double)points[i].y, (double)points[i].z};
        const double off = fabs(fabs(p[walls[i]]) - room[walls[i]]);
        sum += off * off;
        *greatest = off > *greatest ? off : *greatest;
    }
    return sqrt(sum / POINTS);
}

static void fail(const char *what, snt_status status)
{
    fprintf(stderr, "%s: %s\n", what, snt_status_text(status));
    exit(1);
}

int main(int argc, char **argv)
{
    static point before[POINTS], after[POINTS];
    static int walls[POINTS];
    scan(before, walls);

    snt_cloud cloud; /* a view of the records: nothing is copied */
    snt_cloud_init(&cloud);
    snt_cloud_set_points(&cloud, &before[0].x, sizeof(point), SNT_TYPE_F32, POINTS);
    snt_cloud_set_times(&cloud, &before[0].t_ns, sizeof(point), SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                        SNT_TIME_REF_RELATIVE, header_ns, 0);

    snt_deskew *plan;
    snt_status status = snt_deskew_create(NULL, NULL, &plan);
    if (status < 0)
        fail("create", status);
    snt_deskew_scan options;
    snt_deskew_scan_init(&options, sizeof options);
    options.begin_ns = header_ns;
    options.end_ns = header_ns + scan_ns;
    options.reference = SNT_REF_END;
    status = snt_deskew_plan_twist(plan, &options, &motion);
    if (status < 0)
        fail("plan", status);
    snt_deskew_report report;
    status = snt_deskew_apply_copy(plan, &cloud, before, after, sizeof(point), NULL, &report);
    if (status < 0)
        fail("apply", status);

    snt_deskew_bound bound;
    snt_deskew_get_bound(plan, &cloud, 8, &bound);
    double worst_before, worst_after;
    const double rms_before = off_the_walls(before, walls, &worst_before);
    const double rms_after = off_the_walls(after, walls, &worst_after);
    printf("points              %llu moved to %.3f s\n", (unsigned long long)report.moved,
           1e-9 * (double)(report.reference_ns - header_ns));
    printf("off the walls       before          after\n");
    printf("  rms          %9.4f m   %11.2e m\n", rms_before, rms_after);
    printf("  greatest     %9.4f m   %11.2e m\n", worst_before, worst_after);
    printf("promised                          <= %.1e m\n", bound.total_m);
    if (argc > 1) {
        FILE *file = fopen(argv[1], "w");
        if (!file)
            return 1;
        fprintf(file, "x_before,y_before,x_after,y_after\n");
        for (int column = 0; column < COLUMNS; column++) {
            const point *b = &before[column * RINGS + RINGS / 2], *a = &after[column * RINGS + RINGS / 2];
            fprintf(file, "%.4f,%.4f,%.4f,%.4f\n", (double)b->x, (double)b->y, (double)a->x, (double)a->y);
        }
        fclose(file);
    }
    snt_deskew_destroy(plan);
    return worst_after <= bound.total_m && rms_before > 100 * rms_after ? 0 : 1;
}
