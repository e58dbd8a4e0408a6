#!/usr/bin/env bash
# Does what docs/start.md tells a newcomer: installs (into a prefix of its own), saves the page's programs, runs the page's
# commands. With python3-venv at hand the Python part too.
set -eu
cd "$(dirname "$0")/../.."
source=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson setup "$work/build" . --prefix="$work/prefix" --libdir=lib -Dtests=disabled -Dbench=disabled -Dexamples=disabled -Ddocs=disabled
ninja -C "$work/build" install
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/lib

# block LANGUAGE: the first block of that language on the page
block() {
    awk -v fence="\`\`\`$1" '$0 == fence && !done { inside = 1; next } /^```$/ && inside { done = 1; inside = 0 } inside' docs/start.md
}
block c >"$work/start.c"
block cpp >"$work/start.cpp"
block python >"$work/start.py"
[ -s "$work/start.c" ] && [ -s "$work/start.cpp" ] && [ -s "$work/start.py" ]

commands=$(grep -E '^(cc|c\+\+) ' docs/start.md)
[ "$(printf '%s\n' "$commands" | wc -l)" -eq 2 ]
while read -r command; do
    (cd "$work" && bash -ec "$command") | tee "$work/said"
    [ -s "$work/said" ]
done <<<"$commands"

if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
    /usr/bin/python3 -m venv "$work/venv"
    install=$(sed -n 's/^python -m \(pip install [^ ]*\).*/\1/p' docs/start.md)
    SENSORTIME_LIBRARY=$work/prefix/lib/libsensortime.so "$work/venv/bin/python" -m ${install/pip install/pip install -q --disable-pip-version-check}
    (cd "$work" && env -u LD_LIBRARY_PATH venv/bin/python start.py) | grep 'wall at'
fi
