"""Changes for which a quota has no room are kept, and sent again."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from own_service import OwnService
from person import Person, Proxy, run
from tables import NOTES

from steward_sdk import StewardError, live
from steward_sdk._replica import Applied, Replica
from steward_sdk.live import LiveChange, LiveItems

QUOTA = "STEWARD_MAX_ITEMS_PER_PROJECT"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnService]:
    service = OwnService(tmp_path)
    yield service
    service.stop()


async def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def stored(person: Person) -> list[str]:
    return await asyncio.to_thread(lambda: sorted(each["title"] for each in person.notes.list(page_size=1_000)))


def test_50_notes_at_a_quota_of_20_are_kept_until_there_is_room(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = Person(own.start(**{QUOTA: "20"}))

    async def main() -> None:
        async with ann.live() as items:
            notes = items.table(NOTES)
            seen: list[LiveChange] = []

            async def watch() -> None:
                async for change in items.changes():
                    seen.append(change)

            watching = asyncio.create_task(watch())
            await items.synced(30)
            ids = [notes.create({"title": f"{index:02}"}) for index in range(50)]
            with pytest.raises(StewardError, match="The limit of 20 items") as caught:
                await items.synced(30)
            assert caught.value.code == "quota_exceeded"
            assert (len(await stored(ann)), items.pending, len(notes.items())) == (20, 30, 50)
            await notes.stored(ids[0], 30)
            with pytest.raises(StewardError, match="The limit of 20 items"):
                await notes.stored(ids[49], 30)
            # They are shown with the reason, and are no corrections.
            assert [each.id for each in items.held] == ids[20:]
            assert {(each.code, each.is_correction) for each in items.held} == {("quota_exceeded", False)}
            reported = [each for each in seen if each.code]
            assert {each.id for each in reported} == set(ids[20:]) and all(each.item for each in reported)

            # Changes of them wait, too: alone, they would create parts of them.
            notes.patch(ids[20], {"done": True})
            await asyncio.sleep(0.2)
            assert (len(await stored(ann)), items.pending) == (20, 31)

            # After a deletion, here or elsewhere, they are sent again.
            notes.delete(ids[0])
            await until(lambda: items.pending == 29)
            assert (await asyncio.to_thread(ann.notes.get, ids[20]))["done"] is True
            await asyncio.to_thread(ann.notes.delete, ids[1])
            await until(lambda: items.pending == 28)
            assert await stored(ann) == [f"{index:02}" for index in range(2, 22)]

            # They can be given up.
            items.discard_held(NOTES, ids[49])
            assert (notes.get(ids[49]), items.pending, len(notes.items())) == (None, 27, 47)

            # They are sent after some minutes, or at once on request, for example when the quota is larger.
            monkeypatch.setattr(live, "RETRY_INTERVAL", 1.0)
            for quota, retry in (("30", True), ("100", False)):
                await asyncio.to_thread(own.stop)
                await asyncio.to_thread(own.start, **{QUOTA: quota})
                await until(lambda: items.status == "online")
                if retry:
                    items.retry_held()
                    await until(lambda: items.pending == 17)
            await until(lambda: not items.pending)
            await items.synced(30)
            assert (items.held, await stored(ann)) == ([], [f"{index:02}" for index in range(2, 49)])
            watching.cancel()

    run(main)


def test_notes_over_quota_survive_the_end_of_the_program(own: OwnService) -> None:
    ann = Person(own.start(**{QUOTA: "2"}))

    async def main() -> None:
        async with ann.live() as items:
            for index in range(4):
                items.table(NOTES).put(f"n{index}", {"title": f"{index}"})
            with pytest.raises(StewardError, match="The limit of 2 items"):
                await items.synced(30)
            items.table(NOTES).patch("n3", {"rank": 3})
            state = json.loads(json.dumps(items.state()))
        restored = LiveItems(ann.client(), ann.project_id, state=state)
        assert (restored.pending, len(restored.table(NOTES).items())) == (3, 4)
        await asyncio.to_thread(ann.notes.delete, "n0")
        async with ann.live(state=state) as items:
            with pytest.raises(StewardError, match="The limit of 2 items"):
                await items.synced(30)
            # The deletion may arrive only now, and lead to another attempt.
            await until(lambda: [each.id for each in items.held] == ["n3"])
            assert items.table(NOTES).get("n3") == {"id": "n3", "title": "3", "rank": 3}
            await asyncio.to_thread(ann.notes.delete, "n1")
            await until(lambda: not items.pending)
        assert await stored(ann) == ["2", "3"]

    run(main)


def test_a_lost_response_does_not_lose_what_is_over_quota(own: OwnService) -> None:
    ann = Person(own.start(**{QUOTA: "2"}))

    async def main() -> None:
        proxy = Proxy(ann.service)
        await proxy.listen()
        async with ann.live(f"http://127.0.0.1:{proxy.port}") as items:
            await items.synced(30)
            proxy.mute()
            for index in range(4):
                items.table(NOTES).put(f"n{index}", {"title": f"{index}"})
            items.table(NOTES).patch("n3", {"rank": 3})
            while len(await stored(ann)) < 2:
                await asyncio.sleep(0.01)
            # Another device deletes a note that was stored. It must not come back.
            await asyncio.to_thread(ann.notes.delete, "n0")
            await proxy.kill()
            await proxy.listen()
            await until(lambda: items.pending == 2)
            with pytest.raises(StewardError, match="The limit of 2 items"):
                await items.synced(30)
            assert await stored(ann) == ["1", "2"]
            await until(lambda: [each.id for each in items.held] == ["n3"])
            assert items.table(NOTES).get("n3") == {"id": "n3", "title": "3", "rank": 3}
            assert items.table(NOTES).get("n0") is None
        await proxy.kill()

    run(main)


NO_ROOM = {"code": "quota_exceeded", "message": "Full."}


def sent(*changes: dict[str, Any]) -> Replica:
    """Return a replica whose changes of a note are in flight."""
    replica = Replica()
    replica.begin_load()
    replica.receive([{"type": 1, "table": "notes", "key": "b", "obj": {"title": "b"}}], 1, True, True)
    for change in changes:
        replica.write({"table": "notes", "key": "a", **change})
    assert replica.portion() is not None
    return replica


def answered(replica: Replica, answer: dict[str, Any]) -> Applied:
    replica.receive([{"table": "notes", "key": "a", **answer, **NO_ROOM}], 2, False, True)
    applied = replica.acknowledge(1)
    assert applied
    return applied


def test_only_what_follows_the_last_stored_change_is_kept() -> None:
    put, grow, shrink = ({"type": 1, "obj": {"title": title}} for title in ("a", "long", "s"))
    replica = sent(put, grow)
    applied = answered(replica, put)
    assert (replica.pending, replica.items("notes")["a"]["title"], list(applied.corrected)) == (1, "long", [])
    # A later change that fits replaces the one that does not.
    replica = sent(put, grow, shrink)
    applied = answered(replica, shrink)
    assert (replica.pending, replica.items("notes")["a"]["title"], len(applied.corrected)) == (0, "s", 1)


def test_a_later_replacement_or_deletion_takes_the_place_of_what_waits() -> None:
    for change, left in (({"type": 3}, None), ({"type": 1, "obj": {"title": "c"}}, {"id": "a", "title": "c"})):
        replica = sent({"type": 1, "obj": {"title": "a"}}, {"type": 2, "mods": {"title": "b"}})
        answered(replica, {"type": 3})
        assert (replica.pending, replica.portion()) == (2, None)
        replica.write({"table": "notes", "key": "a", **change})
        assert (replica.pending, replica.held, replica.item(("notes", "a"))) == (1, {}, left)
        assert replica.portion() == ([{"table": "notes", "key": "a", **change}], 3)


def test_a_deletion_that_arrives_before_the_acknowledgement_makes_room() -> None:
    replica = sent({"type": 1, "obj": {"title": "a"}})
    replica.receive([{"type": 3, "table": "notes", "key": "b"}], 2, False, True)
    answered(replica, {"type": 3})
    portion = replica.portion()
    assert portion and portion[0][0]["key"] == "a"
    # The service has seen the deletion now.
    replica.receive([{"type": 3, "table": "notes", "key": "a", **NO_ROOM}], 3, False, True)
    replica.acknowledge(portion[1])
    assert (replica.portion(), list(replica.held)) == (None, [("notes", "a")])
