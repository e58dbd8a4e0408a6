#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The layout of every public struct and the value of every public constant, as recorded in layout.json.

    build/venv/bin/python tests/abi/layout.py            write layout.json (a difference is for review)
    build/venv/bin/python tests/abi/layout.py --assert   print a C file that asserts layout.json, for any target

`lp64` holds all structs, as 64-bit machines lay them out. `ilp32` and `i386` hold those that differ: i386 aligns 64-bit
numbers to 4 bytes, other 32-bit machines to 8. The order of struct, field and constant is that of the headers.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/abi/layout.json"
sys.path.insert(0, str(ROOT / "tests/ffi"))

# model -> compiler and what runs its programs
MODELS = {
    "lp64": (["cc"], []),
    "ilp32": (["arm-linux-gnueabihf-gcc", "-static"], ["qemu-arm"]),
    "i386": (["gcc", "-m32"], []),
}
WHICH = {
    "lp64": "UINTPTR_MAX > UINT32_MAX",
    "i386": "UINTPTR_MAX == UINT32_MAX && defined(__i386__)",
    "ilp32": "UINTPTR_MAX == UINT32_MAX && !defined(__i386__)",
}


def constants(headers):
    """Numbers that programs were compiled with; the version is what changes."""
    return {
        name: value for name, value in headers.constants.items()
        if not name.startswith("SNT_VERSION") and not isinstance(value, str)
    }  # fmt: skip


def whole(headers):
    """name -> fields of each struct that is no opaque handle."""
    return {name: [f.name for f in fields] for name, fields in headers.structs.items() if fields}


def measure(structs, model, folder):
    """{struct: {"size", "align", "fields": {name: [offset, size]}}} as the model's compiler sees it."""
    compiler, runner = MODELS[model]
    lines = ["#include <stddef.h>", "#include <stdio.h>", "#include <sensortime/sensortime.h>", "int main(void) {"]
    for name, fields in structs.items():
        lines.append(f'printf("%zu %zu", sizeof({name}), _Alignof({name}));')
        lines += [f'printf(" %zu %zu", offsetof({name}, {f}), sizeof((({name} *)0)->{f}));' for f in fields]
        lines.append('puts("");')
    lines.append("return 0; }")
    source, program = folder / f"{model}.c", folder / model
    source.write_text("\n".join(lines))
    subprocess.run([*compiler, "-I", str(ROOT / "include"), str(source), "-o", str(program)], check=True)
    run = subprocess.run([*runner, str(program)], check=True, capture_output=True, text=True)
    out = {}
    for (name, fields), line in zip(structs.items(), run.stdout.splitlines()):
        size, align, *rest = map(int, line.split())
        places = {f: rest[2 * i : 2 * i + 2] for i, f in enumerate(fields)}
        out[name] = {"size": size, "align": align, "fields": places}
    return out


def available(model):
    compiler, runner = MODELS[model]
    return all(map(shutil.which, compiler[:1] + runner))


def record(headers):
    """What layout.json should hold; models without a compiler here are left out."""
    structs = whole(headers)
    out = {"constants": constants(headers)}
    with tempfile.TemporaryDirectory() as folder:
        seen = {m: measure(structs, m, Path(folder)) for m in MODELS if available(m)}
    out["lp64"] = seen["lp64"]
    if "ilp32" in seen:
        out["ilp32"] = {n: s for n, s in seen["ilp32"].items() if s != seen["lp64"][n]}
    if "i386" in seen and "ilp32" in seen:
        out["i386"] = {n: s for n, s in seen["i386"].items() if s != seen["ilp32"][n]}
    return out


def text(layout):
    """One struct or constant a line, so that a difference reads well."""
    parts = []
    for section, entries in layout.items():
        body = ",\n".join(f'    "{name}": {json.dumps(value)}' for name, value in entries.items())
        parts.append(f'  "{section}": {{\n{body}\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def model_of(layout, model):
    structs = dict(layout["lp64"])
    if model != "lp64":
        structs.update(layout["ilp32"])
    if model == "i386":
        structs.update(layout["i386"])
    return structs


def assertions(layout):
    """C (or C++) that compiles only where the headers have the recorded layout."""
    lines = [
        "/* made from layout.json by tests/abi/layout.py */",
        "#include <stddef.h>", "#include <stdint.h>", "#include <sensortime/sensortime.h>",
        "#ifdef __cplusplus", "#define SAME(what, number) static_assert((what) == (number), #what)",
        "#define ALIGN(type) alignof(type)", "#else",
        "#define SAME(what, number) _Static_assert((what) == (number), #what)",
        "#define ALIGN(type) _Alignof(type)", "#endif",
    ]  # fmt: skip
    for name, value in layout["constants"].items():
        number = "INT64_MIN" if value == -(2**63) else f"UINT64_C({value})" if value > 2**63 - 1 else value
        lines.append(f"SAME({name}, {number});")
    for model, condition in WHICH.items():
        lines.append(f"#if {condition}")
        for name, struct in model_of(layout, model).items():
            lines.append(f"SAME(sizeof({name}), {struct['size']}u);")
            lines.append(f"SAME(ALIGN({name}), {struct['align']}u);")
            for field, (offset, size) in struct["fields"].items():
                lines.append(f"SAME(offsetof({name}, {field}), {offset}u);")
                lines.append(f"SAME(sizeof((({name} *)0)->{field}), {size}u);")
        lines.append("#endif")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assert", action="store_true", dest="asserting", help="print the C file that asserts it")
    if parser.parse_args().asserting:
        print(assertions(json.loads(RECORD.read_text())), end="")
        return
    import generate_abi

    missing = [m for m in MODELS if not available(m)]
    if missing:
        sys.exit(f"no compiler or emulator for {', '.join(missing)}: {MODELS}")
    RECORD.write_text(text(record(generate_abi.Headers())))
    print(f"wrote {RECORD.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
