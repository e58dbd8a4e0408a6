#!/usr/bin/env bash
# Several versions of the library in one process keep apart: the shared library that the program links, copies of other
# versions inside plugins (compiled from the two-file form by a plain cc), and a next major version with another soname.
# Each is asked for its version and to make and use a handle.
# Break seen: a plugin that exports its copy (-DSNT_BUILD_SHARED) gets the program's instead of its own; that is tried
# below, so that this test is known to be able to tell.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/abi/build.sh . "$work/shared"
ln -s libsensortime.so.1 "$work/shared/libsensortime.so"

# another_version FOLDER NUMBER: the two files, of that version
another_version() {
    /usr/bin/python3 lib/amalgamate.py "$1"
    sed -i "s/define SNT_VERSION_MAJOR .*/define SNT_VERSION_MAJOR ${2%%.*}/; s/SNT_VERSION_STRING \".*\"/SNT_VERSION_STRING \"$2\"/" \
        "$1/sensortime.h"
}
another_version "$work/v7" 1.7.0
another_version "$work/v8" 1.8.0
another_version "$work/next" 2.0.0
sed 's/^SENSORTIME_1/SENSORTIME_2/' lib/libsensortime.map >"$work/next/next.map"

cd "$work"
gcc -O0 -std=c11 -fPIC -shared -DSNT_BUILD_SHARED next/sensortime.c -Wl,--version-script=next/next.map \
    -Wl,-soname,libsensortime.so.2 -lm -pthread -o next/libsensortime.so.2
ln -s libsensortime.so.2 next/libsensortime.so
cat >plugin.c <<'TEXT'
#include <sensortime.h>
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
const char *JOIN(version_of_, NAME)(void);
const char *JOIN(version_of_, NAME)(void)
{
    snt_epoch *epoch;
    if (snt_epoch_create(0, &epoch) != SNT_OK || snt_epoch_bump(epoch, SNT_EPOCH_USER) != 2)
        return "broken";
    snt_epoch_unref(epoch);
    return snt_version_string();
}
TEXT
cat >program.c <<'TEXT'
#include <stdio.h>
#include <dlfcn.h>
const char *version_of_program(void);
const char *version_of_v7(void);
const char *version_of_next(void);
int main(void)
{
    void *late = dlopen("./v8.so", RTLD_NOW | RTLD_GLOBAL);
    const char *(*version_of_v8)(void) = late ? (const char *(*)(void))dlsym(late, "version_of_v8") : 0;
    printf("%s %s %s %s\n", version_of_program(), version_of_v7(), version_of_next(), version_of_v8 ? version_of_v8() : "none");
    return 0;
}
TEXT
gcc -O0 -std=c11 -fPIC -c v7/sensortime.c -o v7.o
gcc -O0 -std=c11 -fPIC -c v8/sensortime.c -o v8.o
gcc -fPIC -shared -DNAME=v7 -Iv7 plugin.c v7.o -lm -pthread -o v7.so
gcc -fPIC -shared -DNAME=v8 -Iv8 plugin.c v8.o -lm -pthread -o v8.so
gcc -fPIC -shared -DNAME=next -DSNT_USE_SHARED -Inext plugin.c -Lnext -lsensortime -o next.so
gcc -DNAME=program -DSNT_USE_SHARED -Ishared -c plugin.c -o plugin.o

apart="$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' shared/sensortime.h) 1.7.0 2.0.0 1.8.0"
keeps_apart() {
    local got
    got=$(LD_LIBRARY_PATH=shared:next ./program)
    echo "$got"
    [ "$got" = "$apart" ]
}
gcc program.c plugin.o -Lshared -l:libsensortime.so.1 ./v7.so ./next.so -Wl,-rpath-link,next -ldl -o program
keeps_apart
gcc program.c plugin.o ./next.so ./v7.so -Wl,-rpath-link,next -Lshared -l:libsensortime.so.1 -ldl -o program
keeps_apart
# the program's own copy is linked in as well
gcc -O0 -std=c11 -c shared/sensortime.c -o program_own.o
gcc -DNAME=program -Ishared plugin.c program.c program_own.o ./v7.so ./next.so -Wl,-rpath-link,next -lm -pthread -ldl -o program
keeps_apart

# exported on purpose: the program's copy answers for the plugin's
gcc -O0 -std=c11 -fPIC -DSNT_BUILD_SHARED -c v7/sensortime.c -o v7.o
gcc -fPIC -shared -DNAME=v7 -DSNT_USE_SHARED -Iv7 plugin.c v7.o -lm -pthread -o v7.so
gcc program.c plugin.o -Lshared -l:libsensortime.so.1 ./v7.so ./next.so -Wl,-rpath-link,next -ldl -o program
! keeps_apart || { echo "this test does not see a clash"; exit 1; }
