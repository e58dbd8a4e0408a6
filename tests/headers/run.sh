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
# A header-only class with virtual functions has its table in every file that uses it.
for header in include/sensortime/*.hpp; do
    printf '#include "sensortime/%s"\n' "$(basename "$header")" >"$work/header.cpp"
    for std in c++17 c++20; do
        for exceptions in -fexceptions -fno-exceptions; do
            g++ -std=$std $exceptions -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -fsyntax-only "$work/header.cpp"
            # shellcheck disable=SC2086
            clang++ -std=$std $exceptions -Weverything $quiet -Wno-weak-vtables -Werror -Iinclude -fsyntax-only \
                "$work/header.cpp"
        done
    done
    echo "sensortime/$(basename "$header")"
done
# Whatever C handle there is has an owner in C++.
for handle in $(grep -ho 'snt_[a-z_]*_\(destroy\|unref\)(' include/sensortime/*.h | sed 's/_[a-z]*($//' | sort -u); do
    grep -Eq "SNT_HPP_(HANDLE|OWNED)\($handle," include/sensortime/sensortime_handles.hpp ||
        { echo "$handle has no owner in sensortime_handles.hpp"; exit 1; }
done
