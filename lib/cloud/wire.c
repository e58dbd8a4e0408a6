/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include "../base/print.h"

enum { WIRE_ENCAPSULATION = 4 };

void snt__wire_fail(snt__wire *wire, snt_status status, const char *field, uint64_t offset, uint64_t needed)
{
    if (wire->error.status)
        return;
    wire->error.status = status;
    wire->error.field = field;
    wire->error.offset = offset;
    wire->error.needed = needed;
    wire->error.available = offset < wire->size ? wire->size - offset : 0;
}

/* Representation identifiers of DDS-XTypes 1.3, table 60. Only plain CDR is what ROS 2 writes. */
static void wire_read_encapsulation(snt__wire *wire)
{
    if (wire->size < WIRE_ENCAPSULATION) {
        snt__wire_fail(wire, SNT_ERR_TRUNCATED, "encapsulation", 0, WIRE_ENCAPSULATION);
        return;
    }
    const uint32_t id = (uint32_t)wire->bytes[0] << 8 | wire->bytes[1];
    if (id > 1) {
        const bool known = id <= 3 || (id >= 6 && id <= 11);
        snt__wire_fail(wire, known ? SNT_ERR_UNSUPPORTED : SNT_ERR_FORMAT, "encapsulation", 0,
                       WIRE_ENCAPSULATION);
        return;
    }
    wire->big_endian = id == 0;
    wire->pos = wire->origin = WIRE_ENCAPSULATION;
}

snt_status snt__wire_open(snt__wire *wire, uint32_t encoding, const void *bytes, uint64_t size)
{
    *wire = (snt__wire){.bytes = bytes, .size = size, .cdr = encoding == SNT_ENCODING_CDR};
    if ((!bytes && size) || (encoding != SNT_ENCODING_CDR && encoding != SNT_ENCODING_ROS1))
        snt__wire_fail(wire, SNT_ERR_INVALID_ARG, "arguments", 0, 0);
    else if (wire->cdr)
        wire_read_encapsulation(wire);
    return wire->error.status;
}

snt_status snt__wire_finish(snt__wire *wire, snt_message_error *error)
{
    /* Writers pad CDR to whole words, and the padding is not part of the message. */
    const uint64_t allowed = wire->cdr ? 3 : 0;
    if (!wire->error.status && wire->size - wire->pos > allowed)
        snt__wire_fail(wire, SNT_ERR_FORMAT, "end of message", wire->pos, 0);
    if (wire->error.status && error)
        *error = wire->error;
    return wire->error.status;
}

const unsigned char *snt__wire_take(snt__wire *wire, const char *field, uint64_t count, uint32_t size,
                                    uint32_t align)
{
    if (wire->error.status)
        return NULL;
    uint64_t pos = wire->pos;
    if (wire->cdr && align > 1)
        pos += (0 - (pos - wire->origin)) & (align - 1);
    if (count > UINT64_MAX / size) {
        snt__wire_fail(wire, SNT_ERR_TRUNCATED, field, pos, UINT64_MAX);
        return NULL;
    }
    const uint64_t needed = count * size;
    if (pos > wire->size || needed > wire->size - pos) {
        snt__wire_fail(wire, SNT_ERR_TRUNCATED, field, pos, needed);
        return NULL;
    }
    wire->pos = pos + needed;
    return wire->bytes + pos;
}

static uint64_t wire_unsigned(snt__wire *wire, const char *field, uint32_t size)
{
    const unsigned char *at = snt__wire_take(wire, field, 1, size, size);
    uint64_t value = 0;
    if (at)
        for (uint32_t i = 0; i < size; i++)
            value = value << 8 | at[wire->big_endian ? i : size - 1 - i];
    return value;
}

uint8_t snt__wire_u8(snt__wire *wire, const char *field)
{
    return (uint8_t)wire_unsigned(wire, field, 1);
}

uint32_t snt__wire_u32(snt__wire *wire, const char *field)
{
    return (uint32_t)wire_unsigned(wire, field, 4);
}

