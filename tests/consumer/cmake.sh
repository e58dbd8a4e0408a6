#!/usr/bin/env bash
# CMake consumers: FetchContent of an archive (with clang, in a project that sets -Ofast for everything),
# add_subdirectory (static), find_package of an installed copy, whose version is asked for; ctest. numbers.c must print
# the same in all of them.
set -eu
cd "$(dirname "$0")/../.."
source=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache
version=$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)
tests/consumer/source_archive.sh "$work/sensortime.tar.gz"
sum=$(sha256sum "$work/sensortime.tar.gz" | cut -d' ' -f1)

# build NAME ARGUMENT…: configures, builds and runs the consumer in tests/consumer/NAME/CMakeLists.txt
build() {
    local name=$1
    shift
    cmake -S "tests/consumer/$name" -B "$work/$name" -DSOURCES="$source/tests/consumer" "$@"
    cmake --build "$work/$name" -j 2
    "$work/$name/consumer"
    "$work/$name/numbers" >"$work/$name.txt"
}

build fetched -DSENSORTIME_ARCHIVE="file://$work/sensortime.tar.gz" -DSENSORTIME_SHA256="$sum" \
    -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS="-Ofast -march=native -Wno-overriding-t-option"

build subdirectory -DSENSORTIME_CHECKOUT="$source" -DCMAKE_BUILD_TYPE=Debug

cmake -S . -B "$work/build" -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_BUILD_TYPE=Release -DSENSORTIME_BUILD_TESTS=ON
unit=(test_base test_stamp test_pose test_struct_size)
if [ -n "${SNT_LONG:-}" ]; then
    cmake --build "$work/build" -j 2
    ctest --test-dir "$work/build" --output-on-failure
else
    cmake --build "$work/build" -j 2 --target sensortime "${unit[@]}"
    ctest --test-dir "$work/build" --output-on-failure -R "^($(IFS='|' && echo "${unit[*]}"))\$" | tee "$work/ctest"
    grep -q "100% tests passed, 0 tests failed out of ${#unit[@]}" "$work/ctest"
fi
cmake --install "$work/build"
build package -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
[ "$(PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name sensortime.pc)") pkg-config --modversion sensortime)" = "$version" ]
for other in 2.0 1.999; do
    mkdir "$work/of-$other"
    sed "s/sensortime 1.0 REQUIRED/sensortime $other REQUIRED/" tests/consumer/package/CMakeLists.txt >"$work/of-$other/CMakeLists.txt"
    ! cmake -S "$work/of-$other" -B "$work/none" -DCMAKE_PREFIX_PATH="$work/prefix" 2>/dev/null ||
        { echo "version $version was taken for $other"; exit 1; }
done

for other in "$work"/*.txt; do
    cmp "$work/package.txt" "$other"
done
[ "$(wc -l <"$work/package.txt")" -gt 900 ]
