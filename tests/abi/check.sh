#!/usr/bin/env bash
# The ABI of this tree against the baseline of the last release. Anything but additions and grown config structs fails:
# a removed function or type, a swapped or retyped field, a changed prototype.
#
#   tests/abi/check.sh            compare
#   tests/abi/check.sh --update   write the baseline (at a release, after reading the difference)
set -eu
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = x86_64 ] || { echo "the baseline is of x86_64"; exit 77; }
command -v abidw >/dev/null || { echo "libabigail is not installed"; exit 77; }
baseline=${SNT_BASELINE:-tests/abi/sensortime-x86_64.abi}
if [ "${1:-}" = --update ]; then
    tests/abi/dump.sh . "$baseline"
    exit
fi
[ -f "$baseline" ] || { echo "there is no baseline before release 1.0.0"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/abi/dump.sh "${SNT_TREE:-.}" "$work/now.abi"
abidiff --no-added-syms --suppressions tests/abi/suppr.ini "$baseline" "$work/now.abi"
