/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a consumer's compiler flags from changing our numbers. gcc ignores STDC FP_CONTRACT and fuses even written-out
 * intrinsics; clang honours the pragma but not under -ffast-math. So: refuse fast-math, switch contraction off in the
 * source. Include first in every file that computes with floating point (internal.h does).
 */
#ifndef SNT_LIB_FP_STRICT_H
#define SNT_LIB_FP_STRICT_H

#if defined(__FAST_MATH__)
#if defined(__clang__) || !defined(__GNUC__)
#error "sensortime must not be compiled with -ffast-math or -Ofast"
#else
#pragma GCC optimize("no-fast-math")
#endif
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#endif
