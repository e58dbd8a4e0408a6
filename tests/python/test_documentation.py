# SPDX-License-Identifier: BSD-3-Clause
"""The pages' code is a copy of programs that run, and prints what the pages say."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def run(*command):
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, cwd=TOP, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("program", sorted((TOP / "docs/snippets").glob("*.py")), ids=lambda path: path.name)
def test_a_program_behind_a_page_runs(program):
    run(program)


def test_code_on_the_pages_is_compiled_code_and_prints_what_they_say():
    said = run("docs/code_blocks.py", "--build", TOP / "build/release")
    assert "start.py cannot run" not in said


PAGE = "# A page\n\n{}\n"
REGION = "<!-- code: docs/snippets/start.c all -->\n```c\nint main(void);\n```"


@pytest.mark.parametrize(
    "body, complaint",
    [
        ("```c\nint x;\n```", "written by hand"),
        ("```\nint x;\n```", "without a language"),
        ("    snt_tf_buffer_create(NULL, NULL, &tf);", "indented"),
        ("`snt_pose_apply_points_f64`, gone", "page.md:3: snt_pose_apply_points_f64: no header declares it"),
        ("call snt_tf_bufer_insert() first", "snt_tf_bufer_insert: no header declares it"),
        ("a struct: snt_deskew_bound() adds up", "snt_deskew_bound: no header declares it"),
        (REGION, "differs from docs/snippets/start.c"),
        (REGION.replace(" all ", " none "), "has 0 marks"),
        (REGION.replace("start.c", "absent.c"), "there is no"),
        (REGION.replace("docs/snippets/start.c all", "lib/base/status.c all"), "marks"),
    ],
)
def test_the_check_of_pages_finds_code_that_nobody_compiles(tmp_path, body, complaint):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(body), encoding="utf-8")
    done = subprocess.run([sys.executable, TOP / "docs/code_blocks.py", page], capture_output=True, text=True)
    assert done.returncode == 1 and complaint in done.stdout


def test_declared_names_and_those_that_stand_for_many_are_fine(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`snt_tf_buffer_insert()`, `snt_tf_*`, `snt_…_config_init`, `snt__config_read`, `snt_x.h`\n", encoding="utf-8")
    run("docs/code_blocks.py", page)


def test_output_that_a_program_does_not_print_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("<!-- output: docs/snippets/start.py -->\n```text\nnever said\n```"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, TOP / "docs/code_blocks.py", "--build", TOP / "build/release", page], capture_output=True, text=True
    )
    assert done.returncode == 1 and "does not print" in done.stdout


def test_dead_links_are_found():
    """In the built manual, without building one: a folder with one page that points nowhere."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text('<a href="gone.html">x</a> <a href="#here">y</a>', encoding="utf-8")
        done = subprocess.run([sys.executable, TOP / "docs/check_links.py", folder], capture_output=True, text=True)
    assert done.returncode == 1 and "gone.html leads nowhere" in done.stdout and "#here: no such anchor" in done.stdout
