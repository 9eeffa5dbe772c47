"""Changes of several items that are stored together, or not at all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from own_service import OwnService
from person import Person, run
from tables import NOTES
from test_live_quota import QUOTA, stored, until
from websockets.asyncio.server import ServerConnection, serve

from steward_sdk import AsyncSteward, InvalidRequestError, StewardError
from steward_sdk._replica import Replica
from steward_sdk.live import AtomicWrite, LiveChange, LiveItems


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnService]:
    service = OwnService(tmp_path)
    yield service
    service.stop()


def test_changes_appear_at_once_and_are_stored_together_or_not_at_all(own: OwnService) -> None:
    ann = Person(own.start(**{QUOTA: "3"}))

    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
            notes = items.table(NOTES)
            notes.put("old", {"title": "old"})
            with items.atomic() as first:
                created = first.table(NOTES).create({"title": "\u00e9"})
                first.table(NOTES).patch("old", {"title": "new"})
                first.table(NOTES).delete("none")
                assert notes.get(created) is None
            assert notes.get(created) == {"id": created, "title": "\u00e9"}
            await first.stored(30)
            assert await stored(ann) == ["new", "\u00e9"]

            # There is room for one. All are taken back, with one reason, and none of them waits.
            corrections: list[LiveChange] = []

            async def watch() -> None:
                async for change in items.changes():
                    corrections.extend([change] if change.is_correction else [])

            watching = asyncio.create_task(watch())
            await asyncio.sleep(0)
            with items.atomic() as second:
                for id in ("a", "b"):
                    second.table(NOTES).put(id, {"title": id})
            assert items.pending == 2
            with pytest.raises(InvalidRequestError, match="Nothing is stored, because of notes/") as caught:
                await second.stored(30)
            assert caught.value.code == "quota_exceeded"
            await items.synced(30)
            assert (sorted(notes.items()), items.held) == (sorted([created, "old"]), [])
            await until(lambda: len(corrections) == 2)
            assert {(each.code, each.message) for each in corrections} == {(caught.value.code, caught.value.message)}
            assert await stored(ann) == ["new", "\u00e9"]
            watching.cancel()

    run(main)


def test_changes_that_wait_are_sent_together_after_the_end_of_the_program(ann: Person, tmp_path: Path) -> None:
    async def main() -> None:
        async with LiveItems(ann.client(), ann.project_id, path=tmp_path / "live.db") as items:
            await items.synced(30)
        offline = AsyncSteward("http://127.0.0.1:9", "t")
        async with LiveItems(offline, ann.project_id, path=tmp_path / "live.db") as items:
            with items.atomic() as write:
                for id in ("together-a", "together-b"):
                    write.table(NOTES).put(id, {"title": id})
        async with LiveItems(ann.client(), ann.project_id, path=tmp_path / "live.db") as items:
            assert [change["atomic"] for change in items.state()["pending"]] == [write._name] * 2
            await items.synced(30)
        assert (await asyncio.to_thread(ann.notes.get, "together-b"))["title"] == "together-b"

    run(main)


def test_a_service_of_an_earlier_version_never_gets_a_part() -> None:
    received: list[Any] = []

    async def respond(socket: ServerConnection) -> None:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "clientIdentity":
                await socket.send(json.dumps({"type": "clientIdentity", "clientIdentity": "d"}))
            elif message["type"] == "subscribe":
                await socket.send(json.dumps({"type": "changes", "changes": [], "currentRevision": 1}))
            else:
                received.append(message)
                await socket.send(json.dumps({"type": "ack", "requestId": message["requestId"]}))

    async def main() -> None:
        async with serve(respond, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            items = LiveItems(AsyncSteward(url, "token"), "p")
            with items.atomic() as write:
                items_of(write, "a", "b")
            assert items.pending == 2
            async with items:
                with pytest.raises(StewardError, match="does not know atomic writes") as caught:
                    await write.stored(30)
                assert (caught.value.code, items.pending, items.table(NOTES).items()) == ("not_supported", 0, {})
                with pytest.raises(StewardError, match="does not know atomic writes"), items.atomic() as late:
                    items_of(late, "a")
                await items.synced(30)
        assert received == []

    run(main)


def test_misuses_say_what_to_do() -> None:
    items = LiveItems(AsyncSteward("http://127.0.0.1:9", "t"), "p")
    with pytest.raises(InvalidRequestError, match="1,000 changes") as caught, items.atomic() as write:
        items_of(write, *(f"n{at}" for at in range(1_001)))
    assert caught.value.code == "message_too_long"
    with pytest.raises(InvalidRequestError, match="1 MiB"), items.atomic() as write:
        for at in range(5):
            write.table(NOTES).put(f"{at}", {"title": "\u20ac" * 80_000})
    # An error in the program, or in one change, gives up all of them.
    with pytest.raises(ZeroDivisionError), items.atomic() as write:
        items_of(write, "a")
        raise ZeroDivisionError
    with pytest.raises(InvalidRequestError, match="The key must be"), items.atomic() as write:
        items_of(write, "a", "b/c")
    with pytest.raises(InvalidRequestError, match="cannot be sent as JSON"), items.atomic() as write:
        write.table(NOTES).put("a", {"title": "\ud800"})
    assert (items.pending, items.table(NOTES).items()) == (0, {})
    with pytest.raises(InvalidRequestError, match="inside of `with`"):
        items_of(write, "a")
    with items.atomic() as empty:
        pass
    run(empty.stored)


def items_of(write: AtomicWrite, *ids: str) -> None:
    for id in ids:
        write.table(NOTES).put(id, {"title": "x"})


NO_ROOM = {"code": "quota_exceeded", "message": "Full."}


def replica(*ids: str) -> Replica:
    """Return a replica of a device that has loaded these items."""
    loaded = Replica()
    loaded.connected("d", True)
    loaded.begin_load()
    loaded.receive([{**put(id), "obj": {"title": id}} for id in ids], 1, True, True)
    return loaded


def put(key: str, group: str | None = None) -> dict[str, Any]:
    return {"type": 1, "table": "notes", "key": key, "obj": {"title": "x"}, **({"atomic": group} if group else {})}


def patch(key: str, rank: int, group: str | None = None) -> dict[str, Any]:
    change = {"type": 2, "table": "notes", "key": key, "mods": {"rank": rank}}
    return {**change, "atomic": group} if group else change


def sent(device: Replica) -> tuple[list[str], bool] | None:
    """Return what is sent next, and whether together. The service stores it."""
    portion = device.portion()
    if portion is None:
        return None
    is_together = device.is_together
    assert all("atomic" not in change for change in portion[0])
    device.acknowledge(portion[1])
    return [change["key"] for change in portion[0]], is_together


def test_a_message_has_what_belongs_together_and_nothing_else() -> None:
    device = replica()
    device.write(put("first"))
    device.write(put("a", "one"), put("b", "one"))
    device.write(put("c", "two"))
    device.write(put("last"))
    assert [sent(device) for _ in range(5)] == [
        (["first"], False),
        (["a", "b"], True),
        (["c"], True),
        (["last"], False),
        None,
    ]


def test_what_others_store_in_between_is_no_refusal() -> None:
    device = replica("a")
    device.write(patch("a", 1, "one"), put("b", "one"))
    assert device.portion()
    device.receive([{**put("a"), "obj": {"title": "theirs", "rank": 2}}], 2, False, True)
    applied = device.acknowledge(1)
    assert applied and (applied.corrected, applied.groups, device.pending) == ({}, {}, 0)
    # A refusal is one, also if another change of the item follows it.
    device.write(patch("a", 3, "two"), put("c", "two"))
    assert device.portion()
    device.receive([{**put("a"), **NO_ROOM}], 3, False, True)
    device.receive([put("a")], 4, False, True)
    applied = device.acknowledge(3)
    assert applied and list(applied.groups) == ["two"] and set(applied.corrected) == {("notes", "a"), ("notes", "c")}
    assert (device.pending, device.item(("notes", "c"))) == (0, None)


def held_behind() -> Replica:
    """Return a replica on which changes wait behind one of `b` that is over quota."""
    device = replica("a", "c")
    device.write(put("b"))
    assert device.portion()
    device.receive([{"type": 3, "table": "notes", "key": "b", **NO_ROOM}], 2, False, True)
    device.acknowledge(1)
    device.write(patch("b", 1, "one"), patch("a", 1, "one"))
    # It waits behind the first ones, and the last one behind it.
    device.write(patch("a", 2, "two"), patch("c", 2, "two"))
    device.write(patch("c", 3))
    return device


def test_changes_that_follow_one_that_waits_for_room_wait_so_that_an_older_value_does_not_win() -> None:
    device = held_behind()
    assert (sent(device), device.is_waiting_for_room) == (None, True)
    assert [key[1] for key in device.held] == ["b", "a", "c"] and device.waits("two") == device.waits(("notes", "b"))
    device.release()
    assert [sent(device) for _ in range(5)] == [
        (["b"], False),
        (["b", "a"], True),
        (["a", "c"], True),
        (["c"], False),
        None,
    ]
    assert device.items("notes")["c"]["rank"] == 3


def test_giving_up_what_waits_gives_up_what_belongs_to_it() -> None:
    device = held_behind()
    # The change of `c` alone no longer waits for anything.
    applied = device.discard(("notes", "b"))
    assert (set(applied.keys), device.pending) == ({("notes", "b"), ("notes", "a")}, 3)
    assert [sent(device) for _ in range(3)] == [(["a", "c"], True), (["c"], False), None]
    # A change of the whole item takes the place of what waits, and what belongs to others is sent.
    device = held_behind()
    device.write(put("b"))
    assert [sent(device) for _ in range(3)] == [(["b", "a"], True), (["a", "c"], True), (["c", "b"], False)]
