#!/usr/bin/env bash
# The kernel tests on 64-bit ARM: cross-built, NEON kernels run under qemu. Exit 77 with a message where the compiler or
# the emulator is absent.
set -eu
cd "$(dirname "$0")/../.."
cc=aarch64-linux-gnu-gcc
runner=qemu-aarch64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/probe.c"
if ! $cc -static "$work/probe.c" -o "$work/probe" 2>/dev/null || ! $runner "$work/probe" 2>/dev/null; then
    echo "aarch64: no compiler or emulator here, the NEON kernels were NOT tested"
    exit 77
fi
flags="-O2 -std=c11 -Wall -Wextra -Werror -Wno-psabi -D_GNU_SOURCE -Iinclude -I. -Itests/support -Itests/foreign"
mkdir "$work/objects"
# shellcheck disable=SC2086
xargs -P 2 -I{} sh -c "$cc $flags -c {} -o $work/objects/\$(echo {} | tr / _).o" <lib/sources.txt
for test in tests/kernels/kernels_*.c; do
    name=$(basename "$test" .c)
    # shellcheck disable=SC2086
    $cc $flags -static "$test" "$work"/objects/*.o -lm -pthread -o "$work/$name"
    echo "# $name on aarch64"
    SNT_QUICK=1 SNT_SOURCE_ROOT=$(pwd) $runner "$work/$name"
done
