#!/usr/bin/env python3
"""Write the whole library as two files, sensortime.c and sensortime.h, for projects that vendor it by copying.

    lib/amalgamate.py FOLDER

Every #include of a file of ours is replaced by that file, once; template files (*.inc) each time they are included.
System includes stay where they are.
"""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
# Warnings only because all is one file now: inline functions of private headers that no file calls, and outputs of
# functions that were inlined up to their failure path.
QUIET = """#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
"""
# Must stand before the first system header, as in lib/base/internal.h.
POSIX = """#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif
"""
LICENCE = "/* SPDX-License-Identifier: BSD-3-Clause */\n"


def find(name, including):
    for folder in (including.parent, root / "include", root):
        path = (folder / name).resolve()
        if path.is_file():
            return path
    raise SystemExit(f"{including}: {name} was not found")


def expand(path, seen, out):
    out.append(f"\n/* ---- {path.relative_to(root)} ---- */\n")
    for line in path.read_text().splitlines(keepends=True):
        match = INCLUDE.match(line)
        if line == LICENCE:
            continue
        if not match:
            out.append(line)
            continue
        included = find(match.group(1), path)
        if included.suffix == ".inc":
            expand(included, seen, out)
        elif included not in seen:
            seen.add(included)
            expand(included, seen, out)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    umbrella = root / "include/sensortime/sensortime.h"
    public = {umbrella}
    header = [LICENCE, "/* libsensortime in one header; made by lib/amalgamate.py. */\n"]
    expand(umbrella, public, header)
    (folder / "sensortime.h").write_text("".join(header))
    source = [LICENCE, "/* libsensortime in one file; made by lib/amalgamate.py. */\n", POSIX, '#include "sensortime.h"\n', QUIET]
    seen = set(public)
    for name in (root / "lib/sources.txt").read_text().split():
        expand(root / name, seen, source)
    (folder / "sensortime.c").write_text("".join(source))


main()
