"""Nothing is lost or stored twice on a bad day, and nobody is left without a word.

Others are in `test_live.py` (5,000 changes made offline, tokens), `test_live_connection.py` (half-open connections),
`test_live_quota.py` and `test_live_store.py` (files that are full, deleted or locked).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Iterator

import pytest
from own_service import OwnService
from person import Person, run
from service import CALLBACK, SCHEMA, Service
from tables import NOTES
from test_live_quota import until
from test_types import PACKAGE
from websockets.asyncio.server import ServerConnection, serve

from steward_sdk import AsyncSteward, SignInError, StewardError, Table
from steward_sdk.live import LiveChange, LiveItems
from steward_sdk.sign_in import AsyncSignIn

COUNT = 3_000


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnService]:
    service = OwnService(tmp_path)
    yield service
    service.stop()


async def check_stored_once(ann: Person, prefix: str, count: int) -> None:
    """Check that all notes with a prefix are stored, none of them twice."""
    notes = await asyncio.to_thread(lambda: ann.notes.list(page_size=1_000).all())
    found = {each["id"]: each for each in notes if each["id"].startswith(prefix)}
    assert {id: each["title"] for id, each in found.items()} == {f"{prefix}{at}": f"{at}" for at in range(count)}
    # A second time would be an update.
    assert [id for id, each in found.items() if each["created_at"] != each["updated_at"]] == []


def has_at_most(items: LiveItems, pending: int) -> bool:
    return items.pending <= pending


PROGRAM = """
import asyncio, sys
from steward_sdk import AsyncSteward, Table
from steward_sdk.live import LiveItems

