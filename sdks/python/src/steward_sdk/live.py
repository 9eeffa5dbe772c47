"""The items of a signed-in person, in sync with the service over WebSocket, for asyncio. Install `steward-sdk[live]`."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, Generic, Literal, Mapping, Set, cast
from uuid import uuid4

from typing_extensions import Self
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from . import AsyncSteward
from ._errors import (
    InvalidRequestError,
    InvalidResponseError,
    RateLimitedError,
    StewardError,
    TransportError,
    UnauthorizedError,
    UnavailableError,
)
from ._replica import Applied, Change, Replica
from ._retry import backoff
from ._service_url import is_local
from ._tables import Changes, Entry, Fields, Table

MAX_DELAY = 30.0
"""Longest delay between two attempts to connect, in seconds."""
RESPONSE_TIMEOUT = 60.0
"""How long the service may take to accept a connection, to load and to acknowledge, in seconds."""
TOKEN_INTERVAL = 15.0
"""How often the token source is asked for a newer token, in seconds."""
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_QUEUED = 10_000
"""How many changes wait for a reader at most."""

TEMPORARY = (
    OSError,
    WebSocketException,
    asyncio.TimeoutError,
    InvalidResponseError,
    RateLimitedError,
    TransportError,
    UnavailableError,
)
"""After these errors, the next attempt to connect may succeed."""

Status = Literal["offline", "connecting", "online"]


@dataclass(frozen=True)
class LiveChange:
    """An item has changed, here or elsewhere."""

    table: str
    id: str
    item: Mapping[str, Any] | None
    """The item now, or None if it does not exist."""
    is_correction: bool
    """Whether the service did not store a local change as it was made, because it does not match the schema, or another
    device changed the item at the same time."""


class LiveItems:
    """Keeps the items of a person in sync: `async with LiveItems(client, project_id) as live`.

    Local changes apply at once, also while this device is offline, and are sent when it is connected. After an interruption it
    connects again, with growing delays.
    """

    def __init__(self, client: AsyncSteward, project_id: str, *, state: Mapping[str, Any] | None = None) -> None:
        """Return the items, which are connected in `async with`.

        :param client: A client with the token of the person for the project, with the scope `app:db:read`, and
            `app:db:write` for changes. A token source replaces tokens that expire.
        :param project_id: ID of the project.
        :param state: What `state` returned, to continue after the program ended.
        """
        self._client = client
        self._project_id = project_id
        self._replica = Replica(state)
        self._status: Status = "offline"
        self._error: StewardError | None = None
        self._token: str | None = None
        self._is_rejected = False
        self._task: asyncio.Task[None] | None = None
        self._has_changes = asyncio.Event()
        self._news = asyncio.Event()
        self._readers: Set[asyncio.Queue[LiveChange | None]] = set()

    @property
    def status(self) -> Status:
        """Whether this device is connected: `online` after it has loaded what it lacked."""
        return self._status

    @property
    def pending(self) -> int:
        """Number of local changes that the service has not acknowledged: at most 50,000."""
        return self._replica.pending

    def state(self) -> Dict[str, Any]:
        """Return the items and the pending changes as JSON. Store it, and pass it to the constructor to continue."""
        return self._replica.state()

    def table(self, table: Table[Fields, Entry, Changes]) -> LiveTable[Fields, Entry, Changes]:
        """Return the items of a table."""
        return LiveTable(self, table.name)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._set_status("offline")
        for reader in self._readers:
            _end(reader)

    async def synced(self, timeout: float | None = None) -> None:
        """Wait until this device has loaded what it lacked, and the service has acknowledged all local changes.

        Raises `TransportError` with the code `timeout`, or what ended the connection for good, such as `SignInError`.

        :param timeout: How long to wait, in seconds. By default, until this device is online.
        """
        try:
            await asyncio.wait_for(self._wait_until_synced(), timeout)
        except (asyncio.TimeoutError, TimeoutError):
            raise TransportError(f"The items were not in sync within {timeout:g} seconds.", code="timeout") from None

    async def _wait_until_synced(self) -> None:
        while self._status != "online" or self.pending:
            if self._error:
                raise self._error
            self._news.clear()
            await self._news.wait()

    async def changes(self) -> AsyncIterator[LiveChange]:
        """Iterate over the changes of all tables from now on, by this device and others, until `async with` ends.

        Raises `StewardError` with the code `too_many_items` if 10,000 changes were not read.
        """
        reader: asyncio.Queue[LiveChange | None] = asyncio.Queue()
        self._readers.add(reader)
        try:
            while True:
                if reader.qsize() > MAX_QUEUED:
                    raise StewardError(
                        f"{MAX_QUEUED} changes were not read. Read `items` again.", code="too_many_items"
                    )
                change = await reader.get()
                if change is None:
                    if self._error:
                        raise self._error
                    return
                yield change
        finally:
            self._readers.discard(reader)

    def _write(self, change: Change) -> None:
        try:
            # A copy, which the caller cannot change.
            change = json.loads(json.dumps(change, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise InvalidRequestError(f"The change cannot be sent as JSON: {error}.") from None
        self._replica.write(change)
        self._notify(Applied([(change["table"], change["key"])], []))
        self._has_changes.set()

    def _notify(self, applied: Applied | None) -> None:
        if applied is None:
            return
        corrected = set(applied.corrected)
        for key in applied.keys:
            change = LiveChange(*key, self._replica.item(key), key in corrected)
            for reader in self._readers:
                # One more marks the reader as too slow.
                if reader.qsize() <= MAX_QUEUED:
                    reader.put_nowait(change)
        self._news.set()

    def _set_status(self, status: Status) -> None:
        self._status = status
        self._news.set()

    async def _run(self) -> None:
        attempt = 0
        try:
            while True:
                self._set_status("connecting")
                with contextlib.suppress(*TEMPORARY):
                    await self._connect()
                attempt = 0 if self._status == "online" else attempt + 1
                self._set_status("offline")
                await asyncio.sleep(backoff(attempt, MAX_DELAY))
        except StewardError as error:
            self._error = error
        except Exception as error:  # noqa: BLE001
            # Such as one of the token source. Those who wait receive it as the cause.
            self._error = StewardError(f"The connection ended: {type(error).__name__}.", code="connection_failed")
            self._error.__cause__ = error
        self._set_status("offline")
        for reader in self._readers:
            _end(reader)

    async def _connect(self) -> None:
        url = f"ws{self._client.url.removeprefix('http')}/ws"
        options: Dict[str, Any] = {"open_timeout": RESPONSE_TIMEOUT, "max_size": MAX_MESSAGE_BYTES}
        if is_local(self._client.url):
            # Requests to this machine must not go through a proxy.
            options["proxy"] = None
        self._token = await self._get_token(self._token if self._is_rejected else None)
        self._is_rejected = False
        async with connect(url, **options) as socket:
            connection = _Connection(self, socket)
            tasks = [asyncio.create_task(each) for each in (connection.read(), connection.write(), connection.renew())]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _get_token(self, rejected: str | None) -> str:
        source = self._client._token
        token = await source(rejected) if callable(source) else source
        if not isinstance(token, str) or token == rejected:
            raise UnauthorizedError(
                "The service rejected the token, and there is no other one. Sign in again.", code="unauthorized"
            )
        return token


class _Connection:
    """One connection, from the first message to its end."""

    def __init__(self, live: LiveItems, socket: ClientConnection) -> None:
        self._live = live
        self._replica = live._replica
        self._socket = socket
        self._is_ready = asyncio.Event()
        self._acknowledged = asyncio.Event()

    async def read(self) -> None:
        """Receive messages until the connection ends."""
        identity = {"clientIdentity": self._replica.device, "authToken": self._live._token}
        await self._send({"type": "clientIdentity", **identity, "schema": {"project_id": self._live._project_id}})
        while True:
            timeout = None if self._is_ready.is_set() else RESPONSE_TIMEOUT
            text = await asyncio.wait_for(self._socket.recv(), timeout)
            try:
                message = json.loads(text)
                is_last = await self._receive(message)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InvalidResponseError("The service sent a message that is not valid.") from None
            if is_last:
                return

    async def _receive(self, message: Any) -> bool:
        """Process a message. Returns whether the connection ends."""
        kind = message["type"]
        if kind == "clientIdentity":
            self._replica.device = message["clientIdentity"]
            self._replica.begin_load()
            await self._send({"type": "subscribe", "syncedRevision": self._replica.revision})
        elif kind == "changes":
            is_last = not message.get("partial")
            is_loading = not self._is_ready.is_set()
            self._live._notify(
                self._replica.receive(message["changes"], message["currentRevision"], is_loading, is_last)
            )
            if is_loading and is_last:
                self._is_ready.set()
                self._live._set_status("online")
        elif kind == "ack":
            self._live._notify(self._replica.acknowledge(message["requestId"]))
            self._acknowledged.set()
        elif kind == "error" or (kind == "tokenUpdateAck" and not message["ok"]):
            self._live._is_rejected = True
            return True
        return False

    async def write(self) -> None:
        """Send changes in portions, one after the other."""
        await self._is_ready.wait()
        while True:
            self._live._has_changes.clear()
            portion = self._replica.portion()
            if portion is None:
                await self._live._has_changes.wait()
                continue
            changes, request_id = portion
            self._acknowledged.clear()
            revision = self._replica.revision
            message = {
                "type": "changes",
                "requestId": request_id,
                "baseRevision": revision,
                "partial": False,
                "changes": changes,
            }
            await self._send(message)
            await asyncio.wait_for(self._acknowledged.wait(), RESPONSE_TIMEOUT)

    async def renew(self) -> None:
        """Replace the token before it expires."""
        while True:
            await asyncio.sleep(TOKEN_INTERVAL)
            try:
                token = await self._live._get_token(None)
            except TEMPORARY:
                # The token may still be valid for a while.
                continue
            if token != self._live._token:
                self._live._token = token
                await self._send({"type": "tokenUpdate", "authToken": token})

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._socket.send(json.dumps(message))


class LiveTable(Generic[Fields, Entry, Changes]):
    """The items of a table. Changes apply at once, and are sent when this device is connected.

    They raise `StewardError` with the code `too_many_items` if 50,000 changes wait for the service.
    """

    def __init__(self, live: LiveItems, name: str) -> None:
        self._live = live
        self._name = name

    def items(self) -> Dict[str, Fields]:
        """Return the items by ID. Do not change them: use `put` and `patch`."""
        return cast("Dict[str, Fields]", self._live._replica.items(self._name))

    def get(self, item_id: str) -> Fields | None:
        """Return an item, or None if it does not exist. Do not change it: use `put` and `patch`."""
        return cast("Fields | None", self._live._replica.item((self._name, item_id)))

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


def _end(reader: asyncio.Queue[LiveChange | None]) -> None:
    reader.put_nowait(None)


__all__ = ["LiveChange", "LiveItems", "LiveTable", "Status"]
