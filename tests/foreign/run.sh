#!/usr/bin/env bash
# The library and its unit tests on another target: m32, aarch64 (under qemu), armhf (32 bit under qemu, no fast
# 64-bit atomics), musl, s390x (big endian under qemu).
#
#   tests/foreign/run.sh TARGET     exit 77 with a message where the target's compiler is absent
set -eu
cd "$(dirname "$0")/../.."
flags="" runner="" link="-static" skip=""
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
*) echo "unknown target $1" && exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/probe.c"
$cc $link "$work/probe.c" -o "$work/probe" 2>/dev/null && $runner "$work/probe" ||
    { echo "$1: no compiler or emulator here"; exit 77; }
flags="-O2 -std=c11 -Wall -Wextra -Werror -Wno-psabi -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Iinclude -I. -Itests/support -Itests/foreign"
mkdir "$work/objects"
# shellcheck disable=SC2086
xargs -P 2 -I{} sh -c "$cc $flags -c {} -o $work/objects/\$(echo {} | tr / _).o" <lib/sources.txt
failed=0
for test in tests/unit/test_*.c; do
    name=$(basename "$test" .c)
    case " $skip " in *" ${name#test_} "*) continue ;; esac
    # shellcheck disable=SC2086
    $cc $flags $link "$test" "$work"/objects/*.o -lm -pthread -o "$work/$name"
    echo "# $name"
    SNT_SOURCE_ROOT=$(pwd) $runner "$work/$name" || failed=1
done
exit $failed
