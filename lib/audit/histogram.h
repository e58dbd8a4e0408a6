/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log-linear histogram of non-negative numbers with a running median, in fixed memory. Each power of two is cut into 32
 * buckets of equal width; a bucket keeps its count and the sum of what fell into it. A quantile is the mean of the bucket
 * it falls into: off by less than 1/32 of its value (32 below 1024), and exact where the bucket's members are equal
 * (steady periods). The first 64 members are kept as they are, sorted: until then every quantile is exact.
 */
#ifndef SNT_LIB_AUDIT_HISTOGRAM_H
#define SNT_LIB_AUDIT_HISTOGRAM_H

#include "../base/internal.h"

enum {
    SNT__HISTOGRAM_LINEAR_BITS = 10, /* below 2^10 the buckets are 32 wide */
    SNT__HISTOGRAM_TOP_BITS = 50,    /* from 2^50 (13 days in ns) on all share the last bucket */
    SNT__HISTOGRAM_EXACT = 64,
    SNT__HISTOGRAM_BUCKETS = 32 + (SNT__HISTOGRAM_TOP_BITS - SNT__HISTOGRAM_LINEAR_BITS) * 32 + 1
};

typedef struct snt__histogram {
    uint64_t count;
    uint64_t below;                       /* members in buckets before `at` */
    uint32_t at;                          /* bucket of the median: below < rank <= below + counts[at] */
    uint32_t highest;                     /* last bucket in use */
    uint64_t exact[SNT__HISTOGRAM_EXACT]; /* ascending, while count <= SNT__HISTOGRAM_EXACT */
    uint32_t counts[SNT__HISTOGRAM_BUCKETS];
    uint64_t sums
        [SNT__HISTOGRAM_BUCKETS]; /* of the distances from each bucket's lower end; the last one saturates */
} snt__histogram;

void snt__histogram_reset(snt__histogram *histogram);
void snt__histogram_add(snt__histogram *histogram, uint64_t value);
/* Upper median, in O(1). 0 where empty. */
uint64_t snt__histogram_median(const snt__histogram *histogram);
/* Value of which a share q of the members is not greater (rank max(1, ceil(q·count))). O(buckets). 0 where empty. */
uint64_t snt__histogram_quantile(const snt__histogram *histogram, double q);
/* Width such that a share q of the members lies within it of `centre`. O(buckets). */
uint64_t snt__histogram_spread(const snt__histogram *histogram, uint64_t centre, double q);

/* Signed numbers about an anchor, the first of them: quantiles are off by less than 1/32 of their distance to it. */
typedef struct snt__histogram_signed {
    int64_t anchor;
    snt__histogram above, below;
} snt__histogram_signed;

void snt__histogram_signed_reset(snt__histogram_signed *histogram);
void snt__histogram_signed_add(snt__histogram_signed *histogram, int64_t value);
uint64_t snt__histogram_signed_count(const snt__histogram_signed *histogram);
int64_t snt__histogram_signed_quantile(const snt__histogram_signed *histogram, double q);

#endif
