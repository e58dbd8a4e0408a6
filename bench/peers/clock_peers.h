/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other ways to estimate a device's clock, written anew from their published descriptions, to compare errors with. All see
 * device time d and host time r in ns as offsets from a common start, and answer with an offset: T(d) ≈ d + offset(d).
 * What they do not know (a least delay, a resolution) is taken out for all alike by the caller.
 */
#ifndef SNT_BENCH_CLOCK_PEERS_H
#define SNT_BENCH_CLOCK_PEERS_H

#include <math.h>
#include <string.h>

/*
 * E. Olson, "A passive solution to the sensor synchronization problem", IROS 2010, online form: a bounded rate makes the
 * fastest packet so far, aged by the rate bound, the best anchor.
 */
typedef struct peer_passive {
    double rate; /* bound, dimensionless */
    double d, r;
    int any;
} peer_passive;

static inline void peer_passive_add(peer_passive *p, double d, double r)
{
    if (!p->any || r - d <= p->r - p->d + fabs(d - p->d) * p->rate) {
        p->d = d;
        p->r = r;
        p->any = 1;
    }
}

static inline double peer_passive_at(const peer_passive *p, double d)
{
    return p->r - p->d + fabs(d - p->d) * p->rate;
}

/*
 * Lower convex hull (S. Moon et al., INFOCOM 1999; L. Zhang et al., INFOCOM 2002; online as in the cuckoo time translator):
 * the line below all points that touches them at the middle of the time observed.
 */
enum { PEER_HULL_MAX = 65536 };

typedef struct peer_hull {
    int n;
    double d[PEER_HULL_MAX], r[PEER_HULL_MAX];
} peer_hull;

static inline void peer_hull_add(peer_hull *h, double d, double r)
{
    while (h->n >= 2) {
        const int a = h->n - 2, b = h->n - 1;
        const double cross = (h->d[b] - h->d[a]) * (r - d - (h->r[a] - h->d[a])) -
                             (h->r[b] - h->d[b] - (h->r[a] - h->d[a])) * (d - h->d[a]);
        if (cross > 0)
            break;
        h->n--;
    }
    if (h->n < PEER_HULL_MAX) {
        h->d[h->n] = d;
        h->r[h->n++] = r;
    }
}

static inline double peer_hull_at(const peer_hull *h, double d)
{
    if (h->n < 2)
        return h->n ? h->r[0] - h->d[0] : 0;
    const double middle = (h->d[0] + h->d[h->n - 1]) / 2;
    int i = 0;
    while (i + 2 < h->n && h->d[i + 1] < middle)
        i++;
    const double o0 = h->r[i] - h->d[i], o1 = h->r[i + 1] - h->d[i + 1];
    return o0 + (o1 - o0) / (h->d[i + 1] - h->d[i]) * (d - h->d[i]);
}

/* Kalman filter on offset and skew, constant-skew model, measurement = receive − stamp. */
typedef struct peer_kalman {
    double offset, skew, p00, p01, p11, d, sigma,
        wander; /* ns, ppb, …; sigma of a measurement; skew noise per √s */
    int any;
} peer_kalman;

static inline void peer_kalman_add(peer_kalman *k, double d, double r)
{
    const double z = r - d;
    if (!k->any) {
        *k = (peer_kalman){.offset = z,
                           .p00 = k->sigma * k->sigma,
                           .p11 = 1e10,
                           .d = d,
                           .sigma = k->sigma,
                           .wander = k->wander,
                           .any = 1};
        return;
    }
    const double dt = (d - k->d) * 1e-9, q = k->wander * k->wander;
    k->d = d;
    k->offset += k->skew * dt;
    k->p00 += dt * (2 * k->p01 + dt * k->p11) + q * dt * dt * dt / 3;
    k->p01 += dt * k->p11 + q * dt * dt / 2;
    k->p11 += q * dt;
    const double s = k->p00 + k->sigma * k->sigma, g0 = k->p00 / s, g1 = k->p01 / s, e = z - k->offset;
    k->offset += g0 * e;
    k->skew += g1 * e;
    k->p11 -= g1 * k->p01;
    k->p01 *= 1 - g0;
    k->p00 *= 1 - g0;
}

static inline double peer_kalman_at(const peer_kalman *k, double d)
{
    return k->offset + k->skew * (d - k->d) * 1e-9;
}

/* Least squares over the last fifteen pairs. */
enum { PEER_LSQ = 15 };

typedef struct peer_lsq {
    int n;
    double d[PEER_LSQ], o[PEER_LSQ];
} peer_lsq;

static inline void peer_lsq_add(peer_lsq *l, double d, double r)
{
    l->d[l->n % PEER_LSQ] = d;
    l->o[l->n++ % PEER_LSQ] = r - d;
}

static inline double peer_lsq_at(const peer_lsq *l, double d)
{
    const int n = l->n < PEER_LSQ ? l->n : PEER_LSQ;
    double md = 0, mo = 0, sdd = 0, sdo = 0;
    for (int i = 0; i < n; i++) {
        md += l->d[i] / n;
        mo += l->o[i] / n;
    }
    for (int i = 0; i < n; i++) {
        sdd += (l->d[i] - md) * (l->d[i] - md);
        sdo += (l->d[i] - md) * (l->o[i] - mo);
    }
    return mo + (sdd > 0 ? sdo / sdd * (d - md) : 0);
}

/* The exchange with the shortest round trip of the last eight; its midpoint (NTP's clock filter, LSL). */
enum { PEER_RTT = 8 };

typedef struct peer_rtt {
    int n;
    double trip[PEER_RTT], offset[PEER_RTT];
} peer_rtt;

static inline void peer_rtt_add(peer_rtt *p, double sent, double d, double received)
{
    p->trip[p->n % PEER_RTT] = received - sent;
    p->offset[p->n++ % PEER_RTT] = (sent + received) / 2 - d;
}

static inline double peer_rtt_at(const peer_rtt *p)
{
    int best = 0;
    for (int i = 1; i < PEER_RTT && i < p->n; i++)
        best = p->trip[i] < p->trip[best] ? i : best;
    return p->offset[best];
}

#endif
