"""A connection over which the items of a person are synchronized (docs/sync.md)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import TYPE_CHECKING, Any, Awaitable, Dict, Mapping, TypeVar
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from ._checks import schema_of
from ._errors import InvalidResponseError, RateLimitedError, StewardError, TransportError, UnavailableError
from ._misuse import reason_of
from ._service_url import is_local

if TYPE_CHECKING:
    from .live import LiveItems

T = TypeVar("T")

CONNECT_TIMEOUT = 30.0
"""How long a connection may take to begin, in seconds."""
RESPONSE_TIMEOUT = 60.0
"""How long the service may take to load and to acknowledge, in seconds, as long as it is there."""
SILENCE = 30.0
"""After how many seconds without a message the service is asked whether it is there."""
ANSWER_TIMEOUT = 10.0
"""How long it may take to answer that, in seconds."""
CLOSE_TIMEOUT = 1.0
"""How long the end of a connection may take, in seconds."""
TOKEN_INTERVAL = 15.0
"""How often the token source is asked for a newer token, in seconds."""
SCHEMA_INTERVAL = 5.0
"""How long to wait before the schema is read again, in seconds."""
MAX_MESSAGE_BYTES = 16 * 1024 * 1024

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


def message_of(error: BaseException, url: str) -> str:
    """Return why a connection ended, for people."""
    return error.message if isinstance(error, StewardError) else f"Cannot reach {url}: {reason_of(error)}."


async def run(live: LiveItems) -> None:
    """Connect, and synchronize until the connection ends."""
    url = live._client.url
    # `watch` also notices that nothing can be sent any more, which the pings of the library wait for.
    options: Dict[str, Any] = {"open_timeout": CONNECT_TIMEOUT, "max_size": MAX_MESSAGE_BYTES, "ping_interval": None}
    if is_local(url):
        # Requests to this machine must not go through a proxy.
        options["proxy"] = None
    live._token = await live._get_token(live._token if live._is_rejected else None)
    live._is_rejected = False
    socket = await connect(f"ws{url.removeprefix('http')}/ws", **options)
    connection = Connection(live, socket)
    each = (connection.read(), connection.write(), connection.renew(), connection.watch())
    tasks = [asyncio.create_task(coroutine) for coroutine in each]
    learning = asyncio.create_task(connection.learn())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_tasks(*tasks, learning)
        with contextlib.suppress(*TEMPORARY):
            await asyncio.wait_for(socket.close(), CLOSE_TIMEOUT)
        socket.transport.abort()
    for task in tasks:
        error = None if task.cancelled() else task.exception()
        if error:
            raise error


async def end_tasks(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks, and wait for their end. Before Python 3.12, `wait_for` can ignore that it was cancelled."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=0.1)


class Connection:
    """One connection, from the first message to its end."""

    def __init__(self, live: LiveItems, socket: ClientConnection) -> None:
        self._live = live
        self._replica = live._replica
        self._socket = socket
        self._is_ready = asyncio.Event()
        self._acknowledged = asyncio.Event()
        self._renewed = asyncio.Event()
        self._heard_at = time.monotonic()
        self._loads_until = self._heard_at + RESPONSE_TIMEOUT

    async def read(self) -> None:
        """Receive messages until the connection ends."""
        identity = {"clientIdentity": self._replica.device, "authToken": self._live._token}
        await self._send({"type": "clientIdentity", **identity, "schema": {"project_id": self._live._project_id}})
        while True:
            timeout = None if self._is_ready.is_set() else self._loads_until - time.monotonic()
            text = await self._within(timeout, self._socket.recv())
            self._heard_at = time.monotonic()
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
        if kind in ("clientIdentity", "changes"):
            self._loads_until = time.monotonic() + RESPONSE_TIMEOUT
        if kind == "clientIdentity":
            is_atomic = message.get("atomic") is True
            self._live._notify(self._replica.connected(message["clientIdentity"], is_atomic))
            self._replica.begin_load()
            await self._send({"type": "subscribe", "syncedRevision": self._replica.revision})
        elif kind == "changes":
            is_last = not message.get("partial")
            is_loading = not self._is_ready.is_set()
            changes, revision = message["changes"], message["currentRevision"]
            applied = self._replica.receive(changes, revision, is_loading, is_last, message.get("complete"))
            self._live._notify(applied)
            if is_loading and is_last:
                self._is_ready.set()
                self._live._set_status("online")
        elif kind == "ack":
            self._live._notify(self._replica.acknowledge(message["requestId"]))
            self._acknowledged.set()
        elif kind == "error" or (kind == "tokenUpdateAck" and not message["ok"]):
            self._live._is_rejected = True
            return True
        elif kind == "tokenUpdateAck":
            self._renewed.set()
        return False

    async def write(self) -> None:
        """Send changes in portions, one after the other."""
        await self._is_ready.wait()
        while True:
            self._live._has_changes.clear()
            portion = self._replica.portion()
            if portion is None:
                await self._wait_for_changes()
                continue
            # After the end of the program, they are sent again as they were.
            self._live._save()
            changes, request_id = portion
            self._acknowledged.clear()
            head = {"requestId": request_id, "baseRevision": self._replica.revision, "partial": False}
            together = {"atomic": True} if self._replica.is_together else {}
            await self._send({"type": "changes", **head, **together, "changes": changes})
            await self._within(RESPONSE_TIMEOUT, self._acknowledged.wait())

    async def _wait_for_changes(self) -> None:
        is_held = bool(self._replica.held)
        timeout = max(self._live._retry_at - time.monotonic(), 0) if is_held else None
        try:
            await asyncio.wait_for(self._live._has_changes.wait(), timeout)
        except (asyncio.TimeoutError, TimeoutError):
            self._replica.release()

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
                self._renewed.clear()
                await self._send({"type": "tokenUpdate", "authToken": token})
                await self._within(RESPONSE_TIMEOUT, self._renewed.wait())

    async def learn(self) -> None:
        """Learn the schema, to check local changes, and again when it may have changed. Without it, the service does."""
        path = f"/project/{quote(self._live._project_id, safe='')}/schema"
        await self._is_ready.wait()
        while True:
            with contextlib.suppress(StewardError):
                self._replica.schema = schema_of(await self._live._client._get_public(path))
                self._live._save()
            self._live._doubts_schema.clear()
            await self._live._doubts_schema.wait()
            await asyncio.sleep(SCHEMA_INTERVAL)

    async def watch(self) -> None:
        """Ask after a silence whether the connection still exists: one can be lost without notice."""
        while True:
            silence = time.monotonic() - self._heard_at
            if silence < SILENCE:
                await asyncio.sleep(SILENCE - silence)
                continue
            await self._within(ANSWER_TIMEOUT, self._ask())
            self._heard_at = time.monotonic()

    async def _ask(self) -> None:
        # The first one waits while what was sent before does not leave this device.
        await (await self._socket.ping())

    async def _send(self, message: Mapping[str, Any]) -> None:
        # Together, changes have a size in bytes. What is sent again has to be as it was in earlier versions.
        text = json.dumps(message, ensure_ascii="atomic" not in message)
        await self._within(RESPONSE_TIMEOUT, self._socket.send(text))

    async def _within(self, seconds: float | None, response: Awaitable[T]) -> T:
        """Wait for a response of the service for a limited time."""
        try:
            return await asyncio.wait_for(response, seconds)
        except (asyncio.TimeoutError, TimeoutError):
            raise TransportError(f"{self._live._client.url} did not respond in time.", code="timeout") from None
