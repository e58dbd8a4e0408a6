#!/usr/bin/env bash
# The library compiles with nothing but a compiler: cc -c on every file of the source list, then link and run.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for cc in "gcc -O0" "gcc -O1" "gcc -Os" "gcc -O2" "clang -O2"; do
    rm -f "$work"/*.o
    while read -r file; do
        $cc -std=c11 -Wall -Wextra -Werror -Iinclude -c "$file" -o "$work/$(echo "$file" | tr / _).o"
    done <lib/sources.txt
    $cc -Iinclude tests/consumer/consumer.c "$work"/*.o -lm -pthread -o "$work/consumer"
    "$work/consumer"
done
