/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

/* No struct of ours comes near. A size that was never set must not make us read through the caller's memory. */
#define CONFIG_SIZE_MAX 4096

snt_status snt__config_read(void *dst, size_t dst_size, size_t v1_size, const void *src)
{
    if (!src)
        return SNT_OK;
    uint32_t size;
    memcpy(&size, src, sizeof size);
    if (size < v1_size || size > CONFIG_SIZE_MAX)
        return SNT_ERR_INVALID_ARG;
    const unsigned char *bytes = src;
    for (size_t i = dst_size; i < size; i++)
        if (bytes[i])
            return SNT_ERR_INVALID_ARG;
    memcpy(dst, src, size < dst_size ? size : dst_size);
    return SNT_OK;
}

void snt__config_init(void *dst, size_t dst_size, const void *defaults, size_t defaults_size)
{
    if (!dst || dst_size < sizeof(uint32_t))
        return;
    memset(dst, 0, dst_size);
    memcpy(dst, defaults, dst_size < defaults_size ? dst_size : defaults_size);
    const uint32_t size = (uint32_t)dst_size;
    memcpy(dst, &size, sizeof size);
}

#undef CONFIG_SIZE_MAX
