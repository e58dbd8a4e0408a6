#!/usr/bin/env bash
# tests/abi/dump.sh SOURCE_TREE OUTPUT: builds the shared library of a tree with debug information and dumps its ABI.
set -eu
tree=$(realpath "$1")
output=$(realpath -m "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tree"
# One name per file: dumps of two trees must not differ in paths.
xargs -P 2 -I{} sh -c "gcc -O0 -g -std=c11 -fPIC -fvisibility=hidden -Iinclude -c {} -o $work/\$(echo {} | tr / _).o" \
    <lib/sources.txt
gcc -shared "$work"/*.o -lm -pthread -Wl,--version-script=lib/libsensortime.map -Wl,-soname,libsensortime.so.1 \
    -o "$work/libsensortime.so.1"
abidw --headers-dir include --drop-private-types --no-comp-dir-path --no-corpus-path --out-file "$output" \
    "$work/libsensortime.so.1"
