"""The items of a signed-in person, in sync with the service over WebSocket, for asyncio. Install `steward-sdk[live]`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from typing import Any, AsyncIterator, Awaitable, Dict, List, Literal, Mapping, Set, Tuple

from typing_extensions import Self

from . import AsyncSteward
from ._change import Change, Key, Reason, key_of
from ._errors import InvalidRequestError, StewardError, TransportError, UnauthorizedError
from ._live_changes import MAX_UNREAD, LiveChange, Reader
from ._live_connection import TEMPORARY, message_of, run
from ._live_store import LiveStore
from ._live_table import AtomicTable, AtomicWrite, LiveTable
from ._misuse import EventLoop
from ._replica import Applied, Replica
from ._retry import backoff
from ._sign_in_flow import claims_of
from ._tables import Changes, Entry, Fields, Table, Where

logger = logging.getLogger("steward_sdk")

MAX_DELAY = 30.0
"""Longest delay between two attempts to connect, in seconds."""
RETRY_INTERVAL = 15 * 60.0
"""After how long changes that are over quota are sent again, in seconds."""
Status = Literal["offline", "connecting", "online"]


class LiveItems:
    """Keeps the items of a person in sync: `async with LiveItems(client, project_id) as live`.

    Local changes apply at once, also while this device is offline, and are sent when it is connected. After an interruption it
    connects again, with growing delays.
    """

    def __init__(
        self,
        client: AsyncSteward,
        project_id: str,
        *,
        path: str | os.PathLike[str] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        """Return the items, which are connected in `async with`.

        :param client: A client with the token of the person for the project, with the scope `app:db:read`, and
            `app:db:write` for changes. A token source replaces tokens that expire.
        :param project_id: ID of the project.
        :param path: File in which the items and the pending changes are kept, so that they survive the end of the program.
            It is created if it does not exist. Each person needs a file of their own, and one program uses it at a time.
        :param state: What `state` returned, to continue after the program ended without a file.
        """
        if not isinstance(client, AsyncSteward):
            raise InvalidRequestError("Live items need an AsyncSteward.")
        self._client = client
        self._loop = EventLoop()
        self._project_id = project_id
        if path is not None and state is not None:
            raise InvalidRequestError("Pass `path` or `state`, but not both.")
        self._store = None if path is None else LiveStore(path)
        self._replica = self._store.load() if self._store else Replica(state)
        if not self._replica.belongs_to({"project": project_id}):
            raise InvalidRequestError("These live items are those of another project.")
        self._status: Status = "offline"
        self._error: StewardError | None = None
        self._reason = ""
        self._is_closed = False
        self._retry_at = 0.0
        self._refused: Dict[Key | str, Reason] = {}
        self._token: str | None = None
        self._is_rejected = False
        self._task: asyncio.Task[None] | None = None
        self._has_changes = asyncio.Event()
        self._doubts_schema = asyncio.Event()
        self._news = asyncio.Event()
        self._readers: Set[Reader] = set()

    @property
    def status(self) -> Status:
        """Whether this device is connected: `online` after it has loaded what it lacked."""
        return self._status

    @property
    def pending(self) -> int:
        """Number of local changes that the service has not acknowledged: at most 50,000."""
        return self._replica.pending

    @property
    def held(self) -> List[LiveChange]:
        """The items of which the service did not store local changes because a quota is reached, with the reason.

        The changes stay pending, and this device still has them. They are sent again after a deletion, every 15 minutes, and
        with `retry_held`. `discard_held` gives them up.
        """
        return [self._change(key, False, reason) for key, reason in self._replica.held.items()]

    @property
    def store_error(self) -> StewardError | None:
        """Why the file cannot be written, for example because the disk is full. The items are then in memory until it can."""
        return self._store.error if self._store else None

    def retry_held(self) -> None:
        """Send the changes in `held` again."""
        if self._replica.release():
            self._has_changes.set()
            self._news.set()

    def discard_held(self, table: Table[Any, Any, Any, Any] | str | None = None, item_id: str | None = None) -> None:
        """Give up the changes in `held`: all, those of a table, or those of an item. The items are then those of the service."""
        self._check_is_open()
        keys = [key for key in self._replica.held if table in (None, key[0]) or str(table) == key[0]]
        keys = [key for key in keys if item_id in (None, key[1])]
        for key in keys:
            self._notify(self._replica.discard(key))

    async def forget(self, *, discard: bool = False) -> None:
        """Delete the items on this device, and their file, when the person signs out. These live items cannot be used then.

        Without it, the file has the changes that are not sent until the same person signs in again.

        :param discard: Whether changes are lost that the service has not acknowledged. By default, it raises `StewardError`
            with the code `unsent_changes` if there are any, and their number in `details["pending"]`.
        """
        self._check_is_open()
        if self.pending and not discard:
            message = f"{self.pending} changes are not sent. Wait for `synced`, or pass `discard=True`."
            raise StewardError(message, code="unsent_changes", details={"pending": self.pending})
        store, self._store = self._store, None
        await self.__aexit__()
        self._is_closed = True
        self._replica = Replica()
        if store:
            store.delete()

    def state(self) -> Dict[str, Any]:
        """Return the items and the pending changes as JSON. Store it, and pass it to the constructor to continue."""
        return self._replica.state()

    def table(self, table: Table[Fields, Entry, Changes, Where]) -> LiveTable[Fields, Entry, Changes, Where]:
        """Return the items of a table."""
        return LiveTable(self, table.name)

    def atomic(self) -> AtomicWrite:
        """Write several items together, of any tables: `with live.atomic() as write: write.table(NOTES).put(...)`.

        The changes apply at the end of `with`, also while this device is offline, and the service stores all of them or none.
        If it refuses one, or a quota leaves no room, all are taken back, with one reason. At most 1,000 changes and 1 MiB.
        Raises `StewardError` with the code `not_supported` if the service is of an earlier version.
        """
        return AtomicWrite(self)

    def _check_is_open(self) -> None:
        if self._is_closed:
            raise InvalidRequestError("These live items are closed. Use them inside of one `async with`.")

    async def __aenter__(self) -> Self:
        self._check_is_open()
        self._loop.check()
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._set_status("offline")
        for reader in self._readers:
            reader.put_nowait(None)
        if self._store:
            self._store.save(self._replica, is_last=True)
            self._store.close()
            self._store = None
            self._is_closed = True

    async def synced(self, timeout: float | None = None) -> None:
        """Wait until this device has loaded what it lacked, and the service has acknowledged all local changes.

        Raises `TransportError` with the code `timeout`, what ended the connection for good, such as `SignInError`, or an error
        with the code `quota_exceeded` if all that is left is over quota.

        :param timeout: How long to wait, in seconds. By default, until this device is online.
        """
        await self._within(timeout, self._wait_until_synced(), "The items were not in sync")

    async def _within(self, timeout: float | None, waiting: Awaitable[None], about: str) -> None:
        try:
            await asyncio.wait_for(waiting, timeout)
        except (asyncio.TimeoutError, TimeoutError):
            message = f"{about} within {timeout:g} seconds. {self._reason}"
            raise TransportError(message.rstrip(), code="timeout") from None

    async def _wait_until_synced(self) -> None:
        while self._status != "online" or self.pending:
            if self._error:
                raise self._error
            if self._status == "online" and self._replica.is_waiting_for_room:
                reason = next(iter(self._replica.held.values()))
                raise StewardError(reason.message, code=reason.code)
            self._news.clear()
            await self._news.wait()

    async def _wait_until_stored(self, name: Key | str) -> None:
        while self._replica.has_pending(name):
            if self._error:
                raise self._error
            reason = self._replica.waits(name)
            if reason:
                raise StewardError(reason.message, code=reason.code)
            self._news.clear()
            await self._news.wait()
        refused = self._refused.get(name)
        if refused:
            raise InvalidRequestError(refused.message, code=refused.code)

    def changes(self) -> AsyncIterator[LiveChange]:
        """Iterate over the changes of all tables from now on, by this device and others, until `async with` ends.

        Raises `StewardError` with the code `too_many_items` if 10,000 changes were not read.
        """
        return self._changes(None)

    async def _changes(self, table: str | None) -> AsyncIterator[LiveChange]:
        reader = Reader(table)
        self._readers.add(reader)
        try:
            while True:
                change = await reader.next()
                if change is None:
                    if self._error:
                        raise self._error
                    return
                yield change
        finally:
            self._readers.discard(reader)

    def _write(self, *changes: Change) -> None:
        self._check_is_open()
        try:
            self._replica.write(*changes)
        except InvalidRequestError as error:
            if error.violations:
                self._doubts_schema.set()
            raise
        keys = [key_of(change) for change in changes]
        for key in keys:
            self._refused.pop(key, None)
        self._notify(Applied(list(dict.fromkeys(keys))))

    def _notify(self, applied: Applied | None) -> None:
        if applied is None:
            return
        self._save()
        if self._replica.pending:
            # Some may have waited for room that there is now.
            self._has_changes.set()
        names: List[Tuple[Key | str, Reason | None]] = [*applied.corrected.items(), *applied.groups.items()]
        for name, refused in names:
            if refused:
                self._doubts_schema.set()
                self._refused[name] = refused
                if len(self._refused) > MAX_UNREAD:
                    del self._refused[next(iter(self._refused))]
        if applied.held:
            self._retry_at = time.monotonic() + RETRY_INTERVAL
        for key in applied.keys:
            reason = applied.held.get(key) or applied.corrected.get(key)
            change = self._change(key, key in applied.corrected, reason)
            for reader in self._readers:
                reader.add(change)
        self._news.set()

    def _save(self) -> None:
        if self._store:
            self._store.save(self._replica)

    def _change(self, key: Key, is_correction: bool, reason: Reason | None) -> LiveChange:
        code, message = (reason.code, reason.message) if reason else (None, None)
        return LiveChange(*key, self._replica.item(key), is_correction, code, message)

    def _set_status(self, status: Status) -> None:
        self._status = status
        self._news.set()

    async def _run(self) -> None:
        attempt = 0
        try:
            while True:
                self._set_status("connecting")
                try:
                    await run(self)
                except TEMPORARY as error:
                    self._reason = message_of(error, self._client.url)
                attempt = 0 if self._status == "online" else attempt + 1
                self._set_status("offline")
                await asyncio.sleep(backoff(attempt, MAX_DELAY))
        except StewardError as error:
            self._error = error
        except Exception as error:  # noqa: BLE001
            # Those who wait receive it as the cause.
            self._error = StewardError(f"The connection ended: {type(error).__name__}.", code="connection_failed")
            self._error.__cause__ = error
        # Who does not wait for anything would not learn it.
        logger.error("Live items are not sent and received any more: %s", self._error, exc_info=self._error)
        self._set_status("offline")
        for reader in self._readers:
            reader.put_nowait(None)

    async def _get_token(self, rejected: str | None) -> str:
        try:
            token = await self._client._token_of(rejected)
        except (StewardError, *TEMPORARY):
            raise
        except Exception as error:
            # Such as one of a database. The next attempt may succeed.
            logger.exception("The token source of the live items failed.")
            name = type(error).__name__
            raise TransportError(f"The token source failed: {name}.", code="connection_failed") from error
        if token is None or token == rejected:
            raise UnauthorizedError(
                "The service rejected the token, and there is no other one. Sign in again.", code="unauthorized"
            )
        if not self._replica.belongs_to(person_of(token)):
            message = "These live items are those of another person. Use a file, or a state, for each person."
            raise InvalidRequestError(message)
        return token


def person_of(token: str) -> Dict[str, str]:
    """Return whose token it is, if it says so."""
    try:
        return {"person": str(claims_of(token)["sub"])}
    except (StewardError, KeyError):
        return {}


__all__ = ["AtomicTable", "AtomicWrite", "LiveChange", "LiveItems", "LiveTable", "Status"]
