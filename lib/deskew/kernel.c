/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include "../base/cpu.h"
#include "sensortime/deskew.h"

#define KERNEL(isa, helpers, id, fused)                                                                      \
    {                                                                                                        \
        snt__deskew_soa_##isa, snt__deskew_aos_##isa, snt__deskew_times_##helpers,                           \
            snt__deskew_narrow_##helpers, snt__deskew_add_##helpers, id, fused                               \
    }

static const snt__deskew_kernel deskew_kernels[] = {
    KERNEL(scalar, plain, SNT_KERNEL_SCALAR, 0),  KERNEL(scalar_fma, plain, SNT_KERNEL_SCALAR_FMA, 1),
#ifdef SNT__DESKEW_X86
    KERNEL(sse2, plain, SNT_KERNEL_SSE2, 0),      KERNEL(avx2, avx2, SNT_KERNEL_AVX2, 1),
    KERNEL(avx512, avx512, SNT_KERNEL_AVX512, 1),
#endif
#ifdef SNT__DESKEW_NEON
    KERNEL(neon, plain, SNT_KERNEL_NEON, 1),
#endif
};

#undef KERNEL

static bool deskew_kernel_runs(uint32_t id, uint32_t cpu)
{
    switch (id) {
    case SNT_KERNEL_SSE2:
        return cpu & SNT_CPU_SSE2;
    case SNT_KERNEL_AVX2:
        return cpu & SNT_CPU_AVX2_FMA;
    case SNT_KERNEL_AVX512:
        return cpu & SNT_CPU_AVX512;
    case SNT_KERNEL_NEON:
        return cpu & SNT_CPU_NEON;
    default:
        return true;
    }
}

/* Fastest first; the fused class wherever the processor has it. */
static uint32_t deskew_kernel_best(uint32_t cpu)
{
    if (cpu & SNT_CPU_AVX512)
        return SNT_KERNEL_AVX512;
    if (cpu & SNT_CPU_AVX2_FMA)
        return SNT_KERNEL_AVX2;
    if (cpu & SNT_CPU_NEON)
        return SNT_KERNEL_NEON;
    if (cpu & SNT_CPU_SSE2)
        return SNT_KERNEL_SSE2;
    return cpu & SNT_CPU_FMA ? SNT_KERNEL_SCALAR_FMA : SNT_KERNEL_SCALAR;
}

bool snt__deskew_kernel_get(uint32_t id, snt__deskew_kernel *out)
{
    const uint32_t cpu = snt__cpu_features();
    if (id == SNT_KERNEL_AUTO)
        id = deskew_kernel_best(cpu);
    for (size_t i = 0; i < SNT_COUNT_OF(deskew_kernels); i++) {
        if (deskew_kernels[i].id == id && deskew_kernel_runs(id, cpu)) {
            *out = deskew_kernels[i];
            return true;
        }
    }
    return false;
}

uint32_t snt_deskew_kernel_available(uint32_t kernel)
{
    snt__deskew_kernel found;
    return snt__deskew_kernel_get(kernel, &found) ? 1 : 0;
}

const char *snt_deskew_kernel_name(uint32_t kernel)
{
    switch (kernel) {
    case SNT_KERNEL_AUTO:
        return "auto";
    case SNT_KERNEL_SCALAR:
        return "scalar";
    case SNT_KERNEL_SSE2:
        return "sse2";
    case SNT_KERNEL_SCALAR_FMA:
        return "scalar_fma";
    case SNT_KERNEL_AVX2:
        return "avx2";
    case SNT_KERNEL_AVX512:
        return "avx512";
    case SNT_KERNEL_NEON:
        return "neon";
    default:
        return "unknown";
    }
}
