/* SPDX-License-Identifier: BSD-3-Clause */
/* What the synchronizer's tests share: adding in seconds, draining, and checking the books after every call. */
#ifndef SNT_TEST_SYNC_SUPPORT_H
#define SNT_TEST_SYNC_SUPPORT_H

#include "test.h"

enum { SUPPORT_MAX_MEMBERS = 128 };

typedef struct sync_drain {
    snt_sync_set set;
    snt_sync_member members[SUPPORT_MAX_MEMBERS];
} sync_drain;

static inline void sync_books(snt_synchronizer *sync)
{
    snt_sync_stats stats;
    assert_status(snt_synchronizer_check(sync), SNT_OK);
    assert_status(snt_synchronizer_stats(sync, &stats), SNT_OK);
    uint64_t sum = stats.out + stats.held;
    for (int i = 0; i < SNT_DROP_COUNT; i++)
        sum += stats.dropped[i];
    assert_i64_equal((int64_t)sum, (int64_t)stats.in);
}

static inline snt_status sync_put(snt_synchronizer *sync, uint32_t input, snt_time t, uint64_t token)
{
    snt_sample sample;
    snt_sample_init(&sample, t, SNT_DOMAIN_UNIX, token);
    const snt_status status = snt_synchronizer_add(sync, input, &sample, SNT_UNKNOWN);
    sync_books(sync);
    return status;
}

static inline bool sync_take(snt_synchronizer *sync, sync_drain *out)
{
    const snt_status status =
        snt_synchronizer_poll(sync, SNT_UNKNOWN, SNT_UNKNOWN, &out->set, out->members, SUPPORT_MAX_MEMBERS);
    assert_true(status == SNT_OK || status == SNT_EMPTY);
    sync_books(sync);
    return status == SNT_OK;
}

static inline bool sync_take_drop(snt_synchronizer *sync, snt_sync_drop *drop)
{
    uint32_t count;
    const snt_status status = snt_synchronizer_poll_drops(sync, drop, 1, &count);
    sync_books(sync);
    return status == SNT_OK;
}

#endif
