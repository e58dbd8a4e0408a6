#!/usr/bin/env bash
# Records the release that this tree is, as the last step before it is tagged: see docs/abi.md.
#
#   tests/abi/release.sh
#
#   tests/abi/layout.json              sizes, offsets and constants, for review
#   tests/abi/VERSION/sensortime.h     the declarations, for programs of this release
#   tests/abi/VERSION/symbols.txt      every function and its symbol version
#   tests/abi/VERSION/x86_64.abi.gz    the types behind them, for abidiff
# A recorded release is not recorded again, except before it is published.
set -eu
cd "$(dirname "$0")/../.."
. .ci/setup.sh
need_packages "${foreign_packages[@]}" abigail-tools clang-format "gcc-$(gcc -dumpversion)-multilib"
need_venv examples/python/requirements.txt tests/requirements.txt
version=$(sed -n 's/.*SNT_VERSION_STRING "\(.*\)"/\1/p' include/sensortime/version.h)
folder=tests/abi/$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
"$python" tests/abi/layout.py
tests/abi/build.sh . "$work"
tests/abi/symbols.sh --list "$work/libsensortime.so.1" >"$folder/symbols.txt"
/usr/bin/python3 - "$work/sensortime.h" "$folder/sensortime.h" "$version" <<'CODE'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
text = re.sub(r"[ \t]+\n", "\n", text)
text = re.sub(r"\n{3,}", "\n\n", text)
start = f"/* SPDX-License-Identifier: BSD-3-Clause */\n/* The public headers of release {sys.argv[3]}, without comments. */\n"
open(sys.argv[2], "w", encoding="utf-8").write(start + text.lstrip())
CODE
clang-format -i "$folder/sensortime.h"
tests/abi/dump.sh "$work" "$work/x86_64.abi"
gzip -9nc "$work/x86_64.abi" >"$folder/x86_64.abi.gz"
tests/abi/check.sh "$work"
tests/abi/symbols.sh "$work/libsensortime.so.1"
tests/abi/old_program.sh "$work/libsensortime.so.1"
echo "recorded $folder"
