/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An allocator that fails on command and counts what is out.
 *
 *     BOMB_FOR_EACH_FAILURE(bomb, snt_x_create(&cfg, &bomb.allocator, &x) == SNT_OK, snt_x_destroy(x))
 *
 * runs `attempt` with the 1st, then the 2nd, … allocation failing until it succeeds, checks after each failure that
 * nothing is left allocated, and runs `cleanup` after the success, when again nothing may be left.
 */
#ifndef SNT_TEST_BOMB_H
#define SNT_TEST_BOMB_H

#include <stdlib.h>

#include "test.h"

typedef struct test_bomb {
    snt_allocator allocator;
    long allocations; /* made so far */
    long fail_at;     /* this one fails, 1-based; 0 = none */
    long outstanding;
} test_bomb;

static void *bomb_alloc(size_t size, size_t align, void *user)
{
    test_bomb *bomb = user;
    if (++bomb->allocations == bomb->fail_at)
        return NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    void *memory = aligned_alloc(align, (size + align - 1) & ~(align - 1));
    if (!memory)
        return NULL;
    memset(memory, 0xa5, size); /* nobody may rely on zeroes from the allocator */
    bomb->outstanding++;
    return memory;
}

static void bomb_free(void *memory, void *user)
{
    ((test_bomb *)user)->outstanding--;
    free(memory);
}

#define BOMB_INIT(bomb) ((bomb) = (test_bomb){.allocator = {bomb_alloc, bomb_free, &(bomb)}})

#define BOMB_FOR_EACH_FAILURE(bomb, attempt, cleanup)                                                        \
    do {                                                                                                     \
        long at_ = 0;                                                                                        \
        for (;;) {                                                                                           \
            BOMB_INIT(bomb);                                                                                 \
            (bomb).fail_at = ++at_;                                                                          \
            if (attempt)                                                                                     \
                break;                                                                                       \
            assert_int_equal((bomb).outstanding, 0);                                                         \
            assert_true(at_ < 1000);                                                                         \
        }                                                                                                    \
        assert_true(at_ > 1); /* it did allocate */                                                          \
        cleanup;                                                                                             \
        assert_int_equal((bomb).outstanding, 0);                                                             \
    } while (0)

#endif
