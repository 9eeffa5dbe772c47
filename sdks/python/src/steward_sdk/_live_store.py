"""A file in which live items and pending changes are kept."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from typing import Any, Dict, Iterable, Mapping, Tuple

from ._errors import InvalidRequestError
from ._replica import Journal, Replica

logger = logging.getLogger("steward_sdk")

FORMAT = 1
"""Version of the tables. A file of a later one cannot be read."""
REPAIR_INTERVAL = 30.0
"""After how long everything is stored again that could not be stored, in seconds."""

TABLES = f"""
create table if not exists meta (name text primary key, value text) without rowid;
create table if not exists items (name text, id text, value text, primary key (name, id)) without rowid;
create table if not exists outbox (sequence integer primary key, change text);
pragma user_version = {FORMAT};
"""


class LiveStore:
    """A SQLite file that one program uses at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._broken_at: float | None = None
        try:
            self._db = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            self._db.execute("pragma locking_mode = exclusive")
            self._db.execute("pragma journal_mode = wal")
            # What was stored survives the end of the program, and a power failure loses at most the last moments.
            self._db.execute("pragma synchronous = normal")
            [version] = self._db.execute("pragma user_version").fetchone()
            if version > FORMAT:
                raise InvalidRequestError(f"{self._path} is from a later version of this package.")
            self._db.executescript(TABLES)
        except sqlite3.Error as error:
            about = "Another program uses it" if "locked" in str(error) else f"{error}"
            raise InvalidRequestError(f"Live items cannot be kept in {self._path}: {about}.") from error

    def load(self) -> Replica:
        """Return what is stored."""
        try:
            meta = {name: json.loads(value) for name, value in self._db.execute("select name, value from meta")}
            items: Dict[str, Dict[str, Any]] = {}
            for name, id, value in self._db.execute("select name, id, value from items"):
                items.setdefault(name, {})[id] = json.loads(value)
            outbox = self._db.execute("select sequence, change from outbox order by sequence").fetchall()
        except (sqlite3.Error, ValueError) as error:
            raise InvalidRequestError(f"Live items cannot be read from {self._path}: {error}.") from error
        replica = Replica()
        if meta:
            pending = {"pending": [json.loads(change) for _, change in outbox], "sequences": [at for at, _ in outbox]}
            replica = Replica({**meta, **pending, "items": items})
        replica.journal = Journal()
        return replica

    def save(self, replica: Replica) -> None:
        """Store what has changed. If that fails, it is logged, and everything is stored again later."""
        if self._broken_at is not None and time.monotonic() - self._broken_at < REPAIR_INTERVAL:
            return
        journal, replica.journal = replica.journal or Journal(), Journal()
        try:
            self._db.execute("begin")
            if self._broken_at is None:
                self._write(replica, journal.items, journal.added.items(), journal.removed)
            else:
                self._write_all(replica)
            self._db.execute("commit")
        except sqlite3.Error:
            if self._broken_at is None:
                logger.exception(
                    "Live items cannot be stored in %s. They are kept in memory until they can.", self._path
                )
            self._broken_at = time.monotonic()
            if self._db.in_transaction:
                self._db.execute("rollback")
        else:
            if self._broken_at is not None:
                logger.warning("Live items are stored in %s again.", self._path)
            self._broken_at = None

    def _write_all(self, replica: Replica) -> None:
        self._db.execute("delete from items")
        self._db.execute("delete from outbox")
        self._write(replica, replica.stored_keys(), replica.unsent(), ())

    def _write(
        self,
        replica: Replica,
        keys: Iterable[Tuple[str, str]],
        added: Iterable[Tuple[int, Mapping[str, Any]]],
        removed: Iterable[int],
    ) -> None:
        rows = [(*key, replica.stored_item(key)) for key in keys]
        stored = [(table, id, json.dumps(item)) for table, id, item in rows if item is not None]
        self._db.executemany("insert or replace into items values (?, ?, ?)", stored)
        gone = [(table, id) for table, id, item in rows if item is None]
        self._db.executemany("delete from items where name = ? and id = ?", gone)
        changes = [(sequence, json.dumps(change)) for sequence, change in added]
        self._db.executemany("insert or replace into outbox values (?, ?)", changes)
        self._db.executemany("delete from outbox where sequence = ?", [(sequence,) for sequence in removed])
        meta = [(name, json.dumps(value)) for name, value in replica.meta().items()]
        self._db.executemany("insert or replace into meta values (?, ?)", meta)

    def close(self) -> None:
        """Close the file. Another program can then use it."""
        self._db.close()
