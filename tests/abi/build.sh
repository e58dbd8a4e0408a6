#!/usr/bin/env bash
# tests/abi/build.sh SOURCE_TREE FOLDER: libsensortime.so.1 of a tree, with debug information, and its one header.
# Made from the two-file form: one compilation, and dumps that do not care which of our headers declares what.
set -eu
map=$(realpath "$1/lib/libsensortime.map")
mkdir -p "$2"
/usr/bin/python3 "$1/lib/amalgamate.py" "$2"
cd "$2"
# shellcheck disable=SC2086
gcc -O0 -g -std=c11 ${CFLAGS:-} -fPIC -fvisibility=hidden -DSNT_BUILD_SHARED -shared sensortime.c -lm -pthread \
    -Wl,--version-script="$map" -Wl,-soname,libsensortime.so.1 -o libsensortime.so.1
