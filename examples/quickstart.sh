#!/usr/bin/env bash
# What do the time stamps of a recording mean, and what is wrong with them?
#
#   ./examples/quickstart.sh                 simulate a recording with known faults, audit it, deskew it, show all beside the truth
#   ./examples/quickstart.sh FILE…           audit your .bag, .db3, .mcap files or rosbag2 folders
#   ./examples/quickstart.sh --topic /points --imu /imu FILE…     options go to lidar_time_auditor
#
# Installs what is missing (see .ci/setup.sh); a second run installs nothing. Writes only into build/.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$here/.ci/setup.sh"

need_packages "${build_packages[@]}"
need_venv "$top/examples/python/requirements.txt"
build_release
export SENSORTIME_LIBRARY=$top/build/release/libsensortime.so.1 PYTHONPATH=$top/examples/python:$top/examples

out=$top/build/quickstart
mkdir -p "$out"
outputs=(--csv "$out/scans.csv" --jsonl "$out/audit.jsonl" --report "$out/report.html")

if [ $# -gt 0 ]; then
    status=0
    "$python" -m lidar_time_auditor "${outputs[@]}" "$@" || status=$?
    [ $status -gt 1 ] || say "per scan: $out/scans.csv, everything: $out/audit.jsonl, plots: $out/report.html"
    exit $status
fi

say "simulating a recording with known faults"
rm -rf "$out/simulated"
"$python" "$top/examples/simulate_recording.py" "$out/simulated"
say "auditing it: python -m lidar_time_auditor build/quickstart/simulated"
status=0
"$python" -m lidar_time_auditor "${outputs[@]}" --imu /imu "$out/simulated" || status=$?
[ $status -le 1 ] || exit $status
say "what was put in, and what was found"
"$python" "$top/examples/simulate_recording.py" --compare "$out/simulated/truth.json" "$out/audit.jsonl"
say "deskewing its clouds: by the IMU, then by transforms and, where they are missing, by the IMU"
rm -f "$out/deskewed.mcap"
deskew=("$python" "$top/examples/deskew_recording.py" "$out/simulated" --imu /imu --truth "$out/simulated/truth.json" --quiet)
"${deskew[@]}" --topic /lidar/points --motion imu || [ $? -eq 1 ]  # 1: scans without IMU are left alone
"${deskew[@]}" --output "$out/deskewed.mcap"
say "deskewed: build/quickstart/deskewed.mcap"
say "per scan: build/quickstart/scans.csv, everything: build/quickstart/audit.jsonl, plots: build/quickstart/report.html"
