/* SPDX-License-Identifier: BSD-3-Clause */
/* The least a consumer does: include the umbrella header, call the library, check that both agree. */
#include <sensortime/sensortime.h>

#include <stdio.h>

int main(void)
{
    snt_epoch *epoch;
    if (snt_epoch_create(NULL, &epoch) != SNT_OK || snt_epoch_session(epoch) != 1)
        return 1;
    snt_epoch_unref(epoch);
    printf("sensortime %s\n", snt_version_string());
    return snt_version_number() == SNT_VERSION_NUMBER ? 0 : 1;
}
