# SPDX-License-Identifier: BSD-3-Clause
"""Nothing of the C interface is forgotten, and the package says what types it takes."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sensortime
from sensortime import abi

PACKAGE = Path(sensortime.__file__).parent

#: functions that no wrapper calls, each with the reason. Anything else that is new in the headers fails the test.
LEFT_OUT = {
    "snt_tf_path_create": "paths are made by name: snt_tf_buffer_path",
}


def sources():
    return {path: path.read_text() for path in sorted(PACKAGE.glob("*.py")) if path.name not in ("_abi.py", "_library.py")}


def test_every_function_of_the_library_has_a_wrapper_or_a_reason():
    reached = set()
    for text in sources().values():
        reached |= set(re.findall(r"\blib\.(snt_\w+)", text))
    assert reached <= set(abi.PROTOTYPES), reached - set(abi.PROTOTYPES)
    forgotten = set(abi.PROTOTYPES) - reached - set(LEFT_OUT)
    assert not forgotten, f"wrap these, or say in LEFT_OUT why not: {sorted(forgotten)}"
    assert not set(LEFT_OUT) & reached, "left out, and yet wrapped"
    assert set(LEFT_OUT) <= set(abi.PROTOTYPES), "left out, and yet gone"
    assert all(len(reason) > 20 for reason in LEFT_OUT.values())


def test_every_handle_has_an_object_that_frees_it():
    handles = {name[: -len("_destroy")] for name in abi.PROTOTYPES if name.endswith("_destroy")} | {"snt_epoch"}
    freed = {c._destroy.__name__ for c in every_handle()}
    assert len(handles) >= 17
    assert {f"{h}_destroy" if h != "snt_epoch" else "snt_epoch_unref" for h in handles} == freed


def every_handle():
    from sensortime._handle import Handle

    found, waiting = set(), [Handle]
    while waiting:
        for one in waiting.pop().__subclasses__():
            found.add(one)
            waiting.append(one)
    return found


def test_the_functions_that_let_go_of_the_gil_exist():
    from sensortime import _library

    assert _library.LONG <= set(abi.PROTOTYPES)
    assert all(name in _library.LONG for name in abi.PROTOTYPES if name.endswith("_many"))


def test_everything_public_says_what_it_is():
    silent = []
    for name in sensortime.__all__:
        one = getattr(sensortime, name)
        members = [(name, one)]
        if inspect.isclass(one):
            members += [(f"{name}.{k}", v) for k, v in vars(one).items() if not k.startswith("_")]
        elif inspect.ismodule(one) and one is not abi:
            members += [
                (f"{name}.{k}", v)
                for k, v in vars(one).items()
                if not k.startswith("_") and getattr(v, "__module__", "") == one.__name__ and callable(v)
            ]
        for where, member in members:
            member = getattr(member, "__func__", member)
            documented = inspect.isfunction(member) or inspect.isclass(member) or isinstance(member, property)
            if documented and not (getattr(member, "__doc__", "") or "").strip():
                silent.append(where)
    assert not silent, silent


@pytest.mark.slow
def test_the_types_hold_strictly():
    """What `py.typed` promises."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", "sensortime"]
    run = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    wrong = "import sensortime\nsensortime.stamps.add('1', 2)\nsensortime.ClockMap().to_host(1).t.upper()\n"
    run = subprocess.run(
        [*command[:-1], "-c", wrong], cwd=PACKAGE.parent, capture_output=True, text=True
    )
    assert run.returncode == 1 and "arg-type" in run.stdout and "union-attr" in run.stdout, run.stdout
