"""Conditions and orders of items, as the service and a device evaluate them (docs/contract.md#comparisons)."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

from typing_extensions import TypedDict

from ._case_folding import folded
from ._errors import InvalidRequestError

Item = Mapping[str, Any]

TextConditions = TypedDict(
    "TextConditions",
    {
        "eq": str,
        "neq": str,
        "gt": str,
        "gte": str,
        "lt": str,
        "lte": str,
        "in": Sequence[str],
        "like": str,
        "ilike": str,
        "is_null": bool,
    },
    total=False,
)
"""Conditions of a text. All must be met. Texts are compared by code points.

In patterns of `like`, and of `ilike`, which ignores case, `*` stands for any characters. `\\*` is an asterisk.
"""
NumberConditions = TypedDict(
    "NumberConditions",
    {
        "eq": float,
        "neq": float,
        "gt": float,
        "gte": float,
        "lt": float,
        "lte": float,
        "in": Sequence[float],
        "is_null": bool,
    },
    total=False,
)
"""Conditions of a number. All must be met."""


class BooleanConditions(TypedDict, total=False):
    """Conditions of a boolean. All must be met."""

    eq: bool
    neq: bool
    is_null: bool


class JsonCondition(TypedDict, total=False):
    """The condition of a value of the type `json`."""

    is_null: bool


TextCondition = Union[str, TextConditions]
"""The text, or conditions of it. A comparison with an absent value never matches."""
NumberCondition = Union[float, NumberConditions]
"""The number, or conditions of it. A comparison with an absent value never matches."""
BooleanCondition = Union[bool, BooleanConditions]
"""The value, or conditions of it. A comparison with an absent value never matches."""

SORTED = 200
"""Characters of a text that determine its place in an order."""


def conditions_of(
    where: Mapping[str, Any] | None, conditions: Mapping[str, str | Sequence[str]] | None
) -> Dict[str, List[str]]:
    """Return all conditions as the service expects them in a query."""
    found: Dict[str, List[str]] = {}
    for name, condition in (where or {}).items():
        found[name] = [_text(operator, value) for operator, value in _operators(name, condition)]
    for name, texts in (conditions or {}).items():
        found.setdefault(name, []).extend([texts] if isinstance(texts, str) else texts)
    return found


def selected(
    items: Iterable[Item], where: Mapping[str, Any] | None, order: str | None, limit: int | None
) -> List[Item]:
    """Return the items that meet all conditions, in an order: by default that of their IDs."""
    tests = [(name, _operators(name, condition)) for name, condition in (where or {}).items()]
    keys = _keys(order)
    for name in [*(name for name, _ in tests), *(name for name, _ in keys)]:
        if name in ("created_at", "updated_at"):
            raise InvalidRequestError(f"Devices do not have `{name}`. List the items of the service instead.")
    found = [item for item in items if all(_is_met(item.get(name), each) for name, each in tests)]
    found.sort(key=lambda item: item["id"], reverse=bool(keys) and keys[-1][1])
    for name, is_descending in reversed(keys):
        present = [item for item in found if _rank(item.get(name)) is not None]
        absent = [item for item in found if _rank(item.get(name)) is None]
        present.sort(key=_sort_key(name), reverse=is_descending)
        found = present + absent
    return found[:limit]


def _operators(name: str, condition: Any) -> List[Tuple[str, Any]]:
    """Return the operators of a condition with their values."""
    found = list(condition.items()) if isinstance(condition, Mapping) else [("eq", condition)]
    for operator, value in found:
        if operator not in OPERATORS:
            allowed = "`, `".join(OPERATORS)
            raise InvalidRequestError(f"`{operator}` is not an operator. Use `{allowed}` for `{name}`.")
        values = value if operator == "in" and isinstance(value, (list, tuple)) else [value]
        rank, kind = NEEDED.get(operator, (None, "a text, a number or a boolean"))
        if any(_rank(each) is None or rank not in (None, _rank(each)) for each in values):
            about = ' Use `{"is_null": True}` to find items without a value.' if value is None else ""
            raise InvalidRequestError(f"The condition `{operator}` of `{name}` needs {kind}.{about}")
    return found


def _text(operator: str, value: Any) -> str:
    if operator == "is_null":
        return "is.null" if value else "not.is.null"
    if operator == "in":
        return f"in.({','.join(_quoted(each) if isinstance(each, str) else json.dumps(each) for each in value)})"
    return f"{operator}.{value if isinstance(value, str) else json.dumps(value)}"


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _rank(value: Any) -> int | None:
    """Return a number for the type of a value that can be compared. Only values of the same type are."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return 1
    return 2 if isinstance(value, str) else None


def _comparable(value: Any) -> Any:
    # Other numbers than integers of 64 bits are doubles.
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return float(value) if is_large else value


def _sort_key(name: str) -> Callable[[Item], Any]:
    def key(item: Item) -> Any:
        value = item[name]
        return _rank(value), value[: None if name == "id" else SORTED] if isinstance(value, str) else _comparable(value)

    return key


def _keys(order: str | None) -> List[Tuple[str, bool]]:
    """Return the fields of an order such as `rank.desc,title`, and whether the largest value is first."""
    parts = [part.partition(".") for part in order.split(",")] if order else []
    for name, dot, direction in parts:
        if not name or (dot and direction not in ("asc", "desc")):
            raise InvalidRequestError(f"{order!r} is not a valid order, such as `rank.desc,title`.")
    return [(name, direction == "desc") for name, _, direction in parts]


def _is_met(value: Any, operators: List[Tuple[str, Any]]) -> bool:
    return all(OPERATORS[operator](value, expected) for operator, expected in operators)


def _compared(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return the test of values that are of the same type."""

    def is_true(value: Any, expected: Any) -> bool:
        return _rank(value) == _rank(expected) is not None and test(_comparable(value), _comparable(expected))

    return is_true


def _is_like(text: Any, pattern: Any) -> bool:
    """Return whether a text has the literal parts of a pattern in their order."""
    parts = [""]
    for part in re.findall(r"\\[*\\]|.", pattern, re.DOTALL):
        if part == "*":
            parts.append("")
        else:
            parts[-1] += part[-1]
    first, *middle = parts
    if not middle:
        return bool(text == first)
    last = middle.pop()
    if not text.startswith(first):
        return False
    at = len(first)
    for part in middle:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - len(last) >= at and bool(text.endswith(last))


_is_equal = _compared(lambda value, expected: bool(value == expected))

NEEDED = {"is_null": (0, "a boolean"), "like": (2, "a text"), "ilike": (2, "a text")}
"""The types of values that operators need, if not any."""
OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": _is_equal,
    "neq": _compared(lambda value, expected: bool(value != expected)),
    "gt": _compared(lambda value, expected: bool(value > expected)),
    "gte": _compared(lambda value, expected: bool(value >= expected)),
    "lt": _compared(lambda value, expected: bool(value < expected)),
    "lte": _compared(lambda value, expected: bool(value <= expected)),
    "in": lambda value, expected: any(_is_equal(value, each) for each in expected),
    "like": _compared(_is_like),
    "ilike": _compared(lambda value, expected: _is_like(folded(value), folded(expected))),
    "is_null": lambda value, expected: (value is None) == expected,
}
