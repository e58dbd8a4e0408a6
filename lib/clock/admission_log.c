/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of the last decisions, behind a short lock. */
#include "../base/internal.h"

#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/admission.h"

enum { ADMISSION_LOG_MOST = 1 << 20 };

struct snt_admission_log {
    snt_allocator allocator;
    snt__lock lock;
    snt_admission_record *records;
    uint64_t end;
    uint64_t admitted;
    uint32_t capacity;
};

static snt_admission_log *admission_log_layout(snt__slab *slab, uint32_t capacity)
{
    snt_admission_log *log = snt__slab_take(slab, 1, sizeof *log, SNT_CACHE_LINE);
    snt_admission_record *records =
        snt__slab_take(slab, capacity, sizeof *records, _Alignof(snt_admission_record));
    if (log)
        log->records = records;
    return log;
}

snt_status snt_admission_log_size(uint32_t capacity, uint64_t *out)
{
    if (!out || capacity < 1 || capacity > ADMISSION_LOG_MOST)
        return SNT_ERR_INVALID_ARG;
    snt__slab slab = {0};
    admission_log_layout(&slab, capacity);
    *out = slab.used;
    return SNT_OK;
}

snt_status snt_admission_log_create(uint32_t capacity, const snt_allocator *allocator,
                                    snt_admission_log **out)
{
    snt_allocator memory;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    if (capacity < 1 || capacity > ADMISSION_LOG_MOST)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt__slab slab = {0};
    admission_log_layout(&slab, capacity);
    slab = (snt__slab){.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE)};
    if (!slab.base)
        return SNT_ERR_NO_MEMORY;
    snt_admission_log *log = admission_log_layout(&slab, capacity);
    if (snt__lock_init(&log->lock) != 0) {
        snt__free(&memory, log);
        return SNT_ERR_NO_MEMORY;
    }
    log->allocator = memory;
    log->capacity = capacity;
    *out = log;
    return SNT_OK;
}

void snt_admission_log_destroy(snt_admission_log *log)
{
    if (!log)
        return;
    const snt_allocator memory = log->allocator;
    snt__lock_destroy(&log->lock);
    snt__free(&memory, log);
}

snt_status snt_admission_log_push(snt_admission_log *log, const snt_admission_record *record)
{
    if (!log || !record)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&log->lock);
    log->records[log->end++ % log->capacity] = *record;
    log->admitted += record->reasons == 0;
    snt__lock_release(&log->lock);
    return SNT_OK;
}

/* With the lock held. */
static uint64_t admission_log_first(const snt_admission_log *log)
{
    return log->end > log->capacity ? log->end - log->capacity : 0;
}

snt_status snt_admission_log_counts(snt_admission_log *log, snt_admission_counts *out)
{
    if (!log || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&log->lock);
    *out =
        (snt_admission_counts){admission_log_first(log), log->end, log->admitted, log->end - log->admitted};
    snt__lock_release(&log->lock);
    return SNT_OK;
}

snt_status snt_admission_log_get(snt_admission_log *log, uint64_t number, snt_admission_record *out)
{
    if (!log || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&log->lock);
    const bool kept = number >= admission_log_first(log) && number < log->end;
    if (kept)
        *out = log->records[number % log->capacity];
    snt__lock_release(&log->lock);
    return kept ? SNT_OK : SNT_ERR_NOT_FOUND;
}

snt_status snt_admission_log_find(snt_admission_log *log, uint32_t source, uint32_t session,
                                  uint64_t sequence, snt_admission_record *out)
{
    bool found = false;
    if (!log || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&log->lock);
    const uint64_t first = admission_log_first(log);
    for (uint64_t number = log->end; number > first && !found; number--) {
        const snt_admission_record *record = &log->records[(number - 1) % log->capacity];
        found = record->source == source && record->session == session && record->sequence == sequence;
        if (found)
            *out = *record;
    }
    snt__lock_release(&log->lock);
    return found ? SNT_OK : SNT_ERR_NOT_FOUND;
}
