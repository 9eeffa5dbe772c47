"""The changes of this device that the service has not acknowledged, in their order."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Deque, Dict, Iterable, Iterator, List

from ._change import Change, Key, Reason, key_of

MAX_PORTION = 500
"""A portion has at most this many changes and characters. The service stores a portion in one transaction."""
MAX_PORTION_CHARS = 256 * 1024


@dataclass(eq=False)
class Pending:
    """A change that the service has not acknowledged."""

    sequence: int
    change: Change
    key: Key = field(init=False)
    group: str | None = field(init=False)
    """Names the changes that the service stores together, or not at all. They follow each other."""
    is_in_flight: bool = False
    is_answered: bool = False
    """Whether the service has sent the item since the change was sent. Its state then includes the change, or corrects it."""
    reason: Reason | None = None
    """Why the service did not store it, or another change of the item in the same message."""
    is_unclear: bool = False
    """Whether it is sent again, and the service has not sent the item since the first time: it did not store it then, but
    does not repeat the reason."""

    def __post_init__(self) -> None:
        self.key = key_of(self.change)
        self.group = self.change.get("atomic")

    @property
    def message(self) -> Change:
        """The change as it is sent."""
        return {name: value for name, value in self.change.items() if name != "atomic"}


class Outbox:
    """The changes, and those for which a quota has no room."""

    def __init__(self) -> None:
        self._entries: Dict[int, Pending] = {}
        self._by_key: Dict[Key, Deque[Pending]] = {}
        self._groups: Dict[str, List[Pending]] = {}
        self._refused: Dict[Key, Reason] = {}
        # Why changes wait. It is determined again when it is needed.
        self._reasons: Dict[int, Reason] | None = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Pending]:
        return iter(self._entries.values())

    def __getitem__(self, sequence: int) -> Pending:
        return self._entries[sequence]

    def of(self, name: Key | str) -> Iterable[Pending]:
        """Return the changes of an item, or those that belong together."""
        return self._groups.get(name, ()) if isinstance(name, str) else self._by_key.get(name, ())

    def add(self, entry: Pending) -> None:
        self._reasons = None
        self._entries[entry.sequence] = entry
        self._by_key.setdefault(entry.key, deque()).append(entry)
        if entry.group:
            self._groups.setdefault(entry.group, []).append(entry)

    def remove(self, entry: Pending) -> None:
        self._reasons = None
        del self._entries[entry.sequence]
        waiting = self._by_key[entry.key]
        waiting.remove(entry)
        if not waiting:
            del self._by_key[entry.key]
            self._refused.pop(entry.key, None)
        if entry.group:
            self._groups[entry.group].remove(entry)
            if not self._groups[entry.group]:
                del self._groups[entry.group]

    def hold(self, refused: Dict[Key, Reason]) -> None:
        """Keep the changes of items until there is room for them."""
        self._reasons = None
        self._refused.update(refused)

    def release(self) -> bool:
        """Send the changes again that wait for room. Returns whether there are any."""
        had_any = bool(self._refused)
        self._reasons = None
        self._refused.clear()
        return had_any

    def replaced(self, key: Key) -> List[Pending]:
        """Return the changes of an item that wait, and have no effect after a change of all of it. They no longer wait."""
        self._reasons = None
        return [entry for entry in self.of(key) if not entry.group] if self._refused.pop(key, None) else []

    def given_up(self, key: Key) -> List[Pending]:
        """Return the changes of an item that wait, with those that belong together with them. They no longer wait."""
        waiting = [entry for entry in self.of(key) if entry.sequence in self.reasons]
        together = [entry for group in {entry.group for entry in waiting if entry.group} for entry in self.of(group)]
        self._reasons = None
        self._refused.pop(key, None)
        return list(dict.fromkeys([*waiting, *together]))

    @property
    def reasons(self) -> Dict[int, Reason]:
        """Why changes wait for room: those of an item that is over quota, those that belong together with one that waits,
        and those of an item that follow such ones."""
        if self._reasons is None:
            self._reasons = {}
            behind = dict(self._refused)
            for entries in self._together() if behind else ():
                reason = next((behind[entry.key] for entry in entries if entry.key in behind), None)
                if reason is None:
                    continue
                for entry in entries:
                    self._reasons[entry.sequence] = behind.setdefault(entry.key, reason)
        return self._reasons

    @property
    def held(self) -> Dict[Key, Reason]:
        """The items of which changes wait for room."""
        return {self[sequence].key: reason for sequence, reason in self.reasons.items()}

    def next(self) -> List[Pending]:
        """Return the changes to send next."""
        size = 0
        found: List[Pending] = []
        for entries in self._together():
            [first, *_] = entries
            if first.sequence in self.reasons:
                continue
            if first.group:
                return found or entries.copy()
            size += len(json.dumps(first.change))
            if len(found) == MAX_PORTION or (size > MAX_PORTION_CHARS and found):
                break
            found.append(first)
        return found

    def _together(self) -> Iterator[List[Pending]]:
        for entry in self:
            if not entry.group:
                yield [entry]
            elif self._groups[entry.group][0] is entry:
                yield self._groups[entry.group]
