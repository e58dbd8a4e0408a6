#!/usr/bin/env bash
# Builds the reference manual into build/docs/html; fails on any warning. The theme is Debian's doxygen-awesome-css.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/docs
theme=/usr/share/doxygen-awesome-css/doxygen-awesome.css
{
    cat docs/Doxyfile
    echo "PROJECT_NUMBER = $(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)"
    if [ -f "$theme" ]; then
        echo "HTML_EXTRA_STYLESHEET = $theme"
    else
        echo "doxygen-awesome-css is not installed: the manual has doxygen's own look" >&2
    fi
} | doxygen -
echo "build/docs/html/index.html"
