/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a deskew kernel is given and how kernels are chosen.
 *
 * The motion within a scan is cut into segments. In each, a point p measured at u = t − mid [ns] becomes
 *     e = W·p + b×p,   p' = p + 2b×e + t,   with (b, W) the unit quaternion,
 * where b, W and t are cubic polynomials of u. No singularity, no division, no branch near zero rotation; and because
 * the displacement is added last, float32 loses little of a distant point.
 *
 * Rule of determinism: what a point becomes depends on its own coordinates and time only, never on its neighbours, its
 * place in the array or how an array is split. Kernels with fused multiply-add agree with one another bit by bit, and
 * so do those without.
 */
#ifndef SNT_LIB_DESKEW_KERNEL_H
#define SNT_LIB_DESKEW_KERNEL_H

#include "../base/internal.h"

/* Points per call of a kernel: what is carried between the passes stays in the first-level cache. */
#define SNT__DESKEW_BLOCK 256
#define SNT__DESKEW_WORDS (SNT__DESKEW_BLOCK / 64) /* one bit per point */

/* Bytes of records that go through that cache at a time, and are fetched ahead of time. */
#define SNT__DESKEW_BLOCK_BYTES 12288

/* Longest half segment [ns]: t − mid is then exact in float32. */
#define SNT__DESKEW_HALF_MAX ((INT32_C(1) << 24) - 1)

/* row[d] holds the coefficients of u^d: bx by bz W tx ty tz 0. */
typedef struct snt__deskew_segment {
    float row[4][8];
} snt__deskew_segment;

/* Segments also lie transposed, a tile of sixteen with a row per coefficient, for kernels that look up in registers. */
#define SNT__DESKEW_TILE 16

/* Slots such a kernel reads at once. */
#define SNT__DESKEW_WINDOW 32

typedef struct snt__deskew_tile {
    float coefficient[4][7][SNT__DESKEW_TILE];
    int32_t next[SNT__DESKEW_TILE]; /* begin of the next segment */
    int32_t mid[SNT__DESKEW_TILE];
} snt__deskew_tile;

/*
 * Segment s covers begin[s] <= t < begin[s + 1], in int32 ns from the plan's origin. slot[(t − begin[0]) >> shift] is the
 * first segment that reaches into that slot; `walk` says that a slot may hold more than one boundary.
 */
typedef struct snt__deskew_table {
    const snt__deskew_segment *segments;
    const int32_t *begin; /* count + 1 */
    const int32_t *mid;
    const uint16_t *slot;
    const snt__deskew_tile
        *tiles; /* one more than needed; NULL where slots are walked or no kernel asks for them */
    uint32_t count;
    uint32_t shift;
    uint32_t walk;
} snt__deskew_table;

static inline uint32_t snt__deskew_find(const snt__deskew_table *table, int32_t t)
{
    const uint32_t slot = ((uint32_t)t - (uint32_t)table->begin[0]) >> table->shift;
    uint32_t s = table->slot[slot];
    s += t >= table->begin[s + 1]; /* no branch: in shuffled clouds it would be a coin toss */
    if (SNT_UNLIKELY(table->walk))
        while (t >= table->begin[s + 1])
            s++;
    return s;
}

enum {
    /* Records of 16 bytes or more change in place: what is behind z may be written back unchanged, and is fetched ahead. */
    SNT__DESKEW_IN_PLACE = 1 << 0,
    /* Give p' − p instead of p', 0 for points that stay. */
    SNT__DESKEW_DELTA = 1 << 1
};

/*
 * Move n <= SNT__DESKEW_BLOCK points. Bit i of moved is set where point i was; the others have a coordinate that is not
 * finite, or would get one, and keep every bit. All times lie in [begin[0], begin[count]).
 */
typedef void (*snt__deskew_soa_fn)(const snt__deskew_table *table, const int32_t *t, const float *const in[3],
                                   float *const out[3], size_t n, uint32_t flags,
                                   uint64_t moved[SNT__DESKEW_WORDS]);

/*
 * The same for x, y, z side by side in records of any size. Reads 16 bytes at each point, so the last record of a cloud
 * is not for this function.
 */
