#!/usr/bin/env bash
# The ABI of this tree against that of the last release. Anything but new functions and grown config structs fails: a
# removed function or type, a swapped or retyped field, a changed prototype. tests/abi/gate.sh proves that it does.
#
#   tests/abi/check.sh            builds this tree and compares
#   tests/abi/check.sh FOLDER     compares what tests/abi/build.sh put there
set -eu
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = x86_64 ] || { echo "the baseline is of x86_64"; exit 77; }
command -v abidw >/dev/null || { echo "libabigail is not installed"; exit 77; }
baseline=$(ls -d tests/abi/[0-9]*/ 2>/dev/null | sort -V | tail -n 1)
[ -n "$baseline" ] || { echo "no release is recorded: tests/abi/release.sh"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=${1:-$work/built}
[ $# -eq 1 ] || tests/abi/build.sh . "$built"
tests/abi/dump.sh "$built" "$work/now.abi"
gzip -dc "${SNT_BASELINE:-${baseline}x86_64.abi.gz}" >"$work/then.abi"
abidiff --no-added-syms --suppressions tests/abi/suppr.ini "$work/then.abi" "$work/now.abi"
# A suppressed struct is let through as a whole, whatever else changed in it and wherever the new field stands.
abidiff --no-added-syms "$work/then.abi" "$work/now.abi" >"$work/all" || true
if grep -E 'offset changed|data member deletion|name changed from|entity changed from' "$work/all"; then
    echo "a struct that may grow at its end changed elsewhere"
    exit 1
fi
