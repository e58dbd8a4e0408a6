#!/usr/bin/env bash
# A real ROS 1: roscore, a robot whose lidar has a drifting clock, and a node that uses the library beside tf2_ros.
# Prints TAP. Ends with 77 where ROS 1 cannot be had. About 25 s once the programs are built.
set -eu
cd "$(dirname "$0")/../.."
. .ci/setup.sh
packages=(g++ pkg-config libroscpp-dev libsensor-msgs-dev libtf2-msgs-dev libtf2-ros-dev libmessage-filters-dev
    python3-rosmaster python3-roslaunch)

skip() {
    echo "skipped: $*"
    exit 77
}
if ! (need_packages "${packages[@]}") >&2; then
    skip "no ROS 1 here: ${packages[*]} cannot be installed (Debian has them up to version 12)"
fi
[ -e build/release/libsensortime.so ] || build_release >&2

work=$top/build/ros1
mkdir -p "$work"
build() { # build NAME [OPTION] SOURCE: unless it is newer than its source and the headers
    local name=$1
    shift
    [ "$work/$name" -nt "${!#}" ] && [ "$work/$name" -nt tests/ros1/scenario.h ] &&
        [ -z "$(find include -newer "$work/$name" -print -quit)" ] && return
    # shellcheck disable=SC2046
    g++ -std=c++17 -O1 -Wall -Wextra -Wno-deprecated-declarations -DBOOST_BIND_GLOBAL_PLACEHOLDERS -Iinclude "$@" -o "$work/$name" \
        $(pkg-config --cflags roscpp sensor_msgs tf2_msgs tf2_ros message_filters) \
        "$top/build/release/libsensortime.so" -Wl,-rpath,"$top/build/release" \
        $(pkg-config --libs roscpp tf2_ros message_filters) -pthread
}
build talker tests/ros1/talker.cpp &
build listener tests/ros1/listener.cpp
wait $!
build adaptor -DSNT_TEST_ROS1 tests/support/ros_adaptor.cpp
"$work/adaptor"

# a master of our own: loopback only, a port nobody uses, logs in a temporary place
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
scratch=$(mktemp -d)
export ROS_MASTER_URI=http://127.0.0.1:$port ROS_IP=127.0.0.1 ROS_HOSTNAME=127.0.0.1 ROS_HOME=$scratch ROS_LOG_DIR=$scratch
unset ROS_NAMESPACE
children=()
finish() {
    local child
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    for child in "${children[@]}"; do wait "$child" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT

PATH=/usr/bin:/bin /usr/bin/roscore -p "$port" >"$scratch/roscore.log" 2>&1 &
children+=($!)
for _ in $(seq 200); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    kill -0 "${children[0]}" 2>/dev/null || { cat "$scratch/roscore.log"; echo "Bail out! roscore ended"; exit 1; }
    sleep 0.1
done

"$work/talker" >"$scratch/talker.log" 2>&1 &
children+=($!)
status=0
timeout 58 "$work/listener" || status=$?
if ! kill -0 "${children[1]}" 2>/dev/null; then
    cat "$scratch/talker.log"
    echo "Bail out! the talker ended before its time"
    exit 1
fi
exit $status
