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

# project NAME "HOW TO GET IT": writes the consumer's CMakeLists.txt
project() {
    mkdir "$work/$1"
    cat >"$work/$1/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.16)
project(consumer C)
$2
add_executable(consumer $source/tests/consumer/consumer.c)
target_link_libraries(consumer PRIVATE sensortime::sensortime)
add_executable(numbers $source/tests/consumer/numbers.c)
target_link_libraries(numbers PRIVATE sensortime::sensortime)
TEXT
}
# build NAME ARGUMENT…: configures, builds and runs the consumer
build() {
    local name=$1
    shift
    cmake -S "$work/$name" -B "$work/$name/build" "$@"
    cmake --build "$work/$name/build" -j 2
    "$work/$name/build/consumer"
    "$work/$name/build/numbers" >"$work/$name.txt"
}

project fetched "include(FetchContent)
FetchContent_Declare(sensortime URL file://$work/sensortime.tar.gz URL_HASH SHA256=$sum)
FetchContent_MakeAvailable(sensortime)"
build fetched -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS="-Ofast -march=native -Wno-overriding-t-option"

project subdirectory "add_subdirectory($source sensortime)"
build subdirectory -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Debug

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
project package "find_package(sensortime ${version%.*} REQUIRED)"
build package -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
[ "$(PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name sensortime.pc)") pkg-config --modversion sensortime)" = "$version" ]
for other in 2.0 1.999; do
    project "package-$other" "find_package(sensortime $other REQUIRED)"
    ! cmake -S "$work/package-$other" -B "$work/none" -DCMAKE_PREFIX_PATH="$work/prefix" 2>/dev/null ||
        { echo "version $version was taken for $other"; exit 1; }
done

for other in "$work"/*.txt; do
    cmp "$work/package.txt" "$other"
done
[ "$(wc -l <"$work/package.txt")" -gt 900 ]
