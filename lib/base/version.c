/* SPDX-License-Identifier: BSD-3-Clause */
#include "sensortime/version.h"

uint32_t snt_version_number(void)
{
    return SNT_VERSION_NUMBER;
}

const char *snt_version_string(void)
{
    return SNT_VERSION_STRING;
}
