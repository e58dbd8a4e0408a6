#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the code on the pages equal to code that is compiled and run.

A block of C, C++ or Python on a page, README included, is a copy of a marked region of a program. A comment names it:

    <!-- code: examples/03_tf_lookup.c insert -->          the lines between two marks `/* [insert] */` (`# [insert]`)
    <!-- output: docs/snippets/start.c -->                 lines that the program prints, in this order; … leaves some out

    docs/code_blocks.py                                    fails if a block differs, or was written by hand
    docs/code_blocks.py --build build/release              runs the programs too and compares their output
    docs/code_blocks.py --write [--build build/release]    copies regions, and outputs where a block is empty, into the pages

Every snt_name on a page, or in a comment of a public header, has to be one that the headers declare.

The copies make the pages readable as plain Markdown; this check makes them more than that.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = {"c", "cpp", "c++", "cc", "python", "py"}
OTHER = {"sh", "text", "cmake", "meson", "ini", "xml", "json", "toml", "diff", "make", "yaml"}
FENCE = re.compile(r"(<!-- (code|output): (\S+)(?: ([^>]*?))? -->\n+)?^```(.*)\n((?:(?!```).*\n)*)```$", re.M)
INDENTED = re.compile(r"^    .*(snt_\w+\(|#include|^ *import |\bst\.)", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# not: snt_stamp_* and snt_tf_…, which stand for many; snt__internal; paths and files such as snt_x.h
NAME = re.compile(r"(?<![\w/.:-])snt_(?!_)\w*[a-zA-Z0-9](?![\w*…/]|\.\w|-)")


class Wrong(Exception):
    pass


def region(path, mark):
    """The lines between two marks, without their common indentation."""
    full = os.path.join(TOP, path)
    if not os.path.isfile(full):
        raise Wrong(f"there is no {path}")
    with open(full, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = [i for i, line in enumerate(lines) if re.fullmatch(rf"\s*(/\*|//|#) \[{re.escape(mark)}\]( \*/)?", line)]
    if len(at) != 2:
        raise Wrong(f"{path} has {len(at)} marks [{mark}], not 2")
    inside = [line for line in lines[at[0] + 1 : at[1]] if not re.fullmatch(r"\s*(/\*|//|#) \[[\w -]+\]( \*/)?", line)]
    return textwrap.dedent("\n".join(inside)).strip("\n") + "\n"


def is_compiled(path):
    """Whether a build file or a test names the program, so that it cannot rot."""
    stem = os.path.splitext(os.path.basename(path))[0]
    lists = glob.glob(os.path.join(TOP, os.path.dirname(path), "meson.build"))
    lists += glob.glob(os.path.join(TOP, "tests/**/*.sh"), recursive=True)
    lists += glob.glob(os.path.join(TOP, "tests/python/*.py")) + [os.path.join(TOP, "tests/run.sh")]
    if path.endswith(".py") and (os.path.dirname(path) == "docs/snippets" or stem.startswith("test_")):
        return True  # tests/python/test_documentation.py runs the whole folder; pytest finds its tests by name
    return any(re.search(rf"\b{re.escape(stem)}\b", open(name, encoding="utf-8").read()) for name in lists)


def output(path, arguments, build, cache={}):
    """What a program prints; None where it cannot run here."""
    if path not in cache:
        if path.endswith(".py"):
            command = [sys.executable, os.path.join(TOP, path)]
            if subprocess.run([sys.executable, "-c", "import sensortime"], capture_output=True).returncode:
                return None
        else:
            stem = path[:-4] + "_cpp" if path.endswith(".cpp") else os.path.splitext(path)[0]
            command = [os.path.join(build, stem)]
            if not os.path.isfile(command[0]):
                return None
        done = subprocess.run(command + arguments.split(), capture_output=True, text=True, timeout=120, cwd=TOP)
        if done.returncode:
            raise Wrong(f"{path} failed: {done.stderr.strip()}")
        cache[path] = done.stdout
    return cache[path]


def same_output(block, printed):
    """Each line of the block is printed, in this order; a line … or the end of a line after … may stand for anything."""
    lines = iter(printed.split("\n"))
    for wanted in block.rstrip("\n").split("\n"):
        wanted = wanted.rstrip()
        if wanted == "…":
            continue
        start, cut, _ = wanted.partition("…")
        if not any(line.startswith(start) if cut else line.rstrip() == wanted for line in lines):
            return wanted
    return None


def look_at(page, write, build):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    name = os.path.relpath(page, TOP)
    wrong = []

    def block(match):
        comment, kind, path, rest, language, body = match.groups()
        language = language.strip().strip("{}.")
        where = f"{name}:{text.count(chr(10), 0, match.start(5)) + 1}"
        new = body
        try:
            if not language:
                raise Wrong("a code block without a language")
            if language not in CODE | OTHER:
                raise Wrong(f"language {language} is not known to this check")
            if language in CODE and kind != "code":
                raise Wrong("code written by hand: take it from a program (see the head of docs/code_blocks.py)")
            if kind == "code":
                new = region(path, (rest or "").strip())
                if not is_compiled(path):
                    raise Wrong(f"{path} is compiled by nothing")
            elif kind == "output" and build:
                printed = output(path, rest or "", build)
                if printed is None:
                    print(f"{where}: {path} cannot run here: its output was not compared")
                else:
                    missing = same_output(body, printed)
                    if write and not body:
                        new = printed.strip("\n") + "\n"
                    elif missing is not None:
                        raise Wrong(f"{path} does not print (here) '{missing}'; empty the block and use --write")
            if new != body and not write:
                raise Wrong(f"differs from {path}: run docs/code_blocks.py --write")
        except Wrong as problem:
            wrong.append(f"{where}: {problem}")
        return match.group(0) if new == body else f"{comment or ''}```{match.group(5)}\n{new}```"

    changed = FENCE.sub(block, text)
    outside = FENCE.sub("", text)
    for match in INDENTED.finditer(outside):
        wrong.append(f"{name}: code in an indented block: '{match.group(0).strip()}'")
    if write and changed != text:
        with open(page, "w", encoding="utf-8") as file:
            file.write(changed)
        print(f"{name} written")
    return wrong


def headers():
    return sorted(glob.glob(os.path.join(TOP, "include/sensortime/*.h*")))


def unknown_names(paths):
    """Names that no header declares, where a page or a header's comment speaks of them."""
    known, called = set(), set()
    for path in headers():
        with open(path, encoding="utf-8") as file:
            code = COMMENT.sub("", file.read())
        known.update(re.findall(r"\bsnt_\w+", code))
        called.update(re.findall(r"\b(snt_\w+)\(", code))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for match in NAME.finditer(line):
                    if match.group() not in (called if line.startswith("(", match.end()) else known):
                        yield f"{os.path.relpath(path, TOP)}:{number}: {match.group()}: no header declares it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--build")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    pages = options.pages or [os.path.join(TOP, "README.md"), *sorted(glob.glob(os.path.join(TOP, "docs/**/*.md"), recursive=True))]
    build = os.path.abspath(options.build) if options.build else None
    wrong = [line for page in pages for line in look_at(page, options.write, build)]
    wrong += unknown_names(pages if options.pages else pages + headers())
    print("\n".join(wrong) if wrong else f"{len(pages)} pages: all code is compiled code, all names are declared")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
