/* SPDX-License-Identifier: BSD-3-Clause */
/* Which field has the name of what. */
#include "layout.h"

#include <math.h>

enum { FIELDS_RINGS = 4096 }; /* more lasers than any device has: a ring above is none */

static char fields_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool snt__field_named(const snt_point_field *field, const char *name)
{
    const size_t size = strlen(name);
    if (field->name.size != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (fields_lower(field->name.data[i]) != fields_lower(name[i]))
            return false;
    return true;
}

/* A single value of a known type: what can be a coordinate, a time or a ring. */
static bool fields_is_scalar(const snt_point_field *field)
{
    return snt_type_size(field->datatype) && field->count <= 1;
}

int32_t snt__fields_find(const snt_point_field *fields, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (fields_is_scalar(&fields[i]) && snt__field_named(&fields[i], name))
            return (int32_t)i;
    return -1;
}

static snt_layout_field fields_at(const snt_point_field *fields, int32_t i)
{
    return i < 0 ? (snt_layout_field){0} : (snt_layout_field){fields[i].offset, fields[i].datatype};
}

void snt__fields_xyz(const snt_point_field *fields, uint32_t count, snt_point_layout *layout)
{
    snt_layout_field *const out[3] = {&layout->x, &layout->y, &layout->z};
    static const char *const names[3] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        const snt_layout_field field = fields_at(fields, snt__fields_find(fields, count, names[k]));
        if (field.type == SNT_TYPE_F32 || field.type == SNT_TYPE_F64)
            *out[k] = field;
    }
}

/* Pairs of whole seconds and nanoseconds. */
static const char *const fields_split[][2] = {{"timeSecond", "timeNanosecond"},
                                              {"lidar_sec", "lidar_nsec"},
                                              {"time_sec", "time_nsec"},
                                              {"stamp_sec", "stamp_nsec"},
                                              {"sec", "nsec"},
                                              {"sec", "nanosec"},
                                              {"seconds", "nanoseconds"}};

/* Names of times, with the unit that the name says. */
static const struct {
    const char *name;
    uint32_t unit;
} fields_times[] = {{"t", 0},
                    {"time", 0},
                    {"timestamp", 0},
                    {"time_stamp", 0},
                    {"time_offset", 0},
                    {"offset_time", 0},
                    {"ts", 0},
                    {"stamp", 0},
                    {"stamps", 0},
                    {"time_offset_ns", SNT_TIME_UNIT_NS},
                    {"offset_time_ns", SNT_TIME_UNIT_NS},
                    {"offset_ns", SNT_TIME_UNIT_NS},
                    {"start_offset_ns", SNT_TIME_UNIT_NS},
                    {"timestamp_ns", SNT_TIME_UNIT_NS},
                    {"time_ns", SNT_TIME_UNIT_NS},
                    {"ts_ns", SNT_TIME_UNIT_NS},
                    {"t_ns", SNT_TIME_UNIT_NS},
                    {"timestamp_us", SNT_TIME_UNIT_US},
                    {"time_us", SNT_TIME_UNIT_US},
                    {"offset_us", SNT_TIME_UNIT_US},
                    {"time_ms", SNT_TIME_UNIT_MS},
                    {"gps_time", 0},
                    {"point_time", 0},
                    {"rel_time", 0},
                    {"relative_time", 0},
                    {"time_increment", 0}};

uint32_t snt__columns_find(const snt_point_field *fields, uint32_t count, snt__column *columns)
{
    uint32_t n = 0;
    const int32_t low = snt__fields_find(fields, count, "timebase_low");
    const int32_t high = snt__fields_find(fields, count, "timebase_high");
    for (size_t k = 0; k < SNT_COUNT_OF(fields_times); k++) {
        const int32_t i = snt__fields_find(fields, count, fields_times[k].name);
        if (i < 0 || n >= SNT__LAYOUT_COLUMNS)
            continue;
        columns[n] = (snt__column){
            .index = (uint32_t)i, .value = fields_at(fields, i), .named_unit = fields_times[k].unit};
        if (low >= 0 && high >= 0 && fields[low].datatype == SNT_TYPE_U32 &&
            fields[high].datatype == SNT_TYPE_U32) {
            columns[n].base_low = fields_at(fields, low);
            columns[n].base_high = fields_at(fields, high);
        }
        n++;
    }
    for (size_t k = 0; k < SNT_COUNT_OF(fields_split); k++) {
        const int32_t sec = snt__fields_find(fields, count, fields_split[k][0]);
        const int32_t nsec = snt__fields_find(fields, count, fields_split[k][1]);
        if (sec < 0 || nsec < 0 || n >= SNT__LAYOUT_COLUMNS)
            continue;
        columns[n++] = (snt__column){.index = (uint32_t)sec,
                                     .value = fields_at(fields, sec),
                                     .nsec = fields_at(fields, nsec),
                                     .named_unit = SNT_TIME_UNIT_S};
    }
    return n;
}

