# SPDX-License-Identifier: BSD-3-Clause
"""A C program that says what the compiler thinks of the public headers, built from what ctypes thinks of them.

It prints, as JSON, the size of every struct, offset and size of every field and the value of every constant. That each
prototype agrees is checked at compile time: a wrong width or a wrong number of arguments does not compile.
"""

import ctypes
import json
import os
import shlex
import subprocess

from generate_abi import HEADERS, SCALARS

SPELLING = {
    getattr(ctypes, kind): name
    for name, kind in reversed(list(SCALARS.items()))
    if name not in ("uintptr_t", "int", "unsigned int", "size_t", "unsigned char")
}
SPELLING[None] = "void"
# On this machine size_t is one of the fixed widths in ctypes; the compiler compares compatible types.
SIZE_T = ctypes.c_size_t


def spell(ctype, declared):
    """C spelling of an argument: from ctypes for numbers, from the header for pointers."""
    if ctype in SPELLING and ctype is not ctypes.c_char:
        return declared if ctype is SIZE_T and "size_t" in declared else SPELLING[ctype]
    return declared


def declared_types(headers, name):
    """C text of the return type and of each parameter."""
    from pycparser import c_ast, c_generator

    printer = c_generator.CGenerator()

    def text(node):
        if isinstance(node, c_ast.ArrayDecl):  # decays
            node = c_ast.PtrDecl([], node.type)
        return printer.visit(c_ast.Typename(None, [], None, strip_names(node)))

    def strip_names(node):
        if isinstance(node, c_ast.TypeDecl):
            return c_ast.TypeDecl(None, node.quals, node.align, node.type)
        if isinstance(node, c_ast.PtrDecl):
            return c_ast.PtrDecl(node.quals, strip_names(node.type))
        if isinstance(node, c_ast.FuncDecl):
            return c_ast.FuncDecl(node.args, strip_names(node.type))
        return node

    function = headers.functions[name].type
    params = function.args.params if function.args else []
    spelled = [text(p.type) for p in params]
    return text(function.type), [] if spelled == ["void"] else spelled


def source(headers, abi):
    lines = ["#include <inttypes.h>", "#include <stddef.h>", "#include <stdio.h>"]
    lines += [f"#include <sensortime/{h.name}>" for h in sorted(HEADERS.glob("*.h"))]
    for name, (restype, argtypes) in abi.PROTOTYPES.items():
        declared_result, declared = declared_types(headers, name)
        if len(declared) != len(argtypes):
            raise AssertionError(f"{name}: {len(argtypes)} ctypes arguments, {len(declared)} in the header")
        arguments = [spell(t, d) for t, d in zip(argtypes, declared)] or ["void"]
        prototype = f"{spell(restype, declared_result)} (*)({', '.join(arguments)})"
        lines.append(f'_Static_assert(_Generic(&{name}, {prototype}: 1, default: 0), "{name}");')
    lines += ["int main(void)", "{", '    printf("{");']
    for name, value in vars(abi).items():
        if not name.startswith("SNT_"):
            continue
        if isinstance(value, str):
            lines.append(f'    printf("\\"{name}\\": \\"%s\\",\\n", {name});')
        elif isinstance(value, float):
            lines.append(f'    printf("\\"{name}\\": %.17g,\\n", (double){name});')
        elif value > 2**63 - 1:
            lines.append(f'    printf("\\"{name}\\": %" PRIu64 ",\\n", (uint64_t){name});')
        else:
            lines.append(f'    printf("\\"{name}\\": %" PRId64 ",\\n", (int64_t){name});')
    for name, fields in headers.structs.items():
        if fields is None:
            continue
        lines.append(f'    printf("\\"{name}\\": {{\\"sizeof\\": %zu", sizeof({name}));')
        for field in fields:
            place = f"offsetof({name}, {field.name}), sizeof((({name} *)0)->{field.name})"
            lines.append(f'    printf(", \\"{field.name}\\": [%zu, %zu]", {place});')
        lines.append('    printf("},\\n");')
    lines += ['    printf("\\"end\\": 0}\\n");', "    return 0;", "}", ""]
    return "\n".join(lines)


def run(headers, abi, folder):
    """Compile and run the probe in `folder`; the dictionary it prints."""
    code, program = folder / "probe.c", folder / "probe"
    code.write_text(source(headers, abi))
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [*compiler, "-std=c11", "-Wall", "-Werror", "-I", str(HEADERS.parent), "-o", str(program), str(code)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        raise AssertionError(f"the headers and the ctypes prototypes disagree:\n{built.stderr[:4000]}")
    return json.loads(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)
