#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Break one operator at a time and see whether a test notices.

    tests/mutate.py lib/stamp/interval.c stamp [more tests] [--limit N] [--seed N]

Each mutant of the file is compiled, linked in front of build/release/libsensortime.a and run with the named test
programs (by their full name, or test_<name>, model_<name> … as built in build/release). Survivors are printed with
their line: either a test is missing or the code says more than it needs to.
"""
import argparse
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
SWAPS = [
    ("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("&&", "||"), ("||", "&&"),
    (r"(?<![<>=!-])<(?![<=])", "<="), (r"(?<![<>=!-])>(?![>=])", ">="),
    (r"(?<=\w\s)\+(?=\s\w)", "-"), (r"(?<=\w\s)-(?=\s\w)", "+"), (r"(?<=\w\s)\*(?=\s\w)", "+"),
    (r"(?<=\w\s)%(?=\s\w)", "/"), (r"\+\+", "--"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])0(?![\w.])", "1"),
    (r"\breturn SNT_ERR_\w+;", "return SNT_OK;"), (r"\bif \((?=[^;]*\)$)", "if (!"),
]  # fmt: skip


def mutants(text):
    offset = 0
    comment = False
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        code = line.split("/*")[0].split("//")[0]
        if comment or line.lstrip().startswith(("#", "*", "/*", "_Static_assert")):
            code = ""
        comment = (comment or "/*" in line) and "*/" not in line
        for pattern, replacement in SWAPS:
            pattern = pattern if "\\" in pattern or "(" in pattern else re.escape(pattern)
            for match in re.finditer(pattern, code):
                if code[: match.start()].count('"') % 2:
                    continue
                changed = code[: match.start()] + replacement + line[match.end() :]
                yield number, line.strip(), changed.strip(), text[:offset] + changed + text[offset + len(line) :]
        offset += len(line)


def program(name):
    found = list(BUILD.glob(f"tests/*/{name}.p")) + sorted(BUILD.glob(f"tests/*/*_{name}.p"))
    if not found:
        sys.exit(f"no built test program ends in _{name}")
    return sorted(found[0].glob("*.o"))


def run(job):
    source, mutant, programs = job
    number, before, after, text = mutant
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "m.c").write_text(text)
        compiled = subprocess.run(
            ["gcc", "-O1", "-std=c11", "-w", f"-I{ROOT}/include", f"-I{source.parent}", "-c", "m.c", "-o", "m.o"],
            cwd=folder, capture_output=True,
        )  # fmt: skip
        if compiled.returncode:
            return None
        for objects in programs:
            link = ["gcc", *map(str, objects), "m.o", str(BUILD / "libsensortime.a"), "-lcmocka", "-lm", "-pthread"]
            if subprocess.run([*link, "-o", "t"], cwd=folder, capture_output=True).returncode:
                return None
            try:
                if subprocess.run(["./t"], cwd=folder, capture_output=True, timeout=60).returncode:
                    return True
            except subprocess.TimeoutExpired:
                return True
    return f"{source.relative_to(ROOT)}:{number}: {before}\n    -> {after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    source = args.source.resolve()
    found = list(mutants(source.read_text()))
    random.Random(args.seed).shuffle(found)
    programs = [program(name) for name in args.tests]
    with ThreadPoolExecutor(2) as pool:
        results = [r for r in pool.map(run, ((source, m, programs) for m in found[: args.limit])) if r is not None]
    survivors = [r for r in results if r is not True]
    print("\n".join(sorted(survivors)))
    print(f"{len(results) - len(survivors)} of {len(results)} mutants killed")


main()
