/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <stdatomic.h>

struct snt_epoch {
    snt_allocator allocator;
    _Atomic uint32_t references;
    /* session and reason change together, so they share one word: session in the upper bits would need 64 of them on
     * targets that may lack such atomics; a reader that sees the new session sees its reason, which is stored before. */
    _Atomic uint32_t session;
    _Atomic uint32_t reason;
};

snt_status snt_epoch_create(const snt_allocator *allocator, snt_epoch **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_allocator memory;
    const snt_status status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt_epoch *epoch = snt__alloc(&memory, sizeof *epoch, SNT_CACHE_LINE);
    if (!epoch)
        return SNT_ERR_NO_MEMORY;
    epoch->allocator = memory;
    atomic_init(&epoch->references, 1);
    atomic_init(&epoch->session, 1);
    atomic_init(&epoch->reason, SNT_EPOCH_START);
    *out = epoch;
    return SNT_OK;
}

snt_epoch *snt_epoch_ref(snt_epoch *epoch)
{
    if (epoch)
        atomic_fetch_add_explicit(&epoch->references, 1, memory_order_relaxed);
    return epoch;
}

void snt_epoch_unref(snt_epoch *epoch)
{
    if (!epoch || atomic_fetch_sub_explicit(&epoch->references, 1, memory_order_acq_rel) != 1)
        return;
    const snt_allocator memory = epoch->allocator;
    snt__free(&memory, epoch);
}

uint32_t snt_epoch_bump(snt_epoch *epoch, uint32_t reason)
{
    if (!epoch)
        return 0;
    atomic_store_explicit(&epoch->reason, reason, memory_order_relaxed);
    uint32_t session = atomic_fetch_add_explicit(&epoch->session, 1, memory_order_acq_rel) + 1;
    if (session == 0) /* wrapped: 0 means "no session is kept" */
        session = atomic_fetch_add_explicit(&epoch->session, 1, memory_order_acq_rel) + 1;
    return session;
}

uint32_t snt_epoch_session(const snt_epoch *epoch)
{
    return epoch ? atomic_load_explicit(&epoch->session, memory_order_acquire) : 0;
}

uint32_t snt_epoch_reason(const snt_epoch *epoch)
{
    return epoch ? atomic_load_explicit(&epoch->reason, memory_order_relaxed) : SNT_EPOCH_START;
}
