"""The items of a table on this device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Dict, Generic, List, cast
from uuid import uuid4

from typing_extensions import Self

from ._change import Change, copied
from ._errors import InvalidRequestError
from ._live_changes import LiveChange
from ._query import selected
from ._tables import Changes, Entry, Fields, Table, Where

if TYPE_CHECKING:
    from .live import LiveItems


class AtomicTable(Generic[Fields, Changes]):
    """Changes of items in a table."""

    def __init__(self, write: Callable[[Change], None], name: str) -> None:
        self._write = write
        self._name = name

    def create(self, value: Fields) -> str:
        """Create an item. Returns its ID."""
        item_id = str(uuid4())
        self.put(item_id, value)
        return item_id

    def put(self, item_id: str, value: Fields) -> None:
        """Create or replace an item."""
        self._write(copied({"type": 1, "table": self._name, "key": item_id, "obj": dict(value)}))

    def patch(self, item_id: str, changes: Changes) -> None:
        """Change fields of an item. None removes one. Other fields keep what other devices store at the same time."""
        self._write(copied({"type": 2, "table": self._name, "key": item_id, "mods": dict(changes)}))

    def delete(self, item_id: str) -> None:
        """Delete an item."""
        self._write(copied({"type": 3, "table": self._name, "key": item_id}))


class AtomicWrite:
    """Changes of several items that the service stores together, or not at all: `LiveItems.atomic`."""

    def __init__(self, live: LiveItems) -> None:
        self._live = live
        self._name = str(uuid4())
        self._changes: List[Change] = []
        self._has_ended = False

    def table(self, table: Table[Fields, Entry, Changes, Where]) -> AtomicTable[Fields, Changes]:
        """Return a table, for changes of its items."""
        return AtomicTable(self._add, table.name)

    async def stored(self, timeout: float | None = None) -> None:
        """Wait until the service has the changes. Raises the reason if it stored none of them: `InvalidRequestError`.
        Otherwise raises as `LiveTable.stored`.

        :param timeout: How long to wait, in seconds. By default, until this device is online.
        """
        waiting = self._live._wait_until_stored(self._name)
        await self._live._within(timeout, waiting, "The items were not stored")

    def _add(self, change: Change) -> None:
        if self._has_ended:
            raise InvalidRequestError("The atomic write has ended. Make its changes inside of `with`.")
        self._changes.append({**change, "atomic": self._name})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._has_ended = True
        if kind is None and self._changes:
            self._live._write(*self._changes)


class LiveTable(AtomicTable[Fields, Changes], Generic[Fields, Entry, Changes, Where]):
    """The items of a table. Changes apply at once, and are sent when this device is connected.

    They raise `InvalidRequestError`, in the words of the service, if the service would not store them: a value that does not
    match the schema, or an item or ID that is not valid. They raise `StewardError` with the code `too_many_items` if 50,000
    changes wait for the service.
    """

    def __init__(self, live: LiveItems, name: str) -> None:
        super().__init__(live._write, name)
        self._live = live

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
