/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of cmocka's interface that our tests use, in one header: for targets whose cmocka package cannot be had
 * beside the host's (32 bit, aarch64, musl). The host's own tests use the real one.
 */
#ifndef SNT_FOREIGN_CMOCKA_H
#define SNT_FOREIGN_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*foreign_fixture)(void **state);
struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    foreign_fixture setup_func, teardown_func;
};
#define cmocka_unit_test(f)                                                                                  \
    {                                                                                                        \
#f, f, NULL, NULL                                                                                    \
    }
#define cmocka_unit_test_setup_teardown(f, s, t)                                                             \
    {                                                                                                        \
#f, f, s, t                                                                                          \
    }
#define cmocka_unit_test_teardown(f, t) cmocka_unit_test_setup_teardown(f, NULL, t)
#define cmocka_unit_test_setup(f, s)    cmocka_unit_test_setup_teardown(f, s, NULL)

static jmp_buf foreign_failed;
static int foreign_skipped;

__attribute__((noreturn, format(printf, 3, 4))) static inline void foreign_fail(const char *file, int line,
                                                                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# %s:%d: ", file, line);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    longjmp(foreign_failed, 1);
}

__attribute__((noreturn)) static inline void foreign_skip(void)
{
    foreign_skipped = 1;
    longjmp(foreign_failed, 1);
}

#define fail_msg(...)      foreign_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail()             fail_msg("failed")
#define skip()             foreign_skip()
#define print_message(...) printf(__VA_ARGS__)
#define foreign_check(condition, text)                                                                       \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fail_msg("%s", text);                                                                            \
    } while (0)

#define assert_true(c)     foreign_check(c, #c)
#define assert_false(c)    foreign_check(!(c), "not " #c)
#define assert_null(p)     foreign_check((p) == NULL, #p " is not NULL")
#define assert_non_null(p) foreign_check((p) != NULL, #p " is NULL")
#define foreign_compare(a, op, b)                                                                            \
    do {                                                                                                     \
        const unsigned long long a_ = (unsigned long long)(a), b_ = (unsigned long long)(b);                 \
        if (!(a_ op b_))                                                                                     \
            fail_msg("%s: %lld (0x%llx) against %lld (0x%llx)", #a " " #op " " #b, (long long)a_, a_,        \
                     (long long)b_, b_);                                                                     \
    } while (0)
#define assert_int_equal(a, b)     foreign_compare(a, ==, b)
#define assert_int_not_equal(a, b) foreign_compare(a, !=, b)
#define assert_ptr_equal(a, b)     foreign_check((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b) foreign_check((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_string_equal(a, b)                                                                            \
    do {                                                                                                     \
        const char *a_ = (a), *b_ = (b);                                                                     \
        if (strcmp(a_, b_) != 0)                                                                             \
            fail_msg("%s: \"%s\", expected \"%s\"", #a, a_, b_);                                             \
    } while (0)
#define assert_string_not_equal(a, b)    foreign_check(strcmp(a, b) != 0, #a " differs from " #b)
#define assert_memory_equal(a, b, n)     foreign_check(memcmp(a, b, n) == 0, #a " equals " #b)
#define assert_memory_not_equal(a, b, n) foreign_check(memcmp(a, b, n) != 0, #a " differs from " #b)
#define assert_in_range(v, lo, hi)                                                                           \
    do {                                                                                                     \
        foreign_compare(v, >=, lo);                                                                          \
        foreign_compare(v, <=, hi);                                                                          \
    } while (0)
#define assert_float_equal(a, b, e)  foreign_check((a) - (b) <= (e) && (b) - (a) <= (e), #a " near " #b)
#define assert_double_equal(a, b, e) assert_float_equal(a, b, e)
#define assert_return_code(rc, e)    foreign_check((rc) >= 0, #rc)

static inline int foreign_run(const char *group, const struct CMUnitTest *tests, size_t count,
                              foreign_fixture setup, foreign_fixture teardown)
{
    volatile int failures = 0;
    void *group_state = NULL;
    printf("# %s\n1..%d\n", group, (int)count);
    if (setup && setup(&group_state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        void *state = group_state;
        volatile int failed = 1;
        foreign_skipped = 0;
        if (setjmp(foreign_failed) == 0) {
            if (tests[i].setup_func)
                tests[i].setup_func(&state);
            tests[i].test_func(&state);
            if (tests[i].teardown_func)
                tests[i].teardown_func(&state);
            failed = 0;
        }
        failed = failed && !foreign_skipped;
        failures = failures + failed;
        printf("%sok %d - %s%s\n", failed ? "not " : "", (int)i + 1, tests[i].name,
               foreign_skipped ? " # SKIP" : "");
        fflush(stdout);
    }
    if (teardown)
        teardown(&group_state);
    return failures;
}

#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                            \
    foreign_run(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown)                                                       \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#endif
