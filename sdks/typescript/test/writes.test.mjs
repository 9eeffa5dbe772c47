// What becomes of local writes, and of items that the service lost.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { memoryStore } from "@steward/sdk/client";
import { eventually } from "./eventually.mjs";
import { FakeService, items } from "./fake_service.mjs";
import { sharedStores, useWebLocks } from "./tabs.mjs";

const clients = [];
after(() => Promise.all(clients.map((client) => client.close())));

async function online(service, options) {
  const client = service.client(options);
  clients.push(client);
  const live = client.live("notes");
  live.subscribe(() => {});
  await client.sync.synced();
  return { client, live };
}

const idsOf = (live) => live.items.map(({ id }) => id);

test("after a restore of the service, items that it lacks go, also if its revision is the later one", async () => {
  for (const [revision, later] of [[10, 20], [10, 10], [20, 10]]) {
    const service = new FakeService(items(5));
    service.revision = revision;
    const store = memoryStore();
    const { client, live } = await online(service, { localStore: () => store });
    assert.equal(live.items.length, 5);

    service.goDown();
    await eventually(() => client.sync.status === "offline");
    await live.put("own", { title: "Not sent" });
    await live.update("n3", { title: "Changed here" });
    service.stored = new Map([...items(2), ["new", { title: "Written after the restore" }]]);
    // The service does not know the revisions of the lost time.
    service.revision = later + 1;
    service.goUp();
    await client.sync.synced();
    const expected = ["n0", "n1", "n3", "new", "own"];
    assert.deepEqual(idsOf(live), expected, `${revision} to ${later}: own unsent changes are kept.`);
    assert.deepEqual((await store.open()).items.map(([, id]) => id).sort(), expected, "So does the store.");
    await client.close();
  }
});

test("a message that has everything replaces what the device has, also without a new connection", async () => {
  const service = new FakeService(items(3));
  const { live } = await online(service);
  service.stored.delete("n1");
  service.sendAll();
  await eventually(() => live.items.length === 2);
  assert.deepEqual(idsOf(live), ["n0", "n2"]);
});

test("the promise of a write learns whether the service has stored it, in all tabs", async () => {
  useWebLocks();
  const service = new FakeService();
  service.refuse = ({ obj }) => (obj?.title === "bad" ? { code: "invalid_item", message: "Field title is bad" } : undefined);
  const storage = service.storage();
  const stores = sharedStores();
  const tabs = [await online(service, { storage, localStore: stores }), await online(service, { storage, localStore: stores })];
  const corrections = tabs.map(() => []);
  tabs.forEach(({ client }, index) => client.sync.onCorrection(({ id, code, message }) => corrections[index].push([id, code, message])));
  for (const [index, { live }] of tabs.entries()) {
    const good = live.create({ title: "good" });
    const { id } = await good;
    assert.deepEqual(await good.stored(), { id, title: "good" });
    assert.equal(service.stored.get(id).title, "good");

    const bad = live.put(`x${index}`, { title: "bad" });
    await bad;
    await assert.rejects(bad.stored(), { name: "StewardError", code: "invalid_item", message: "Field title is bad" });
    await assert.rejects(bad.stored(), { code: "invalid_item" }, "Also later.");
  }
  const expected = [0, 1].map((index) => [`x${index}`, "invalid_item", "Field title is bad"]);
  await eventually(() => corrections.flat().length === 4);
  assert.deepEqual(corrections, [expected, expected]);
});

test("the promise of a write that waits for room has the reason, and one that is discarded fails", async () => {
  const service = new FakeService();
  service.quota = 1;
  const { client, live } = await online(service);
  await live.put("a", { title: "a" }).stored();
  await assert.rejects(live.put("b", { title: "b" }).stored(), { code: "quota_exceeded", message: /limit of 1 items/ });
  await assert.rejects(live.update("b", { rank: 1 }).stored(), { code: "quota_exceeded" }, "It changes an item that waits.");

  service.goDown();
  await eventually(() => client.sync.status === "offline");
  const lost = live.put("c", { title: "c" });
  await lost;
  const other = live.put("d", { title: "d" });
  await client.signOut({ discard: true });
  for (const write of [lost, other]) await assert.rejects(write.stored(), { code: "not_stored", message: "The change was discarded." });
});
