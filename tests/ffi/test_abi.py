# SPDX-License-Identifier: BSD-3-Clause
"""The ctypes layer is what the headers say, and the library exports what both promise."""

import ctypes
import re
import shutil
import subprocess
import types

import generate_abi
import probe
import pytest

from sensortime import abi, library_path


@pytest.fixture(scope="module")
def headers():
    return generate_abi.Headers()


@pytest.fixture(scope="module")
def compiled(headers, tmp_path_factory):
    return probe.run(headers, abi, tmp_path_factory.mktemp("probe"))


def test_the_generated_module_is_up_to_date():
    assert generate_abi.OUTPUT.read_text() == generate_abi.generate(), (
        "run: python tests/ffi/generate_abi.py"
    )


def test_every_constant_has_the_value_the_compiler_sees(compiled):
    constants = {n: v for n, v in vars(abi).items() if n.startswith("SNT_")}
    assert len(constants) > 60
    assert {n: compiled[n] for n in constants} == constants


def test_every_struct_has_the_size_and_offsets_the_compiler_sees(headers, compiled):
    checked = 0
    for name, fields in headers.structs.items():
        if fields is None:
            continue
        struct = getattr(abi, name)
        assert ctypes.sizeof(struct) == compiled[name].pop("sizeof"), name
        ours = {n: [getattr(struct, n).offset, getattr(struct, n).size] for n, *_ in struct._fields_}
        assert ours == compiled[name], name
        checked += 1
    assert checked >= 8


def test_every_function_has_argument_and_result_types(headers):
    # their widths were compared by the compiler when the probe was built
    assert set(abi.PROTOTYPES) == set(headers.functions)
    from sensortime import lib

    for name, (restype, argtypes) in abi.PROTOTYPES.items():
        function = getattr(lib, name)
        assert (function.restype, list(function.argtypes)) == (restype, argtypes), name


def test_a_wrong_width_does_not_pass_the_probe(headers, tmp_path):
    fake = types.SimpleNamespace()
    fake.PROTOTYPES = {"snt_status_name": (ctypes.c_char_p, [ctypes.c_int64])}
    with pytest.raises(AssertionError, match="snt_status_name"):
        probe.run(headers, fake, tmp_path)


def test_the_library_exports_exactly_the_map_and_the_headers(headers):
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm was not found (binutils)")
    listing = subprocess.run([nm, "-D", "--defined-only", library_path], capture_output=True, text=True, check=True)
    exported = {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines() if " T " in line}
    text = (generate_abi.ROOT / "lib" / "libsensortime.map").read_text()
    mapped = set(re.findall(r"^\s+(snt_\w+);", text, re.M))
    declared = set(headers.functions)
    assert mapped == declared, sorted(mapped ^ declared)
    assert exported == declared, sorted(exported ^ declared)


def test_public_structs_hold_only_types_a_stable_abi_can_hold(headers):
    wrong = []
    for name, fields in headers.structs.items():
        for field in fields or []:
            spelled = headers.ctype(field.type)
            if name != "snt_allocator" and re.search(r"c_(size_t|int|uint|long)\b", spelled):
                wrong.append(f"{name}.{field.name}: {spelled}")
    assert not wrong, wrong


def test_structs_that_grow_start_with_their_size(headers):
    checked = 0
    for name, fields in headers.structs.items():
        init = headers.functions.get(f"{name}_init")
        if init is None or fields is None or "size_t" not in "".join(headers.ctype(p.type) for p in init.type.args.params):
            continue
        assert fields[0].name == "struct_size", name
        assert headers.ctype(fields[0].type) == "_c.c_uint32", name
        checked += 1
    assert checked or not any("struct_size" == f.name for v in headers.structs.values() for f in v or [])
