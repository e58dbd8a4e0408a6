/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/matching.md: two inputs, sets, and what was in none. */
#include "snippet.h"

static int fused, logged;

static void fuse(uint64_t a, uint64_t b)
{
    printf("%u with %u\n", (unsigned)a, (unsigned)b);
    fused++;
}

static void note(const char *line)
{
    puts(line);
    logged++;
}

int main(void)
{
    /* [create] */
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.input_count = 2;
    cfg.max_separation_ns = 20 * SNT_NS_PER_MS;
    snt_synchronizer *sync;
    need(snt_synchronizer_create(&cfg, NULL, &sync));
    /* [create] */
    snt_sync_set set;
    snt_sync_member members[2];
    snt_sync_drop drops[16];
    uint32_t n;
    char line[512];
    for (uint64_t k = 0; k < 6; k++) { /* 10 Hz and 20 Hz */
        const snt_time now = (snt_time)(k + 1) * 50 * SNT_NS_PER_MS;
        snt_sample sample;
        snt_sample_init(&sample, (snt_time)k * 50 * SNT_NS_PER_MS, SNT_DOMAIN_UNIX, k);
        need(snt_synchronizer_add(sync, 1, &sample, now));
        if (k % 2)
            continue;
        sample.t0_ns = sample.t1_ns = sample.t0_ns + 4 * SNT_NS_PER_MS;
        /* [use] */
        if (snt_synchronizer_add(sync, 0, &sample, now) == SNT_OK) /* something is ready */
            while (snt_synchronizer_poll(sync, now, SNT_UNKNOWN, &set, members, 2) == SNT_OK)
                fuse(members[0].sample.token, members[1].sample.token);
        while (snt_synchronizer_poll_drops(sync, drops, 16, &n) == SNT_OK) /* and why the rest is not */
            for (uint32_t i = 0; i < n; i++)
                if (snt_sync_drop_format(&drops[i], line, sizeof line) == SNT_OK)
                    note(line);
        /* [use] */
    }
    expect(fused >= 2 && logged >= 1);
    snt_sample sample;
    snt_sample_init(&sample, 400 * SNT_NS_PER_MS, SNT_DOMAIN_UNIX, 9);
    const snt_time now = 500 * SNT_NS_PER_MS;
    fused = 0;
    need(snt_synchronizer_add(sync, 1, &sample, now));
    /* [at_once] */
    if (snt_synchronizer_add_poll(sync, 0, &sample, now, &set, members, 2) == SNT_OK)
        fuse(members[0].sample.token, members[1].sample.token);
    /* set.more and set.undrained say what is left to be polled */
    /* [at_once] */
    expect(fused == 1);
    snt_synchronizer_destroy(sync);
    return 0;
}
