"""Live items in a file."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from person import Person, run
from tables import NOTES
from test_types import PACKAGE

from steward_sdk import AsyncSteward, InvalidRequestError, _live_store
from steward_sdk._replica import Replica
from steward_sdk.live import LiveItems

OFFLINE = AsyncSteward("http://127.0.0.1:9", "token")

PROGRAM = """
import sys
from steward_sdk import AsyncSteward, Table
from steward_sdk.live import LiveItems

items = LiveItems(AsyncSteward("http://127.0.0.1:9", "token"), sys.argv[1], path=sys.argv[2])
for index in range(1_000):
    items.table(Table("notes")).put(f"killed-{index}", {"title": str(index)})
print(items.pending, flush=True)
input()
"""


def kill_a_program(project_id: str, path: Path) -> None:
    """Start a program that makes 1,000 changes offline, and kill it."""
    command = [sys.executable, "-c", PROGRAM, project_id, str(path)]
    environment = {"PYTHONPATH": str(PACKAGE / "src")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as program:
        assert program.stdout and program.stdout.readline() == "1000\n"
        program.kill()


def reopened(path: Path, project_id: str = "p") -> LiveItems:
    return LiveItems(OFFLINE, project_id, path=path)


def test_changes_of_a_program_that_is_killed_are_sent_by_the_next_one(ann: Person, tmp_path: Path) -> None:
    path = tmp_path / "live.db"

    async def main() -> None:
        async with LiveItems(ann.client(), ann.project_id, path=path) as items:
            items.table(NOTES).put("before", {"title": "Before"})
            await items.synced(30)
            device = items.state()["device"]
        await asyncio.to_thread(kill_a_program, ann.project_id, path)
        items = reopened(path, ann.project_id)
        assert (items.pending, len(items.table(NOTES).items())) == (1_000, 1_001)
        items._store.close()  # type: ignore[union-attr]
        async with LiveItems(ann.client(), ann.project_id, path=path) as items:
            await items.synced(60)
            assert items.state()["device"] == device
            state = items.state()
        again = reopened(path, ann.project_id)
        assert again.state() == state
        stored = await asyncio.to_thread(lambda: [each["title"] for each in ann.notes.list(page_size=1_000)])
        assert sorted(stored) == sorted(["Before", *map(str, range(1_000))])

    run(main)


def test_each_kind_of_change_is_in_the_file(tmp_path: Path) -> None:
    items = reopened(tmp_path / "live.db")
    replica = items._replica

    def reload() -> dict[str, Any]:
        assert items._store
        items._store.save(replica)
        return items._store.load().state()

    item = {"type": 1, "table": "notes", "obj": {"title": "x", "tags": ["\u00e4\ud800"]}}
    replica.device = "d"
    replica.begin_load()
    replica.receive([{**item, "key": key} for key in "abc"], 7, True, True)
    assert reload() == items.state()
    items.table(NOTES).put("d", {"title": "new"})
    items.table(NOTES).delete("a")
    items.table(NOTES).patch("b", {"done": True})
    assert reload() == items.state()
    portion = replica.portion()
    assert portion
    replica.receive(
        [{"type": 3, "table": "notes", "key": "d", "code": "quota_exceeded", "message": "Full."}], 8, False, True
    )
    replica.acknowledge(portion[1])
    assert (reload(), items.pending) == (items.state(), 1)
    items.discard_held("notes", "d")
    assert (reload(), items.pending) == (items.state(), 0)
    # After a restore of the service.
    replica.begin_load()
    replica.receive([{**item, "key": "c"}], 3, True, True)
    assert reload() == items.state()
    assert list(reload()["items"]["notes"]) == ["c"]


def test_a_file_that_cannot_be_written_is_stored_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_live_store, "REPAIR_INTERVAL", 0)
    items = reopened(tmp_path / "live.db")
    assert items._store
    database = items._store._db
    [pages] = database.execute("pragma page_count").fetchone()
    database.execute(f"pragma max_page_count = {pages + 3}")
    for index in range(20):
        items.table(NOTES).put(f"n{index}", {"title": "x" * 1_000})
    # Nothing is lost while the program runs, and it is told once.
    assert (items.pending, len(items.table(NOTES).items())) == (20, 20)
    assert [record.exc_text and "full" in record.exc_text for record in caplog.records] == [True]
    assert items.store_error and "full" in items.store_error.message
    assert items.store_error.code == "local_store_failed"
    assert items._store.load().pending < 20
    database.execute("pragma max_page_count = 100000")
    items.table(NOTES).delete("n0")
    assert "again" in caplog.records[-1].message and items.store_error is None
    assert items._store.load().state() == items.state()


@pytest.mark.parametrize("kind", ["file", "directory", "other"])
def test_a_file_that_is_deleted_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    monkeypatch.setattr(_live_store, "REPAIR_INTERVAL", 0)
    directory = tmp_path / "notes"
    directory.mkdir()
    path = directory / "live.db"
    items = reopened(path)
    notes = items.table(NOTES)
    notes.put("before", {"title": "x"})
    if kind == "directory":
        shutil.rmtree(directory)
    elif kind == "file":
        path.unlink()
    else:
        replacement = reopened(tmp_path / "other.db")
        replacement.table(NOTES).put("other", {"title": "x"})
        assert replacement._store
        replacement._store.close()
        path.with_name("live.db-wal").unlink()
        (tmp_path / "other.db").replace(path)
    notes.put("after", {"title": "x"})
    assert "was deleted or replaced" in caplog.records[0].message
    if kind == "directory":
        # The program is told, and everything stays in memory until there is a directory again.
        assert items.store_error and "unable to open" in items.store_error.message
        notes.put("memory", {"title": "x"})
        directory.mkdir()

    async def end() -> None:
        async with items:
            pass

    asyncio.run(end())
    assert items.store_error is None
    expected = ["after", "before", "memory"] if kind == "directory" else ["after", "before"]
    assert sorted(reopened(path).table(NOTES).items()) == expected


def test_a_file_that_is_locked_is_written_when_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_live_store, "REPAIR_INTERVAL", 0)
    path = tmp_path / "live.db"
    items = reopened(path)
    path.unlink()
    path.with_name("live.db-wal").unlink(missing_ok=True)
    other = reopened(path)
    items.table(NOTES).put("a", {"title": "x"})
    assert items.store_error and "locked" in items.store_error.message and items.table(NOTES).get("a")
    assert other._store
    other._store.close()
    items.table(NOTES).put("b", {"title": "x"})
    assert items.store_error is None and items._store and items._store.load().pending == 2


def test_a_file_is_used_by_one_program_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "live.db"

    async def main() -> None:
        async with reopened(path) as items:
            with pytest.raises(InvalidRequestError, match="Another program uses it"):
                reopened(path)
        with pytest.raises(InvalidRequestError, match="live items are closed"):
            items.table(NOTES).delete("a")
        async with reopened(path):
            pass

    run(main)


def test_a_file_that_is_none_of_live_items_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_text("Something else, which is long enough to be the head of a database of SQLite. " * 3, "utf-8")
    with pytest.raises(InvalidRequestError, match=f"cannot be kept in {path}: file is not a database"):
        reopened(path)
    assert path.read_text("utf-8").startswith("Something else")
    with pytest.raises(InvalidRequestError, match="unable to open"):
        reopened(tmp_path / "missing" / "live.db")
    later = sqlite3.connect(tmp_path / "later.db")
    later.execute("pragma user_version = 2")
    later.close()
    with pytest.raises(InvalidRequestError, match="later version"):
        reopened(tmp_path / "later.db")
    with pytest.raises(InvalidRequestError, match="not both"):
        LiveItems(OFFLINE, "p", path=path, state={})


def test_another_person_or_project_does_not_get_the_items(ann: Person, tmp_path: Path) -> None:
    async def main() -> None:
        async with ann.live() as items:
            await items.synced(30)
            state = items.state()
        ben = Person(ann.service, ann.project_id)
        offline = LiveItems(OFFLINE, ann.project_id, state=state)
        offline.table(NOTES).put("secret", {"title": "Of Ann"})
        state = json.loads(json.dumps(offline.state()))
        async with ben.live(state=state) as items:
            with pytest.raises(InvalidRequestError, match="another person"):
                await items.synced(30)
        async with ann.live(state=state) as items:
            await items.synced(30)
        stored = await asyncio.to_thread(lambda: [each["id"] for each in ben.notes.list()])
        assert "secret" not in stored
        with pytest.raises(InvalidRequestError, match="another project"):
            LiveItems(OFFLINE, "other", state=state)

    run(main)


@pytest.mark.parametrize("has_ended", [False, True])
def test_an_interrupted_portion_is_sent_again_as_it_was(has_ended: bool) -> None:
    replica = Replica()
    replica.begin_load()
    replica.receive([], 1, True, True)
    replica.write({"type": 1, "table": "notes", "key": "a", "obj": {"title": "a"}})
    assert replica.portion()
    if has_ended:
        replica = Replica(replica.state())
    replica.write({"type": 3, "table": "notes", "key": "b"})
    replica.begin_load()
    replica.receive([], 1, True, True)
    portion = replica.portion()
    assert portion and (len(portion[0]), portion[1]) == (1, 1)
    replica.acknowledge(1)
    portion = replica.portion()
    assert portion and (len(portion[0]), portion[1]) == (1, 2)
