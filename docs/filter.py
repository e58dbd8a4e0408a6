#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Doxygen's input filter: makes constants and names into links. Nothing that is compiled sees its output.

Headers: the enumerators of X-macro tables are written out with their text (`SNT_OK = 0, /**< success */`), because
doxygen takes `SNT_STATUS_MAP(SNT_X)` for one opaque line. Pages: `snt_name` between backticks becomes a link to its
documentation.
"""
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = re.compile(r"#define (SNT_\w+_MAP)\(X\)((?:[^\n]*\\\n)*[^\n]*)")
ENTRY = re.compile(r"\bX\((\w+),\s*(-?\d+),((?:[^()\"]|\"[^\"]*\")*)\)")
USE = re.compile(
    r"(\*/\n)?enum \{\n#define SNT_X\((\w+), (\w+)[^)]*\) *(\S+) = ([^,\n]*),\n\s*(SNT_\w+_MAP)\(SNT_X\)\n#undef SNT_X\n"
)
COMMENT = re.compile(r"/\*\*.*?\*/", re.S)
CONSTANT = re.compile(r"""(?<![:#\w`"])(SNT_[A-Z0-9_]*[A-Z0-9])\b(?![\w*…])""")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
CODE_SPAN = re.compile(r"(?<!`)`((?:::)?(snt_\w+|SNT_\w+))(\(\))?`(?!`)")


def sentence(arguments):
    """The texts of a table's row, joined; "a" "b" is one text, as in C."""
    texts = ["".join(re.findall(r'"([^"]*)"', text)) for text in re.findall(r'(?:"[^"]*"\s*)+', arguments)]
    return (". To do: " if "SEVERITY" in arguments else ": ").join(texts)


def entries(header):
    """{table: [(name, number, text)]} of a header."""
    found = {}
    for name, body in TABLE.findall(header):
        rows = ENTRY.findall(body.replace("\\\n", "\n"))
        found[name] = [(row, number, sentence(rest)) for row, number, rest in rows]
    return found


def expand(match, tables):
    comment, name_parameter, number_parameter, pattern, value, table = match.groups()
    lines = [comment or f"/** The numbers of {table}. */\n", "enum {\n"]
    for name, number, text in tables[table]:
        enumerator = name if pattern == name_parameter else pattern.replace("##" + name_parameter, name)
        lines.append(f"    {enumerator} = {value.replace(number_parameter, number)}, /**< {text} */\n")
    return "".join(lines)


def constants(tables):
    return {row[0] for rows in tables.values() for row in rows}


def header(path):
    text = open(path, encoding="utf-8").read()
    known = documented()
    link = lambda m: "::" + m.group(1) if m.group(1) in known else m.group(0)
    text = USE.sub(lambda match: expand(match, entries(text)), text)
    text = re.sub(r"(/\*\*<\s*)>", r"\1\\>", text)  # "> 0" is no quotation
    return COMMENT.sub(lambda m: CONSTANT.sub(link, m.group(0)), text)


def documented():
    names = set()
    for path in glob.glob(os.path.join(TOP, "include/sensortime/*.h")):
        text = open(path, encoding="utf-8").read()
        names |= constants(entries(text))
        names |= set(re.findall(r"^SNT_API [^(;]*?(snt_\w+)\(", text, re.M))
        names |= set(re.findall(r"\*/\ntypedef struct (snt_\w+)", text))
        names |= set(re.findall(r"^    (SNT_\w+)(?:\s*=\s*[^,/]*?)?,?\s*/\*\*<", text, re.M))
        names |= set(re.findall(r"\*/\n(?:    |#define )(SNT_\w+)\b(?!\()", text))
    return names


def page(path):
    text = open(path, encoding="utf-8").read()
    names = documented()
    wanted = set(re.findall(r"\]\(#([\w-]+)\)", text))

    def label(match):
        """Forges make anchors of headings; doxygen wants to be told those that are linked to."""
        anchor = re.sub(r"[^\w\- ]", "", match.group(2).lower()).replace(" ", "-")
        return f"{match.group(0)} {{#{anchor}}}" if anchor in wanted else match.group(0)

    text = re.sub(r"^(#+) (.*)$", label, text, flags=re.M)

    def link(match):
        shown, name, call = match.groups()
        return f"<code>::{name}{call or ''}</code>" if name in names else match.group(0)

    out, end = [], 0
    for fence in FENCE.finditer(text):
        out += [CODE_SPAN.sub(link, text[end : fence.start()]), fence.group(0)]
        end = fence.end()
    return "".join(out) + CODE_SPAN.sub(link, text[end:])


def main():
    path = sys.argv[1]
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page(path) if path.endswith(".md") else header(path))


main()
