/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/clock_sources.md: a lease that runs out although the replay's clock stands. */
#include "snippet.h"

static int stopped;

static void stop_the_motors(void)
{
    stopped = 1;
}

int main(void)
{
    snt_clock_source_config cfg;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.kind = SNT_SOURCE_SIMULATED;
    snt_clock_source *sim;
    need(snt_clock_source_create(&cfg, NULL, &sim));
    snt_time steady = 1000 * SNT_NS_PER_S, before, after;
    need(snt_clock_source_set(sim, steady, 7 * SNT_NS_PER_S, NULL));
    need(snt_clock_source_pause(sim, steady, 1));
    need(snt_clock_source_at(sim, steady, &before));
    snt_duration left;
    /* [lease] */
    snt_deadline lease;
    need(snt_deadline_start(&lease, steady, 200 * SNT_NS_PER_MS));
    /* … */
    steady += 250 * SNT_NS_PER_MS; /* snt_clock_steady_now(&steady) in a program */
    if (snt_deadline_check(&lease, steady, &left) == SNT_ERR_TIMEOUT)
        stop_the_motors(); /* also when the replay's clock stands still */
    /* [lease] */
    need(snt_clock_source_at(sim, steady, &after));
    expect(stopped && before == after && left == -50 * SNT_NS_PER_MS);
    snt_clock_source_destroy(sim);
    return 0;
}
