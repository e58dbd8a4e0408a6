/* SPDX-License-Identifier: BSD-3-Clause */
/* Just enough of <stddef.h> for a C parser without compiler extensions. */
#ifndef SNT_FAKE_STDDEF_H
#define SNT_FAKE_STDDEF_H
typedef unsigned long size_t;
#define NULL ((void *)0)
#endif
