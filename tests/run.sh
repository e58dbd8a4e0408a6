#!/usr/bin/env bash
# Builds and runs the tests; installs what they need. Ends with "N passed, N failed".
#
#   ./tests/run.sh           everything that is checked before a change lands (< 25 min on two cores)
#   ./tests/run.sh --quick   unit tests and the Python package (< 3 min)
#   ./tests/run.sh --long    adds the long simulations, random models and fuzzing
set -u
cd "$(dirname "$0")/.." || exit 1
. .ci/setup.sh

tier=default
case "${1:-}" in
--quick) tier=quick ;;
--long) tier=long SNT_LONG=1 ;;
'') ;;
*) die "unknown argument $1; known: --quick, --long" ;;
esac
[ $tier = long ] && export SNT_LONG

passed=0
failed=0
skipped=0
results=$top/build/results
rm -rf "$results"
mkdir -p "$results"

# count NAME PASSED FAILED SKIPPED
count() {
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    printf '%-34s %5d passed, %d failed, %d skipped\n' "$1" "$2" "$3" "$4"
}

# check NAME COMMAND…: one test that is a command; its output is shown if it fails
check() {
    local name=$1 log
    log=$results/$(printf '%s' "$1" | tr -c 'a-zA-Z0-9\n' _).log
    shift
    if "$@" >"$log" 2>&1; then
        count "$name" 1 0 0
    else
        local status=$?
        if [ $status -eq 77 ]; then
            tail -n 1 "$log"
            count "$name" 0 0 1
        else
            tail -n 40 "$log"
            count "$name" 0 1 0
        fi
    fi
}

# run_meson NAME FOLDER ARGUMENT…: a meson test run, its TAP lines counted
run_meson() {
    local name=$1 folder=$top/build/$2
    shift 2
    # meson wants at least one test; a wrong suite name would silently test nothing
    meson test -C "$folder" --no-rebuild --print-errorlogs "$@" >"$results/$name.log" 2>&1
    local status=$?
    local counts
    counts=$(/usr/bin/python3 tests/support/count_tap.py "$folder/meson-logs/testlog.json") || counts="0 1 0"
    [ $status -ne 0 ] && tail -n 60 "$results/$name.log"
    # shellcheck disable=SC2086
    count "$name" $counts
}

run_pytest() {
    local name=$1 xml=$results/$1.xml
    shift
    SENSORTIME_LIBRARY=$top/build/release/libsensortime.so PYTHONPATH=$top/examples/python:$top/examples \
        "$python" -m pytest -q -p no:cacheprovider --junitxml="$xml" "$@" >"$results/$name.log" 2>&1
    local status=$?
    [ $status -ne 0 ] && tail -n 60 "$results/$name.log"
    grep -E '^SKIPPED' "$results/$name.log"
    # shellcheck disable=SC2086
    count "$name" $(/usr/bin/python3 tests/support/count_junit.py "$xml" || echo 0 1 0)
}

need_packages "${build_packages[@]}" "${test_packages[@]}"
[ $tier != quick ] && need_packages "${foreign_packages[@]}" "gcc-$(gcc -dumpversion)-multilib"
need_venv examples/python/requirements.txt tests/requirements.txt
grep -qs tests/unit build/release/build.ninja || meson_again release -Dtests=enabled
build_release -Dtests=enabled

say "unit tests"
run_meson quick release --suite quick
say "Python package and auditor"
if [ $tier = quick ]; then
    run_pytest python-quick -m 'not slow' tests/abi tests/ffi tests/python
else
    run_pytest python -rs tests/abi tests/ffi tests/python tests/recordings
    say "models, simulations, kernels, fuzzing"
    run_meson full release --suite full --timeout-multiplier $([ $tier = long ] && echo 60 || echo 1)

    say "clang, AddressSanitizer and UndefinedBehaviorSanitizer"
    CC=clang CXX=clang++ meson_build asan -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
        -Dexamples=disabled -Dbench=disabled -Ddocs=disabled
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_meson asan asan --suite quick --suite full --timeout-multiplier 5

    say "clang, ThreadSanitizer"
    CC=clang CXX=clang++ meson_build tsan -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false \
        -Dexamples=disabled -Dbench=disabled -Ddocs=disabled
    TSAN_OPTIONS=halt_on_error=1 run_meson tsan tsan --suite threads --timeout-multiplier 5
fi

say "the tree itself"
check "every header alone, C and C++" tests/headers/run.sh
check "exported symbols" tests/abi/symbols.sh build/release/libsensortime.so
check "programs of earlier releases" tests/abi/old_program.sh build/release/libsensortime.so
check "style" tests/style.sh
if [ $tier != quick ]; then
    for target in m32 musl aarch64 armhf s390x; do
        check "unit tests on $target" tests/foreign/run.sh $target
    done
    check "no extension without another way" tests/foreign/extensions.sh
    for how in portable fast; do
        check "unit tests, $how" tests/foreign/run.sh $how
    done
    check "plain cc, no build system" tests/consumer/plain.sh
    check "two-file amalgamation" tests/consumer/amalgamation.sh
    check "the same numbers under any flags" tests/consumer/flags.sh
    check "several versions in one process" tests/consumer/two_versions.sh
    check "CMake: fetched, subdirectory, package" tests/consumer/cmake.sh
    check "colcon workspace" tests/consumer/colcon.sh
    check "meson: wrap, checkout, pkg-config" tests/consumer/meson.sh
    check "what the first page tells to do" tests/consumer/start_page.sh
    check "a live ROS 1 (roscore, tf2_ros)" tests/ros1/run.sh
    check "a live ROS 2 (rclpy, Fast DDS)" tests/ros2/run.sh
    check "ABI against the last release" tests/abi/check.sh
    check "ABI gates close where they should" tests/abi/gate.sh
    check "reference manual without warnings" docs/build.sh
fi

say "results"
printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
printf '%d passed, %d failed\n' $passed $failed
[ $failed -eq 0 ]
