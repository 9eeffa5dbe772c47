"""The items of one person on this device: what the service has, and local changes on top."""

from __future__ import annotations

import copy
import json
from collections import deque
from dataclasses import dataclass
from typing import Any, Deque, Dict, Iterable, List, Mapping, Tuple

from ._errors import InvalidRequestError, InvalidResponseError, StewardError

Item = Dict[str, Any]
Change = Dict[str, Any]
"""A change as it is sent: type 1 creates or replaces an item, 2 changes fields, 3 deletes it."""
Key = Tuple[str, str]
"""Table and ID of an item."""

MAX_PENDING = 50_000
"""How many changes wait for the service at most. It rejects what exceeds this in one message, too."""
MAX_PORTION = 500
"""A portion has at most this many changes and characters. The service stores a portion in one transaction."""
MAX_PORTION_CHARS = 256 * 1024


@dataclass
class _Pending:
    sequence: int
    change: Change
    is_answered: bool = False
    """Whether the service has sent the item since the change was sent. Its state then includes the change, or corrects it."""


@dataclass(frozen=True)
class Applied:
    """What a message of the service changed."""

    keys: List[Key]
    """The items that changed."""
    corrected: List[Key]
    """The items of which the service did not store a local change as it was made."""


class Replica:
    """The items, and the changes that the service has not acknowledged."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        self.device: str | None = None
        self.revision: int | None = None
        self._base: Dict[Key, Item] = {}
        self._view: Dict[Key, Item] = {}
        self._outbox: Deque[_Pending] = deque()
        self._by_key: Dict[Key, Deque[_Pending]] = {}
        self._in_flight = 0
        self._sequence = 0
        # Items of a load of everything. Others are deleted at its end.
        self._loaded: set[Key] | None = None
        if state is not None:
            self._restore(state)

    def _restore(self, state: Mapping[str, Any]) -> None:
        try:
            self.device, self.revision = state["device"], state["revision"]
            self._base = {
                (table, id): dict(item) for table, items in state["items"].items() for id, item in items.items()
            }
            pending: List[Change] = list(state["pending"])
            self._sequence = int(state["sequence"]) - len(pending)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InvalidRequestError("This is not a state that `state` returned.") from None
        self._view = dict(self._base)
        for change in pending:
            self.write(change)

    def state(self) -> Dict[str, Any]:
        """Return everything as JSON."""
        items: Dict[str, Dict[str, Item]] = {}
        for (table, id), item in self._base.items():
            items.setdefault(table, {})[id] = item
        pending = [entry.change for entry in self._outbox]
        state = {
            "device": self.device,
            "revision": self.revision,
            "items": items,
            "pending": pending,
            "sequence": self._sequence,
        }
        return copy.deepcopy(state)

    @property
    def pending(self) -> int:
        """Number of changes that are not acknowledged."""
        return len(self._outbox)

    def items(self, table: str) -> Dict[str, Item]:
        """Return the items of a table by ID."""
        return {id: item for (name, id), item in self._view.items() if name == table}

    def item(self, key: Key) -> Item | None:
        return self._view.get(key)

    def write(self, change: Change) -> None:
        """Apply a local change."""
        if len(self._outbox) >= MAX_PENDING:
            message = f"{MAX_PENDING} changes wait for the service. Wait until `synced` before more are made."
            raise StewardError(message, code="too_many_items")
        self._sequence += 1
        entry = _Pending(self._sequence, change)
        self._outbox.append(entry)
        self._by_key.setdefault(_key(change), deque()).append(entry)
        self._show(_key(change))

    def begin_load(self) -> None:
        """Begin a load of what this device lacks, after which changes are sent."""
        self._in_flight = 0
        self._loaded = set() if self.revision is None else None

    def receive(self, changes: Iterable[Change], revision: int, is_loading: bool, is_last: bool) -> Applied:
        """Apply what the service sent."""
        # The service begins again: after a restore, it does not know the revision of this device.
        if is_loading and self.revision is not None and revision < self.revision and self._loaded is None:
            self._loaded = set()
        keys: Dict[Key, None] = {}
        unsent = self._outbox[self._in_flight].sequence if self._in_flight < len(self._outbox) else self._sequence + 1
        for change in changes:
            key = _key(change)
            self._set(key, _applied(change, self._base.get(key)))
            keys[key] = None
            if is_loading and self._loaded is not None:
                self._loaded.add(key)
            for entry in self._by_key.get(key, ()):
                if entry.sequence < unsent:
                    entry.is_answered = True
        if is_loading and is_last and self._loaded is not None:
            for key in [key for key in self._base if key not in self._loaded]:
                self._set(key, None)
                keys[key] = None
            self._loaded = None
        if not is_loading or is_last:
            self.revision = revision
        for key in keys:
            self._show(key)
        return Applied(list(keys), [])

    def portion(self) -> Tuple[List[Change], int] | None:
        """Return the changes to send next, and their ID. They are in flight until `acknowledge` or `begin_load`."""
        if self._in_flight or not self._outbox:
            return None
        size = 0
        sent: List[Change] = []
        for entry in self._outbox:
            size += len(json.dumps(entry.change))
            if len(sent) == MAX_PORTION or (size > MAX_PORTION_CHARS and sent):
                break
            entry.is_answered = False
            sent.append(entry.change)
        self._in_flight = len(sent)
        return sent, self._outbox[0].sequence

    def acknowledge(self, request_id: object) -> Applied | None:
        """The service has stored, or corrected, the changes in flight. Returns None for another ID."""
        if not self._in_flight or self._outbox[0].sequence != request_id:
            return None
        sent = [self._outbox.popleft() for _ in range(self._in_flight)]
        self._in_flight = 0
        for entry in sent:
            key = _key(entry.change)
            if not entry.is_answered:
                self._set(key, _applied(entry.change, self._base.get(key)))
            waiting = self._by_key[key]
            waiting.popleft()
            if not waiting:
                del self._by_key[key]
        keys = dict.fromkeys(_key(entry.change) for entry in sent)
        for key in keys:
            self._show(key)
        answered = [entry.change for entry in sent if entry.is_answered]
        corrected = [_key(change) for change in answered if not _includes(self._base.get(_key(change)), change)]
        return Applied(list(keys), list(dict.fromkeys(corrected)))

    def _set(self, key: Key, item: Item | None) -> None:
        if item is None:
            self._base.pop(key, None)
        else:
            self._base[key] = item

    def _show(self, key: Key) -> None:
        """Compute what the program sees of an item."""
        item = self._base.get(key)
        for entry in self._by_key.get(key, ()):
            item = _applied(entry.change, item)
        if item is None:
            self._view.pop(key, None)
        else:
            self._view[key] = item


def _key(change: Change) -> Key:
    table, key = change.get("table"), change.get("key")
    if not isinstance(table, str) or not isinstance(key, str):
        raise InvalidResponseError("The service sent a change without a table or key.")
    return table, key


def _applied(change: Change, item: Item | None) -> Item | None:
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


def _includes(item: Item | None, change: Change) -> bool:
    """Return whether an item has what a change stores."""
    if change["type"] == 3 or item is None:
        return change["type"] == 3 and item is None
    expected = _applied(change, item) or {}
    return all(item.get(name) == value for name, value in expected.items())
