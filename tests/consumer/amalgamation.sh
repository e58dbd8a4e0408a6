#!/usr/bin/env bash
# The two-file form: compiles alone as C11 with warnings as errors, links into a C and a C++17 program. A shared library
# it is compiled into exports nothing of it, or the API and nothing else with -DSNT_BUILD_SHARED.
# Break seen: without the visibility pragmas that lib/amalgamate.py writes, snt__ names are exported.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 lib/amalgamate.py "$work/sensortime"
sed 's|<sensortime/sensortime.h>|"sensortime.h"|' tests/consumer/consumer.c >"$work/consumer.c"
cp "$work/consumer.c" "$work/consumer.cpp"
for cc in gcc clang; do
    (cd "$work/sensortime" && $cc -O2 -std=c11 -Wall -Wextra -Werror -c sensortime.c)
    $cc -I"$work/sensortime" "$work/consumer.c" "$work/sensortime/sensortime.o" -lm -pthread -o "$work/consumer"
    "$work/consumer"
done
g++ -std=c++17 -Wall -Wextra -Werror -I"$work/sensortime" "$work/consumer.cpp" "$work/sensortime/sensortime.o" \
    -lm -pthread -o "$work/consumer"
"$work/consumer"

exports() {
    gcc -O0 -std=c11 -fPIC -shared "$@" "$work/sensortime/sensortime.c" -lm -pthread -o "$work/exports.so"
    nm -D --defined-only "$work/exports.so" | awk '{print $3}' | sort
}
[ -z "$(exports)" ]
diff <(exports -DSNT_BUILD_SHARED) <(grep -oE '^ *snt_[a-z0-9_]+;' lib/libsensortime.map | tr -d ' ;' | sort)
