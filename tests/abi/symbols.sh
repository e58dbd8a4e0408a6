#!/usr/bin/env bash
# The library exports exactly what the version script lists, and that is what the headers declare. What a release
# exported, it exports for ever, at the version it had; a released version gets no new names.
#
#   tests/abi/symbols.sh LIBRARY [TREE]     check
#   tests/abi/symbols.sh --list LIBRARY     print what release.sh records: every name and its version
set -eu
cd "$(dirname "$0")/../.."

versioned() {
    nm -D --defined-only --with-symbol-versions "$1" | awk '$2 == "T" {sub(/@+/, " ", $3); print $3}' | LC_ALL=C sort
}

[ "$1" != --list ] || { versioned "$2"; exit; }
library=$(realpath "$1")
tree=${2:-.}
exported=$(versioned "$library" | cut -d' ' -f1)
listed=$(grep -oE '^ *snt_[a-z0-9_]+;' "$tree/lib/libsensortime.map" | tr -d ' ;' | LC_ALL=C sort)
declared=$(cat "$tree"/include/sensortime/*.h | tr '\n' ' ' | grep -oE 'SNT_API [^;(]*\(' |
    grep -oE 'snt_[a-z0-9_]+\($' | tr -d '(' | LC_ALL=C sort -u)
diff <(echo "$listed") <(echo "$exported") || { echo "the version script (<) and the library (>) differ"; exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "the headers (<) and the library (>) differ"; exit 1; }

for record in $(ls -d tests/abi/[0-9]*/symbols.txt 2>/dev/null); do
    versions=$(cut -d' ' -f2 "$record" | sort -u)
    diff "$record" <(versioned "$library" | grep -wF "$versions") ||
        { echo "$record (<) and the library (>) differ: put new functions into a new version of the map"; exit 1; }
done

foreign=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' |
    grep -vE '^(_ITM|__gmon|__cxa_finalize|__stack_chk|__tls)' | sort | tr '\n' ' ')
echo "imports: $foreign"
needed=$(objdump -p "$library" | awk '/NEEDED/ {print $2}' | grep -vE '^(libc|libm)\.so|^ld-linux' || true)
[ -z "$needed" ] || { echo "depends on more than libc and libm: $needed"; exit 1; }
objdump -p "$library" | grep -q 'SONAME *libsensortime.so.1$' || { echo "wrong soname"; exit 1; }
