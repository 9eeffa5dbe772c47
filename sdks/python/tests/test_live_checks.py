"""What a device refuses itself, in the words of the service."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from person import Person, run
from service import SCHEMA, Service
from tables import NOTES

from steward_sdk import InvalidRequestError, Table, _live_connection, _replica
from steward_sdk.live import LiveItems

UNTYPED: Table[dict[str, Any], dict[str, Any], dict[str, Any]] = Table("notes")

DEEP: Any = []
for _ in range(30):
    DEEP = [DEEP]

REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "type": ("a", {"title": 1}, "invalid_item"),
    "boolean": ("a", {"title": "x", "done": 1}, "invalid_item"),
    "number": ("a", {"title": "x", "rank": True}, "invalid_item"),
    "json": ("a", {"title": "x", "tags": "a"}, "invalid_item"),
    "required": ("a", {"done": True}, "invalid_item"),
    "null": ("a", {"title": None}, "invalid_item"),
    "nul": ("a", {"title": "a\0b"}, "invalid_item"),
    "depth": ("a", {"title": "x", "tags": DEEP}, "invalid_item"),
    "integer": ("a", {"title": "x", "rank": 12345678901234567890123}, "invalid_item"),
    "size": ("a", {"title": "\u20ac" * 87_400}, "item_too_large"),
    "key": ("a/b", {"title": "x"}, "invalid_key"),
    "dots": ("..", {"title": "x"}, "invalid_key"),
}


async def learned(items: LiveItems) -> None:
    await items.synced(30)
    for _ in range(500):
        if items._replica.schema:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("The schema was not learned.")


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_is_refused_with_the_words_of_the_service(
    ann: Person, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    id, value, code = REFUSED[name]

    async def main() -> None:
        async with ann.live() as items:
            await learned(items)
            notes = items.table(UNTYPED)
            before = items.pending, notes.items()
            with pytest.raises(InvalidRequestError) as caught:
                notes.put(id, value)
            assert caught.value.code == code
            assert (items.pending, notes.items()) == before
            # The service would have said the same.
            monkeypatch.setattr(_replica, "check", lambda *_: None)
            changes = items.changes()
            notes.put(id, value)
            change = await asyncio.wait_for(anext(each async for each in changes if each.is_correction), 10)
            assert (change.id, change.code, change.message) == (id, code, caught.value.message)
            # Who waits for the change learns it, too, also later.
            with pytest.raises(InvalidRequestError) as refused:
                await notes.stored(id, 10)
            assert (refused.value.code, refused.value.message) == (code, caught.value.message)

    run(main)


def test_what_the_service_accepts_is_not_refused(ann: Person) -> None:
    values: list[dict[str, Any]] = [
        {"title": "\u20ac" * 87_370},
        {"title": "", "done": None, "rank": 18446744073709551616, "tags": DEEP[0]},
        {"title": "x", "rank": 18446744073709552000, "meta": {}, "id": 7, "created_at": True},
        {"title": "x", "rank": -(2**63)},
    ]

    async def main() -> None:
        async with ann.live() as items:
            await learned(items)
            notes = items.table(UNTYPED)
            for index, value in enumerate(values):
                notes.put(f"~{index}", value)
            # This device may not have the rest of an item yet.
            await asyncio.to_thread(ann.notes.put, "elsewhere", {"title": "x"})
            notes.patch("elsewhere", {"done": True})
            await notes.stored("~3", 30)
            await items.synced(30)
            stored = await asyncio.to_thread(lambda: {each["id"]: each for each in ann.notes.list()})
            assert {"~0", "~1", "~2", "~3", "elsewhere"} <= stored.keys()
            assert (stored["elsewhere"]["title"], stored["elsewhere"]["done"]) == ("x", True)
            # All violations are in the error.
            with pytest.raises(InvalidRequestError) as caught:
                notes.patch("~0", {"title": None, "done": "yes"})
            assert [each.field for each in caught.value.violations] == ["/done", "/title"]

    run(main)


def test_a_schema_is_known_after_a_restart_and_learned_again(ann: Person) -> None:
    async def main() -> None:
        async with ann.live() as items:
            await learned(items)
            state = items.state()
        offline = LiveItems(ann.client(), ann.project_id, state=state)
        with pytest.raises(InvalidRequestError, match="Field title should be type string, got number"):
            offline.table(UNTYPED).put("a", {"title": 1})
        # A field or a table that is not known may be new: the service decides.
        offline.table(UNTYPED).put("a", {"title": "x", "added_later": 1})
        offline.table(Table("added_later")).put("a", {"anything": 1})

    run(main)


def test_a_schema_that_has_changed_is_learned_after_a_refusal(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_live_connection, "SCHEMA_INTERVAL", 0.01)
    ann = Person(service)

    async def main() -> None:
        async with ann.live() as items:
            await learned(items)
            notes = items.table(UNTYPED)
            tables = json.loads(json.dumps(SCHEMA))
            tables["tables"]["notes"]["fields"]["title"]["required"] = False
            await asyncio.to_thread(service.developer().schemas.publish, ann.project_id, schema=tables)
            with pytest.raises(InvalidRequestError, match="Field title is required"):
                notes.put("a", {"rank": 1})
            known = items._replica.schema
            for _ in range(500):
                if items._replica.schema != known:
                    break
                await asyncio.sleep(0.01)
            notes.put("a", {"rank": 1})
            await items.synced(30)

    run(main)


@pytest.mark.parametrize("value", [{"title": "\ud800"}, {"title": float("nan")}, {"title": {1}}])
def test_what_is_no_json_is_refused(ann: Person, value: Any) -> None:
    items = LiveItems(ann.client(), ann.project_id)
    with pytest.raises(InvalidRequestError, match="cannot be sent as JSON"):
        items.table(NOTES).put("a", value)
    assert items.pending == 0
