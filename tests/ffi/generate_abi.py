#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write examples/python/sensortime/_abi.py from the public headers.

    python tests/ffi/generate_abi.py            write it
    python tests/ffi/generate_abi.py --check    only say whether it is up to date (exit 1 if not)

Needs pycparser and a C preprocessor (`cc`, or $CC). The headers are preprocessed with SNT_FFI and the few typedefs in
fake_include, so no system header is parsed. The output depends on nothing but the headers.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "sensortime"
OUTPUT = ROOT / "examples" / "python" / "sensortime" / "_abi.py"

# C type -> ctypes type. Anything else must be a struct or a typedef the headers declare.
SCALARS = {
    "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16",
    "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64",
    "float": "c_float", "double": "c_double", "size_t": "c_size_t", "uintptr_t": "c_size_t",
    "int": "c_int", "unsigned int": "c_uint", "char": "c_char", "unsigned char": "c_ubyte",
}  # fmt: skip
FAKE_NAMES = set(SCALARS)


def preprocess(text, *flags):
    """Run the C preprocessor over `text` with our include paths only."""
    command = shlex.split(os.environ.get("CC", "cc")) + [
        "-E", "-P", "-nostdinc", "-DSNT_FFI", "-x", "c",
        "-I", str(Path(__file__).parent / "fake_include"), "-I", str(HEADERS.parent), *flags, "-",
    ]  # fmt: skip
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"the headers do not preprocess:\n{run.stderr}")
    return run.stdout


def include_lines():
    return "".join(f"#include <sensortime/{h.name}>\n" for h in sorted(HEADERS.glob("*.h")))


def evaluate(node, names):
    """Value of a constant C expression, or None where it is none."""
    if isinstance(node, c_ast.Constant):
        if node.type == "string":
            return node.value[1:-1]
        if node.type == "char":
            return ord(node.value[1:-1])
        if node.type in ("float", "double", "long double"):
            return float(node.value.rstrip("fFlL"))
        return int(node.value.rstrip("uUlL"), 0)
    if isinstance(node, c_ast.ID):
        return names.get(node.name)
    if isinstance(node, c_ast.Cast):
        return evaluate(node.expr, names)
    if isinstance(node, c_ast.UnaryOp):
        value = evaluate(node.expr, names)
        ops = {"-": lambda v: -v, "+": lambda v: v, "~": lambda v: ~v, "!": lambda v: int(not v)}
        return None if value is None or node.op not in ops else ops[node.op](value)
    if isinstance(node, c_ast.BinaryOp):
        left, right = evaluate(node.left, names), evaluate(node.right, names)
        if left is None or right is None:
            return None
        ops = {
            "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
            "/": lambda a, b: int(a / b) if isinstance(a, int) and isinstance(b, int) else a / b,
            "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "|": lambda a, b: a | b,
            "&": lambda a, b: a & b, "^": lambda a, b: a ^ b,
        }  # fmt: skip
        return ops[node.op](left, right) if node.op in ops else None
    return None


class Headers:
    """What the public headers declare, in their order."""

    def __init__(self):
        self.constants = {}  # name -> int, float or str
        self.typedefs = {}  # name -> type node
        self.structs = {}  # name -> list of Decl, or None while only declared
        self.functions = {}  # name -> Decl
        self._tree = c_parser.CParser().parse(preprocess(include_lines()), "sensortime.h")
        for item in self._tree.ext:
            self._take(item)
        self._take_macros()

    def _take(self, item):
        if isinstance(item, c_ast.Typedef):
            if item.name in FAKE_NAMES:
                return
            if isinstance(item.type, c_ast.TypeDecl) and isinstance(item.type.type, c_ast.Struct):
                self._take_struct(item.type.type)
                if item.type.type.name != item.name:
                    self.typedefs[item.name] = item.type
            else:
                self.typedefs[item.name] = item.type
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
            self.functions[item.name] = item
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.Struct):
            self._take_struct(item.type)
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.Enum):
            self._take_enum(item.type)

    def _take_struct(self, struct):
        if struct.decls is not None:
            self.structs[struct.name] = struct.decls
        else:
            self.structs.setdefault(struct.name, None)

    def _take_enum(self, enum):
        following = 0
        for entry in enum.values.enumerators:
            value = following if entry.value is None else evaluate(entry.value, self.constants)
            if value is None:
                sys.exit(f"enumerator {entry.name} has no constant value")
            self.constants[entry.name] = value
            following = value + 1

    def _take_macros(self):
        """Object-like SNT_ macros with a constant value (sizes, limits, version)."""
        names = []
        for line in preprocess(include_lines(), "-dM").splitlines():
            words = line.split(None, 2)
            if len(words) == 3 and words[1].startswith("SNT_") and "(" not in words[1] and words[1] != "SNT_FFI":
                names.append(words[1])
        names.sort()
        marked = include_lines() + "".join(f"snt_macro_mark {n}_ = {n} ;\n" for n in names)
        for line in preprocess(marked).splitlines():
            if not line.startswith("snt_macro_mark "):
                continue
            name, _, expression = line[len("snt_macro_mark ") :].partition(" = ")
            try:
                tree = c_parser.CParser().parse(
                    "typedef long long int64_t; typedef unsigned long long uint64_t; typedef int int32_t;"
                    f"typedef unsigned int uint32_t; int x = {expression.rstrip(' ;')};"
                )
                value = evaluate(tree.ext[-1].init, self.constants)
            except Exception:  # not an expression: an attribute, a keyword, a type
                value = None
            if value is not None:
                self.constants.setdefault(name[:-1], value)

    def ctype(self, node):
        """Spelling of a type in the generated module."""
        if isinstance(node, c_ast.Typename):
            return self.ctype(node.type)
        if isinstance(node, c_ast.PtrDecl):
            return self._pointer(node.type)
        if isinstance(node, c_ast.ArrayDecl):
            return f"{self.ctype(node.type)} * {evaluate(node.dim, self.constants)}"
        if isinstance(node, c_ast.FuncDecl):
            return self._callback(node)
        if isinstance(node.type, c_ast.Struct):
            return node.type.name
        name = " ".join(node.type.names)
        if name == "void":
            return "None"
        if name in SCALARS:
            return f"_c.{SCALARS[name]}"
        if name in self.typedefs:
            return self.ctype(self.typedefs[name])
        if name in self.structs:
            return name
        sys.exit(f"no ctypes type is known for '{name}'")

    def field_ctype(self, node):
        """Spelling of a struct's field. Text in a struct need not end in NUL, so it stays an address."""
        return self.ctype(node).replace("_c.c_char_p", "_c.c_void_p")

    def _pointer(self, target):
        if isinstance(target, c_ast.FuncDecl):
            return self._callback(target)
        inner = self.ctype(target)
        if inner == "_c.c_char":
            return "_c.c_char_p"
        # Plain memory crosses as c_void_p, so that bytes, numpy addresses and byref() all fit without a copy.
        if inner == "None" or inner.startswith("_c.c_") and inner not in ("_c.c_void_p", "_c.c_char_p"):
            return "_c.c_void_p"
        return f"_c.POINTER({inner})"

    def _callback(self, function):
        parts = [self.ctype(function.type), *self.arguments(function)]
        return f"_c.CFUNCTYPE({', '.join(parts)})"

    def arguments(self, function):
        params = function.args.params if function.args else []
        spelled = [self.ctype(p.type) for p in params]
        if spelled == ["None"]:
            return []
        # an array parameter is a pointer
        return ["_c.c_void_p" if " * " in s else s for s in spelled]


