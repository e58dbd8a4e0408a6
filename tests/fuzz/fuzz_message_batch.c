/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of hostile messages. Bytes: encoding (even = ROS 1, odd = CDR), kind, number of messages, then one size of 16 bits for
 * each, then the messages. What a batch says of a message has to be what the parser says of it alone.
 */
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_BATCH_MOST = 16 };

static void check_transforms(uint32_t encoding, const uint8_t *bytes, size_t size, const uint64_t *sizes,
                             uint64_t count)
{
    const uint64_t capacity = size / 72 + 1;
    snt_tf_stamp *out = calloc(capacity, sizeof *out);
    snt_status statuses[FUZZ_BATCH_MOST];
    uint64_t written = 0;
    if (!out)
        return;
    const snt_status status =
        snt_tf_message_stamps(encoding, bytes, size, sizes, count, out, capacity, &written, statuses);
    if (status == SNT_ERR_BUFFER_TOO_SMALL || written > capacity)
        abort();
    for (uint64_t i = 0; i < written; i++)
        if (out[i].message >= count || statuses[out[i].message] != SNT_OK ||
            out[i].child_offset + out[i].child_size > size)
            abort();
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const uint32_t encoding = data[0] & 1 ? SNT_ENCODING_CDR : SNT_ENCODING_ROS1;
    const uint32_t kind = data[1] % (SNT_MESSAGE_CLOCK + 1u);
    const uint64_t count = data[2] % (FUZZ_BATCH_MOST + 1u);
    if (size < 3 + 2 * count)
        return 0;
    uint64_t sizes[FUZZ_BATCH_MOST];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sizes[i] = data[3 + 2 * i] | (uint64_t)data[4 + 2 * i] << 8;
        sum += sizes[i];
    }
    const uint8_t *bytes = data + 3 + 2 * count;
    const size_t left = size - 3 - 2 * (size_t)count;

    snt_time stamps[FUZZ_BATCH_MOST];
    snt_status statuses[FUZZ_BATCH_MOST];
    for (int i = 0; i < FUZZ_BATCH_MOST; i++)
        stamps[i] = -7;
    const snt_status status =
        snt_message_stamps(kind, encoding, bytes, left, sizes, count, stamps, NULL, statuses);
    if (kind == SNT_MESSAGE_TF || kind == SNT_MESSAGE_CLOCK) {
        if (status != SNT_ERR_INVALID_ARG)
            abort();
    } else if (sum != left) {
        if (status != SNT_ERR_LAYOUT)
            abort();
    } else if (kind <= SNT_MESSAGE_HEADERED) {
        const uint8_t *at = bytes;
        for (uint64_t i = 0; i < count; at += sizes[i], i++) {
            snt_message_header alone;
            if (snt_message_header_parse(encoding, at, sizes[i], &alone, NULL) != statuses[i])
                abort();
            if (stamps[i] != (statuses[i] == SNT_OK ? alone.stamp_ns : -7))
                abort();
        }
    }
    if (sum == left)
        check_transforms(encoding, bytes, left, sizes, count);
    return 0;
}
