#!/usr/bin/env bash
# Programs of earlier releases run with the library of today. For each recorded release: the recorded header, a stand-in
# for its library with the recorded symbols and versions, and old_program.c; the program is linked against the stand-in
# and run with LIBRARY. It also takes the address of every recorded function, and all are bound before it starts.
#
#   tests/abi/old_program.sh LIBRARY
set -eu
library=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/today"
ln -s "$library" "$work/today/libsensortime.so.1"
ran=0
for release in [0-9]*/; do
    [ -f "$release/symbols.txt" ] || continue
    stub=$work/$release
    mkdir -p "$stub"
    awk '{print "void " $1 "(void);\nvoid " $1 "(void) {}"}' "$release/symbols.txt" >"$stub/stub.c"
    awk '{names[$2] = names[$2] $1 ";"} END {for (v in names) print v " {global:" names[v] (n++ ? "" : "local:*;") "};"}' \
        "$release/symbols.txt" >"$stub/stub.map"
    gcc -shared -fPIC "$stub/stub.c" -Wl,--version-script="$stub/stub.map" -Wl,-soname,libsensortime.so.1 \
        -o "$stub/libsensortime.so"
    {
        awk '{print "extern void " $1 "(void);"}' "$release/symbols.txt"
        echo 'void (*const every_function[])(void) = {'
        awk '{print $1 ","}' "$release/symbols.txt"
        echo '};'
    } >"$stub/every.c"
    gcc -std=c11 -Wall -Wextra -Werror -DSNT_USE_SHARED -I"$release" old_program.c "$stub/every.c" -L"$stub" -lsensortime \
        -o "$stub/program"
    LD_BIND_NOW=1 LD_LIBRARY_PATH=$work/today "$stub/program"
    ran=$((ran + 1))
done
[ $ran -gt 0 ] || { echo "no release is recorded: tests/abi/release.sh"; exit 1; }
