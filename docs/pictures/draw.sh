#!/usr/bin/env bash
# Draws all pictures of the pages anew from the programs they show: docs/pictures/draw.sh [build/release]
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
points=$(mktemp)
trap 'rm -f "$points"' EXIT
python3 docs/pictures/concepts.py
"$build/examples/05_device_clock" --csv | python3 docs/pictures/device_clock.py docs/pictures/device_clock.svg
"$build/examples/06_deskew_room" "$points" >/dev/null
python3 docs/pictures/deskew_room.py "$points" docs/pictures/deskew_room.svg
