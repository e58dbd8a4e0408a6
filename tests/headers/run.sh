#!/usr/bin/env bash
# Each public header compiles alone, in every language version a consumer may use, with every warning an error.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -Weverything without: what C++ says of C (old-style casts and zero as NULL do not occur, C99 features do), and padding
quiet="-Wno-padded -Wno-c++98-compat-pedantic -Wno-c++98-compat -Wno-c99-extensions -Wno-declaration-after-statement -Wno-unused-macros -Wno-documentation -Wno-documentation-unknown-command -Wno-unknown-warning-option -Wno-unsafe-buffer-usage"
for header in include/sensortime/*.h; do
    name=sensortime/$(basename "$header")
    printf '#include "%s"\n#include "%s"\nint sensortime_header_test(void);\nint sensortime_header_test(void) { return 0; }\n' \
        "$name" "$name" >"$work/header.c"
    cp "$work/header.c" "$work/header.cpp"
    for std in c99 c11 c17; do
        gcc -std=$std -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/header.c"
        # shellcheck disable=SC2086
        clang -std=$std -Weverything $quiet -Werror -Iinclude -fsyntax-only "$work/header.c"
    done
    for std in c++11 c++17 c++20; do
        g++ -std=$std -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/header.cpp"
        # shellcheck disable=SC2086
        clang++ -std=$std -Weverything $quiet -Werror -Iinclude -fsyntax-only "$work/header.cpp"
    done
    echo "$name"
done
for header in include/sensortime/*.hpp; do
    [ -e "$header" ] || continue
    printf '#include "sensortime/%s"\n' "$(basename "$header")" >"$work/header.cpp"
    for std in c++17 c++20; do
        g++ -std=$std -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/header.cpp"
        clang++ -std=$std -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/header.cpp"
    done
done