def wrap(call, open_bracket, items, close, indent, width=112):
    """One line, or one item per filled line, the way a formatter would."""
    line = call + open_bracket + ", ".join(items) + close
    if len(line) + indent <= width:
        return line
    lines, current = [call + open_bracket], ""
    for item in items:
        if current and indent + 4 + len(current) + len(item) + 2 > width:
            lines.append(" " * (indent + 4) + current.rstrip())
            current = ""
        current += item + ", "
    lines.append(" " * (indent + 4) + current.rstrip())
    lines.append(" " * indent + close)
    return "\n".join(lines)


def generate():
    headers = Headers()
    out = [
        "# SPDX-License-Identifier: BSD-3-Clause",
        "# Generated by tests/ffi/generate_abi.py from include/sensortime. Do not edit: run that instead.",
        "# fmt: off",
        '"""The C interface of libsensortime as ctypes sees it: constants, structs and prototypes.',
        "",
        "Pointers to plain memory are c_void_p: pass bytes, an address such as `array.ctypes.data`, or `byref(x)`.",
        "Pointers to structs are typed. Handles are structs without fields. Pointers to text inside a struct are addresses,",
        "because such text need not end in NUL.",
        '"""',
        "",
        "import ctypes as _c",
        "",
    ]
    for name in sorted(headers.constants):
        out.append(f"{name} = {headers.constants[name]!r}")
    out.append("")
    out.append("# A misspelt field is an AttributeError, thanks to the empty __slots__.")
    for name in headers.structs:
        out += [f"class {name}(_c.Structure):", "    __slots__ = ()", ""]
    out.append("")
    for name in ordered_structs(headers):
        fields = [f'("{d.name}", {headers.field_ctype(d.type)})' for d in headers.structs[name]]
        out += [wrap(f"{name}._fields_ = ", "[", fields, "]", 0)]
    out += ["", "# name -> (restype, argtypes)", "PROTOTYPES = {"]
    printer = c_generator.CGenerator()
    for name in sorted(headers.functions):
        declaration = headers.functions[name]
        text = " ".join(printer.visit(declaration).split())
        out.append(f"    # {text}")
        restype = headers.ctype(declaration.type.type)
        arguments = headers.arguments(declaration.type)
        out.append("    " + wrap(f'"{name}": ({restype}, ', "[", arguments, "]),", 4))
    out.append("}")
    return "\n".join(out) + "\n"


def ordered_structs(headers):
    """Structs with fields, those held by value first."""
    done, order = set(), []

    def visit(name):
        if name in done or headers.structs.get(name) is None:
            return
        done.add(name)
        for field in headers.structs[name]:
            node = field.type
            while isinstance(node, c_ast.ArrayDecl):
                node = node.type
            if isinstance(node, c_ast.TypeDecl):
                inner = headers.ctype(node)
                if inner in headers.structs:
                    visit(inner)
        order.append(name)

    for name in headers.structs:
        visit(name)
    return order


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is out of date")
    options = parser.parse_args()
    text = generate()
    current = OUTPUT.read_text() if OUTPUT.exists() else ""
    name = OUTPUT.relative_to(ROOT)
    if options.check:
        if text != current:
            sys.exit(f"{name} is out of date: run python tests/ffi/generate_abi.py")
        print(f"{name} is up to date")
    elif text != current:
        OUTPUT.write_text(text)
        print(f"wrote {name}")
    else:
        print(f"{name} is up to date")


if __name__ == "__main__":
    main()
