"""A program that uses the types of tables correctly."""

from tables import NOTES, SYNC_LOG, NotesItem

from steward_sdk import AsyncSteward, Steward, etag_of


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
    untyped = client.items(project["id"], "u", "notes").get("a")
    print(untyped["anything"])


async def asynchronous(client: AsyncSteward) -> None:
    note = await client.own_items("p", NOTES).create({"title": "Buy milk"})
    print(note["title"])
    async for entry in client.own_items("p", NOTES).list():
        print(entry["title"])
