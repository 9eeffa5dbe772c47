"""A person with live items, and connections that fail."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, Callable, Coroutine

from service import CALLBACK, Service
from tables import NOTES

from steward_sdk import AsyncSteward, Steward
from steward_sdk.live import LiveChange, LiveItems
from steward_sdk.sign_in import SignIn, Tokens


class Proxy:
    """Passes connections on to the service, and ends them."""

    def __init__(self, service: Service) -> None:
        self._target = int(service.url.rsplit(":", 1)[1])
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._dropped: set[asyncio.StreamWriter] = set()
        self._downstream: set[asyncio.StreamWriter] = set()
        self.drops_new = False
        """Whether nothing is passed on in new connections, which are accepted."""
        self.port = 0
        self.connections = 0
        """How many connections of live items there were."""

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def kill(self) -> None:
        """End all connections, and accept no others."""
        assert self._server
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    def drop(self) -> None:
        """From now on, pass nothing on in the connections that exist, and do not end them."""
        self._dropped |= self._writers

    def mute(self) -> None:
        """From now on, pass on nothing of the service in the connections that exist."""
        self._dropped |= self._downstream

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, upstream}
        self._downstream.add(writer)
        self._dropped |= {writer, upstream} if self.drops_new else set()
        await asyncio.gather(self._copy(reader, upstream), self._copy(upstream_reader, writer), return_exceptions=True)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                self.connections += data.startswith(b"GET /ws ")
                if writer in self._dropped:
                    await asyncio.Event().wait()
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()


class Person:
    """A person who has signed in, and a developer who sees their items."""

    def __init__(self, service: Service, project_id: str | None = None) -> None:
        self.service = service
        self.project_id = project_id or service.create_project()[1]
        self.sign_in = SignIn(Steward(service.url), self.project_id, CALLBACK)
        self.username = service.sign_up("ann")
        self.tokens = self.signed_in()
        own = Steward(service.url, self.tokens.access_token)
        self.user_id: str = own.apps.get(self.project_id)["user_id"]
        self.notes = service.developer().items(self.project_id, self.user_id, NOTES)

    def signed_in(self) -> Tokens:
        """Sign in."""
        started = self.sign_in.start()
        return self.sign_in.complete(self.service.allow(started.url, self.username), started.pending)

    def client(self, url: str | None = None) -> AsyncSteward:
        return AsyncSteward(url or self.service.url, self.tokens.access_token)

    @asynccontextmanager
    async def live(self, url: str | None = None, state: Any = None) -> AsyncIterator[LiveItems]:
        async with self.client(url) as client, LiveItems(client, self.project_id, state=state) as items:
            yield items


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(main(), 120))


async def next_change(changes: AsyncIterator[LiveChange], item_id: str) -> LiveChange:
    async def find() -> LiveChange:
        async for change in changes:
            if change.id == item_id:
                return change
        raise AssertionError("The changes ended.")

    return await asyncio.wait_for(find(), 30)
