"""Tables, with the types of their items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Generic, Mapping

from typing_extensions import TypeVar

Fields = TypeVar("Fields", bound=Mapping[str, Any], default=Dict[str, Any])
"""The fields of an item, as they are sent."""
Entry = TypeVar("Entry", bound=Mapping[str, Any], default=Dict[str, Any])
"""An item as it is returned: its fields, `id`, `created_at` and `updated_at`."""
Changes = TypeVar("Changes", bound=Mapping[str, Any], default=Dict[str, Any])
"""Fields to change. None removes an optional one."""

Where = TypeVar("Where", bound=Mapping[str, Any], default=Dict[str, Any])
"""Conditions of items, by field."""


@dataclass(frozen=True)
class Table(Generic[Fields, Entry, Changes, Where]):
    """Name of a table, with the types of its items.

    `steward schema types --lang python` prints one for each table of the schema. The types of `Table("notes")`, or of the
    name alone, are `dict[str, Any]`.
    """

    name: str

    def __str__(self) -> str:
        return self.name
