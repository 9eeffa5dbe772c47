"""Items in sync over WebSocket, with interrupted connections."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from person import Person, Proxy, next_change, run
from tables import NOTES

from steward_sdk import (
    AsyncSteward,
    InvalidRequestError,
    Steward,
    StewardError,
    Table,
    TransportError,
    UnauthorizedError,
    _live_connection,
)
from steward_sdk._replica import MAX_PENDING, Replica
from steward_sdk.live import LiveChange, LiveItems
from steward_sdk.sign_in import Tokens


def test_two_devices_and_the_api_see_the_changes_of_each_other(ann: Person) -> None:
    async def main() -> None:
        async with ann.live() as first, ann.live() as second:
            await asyncio.gather(first.synced(30), second.synced(30))
            seen = second.changes()
            waiting = asyncio.create_task(next_change(seen, "shared"))
            await asyncio.sleep(0)
            first.table(NOTES).put("shared", {"title": "Buy milk", "tags": ["a"]})
            assert first.table(NOTES).get("shared") == {"id": "shared", "title": "Buy milk", "tags": ["a"]}
            change = await waiting
            assert change.item and change.item["title"] == "Buy milk" and not change.is_correction
            second.table(NOTES).patch("shared", {"done": True, "tags": None})
            await second.synced(30)
            stored = await asyncio.to_thread(ann.notes.get, "shared")
            assert (stored["title"], stored["done"], stored.get("tags")) == ("Buy milk", True, None)
            waiting = asyncio.create_task(next_change(seen, "from-api"))
            await asyncio.to_thread(ann.notes.put, "from-api", {"title": "Buy bread"})
            assert (await waiting).table == "notes"
            waiting = asyncio.create_task(next_change(seen, "shared"))
            first.table(NOTES).delete("shared")
            assert (await waiting).item is None
            created = first.table(NOTES).create({"title": "New"})
            await first.synced(30)
            assert (await asyncio.to_thread(ann.notes.get, created))["title"] == "New"

    run(main)


def test_5000_offline_changes_are_sent_after_a_reconnection(ann: Person) -> None:
    async def main() -> None:
        proxy = Proxy(ann.service)
        await proxy.listen()
        async with ann.live(f"http://127.0.0.1:{proxy.port}") as items:
            notes = items.table(NOTES)
            await items.synced(30)
            await proxy.kill()
            while items.status == "online":
                await asyncio.sleep(0.01)
            for index in range(5_000):
                notes.put(f"offline-{index}", {"title": f"Note {index}", "rank": index})
            assert (items.pending, len([id for id in notes.items() if id.startswith("offline-")])) == (5_000, 5_000)
            with pytest.raises(TransportError):
                await items.synced(0.1)
            await proxy.listen()
            # The connection is lost once more while changes are in flight.
            while items.pending > 4_000:
                await asyncio.sleep(0.001)
            await proxy.kill()
            await asyncio.sleep(0.2)
            assert items.pending > 0
            await proxy.listen()
            await items.synced(60)
            assert proxy.connections >= 3
        await proxy.kill()
        stored = await asyncio.to_thread(
            lambda: {each["id"]: each.get("rank") for each in ann.notes.list(page_size=1_000)}
        )
        assert {id: rank for id, rank in stored.items() if id.startswith("offline-")} == {
            f"offline-{index}": index for index in range(5_000)
        }

    run(main)


def test_changes_survive_the_end_of_the_program(ann: Person) -> None:
    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
            state = items.state()
        offline = LiveItems(ann.client(), ann.project_id, state=json.loads(json.dumps(state)))
        offline.table(NOTES).put("kept", {"title": "Kept"})
        state = json.loads(json.dumps(offline.state()))
        await asyncio.to_thread(ann.notes.put, "other", {"title": "Other"})
        async with ann.live(state=state) as items:
            assert items.table(NOTES).get("kept") == {"id": "kept", "title": "Kept"}
            await items.synced(30)
            # A change of another device can be sent after the acknowledgement.
            while items.table(NOTES).get("other") is None:
                await asyncio.sleep(0.01)
            assert items.state()["device"] == state["device"]
        assert (await asyncio.to_thread(ann.notes.get, "kept"))["title"] == "Kept"

    run(main)


def test_a_change_that_does_not_fit_is_corrected(ann: Person) -> None:
    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
            corrections: list[LiveChange] = []

            async def watch() -> None:
                async for change in items.changes():
                    if change.is_correction:
                        corrections.append(change)

            task = asyncio.create_task(watch())
            await asyncio.sleep(0)
            untyped: Table[dict[str, Any], dict[str, Any], dict[str, Any]] = Table("notes")
            items.table(untyped).put("wrong", {"title": 1})
            items.table(NOTES).put("right", {"title": "Right"})
            await items.synced(30)
            await asyncio.sleep(0.1)
            task.cancel()
            assert [(each.id, each.item, each.code) for each in corrections] == [("wrong", None, "invalid_item")]
            assert corrections[0].message == "Field title should be type string, got number"
            assert items.table(NOTES).get("wrong") is None and items.table(NOTES).get("right")

    run(main)


def test_a_rejected_token_is_replaced_or_ends_the_connection(ann: Person) -> None:
    async def main() -> None:
        rejected: list[str | None] = []

        async def source(token: str | None) -> str:
            rejected.append(token)
            return ann.tokens.access_token if token else "invalid"

        async with LiveItems(AsyncSteward(ann.service.url, source), ann.project_id) as items:
            await items.synced(30)
        assert "invalid" in rejected
        async with LiveItems(AsyncSteward(ann.service.url, "invalid"), ann.project_id) as items:
            with pytest.raises(UnauthorizedError):
                await items.synced(30)

    run(main)


def test_a_token_source_that_fails_is_reported_and_asked_again(ann: Person, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        calls: list[str | None] = []

        async def source(rejected: str | None) -> str:
            calls.append(rejected)
            if len(calls) < 3:
                raise KeyError("session")
            return ann.tokens.access_token

        async with LiveItems(AsyncSteward(ann.service.url, source), ann.project_id) as items:
            items.table(NOTES).put("token-source", {"title": "x"})
            with pytest.raises(TransportError, match="The token source failed: KeyError"):
                await items.synced(0.05)
            await items.synced(30)
        assert [record.message for record in caplog.records] == ["The token source of the live items failed."] * 2
        # What ends the connection for good is reported, too: the program may wait for nothing.
        async with LiveItems(AsyncSteward(ann.service.url, "invalid"), ann.project_id) as items:
            while len(caplog.records) == 2:
                await asyncio.sleep(0.01)
        assert "not sent and received any more: The service rejected the token" in caplog.records[2].message

    run(main)


def test_a_program_that_fails_with_a_change_does_not_stop_others(ann: Person) -> None:
    async def main() -> None:
        async with ann.live() as items, ann.live() as other:
            await asyncio.gather(items.synced(30), other.synced(30))

            async def fail() -> None:
                async for _ in items.changes():
                    raise KeyError("program")

            failed = asyncio.create_task(fail())
            seen = asyncio.create_task(next_change(items.changes(), "second"))
            await asyncio.sleep(0)
            items.table(NOTES).put("first", {"title": "x"})
            await asyncio.wait([failed])
            assert isinstance(failed.exception(), KeyError)
            other.table(NOTES).put("second", {"title": "x"})
            assert (await seen).item
            await items.synced(30)

    run(main)


def test_a_token_is_replaced_before_it_expires(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_live_connection, "TOKEN_INTERVAL", 0.05)

    async def main() -> None:
        tokens: list[Tokens] = [ann.tokens]

        async def source(token: str | None) -> str:
            return tokens[-1].access_token

        proxy = Proxy(ann.service)
        await proxy.listen()
        async with LiveItems(AsyncSteward(f"http://127.0.0.1:{proxy.port}", source), ann.project_id) as items:
            await items.synced(30)
            tokens.append(await asyncio.to_thread(ann.sign_in.refresh, ann.tokens))
            await asyncio.sleep(0.5)
            assert items._token == tokens[-1].access_token
            items.table(NOTES).put("renewed", {"title": "x"})
            await items.synced(30)
            assert proxy.connections == 1
        await proxy.kill()
        ann.tokens = tokens[-1]

    run(main)


def test_a_synchronous_client_and_another_event_loop_are_named() -> None:
    wrong: Any = Steward("http://127.0.0.1:9")
    with pytest.raises(InvalidRequestError, match="need an AsyncSteward"):
        LiveItems(wrong, "p")
    items = LiveItems(AsyncSteward("http://127.0.0.1:9", "token"), "p")

    async def main() -> None:
        async with items:
            pass

    asyncio.run(main())
    with pytest.raises(InvalidRequestError, match="another event loop"):
        asyncio.run(main())


def test_pending_changes_are_bounded() -> None:
    replica = Replica()
    for index in range(MAX_PENDING):
        replica.write({"type": 3, "table": "notes", "key": str(index)})
    with pytest.raises(StewardError) as caught:
        replica.write({"type": 3, "table": "notes", "key": "x"})
    assert caught.value.code == "too_many_items"


def test_a_load_of_everything_deletes_what_the_service_does_not_have() -> None:
    replica = Replica()
    replica.begin_load()
    item = {"type": 1, "table": "notes", "obj": {"title": "x"}}
    replica.receive([{**item, "key": "a"}, {**item, "key": "b"}], 7, True, True)
    # After a restore, the service does not know revision 7, and sends everything.
    replica.begin_load()
    replica.receive([{**item, "key": "b"}], 0, True, False)
    replica.receive([{**item, "key": "c"}], 3, True, True)
    assert (sorted(replica.items("notes")), replica.revision) == (["b", "c"], 3)


def put(*keys: str) -> list[dict[str, Any]]:
    return [{"type": 1, "table": "notes", "key": key, "obj": {"title": "x"}} for key in keys]


def test_a_complete_load_deletes_what_it_lacks_whatever_its_revision() -> None:
    replica = Replica()
    replica.begin_load()
    replica.receive(put("a", "b", "c"), 7, True, True, True)
    replica.write({"type": 1, "table": "notes", "key": "own", "obj": {"title": "x"}})
    replica.write({"type": 2, "table": "notes", "key": "c", "mods": {"title": "y"}})
    replica.begin_load()
    replica.receive(put("a"), 0, True, False, False)
    # The connection ends, and the load begins again. What it brought before may be gone.
    replica.begin_load()
    replica.receive(put("d"), 0, True, False, False)
    replica.receive([], 9, True, True, True)
    # Own changes that are not acknowledged stay.
    items = replica.items("notes")
    assert {id: items[id]["title"] for id in sorted(items)} == {"c": "y", "d": "x", "own": "x"}
    assert (replica.revision, replica.pending, replica.stored_keys()) == (9, 2, [("notes", "d")])


def test_a_complete_load_can_begin_on_an_open_connection() -> None:
    replica = Replica()
    replica.begin_load()
    replica.receive(put("a", "b"), 7, True, True, True)
    replica.write(put("own")[0])
    assert replica.portion()
    replica.receive(put("a"), 0, False, False, False)
    assert (replica.revision, len(replica.items("notes"))) == (7, 3)
    # In between, the own change is stored, and a change of another device arrives.
    replica.acknowledge(1)
    replica.receive(put("other"), 8, False, True)
    replica.receive(put("c"), 9, False, True, True)
    assert (sorted(replica.items("notes")), replica.revision) == (["a", "c", "other", "own"], 9)


def test_a_load_of_what_is_missing_deletes_nothing() -> None:
    replica = Replica()
    replica.begin_load()
    replica.receive(put("a", "b"), 7, True, True, True)
    replica.begin_load()
    replica.receive(put("c"), 8, True, False)
    replica.receive([], 9, True, True)
    assert sorted(replica.items("notes")) == ["a", "b", "c"]


def test_changes_at_paths_keep_the_rest() -> None:
    replica = Replica()
    replica.write({"type": 1, "table": "notes", "key": "a", "obj": {"meta": {"a": {"b": 1}, "c": 2}}})
    replica.write({"type": 2, "table": "notes", "key": "a", "mods": {"meta.a.b": None, "meta.d.e": 3}})
    assert replica.items("notes")["a"] == {"id": "a", "meta": {"a": {}, "c": 2, "d": {"e": 3}}}
