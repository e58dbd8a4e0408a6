#!/usr/bin/env bash
# Whatever flags the two-file form and its consumer are compiled and linked with, the numbers are the same to the last
# bit: -O0, -Ofast -march=native, link-time optimisation. The program is numbers.c, which prints what it computed.
# Break seen: without the pragmas of lib/base/fp_strict.h in gcc's -Ofast, and without -fno-fast-math clang refuses.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 lib/amalgamate.py "$work/sensortime"
cd "$work"
sed 's|<sensortime/sensortime.h>|"sensortime.h"|' "$OLDPWD/tests/consumer/numbers.c" >numbers.c

# build NAME COMPILER "FLAGS OF THE LIBRARY" "FLAGS OF THE PROGRAM"
build() {
    # shellcheck disable=SC2086
    $2 -std=c11 $3 -Isensortime -c sensortime/sensortime.c -o "$1.o"
    gcc-ar rcs "lib$1.a" "$1.o"
    # shellcheck disable=SC2086
    $2 -std=c11 $4 -Isensortime numbers.c "lib$1.a" -lm -pthread -o "$1"
    "./$1" >"$1.txt"
    echo "$1"
}
fast="-Ofast -march=native"
guard="-fno-fast-math -ffp-contract=off -Wno-overriding-t-option"
(
    build plain gcc -O0 -O0
    build gcc-fast gcc "$fast" "$fast"
    build gcc-lto gcc "-O1 -flto" "$fast -flto=1"
) &
build clang-fast clang "$fast $guard" "$fast"
command -v ld.lld >/dev/null && build clang-thin-lto clang "-O1 -flto=thin" "$fast -flto=thin -fuse-ld=lld"
wait $!
[ "$(wc -l <plain.txt)" -gt 900 ] || { echo "numbers.c printed next to nothing"; exit 1; }
for other in *.txt; do
    cmp plain.txt "$other" || { diff plain.txt "$other" | head; exit 1; }
done

if clang -Ofast -Isensortime -c sensortime/sensortime.c -o refused.o 2>log; then
    echo "clang -Ofast is not refused, and it does not keep to the source"
    exit 1
fi
grep -q 'fno-fast-math behind it helps' log
