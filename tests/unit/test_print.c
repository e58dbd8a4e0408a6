/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own printing against printf in the C locale; and that no locale changes it. */
#include "test.h"

#include <locale.h>
#include <stdlib.h>

#include "lib/base/print.h"

#define CASES 20000

/* A locale that writes a decimal comma: one of this machine's, or the one that the build made (SNT_LOCALES). */
static bool comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8",
                                        "es_ES.UTF-8", "it_IT.utf8", "nl_NL", "pt_BR.UTF-8", "ru_RU.UTF-8"};
    const char *made = getenv("SNT_LOCALES");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < SNT_COUNT_OF(names); i++)
            if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',')
                return true;
        if (!made || setenv("LOCPATH", made, 1) != 0)
            break;
    }
    setlocale(LC_ALL, "C");
    return false;
}

static int restore_locale(void **state)
{
    (void)state;
    return setlocale(LC_ALL, "C") ? 0 : -1;
}

/* Any bit pattern, or a number of everyday size. */
static double any_double(test_rng *rng)
{
    union {
        uint64_t bits;
        double value;
    } any = {rng_next(rng)};
    switch (rng_below(rng, 4)) {
    case 0:
        break;
    case 1: /* few binary digits: these tie */
        any.value = (double)rng_int(rng, -100000, 100000) / (double)(UINT64_C(1) << rng_below(rng, 14));
        break;
    case 2: /* nines that carry */
        any.value = (double)rng_int(rng, 9990, 10000) * pow(10, (double)rng_int(rng, -12, 12));
        break;
    default:
        any.value = (rng_unit(rng) - 0.5) * pow(10, (double)rng_int(rng, -12, 20));
    }
    /* zero and NaN differ from printf on purpose */
    return any.value != any.value || any.value == 0 ? 1.5 : any.value;
}

#define expect_print(call, ...)                                                                              \
    do {                                                                                                     \
        char ours_[512], theirs_[512];                                                                       \
        snt__printer text = snt__print_begin(ours_, sizeof ours_);                                           \
        call;                                                                                                \
        assert_status(snt__print_end(&text), SNT_OK);                                                        \
        snprintf(theirs_, sizeof theirs_, __VA_ARGS__);                                                      \
        assert_string_equal(ours_, theirs_);                                                                 \
    } while (0)

static void numbers_are_rounded_as_printf_rounds_them(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int i = 0; i < CASES; i++) {
        const double value = any_double(&rng);
        const int digits = (int)rng_below(&rng, 18);
        expect_print(snt__print_number(&text, value, digits), "%.*f", digits, value);
        expect_print(snt__print_significant(&text, value, digits + 1), "%.*g", digits + 1, value);
    }
    static const double corners[] = {DBL_MAX,       -DBL_MAX, DBL_MIN,  0x1p-1074, 0x1.fffffffffffffp-1022,
                                     0.5,           1.5,      2.5,      0.125,     9.995,
                                     99999.5,       1e15,     1e16,     1e-4,      1e-5,
                                     0.00099999999, INFINITY, -INFINITY};
    for (size_t i = 0; i < SNT_COUNT_OF(corners); i++)
        for (int digits = 0; digits < 20; digits++) {
            expect_print(snt__print_number(&text, corners[i], digits), "%.*f", digits, corners[i]);
            if (digits)
                expect_print(snt__print_significant(&text, corners[i], digits), "%.*g", digits, corners[i]);
        }
    /* every digit of the number that has most */
    char ours[1200], theirs[1200];
    snt__printer text = snt__print_begin(ours, sizeof ours);
    snt__print_number(&text, 0x1.fffffffffffffp-1022, 1074);
    assert_status(snt__print_end(&text), SNT_OK);
    snprintf(theirs, sizeof theirs, "%.1074f", 0x1.fffffffffffffp-1022);
    assert_string_equal(ours, theirs);
}

static void zero_has_no_sign_and_no_number_is_unknown(void **state)
{
    (void)state;
    expect_print(snt__print_number(&text, -0.0, 2), "0.00");
    expect_print(snt__print_number(&text, 0.0, 0), "0");
    expect_print(snt__print_significant(&text, -0.0, 3), "0");
    expect_print(snt__print_number(&text, (double)NAN, 2), "unknown");
    expect_print(snt__print_significant(&text, (double)NAN, 2), "unknown");
}

static void integers_are_as_printf_has_them(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const uint64_t corners[] = {0, 1, 9, 10, 15, 16, 255, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
    for (int i = 0; i < CASES; i++) {
        const uint64_t u =
            (size_t)i < SNT_COUNT_OF(corners) ? corners[i] : rng_next(&rng) >> rng_below(&rng, 64);
        const int64_t s = (int64_t)u;
        const int least = (int)rng_below(&rng, 25);
        expect_print(snt__print_integer(&text, s), "%" PRId64, s);
        expect_print(snt__print_unsigned(&text, u), "%" PRIu64, u);
        expect_print(snt__print_padded(&text, u, least), "%0*" PRIu64, least, u);
        expect_print(snt__print_hex(&text, u, least), "%0*" PRIx64, least, u);
    }
}

static void times_have_every_digit(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int i = 0; i < CASES; i++) {
        const int64_t ns = i == 0 ? INT64_MIN : (int64_t)rng_next(&rng) >> rng_below(&rng, 64);
        const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
        expect_print(snt__print_seconds(&text, ns), "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
                     size / 1000000000, size % 1000000000);
        expect_print(snt__print_time(&text, ns), "%s%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? "-" : "",
                     size / 1000000000, size % 1000000000);
    }
}

