/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cursor over a serialized message. Errors stick: after the first one every read gives zero and moves nothing, so a
 * parser reads all its fields and looks at the status once.
 */
#ifndef SNT_LIB_CLOUD_WIRE_H
#define SNT_LIB_CLOUD_WIRE_H

#include "../base/internal.h"

#include "sensortime/message_view.h"

typedef struct snt__wire {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t pos;
    uint64_t origin; /* what alignment counts from: behind the encapsulation header */
    bool cdr;
    bool big_endian;
    snt_message_error error; /* status SNT_OK while all is well */
} snt__wire;

/* Begin at the first byte behind the encapsulation header, if there is one. */
snt_status snt__wire_open(snt__wire *wire, uint32_t encoding, const void *bytes, uint64_t size);

/* The message must end here. Copies the error out where there is one; returns the status. */
snt_status snt__wire_finish(snt__wire *wire, snt_message_error *error);

/* Fail at `offset`, unless something failed before. */
void snt__wire_fail(snt__wire *wire, snt_status status, const char *field, uint64_t offset, uint64_t needed);

/* `count` elements of `size` bytes at `align` (CDR only): their first byte, or NULL after an error. */
const unsigned char *snt__wire_take(snt__wire *wire, const char *field, uint64_t count, uint32_t size,
                                    uint32_t align);

uint8_t snt__wire_u8(snt__wire *wire, const char *field);
uint32_t snt__wire_u32(snt__wire *wire, const char *field);
uint64_t snt__wire_u64(snt__wire *wire, const char *field);
float snt__wire_f32(snt__wire *wire, const char *field);
double snt__wire_f64(snt__wire *wire, const char *field);
snt_text snt__wire_text(snt__wire *wire, const char *field);
snt_time snt__wire_time(snt__wire *wire, const char *field, uint32_t *flags);
void snt__wire_header(snt__wire *wire, snt_message_header *header);

/* `count` elements as a field of their own; the view never writes through its pointer. */
snt_field snt__wire_field(snt__wire *wire, const char *name, uint64_t count, uint32_t type);
snt_field snt__field_at(const unsigned char *data, int64_t stride, uint32_t type, bool big_endian);

#endif
