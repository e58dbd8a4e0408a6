#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails where a relative link leads nowhere.

    docs/check_links.py                     the Markdown pages, README included: files and headings
    docs/check_links.py build/docs/html     the built manual: files, pictures and anchors
"""
import glob
import html
import os
import re
import sys
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
MARKDOWN = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HTML = re.compile(r"<(?:a|img|link|script|object|embed|iframe)\b[^>]*?\b(?:href|src|data)=\"([^\"]*)\"")
ANCHOR = re.compile(r"\b(?:id|name)=\"([^\"]+)\"")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def headings(path):
    """Anchors as forges make them of headings."""
    found = set()
    for title in re.findall(r"^#+ (.*?)(?: \{#[\w-]+\})?$", FENCE.sub("", read(path)), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        found.add(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-"))
    return found


def is_local(link):
    return not re.match(r"[a-z][a-z0-9+.-]*:|//", link)


def markdown():
    for page in [os.path.join(TOP, "README.md"), *sorted(glob.glob(os.path.join(TOP, "docs/**/*.md"), recursive=True))]:
        for link in filter(is_local, MARKDOWN.findall(FENCE.sub("", read(page)))):
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(target):
                yield f"{os.path.relpath(page, TOP)}: {link} leads nowhere"
            elif anchor and target.endswith(".md") and anchor not in headings(target):
                yield f"{os.path.relpath(page, TOP)}: {link}: no such heading"


def manual(folder):
    anchors = {}
    pages = sorted(glob.glob(os.path.join(folder, "**/*.html"), recursive=True))
    for page in pages:
        anchors[os.path.normpath(page)] = set(map(html.unescape, ANCHOR.findall(read(page))))
    for page in pages:
        for link in filter(is_local, map(html.unescape, HTML.findall(read(page)))):
            path, _, anchor = link.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            target = os.path.normpath(os.path.join(os.path.dirname(page), path) if path else page)
            if not os.path.exists(target):
                yield f"{os.path.relpath(page, folder)}: {link} leads nowhere"
            elif anchor and target in anchors and anchor not in anchors[target]:
                yield f"{os.path.relpath(page, folder)}: {link}: no such anchor"


def main():
    wrong = sorted(set(manual(sys.argv[1]) if len(sys.argv) > 1 else markdown()))
    print("\n".join(wrong) if wrong else "no dead links")
    return 1 if wrong else 0


sys.exit(main())
