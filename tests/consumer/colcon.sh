#!/usr/bin/env bash
# A colcon workspace: the checkout as a package of build type cmake, and a package that depends on it.
# Ends with 77 where colcon cannot be had.
set -eu
cd "$(dirname "$0")/../.."
. .ci/setup.sh
version=$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)
grep -q "<version>$version</version>" package.xml || die "package.xml is not of version $version"

tools=$top/build/colcon
if [ ! -x "$tools/bin/colcon" ]; then
    mkdir -p build
    /usr/bin/python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check colcon-core==0.21.3 colcon-cmake==0.2.30 colcon-ros==0.5.0 \
        setuptools || { rm -rf "$tools"; echo "skipped: colcon cannot be installed"; exit 77; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/consumer"
cat >"$work/consumer/package.xml" <<TEXT
<package format="3">
  <name>consumer</name>
  <version>1.0.0</version>
  <description>Uses the library.</description>
  <maintainer email="sensortime@example.org">The libsensortime developers</maintainer>
  <license>BSD-3-Clause</license>
  <depend>sensortime</depend>
  <export><build_type>cmake</build_type></export>
</package>
TEXT
cat >"$work/consumer/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(sensortime REQUIRED)
add_executable(consumer $top/tests/consumer/consumer.c)
target_link_libraries(consumer sensortime::sensortime)
install(TARGETS consumer)
TEXT
unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH
export PATH=$tools/bin:/usr/bin:/bin COLCON_HOME=$work/home
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
colcon --log-base "$work/log" build --base-paths "$top" "$work/consumer" --build-base "$work/build" \
    --install-base "$work/install" --cmake-args -DCMAKE_BUILD_TYPE=Release "${launcher[@]}"
[ -f "$work/install/sensortime/share/sensortime/package.xml" ] || die "package.xml is not installed"
# the consumer finds the library by the environment that the workspace makes
(set +eu && . "$work/install/setup.sh" && "$work/install/consumer/bin/consumer")
