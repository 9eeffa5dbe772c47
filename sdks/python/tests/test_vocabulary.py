"""The three SDKs use the same words (docs/sdks.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "sdks.md").read_text("utf-8")
SOURCES = {
    "TypeScript": ("sdks/typescript/src", "*.ts"),
    "Python": ("sdks/python/src", "*.py"),
    "Rust": ("crates/client/src", "*.rs"),
}
STATEMENTS = {"await", "for", "for await"}
"""Words of the languages themselves."""


def source_of(language: str) -> str:
    directory, pattern = SOURCES[language]
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / directory).rglob(pattern)))


def rows() -> list[list[str]]:
    lines = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


def test_every_table_has_a_column_for_each_sdk() -> None:
    heads = [row for row in rows() if row[0] == "What you want"]
    assert heads == [["What you want", *SOURCES]] * 3
    assert {len(row) for row in rows()} == {1 + len(SOURCES)}


@pytest.mark.parametrize("language", SOURCES)
def test_an_sdk_has_the_words_of_its_column(language: str) -> None:
    column = 1 + list(SOURCES).index(language)
    words = {word for row in rows() if row[0] != "What you want" for word in re.findall(r"`([^`]+)`", row[column])}
    source = source_of(language)
    # What is defined: a function, a member, a parameter or a type. Rust makes methods of `name(...) => Operation`.
    defined = r"\b{0}\b\??(?:<[^>\n]*>)?\s*(?:[(:{{]|=(?!=))"
    missing = [word for word in words - STATEMENTS if not re.search(defined.format(re.escape(word)), source)]
    assert sorted(missing) == []
    assert len(words) > 30


@pytest.mark.parametrize("file", ["live", "items", "atomic"])
def test_items_of_typescript_have_the_words_of_their_row(file: str) -> None:
    [cell] = [row[1] for row in rows() if row[0] == "Change an item"]
    words = re.findall(r"`([^`]+)`", cell.split(";")[0])
    # Other classes have methods with these names, too.
    source = (ROOT / SOURCES["TypeScript"][0] / "client" / f"{file}.ts").read_text("utf-8")
    assert len(words) == 4
    assert [word for word in words if not re.search(rf"^  {word}[<(]", source, re.MULTILINE)] == []


def test_the_same_words_are_in_all_columns() -> None:
    different = {}
    for what, *cells in rows():
        names = [{snake(word) for word in re.findall(r"`([^`]+)`", cell)} for cell in cells]
        if what != "What you want" and not (names[0] & names[1] or names[1] & names[2]):
            different[what] = names
    # These depend on the language.
    allowed = {
        "What is in the response, alone",
        "Read a list",
        "Status and request ID, too",
        "A token that is valid now",
    }
    assert set(different) <= allowed


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def methods(source: str, call: str, owner: str, method: str) -> dict[str, set[tuple[str, str]]]:
    """Return the groups and methods of each operation."""
    found: dict[str, set[tuple[str, str]]] = {}
    group = name = ""
    for line in source.splitlines():
        [group] = re.findall(f"^{owner}", line) or [group]
        [name] = re.findall(f"^{method}", line) or [name]
        for operation in re.findall(call, line):
            found.setdefault(plain(operation), set()).add((plain(group), plain(name)))
    return found


def plain(name: str) -> str:
    return name.replace("_", "").lower()


def test_an_operation_has_the_same_method_in_typescript_and_python() -> None:
    generated = ROOT / SOURCES["TypeScript"][0] / "generated" / "resources.ts"
    typescript = methods(
        generated.read_text("utf-8"), r"\(operations\.(\w+)", r"export class (\w+)", r"  (\w+)(?:<.*?>)?\("
    )
    generated = ROOT / SOURCES["Python"][0] / "steward_sdk" / "_generated" / "sync_resources.py"
    python = methods(generated.read_text("utf-8"), r"\bops\.(\w+)", r"class (\w+)", r"    def (\w+)\(")
    assert len(python) > 100
    assert typescript == python