uint64_t snt__wire_u64(snt__wire *wire, const char *field)
{
    return wire_unsigned(wire, field, 8);
}

float snt__wire_f32(snt__wire *wire, const char *field)
{
    const uint32_t bits = snt__wire_u32(wire, field);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double snt__wire_f64(snt__wire *wire, const char *field)
{
    const uint64_t bits = snt__wire_u64(wire, field);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

snt_text snt__wire_text(snt__wire *wire, const char *field)
{
    uint64_t size = snt__wire_u32(wire, field);
    const unsigned char *at = snt__wire_take(wire, field, size, 1, 1);
    if (!at)
        return (snt_text){NULL, 0};
    /* CDR counts the terminator. A writer that left it out is understood all the same. */
    if (wire->cdr && size && !at[size - 1])
        size--;
    return (snt_text){(const char *)at, size};
}

snt_time snt__wire_time(snt__wire *wire, const char *field, uint32_t *flags)
{
    const uint32_t seconds = snt__wire_u32(wire, field);
    const uint32_t nanoseconds = snt__wire_u32(wire, field);
    int64_t whole = seconds; /* ROS 1 counts unsigned seconds, ROS 2 signed ones */
    if (wire->cdr && seconds > INT32_MAX) {
        whole -= INT64_C(1) << 32;
        *flags |= SNT_HEADER_NEGATIVE_SECONDS;
    }
    if (nanoseconds >= SNT_NS_PER_S)
        *flags |= SNT_HEADER_NSEC_OVERFLOW;
    return whole * SNT_NS_PER_S + nanoseconds;
}

void snt__wire_header(snt__wire *wire, snt_message_header *header)
{
    *header = (snt_message_header){0};
    if (!wire->cdr) {
        header->sequence = snt__wire_u32(wire, "header.seq");
        header->flags |= SNT_HEADER_HAS_SEQUENCE;
    }
    header->stamp_ns = snt__wire_time(wire, "header.stamp", &header->flags);
    header->frame_id = snt__wire_text(wire, "header.frame_id");
    header->end_offset = (uint32_t)(wire->pos < UINT32_MAX ? wire->pos : UINT32_MAX);
}

snt_field snt__field_at(const unsigned char *data, int64_t stride, uint32_t type, bool big_endian)
{
    return (snt_field){.stride = stride,
                       .data = (void *)(uintptr_t)data,
                       .type = type,
                       .flags = big_endian ? (uint32_t)SNT_FIELD_BIG_ENDIAN : 0};
}

snt_field snt__wire_field(snt__wire *wire, const char *name, uint64_t count, uint32_t type)
{
    const uint32_t size = type == SNT_TYPE_F64 ? 8 : 4;
    const unsigned char *at = snt__wire_take(wire, name, count, size, size);
    return snt__field_at(at, size, type, wire->big_endian);
}

snt_status snt_message_header_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                    snt_message_header *header, snt_message_error *error)
{
    if (!header)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_message_header parsed;
    snt__wire_header(&wire, &parsed);
    if (wire.error.status) {
        if (error)
            *error = wire.error;
        return wire.error.status;
    }
    *header = parsed;
    return SNT_OK;
}

snt_status snt_message_error_format(const snt_message_error *error, char *text, size_t size)
{
    if (!error || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    snt__print_string(&out, error->field ? error->field : "message");
    snt__print_string(&out, " [");
    snt__print_unsigned(&out, error->index);
    snt__print_string(&out, "] at byte ");
    snt__print_unsigned(&out, error->offset);
    snt__print_string(&out, ": ");
    snt__print_string(&out, snt_status_text(error->status));
    snt__print_string(&out, " (needs ");
    snt__print_unsigned(&out, error->needed);
    snt__print_string(&out, " bytes, ");
    snt__print_unsigned(&out, error->available);
    snt__print_string(&out, " left)");
    return snt__print_end(&out);
}
