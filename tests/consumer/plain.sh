#!/usr/bin/env bash
# The library compiles with nothing but a compiler: cc -c on every file of the source list, then link and run.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for cc in gcc clang; do
    rm -f "$work"/*.o
    while read -r file; do
        $cc -O1 -std=c11 -Wall -Wextra -Werror -Iinclude -c "$file" -o "$work/$(echo "$file" | tr / _).o"
    done <lib/sources.txt
    $cc -Iinclude tests/consumer/consumer.c "$work"/*.o -lm -pthread -o "$work/consumer"
    "$work/consumer"
done
