/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

static uint32_t pc2_type_size(uint32_t datatype)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return datatype < SNT_COUNT_OF(sizes) ? sizes[datatype] : 0;
}

static snt_point_field pc2_read_field(snt__wire *wire)
{
    snt_point_field field = {0};
    field.name = snt__wire_text(wire, "fields[].name");
    field.offset = snt__wire_u32(wire, "fields[].offset");
    field.datatype = snt__wire_u8(wire, "fields[].datatype");
    field.count = snt__wire_u32(wire, "fields[].count");
    return field;
}

/* Bytes of a point up to the end of the field. Unknown types have no size: only their offset is looked at. */
static uint64_t pc2_field_end(const snt_point_field *field)
{
    const uint64_t count = field->count ? field->count : 1;
    return field->offset + count * pc2_type_size(field->datatype);
}

static bool pc2_field_is_odd(const snt_point_field *field)
{
    return !field->count || !pc2_type_size(field->datatype);
}

/*
 * Sizes against each other, once all are known. `at` is where the message keeps what a complaint is about: point_step,
 * then row_step, then data.
 */
static void pc2_check_rows(snt__wire *wire, snt_pointcloud2_view *view, const uint64_t at[3])
{
    const uint64_t row = (uint64_t)view->width * view->point_step;
    view->point_count = (uint64_t)view->width * view->height;
    if (!view->point_count) {
        if (view->data_size)
            view->flags |= SNT_POINTCLOUD2_EXCESS_DATA;
        if (view->row_step != row)
            view->flags |= SNT_POINTCLOUD2_ODD_ROW_STEP;
        return;
    }
    if (!view->point_step) {
        snt__wire_fail(wire, SNT_ERR_LAYOUT, "point_step", at[0], 1);
        return;
    }
    uint64_t needed = row;
    if (view->height > 1) {
        if (view->row_step < row) {
            snt__wire_fail(wire, SNT_ERR_LAYOUT, "row_step", at[1], row);
            return;
        }
        if (view->row_step > row)
            view->flags |= SNT_POINTCLOUD2_PADDED_ROWS;
        /* below 2^64: (2^32 - 1)·(2^32 - 1) + row, with row <= row_step < 2^32 */
        needed = (uint64_t)(view->height - 1) * view->row_step + row;
    } else if (view->row_step != row) {
        view->flags |= SNT_POINTCLOUD2_ODD_ROW_STEP;
    }
    if (needed > view->data_size) {
        snt__wire_fail(wire, SNT_ERR_LAYOUT, "data", at[2], needed);
        wire->error.available = view->data_size;
        return;
    }
    const uint64_t whole = view->height > 1 ? (uint64_t)view->height * view->row_step : row;
    if (view->data_size > whole)
        view->flags |= SNT_POINTCLOUD2_EXCESS_DATA;
}

static void pc2_check_field(snt__wire *wire, snt_pointcloud2_view *view, const snt_point_field *field,
                            uint32_t index, uint64_t at)
{
    if (pc2_field_is_odd(field))
        view->flags |= SNT_POINTCLOUD2_ODD_FIELDS;
    const uint64_t end = pc2_field_end(field);
    if (view->point_count && end > view->point_step) {
        snt__wire_fail(wire, SNT_ERR_LAYOUT, "fields[]", at, end);
        wire->error.index = index;
        wire->error.available = view->point_step;
    }
}

/* A second walk over the descriptions, now that point_step is known. */
static void pc2_check_fields(snt__wire *wire, snt_pointcloud2_view *view)
{
    snt__wire walk = *wire;
    walk.pos = view->fields_offset;
    for (uint32_t i = 0; i < view->field_count && !wire->error.status; i++) {
        const uint64_t at = walk.pos;
        const snt_point_field field = pc2_read_field(&walk);
        pc2_check_field(wire, view, &field, i, at);
    }
}

snt_status snt_pointcloud2_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                      snt_pointcloud2_view *view, snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_pointcloud2_view parsed = {.message = bytes, .message_size = size, .encoding = encoding};
    snt__wire_header(&wire, &parsed.header);
    parsed.height = snt__wire_u32(&wire, "height");
    parsed.width = snt__wire_u32(&wire, "width");
    parsed.field_count = snt__wire_u32(&wire, "fields");
    parsed.fields_offset = wire.pos;
    for (uint32_t i = 0; i < parsed.field_count && !wire.error.status; i++) {
        wire.error.index = i;
        pc2_read_field(&wire);
    }
    if (!wire.error.status)
        wire.error.index = 0;
    parsed.flags |= snt__wire_u8(&wire, "is_bigendian") ? (uint32_t)SNT_POINTCLOUD2_BIG_ENDIAN : 0;
    uint64_t at[3];
    parsed.point_step = snt__wire_u32(&wire, "point_step");
    at[0] = wire.pos - 4;
    parsed.row_step = snt__wire_u32(&wire, "row_step");
    at[1] = wire.pos - 4;
    parsed.data_size = snt__wire_u32(&wire, "data");
    at[2] = wire.pos;
    parsed.data = snt__wire_take(&wire, "data", parsed.data_size, 1, 1);
    parsed.flags |= snt__wire_u8(&wire, "is_dense") ? (uint32_t)SNT_POINTCLOUD2_DENSE : 0;
    if (!wire.error.status) {
        pc2_check_rows(&wire, &parsed, at);
        pc2_check_fields(&wire, &parsed);
    }
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = parsed;
    return status;
}

snt_status snt_pointcloud2_view_init(const snt_point_field *fields, uint32_t field_count, const void *data,
                                     uint64_t data_size, uint32_t width, uint32_t height, uint32_t point_step,
                                     uint32_t row_step, snt_time stamp_ns, uint32_t big_endian,
                                     snt_pointcloud2_view *view, snt_message_error *error)
{
    if (!view || (!fields && field_count) || (!data && data_size) || big_endian > 1)
        return SNT_ERR_INVALID_ARG;
    const uint64_t row = (uint64_t)width * point_step;
    if (!row_step && row > UINT32_MAX && height > 1)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire = {.bytes = data, .size = data_size, .pos = data_size};
    const uint64_t at[3] = {0, 0, 0};
    snt_pointcloud2_view made = {.header = {.stamp_ns = stamp_ns},
                                 .data = data,
                                 .data_size = data_size,
                                 .width = width,
                                 .height = height,
                                 .point_step = point_step,
                                 .row_step = row_step ? row_step : (uint32_t)row,
                                 .flags = big_endian ? (uint32_t)SNT_POINTCLOUD2_BIG_ENDIAN : 0};
    pc2_check_rows(&wire, &made, at);
    for (uint32_t i = 0; i < field_count && !wire.error.status; i++)
        pc2_check_field(&wire, &made, &fields[i], i, 0);
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = made;
    return status;
}

snt_status snt_pointcloud2_fields(const snt_pointcloud2_view *view, snt_point_field *fields,
                                  uint32_t capacity, uint32_t *count)
{
    if (!view || !count || (!fields && capacity) || !view->message)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt_status status = snt__wire_open(&wire, view->encoding, view->message, view->message_size);
    if (status)
        return status;
    wire.pos = view->fields_offset;
    const uint32_t n = view->field_count < capacity ? view->field_count : capacity;
    for (uint32_t i = 0; i < n; i++) {
        const snt_point_field field = pc2_read_field(&wire);
        if (wire.error.status)
            return wire.error.status;
        fields[i] = field;
    }
    *count = n;
    return n < view->field_count ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}
