/* SPDX-License-Identifier: BSD-3-Clause */
/* Which vector instructions this processor and its operating system let us use. */
#ifndef SNT_LIB_CPU_H
#define SNT_LIB_CPU_H

#include <stdint.h>

enum {
    SNT_CPU_SSE2 = 1 << 0,
    SNT_CPU_AVX2_FMA = 1 << 1,
    SNT_CPU_AVX512 =
        1 << 2, /* F, DQ, BW and VL together, as every server and desktop part with AVX-512 has them */
    SNT_CPU_NEON = 1 << 3,
    SNT_CPU_FMA = 1 << 4 /* fmaf() is one instruction rather than a software routine */
};

/* Asks the processor each time (about 100 ns): call at create, keep the answer in the handle. */
uint32_t snt__cpu_features(void);

#endif
