#!/usr/bin/env bash
# Proves that the ABI gate opens and closes where it should: copies of this tree, each broken once on purpose,
# against a baseline of the tree itself.
#   a field appended to a config struct       -> accepted
#   two fields of a frozen struct swapped     -> refused
#   a field's type changed                    -> refused
#   a function removed                        -> refused
set -eu
cd "$(dirname "$0")/../.."
command -v abidw >/dev/null || { echo "libabigail is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
export SNT_BASELINE=$work/baseline.abi
tests/abi/dump.sh . "$SNT_BASELINE"

fresh() { rm -rf "$work/tree" && mkdir "$work/tree" && cp -r include lib "$work/tree"; }

expect() { # accepted|refused WHAT
    diff -rq include "$work/tree/include" >/dev/null && [ "$2" != "no change" ] && { echo "$2: nothing was changed"; exit 1; }
    local verdict=refused
    SNT_TREE=$work/tree tests/abi/check.sh >"$work/log" 2>&1 && verdict=accepted
    echo "$2: $verdict"
    [ $verdict = "$1" ] || { cat "$work/log"; exit 1; }
}

fresh
expect accepted "no change"

fresh
config=$(grep -lE '^} snt_[a-z_]+_config;' include/sensortime/*.h | head -n 1)
sed -i '0,/^} snt_[a-z_]*_config;/s//    uint64_t appended_by_the_test;\n&/' "$work/tree/$config"
expect accepted "a config struct grows at its end"

fresh
sed -i 's/snt_time lo; .*<.*not earlier.*/snt_time swap;/; s/snt_time hi; .*<.*not later.*/snt_time lo;/; s/snt_time swap;/snt_time hi;/' \
    "$work/tree/include/sensortime/sample.h"
expect refused "two fields of snt_bounded_time are swapped"

fresh
sed -i 's/^    double q\[4\];/    float q[4];/' "$work/tree/include/sensortime/pose.h"
sed -i '/_Static_assert/d' "$work"/tree/lib/*/*.c "$work"/tree/lib/*/*.h
expect refused "a field of snt_pose changes its type"

fresh
sed -i '/snt_epoch_reason;/d' "$work/tree/lib/libsensortime.map"
sed -i 's/snt_epoch_reason/snt__epoch_reason/' "$work/tree/include/sensortime/base.h" "$work/tree/lib/base/epoch.c"
expect refused "snt_epoch_reason is gone"
