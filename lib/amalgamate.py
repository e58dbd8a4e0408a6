#!/usr/bin/env python3
"""Write the whole library as two files, sensortime.c and sensortime.h, for projects that vendor it by copying.

    lib/amalgamate.py FOLDER

Every #include of a file of ours is replaced by that file, once; template files (*.inc) each time they are included.
System includes stay where they are. What is compiled from it is private to the program or shared library that it is
linked into, whatever the compiler's flags; -DSNT_BUILD_SHARED exports the API instead.
"""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
SYSTEM = re.compile(r"\s*#\s*include\s*<")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
# Warnings only because all is one file now: inline functions of private headers that no file calls, and outputs of
# functions that were inlined up to their failure path.
QUIET = """#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
"""
PRIVATE = """#if !defined(SNT_BUILD_SHARED) && !defined(SNT_USE_SHARED) && !defined(SNT_STATIC)
#define SNT_STATIC
#endif
"""
# Internal names are hidden too; what system headers declare must not be.
HIDDEN = """#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#define SNT__SYSTEM_BEGIN _Pragma("GCC visibility push(default)")
#define SNT__SYSTEM_END _Pragma("GCC visibility pop")
#else
#define SNT__SYSTEM_BEGIN
#define SNT__SYSTEM_END
#endif
"""
HIDDEN_END = """
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility pop
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


def expand(path, seen, out, wrap_system):
    out.append(f"\n/* ---- {path.relative_to(root)} ---- */\n")
    for line in path.read_text().splitlines(keepends=True):
        match = INCLUDE.match(line)
        if line == LICENCE:
            continue
        if not match:
            wrapped = wrap_system and SYSTEM.match(line)
            out.append(f"SNT__SYSTEM_BEGIN\n{line}SNT__SYSTEM_END\n" if wrapped else line)
            continue
        included = find(match.group(1), path)
        if included.suffix == ".inc":
            expand(included, seen, out, wrap_system)
        elif included not in seen:
            seen.add(included)
            expand(included, seen, out, wrap_system)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    umbrella = root / "include/sensortime/sensortime.h"
    public = {umbrella}
    header = [LICENCE, "/* libsensortime in one header; made by lib/amalgamate.py. */\n", PRIVATE]
    expand(umbrella, public, header, False)
    (folder / "sensortime.h").write_text("".join(header))
    source = [LICENCE, "/* libsensortime in one file; made by lib/amalgamate.py. */\n", POSIX]
    source += ['#include "sensortime.h"\n', QUIET, HIDDEN]
    seen = set(public)
    for name in (root / "lib/sources.txt").read_text().split():
        expand(root / name, seen, source, True)
    source.append(HIDDEN_END)
    (folder / "sensortime.c").write_text("".join(source))


main()