typedef void (*snt__deskew_aos_fn)(const snt__deskew_table *table, const int32_t *t, const unsigned char *in,
                                   ptrdiff_t in_stride, unsigned char *out, ptrdiff_t out_stride, size_t n,
                                   uint32_t flags, uint64_t moved[SNT__DESKEW_WORDS]);

/*
 * How a time field becomes int32 ns from the plan's origin. Floats: (value − origin)·scale + rest, where value − origin
 * is exact for times near the scan, so that no digit of an absolute time is lost. Integers: clamp to [low, high], add.
 */
typedef struct snt__deskew_clock {
    uint32_t kind; /* SNT_TYPE_F64, F32, U32 or I32 */
    uint32_t low, high, add;
    double origin, scale, rest;
} snt__deskew_clock;

/* Times too far away are saturated to ±INT32_MAX; a NaN, an infinity and what int64 cannot hold become this. */
#define SNT__DESKEW_NO_TIME INT32_MIN

/* t[i] from n values, `stride` bytes from one to the next, at any alignment; range = least and greatest of t. n > 0. */
typedef void (*snt__deskew_times_fn)(const snt__deskew_clock *clock, const unsigned char *at,
                                     ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2]);

void snt__deskew_times_plain(const snt__deskew_clock *, const unsigned char *, ptrdiff_t, size_t, int32_t *,
                             int32_t[2]);
void snt__deskew_times_avx2(const snt__deskew_clock *, const unsigned char *, ptrdiff_t, size_t, int32_t *,
                            int32_t[2]);
void snt__deskew_times_avx512(const snt__deskew_clock *, const unsigned char *, ptrdiff_t, size_t, int32_t *,
                              int32_t[2]);

/* Doubles side by side to floats, and out = in + delta in double: for points in double precision. */
typedef void (*snt__deskew_narrow_fn)(const unsigned char *in, float *out, size_t n);
typedef void (*snt__deskew_add_fn)(const unsigned char *in, const float *delta, unsigned char *out, size_t n);

void snt__deskew_narrow_plain(const unsigned char *, float *, size_t);
void snt__deskew_narrow_avx2(const unsigned char *, float *, size_t);
void snt__deskew_narrow_avx512(const unsigned char *, float *, size_t);
void snt__deskew_add_plain(const unsigned char *, const float *, unsigned char *, size_t);
void snt__deskew_add_avx2(const unsigned char *, const float *, unsigned char *, size_t);
void snt__deskew_add_avx512(const unsigned char *, const float *, unsigned char *, size_t);

typedef struct snt__deskew_kernel {
    snt__deskew_soa_fn soa;
    snt__deskew_aos_fn aos;
    snt__deskew_times_fn times;
    snt__deskew_narrow_fn narrow;
    snt__deskew_add_fn add;
    uint32_t id;    /* SNT_KERNEL_* */
    uint32_t fused; /* class: 1 with fused multiply-add */
} snt__deskew_kernel;

/* The kernel of that id, the best one for SNT_KERNEL_AUTO; false where this processor or build does not have it. */
bool snt__deskew_kernel_get(uint32_t id, snt__deskew_kernel *out);

/* One pair per instruction set; only those of the target architecture exist. */
#define SNT__DESKEW_KERNEL(isa)                                                                              \
    void snt__deskew_soa_##isa(const snt__deskew_table *, const int32_t *, const float *const[3],            \
                               float *const[3], size_t, uint32_t, uint64_t[SNT__DESKEW_WORDS]);              \
    void snt__deskew_aos_##isa(const snt__deskew_table *, const int32_t *, const unsigned char *, ptrdiff_t, \
                               unsigned char *, ptrdiff_t, size_t, uint32_t, uint64_t[SNT__DESKEW_WORDS]);
SNT__DESKEW_KERNEL(scalar)
SNT__DESKEW_KERNEL(scalar_fma)
SNT__DESKEW_KERNEL(sse2)
SNT__DESKEW_KERNEL(avx2)
SNT__DESKEW_KERNEL(avx512)
SNT__DESKEW_KERNEL(neon)
#undef SNT__DESKEW_KERNEL

#if SNT_GNU && (defined(__x86_64__) || defined(__i386__))
#define SNT__DESKEW_X86 1
#endif
#if SNT_GNU && defined(__aarch64__)
#define SNT__DESKEW_NEON 1
#endif

#endif
