#!/usr/bin/env bash
# Builds the reference manual into build/docs/html; fails on any warning.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/docs
doxygen docs/Doxyfile
echo "build/docs/html/index.html"
