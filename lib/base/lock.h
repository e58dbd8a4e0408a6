/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short lock of class L handles. Free, it is taken and given back by one atomic instruction each; whoever finds it
 * held sleeps on the system's mutex and condition, because a spinning waiter starves others under SCHED_FIFO.
 */
#ifndef SNT_LIB_LOCK_H
#define SNT_LIB_LOCK_H

#include "internal.h"

#if defined(_WIN32)
#include <windows.h>
typedef SRWLOCK snt__lock;
static inline int snt__lock_init(snt__lock *lock)
{
    InitializeSRWLock(lock);
    return 0;
}
static inline void snt__lock_destroy(snt__lock *lock)
{
    (void)lock;
}
static inline void snt__lock_acquire(snt__lock *lock)
{
    AcquireSRWLockExclusive(lock);
}
static inline void snt__lock_release(snt__lock *lock)
{
    ReleaseSRWLockExclusive(lock);
}
#else
#include <pthread.h>
#include <stdatomic.h>

enum { SNT__LOCK_FREE, SNT__LOCK_HELD, SNT__LOCK_AWAITED /* held, and somebody may sleep */ };

typedef struct snt__lock {
    _Atomic uint32_t state;
    pthread_mutex_t mutex;
    pthread_cond_t freed;
} snt__lock;

int snt__lock_init(snt__lock *lock);
void snt__lock_destroy(snt__lock *lock);
void snt__lock_wait(snt__lock *lock); /* takes a lock that was found held */
void snt__lock_wake(snt__lock *lock); /* it is free again: wakes one who sleeps */

static inline void snt__lock_acquire(snt__lock *lock)
{
    uint32_t expected = SNT__LOCK_FREE;
    if (SNT_UNLIKELY(!atomic_compare_exchange_strong_explicit(&lock->state, &expected, SNT__LOCK_HELD,
                                                              memory_order_acquire, memory_order_relaxed)))
        snt__lock_wait(lock);
}

static inline void snt__lock_release(snt__lock *lock)
{
    if (SNT_UNLIKELY(atomic_exchange_explicit(&lock->state, SNT__LOCK_FREE, memory_order_release) ==
                     SNT__LOCK_AWAITED))
        snt__lock_wake(lock);
}
#endif

#endif
