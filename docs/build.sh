#!/usr/bin/env bash
# Builds the manual into build/docs/html (./docs/build.sh [FOLDER] puts it elsewhere). Fails on any warning of doxygen,
# on a dead link, and on code that is not a copy of compiled code. The theme is Debian's doxygen-awesome-css.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/docs}
theme=/usr/share/doxygen-awesome-css
mkdir -p "$out"

python3 docs/code_blocks.py
python3 docs/threads_table.py --check
python3 docs/check_links.py
python3 docs/filter.py include/sensortime/base.h >/dev/null  # doxygen would go on without it

rm -rf "$out/html"
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $out"
    echo "PROJECT_NUMBER = $(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)"
    if [ -d "$theme" ]; then
        echo "HTML_EXTRA_STYLESHEET = $theme/doxygen-awesome.css $theme/doxygen-awesome-sidebar-only.css docs/style.css"
    else
        echo "doxygen-awesome-css is not installed: the manual has doxygen's own look" >&2
    fi
} | doxygen -
python3 docs/check_links.py "$out/html"
grep -q '>SNT_ERR_FUTURE</a>' "$out/html/tf__buffer_8h.html" || { echo "statuses are no links: see docs/filter.py" >&2; exit 1; }
echo "$out/html/index.html"
