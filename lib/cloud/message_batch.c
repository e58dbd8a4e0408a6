/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "sensortime/message_view.h"

/* The sizes are the caller's: they are believed only if they add up, without wrapping, to what is there. */
static bool batch_adds_up(const uint64_t *sizes, uint64_t count, uint64_t size)
{
    uint64_t left = size;
    for (uint64_t i = 0; i < count; i++) {
        if (sizes[i] > left)
            return false;
        left -= sizes[i];
    }
    return left == 0;
}

snt_status snt_message_stamps(uint32_t encoding, const void *bytes, uint64_t size, const uint64_t *sizes,
                              uint64_t count, snt_time *stamps, uint32_t *sequences, snt_status *statuses)
{
    if (encoding != SNT_ENCODING_ROS1 && encoding != SNT_ENCODING_CDR)
        return SNT_ERR_INVALID_ARG;
    if (count && (!bytes || !sizes || !stamps))
        return SNT_ERR_INVALID_ARG;
    if (!batch_adds_up(sizes, count, size))
        return SNT_ERR_LAYOUT;

    const unsigned char *at = bytes;
    snt_status first = SNT_OK;
    for (uint64_t i = 0; i < count; i++) {
        snt_message_header header;
        const snt_status status = snt_message_header_parse(encoding, at, sizes[i], &header, NULL);
        if (status == SNT_OK) {
            stamps[i] = header.stamp_ns;
            if (sequences)
                sequences[i] = header.sequence;
        } else if (first == SNT_OK) {
            first = status;
        }
        if (statuses)
            statuses[i] = status;
        at += sizes[i];
    }
    return first;
}
