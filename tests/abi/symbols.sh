#!/usr/bin/env bash
# The library exports exactly what the version script lists, and that is what the headers declare.
set -eu
library=$(realpath "$1")
cd "$(dirname "$0")/../.."
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" {sub(/@.*/, "", $3); print $3}' | sort)
listed=$(grep -oE '^ *snt_[a-z0-9_]+;' lib/libsensortime.map | tr -d ' ;' | sort)
declared=$(cat include/sensortime/*.h | tr '\n' ' ' | grep -oE 'SNT_API [^;(]*\(' | grep -oE 'snt_[a-z0-9_]+\($' | tr -d '(' | sort -u)
diff <(echo "$listed") <(echo "$exported") || { echo "the version script (<) and the library (>) differ"; exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "the headers (<) and the library (>) differ"; exit 1; }
foreign=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' | grep -vE '^(_ITM|__gmon|__cxa_finalize|__stack_chk|__tls)' | sort | tr '\n' ' ')
echo "imports: $foreign"
needed=$(objdump -p "$library" | awk '/NEEDED/ {print $2}' | grep -vE '^(libc|libm)\.so|^ld-linux' || true)
[ -z "$needed" ] || { echo "depends on more than libc and libm: $needed"; exit 1; }
objdump -p "$library" | grep -q 'SONAME *libsensortime.so.1$' || { echo "wrong soname"; exit 1; }
