"""Connections that stop working without an end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

import pytest
from person import Person, Proxy, run
from tables import NOTES
from websockets.asyncio.server import ServerConnection, serve

from steward_sdk import AsyncSteward, TransportError, _live_connection
from steward_sdk.live import LiveItems


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes seconds takes a fraction."""
    waits = {"SILENCE": 0.6, "ANSWER_TIMEOUT": 0.2, "CLOSE_TIMEOUT": 0.1, "CONNECT_TIMEOUT": 0.6}
    for name, seconds in waits.items():
        assert getattr(_live_connection, name) > seconds
        monkeypatch.setattr(_live_connection, name, seconds)


def test_a_silent_end_is_noticed_within_45_seconds() -> None:
    waits = _live_connection.SILENCE, _live_connection.ANSWER_TIMEOUT, _live_connection.CLOSE_TIMEOUT
    assert sum(waits) <= 45
    assert _live_connection.CONNECT_TIMEOUT <= 45


@pytest.mark.parametrize("pending", [0, 1, 300])
def test_a_connection_that_dies_silently_is_replaced(ann: Person, soon: None, pending: int) -> None:
    """`pending` notes are written after it has died. Many of them do not leave this device."""

    async def main() -> None:
        proxy = Proxy(ann.service)
        await proxy.listen()
        async with ann.live(f"http://127.0.0.1:{proxy.port}") as items:
            await items.synced(30)
            proxy.drop()
            for index in range(pending):
                items.table(NOTES).put(f"{pending}-{index}", {"title": "x" * 60_000})
            await asyncio.to_thread(ann.notes.put, f"missed-{pending}", {"title": "Missed"})
            begin = time.monotonic()
            while items.table(NOTES).get(f"missed-{pending}") is None:
                assert time.monotonic() - begin < 5
                await asyncio.sleep(0.01)
            await items.synced(60)
            assert proxy.connections == 2
        await proxy.kill()
        stored = await asyncio.to_thread(lambda: [each["id"] for each in ann.notes.list(page_size=1_000)])
        assert len([each for each in stored if each.startswith(f"{pending}-")]) == pending

    run(main)


def test_a_connection_that_does_not_begin_is_replaced(ann: Person, soon: None) -> None:
    async def main() -> None:
        proxy = Proxy(ann.service)
        await proxy.listen()
        proxy.drops_new = True
        async with ann.live(f"http://127.0.0.1:{proxy.port}") as items:
            with pytest.raises(TransportError, match="Cannot reach"):
                await items.synced(1)
            proxy.drops_new = False
            await items.synced(5)
        await proxy.kill()

    run(main)


def test_the_end_of_the_program_does_not_wait_for_a_dead_connection(ann: Person, soon: None) -> None:
    async def main() -> None:
        proxy = Proxy(ann.service)
        await proxy.listen()
        async with ann.live(f"http://127.0.0.1:{proxy.port}") as items:
            await items.synced(30)
            proxy.drop()
            for index in range(200):
                items.table(NOTES).put(f"end-{index}", {"title": "x" * 60_000})
            await asyncio.sleep(0.1)
            begin = time.monotonic()
        assert time.monotonic() - begin < 1
        await proxy.kill()

    run(main)


def test_a_task_that_ignores_that_it_was_cancelled_ends() -> None:
    async def stubborn() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    async def main() -> None:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        await asyncio.wait_for(_live_connection.end_tasks(task), 5)
        assert task.cancelled()

    run(main)


@pytest.mark.parametrize("unanswered", ["clientIdentity", "subscribe", "changes", "tokenUpdate"])
def test_each_request_has_a_deadline(monkeypatch: pytest.MonkeyPatch, unanswered: str) -> None:
    monkeypatch.setattr(_live_connection, "RESPONSE_TIMEOUT", 0.2)
    monkeypatch.setattr(_live_connection, "TOKEN_INTERVAL", 0.05)
    answers = {
        "clientIdentity": {"type": "clientIdentity", "clientIdentity": "d"},
        "subscribe": {"type": "changes", "changes": [], "currentRevision": 1, "partial": False},
        "changes": {"type": "ack", "requestId": 1},
        "tokenUpdate": {"type": "tokenUpdateAck", "ok": True},
    }
    connections: list[str] = []
    tokens = iter(range(1_000))

    async def source(rejected: str | None) -> str:
        return f"token {next(tokens)}"

    async def respond(socket: ServerConnection) -> None:
        connections.append("")
        async for text in socket:
            kind = json.loads(text)["type"]
            if kind != unanswered:
                await socket.send(json.dumps(answers[kind]))

    async def main() -> None:
        async with serve(respond, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with LiveItems(AsyncSteward(url, source), "p") as items:
                items.table(NOTES).put("a", {"title": "x"})
                begin = time.monotonic()
                while len(connections) < 2:
                    assert time.monotonic() - begin < 5
                    await asyncio.sleep(0.01)
                if unanswered != "tokenUpdate":
                    with pytest.raises(TransportError, match=f"not in sync.*{url} did not respond in time"):
                        await items.synced(0.5)

    run(main)