/* Distinct rings in a scan, or 0 where a value is no ring. */
static uint32_t fields_count_rings(const snt__scan *scan, snt_layout_field field)
{
    uint64_t seen[FIELDS_RINGS / 64] = {0};
    double values[SNT__LAYOUT_BLOCK];
    uint32_t distinct = 0;
    for (uint64_t first = 0; first < scan->count; first += SNT__LAYOUT_BLOCK) {
        const uint64_t left = scan->count - first, n = left < SNT__LAYOUT_BLOCK ? left : SNT__LAYOUT_BLOCK;
        snt__scan_values(scan, field, first, n, values);
        for (uint64_t i = 0; i < n; i++) {
            const uint32_t ring =
                values[i] >= 0 && values[i] < FIELDS_RINGS ? (uint32_t)values[i] : UINT32_MAX;
            if ((double)ring != values[i])
                return 0;
            distinct += !(seen[ring / 64] >> (ring % 64) & 1);
            seen[ring / 64] |= UINT64_C(1) << (ring % 64);
        }
    }
    return distinct;
}

static void fields_copy_name(const snt_point_field *field, char out[24])
{
    const size_t size = field->name.size < 23 ? (size_t)field->name.size : 23;
    memcpy(out, field->name.data, size);
    out[size] = '\0';
}

void snt__fields_ring(const snt_point_field *fields, uint32_t count, const snt__scan *scans,
                      uint32_t scan_count, snt_point_layout *layout, snt_layout_report *report)
{
    static const char *const names[] = {"ring",         "channel", "line",    "line_index", "laser_id",
                                        "laser_number", "layer",   "scan_id", "row"};
    for (size_t k = 0; k < SNT_COUNT_OF(names); k++) {
        const int32_t i = snt__fields_find(fields, count, names[k]);
        if (i < 0)
            continue;
        uint32_t most = 0;
        bool wrong = false;
        for (uint32_t s = 0; s < scan_count; s++) {
            const uint32_t distinct =
                scans[s].count ? fields_count_rings(&scans[s], fields_at(fields, i)) : 0;
            wrong |= scans[s].count && !distinct;
            most = distinct > most ? distinct : most;
        }
        if (wrong)
            continue;
        layout->ring = fields_at(fields, i);
        report->ring_field = i;
        report->ring_count = most;
        report->ring_confidence = (most > 1 ? 0.95 : 0.5) - (fields[i].datatype == SNT_TYPE_F32 ? 0.2 : 0.0);
        fields_copy_name(&fields[i], report->ring_name);
        return;
    }
}

/* Coordinates of a device that are not zero: 1 mm to 10 km. Bytes in the wrong order hardly ever are. */
static bool fields_plausible(double v)
{
    return fabs(v) > 1e-3 && fabs(v) < 1e4;
}

/* By its bytes: a program may have told the processor to take subnormal numbers, as wrong orders give, for zero. */
static bool fields_is_zero(const unsigned char *at, uint32_t size, bool big_endian)
{
    unsigned rest = at[big_endian ? 0 : size - 1] & 0x7fu;
    for (uint32_t i = 0; i + 1 < size; i++)
        rest |= at[big_endian ? i + 1 : i];
    return rest == 0;
}

bool snt__byte_order_contradicted(const snt_point_layout *layout, const snt__scan *scans, uint32_t scan_count)
{
    uint64_t looked = 0, declared = 0, other = 0;
    if (!layout->x.type || !layout->y.type || !layout->z.type)
        return false;
    for (uint32_t s = 0; s < scan_count; s++) {
        const uint64_t stride = scans[s].count / 256 + 1;
        for (uint64_t i = 0; i < scans[s].count; i += stride) {
            const unsigned char *at = snt__scan_point(&scans[s], i);
            const snt_layout_field xyz[3] = {layout->x, layout->y, layout->z};
            for (int k = 0; k < 3; k++) {
                const unsigned char *element = at + xyz[k].offset;
                const double a = snt__element_f64(element, xyz[k].type, scans[s].big_endian);
                const double b = snt__element_f64(element, xyz[k].type, !scans[s].big_endian);
                /* a missing return says nothing */
                if (isnan(a) ||
                    (a == 0 && fields_is_zero(element, snt_type_size(xyz[k].type), scans[s].big_endian)))
                    continue;
                looked++;
                declared += fields_plausible(a);
                other += fields_plausible(b);
            }
        }
    }
    return looked >= 12 && declared * 2 < looked && other * 10 > looked * 9;
}
