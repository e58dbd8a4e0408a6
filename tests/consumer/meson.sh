#!/usr/bin/env bash
# meson subproject with a wrap file, and pkg-config of an installed copy.
set -eu
cd "$(dirname "$0")/../.."
source=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/project/subprojects"
cp tests/consumer/consumer.c "$work/project"
ln -s "$source" "$work/project/subprojects/sensortime"
cat >"$work/project/meson.build" <<TEXT
project('consumer', 'c')
executable('consumer', 'consumer.c', dependencies: dependency('sensortime', fallback: 'sensortime'))
TEXT
env PKG_CONFIG_LIBDIR=/nonexistent meson setup "$work/b1" "$work/project"
ninja -C "$work/b1"
"$work/b1/consumer"
meson setup "$work/b2" . --prefix="$work/prefix" --libdir=lib -Dtests=disabled -Dbench=disabled -Dexamples=disabled -Ddocs=disabled
ninja -C "$work/b2" install
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
[ "$(pkg-config --modversion sensortime)" = "$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)" ]
# shellcheck disable=SC2046
gcc tests/consumer/consumer.c $(pkg-config --cflags --libs sensortime) -o "$work/shared"
LD_LIBRARY_PATH=$work/prefix/lib "$work/shared"
# shellcheck disable=SC2046
gcc tests/consumer/consumer.c $(pkg-config --cflags sensortime) "$work/prefix/lib/libsensortime.a" -lm -pthread -o "$work/static"
"$work/static"
