#!/usr/bin/env bash
# Fails where clang-format would change anything, or where the library prints by the program's locale.
cd "$(dirname "$0")/.." || exit 1
status=0
files=$(git ls-files '*.c' '*.h' '*.hpp' '*.cpp' 2>/dev/null || find . -name build -prune -o -name '*.[ch]' -print)
# shellcheck disable=SC2086
clang-format --dry-run -Werror $files || status=1
# printf and strtod follow LC_NUMERIC: under some locales they write, and want, a decimal comma
if grep -rnE '\b(v?(f|s|sn|as|d)?w?printf|strto(d|f|ld)|atof|v?s?scanf|localeconv)[[:space:]]*\(' lib/; then
    echo 'lib/ must not follow the locale: write text with lib/base/print.h' >&2
    status=1
fi
exit $status
