#!/usr/bin/env bash
# Proves that the ABI gates open and close where they should: copies of this tree, each broken once on purpose, and which
# of the four gates must refuse it.
#   types     check.sh: libabigail, against the recorded release
#   symbols   symbols.sh: names and their versions, against the recorded release
#   layout    layout.py: sizes, offsets and constants asserted by the C compiler, against layout.json
#   program   old_program.sh: a program of the recorded release runs
set -eu
cd "$(dirname "$0")/../.."
command -v abidw >/dev/null || { echo "libabigail is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 tests/abi/layout.py --assert >"$work/layout.c"
wrong=0

fresh() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    cp -r include lib "$work/tree"
}

edit() { # FILE SED_SCRIPT
    cp "$work/tree/$1" "$work/before"
    sed -i "$2" "$work/tree/$1"
    ! cmp -s "$work/before" "$work/tree/$1" || { echo "$1: nothing was changed by $2"; exit 1; }
}

refusing() {
    tests/abi/check.sh "$work/built" >"$work/types.log" 2>&1 || printf ' types'
    tests/abi/symbols.sh "$work/built/libsensortime.so.1" "$work/tree" >"$work/symbols.log" 2>&1 || printf ' symbols'
    gcc -std=c11 -I"$work/tree/include" -fsyntax-only "$work/layout.c" 2>"$work/layout.log" || printf ' layout'
    tests/abi/old_program.sh "$work/built/libsensortime.so.1" >"$work/program.log" 2>&1 || printf ' program'
}

expect() { # WHAT GATES…
    local what=$1 got
    shift
    rm -rf "$work/built"
    # frozen structs are also asserted where they are written; that is not what is tried here
    CFLAGS='-D_Static_assert(...)=' tests/abi/build.sh "$work/tree" "$work/built" >"$work/build.log" 2>&1 ||
        { echo "$what: does not build"; tail -n 20 "$work/build.log"; exit 1; }
    got=$(refusing)
    printf '%-62s %s\n' "$what" "${got:- accepted}"
    [ "$got" = "${*:+ $*}" ] && return
    echo "  expected: ${*:-accepted}"
    tail -n 5 "$work"/*.log
    wrong=1
}

base=include/sensortime/base.h
map=lib/libsensortime.map

fresh
expect "no change"

fresh
edit include/sensortime/clock_map.h 's/^} snt_clock_map_config;/    uint64_t appended;\n&/'
edit include/sensortime/tf_buffer.h 's/^} snt_tf_question;/    uint64_t appended;\n&/'
edit include/sensortime/synchronizer.h 's/^} snt_sync_input_config;/    uint64_t appended;\n&/'
expect "config structs grow at their end (to be recorded)" layout

fresh
edit $map 's/^local:/local:/; $a SENSORTIME_1.999 {\nglobal:\n    snt_added;\n} SENSORTIME_1.0;'
edit $base 's/^SNT_API uint32_t snt_epoch_reason.*/&\nSNT_API uint32_t snt_added(void);/'
echo 'uint32_t snt_added(void) { return 1; }' >>"$work/tree/lib/base/epoch.c"
expect "a new function in a new version"

fresh
edit $map 's/^    snt_epoch_bump;/    snt_added;\n&/'
edit $base 's/^SNT_API uint32_t snt_epoch_reason.*/&\nSNT_API uint32_t snt_added(void);/'
echo 'uint32_t snt_added(void) { return 1; }' >>"$work/tree/lib/base/epoch.c"
expect "a new function in a released version" symbols

fresh
edit $map '/^    snt_epoch_reason;/d'
edit $base 's/snt_epoch_reason(/snt__epoch_reason(/'
sed -i 's/snt_epoch_reason(/snt__epoch_reason(/' "$work"/tree/lib/*/*.c
expect "a function is gone" types symbols program

fresh
edit $map '/^    snt_epoch_reason;/d; $a SENSORTIME_1.999 {\nglobal:\n    snt_epoch_reason;\n} SENSORTIME_1.0;'
expect "a function moves to another version" types symbols program

fresh
edit include/sensortime/clock_map.h 's/^SNT_API uint32_t snt_clock_map_version/SNT_API uint64_t snt_clock_map_version/'
edit lib/clock/map.c 's/^uint32_t snt_clock_map_version/uint64_t snt_clock_map_version/'
expect "a function returns another type" types

fresh
edit include/sensortime/sample.h \
    's/snt_time lo; .*<.*not earlier.*/snt_time swap;/; s/snt_time hi; .*<.*not later.*/snt_time lo;/; s/snt_time swap;/snt_time hi;/'
expect "two fields of a frozen struct are swapped" types layout program

fresh
edit include/sensortime/device_clock.h 's/^    uint64_t stamped; /    int64_t stamped; /'
expect "a field gets another sign" types

fresh
edit include/sensortime/device_clock.h 's/^} snt_device_health;/    uint64_t appended[8];\n&/'
expect "a frozen struct grows" types layout program

fresh
edit include/sensortime/clock_map.h 's/^    uint32_t struct_size; .*sizeof this struct.*/&\n    uint64_t inserted;/'
expect "a config struct grows in its middle" types layout program

fresh
edit include/sensortime/clock_map.h 's/^} snt_clock_map_config;/    uint64_t appended;\n&/'
edit include/sensortime/clock_map.h '/^typedef struct snt_clock_map_config/,/^}/s/^    int64_t delay_min_ns;/    double delay_min_ns;/'
expect "a config struct grows and changes" types layout

fresh
edit include/sensortime/clock_source.h 's/SNT_SOURCE_STEADY = 1,/SNT_SOURCE_STEADY = 7,/'
expect "a constant gets another value" layout

exit $wrong
