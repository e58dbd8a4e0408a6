/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/base/internal.h"
#include "lib/base/memory.h"

static void every_status_has_its_own_name_number_and_text(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        snt_status number;
        const char *text;
    } all[] = {
#define SNT_X(name, number, text) {#name, number, text},
        SNT_STATUS_MAP(SNT_X)
#undef SNT_X
    };
    for (size_t i = 0; i < SNT_COUNT_OF(all); i++) {
        assert_string_equal(snt_status_name(all[i].number), all[i].name);
        assert_string_equal(snt_status_text(all[i].number), all[i].text);
        assert_true((strncmp(all[i].name, "SNT_ERR_", 8) == 0) == (all[i].number < 0));
        for (size_t j = 0; j < i; j++)
            assert_true(all[i].number != all[j].number && strcmp(all[i].text, all[j].text) != 0);
    }
    assert_string_equal(snt_status_name(-9999), "SNT_UNKNOWN_STATUS");
    assert_string_equal(snt_status_text(INT32_MAX), "unknown status");
}

static void version_of_headers_and_library_agree(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SNT_VERSION_MAJOR, SNT_VERSION_MINOR, SNT_VERSION_PATCH);
    assert_string_equal(snt_version_string(), text);
    assert_string_equal(snt_version_string(), SNT_VERSION_STRING);
    assert_int_equal(snt_version_number(), SNT_VERSION_NUMBER);
}

/* A config as release 1 had it, and as a later release has it with one field appended. */
typedef struct config_v1 {
    uint32_t struct_size;
    uint32_t capacity;
} config_v1;
typedef struct config_v2 {
    uint32_t struct_size;
    uint32_t capacity;
    uint32_t appended;
    uint32_t reserved;
} config_v2;

static void an_old_config_keeps_the_defaults_of_new_fields(void **state)
{
    (void)state;
    config_v2 cfg = {sizeof cfg, 10, 7, 0};
    const config_v1 old = {sizeof old, 20};
    assert_status(snt__config_read(&cfg, sizeof cfg, sizeof(config_v1), &old), SNT_OK);
    assert_int_equal(cfg.capacity, 20);
    assert_int_equal(cfg.appended, 7);
}

static void a_newer_config_is_taken_only_with_a_zero_tail(void **state)
{
    (void)state;
    config_v1 cfg = {sizeof cfg, 10};
    config_v2 newer = {sizeof newer, 20, 0, 0};
    assert_status(snt__config_read(&cfg, sizeof cfg, sizeof cfg, &newer), SNT_OK);
    assert_int_equal(cfg.capacity, 20);
    newer.appended = 1;
    newer.capacity = 30;
    assert_status(snt__config_read(&cfg, sizeof cfg, sizeof cfg, &newer), SNT_ERR_INVALID_ARG);
    assert_int_equal(cfg.capacity, 20);
}

static void a_config_shorter_than_the_first_release_is_refused(void **state)
{
    (void)state;
    config_v1 cfg = {sizeof cfg, 10};
    const config_v1 forgotten = {0, 20};
    assert_status(snt__config_read(&cfg, sizeof cfg, sizeof cfg, &forgotten), SNT_ERR_INVALID_ARG);
    assert_status(snt__config_read(&cfg, sizeof cfg, sizeof cfg, NULL), SNT_OK);
    assert_int_equal(cfg.capacity, 10);
}

static void config_init_writes_no_more_than_the_caller_has(void **state)
{
    (void)state;
    const config_v2 defaults = {sizeof defaults, 10, 7, 0};
    unsigned char memory[sizeof(config_v2) + 8];
    memset(memory, 0xee, sizeof memory);
    snt__config_init(memory, sizeof(config_v1), &defaults, sizeof defaults);
    config_v1 small;
    memcpy(&small, memory, sizeof small);
    assert_int_equal(small.struct_size, sizeof small);
    assert_int_equal(small.capacity, 10);
    for (size_t i = sizeof small; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0xee);
    memset(memory, 0xee, sizeof memory); /* a caller newer than the library: its unknown tail becomes zero */
    snt__config_init(memory, sizeof memory, &defaults, sizeof defaults);
    for (size_t i = sizeof defaults; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0);
}

static void slab_parts_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    snt__slab slab = {NULL, 0};
    snt__slab_take(&slab, 3, 1, 1);
    snt__slab_take(&slab, 2, 8, 64);
    assert_int_equal(slab.used, 80);
    snt__slab_take(&slab, SIZE_MAX / 2, 16, 8);
    assert_true(slab.used == SIZE_MAX);
    snt__slab_take(&slab, 1, 1, 64);
    assert_true(slab.used == SIZE_MAX);
}

static void a_sample_of_an_instant_claims_nothing_else(void **state)
{
    (void)state;
    snt_sample sample;
    snt_sample_init(&sample, 5, SNT_DOMAIN_UNIX, 42);
    assert_i64_equal(sample.t0_ns, 5);
    assert_i64_equal(sample.t1_ns, 5);
    assert_i64_equal(sample.receive_ns, SNT_UNKNOWN);
    assert_int_equal(sample.flags, 0);
    assert_int_equal(sample.token, 42);
    snt_sample_init(NULL, 5, SNT_DOMAIN_UNIX, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_name_number_and_text),
        cmocka_unit_test(version_of_headers_and_library_agree),
        cmocka_unit_test(an_old_config_keeps_the_defaults_of_new_fields),
        cmocka_unit_test(a_newer_config_is_taken_only_with_a_zero_tail),
        cmocka_unit_test(a_config_shorter_than_the_first_release_is_refused),
        cmocka_unit_test(config_init_writes_no_more_than_the_caller_has),
        cmocka_unit_test(slab_parts_are_aligned_and_do_not_overlap),
        cmocka_unit_test(a_sample_of_an_instant_claims_nothing_else),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
