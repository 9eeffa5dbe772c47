"""A program that uses the types of tables correctly."""

from tables import NOTES, SYNC_LOG, Notes, NotesChanges, NotesItem

from steward_sdk import AsyncSteward, Steward, Table, etag_of
from steward_sdk.live import LiveItems

# As earlier versions of the command printed it.
EARLIER: Table[Notes, NotesItem, NotesChanges] = Table("notes")


def program(client: Steward) -> None:
    project = client.projects.create(name="Rocket", team_id="t", slug=None)
    client.projects.update(project["id"], name="Moon", if_match=etag_of(project))
    note = client.own_items(project["id"], NOTES).create({"title": "Buy milk", "rank": 1, "tags": ["a", {"b": None}]})
    rank: "float | None" = note.get("rank")
    print(note["title"], note["created_at"], rank)
    client.own_items(project["id"], NOTES).patch(note["id"], {"done": None})
    client.own_items(project["id"], SYNC_LOG).put("1", {"class": "push", "2nd": True})
    notes: "list[NotesItem]" = (
        client.own_items(project["id"], NOTES).list(order="rank.desc", conditions={"rank": "gte.2"}).all()
    )
    client.own_items(project["id"], NOTES).batch(
        operations=[
            {"op": "put", "id": "a", "value": {"title": "Buy bread"}, "if_none_match": "*"},
            {"op": "patch", "id": "b", "value": {"done": True}},
            {"op": "delete", "id": notes[0]["id"]},
        ],
    )
    client.own_items("p", NOTES).list(where={"rank": {"gte": 2, "lt": 3.5}, "title": {"ilike": "a*"}, "done": True})
    client.own_items("p", NOTES).list(
        where={"tags": {"is_null": True}, "id": {"in": ["a"]}, "created_at": {"lt": "2030"}}
    )
    client.own_items("p", SYNC_LOG).list(
        where={"class": "push", "2nd": {"neq": True}}, conditions={"2nd": "not.is.null"}
    )
    client.own_items("p", "notes").list(where={"anything": {"gt": 1}})
    client.own_items("p", EARLIER).list(where={"anything": {"gt": 1}})
    untyped = client.items(project["id"], "u", "notes").get("a")
    print(untyped["anything"])


async def asynchronous(client: AsyncSteward) -> None:
    note = await client.own_items("p", NOTES).create({"title": "Buy milk"})
    print(note["title"])
    live = LiveItems(client, "p")
    for each in live.table(NOTES).items(where={"done": False}, order="rank.desc,title", limit=10).values():
        print(each["title"])
    with live.atomic() as write:
        write.table(NOTES).patch(write.table(NOTES).create({"title": "Buy milk"}), {"done": None})
        write.table(SYNC_LOG).delete("1")
    await write.stored()
    async for change in live.table(NOTES).changes():
        print(change.item["title"] if change.item else change.id)
    async for other in live.changes():
        print(other.table, other.item and other.item["anything"])
    async for entry in client.own_items("p", NOTES).list():
        print(entry["title"])
