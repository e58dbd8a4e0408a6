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

/* Adds and takes the first set at once; `*got` says whether there was one. */
static inline snt_status sync_put_take(snt_synchronizer *sync, uint32_t input, snt_time t, uint64_t token,
                                       sync_drain *out, bool *got)
{
    snt_sample sample;
    snt_sample_init(&sample, t, SNT_DOMAIN_UNIX, token);
    const snt_status status = snt_synchronizer_add_poll(sync, input, &sample, SNT_UNKNOWN, &out->set,
                                                        out->members, SUPPORT_MAX_MEMBERS);
    *got = status == SNT_OK;
    sync_books(sync);
    return status;
}

static inline bool sync_take_drop(snt_synchronizer *sync, snt_sync_drop *drop)
{
    uint32_t count;
    const snt_status status = snt_synchronizer_poll_drops(sync, drop, 1, &count);
    sync_books(sync);
    return status == SNT_OK;
}

/*
 * A script "A0 B.001 A1 …": letter = input, number = stamp in seconds. Returns the sets as "event:(a,b) …", the stamps of
 * the members in seconds, '-' for a missing one. Drops are counted by reason in `drops` (may be NULL). Tokens are event
 * indices; `offset` counts on over several scripts of one handle.
 */
static inline const char *sync_script(snt_synchronizer *sync, const char *script, uint64_t *drops)
{
    static char text[8192];
    size_t used = 0;
    int event = 0;
    text[0] = 0;
    for (const char *at = script; *at;) {
        if (*at == ' ') {
            at++;
            continue;
        }
        const uint32_t input = (uint32_t)(*at++ - 'A');
        char *end;
        const double seconds = strtod(at, &end);
        assert_true(end != at);
        at = end;
        assert_true(sync_put(sync, input, llround(seconds * 1e9), (uint64_t)event) >= 0);
        sync_drain got;
        while (sync_take(sync, &got)) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d:(", used ? " " : "", event);
            const uint64_t all = got.set.present | got.set.missing;
            for (uint32_t i = 0, k = 0; all >> i; i++) {
                if (!(all >> i & 1))
                    continue;
                const char *comma = all >> i >> 1 ? "," : "";
                if (got.set.missing >> i & 1)
                    used += (size_t)snprintf(text + used, sizeof text - used, "-%s", comma);
                else
                    used += (size_t)snprintf(text + used, sizeof text - used, "%.10g%s",
                                             (double)got.members[k++].sample.t0_ns / 1e9, comma);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, ")");
        }
        snt_sync_drop drop;
        while (sync_take_drop(sync, &drop))
            if (drops)
                drops[drop.reason]++;
        event++;
    }
    return text;
}

/* One policy over n equal inputs. */
static inline snt_synchronizer *sync_make(uint32_t policy, uint32_t flags, uint32_t n, uint32_t queue,
                                          double separation)
{
    snt_sync_config cfg;
    snt_synchronizer *sync;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = policy;
    cfg.flags = flags;
    cfg.input_count = n;
    cfg.queue = queue;
    if (separation >= 0)
        cfg.max_separation_ns = llround(separation * 1e9);
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
    return sync;
}

#endif
