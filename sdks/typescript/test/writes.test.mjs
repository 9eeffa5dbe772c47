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

test("a load of everything replaces what the device has, also without a new connection", async () => {
  for (const portion of [1_000, 3]) {
    const service = new FakeService(items(10));
    service.portion = portion;
    const store = memoryStore();
    const { client, live } = await online(service, { localStore: () => store });
    for (const id of ["n0", "n4", "n9"]) service.stored.delete(id);
    service.sendAll();
    await eventually(() => live.items.length === 7);
    const expected = ["n1", "n2", "n3", "n5", "n6", "n7", "n8"];
    assert.deepEqual(idsOf(live), expected);
    assert.equal(client.sync.status, "online");
    service.change("n0", { title: "Changed in the meantime" });
    await eventually(() => live.get("n0"));
    await client.sync.synced();
    const stored = await store.open();
    assert.deepEqual(stored.items.map(([, id]) => id).sort(), ["n0", ...expected]);
    assert.equal(stored.revision, service.revision);
  }
});

test("a load of everything that is interrupted begins again, and removes nothing before its end", async () => {
  const service = new FakeService(items(10));
  service.portion = 3;
  const { client, live } = await online(service);
  for (const id of ["n0", "n4", "n9"]) service.stored.delete(id);
  service.stored.set("n1", { title: "new" });
  // The connection ends after a part of the load.
  service.sendAll(1);
  await eventually(() => live.get("n1").title === "new");
  service.goDown();
  await eventually(() => client.sync.status === "offline");
  assert.equal(live.items.length, 10);
  service.goUp();
  await eventually(() => live.items.length === 7);
});

test("a message whose acknowledgement was lost is repeated as it was, so that the service recognizes it", async () => {
  const service = new FakeService(new Map([["a", { title: "old" }]]));
  const { client, live } = await online(service);
  service.losesAck = true;
  await live.update("a", { title: "first" });
  await eventually(() => client.sync.status === "offline");
  assert.equal(service.stored.get("a").title, "first");
  service.change("a", { title: "of another device" });
  await live.put("b", { title: "b" });
  service.goUp();
  await client.sync.synced();
  assert.equal(service.stored.get("a").title, "of another device", "It is later.");
  assert.equal(live.get("a").title, "of another device");
  assert.deepEqual(service.received.map((changes) => changes.map(({ key }) => key)), [["a"], ["a"], ["b"]]);
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
