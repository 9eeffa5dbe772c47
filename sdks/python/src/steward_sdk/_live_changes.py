"""Changes of live items, for programs that follow them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Generic

from ._errors import StewardError
from ._tables import Fields

MAX_UNREAD = 10_000
"""How many changes wait for a reader at most."""


@dataclass(frozen=True)
class LiveChange(Generic[Fields]):
    """An item has changed, here or elsewhere."""

    table: str
    id: str
    item: Fields | None
    """The item now, or None if it does not exist."""
    is_correction: bool
    """Whether the service did not store a local change as it was made, because it does not match the schema, or another
    device changed the item at the same time. The item is then that of the service."""
    code: str | None = None
    """Why the service did not store it, such as `invalid_item`, or None if it is not known. With `quota_exceeded`, the change
    is no correction: it is kept, and sent again when there may be room."""
    message: str | None = None
    """The reason, for people."""


class Reader(asyncio.Queue["LiveChange | None"]):
    """The changes that a program has not read yet: of a table, or of all. None is their end."""

    def __init__(self, table: str | None) -> None:
        super().__init__()
        self._table = table

    def add(self, change: LiveChange) -> None:
        # One more marks the reader as too slow.
        if self._table in (None, change.table) and self.qsize() <= MAX_UNREAD:
            self.put_nowait(change)

    async def next(self) -> LiveChange | None:
        if self.qsize() > MAX_UNREAD:
            raise StewardError(f"{MAX_UNREAD} changes were not read. Read `items` again.", code="too_many_items")
        return await self.get()
