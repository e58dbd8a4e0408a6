/* SPDX-License-Identifier: BSD-3-Clause */
/* 64-bit ARM: four points at a time, the bits of fmaf(). */
#include "kernel.h"

#ifdef SNT__DESKEW_NEON

#include <arm_neon.h>

#include "kernel_names.inc"

#define K_ISA      neon
#define K_LANES    4
#define K_INLINE   K_FORCE_INLINE
#define K_NOINLINE K_FORBID_INLINE
#define K_ENTRY
#define VF float32x4_t
#define VI int32x4_t

K_INLINE VF K(set1)(float v)
{
    return vdupq_n_f32(v);
}
K_INLINE VI K(seti)(int32_t v)
{
    return vdupq_n_s32(v);
}
K_INLINE VF K(load_bytes)(const void *p)
{
    return vreinterpretq_f32_u8(vld1q_u8(p));
}
K_INLINE VF K(load)(const float *p)
{
    return K(load_bytes)(p);
}
K_INLINE VI K(loadi)(const int32_t *p)
{
    return vld1q_s32(p);
}
K_INLINE void K(store_bytes)(void *p, VF v)
{
    vst1q_u8(p, vreinterpretq_u8_f32(v));
}
K_INLINE void K(store)(float *p, VF v)
{
    K(store_bytes)(p, v);
}
K_INLINE VF K(add)(VF a, VF b)
{
    return vaddq_f32(a, b);
}
K_INLINE VF K(sub)(VF a, VF b)
{
    return vsubq_f32(a, b);
}
K_INLINE VF K(mul)(VF a, VF b)
{
    return vmulq_f32(a, b);
}
K_INLINE VF K(madd)(VF a, VF b, VF c)
{
    return vfmaq_f32(c, a, b);
}
K_INLINE VF K(nmadd)(VF a, VF b, VF c)
{
    return vfmsq_f32(c, a, b);
}
K_INLINE VI K(subi)(VI a, VI b)
{
    return vsubq_s32(a, b);
}
K_INLINE VF K(to_float)(VI v)
{
    return vcvtq_f32_s32(v);
}
K_INLINE uint32_t K(bits)(uint32x4_t full)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(full, vld1q_u32(bit)));
}
K_INLINE uint32_t K(inside)(VI t, int32_t begin, int32_t end)
{
    return K(bits)(vandq_u32(vcgeq_s32(t, K(seti)(begin)), vcltq_s32(t, K(seti)(end))));
}
K_INLINE uint32_t K(equal)(VF a, VF b)
{
    return K(bits)(vceqq_f32(a, b));
}
K_INLINE VF K(select)(uint32_t mask, VF a, VF b)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vbslq_f32(vtstq_u32(vdupq_n_u32(mask), vld1q_u32(bit)), a, b);
}
K_INLINE void K(transpose)(VF r[4])
{
    const float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
    r[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    r[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    r[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    r[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}
K_INLINE void K(take_apart)(const unsigned char *in, ptrdiff_t stride, VF r[4])
{
    for (int i = 0; i < 4; i++)
        r[i] = K(load_bytes)(in + i * stride);
    K(transpose)(r);
}
K_INLINE void K(put_together)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++)
        K(store_bytes)(out + i * stride, r[i]);
}
K_INLINE void K(put_together_exactly)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++, out += stride) {
        vst1_u8(out, vreinterpret_u8_f32(vget_low_f32(r[i])));
        const float third = vgetq_lane_f32(r[i], 2);
        memcpy(out + 8, &third, 4);
    }
}
K_INLINE void K(rows)(const snt__deskew_table *table, const int32_t *t, VF c[7])
{
    VF low[4], high[4];
    for (int i = 0; i < 4; i++) {
        const uint32_t s = snt__deskew_find(table, t[i]);
        const float(*row)[8] = table->segments[s].row;
        const VF u = K(set1)((float)(t[i] - table->mid[s]));
        low[i] = K(madd)(K(load)(row[3]), u, K(load)(row[2]));
        low[i] = K(madd)(low[i], u, K(load)(row[1]));
        low[i] = K(madd)(low[i], u, K(load)(row[0]));
        high[i] = K(madd)(K(load)(row[3] + 4), u, K(load)(row[2] + 4));
        high[i] = K(madd)(high[i], u, K(load)(row[1] + 4));
        high[i] = K(madd)(high[i], u, K(load)(row[0] + 4));
    }
    K(transpose)(low);
    K(transpose)(high);
    for (int k = 0; k < 4; k++)
        c[k] = low[k];
    for (int k = 4; k < 7; k++)
        c[k] = high[k - 4];
}

#include "kernel_template.inc"

#endif
