"""mypy accepts the package and correct programs, and finds mistakes in the others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Sequence

import pytest

PACKAGE = Path(__file__).resolve().parent.parent


# The newest version of Python. mypy keeps what it found in the package once for each version.
NEWEST = "3.13"


def mypy(*paths: str, version: str = NEWEST, search: Sequence[Path] = (PACKAGE / "tests",)) -> list[str]:
    """Return the errors in strict mode. Other modules are found in the package and the directories in `search`."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        f"--python-version={version}",
        "--config-file",
        "",
        "--no-error-summary",
        "--show-error-codes",
        *paths,
    ]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, (PACKAGE / "src", *search)))}
    result = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True)
    assert not result.stderr, result.stderr
    return [line for line in result.stdout.splitlines() if " error: " in line]


@pytest.mark.parametrize("version", ["3.10", NEWEST])
def test_the_package_type_checks(version: str) -> None:
    assert mypy("src", "scripts", version=version) == []


def test_a_correct_program_type_checks_and_can_be_imported() -> None:
    import good_program

    assert good_program.EARLIER.name == "notes"
    assert mypy("tests/tables.py", "tests/good_program.py") == []


def test_the_samples_type_check() -> None:
    assert mypy("samples/operations.py") == []


def test_each_mistake_in_a_program_is_an_error() -> None:
    lines = (PACKAGE / "tests" / "bad_program.py").read_text("utf-8").splitlines()
    expected = {number: line.rsplit("# ", 1)[1] for number, line in enumerate(lines, 1) if "  # " in line}
    found: dict[int, set[str]] = {}
    for error in mypy("tests/bad_program.py"):
        match = re.fullmatch(r"tests/bad_program\.py:(\d+): error: .*\[([\w-]+)\]", error)
        assert match, error
        found.setdefault(int(match[1]), set()).add(match[2])
    assert found.keys() == expected.keys()
    assert len(expected) > 15
    assert [number for number, code in expected.items() if code not in found[number]] == []


def test_the_examples_type_check() -> None:
    examples = PACKAGE.parent.parent / "examples"
    for path in ("django/app.py", "django/settings.py", "fastapi/app.py", "flask/app.py", "python/notes.py", "python/report.py"):
        program = examples / path
        assert mypy(str(program), search=(program.parent, examples)) == []
