"""The page about bad days names what each SDK does, and tests that exist (docs/bad-days.md)."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "bad-days.md"
FOLDERS = ("sdks/typescript/test", "sdks/python/tests", "crates/client/src", "tests/clients")
SDKS = ["TypeScript", "Python", "Rust"]
ENDS = {"TypeScript": ".mjs", "Python": ".py", "Rust": ".rs"}


def rows() -> list[tuple[str, str, str, str]]:
    """Return day, SDK, promise and tests of each row."""
    found: list[tuple[str, str, str, str]] = []
    day = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| Day |"):
            name, sdk, promise, tests = (cell.strip() for cell in line.strip("|").split("|"))
            day = name or day
            found.append((day, sdk, promise, tests))
    return found


def named_in(cell: str) -> list[tuple[str, str]]:
    named = (span.partition("::") for span in re.findall(r"`([^`]+)`", cell))
    return [(file, name) for file, separator, name in named if separator]


def has(file: str, name: str) -> bool:
    """Return whether a file has a test."""
    [source] = [path.read_text("utf-8") for folder in FOLDERS if (path := ROOT / folder / file).is_file()]
    if file.endswith(".mjs"):
        return any(f"test({quote}{name}{quote}, " in source for quote in '"`')
    return re.search(rf"^ *(?:async )?(?:def|fn) {name}\(", source, re.MULTILINE) is not None


def test_each_day_says_what_each_sdk_does() -> None:
    days: dict[str, list[str]] = {}
    for day, sdk, promise, _ in rows():
        assert promise
        days.setdefault(day, []).append(sdk)
    assert {tuple(sdks[:3]) for sdks in days.values()} == {tuple(SDKS)}
    assert len(days) > 10


def test_each_row_names_tests_of_its_sdk_which_exist() -> None:
    missing = []
    for day, sdk, _, cell in rows():
        tests = named_in(cell)
        assert tests or cell.startswith("No test: "), (day, sdk)
        ends = tuple(ENDS.values()) if sdk == "All" else ENDS[sdk]
        missing += [f"{file}::{name}" for file, name in tests if not file.endswith(ends) or not has(file, name)]
    assert missing == []


def test_a_test_that_does_not_exist_is_noticed() -> None:
    assert has("test_bad_days_page.py", "test_a_test_that_does_not_exist_is_noticed")
    assert not has("test_bad_days_page.py", "test_a_test_that_does_not_exist")
    assert not has("tabs.test.mjs", "a change that one tab made")
