#!/usr/bin/env bash
# Fails where clang-format would change anything.
cd "$(dirname "$0")/.." || exit 1
files=$(git ls-files '*.c' '*.h' '*.hpp' '*.cpp' 2>/dev/null || find . -name build -prune -o -name '*.[ch]' -print)
# shellcheck disable=SC2086
clang-format --dry-run -Werror $files
