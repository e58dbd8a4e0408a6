#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table "who may call what" of docs/threading.md from the fact lines of the headers.

    docs/threads_table.py            rewrites the table
    docs/threads_table.py --check    fails if it is not what the headers say
"""
import collections
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs/threading.md")
BEGIN, END = "<!-- threads: begin (docs/threads_table.py) -->\n", "<!-- threads: end -->"
FACT = re.compile(r"/\*\*(?:(?!\*/).)*?@thread ([PHCL](?: \(one writer\))?)(?:(?!\*/).)*\*/\s*SNT_API [^(;]*?(snt_\w+)\(", re.S)
HANDLE = re.compile(r"^typedef struct (snt_\w+) \1;", re.M)
MEANING = {
    "C": "readers and writers at once",
    "C (one writer)": "one writer at a time, beside readers",
    "L": "any thread, short lock",
    "H": "one thread at a time",
}


def rows():
    for path in sorted(glob.glob(os.path.join(TOP, "include/sensortime/*.h"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        handles = sorted(HANDLE.findall(text), key=len, reverse=True)
        calls = collections.defaultdict(list)
        for thread, name in FACT.findall(text):
            if thread == "P" or name.endswith(("_create", "_destroy")):
                continue
            handle = next((h for h in handles if name.startswith(h + "_")), None)
            calls[handle or "others of " + os.path.basename(path), thread].append(name)
        for (handle, thread), names in calls.items():
            short = [name[len(handle) + 1 :] if name.startswith(handle) else name for name in names]
            shown = f"`{handle}`" if handle.startswith("snt_") else handle
            yield handle, f"| {shown} | **{thread[0]}** {MEANING[thread]} | {', '.join(short)} |"


def table():
    lines = ["| handle | class | calls |", "|---|---|---|"]
    lines += [line for _, line in sorted(rows(), key=lambda row: (row[0].startswith("others"), row[0]))]
    return "\n" + "\n".join(lines) + "\n\n"


def main():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    new = before + BEGIN + table() + END + after
    if new == text:
        return 0
    if "--check" in sys.argv:
        print("docs/threading.md does not say what the headers say: run docs/threads_table.py")
        return 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(new)
    return 0


sys.exit(main())
