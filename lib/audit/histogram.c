/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

#include "clock_pair.h"

#include <math.h>

static uint32_t histogram_log2(uint64_t v)
{
#if SNT_GNU
    return 63u - (uint32_t)__builtin_clzll(v);
#else
    uint32_t n = 0;
    while (v >>= 1)
        n++;
    return n;
#endif
}

static uint32_t histogram_bucket(uint64_t v)
{
    if (v < (1u << SNT__HISTOGRAM_LINEAR_BITS))
        return (uint32_t)(v >> 5);
    const uint32_t e = histogram_log2(v);
    if (e >= SNT__HISTOGRAM_TOP_BITS)
        return SNT__HISTOGRAM_BUCKETS - 1;
    return 32 + (e - SNT__HISTOGRAM_LINEAR_BITS) * 32 + ((uint32_t)(v >> (e - 5)) & 31);
}

static uint64_t histogram_lower(uint32_t bucket)
{
    if (bucket < 32)
        return (uint64_t)bucket << 5;
    const uint32_t e = SNT__HISTOGRAM_LINEAR_BITS + (bucket - 32) / 32;
    return (UINT64_C(1) << e) + ((uint64_t)((bucket - 32) % 32) << (e - 5));
}

static uint64_t histogram_mean(const snt__histogram *h, uint32_t bucket)
{
    const uint32_t n = h->counts[bucket];
    const uint64_t sum = h->sums[bucket];
    return histogram_lower(bucket) + sum / n + (sum % n >= (n + 1u) / 2 && n > 1);
}

void snt__histogram_reset(snt__histogram *h)
{
    memset(h, 0, sizeof *h);
}

/* Bring `at` to the bucket of the upper median. Moves over the buckets between old and new median only. */
static void histogram_settle(snt__histogram *h)
{
    const uint64_t rank = h->count / 2 + 1; /* 1-based */
    while (h->below >= rank) {
        h->at--;
        h->below -= h->counts[h->at];
    }
    while (h->below + h->counts[h->at] < rank) {
        h->below += h->counts[h->at];
        h->at++;
    }
}

static void histogram_keep(snt__histogram *h, uint64_t value)
{
    uint64_t i = h->count;
    for (; i && h->exact[i - 1] > value; i--)
        h->exact[i] = h->exact[i - 1];
    h->exact[i] = value;
}

void snt__histogram_add(snt__histogram *h, uint64_t value)
{
    if (h->count < SNT__HISTOGRAM_EXACT)
        histogram_keep(h, value);
    const uint32_t bucket = histogram_bucket(value);
    if (h->counts[bucket] == UINT32_MAX) /* four thousand million in one bucket: its mean is settled */
        return;
    const uint64_t add = value - histogram_lower(bucket);
    h->counts[bucket]++;
    h->sums[bucket] = h->sums[bucket] > UINT64_MAX - add ? UINT64_MAX : h->sums[bucket] + add;
    h->count++;
    if (bucket > h->highest)
        h->highest = bucket;
    if (bucket < h->at)
        h->below++;
    histogram_settle(h);
}

uint64_t snt__histogram_median(const snt__histogram *h)
{
    if (h->count <= SNT__HISTOGRAM_EXACT)
        return h->count ? h->exact[h->count / 2] : 0;
    return histogram_mean(h, h->at);
}

static uint64_t histogram_rank(uint64_t count, double q)
{
    const double rank = ceil(q * (double)count);
    if (!(rank >= 1))
        return 1;
    return rank >= (double)count ? count : (uint64_t)rank;
}

/* Mean of the bucket that holds the member of this 1-based rank. */
static uint64_t histogram_at_rank(const snt__histogram *h, uint64_t rank)
{
    uint64_t below = 0;
    if (h->count <= SNT__HISTOGRAM_EXACT)
        return h->exact[rank - 1];
    for (uint32_t i = 0; i <= h->highest; i++) {
        below += h->counts[i];
        if (below >= rank)
            return histogram_mean(h, i);
    }
    return 0;
}

uint64_t snt__histogram_quantile(const snt__histogram *h, double q)
{
    return h->count ? histogram_at_rank(h, histogram_rank(h->count, q)) : 0;
}

static uint64_t histogram_exact_spread(const snt__histogram *h, uint64_t centre, uint64_t rank)
{
    uint64_t width = 0;
    int64_t low = 0, high = (int64_t)h->count - 1;
    /* drop the farther end until `rank` members are left */
    for (uint64_t left = h->count; left >= rank; left--) {
        const uint64_t below = h->exact[low] > centre ? 0 : centre - h->exact[low];
        const uint64_t above = h->exact[high] < centre ? 0 : h->exact[high] - centre;
        width = below > above ? below : above;
        if (below > above)
            low++;
        else
            high--;
    }
    return width;
}

uint64_t snt__histogram_spread(const snt__histogram *h, uint64_t centre, double q)
{
    if (!h->count)
        return 0;
    const uint64_t rank = histogram_rank(h->count, q);
    if (h->count <= SNT__HISTOGRAM_EXACT)
        return histogram_exact_spread(h, centre, rank);
    /* walk outwards from the centre, always to the nearer bucket */
    int64_t low = (int64_t)histogram_bucket(centre), high = low + 1;
    uint64_t seen = 0, width = 0;
    while (seen < rank) {
        while (low >= 0 && !h->counts[low])
            low--;
        while (high <= (int64_t)h->highest && !h->counts[high])
            high++;
        const bool has_low = low >= 0, has_high = high <= (int64_t)h->highest;
        if (!has_low && !has_high)
            break;
        const uint64_t at_low = has_low ? histogram_mean(h, (uint32_t)low) : 0;
        const uint64_t at_high = has_high ? histogram_mean(h, (uint32_t)high) : 0;
        const uint64_t to_low = at_low > centre ? at_low - centre : centre - at_low;
        const uint64_t to_high = at_high > centre ? at_high - centre : centre - at_high;
        const bool take_low = has_low && (!has_high || to_low <= to_high);
        const uint64_t away = take_low ? to_low : to_high;
        seen += h->counts[take_low ? low-- : high++];
        if (away > width)
            width = away;
    }
    return width;
}

void snt__histogram_signed_reset(snt__histogram_signed *h)
{
    h->anchor = 0;
    snt__histogram_reset(&h->above);
    snt__histogram_reset(&h->below);
}

uint64_t snt__histogram_signed_count(const snt__histogram_signed *h)
{
    return h->above.count + h->below.count;
}

void snt__histogram_signed_add(snt__histogram_signed *h, int64_t value)
{
    if (!snt__histogram_signed_count(h))
        h->anchor = value;
    const int64_t away = snt_time_sub_sat(value, h->anchor);
    snt__histogram_add(away < 0 ? &h->below : &h->above, snt__audit_abs(away));
}

int64_t snt__histogram_signed_quantile(const snt__histogram_signed *h, double q)
{
    const uint64_t count = snt__histogram_signed_count(h);
    if (!count)
        return 0;
    const uint64_t rank = histogram_rank(count, q);
    if (rank > h->below.count)
        return h->anchor + (int64_t)histogram_at_rank(&h->above, rank - h->below.count);
    /* the below half runs the other way: the smallest value is the farthest from the anchor */
    return h->anchor - (int64_t)histogram_at_rank(&h->below, h->below.count - rank + 1);
}
