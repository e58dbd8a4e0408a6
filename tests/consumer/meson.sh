#!/usr/bin/env bash
# meson: a wrap file that unpacks an archive, in a project that sets -Ofast; a checkout as static subproject; and
# pkg-config of an installed copy. numbers.c must print the same in all of them.
set -eu
cd "$(dirname "$0")/../.."
source=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)
tests/consumer/source_archive.sh "$work/sensortime.tar.gz"

project() {
    mkdir -p "$work/$1/subprojects"
    cp tests/consumer/consumer.c tests/consumer/numbers.c tests/consumer/project/meson.build "$work/$1"
}
build() {
    local name=$1
    shift
    env PKG_CONFIG_LIBDIR=/nonexistent meson setup "$work/$name/build" "$work/$name" "$@"
    ninja -C "$work/$name/build" consumer numbers
    "$work/$name/build/consumer"
    "$work/$name/build/numbers" >"$work/$name.txt"
}

project wrap
sum=$(sha256sum "$work/sensortime.tar.gz" | cut -d' ' -f1)
sed "s|@URL@|file://$work/sensortime.tar.gz|; s|@SHA256@|$sum|; s|1\.0\.0|$version|" tests/consumer/sensortime.wrap.in \
    >"$work/wrap/subprojects/sensortime.wrap"
build wrap -Dc_args="-Ofast -march=native" -Ddefault_library=shared

project checkout
ln -s "$source" "$work/checkout/subprojects/sensortime"
build checkout -Ddefault_library=static -Doptimization=0

meson setup "$work/build" . --prefix="$work/prefix" --libdir=lib --buildtype=release \
    -Dtests=disabled -Dbench=disabled -Dexamples=disabled -Ddocs=disabled
ninja -C "$work/build" install
[ -f "$work/prefix/share/man/man1/lidar_time_auditor.1" ]
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
[ "$(pkg-config --modversion sensortime)" = "$version" ]
# shellcheck disable=SC2046
gcc tests/consumer/consumer.c $(pkg-config --cflags --libs sensortime) -o "$work/shared"
LD_LIBRARY_PATH=$work/prefix/lib "$work/shared"
# shellcheck disable=SC2046
gcc tests/consumer/numbers.c $(pkg-config --cflags sensortime) "$work/prefix/lib/libsensortime.a" -lm -pthread -o "$work/static"
"$work/static" >"$work/installed.txt"
for other in "$work"/*.txt; do
    cmp "$work/installed.txt" "$other"
done
