/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds made to order: fields from "name:type@offset …", scans of a spinning device with known times. */
#ifndef SNT_TEST_SYNTH_CLOUD_H
#define SNT_TEST_SYNTH_CLOUD_H

#include <stdlib.h>

#include "test.h"

enum { SYNTH_FIELDS = 24, SYNTH_SCANS = 16 };

typedef struct synth_cloud {
    snt_point_field fields[SYNTH_FIELDS];
    uint32_t field_count;
    uint32_t step;
    uint32_t points; /* per scan */
    bool big_endian;
    unsigned char *data[SYNTH_SCANS];
    snt_pointcloud2_view views[SYNTH_SCANS];
    snt_time receive[SYNTH_SCANS];
    uint32_t scans;
} synth_cloud;

static inline uint32_t synth_type(const char *text, size_t size)
{
    static const char *const names[] = {"-",   "i8",  "u8",  "i16", "u16", "i32",
                                        "u32", "f32", "f64", "i64", "u64"};
    for (uint32_t i = 1; i < 11; i++)
        if (strlen(names[i]) == size && memcmp(names[i], text, size) == 0)
            return i;
    return SNT_TYPE_F32;
}

/* Fields without @offset follow the one before; without :type they are f32. step 0 = end of the last field. */
static inline void synth_init(synth_cloud *c, const char *spec, uint32_t step, uint32_t points)
{
    memset(c, 0, sizeof *c);
    uint32_t end = 0, most = 0;
    for (const char *word = spec; *word;) {
        const size_t size = strcspn(word, " ");
        const char *colon = memchr(word, ':', size);
        const char *at = memchr(word, '@', size);
        snt_point_field *f = &c->fields[c->field_count++];
        f->name.data = word;
        f->name.size = colon ? (size_t)(colon - word) : size;
        f->datatype = colon ? synth_type(colon + 1, (size_t)((at ? at : word + size) - colon - 1))
                            : (uint32_t)SNT_TYPE_F32;
        f->offset = at ? (uint32_t)atoi(at + 1) : end;
        f->count = 1;
        end = f->offset + snt_type_size(f->datatype);
        most = end > most ? end : most;
        word += size;
        word += *word == ' ';
    }
    c->step = step ? step : most;
    c->points = points;
}

static inline void synth_free(synth_cloud *c)
{
    for (uint32_t i = 0; i < c->scans; i++)
        free(c->data[i]);
}

static const snt_point_field *synth_find(const synth_cloud *c, const char *name)
{
    for (uint32_t i = 0; i < c->field_count; i++)
        if (c->fields[i].name.size == strlen(name) &&
            memcmp(c->fields[i].name.data, name, c->fields[i].name.size) == 0)
            return &c->fields[i];
    return NULL;
}

/* Write one value; whole is used for whole types. Unknown names are ignored. */
static inline void synth_put(const synth_cloud *c, uint32_t scan, uint32_t point, const char *name,
                             double real, int64_t whole)
{
    const snt_point_field *f = synth_find(c, name);
    if (!f)
        return;
    const float single = (float)real;
    const void *source = f->datatype == SNT_TYPE_F64   ? (const void *)&real
                         : f->datatype == SNT_TYPE_F32 ? (const void *)&single
                                                       : (const void *)&whole;
    unsigned char *at = c->data[scan] + (size_t)point * c->step + f->offset;
    const size_t size = snt_type_size(f->datatype);
    for (size_t i = 0; i < size; i++)
        at[i] = ((const unsigned char *)source)[c->big_endian ? size - 1 - i : i];
}

/* A fresh scan of zeroes with a header; returns its index. */
static inline uint32_t synth_add_scan(synth_cloud *c, snt_time stamp)
{
    const uint32_t s = c->scans++;
    c->data[s] = calloc(c->points ? c->points : 1, c->step);
    c->receive[s] = SNT_UNKNOWN;
    assert_status(snt_pointcloud2_view_init(c->fields, c->field_count, c->data[s],
                                            (uint64_t)c->points * c->step, c->points, 1, c->step, 0, stamp,
                                            c->big_endian, &c->views[s], NULL),
                  SNT_OK);
    return s;
}

/* Coordinates of a device with `rings` lasers that turns once per scan: point i is laser i % rings. */
static inline void synth_turn(const synth_cloud *c, uint32_t scan, uint32_t rings)
{
    for (uint32_t i = 0; i < c->points; i++) {
        const double azimuth = -6.28 * (i / rings) / ((double)c->points / rings),
                     range = 5 + (i * 7919 % 100) * 0.3;
        synth_put(c, scan, i, "x", range * cos(azimuth), 0);
        synth_put(c, scan, i, "y", range * sin(azimuth), 0);
        synth_put(c, scan, i, "z", 0.1 * (i % rings) - 0.7, 0);
        synth_put(c, scan, i, "ring", i % rings, i % rings);
        synth_put(c, scan, i, "channel", i % rings, i % rings);
        synth_put(c, scan, i, "line", i % rings, i % rings);
        synth_put(c, scan, i, "intensity", (i * 31) % 255, (i * 31) % 255);
    }
}

#define SYNTH_HAS(report, name) (((report).evidence & SNT_LAYOUT_EVIDENCE(name)) != 0)

static const int64_t synth_today = INT64_C(1700000000000000000);

static inline snt_status synth_detect(const synth_cloud *c, int64_t period, snt_point_layout *layout,
                                      snt_layout_report *report)
{
    snt_layout_options options;
    snt_layout_options_init(&options, sizeof options);
    options.period_ns = period;
    bool known = false;
    for (uint32_t i = 0; i < c->scans; i++)
        known |= c->receive[i] != SNT_UNKNOWN;
    options.receive_ns = known ? c->receive : NULL;
    return snt_point_layout_detect(c->fields, c->field_count, c->views, c->scans, &options, layout, report);
}

/* Scans of `n` points whose times run from first to last against the header, 10 Hz. */
typedef struct synth_model {
    const char *spec;
    const char *time_field;
    int64_t unit_ns;
    bool absolute;
    double first_s, last_s;
    uint32_t step, scans;
} synth_model;

static const int64_t synth_unit_ns[] = {0, 1000000000, 1000000, 1000, 100, 1};

static inline void synth_put_time(const synth_cloud *c, uint32_t s, uint32_t i, const synth_model *m,
                                  int64_t stamp, int64_t t_ns)
{
    const int64_t value_ns = m->absolute ? stamp + t_ns : t_ns;
    /* split: a double's product would lose the nanoseconds of today */
    const double real = m->unit_ns == 1 ? (double)value_ns
                                        : (double)(value_ns / m->unit_ns) +
                                              (double)(value_ns % m->unit_ns) / (double)m->unit_ns;
    synth_put(c, s, i, m->time_field, real, value_ns / m->unit_ns);
}

static inline void synth_scans(synth_cloud *c, const synth_model *m, uint32_t points)
{
    synth_init(c, m->spec, m->step, points);
    for (uint32_t k = 0; k < m->scans; k++) {
        const int64_t stamp = synth_today + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(c, stamp);
        synth_turn(c, s, 16);
        for (uint32_t i = 0; i < points; i++) {
            const double column = (double)(i / 16) / (double)((points - 1) / 16);
            synth_put_time(c, s, i, m, stamp,
                           (int64_t)((m->first_s + (m->last_s - m->first_s) * column) * 1e9));
        }
    }
}

#define SYNTH_XYZ "x:f32@0 y:f32@4 z:f32@8 "

#endif
