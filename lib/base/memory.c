/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <stdlib.h>

static void *default_alloc(size_t size, size_t align, void *user)
{
    (void)user;
#if defined(_WIN32)
    return _aligned_malloc(size, align);
#else
    if (align < sizeof(void *))
        align = sizeof(void *);
    if (size > SIZE_MAX - align)
        return NULL;
    return aligned_alloc(align,
                         (size + align - 1) & ~(align - 1)); /* C11 wants a multiple of the alignment */
#endif
}

static void default_free(void *memory, void *user)
{
    (void)user;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

snt_status snt__allocator_resolve(const snt_allocator *given, snt_allocator *out)
{
    *out = given ? *given : (snt_allocator){default_alloc, default_free, NULL};
    return out->alloc && out->free ? SNT_OK : SNT_ERR_INVALID_ARG;
}

void *snt__alloc(const snt_allocator *allocator, size_t size, size_t align)
{
    if (size > PTRDIFF_MAX)
        return NULL;
    void *memory = allocator->alloc(size, align, allocator->user);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

void snt__free(const snt_allocator *allocator, void *memory)
{
    if (memory)
        allocator->free(memory, allocator->user);
}

void *snt__slab_take(snt__slab *slab, size_t count, size_t size, size_t align)
{
    const size_t start =
        slab->used > SIZE_MAX - (align - 1) ? SIZE_MAX : (slab->used + align - 1) & ~(align - 1);
    if (size && count > (SIZE_MAX - start) / size) {
        slab->used = SIZE_MAX;
        return NULL;
    }
    slab->used = start + count * size;
    return slab->base ? slab->base + start : NULL;
}
