"""The items of one person on this device: what the service has, and local changes on top."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Set, Tuple

from ._change import Change, Item, Key, Reason, applied_to, includes, key_of
from ._checks import Schema, check, check_together
from ._errors import InvalidRequestError, StewardError
from ._outbox import Outbox, Pending

MAX_PENDING = 50_000
"""How many changes wait for the service at most. It rejects what exceeds this in one message, too."""
OVER_QUOTA = "quota_exceeded"
"""A change that is rejected with this code is kept, and sent again when there may be room."""
NOT_ATOMIC = Reason(
    "not_supported", "The service does not know atomic writes. Update it, or write each item by itself."
)


@dataclass(frozen=True)
class Applied:
    """What a message of the service changed."""

    keys: List[Key]
    """The items that changed."""
    corrected: Dict[Key, Reason | None] = field(default_factory=dict)
    """The items of which the service did not store a local change as it was made."""
    held: Dict[Key, Reason] = field(default_factory=dict)
    """The items of which local changes are kept, because a quota is reached."""
    groups: Dict[str, Reason] = field(default_factory=dict)
    """The changes that belong together of which the service stored none."""


@dataclass
class Journal:
    """What has changed since it was stored."""

    items: Dict[Key, None] = field(default_factory=dict)
    added: Dict[int, Change] = field(default_factory=dict)
    removed: List[int] = field(default_factory=list)


class Replica:
    """The items, and the changes that the service has not acknowledged."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        self.device: str | None = None
        self.revision: int | None = None
        self.schema: Schema = {}
        """The schema that the device knows: empty before its first connection."""
        self.owner: Dict[str, str] = {}
        """The project and the person whose items these are, if they are known."""
        self.is_atomic: bool | None = None
        """Whether the service stores changes together. None before the first connection."""
        self.journal: Journal | None = None
        """What has to be stored, if there is a store."""
        self._base: Dict[Key, Item] = {}
        self._view: Dict[Key, Item] = {}
        self._outbox = Outbox()
        self._in_flight: List[Pending] = []
        # What was in flight when the connection ended. The service recognizes it if it is sent again as it was.
        self._interrupted: List[Pending] = []
        self._has_room = False
        self._sequence = 0
        # What the service has, in a load of everything. Other items are deleted at its end.
        self._loaded: Set[Key] | None = None
        if state is not None:
            self._restore(state)

    def belongs_to(self, owner: Mapping[str, str]) -> bool:
        """Return whether these are the items of a person in a project, and keep who it is."""
        if any(self.owner.get(name, value) != value for name, value in owner.items()):
            return False
        self.owner.update(owner)
        return True

    def _restore(self, state: Mapping[str, Any]) -> None:
        try:
            self.device, self.revision = state["device"], state["revision"]
            self.owner, self.schema = dict(state.get("owner", {})), dict(state.get("schema", {}))
            self._base = {
                (table, id): dict(item) for table, items in state["items"].items() for id, item in items.items()
            }
            pending: List[Change] = list(state["pending"])
            last = int(state["sequence"])
            sequences = [int(each) for each in state.get("sequences", range(last - len(pending) + 1, last + 1))]
            self._view = dict(self._base)
            for sequence, change in zip(sequences, pending, strict=True):
                self._add(Pending(sequence, change))
            self._sequence = last
            self._in_flight = [self._outbox[sequence] for sequence in state.get("in_flight", ())]
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InvalidRequestError("This is not a state that `state` returned.") from None

    def state(self) -> Dict[str, Any]:
        """Return everything as JSON."""
        items: Dict[str, Dict[str, Item]] = {}
        for (table, id), item in self._base.items():
            items.setdefault(table, {})[id] = item
        unsent = self.unsent()
        pending = {"pending": [change for _, change in unsent], "sequences": [sequence for sequence, _ in unsent]}
        return copy.deepcopy({**self.meta(), **pending, "items": items})

    def meta(self) -> Dict[str, Any]:
        """Return what a state has besides the items and the changes."""
        known = {"device": self.device, "revision": self.revision, "owner": self.owner}
        sent = [entry.sequence for entry in self._in_flight or self._interrupted]
        return {**known, "schema": self.schema, "sequence": self._sequence, "in_flight": sent}

    def stored_keys(self) -> List[Key]:
        """Return the keys of the items that the service has."""
        return list(self._base)

    def unsent(self) -> List[Tuple[int, Change]]:
        """Return the changes that are not acknowledged, with their numbers."""
        return [(entry.sequence, entry.change) for entry in self._outbox]

    @property
    def pending(self) -> int:
        """Number of changes that are not acknowledged."""
        return len(self._outbox)

    def has_pending(self, name: Key | str) -> bool:
        """Return whether changes of an item, or changes that belong together, are not acknowledged."""
        return any(True for _ in self._outbox.of(name))

    @property
    def held(self) -> Dict[Key, Reason]:
        """The items of which changes are kept until there is room for them. All later changes of them wait, too."""
        return self._outbox.held

    def waits(self, name: Key | str) -> Reason | None:
        """Return why changes of an item, or changes that belong together, wait for room."""
        reasons = self._outbox.reasons
        return next((reasons[entry.sequence] for entry in self._outbox.of(name) if entry.sequence in reasons), None)

    @property
    def is_waiting_for_room(self) -> bool:
        """Whether all changes that are not acknowledged wait for room."""
        return len(self._outbox) == len(self._outbox.reasons) > 0

    def items(self, table: str) -> Dict[str, Item]:
        """Return the items of a table by ID."""
        return {id: item for (name, id), item in self._view.items() if name == table}

    def item(self, key: Key) -> Item | None:
        return self._view.get(key)

    def stored_item(self, key: Key) -> Item | None:
        """Return an item as the service has it."""
        return self._base.get(key)

    def write(self, *changes: Change) -> None:
        """Apply local changes: one, or several that belong together."""
        if "atomic" in changes[0] and self.is_atomic is False:
            raise StewardError(NOT_ATOMIC.message, code=NOT_ATOMIC.code)
        items: Dict[Key, Item | None] = {}
        for change in changes:
            key = key_of(change)
            item = items[key] if key in items else self._view.get(key)
            items[key] = applied_to(change, item)
            check(change, item, items[key], self.schema)
        check_together(changes)
        for change in changes:
            if change["type"] != 2:
                # It replaces what waits, which would have no effect any more.
                self._drop(self._outbox.replaced(key_of(change)))
        if len(self._outbox) + len(changes) > MAX_PENDING:
            message = f"{MAX_PENDING} changes wait for the service. Wait until `synced` before more are made."
            raise StewardError(message, code="too_many_items")
        for change in changes:
            self._sequence += 1
            self._add(Pending(self._sequence, change))

    def discard(self, key: Key) -> Applied:
        """Give up the changes of an item that wait for room, and what belongs together with them."""
        return Applied([key, *self._drop(self._outbox.given_up(key))])

    def release(self) -> bool:
        """Send the changes again that wait for room. Returns whether there are any."""
        return self._outbox.release()

    def connected(self, device: str, is_atomic: bool) -> Applied:
        """Begin a connection. A service that does not know atomic messages would store a part of them: gives them up."""
        self.device, self.is_atomic = device, is_atomic
        refused = [] if is_atomic else [entry for entry in self._outbox if entry.group]
        applied = self._refuse(refused, NOT_ATOMIC)
        # What belongs together is in flight alone.
        self._in_flight, self._interrupted = (
            [entry for entry in sent if entry not in refused] for sent in (self._in_flight, self._interrupted)
        )
        return applied

    def begin_load(self) -> None:
        """Begin a load of what this device lacks, after which changes are sent."""
        self._interrupted = self._in_flight or self._interrupted
        for entry in self._in_flight:
            entry.is_in_flight, entry.is_unclear = False, True
        self._in_flight = []
        self._loaded = set() if self.revision is None else None

    def receive(
        self, changes: Iterable[Change], revision: int, is_loading: bool, is_last: bool, is_complete: bool | None = None
    ) -> Applied:
        """Apply what the service sent.

        :param is_complete: In a load of everything, whether this is its last message. Earlier versions of the service do not
            say it. They begin again with a lower revision if they do not know that of this device.
        """
        begins_again = is_loading and self.revision is not None and revision < self.revision
        if self._loaded is None and (is_complete is not None or begins_again):
            self._loaded = set()
        is_end = is_loading and is_last if is_complete is None else is_complete
        keys: Dict[Key, None] = {}
        for change in changes:
            key = key_of(change)
            item = applied_to(change, self._base.get(key))
            if item is None and key in self._base and "code" not in change:
                # There may be room now, also for what is in flight, which the service may have tried before.
                self.release()
                self._has_room = True
            self._set(key, item)
            keys[key] = None
            reason = Reason(change["code"], change.get("message", "")) if "code" in change else None
            for entry in self._outbox.of(key):
                if entry.is_in_flight:
                    entry.is_answered, entry.reason = True, reason or entry.reason
                entry.is_unclear = entry.is_unclear and not is_loading
        if is_end and self._loaded is not None:
            for key in [key for key in self._base if key not in self._loaded]:
                self._set(key, None)
                keys[key] = None
                # Their room is free now.
                self.release()
            self._loaded = None
        # An end of the connection during a load of everything does not lose the revision.
        if is_end or (not is_loading and is_complete is None):
            self.revision = revision
        for key in keys:
            self._show(key)
        return Applied(list(keys))

    def portion(self) -> Tuple[List[Change], int] | None:
        """Return the changes to send next, and their ID. They are in flight until `acknowledge` or `begin_load`."""
        if self._in_flight:
            return None
        # The service answers a portion that it has received before with the reasons of then: there may be room now.
        self._has_room = bool(self._interrupted)
        self._in_flight, self._interrupted = self._interrupted or self._outbox.next(), []
        for entry in self._in_flight:
            entry.is_in_flight, entry.is_answered, entry.reason = True, False, None
        if not self._in_flight:
            return None
        return [entry.message for entry in self._in_flight], self._in_flight[0].sequence

    @property
    def is_together(self) -> bool:
        """Whether the changes in flight belong together."""
        return bool(self._in_flight and self._in_flight[0].group)

    def acknowledge(self, request_id: object) -> Applied | None:
        """The service has stored, or corrected, the changes in flight. Returns None for another ID."""
        if not self._in_flight or self._in_flight[0].sequence != request_id:
            return None
        sent, self._in_flight = self._in_flight, []
        group = sent[0].group
        refused = next((entry.reason for entry in sent if entry.reason), None) if group else None
        if refused:
            return self._refuse(sent, refused)
        # All changes that belong together are stored.
        kept = set() if group else self._kept(sent)
        applied = Applied(list(dict.fromkeys(entry.key for entry in sent)))
        for entry in sent:
            key = entry.key
            entry.is_in_flight = entry.is_unclear = False
            if entry.sequence in kept:
                if entry.reason:
                    applied.held[key] = entry.reason
                continue
            if not entry.is_answered:
                if entry.change["type"] == 3 and key in self._base:
                    # There may be room now for what did not fit before.
                    self.release()
                self._set(key, applied_to(entry.change, self._base.get(key)))
            elif not group and not includes(self._base.get(key), entry.change):
                applied.corrected[key] = entry.reason
            self._remove(entry)
        if not self._has_room:
            self._outbox.hold(applied.held)
        for key in applied.keys:
            self._show(key)
        return applied

    def _refuse(self, entries: Iterable[Pending], reason: Reason) -> Applied:
        """Take back changes that belong together, of which the service stores none."""
        keys = self._drop(entries)
        groups = {entry.group: reason for entry in entries if entry.group}
        return Applied(keys, dict.fromkeys(keys, reason), groups=groups)

    def _kept(self, sent: List[Pending]) -> Set[int]:
        """Return which changes are kept: those of an item after the last one that is stored, if a quota or an unknown reason
        prevented them."""
        kept: Set[int] = set()
        settled: Set[Key] = set()
        for entry in reversed(sent):
            key = entry.key
            if includes(self._base.get(key), entry.change):
                settled.add(key)
            is_held = entry.reason is not None and entry.reason.code == OVER_QUOTA
            is_unknown = entry.is_unclear and entry.is_answered and entry.reason is None
            if (is_held or is_unknown) and key not in settled:
                kept.add(entry.sequence)
        return kept

    def _add(self, entry: Pending) -> None:
        self._outbox.add(entry)
        self._show(entry.key)
        if self.journal:
            self.journal.added[entry.sequence] = entry.change

    def _drop(self, entries: Iterable[Pending]) -> List[Key]:
        """Give up changes. Returns their items."""
        for entry in entries:
            self._remove(entry)
        keys = list(dict.fromkeys(entry.key for entry in entries))
        for key in keys:
            self._show(key)
        return keys

    def _remove(self, entry: Pending) -> None:
        self._outbox.remove(entry)
        if self.journal and not self.journal.added.pop(entry.sequence, None):
            self.journal.removed.append(entry.sequence)

    def _set(self, key: Key, item: Item | None) -> None:
        if item is None:
            self._base.pop(key, None)
        else:
            self._base[key] = item
            if self._loaded is not None:
                self._loaded.add(key)
        if self.journal:
            self.journal.items[key] = None

    def _show(self, key: Key) -> None:
        """Compute what the program sees of an item."""
        item = self._base.get(key)
        for entry in self._outbox.of(key):
            item = applied_to(entry.change, item)
        if item is None:
            self._view.pop(key, None)
        else:
            self._view[key] = item
