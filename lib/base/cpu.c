/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include "cpu.h"

#if SNT_GNU && (defined(__x86_64__) || defined(__i386__))

#include <cpuid.h>

enum {
    CPU_1_EDX_SSE2 = 1 << 26,
    CPU_1_ECX_FMA = 1 << 12,
    CPU_1_ECX_OSXSAVE = 1 << 27,
    CPU_1_ECX_AVX = 1 << 28,
    CPU_7_EBX_AVX2 = 1 << 5,
    CPU_7_EBX_AVX512F = 1 << 16,
    CPU_7_EBX_AVX512DQ = 1 << 17,
    CPU_7_EBX_AVX512BW = 1 << 30,
    CPU_XCR0_YMM = 0x06,
    CPU_XCR0_ZMM = 0xe6
};
#define CPU_7_EBX_AVX512VL (1u << 31)

/* The register state the operating system saves at a context switch; an instruction set it does not save is no use. */
static uint32_t cpu_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" /* xgetbv, for assemblers that do not know it */
                     : "=a"(low), "=d"(high)
                     : "c"(0));
    return low;
}

uint32_t snt__cpu_features(void)
{
    uint32_t a, b, c, d, found = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    if (d & CPU_1_EDX_SSE2)
        found |= SNT_CPU_SSE2;
    const uint32_t wanted = CPU_1_ECX_OSXSAVE | CPU_1_ECX_AVX | CPU_1_ECX_FMA;
    if ((c & wanted) != wanted)
        return found;
    const uint32_t saved = cpu_xcr0();
    if ((saved & CPU_XCR0_YMM) != CPU_XCR0_YMM || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return found;
    if (b & CPU_7_EBX_AVX2)
        found |= SNT_CPU_AVX2_FMA | SNT_CPU_FMA;
    const uint32_t avx512 = CPU_7_EBX_AVX512F | CPU_7_EBX_AVX512DQ | CPU_7_EBX_AVX512BW | CPU_7_EBX_AVX512VL;
    if ((b & avx512) == avx512 && (saved & CPU_XCR0_ZMM) == CPU_XCR0_ZMM && (found & SNT_CPU_AVX2_FMA))
        found |= SNT_CPU_AVX512;
    return found;
}

#else

uint32_t snt__cpu_features(void)
{
    uint32_t found = 0;
#if SNT_GNU && defined(__aarch64__)
    found |= SNT_CPU_NEON | SNT_CPU_FMA;
#elif defined(__FP_FAST_FMAF)
    found |= SNT_CPU_FMA;
#endif
    return found;
}

#endif
