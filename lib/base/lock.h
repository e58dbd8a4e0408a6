/* SPDX-License-Identifier: BSD-3-Clause */
/* The short lock of class L handles: the system's mutex, because a spinning waiter starves under SCHED_FIFO. */
#ifndef SNT_LIB_LOCK_H
#define SNT_LIB_LOCK_H

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
typedef pthread_mutex_t snt__lock;
static inline int snt__lock_init(snt__lock *lock)
{
    return pthread_mutex_init(lock, NULL);
}
static inline void snt__lock_destroy(snt__lock *lock)
{
    pthread_mutex_destroy(lock);
}
static inline void snt__lock_acquire(snt__lock *lock)
{
    pthread_mutex_lock(lock);
}
static inline void snt__lock_release(snt__lock *lock)
{
    pthread_mutex_unlock(lock);
}
#endif

#endif
