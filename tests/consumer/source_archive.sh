#!/usr/bin/env bash
# tests/consumer/source_archive.sh FILE.tar.gz: the library's sources as a release has them, under sensortime-VERSION/.
set -eu
archive=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
version=$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)
tar -czf "$archive" --transform "s,^,sensortime-$version/," \
    CMakeLists.txt LICENSE include lib meson.build meson_options.txt package.xml
