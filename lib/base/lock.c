/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock.h"

#if !defined(_WIN32)

int snt__lock_init(snt__lock *lock)
{
    atomic_init(&lock->state, SNT__LOCK_FREE);
    const int failed = pthread_mutex_init(&lock->mutex, NULL);
    if (failed)
        return failed;
    const int without = pthread_cond_init(&lock->freed, NULL);
    if (without)
        pthread_mutex_destroy(&lock->mutex);
    return without;
}

void snt__lock_destroy(snt__lock *lock)
{
    pthread_cond_destroy(&lock->freed);
    pthread_mutex_destroy(&lock->mutex);
}

/*
 * No wake-up is lost: the state is marked under the mutex, and who frees a marked lock takes the mutex before signalling,
 * which it can only once the waiter sleeps. Who wakes takes the lock as AWAITED, for others may sleep still.
 */
void snt__lock_wait(snt__lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    while (atomic_exchange_explicit(&lock->state, SNT__LOCK_AWAITED, memory_order_acquire) != SNT__LOCK_FREE)
        pthread_cond_wait(&lock->freed, &lock->mutex);
    pthread_mutex_unlock(&lock->mutex);
}

void snt__lock_wake(snt__lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    pthread_cond_signal(&lock->freed);
    pthread_mutex_unlock(&lock->mutex);
}

#endif