static void durations_are_in_the_unit_that_reads_best(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {-999, "-999 ns"},
        {1000, "1.00 µs"},
        {12345, "12.35 µs"},
        {999499, "999.50 µs"},
        {999500, "1.000 ms"},
        {12345678, "12.346 ms"},
        {999499999, "999.500 ms"},
        {999500000, "1.000 s"},
        {-1500000000, "-1.500 s"},
        {INT64_MIN, "-9223372036.855 s"},
        {SNT_UNKNOWN, "unknown"},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++)
        expect_print(snt__print_duration(&text, cases[i].ns), "%s", cases[i].text);
    /* of integers, no double is between them and their text */
    test_rng rng = rng_from_env();
    for (int i = 0; i < CASES; i++) {
        const int64_t ms = rng_int(&rng, 1000, 9000000000), rest = rng_int(&rng, -499999, 499999);
        expect_print(snt__print_duration(&text, ms * 1000000 + rest), "%" PRId64 ".%03" PRId64 " s",
                     ms / 1000, ms % 1000);
    }
}

static void quoted_text_is_escaped_and_valid_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *json, *dot;
    } cases[] = {
        {"", "\"\"", "\"\""},
        {"base_link", "\"base_link\"", "\"base_link\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\""},
        {"\n\x7f", "\"\\u000a\\u007f\"", "\"?0a?7f\""},
        {"µ€😀", "\"µ€😀\"", "\"µ€😀\""},
        /* a lone continuation, an overlong slash, a surrogate, beyond U+10FFFF, cut short */
        {"\x80", "\"\xef\xbf\xbd\"", "\"\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"", NULL},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", NULL},
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", NULL},
        {"x\xe2\x82", "\"x\xef\xbf\xbd\xef\xbf\xbd\"", NULL},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        const size_t n = strlen(cases[i].bytes);
        expect_print(snt__print_quoted(&text, cases[i].bytes, n, true), "%s", cases[i].json);
        if (cases[i].dot)
            expect_print(snt__print_quoted(&text, cases[i].bytes, n, false), "%s", cases[i].dot);
    }
    /* a view ends where it says, inside of a character too */
    char *view = malloc(2);
    memcpy(view, "\xe2\x82", 2);
    expect_print(snt__print_quoted(&text, view, 2, true), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_print(snt__print_quoted(&text, "€", 2, true), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    memcpy(view, "ab", 2);
    expect_print(snt__print_bytes(&text, view, 2), "ab");
    free(view);
}

static void a_cut_text_ends_between_characters(void **state)
{
    (void)state;
    const char *const whole = "1 µs € 😀!";
    const size_t length = strlen(whole);
    for (size_t size = 0; size <= length + 2; size++) {
        char *made = malloc(size + 1);
        memset(made, '#', size + 1);
        snt__printer text = snt__print_begin(made, size);
        snt__print_string(&text, whole);
        assert_status(snt__print_end(&text), size > length ? SNT_OK : SNT_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(text.length, length);
        assert_int_equal(made[size], '#');
        if (size) {
            const size_t got = strlen(made);
            assert_true(got < size && size - got <= 4);
            assert_memory_equal(made, whole, got);
            assert_int_not_equal((unsigned char)whole[got] & 0xc0, 0x80);
        }
        free(made);
    }
    snt__printer text = snt__print_begin(NULL, 100);
    snt__print_string(&text, whole);
    assert_status(snt__print_end(&text), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(text.length, length);
}

static void a_decimal_comma_of_the_locale_stays_out(void **state)
{
    (void)state;
    if (!comma_locale()) {
        print_message("# skipped: no locale with a decimal comma on this machine\n");
        skip();
    }
    char text[64], all[64];
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* what the library must not write */
    snt__printer out = snt__print_begin(all, sizeof all);
    snt__print_number(&out, 1.5, 1);
    snt__print_char(&out, ' ');
    snt__print_significant(&out, 1234.5, 6);
    snt__print_char(&out, ' ');
    snt__print_duration(&out, 1500000);
    snt__print_char(&out, ' ');
    snt__print_time(&out, 1500000000);
    assert_status(snt__print_end(&out), SNT_OK);
    assert_string_equal(all, "1.5 1234.5 1.500 ms 1.500000000 s");
    /* and through the public door */
    const snt_point_layout layout = {0};
    const snt_layout_report report = {.unit_confidence = 0.5f, .span_ns = 100000000, .ring_field = -1};
    char words[512];
    assert_status(snt_point_layout_format(&layout, &report, words, sizeof words), SNT_OK);
    assert_non_null(strstr(words, "(0.50)"));
    assert_non_null(strstr(words, "0.100000 s"));
    const snt_clock_proof proof = {.wander_needed_ppb_s = 12.5};
    assert_status(snt_clock_proof_format(&proof, words, sizeof words), SNT_OK);
    assert_non_null(strstr(words, "a wander of 12.5 ppb/s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_as_printf_rounds_them),
        cmocka_unit_test(zero_has_no_sign_and_no_number_is_unknown),
        cmocka_unit_test(integers_are_as_printf_has_them),
        cmocka_unit_test(times_have_every_digit),
        cmocka_unit_test(durations_are_in_the_unit_that_reads_best),
        cmocka_unit_test(quoted_text_is_escaped_and_valid_utf8),
        cmocka_unit_test(a_cut_text_ends_between_characters),
        cmocka_unit_test_teardown(a_decimal_comma_of_the_locale_stays_out, restore_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
