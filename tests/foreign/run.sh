#!/usr/bin/env bash
# The library and its unit tests on another target: m32, aarch64 (under qemu), armhf (32 bit under qemu, no fast
# 64-bit atomics), musl, s390x (big endian under qemu). And on this one: without any extension of the compilers
# (portable), and with library and tests compiled and linked with -Ofast -march=native (fast), as some vehicles' packages
# are, which also makes the processor take subnormal numbers for zero. Seen to fail: without the pragma of fp_strict.h 42
# tests of the fast library do.
#
#   tests/foreign/run.sh TARGET     exit 77 with a message where the target's compiler is absent
set -eu
cd "$(dirname "$0")/../.."
optimise=-O2 library="" runner="" link="-static" skip=""
case $1 in
m32) cc="gcc -m32 -msse2 -mfpmath=sse" ;; # x87 keeps excess precision: other last bits
aarch64) cc=aarch64-linux-gnu-gcc runner=qemu-aarch64 ;;
armhf) cc=arm-linux-gnueabihf-gcc runner=qemu-arm ;;
s390x)
    cc=s390x-linux-gnu-gcc runner=qemu-s390x
    # these write their records in the host's byte order and then call them little-endian
    skip="cloud cloud_times deskew deskew_layouts point_layout layout_role layout_order layout_corners producers scan_recording"
    ;;
musl) cc=musl-gcc ;;
portable) cc="gcc -DSNT_PORTABLE" library=-pedantic-errors link="" ;;
fast) cc="gcc -march=native -Wno-overflow" optimise=-Ofast link="" ;;
*) echo "unknown target $1" && exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/probe.c"
$cc $link "$work/probe.c" -o "$work/probe" 2>/dev/null && $runner "$work/probe" ||
    { echo "$1: no compiler or emulator here"; exit 77; }
flags="$optimise -std=c11 -Wall -Wextra -Werror -Wno-psabi -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Iinclude -I. -Itests/support -Itests/foreign"
mkdir "$work/objects"
# shellcheck disable=SC2086
xargs -P 2 -I{} sh -c "$cc $flags $library -c {} -o $work/objects/\$(echo {} | tr / _).o" <lib/sources.txt
xargs -P 2 -I{} sh -c "$cc $flags $link {} $work/objects/*.o -lm -pthread -o $work/\$(basename {} .c)" < <(
    for test in tests/unit/test_*.c; do
        name=$(basename "$test" .c)
        case " $skip " in *" ${name#test_} "*) ;; *) echo "$test" ;; esac
    done
)
failed=0
for test in "$work"/test_*; do
    echo "# $(basename "$test")"
    SNT_SOURCE_ROOT=$(pwd) $runner "$test" || failed=1
done
exit $failed
