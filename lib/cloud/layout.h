/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the layout detection: columns of raw values, what is measured of them, and the readings they allow. */
#ifndef SNT_LIB_CLOUD_LAYOUT_H
#define SNT_LIB_CLOUD_LAYOUT_H

#include "element.h"

#include "sensortime/point_layout.h"

enum {
    SNT__LAYOUT_SCANS = 64,    /* more add nothing */
    SNT__LAYOUT_SAMPLE = 1024, /* values per scan that are sorted */
    SNT__LAYOUT_BLOCK = 256,   /* values decoded at once */
    SNT__LAYOUT_COLUMNS = 8,   /* time fields looked at */
    SNT__LAYOUT_PRODUCERS = 8,
    SNT__LAYOUT_UNITS = 6 /* SNT_TIME_UNIT_* */
};

typedef struct snt__producer {
    const char *name;
    const char *fields;
    const char *note;
    uint32_t point_step;
    uint32_t unit;
    uint32_t time_ref;
    uint32_t role;
} snt__producer;

/* One field that may be the time. */
typedef struct snt__column {
    uint32_t index; /* in the field list */
    snt_layout_field value;
    snt_layout_field nsec;      /* of a split time */
    snt_layout_field base_low;  /* of a stored zero */
    snt_layout_field base_high; /* of a stored zero */
    uint32_t named_unit;        /* from the name's ending; SNT_TIME_UNIT_UNKNOWN = it does not say */
} snt__column;

/* A scan as the detection walks it. */
typedef struct snt__scan {
    const snt_pointcloud2_view *view;
    uint64_t count; /* points looked at */
    uint64_t step;  /* every step-th point */
    bool big_endian;
} snt__scan;

/* What one column is in one scan; values are raw. */
typedef struct snt__measure {
    double lo, hi;   /* without outliers */
    double min, max; /* of all valid values */
    double max_run;  /* longest rise between two restarts */
    uint64_t valid, invalid, zeros, outliers, jumps, restarts, changes, wrapped;
} snt__measure;

/* All scans of one column. */
typedef struct snt__series {
    snt__measure scan[SNT__LAYOUT_SCANS];
    snt_time stamp[SNT__LAYOUT_SCANS];
    snt_time receive[SNT__LAYOUT_SCANS]; /* SNT_UNKNOWN = not known */
    uint32_t count;                      /* scans with valid values */
    uint32_t type;                       /* as which the values are read */
    double lo, hi, span;                 /* medians over the scans, raw */
    snt_duration period_ns;              /* SNT_UNKNOWN = not known */
} snt__series;

/* What is decided for one column. */
typedef struct snt__reading {
    snt_status status;
    uint64_t evidence;
    uint32_t unit, time_ref, role;
    double unit_confidence, reference_confidence, role_confidence;
    snt_duration first_ns, last_ns; /* against the header; SNT_UNKNOWN */
    snt_duration resolution_ns;     /* step of the type there; 0 = not known */
    uint32_t candidate_count;
    snt_layout_candidate candidates[SNT_LAYOUT_CANDIDATES];
} snt__reading;

/* layout_producers.c */
uint32_t snt__producers_match(const snt_point_field *fields, uint32_t count, uint32_t point_step,
                              const snt__producer *found[SNT__LAYOUT_PRODUCERS]);

/* layout_fields.c */
bool snt__field_named(const snt_point_field *field, const char *name);
int32_t snt__fields_find(const snt_point_field *fields, uint32_t count, const char *name);
uint32_t snt__columns_find(const snt_point_field *fields, uint32_t count, snt__column *columns);
void snt__fields_xyz(const snt_point_field *fields, uint32_t count, snt_point_layout *layout);
void snt__fields_ring(const snt_point_field *fields, uint32_t count, const snt__scan *scans,
                      uint32_t scan_count, snt_point_layout *layout, snt_layout_report *report);
bool snt__byte_order_contradicted(const snt_point_layout *layout, const snt__scan *scans,
                                  uint32_t scan_count);

/* layout_measure.c */
const unsigned char *snt__scan_point(const snt__scan *scan, uint64_t i);
/* Values first … first + n − 1 of a field, n <= SNT__LAYOUT_BLOCK. */
void snt__scan_values(const snt__scan *scan, snt_layout_field field, uint64_t first, uint64_t n, double *out);
double snt__column_value(const snt__scan *scan, const snt__column *column, uint32_t type, uint64_t i);
void snt__series_measure(const snt__scan *scans, uint32_t scan_count, const snt__column *column,
                         const snt_layout_options *options, snt__series *series);
double snt__median(double *values, uint32_t count);

/* layout_unit.c: unit and reference of a column that is no constant */
void snt__reading_unit(const snt__series *series, const snt__column *column,
                       const snt__producer *const *producers, uint32_t producer_count, snt__reading *reading);

/* layout_role.c */
void snt__reading_role(const snt__series *series, const snt__producer *producer, snt__reading *reading);

/* layout_geometry.c */
bool snt__is_per_packet(const snt__scan *scan, const snt__column *column, const snt_point_layout *layout,
                        const snt__series *series, const snt__measure *measure);
uint64_t snt__layout_hints(const snt_point_field *fields, uint32_t count, const snt__scan *scan,
                           const snt_point_layout *layout);

#endif
