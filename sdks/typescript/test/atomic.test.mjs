// Writes of several items that are stored together, or not at all.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { memoryStore } from "@steward/sdk/client";
import { eventually } from "./eventually.mjs";
import { FakeService } from "./fake_service.mjs";
import { sharedStores, useWebLocks } from "./tabs.mjs";

const clients = [];
after(() => Promise.all(clients.map((client) => client.close())));

async function online(service, options) {
  const client = service.client(options);
  clients.push(client);
  const live = client.live("notes");
  live.subscribe(() => {});
  await client.sync.synced();
  const corrections = [];
  client.sync.onCorrection(({ id, code, message }) => corrections.push([id, code, message]));
  return { client, live, corrections };
}

const idsOf = (live) => live.items.map(({ id }) => id);
const both = (client, rank = 1) => client.atomic((items) => (items("notes").put("a", { title: "a", rank }), items("notes").put("b", { title: "b", rank })));

test("atomic writes appear at once, and are sent in a message of their own", async () => {
  const service = new FakeService();
  const { client, live } = await online(service);
  service.goDown();
  await eventually(() => client.sync.status === "offline");
  await live.put("first", { title: "first" });
  let created;
  const write = client.atomic((items) => {
    created = items("notes").create({ title: "created" });
    items("notes").update("first", { rank: 1 });
    items("notes").delete("none");
  });
  await write;
  assert.deepEqual(live.get(created), { id: created, title: "created" });
  await live.put("last", { title: "last" });
  assert.equal(client.sync.pending, 5);
  service.goUp();
  await write.stored();
  await client.sync.synced();
  assert.deepEqual(service.received.map((changes) => [changes.length, changes.atomic]), [[1, undefined], [3, true], [1, undefined]]);
  assert.ok(service.received.flat().every((change) => !("atomic" in change)));
  assert.deepEqual([...service.stored.keys()].sort(), [created, "first", "last"].sort());
  assert.equal(service.stored.get("first").rank, 1);
});

test("of atomic writes of which the service refuses one, all are taken back, with one reason", async () => {
  useWebLocks();
  const service = new FakeService();
  service.refuse = ({ key, obj }) => (key === "b" && obj.rank > 1 ? { code: "quota_exceeded", message: "Too many." } : undefined);
  const [storage, localStore] = [service.storage(), sharedStores()];
  const tabs = [await online(service, { storage, localStore }), await online(service, { storage, localStore })];
  for (const [index, { client, live }] of tabs.entries()) {
    await both(client).stored();
    const refused = both(client, 2);
    await refused;
    await assert.rejects(refused.stored(), { code: "quota_exceeded", message: "Nothing is stored, because of notes/b: Too many." });
    await client.sync.synced();
    assert.deepEqual(live.items.map(({ rank }) => rank), [1, 1]);
    assert.deepEqual(client.sync.held, [], "It does not wait for room.");
    await eventually(() => tabs.every(({ corrections }) => corrections.length === 2 * (index + 1)));
  }
  assert.deepEqual(tabs[0].corrections.slice(0, 2).map(([id, code]) => [id, code]), [["a", "quota_exceeded"], ["b", "quota_exceeded"]]);
});

test("a service of an earlier version never gets a part of atomic writes", async () => {
  const service = new FakeService();
  const store = memoryStore();
  const first = await online(service, { localStore: () => store });
  service.goDown();
  await eventually(() => first.client.sync.status === "offline");
  const write = both(first.client);
  await write;
  assert.deepEqual(idsOf(first.live), ["a", "b"]);

  service.isAtomic = false;
  service.goUp();
  await assert.rejects(write.stored(), { code: "not_supported" });
  assert.deepEqual(first.live.items, []);
  assert.deepEqual(first.corrections.map(([id, code]) => [id, code]), [["a", "not_supported"], ["b", "not_supported"]]);
  await assert.rejects(both(first.client), { code: "not_supported" });
  await first.client.sync.synced();
  assert.deepEqual(service.received, []);
  assert.deepEqual((await store.open()).outbox, []);
});

test("atomic writes that wait are sent together after a restart", async () => {
  const service = new FakeService();
  const [store, storage] = [memoryStore(), service.storage()];
  const first = await online(service, { storage, localStore: () => store });
  service.goDown();
  await eventually(() => first.client.sync.status === "offline");
  await both(first.client);
  await first.client.close();
  service.goUp();
  const second = await online(service, { storage, localStore: () => store });
  assert.deepEqual(idsOf(second.live), ["a", "b"]);
  assert.deepEqual(service.received.map((changes) => [changes.length, changes.atomic]), [[2, true]]);
});

test("atomic writes that follow one that waits for room wait, too", async () => {
  const service = new FakeService();
  service.quota = 1;
  const { client, live } = await online(service);
  await live.put("a", { title: "a" }).stored();
  await assert.rejects(live.put("b", { title: "b" }).stored(), { code: "quota_exceeded" });
  const write = client.atomic((items) => (items("notes").update("a", { rank: 1 }), items("notes").update("b", { rank: 1 })));
  await assert.rejects(write.stored(), { code: "quota_exceeded" });
  assert.equal(client.sync.held.length, 3);
  await client.sync.discardHeld("notes", "b");
  assert.equal(client.sync.pending, 0);
  assert.deepEqual(live.items, [{ id: "a", title: "a" }]);
});

test("a later write of an item waits behind atomic ones that wait, so that the older value does not win", async () => {
  const service = new FakeService();
  service.quota = 2;
  const { client, live } = await online(service);
  await live.put("a", { title: "a" }).stored();
  await live.put("c", { title: "c" }).stored();
  await assert.rejects(live.put("b", { title: "b" }).stored(), { code: "quota_exceeded" });
  const write = (...changes) => client.atomic((items) => changes.forEach(([id, fields]) => items("notes").update(id, fields)));
  await write(["b", { rank: 1 }], ["a", { rank: 1 }]);
  // It waits behind the first ones, and the last ones behind it.
  await write(["a", { done: true }], ["c", { rank: 1 }]);
  await live.update("a", { rank: 2 });
  await live.put("c", { title: "c", rank: 2 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([service.stored.get("a"), service.stored.get("c")], [{ id: "a", title: "a" }, { id: "c", title: "c" }]);
  assert.equal(client.sync.held.length, client.sync.pending);
  await live.update("b", { done: true });
  service.quota = 3;
  await client.sync.retryHeld();
  await client.sync.synced();
  assert.deepEqual(service.stored.get("a"), { id: "a", title: "a", rank: 2, done: true });
  assert.equal(service.stored.get("c").rank, 2);
  assert.equal(live.get("a").rank, 2);
});

test("misuses say what to do", async () => {
  const service = new FakeService();
  const { client } = await online(service);
  const many = client.atomic((items) => {
    for (let index = 0; index <= 1_000; index += 1) items("notes").put(`n${index}`, { title: "a" });
  });
  await assert.rejects(many, { code: "message_too_long" });
  await assert.rejects(client.atomic((items) => (items("notes").put("a", { title: "a".repeat(200_000) }), items("notes").put("b", { title: "€".repeat(80_000) }), ["c", "d", "e"].forEach((id) => items("notes").put(id, { title: "x".repeat(250_000) })))), { code: "message_too_long" });
  let late;
  await client.atomic((items) => (late = items("notes"))).stored();
  assert.throws(() => late.put("a", { title: "late" }), { code: "invalid_argument" });
  assert.equal(client.sync.pending, 0);
});
