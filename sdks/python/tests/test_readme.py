"""The examples of the README type-check, and the first one runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from service import Service, unique
from test_types import PACKAGE, mypy

BLOCKS = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_an_example_type_checks(index: int, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(BLOCKS[index], "utf-8")
    assert mypy(str(program)) == []


def test_the_first_example_runs(service: Service) -> None:
    environment = {
        **os.environ,
        "STEWARD_URL": service.url,
        "STEWARD_TOKEN": service.token,
        "SLUG": unique("readme"),
        "PYTHONPATH": str(PACKAGE / "src"),
    }
    result = subprocess.run([sys.executable, "-c", BLOCKS[0]], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "Rocket\n" in result.stdout
