"""What a device checks of a local change before it accepts it, in the words of the service."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator, Mapping, Sequence

from ._errors import InvalidRequestError, Violation

Schema = Mapping[str, Mapping[str, Any]]
"""The tables of a schema, with their fields by name."""

MAX_ITEM_BYTES = 256 * 1024
MAX_DEPTH = 30
"""How deeply arrays and objects can be nested in a field."""
MAX_TOGETHER = 1_000
"""How many changes and bytes the service stores together at most. The message has more members."""
MAX_TOGETHER_BYTES = 1024 * 1024 - 512
RESERVED = ("id", "created_at", "updated_at")
"""Members that are no fields. The service ignores them."""


def check(
    change: Mapping[str, Any], before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, schema: Schema
) -> None:
    """Raise an error if the service would not store a change.

    :param before: The item on this device before the change.
    :param after: The item after it.
    :param schema: What this device knows. Tables and fields that it does not have may be new, and are no errors.
    """
    id = change["key"]
    if not re.fullmatch(r"[A-Za-z0-9._~-]{1,128}", id):
        raise _error("invalid_key", "The key must be 1 to 128 characters from A-Z a-z 0-9 . _ ~ -.")
    if after is None:
        return
    if before is None and id in (".", ".."):
        raise _error("invalid_key", "The key must not be `.` or `..`, which would lead to another path.")
    sent = {name.split(".")[0] for name in (change["obj"] if change["type"] == 1 else change["mods"])}
    fields = {name: value for name, value in after.items() if name not in RESERVED and value is not None}
    if not all(_is_storable(fields[name]) for name in sent & fields.keys()):
        message = "A value has a NUL character, is nested too deeply, or is a number that would be changed."
        raise _error("invalid_item", message)
    # An item that this device does not have may have the other fields.
    is_whole = change["type"] == 1 or before is not None
    violations = tuple(_violations(schema.get(change["table"], {}), fields, is_whole))
    if violations:
        raise InvalidRequestError(violations[0].message, code="invalid_item", violations=violations)
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode("utf-8", "surrogatepass")) > MAX_ITEM_BYTES:
        message = "The value is too large: an item can hold at most 256 KiB of JSON. Split it into several items."
        raise _error("item_too_large", message)


def check_together(changes: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error if these are more changes than the service stores together."""
    size = len(json.dumps(changes, ensure_ascii=False).encode()) if len(changes) > 1 else 0
    if len(changes) > MAX_TOGETHER or size > MAX_TOGETHER_BYTES:
        raise _error("message_too_long", "An atomic write can have 1,000 changes and 1 MiB.")


def schema_of(response: Any) -> Schema:
    """Return what has to be known of the newest version of a schema, which the service returned."""
    try:
        tables = response["data"][0]["schema"]["tables"]
        return {
            table: {
                name: {"type": field.get("type"), "required": bool(field.get("required"))}
                for name, field in tables[table]["fields"].items()
            }
            for table in tables
        }
    except (LookupError, TypeError, AttributeError):
        # There is none, or it has another form: the service checks the changes.
        return {}


def _violations(known: Mapping[str, Any], fields: Mapping[str, Any], is_whole: bool) -> Iterator[Violation]:
    for name, value in sorted(fields.items()):
        expected = known.get(name, {}).get("type")
        got = _type_of(value)
        if expected and got != ("object" if expected == "json" else expected):
            yield Violation(f"Field {name} should be type {expected}, got {got}", f"/{name}")
    for name, field in known.items():
        if is_whole and field.get("required") and name not in fields:
            yield Violation(f"Field {name} is required", f"/{name}")


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else "object"


def _is_storable(value: Any, depth: int = 0) -> bool:
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, int):
        # An integer of 64 bits, or one that is a double exactly or as it is written.
        return -(2**63) <= value < 2**64 or _is_double(value)
    if isinstance(value, (list, dict)):
        members = value if isinstance(value, list) else [*value, *value.values()]
        return depth < MAX_DEPTH and all(_is_storable(member, depth + 1) for member in members)
    return True


def _is_double(value: int) -> bool:
    try:
        double = float(value)
    except OverflowError:
        return False
    return int(double) == value or _written(double) == value


def _written(double: float) -> int:
    """Return the integer that the shortest decimal form of a double is."""
    digits, _, exponent = f"{double!r}".partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction) * 10 ** (int(exponent) - len(fraction)) if exponent else int(whole)


def _error(code: str, message: str) -> InvalidRequestError:
    return InvalidRequestError(message, code=code)
