"""The items of a table on this device."""

from __future__ import annotations

from typing import TYPE_CHECKING, AsyncIterator, Dict, Generic, cast
from uuid import uuid4

from ._live_changes import LiveChange
from ._query import selected
from ._tables import Changes, Entry, Fields, Where

if TYPE_CHECKING:
    from .live import LiveItems


class LiveTable(Generic[Fields, Entry, Changes, Where]):
    """The items of a table. Changes apply at once, and are sent when this device is connected.

    They raise `InvalidRequestError`, in the words of the service, if the service would not store them: a value that does not
    match the schema, or an item or ID that is not valid. They raise `StewardError` with the code `too_many_items` if 50,000
    changes wait for the service.
    """

    def __init__(self, live: LiveItems, name: str) -> None:
        self._live = live
        self._name = name

    def items(
        self, *, where: Where | None = None, order: str | None = None, limit: int | None = None
    ) -> Dict[str, Fields]:
        """Return items by ID. Do not change them: use `put` and `patch`.

        :param where: Conditions, by field: a value, or operators such as `{"gte": 2}`. An item must meet all of them.
        :param order: Sort order, such as `rank.desc,title`. By default, items are sorted by ID.
        :param limit: Maximum number of items.
        """
        found = selected(self._live._replica.items(self._name).values(), where, order, limit)
        return cast("Dict[str, Fields]", {item["id"]: item for item in found})

    def get(self, item_id: str) -> Fields | None:
        """Return an item, or None if it does not exist. Do not change it: use `put` and `patch`."""
        return cast("Fields | None", self._live._replica.item((self._name, item_id)))

    def changes(self) -> AsyncIterator[LiveChange[Fields]]:
        """Iterate over the changes of this table, as `LiveItems.changes` does over those of all tables."""
        return cast("AsyncIterator[LiveChange[Fields]]", self._live._changes(self._name))

    async def stored(self, item_id: str, timeout: float | None = None) -> None:
        """Wait until the service has the changes of an item that were made here.

        Raises the reason if it did not store one of them: `InvalidRequestError`, or `StewardError` with the code
        `quota_exceeded`. Otherwise raises as `LiveItems.synced`.

        :param timeout: How long to wait, in seconds. By default, until this device is online.
        """
        waiting = self._live._wait_until_stored((self._name, item_id))
        await self._live._within(timeout, waiting, "The item was not stored")

    def create(self, value: Fields) -> str:
        """Create an item. Returns its ID."""
        item_id = str(uuid4())
        self.put(item_id, value)
        return item_id

    def put(self, item_id: str, value: Fields) -> None:
        """Create or replace an item."""
        self._live._write({"type": 1, "table": self._name, "key": item_id, "obj": dict(value)})

    def patch(self, item_id: str, changes: Changes) -> None:
        """Change fields of an item. None removes one. Other fields keep what other devices store at the same time."""
        self._live._write({"type": 2, "table": self._name, "key": item_id, "mods": dict(changes)})

    def delete(self, item_id: str) -> None:
        """Delete an item."""
        self._live._write({"type": 3, "table": self._name, "key": item_id})
