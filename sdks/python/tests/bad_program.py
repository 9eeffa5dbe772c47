"""A program with a mistake in each line that ends with a comment, which has the code of mypy's error."""

from tables import NOTES, SYNC_LOG

from steward_sdk import AsyncSteward, Steward
from steward_sdk.live import LiveItems


def program(client: Steward) -> None:
    client.projects.create(nam="Rocket", team_id="t")  # call-arg
    client.projects.create(name=1, team_id="t")  # arg-type
    print(client.projects.get("p")["nam"])  # typeddict-item
    note = client.own_items("p", NOTES).create({"titel": "Buy milk"})  # typeddict-item
    client.own_items("p", NOTES).create({"title": "", "rnak": 1})  # typeddict-unknown-key
    client.own_items("p", NOTES).create({"done": True})  # typeddict-item
    client.own_items("p", NOTES).create({"title": "", "done": "yes"})  # typeddict-item
    client.own_items("p", NOTES).create({"title": "", "tags": "a"})  # typeddict-item
    client.own_items("p", NOTES).patch("a", {"dnoe": None})  # typeddict-unknown-key
    client.own_items("p", NOTES).patch("a", {"title": None})  # typeddict-item
    client.own_items("p", SYNC_LOG).put("1", {"clas": "push"})  # typeddict-item
    client.own_items("p", NOTES).batch(operations=[{"op": "put", "id": "a", "value": {"titel": ""}}])  # list-item
    print(note["titel"])  # typeddict-item
    print(client.own_items("p", NOTES).list().first(1)[0]["rnak"])  # typeddict-item
    client.own_items("p", NOTES, "u")  # call-overload
    client.own_items("p", NOTES).list(where={"rnak": 1})  # arg-type
    client.own_items("p", NOTES).list(where={"done": "yes"})  # arg-type
    client.own_items("p", NOTES).list(where={"rank": {"gte": "2"}})  # arg-type
    client.own_items("p", NOTES).list(where={"rank": {"like": "2*"}})  # arg-type
    client.own_items("p", NOTES).list(where={"tags": {"eq": "a"}})  # arg-type
    client.own_items("p", NOTES).list(where={"title": {"startswith": "a"}})  # arg-type
    client.auth.log_in(username="ann")  # call-arg


async def asynchronous(client: AsyncSteward) -> None:
    await client.projects.create(nam="Rocket", team_id="t")  # call-arg
    LiveItems(client, "p").table(NOTES).items(where={"rnak": 1})  # arg-type
    async for change in LiveItems(client, "p").table(NOTES).changes():
        print(change.item["titel"])  # typeddict-item
    note = await client.own_items("p", NOTES).get("a")
    print(note["titel"])  # typeddict-item
    client.projects.get("p")["name"]  # index
