#!/usr/bin/env bash
# tests/abi/dump.sh FOLDER OUTPUT: the ABI of what build.sh put into FOLDER, in libabigail's words.
set -eu
cd "$1"
abidw --headers-dir . --drop-private-types --no-comp-dir-path --no-corpus-path --no-show-locs --no-parameter-names \
    --out-file "$2" libsensortime.so.1
