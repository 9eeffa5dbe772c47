"""Texts that are equal if they differ only in case, as the service compares them."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict

from ._generated.case_folding import FOLDS


def folded(text: str) -> str:
    """Replace each character by the one that Unicode's simple case folding gives."""
    return text.lower() if text.isascii() else text.translate(_folds())


@lru_cache(maxsize=1)
def _folds() -> Dict[int, int]:
    folds: Dict[int, int] = {}
    character = 0
    # Each run is the distance of its first character to the one before, what is added to fold it, how many follow, and their
    # distance.
    for run in FOLDS.split():
        numbers = [int(number, 36) for number in run.split(",")]
        start, added, more, step = numbers + [0, 1][len(numbers) - 2 :]
        character += start
        for index in range(more + 1):
            folds[character] = character + added
            character += step if index < more else 0
    return folds
