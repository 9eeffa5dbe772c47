"""The guides in docs/guides, which the tests follow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]


class Block(NamedTuple):
    """A fenced block of a guide."""

    language: str
    path: str
    """The file of the repository that it shows, or an empty text."""
    code: str


def blocks_of(name: str) -> list[Block]:
    text = (ROOT / "docs" / "guides" / f"{name}.md").read_text("utf-8")
    return [Block(*each) for each in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


def commands_of(name: str) -> list[str]:
    """Return the shell commands of a guide, one text per block."""
    return [block.code.strip() for block in blocks_of(name) if block.language == "sh"]


def files_of(name: str) -> dict[str, str]:
    """Return the files that a guide shows: paths in the app, and texts."""
    return {block.path.split("/", 2)[2]: block.code for block in blocks_of(name) if block.path}


def write_files(name: str, directory: Path) -> None:
    """Write the files that a guide shows."""
    for path, text in files_of(name).items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text, "utf-8")
