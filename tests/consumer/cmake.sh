#!/usr/bin/env bash
# CMake consumers: add_subdirectory, and find_package of an installed copy.
set -eu
cd "$(dirname "$0")/../.."
source=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/subdirectory" "$work/package"
cat >"$work/subdirectory/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.16)
project(consumer C)
add_subdirectory($source sensortime)
add_executable(consumer $source/tests/consumer/consumer.c)
target_link_libraries(consumer sensortime::sensortime)
TEXT
cat >"$work/package/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(sensortime REQUIRED)
add_executable(consumer $source/tests/consumer/consumer.c)
target_link_libraries(consumer sensortime::sensortime)
TEXT
cmake -S "$work/subdirectory" -B "$work/b1" -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/b1"
"$work/b1/consumer"
cmake -S . -B "$work/b2" -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/b2"
cmake --install "$work/b2"
cmake -S "$work/package" -B "$work/b3" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/b3"
"$work/b3/consumer"
