# SPDX-License-Identifier: BSD-3-Clause
"""layout.json is what the headers declare, and what every compiler makes of them.

Seen to fail: with a field moved, a struct added, a constant renumbered (the last tests do so on copies).
"""

import copy
import json
import re
import shutil
import subprocess
from pathlib import Path

import layout  # before generate_abi, which it makes known
import pytest

import generate_abi

RECORDED = json.loads(layout.RECORD.read_text())
COMPILERS = [
    "gcc", "clang", "gcc -m32", "musl-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc", "s390x-linux-gnu-gcc",
    "g++ -x c++ -std=c++17 -Wno-invalid-offsetof",
]  # fmt: skip
SAY = "if that is meant, run tests/abi/layout.py and read the difference"


def compiles(recorded, compiler, folder):
    source = folder / "layout.c"
    source.write_text(layout.assertions(recorded))
    include = ["-I", str(layout.ROOT / "include")]
    return subprocess.run([*compiler.split(), *include, "-fsyntax-only", str(source)], capture_output=True, text=True)


def differences(headers):
    """Where the headers and the record differ, by name."""
    now, found = layout.record(headers), []
    for section, entries in now.items():
        recorded = RECORDED[section]
        found += [n for n in {*entries, *recorded} if entries.get(n) != recorded.get(n)]
    return sorted(set(found))


def test_every_struct_field_and_constant_is_recorded():
    assert differences(generate_abi.Headers()) == [], SAY


def test_the_record_is_whole():
    assert len(RECORDED["lp64"]) > 100 and len(RECORDED["constants"]) > 600
    assert sum(len(s["fields"]) for s in RECORDED["lp64"].values()) > 1000


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_compiler_lays_the_structs_out_as_recorded(compiler, tmp_path):
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"{compiler.split()[0]} is not installed")
    (tmp_path / "one.c").write_text("#include <stdint.h>\n")
    if subprocess.run([*compiler.split(), "-fsyntax-only", str(tmp_path / "one.c")], capture_output=True).returncode:
        pytest.skip(f"{compiler} has no headers of its target")
    run = compiles(RECORDED, compiler, tmp_path)
    assert run.returncode == 0, f"{SAY}\n{run.stderr[:3000]}"


@pytest.mark.parametrize("part", ["size", "align", "offset", "width", "constant"])
def test_a_change_does_not_compile(part, tmp_path):
    changed = copy.deepcopy(RECORDED)
    struct = changed["lp64"]["snt_bounded_time"]
    if part == "constant":
        changed["constants"]["SNT_ERR_DOMAIN"] -= 1
    elif part in struct:
        struct[part] *= 2
    else:
        struct["fields"]["hi"][part == "width"] += 1
    assert "static assertion failed" in compiles(changed, "gcc", tmp_path).stderr


@pytest.mark.parametrize(
    "edit, expected",
    [
        (("} snt_interval;", "} snt_interval;\ntypedef struct snt_added { int64_t a; } snt_added;"), ["snt_added"]),
        (("    snt_time hi; ", "    snt_time hi, appended; "), None),
        (("SNT_SOURCE_STEADY = 1,", "SNT_SOURCE_STEADY = 1, SNT_SOURCE_ADDED = 9,"), ["SNT_SOURCE_ADDED"]),
    ],
    ids=["a struct", "a field", "a constant"],
)
def test_what_was_added_and_not_recorded_is_noticed(edit, expected, tmp_path, monkeypatch):
    headers = tmp_path / "include" / "sensortime"
    shutil.copytree(generate_abi.HEADERS, headers)
    changed = 0
    for path in headers.glob("*.h"):
        text = path.read_text()
        changed += edit[0] in text
        path.write_text(text.replace(*edit, 1))
    assert changed
    monkeypatch.setattr(generate_abi, "HEADERS", headers)
    monkeypatch.setattr(layout, "ROOT", tmp_path)
    monkeypatch.setattr(layout, "MODELS", {"lp64": layout.MODELS["lp64"]})
    found = differences(generate_abi.Headers())
    assert found == expected if expected else found


def test_exactly_the_structs_with_a_size_may_grow():
    text = (layout.ROOT / "tests/abi/suppr.ini").read_text()
    pattern = re.compile(re.search(r"name_regexp = (.*)", text).group(1))
    sized = {n for n, s in RECORDED["lp64"].items() if next(iter(s["fields"])) == "struct_size"}
    assert {n for n in RECORDED["lp64"] if pattern.match(n)} == sized | {"snt_sync_input_config"}


def test_one_version_everywhere():
    root = layout.ROOT
    version = generate_abi.Headers().constants["SNT_VERSION_STRING"]
    major, minor, _ = version.split(".")

    def all_in(name, pattern):
        return set(re.findall(pattern, Path(root / name).read_text(), re.M))

    assert all_in("meson.build", r"^    version: '([\d.]+)'") == {version}
    assert all_in("CMakeLists.txt", r"^project\(sensortime VERSION (\S+)") == {version}
    assert all_in("package.xml", r"<version>(.*)</version>") == {version}
    assert re.search(r"^## (\S+) — \d{4}-\d\d-\d\d$", (root / "NEWS.md").read_text(), re.M).group(1) == version
    nodes = {tuple(map(int, n.split("."))) for n in all_in("lib/libsensortime.map", r"^SENSORTIME_([\d.]+) \{")}
    assert nodes and max(nodes) <= (int(major), int(minor))
    released = sorted(p.name for p in (root / "tests/abi").glob("[0-9]*"))
    assert released and all(r.split(".")[0] == major for r in released)
