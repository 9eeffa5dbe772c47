"""A file in which live items and pending changes are kept."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import time
from typing import Any, Dict, Iterable, Mapping, Tuple

from ._errors import InvalidRequestError, StewardError
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
        # A relative path is that of the first moment.
        self._path = os.path.abspath(os.fspath(path))
        self._broken_at: float | None = None
        self.error: StewardError | None = None
        """Why the items are kept in memory alone, if they are."""
        try:
            self._open()
        except sqlite3.Error as error:
            about = "Another program uses it" if "locked" in str(error) else f"{error}"
            raise InvalidRequestError(f"Live items cannot be kept in {self._path}: {about}.") from error

    def _open(self) -> None:
        self._db = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        self._db.execute("pragma locking_mode = exclusive")
        self._db.execute("pragma journal_mode = wal")
        # What was stored survives the end of the program, and a power failure loses at most the last moments.
        self._db.execute("pragma synchronous = normal")
        [version] = self._db.execute("pragma user_version").fetchone()
        if version > FORMAT:
            raise InvalidRequestError(f"{self._path} is from a later version of this package.")
        self._db.executescript(TABLES)
        self._file = file_at(self._path)

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

    def save(self, replica: Replica, is_last: bool = False) -> None:
        """Store what has changed. If that fails, it is logged, and everything is stored again later."""
        wait = 0 if is_last else REPAIR_INTERVAL
        if self._broken_at is not None and time.monotonic() - self._broken_at < wait:
            return
        journal, replica.journal = replica.journal or Journal(), Journal()
        try:
            if self._file is None or file_at(self._path) != self._file:
                # What is written to the open one would be lost.
                logger.warning("The file %s was deleted or replaced. Live items are written to a new one.", self._path)
                self._file = None
                self._db.close()
                self._broken_at = self._broken_at or time.monotonic()
                self._open()
            self._db.execute("begin")
            if self._broken_at is None:
                self._write(replica, journal.items, journal.added.items(), journal.removed)
            else:
                self._write_all(replica)
            self._db.execute("commit")
        except (sqlite3.Error, InvalidRequestError) as error:
            self._failed(error)
        else:
            if self._broken_at is not None:
                logger.warning("Live items are stored in %s again.", self._path)
            self._broken_at = self.error = None

    def _failed(self, error: Exception) -> None:
        if self.error is None:
            message = f"Live items cannot be stored in {self._path}: {error}. They are kept in memory until they can."
            self.error = StewardError(message, code="local_store_failed")
            logger.error("%s", message, exc_info=error)
        self._broken_at = time.monotonic()
        if self._file is not None and self._db.in_transaction:
            self._db.execute("rollback")

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

    def delete(self) -> None:
        """Close the file, and delete it."""
        self._db.close()
        for end in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{self._path}{end}")


def file_at(path: str) -> Tuple[int, int] | None:
    """Return which file has a path, if there is one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
