/* SPDX-License-Identifier: BSD-3-Clause */
/* Per-handle memory: one slab at create, carved into arrays. */
#ifndef SNT_LIB_MEMORY_H
#define SNT_LIB_MEMORY_H

#include "internal.h"

#define SNT_CACHE_LINE 64u

/* The caller's allocator, or malloc where it is NULL. SNT_ERR_INVALID_ARG where one of its functions is missing. */
snt_status snt__allocator_resolve(const snt_allocator *given, snt_allocator *out);

/* Zeroed memory; NULL when there is none. `align` is a power of two. */
void *snt__alloc(const snt_allocator *allocator, size_t size, size_t align);
void snt__free(const snt_allocator *allocator, void *memory);

/*
 * Layout of a slab. The same function walks the parts twice: with base NULL it adds up sizes, then with the memory it
 * hands out pointers. Sums saturate at SIZE_MAX, which no allocator can serve.
 */
typedef struct snt__slab {
    unsigned char *base;
    size_t used;
} snt__slab;

void *snt__slab_take(snt__slab *slab, size_t count, size_t size, size_t align);

#endif
