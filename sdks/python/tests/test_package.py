"""The package that is published, and what it needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from steward_sdk import __version__

PACKAGE = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> str:
    result = subprocess.run([sys.executable, *arguments], cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_a_wheel_has_the_types_and_the_license(tmp_path: Path) -> None:
    run("-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name == f"steward_sdk-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("METADATA")]
    sources = {str(path.relative_to(PACKAGE / "src")) for path in (PACKAGE / "src").rglob("*.py")}
    assert sources | {"steward_sdk/py.typed"} <= names
    assert not any(name.startswith(("tests", "scripts", "examples")) for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for line in (
        "License-Expression: Apache-2.0",
        "Requires-Python: >=3.10",
        "Provides-Extra: tokens",
        "Provides-Extra: live",
    ):
        assert line in metadata.splitlines()


def test_the_extras_are_optional() -> None:
    program = """
import sys
sys.path.insert(0, "src")
sys.modules["jwt"] = sys.modules["websockets"] = sys.modules["cryptography"] = None
import steward_sdk, steward_sdk.models, steward_sdk.sign_in, steward_sdk.webhooks
try:
    import steward_sdk.tokens
except ImportError:
    print("tokens")
try:
    import steward_sdk.live
except ImportError:
    print("live")
"""
    assert run("-c", program).split() == ["tokens", "live"]


def test_the_generator_needs_only_the_standard_library() -> None:
    program = """
import sys
sys.path = [path for path in sys.path if "site-packages" not in path]
sys.argv = ["scripts/generate.py", "--check"]
import runpy
runpy.run_path("scripts/generate.py", run_name="__main__")
"""
    run("-c", program)
