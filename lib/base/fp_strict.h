/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a consumer's compiler flags from changing our numbers. Under -ffast-math a test for NaN is always false and sums
 * are reordered beyond the bounds that we state; contraction of a·b + c makes other last bits on other machines. gcc can
 * be told to do neither in the source, though it ignores STDC FP_CONTRACT and fuses even written-out intrinsics. clang
 * honours that pragma, but not under -ffast-math, where it fuses whatever the source says: there, refuse. Include first
 * in every file that computes with floating point (internal.h does). tests/foreign/run.sh fast proves it for gcc,
 * tests/consumer/fast.sh for builds that pass the flags below behind those of their surroundings.
 */
#ifndef SNT_LIB_FP_STRICT_H
#define SNT_LIB_FP_STRICT_H

#if defined(__FAST_MATH__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-fast-math")
#else
#error "sensortime must not be compiled with -ffast-math (-Ofast); -fno-fast-math behind it helps"
#endif
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma float_control(precise, on)
#pragma fp_contract(off)
#endif

#endif