async def main():
    url, token, project, path, count = sys.argv[1:]
    async with LiveItems(AsyncSteward(url, token), project, path=path) as items:
        await items.synced(30)
        for at in range(int(count)):
            items.table(Table("notes")).put(f"killed-{at}", {"title": f"{at}"})
        print(items.pending, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def test_a_program_that_is_killed_while_it_sends(ann: Person, tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    arguments = (ann.service.url, ann.tokens.access_token, ann.project_id, str(path), str(COUNT))
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = {"PYTHONPATH": str(PACKAGE / "src")}
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE) as program:
        assert program.stdout and program.stdout.readline() == f"{COUNT}\n"
        while len(ann.notes.list(page_size=1_000).first(1_000)) < 1_000:
            time.sleep(0.01)
        program.kill()

    async def main() -> None:
        async with LiveItems(ann.client(), ann.project_id, path=path) as items:
            assert items.pending > 0
            await items.synced(60)
        await check_stored_once(ann, "killed-", COUNT)

    run(main)


def test_a_service_that_is_killed_while_it_receives(own: OwnService) -> None:
    ann = Person(own.start())

    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
            for at in range(COUNT):
                items.table(NOTES).put(f"sent-{at}", {"title": f"{at}"})
            for left in (COUNT - 500, COUNT - 1_500):
                await until(partial(has_at_most, items, left))
                await asyncio.to_thread(own.stop)
                await until(lambda: items.status != "online")
                assert items.pending > 0
                await asyncio.to_thread(own.start)
            await items.synced(60)
        await check_stored_once(ann, "sent-", COUNT)

    run(main)


def test_a_service_that_is_restored(own: OwnService, tmp_path: Path) -> None:
    """What was stored in the lost time is gone on the device, too, but not what it has not sent."""
    ann = Person(own.start())
    backup = tmp_path / "backup"

    async def main() -> None:
        async with ann.live() as items:
            items.table(NOTES).put("before", {"title": "x"})
            await items.synced(30)
        await asyncio.to_thread(own.stop)
        backup.mkdir()
        for file in tmp_path.glob("steward.db*"):
            shutil.copy2(file, backup)
        await asyncio.to_thread(own.start)
        async with ann.live(state=items.state()) as items:
            items.table(NOTES).put("lost", {"title": "x"})
            await items.synced(30)
        await asyncio.to_thread(own.stop)
        for file in tmp_path.glob("steward.db*"):
            file.unlink()
        for file in backup.iterdir():
            shutil.copy2(file, tmp_path)
        await asyncio.to_thread(own.start)
        # The service is ahead of the device again: only what the load says tells that it has everything.
        for at in range(50):
            await asyncio.to_thread(ann.notes.put, "later", {"title": f"{at}"})
        offline = LiveItems(ann.client(), ann.project_id, state=items.state())
        assert sorted(offline.table(NOTES).items()) == ["before", "lost"]
        offline.table(NOTES).put("own", {"title": "x"})
        async with ann.live(state=offline.state()) as items:
            await items.synced(30)
            assert sorted(items.table(NOTES).items()) == ["before", "later", "own"]

    run(main)


def test_a_field_and_a_table_that_are_removed_while_a_device_is_offline(service: Service) -> None:
    ann = Person(service)
    untyped: Table[dict[str, Any], dict[str, Any], dict[str, Any]] = Table("notes")

    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
        offline = LiveItems(ann.client(), ann.project_id, state=items.state())
        offline.table(untyped).put("kept", {"title": "x", "rank": 1})
        offline.table(Table("sync_log")).put("1", {"class": "push"})
        schema = json.loads(json.dumps(SCHEMA))
        del schema["tables"]["notes"]["fields"]["rank"], schema["tables"]["sync_log"]
        publish = service.developer().schemas.publish
        await asyncio.to_thread(lambda: publish(ann.project_id, schema=schema, allow_destructive=True))
        corrected: dict[str, LiveChange] = {}
        async with ann.live(state=offline.state()) as items:

            async def watch() -> None:
                async for change in items.changes():
                    if change.is_correction:
                        corrected[change.id] = change

            watching = asyncio.create_task(watch())
            await items.synced(30)
            await until(lambda: len(corrected) == 2)
            watching.cancel()
            assert items.table(untyped).get("kept") == {"id": "kept", "title": "x"}
        assert {id: each.code for id, each in corrected.items()} == {"kept": "unknown_field", "1": "unknown_table"}
        assert all(each.message for each in corrected.values())
        assert (await asyncio.to_thread(ann.notes.get, "kept"))["title"] == "x"

    run(main)


def test_a_sign_out_without_a_network_does_not_lose_changes(tmp_path: Path) -> None:
    path = tmp_path / "live.db"

    async def main() -> None:
        client = AsyncSteward("http://127.0.0.1:9", "token")
        async with LiveItems(client, "p", path=path) as items:
            for at in range(3):
                items.table(NOTES).put(f"{at}", {"title": "x"})
            with pytest.raises(StewardError, match="3 changes are not sent") as caught:
                await items.forget()
            assert (caught.value.code, caught.value.details["pending"]) == ("unsent_changes", 3)
            assert items.pending == 3
        async with LiveItems(client, "p", path=path) as items:
            assert items.pending == 3
            await items.forget(discard=True)
            assert (items.pending, items.status, items.table(NOTES).items()) == (0, "offline", {})
            with pytest.raises(StewardError, match="closed"):
                items.table(NOTES).delete("a")
        assert list(tmp_path.iterdir()) == []

    run(main)


def test_changes_wait_for_the_person_whose_sign_in_was_ended(ann: Person, tmp_path: Path) -> None:
    path = tmp_path / "live.db"

    async def main() -> None:
        flow = AsyncSignIn(ann.client(), ann.project_id, CALLBACK)
        tokens = await asyncio.to_thread(ann.signed_in)
        session = flow.session(tokens)
        async with LiveItems(ann.client().with_token(session.token), ann.project_id, path=path) as items:
            await items.synced(30)
            await asyncio.to_thread(ann.sign_in.sign_out, tokens)
            await until(lambda: items.status == "offline" and items._error)
            items.table(NOTES).put("ended", {"title": "x"})
            with pytest.raises(SignInError):
                await items.synced(30)
            assert items.pending == 1
        tokens = await asyncio.to_thread(ann.signed_in)
        async with LiveItems(ann.client().with_token(tokens.access_token), ann.project_id, path=path) as items:
            await items.synced(30)
        assert (await asyncio.to_thread(ann.notes.get, "ended"))["title"] == "x"

    run(main)


@pytest.mark.parametrize("shift", [-2 * 86_400, 2 * 86_400])
def test_the_clock_of_the_device_does_not_matter(ann: Person, monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    now = time.time

    async def main() -> None:
        flow = AsyncSignIn(ann.client(), ann.project_id, CALLBACK)
        monkeypatch.setattr(time, "time", lambda: now() + shift)
        session = flow.session(await asyncio.to_thread(ann.signed_in))
        first = session.tokens.access_token
        # The clock is set while the program runs.
        for seconds in (shift, 0, -shift):
            monkeypatch.setattr(time, "time", lambda seconds=seconds: now() + seconds)
            async with LiveItems(ann.client().with_token(session.token), ann.project_id) as items:
                items.table(NOTES).put(f"clock{shift}.{seconds}", {"title": "x"})
                await items.synced(30)
            assert (await asyncio.to_thread(ann.notes.get, f"clock{shift}.{seconds}"))["title"] == "x"
            if seconds == shift:
                assert session.tokens.access_token == first

    run(main)


def test_a_token_that_expires_while_changes_are_sent_is_replaced() -> None:
    rejected: list[str | None] = []
    received: list[list[str]] = []

    async def source(token: str | None) -> str:
        rejected.append(token)
        return "new" if token else "old"

    async def respond(socket: ServerConnection) -> None:
        token = ""
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "clientIdentity":
                token = message["authToken"]
                await socket.send(json.dumps({"type": "clientIdentity", "clientIdentity": "d"}))
            elif message["type"] == "subscribe":
                load = {"changes": [], "currentRevision": 1, "partial": False, "complete": True}
                await socket.send(json.dumps({"type": "changes", **load}))
            elif token == "old":
                await socket.send(json.dumps({"type": "error", "code": "TOKEN_EXPIRED", "message": "Expired."}))
                return
            else:
                received.append([each["key"] for each in message["changes"]])
                await socket.send(json.dumps({"type": "ack", "requestId": message["requestId"]}))

    async def main() -> None:
        async with serve(respond, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with LiveItems(AsyncSteward(url, source), "p") as items:
                for at in range(3):
                    items.table(NOTES).put(f"{at}", {"title": "x"})
                await items.synced(30)
                assert (items.pending, received, rejected) == (0, [["0", "1", "2"]], [None, "old"])

    run(main)


def test_a_message_of_a_complete_load_reaches_the_items() -> None:
    """Over a connection, as the service sends it: a device with a revision gets everything in one message."""
    load = {"changes": [note("a"), note("b")], "currentRevision": 9, "partial": False, "complete": True}

    async def respond(socket: ServerConnection) -> None:
        async for text in socket:
            kind = json.loads(text)["type"]
            if kind == "clientIdentity":
                await socket.send(json.dumps({"type": "clientIdentity", "clientIdentity": "d"}))
            elif kind == "subscribe":
                await socket.send(json.dumps({"type": "changes", **load}))

    async def main() -> None:
        state = {
            "device": "d",
            "revision": 5,
            "items": {"notes": {"lost": {"id": "lost"}}},
            "pending": [],
            "sequence": 0,
        }
        async with serve(respond, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with LiveItems(AsyncSteward(url, "token"), "p", state=state) as items:
                changes = items.table(NOTES).changes()
                gone = asyncio.create_task(anext(each async for each in changes if each.item is None))
                await items.synced(30)
                assert sorted(items.table(NOTES).items()) == ["a", "b"]
                # The program learns which items are gone.
                assert (await asyncio.wait_for(gone, 10)).id == "lost"

    run(main)


def note(key: str) -> dict[str, Any]:
    return {"type": 1, "table": "notes", "key": key, "obj": {"title": "x"}}
