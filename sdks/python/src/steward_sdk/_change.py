"""Changes of items, as devices and the service send them to each other."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

from ._errors import InvalidRequestError, InvalidResponseError

Item = Dict[str, Any]
Change = Dict[str, Any]
"""A change: type 1 creates or replaces an item, 2 changes fields, 3 deletes it. On this device, `atomic` names the
changes that the service stores together, or not at all. It is not sent."""
Key = Tuple[str, str]
"""Table and ID of an item."""


@dataclass(frozen=True)
class Reason:
    """Why the service did not store a change."""

    code: str
    message: str


def key_of(change: Change) -> Key:
    """Return which item a change concerns."""
    table, key = change.get("table"), change.get("key")
    if not isinstance(table, str) or not isinstance(key, str):
        raise InvalidResponseError("The service sent a change without a table or key.")
    return table, key


def copied(change: Mapping[str, Any]) -> Change:
    """Return a copy of a local change, which the caller cannot change, if it can be sent."""
    try:
        text = json.dumps(change, allow_nan=False)
        # Half of a surrogate pair is not Unicode.
        json.dumps(change, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequestError(f"The change cannot be sent as JSON: {error}.") from None
    made: Change = json.loads(text)
    return made


def applied_to(change: Change, item: Item | None) -> Item | None:
    """Return the item after a change."""
    if change["type"] == 3:
        return None
    if change["type"] == 1:
        return {**change["obj"], "id": change["key"]}
    changed = copy.deepcopy(item) if item else {}
    changed["id"] = change["key"]
    for path, value in change["mods"].items():
        *parents, name = path.split(".")
        target = changed
        for parent in parents:
            if not isinstance(target.get(parent), dict):
                target[parent] = {}
            target = target[parent]
        if value is None:
            target.pop(name, None)
        else:
            target[name] = value
    return changed


def includes(item: Item | None, change: Change) -> bool:
    """Return whether an item has what a change stores."""
    if change["type"] == 3 or item is None:
        return change["type"] == 3 and item is None
    expected = applied_to(change, item) or {}
    return all(item.get(name) == value for name, value in expected.items())
