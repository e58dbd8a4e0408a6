/* SPDX-License-Identifier: BSD-3-Clause */
#include "tf_internal.h"

#if !defined(_WIN32)
#include <sys/select.h>
#endif

/* Sleeping lets a preempted holder of lower priority run, which spinning and yielding under SCHED_FIFO would not. */
static void tf_lock_sleep(void)
{
#if defined(_WIN32)
    Sleep(1);
#else
    struct timeval pause = {0, 50};
    select(0, NULL, NULL, NULL, &pause);
#endif
}

void snt__tf_lock_slow(_Atomic uint32_t *lock)
{
    for (uint32_t tries = 0;; tries++) {
        if (!atomic_load_explicit(lock, memory_order_relaxed) &&
            !atomic_exchange_explicit(lock, 1, memory_order_acquire))
            return;
        if (tries >= 128)
            tf_lock_sleep();
    }
}
