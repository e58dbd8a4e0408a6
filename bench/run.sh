#!/usr/bin/env bash
# Runs the benchmarks: ours against peers in the same run.
#
#   ./bench/run.sh [--quick] [--only NAME[,NAME…]]
#
# Prints name<TAB>ours<TAB>peer<TAB>ratio<TAB>unit (ratio > 1: ours is better; - where there is no peer) and writes
# build/bench.json. Peers from Debian's packages are installed first; what is missing is said and left out.
set -u
cd "$(dirname "$0")/.." || exit 1
. .ci/setup.sh
need_packages "${build_packages[@]}" g++ libeigen3-dev libtf2-dev libmessage-filters-dev >&2
need_venv examples/python/requirements.txt >&2
meson_again release >&2
meson_build release >&2
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for program in build/release/bench/bench_*; do
    [ -x "$program" ] && [ -f "$program" ] && "$program" "$@" | tee -a "$lines"
done
for script in bench/bench_*.py; do
    [ -f "$script" ] || continue
    SENSORTIME_LIBRARY=$top/build/release/libsensortime.so PYTHONPATH=$top/examples/python:$top/examples \
        "$python" "$script" "$@" | tee -a "$lines"
done
"$python" bench/to_json.py <"$lines" >build/bench.json
