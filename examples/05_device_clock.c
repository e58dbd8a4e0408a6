/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver's whole life with one clock: warming up, pings that tighten the bound, a counter that rolls over, a minute
 * without the device, a reboot, recovery. The device, its delays and the truth are simulated; everything else is what a
 * driver does.
 *
 *     05_device_clock            what was admitted and refused, and why
 *     05_device_clock --csv      one line per packet, for docs/pictures/device_clock.py
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sensortime/sensortime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const snt_status check_status = (call);                                                              \
        if (check_status < 0) {                                                                              \
            fprintf(stderr, "%s: %s\n", #call, snt_status_text(check_status));                               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static const int64_t ms = 1000000, s = 1000000000;

/* ---- the simulated device: 32-bit microseconds, 35 ppm fast, a little slower as it warms up ---- */

static int64_t host_boot = 1000000000000; /* host time at which the counter showed `counter_boot` [ns] */
static int64_t counter_boot = INT64_C(4294967296) - 40000000; /* 40 s before it rolls over [µs] */
static uint64_t noise_state = 12345;

static double noise(void) /* [0, 1) */
{
    noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(noise_state >> 11) * 0x1p-53;
}

static int64_t device_microseconds(int64_t host) /* as it would be without rolling over */
{
    const double age = (double)(host - host_boot) * 1e-9;
    const double gained = 35e3 * age - 2e3 * 60 * (age - 60 * (1 - exp(-age / 60))) / 60; /* ns */
    return counter_boot + (host - host_boot + (int64_t)gained) / 1000;
}

static uint64_t device_counter(int64_t host)
{
    return (uint64_t)device_microseconds(host) & UINT32_MAX;
}

static int64_t delay(void) /* 0.4 ms at least, 1 ms more on average */
{
    return 400000 + (int64_t)(-1e6 * log(1 - noise()));
}

/* ---- the driver ---- */

typedef struct tally {
    long admitted, refused;
    uint64_t rollovers;
    snt_status last;
    int csv;
} tally;

static void report(tally *t, double at, snt_status status, const snt_sample *sample,
                   const snt_admission_record *record, int64_t truth, uint32_t state)
{
    t->admitted += status == SNT_OK;
    t->refused += status != SNT_OK;
    if (t->csv) {
        const int stamped = !(record->notes & SNT_NOTE_NO_TIME);
        const int both = (sample->flags & 3) == 3;
        printf("%.3f,%s,%s", at, snt_status_name(status), snt_clock_state_name(state));
        if (stamped && both)
            printf(",%lld,%lld,%lld\n", (long long)(sample->t0_ns - sample->err_lo_ns - truth),
                   (long long)(sample->t0_ns - truth),
                   (long long)(sample->t0_ns + sample->err_hi_ns - truth));
        else
            printf(",,,\n");
    } else if (status != t->last) { /* a line whenever the outcome changes */
        char text[SNT_ADMISSION_TEXT_SIZE];
        CHECK(snt_admission_format_text(record, text, sizeof text));
        printf("%8.2f s  %-15s %s\n", at, snt_clock_state_name(state), text);
    }
    t->last = status;
}

static void packet(snt_device_clock *clock, const snt_admission_policy *policy, int64_t host, int64_t start,
                   tally *t)
{
    const uint32_t session = snt_device_clock_session(clock); /* before receiving */
    const uint64_t ticks = device_counter(host);
    const int64_t receive = host + delay();
    snt_clock_proof proof;
    const snt_status observed = snt_device_clock_observe_arrival(clock, session, ticks, receive, &proof);
    if (observed == SNT_ERR_VIOLATION) {
        char text[256];
        snt_clock_proof_format(&proof, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    const snt_bounded_time now = {
        receive, receive, receive, SNT_DOMAIN_STEADY, 0, 0, SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI};
    snt_sample sample = {0};
    snt_admission_record record;
    const snt_status status =
        snt_device_clock_admit(clock, session, ticks, receive, 0, policy, &now, &sample, &record);
    snt_device_health health;
    CHECK(snt_device_clock_health(clock, receive, &health));
    if (health.rollovers > t->rollovers && !t->csv)
        printf("%8.2f s  %-15s the counter rolled over; session %u goes on\n", (double)(host - start) * 1e-9,
               snt_clock_state_name(health.map.state), (unsigned)health.map.session);
    t->rollovers = health.rollovers;
    report(t, (double)(host - start) * 1e-9, status, &sample, &record, host, health.map.state);
}

/* Nothing is heard, but the mapping still answers for a reading it is asked about. */
static void silence(snt_device_clock *clock, int64_t host, double at, int csv, int tell)
{
    snt_device_health health;
    CHECK(snt_device_clock_health(clock, host, &health));
    snt_bounded_time time;
    if (csv &&
        snt_clock_map_to_host(snt_device_clock_map(clock), device_microseconds(host) * 1000, &time) == SNT_OK)
        printf("%.3f,SNT_EMPTY,%s,%lld,%lld,%lld\n", at, snt_clock_state_name(health.map.state),
               (long long)(time.lo - host), (long long)(time.t - host), (long long)(time.hi - host));
    if (!csv && tell)
        printf("%8.2f s  %-15s silent; the bound is %.0f us wide and grows by %.2f us/s a side\n", at,
               snt_clock_state_name(health.map.state), (double)health.map.width_ns * 1e-3,
               health.map.growth_ppb * 1e-3);
}

static void ping(snt_device_clock *clock, int64_t host)
{
    uint32_t request;
    const int64_t sent = host - delay();
    if (snt_device_clock_request(clock, 0, sent, &request) == SNT_OK)
        snt_device_clock_reply(clock, 0, request, device_counter(host), device_counter(host), host + delay(),
                               NULL);
}

int main(int argc, char **argv)
{
    tally t = {.last = -1000, .csv = argc > 1 && strcmp(argv[1], "--csv") == 0};
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000; /* 1 tick = 1 µs */
    cfg.counter_bits = 32;
    cfg.rate_bound_ppb = 100000; /* a crystal: ±100 ppm */
    cfg.wander_ppb_s = 100;
    cfg.delay_min_ns = 400000; /* measured once: no packet was ever faster, either way */
    cfg.command_min_ns = 400000;
    cfg.horizon_ns = 600 * s;
    snt_device_clock *clock;
    CHECK(snt_device_clock_create(&cfg, NULL, &clock));

    snt_admission_policy policy;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.domain = SNT_DOMAIN_STEADY;
    policy.max_age_ns = 20 * ms;
    policy.max_uncertainty_ns = 2 * ms;

    const int64_t start = host_boot;
    if (t.csv)
        printf("t,status,state,lo,estimate,hi\n");
    for (int64_t n = 1; n <= 240 * 20; n++) { /* four minutes, 20 packets a second */
        const int64_t host = start + n * 50 * ms;
        const double at = (double)(host - start) * 1e-9;
        if (at > 80 && at <= 140) { /* unplugged: nothing is heard; where would it be by now? */
            silence(clock, host, at, t.csv, n % 200 == 0);
            continue;
        }
        if (n == 190 * 20) { /* it restarts: the counter begins at 0 */
            host_boot = host;
            counter_boot = 0;
        }
        packet(clock, &policy, host, start, &t);
        if (n % 40 == 20) /* a ping every two seconds */
            ping(clock, host + ms);
    }
    if (!t.csv) {
        snt_device_health health;
        CHECK(snt_device_clock_health(clock, SNT_UNKNOWN, &health));
        printf("%ld admitted, %ld refused; session %u, version %u\n", t.admitted, t.refused,
               (unsigned)health.map.session, (unsigned)health.map.version);
    }
    snt_device_clock_destroy(clock);
    return 0;
}
