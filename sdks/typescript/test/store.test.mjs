// Stores of a device that fail: closed or deleted by the browser, full, or blocked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { memoryStore } from "@steward/sdk/client";
import { eventually } from "./eventually.mjs";
import { FakeService } from "./fake_service.mjs";
import { sharedStores, useWebLocks } from "./tabs.mjs";
import { withFastTimers } from "./timers.mjs";

const clients = [];
const warnings = [];
const { warn } = console;
before(() => {
  console.warn = (warning) => warnings.push(warning);
});
after(async () => {
  console.warn = warn;
  await Promise.all(clients.map((client) => client.close()));
});

/** A store that fails when a test says so. */
function failingStore() {
  let inner = memoryStore();
  const state = { isOpen: false, isBroken: false, /** How many items fit. */ room: Infinity, opened: 0 };
  const check = () => {
    if (!state.isOpen || state.isBroken) throw new DOMException("The database connection is closing.", "InvalidStateError");
  };
  const store = {
    async open(isReader) {
      state.opened += 1;
      if (state.isBroken) throw new DOMException("Internal error.", "UnknownError");
      state.isOpen = true;
      return inner.open(isReader);
    },
    async update(update) {
      check();
      const { items } = update.isReset ? { items: [] } : await inner.open();
      if (items.length + (update.items?.length ?? 0) > state.room) throw new DOMException("Full.", "QuotaExceededError");
      return inner.update(update);
    },
    async clear() {
      check();
      return inner.clear();
    },
    close: () => void (state.isOpen = false),
  };
  return {
    state,
    localStore: () => store,
    /** What is stored. */
    content: () => inner.open(),
    deleteAll() {
      inner = memoryStore();
      state.isOpen = false;
    },
  };
}

async function online(service, options) {
  const client = service.client(options);
  clients.push(client);
  const live = client.live("notes");
  live.subscribe(() => {});
  await client.sync.synced();
  return { client, live };
}

test("a store that the browser closed or deleted is opened again, and gets everything", async () => {
  const service = new FakeService(new Map([["a", { title: "a" }]]));
  const { state, localStore, content, deleteAll } = failingStore();
  const { client, live } = await online(service, { localStore });
  const { connections } = service;
  state.isOpen = false;
  await live.put("b", { title: "after it was closed" });
  await client.sync.synced();
  await eventually(async () => (await content()).items.map(([, id]) => id).join() === "a,b");

  service.goDown();
  await live.put("c", { title: "unsent" });
  deleteAll();
  await live.put("d", { title: "after it was deleted" });
  const { items, outbox } = await content();
  assert.deepEqual(items.map(([, id]) => id), ["a", "b"]);
  assert.deepEqual(outbox.map(([, change]) => change.key), ["c", "d"]);
  assert.equal(client.sync.storeError, undefined);
  service.goUp();
  await client.sync.synced();
  await eventually(async () => (await content()).outbox.length === 0);
  assert.deepEqual([...service.stored.keys()], ["a", "b", "c", "d"]);
  assert.equal(service.connections, connections);
  assert.equal(warnings.length, 0);
});

test("a store that fails for good is replaced by memory with a warning: no write is lost, reported as failed, or sent twice", async () => {
  const service = new FakeService();
  const { state, localStore, content } = failingStore();
  const { client, live } = await online(service, { localStore });
  service.goDown();
  await live.put("a", { title: "stored" });
  state.isBroken = true;
  const changes = [];
  client.sync.subscribe(() => changes.push(client.sync.storeError?.code));
  await live.put("b", { title: "in memory" });
  assert.equal(client.sync.storeError.code, "local_store_failed");
  assert.equal(warnings.splice(0).length, 1);
  assert.ok(changes.includes("local_store_failed"));
  service.goUp();
  await client.sync.synced();
  service.change("c", { title: "of another device" });
  await eventually(() => live.get("c"));
  assert.equal(service.connections, 1, "It stays connected.");
  assert.equal(service.received.flat().length, 2);
  assert.ok(state.opened < 5, "It is not opened again and again.");

  // After a while, the store is tried again.
  const { now } = Date;
  try {
    Date.now = () => now() + 61_000;
    state.isBroken = false;
    await live.put("d", { title: "stored again" });
    await eventually(() => client.sync.storeError === undefined);
    await client.sync.synced();
    await eventually(async () => (await content()).outbox.length === 0);
  } finally {
    Date.now = now;
  }
  const { items, outbox } = await content();
  assert.deepEqual([items.map(([, id]) => id).sort(), outbox], [["a", "b", "c", "d"], []], "Nothing that was sent is left.");
});

test("a full store keeps the changes that were not sent, without the items", async () => {
  const service = new FakeService(new Map([["a", { title: "a" }], ["b", { title: "b" }]]));
  const { state, localStore, content } = failingStore();
  const { client, live } = await online(service, { localStore });
  service.goDown();
  await live.put("c", { title: "unsent" });
  state.room = 1;
  service.goUp();
  await client.sync.synced();
  service.change("d", { title: "d" });
  await eventually(() => live.get("d"));
  await eventually(() => client.sync.storeError);
  assert.match(client.sync.storeError.message, /full/);
  assert.equal(warnings.splice(0).length, 1);
  service.goDown();
  await live.put("e", { title: "unsent" });
  const { items, outbox, revision } = await content();
  assert.deepEqual([items, outbox.map(([, change]) => change.key), revision], [[], ["e"], null]);
  assert.equal(live.items.length, 5);

  // The next start loads everything, and sends what waits.
  await client.close();
  state.room = Infinity;
  service.goUp();
  const again = await online(service, { localStore });
  assert.equal(again.live.items.length, 5);
  assert.ok(service.stored.has("e"));
  assert.equal(again.client.sync.storeError, undefined);
});

test("a store that cannot be opened is replaced by memory with a warning", async () => {
  const service = new FakeService(new Map([["a", { title: "a" }]]));
  const { state, localStore } = failingStore();
  state.isBroken = true;
  const { client, live } = await online(service, { localStore });
  assert.equal(client.sync.storeError.code, "local_store_failed");
  assert.equal(warnings.splice(0).length, 1);
  await live.put("b", { title: "b" });
  await client.sync.synced();
  assert.deepEqual(live.items.map((item) => item.id), ["a", "b"]);
  assert.equal(service.connections, 1);
});

test("what a store had that could not be opened at the start is still there after it works again", async () => {
  const service = new FakeService();
  const { state, localStore, content } = failingStore();
  const first = await online(service, { localStore });
  service.goDown();
  await first.live.put("a", { title: "of before" });
  await first.client.close();
  service.goUp();
  state.isBroken = true;
  const { client, live } = await online(service, { localStore });
  assert.equal(warnings.splice(0).length, 1);
  service.goDown();
  await live.put("b", { title: "in memory" });
  const { now } = Date;
  try {
    Date.now = () => now() + 61_000;
    state.isBroken = false;
    await live.put("c", { title: "stored again" });
    await eventually(() => client.sync.storeError === undefined);
  } finally {
    Date.now = now;
  }
  assert.deepEqual((await content()).outbox.map(([, { key }]) => key), ["a", "b", "c"]);
  service.goUp();
  await client.sync.synced();
  await eventually(async () => (await content()).outbox.length === 1);
  await client.close();
  await online(service, { localStore });
  assert.deepEqual([...service.stored.keys()].sort(), ["a", "b", "c"]);
});

test("a database that does not open is replaced by memory with a warning", async () => {
  const service = new FakeService(new Map([["a", { title: "a" }]]));
  globalThis.indexedDB = { open: () => ({}) };
  await withFastTimers({}, async () => {
    const { client, live } = await online(service, {});
    assert.match(String(client.sync.storeError.cause), /did not open/);
    assert.equal(warnings.splice(0).length, 1);
    await live.put("b", { title: "b" });
    await client.sync.synced();
    assert.equal(service.stored.size, 2);
  });
  delete globalThis.indexedDB;
});

test("a tab whose store fails when it takes over still sends what it has written before", async () => {
  useWebLocks();
  const service = new FakeService();
  const storage = service.storage();
  const stores = sharedStores();
  let isBroken = false;
  const localStore = (name) => {
    const store = stores(name);
    return { ...store, open: async (isReader) => (isBroken ? Promise.reject(new Error("Broken.")) : store.open(isReader)) };
  };
  const one = await online(service, { storage, localStore });
  const two = await online(service, { storage, localStore });
  service.goDown();
  const taken = two.live.put("b", { title: "taken by the other tab" });
  await taken;
  isBroken = true;
  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = () => {};
  const write = two.live.put("a", { title: "not taken by the other tab" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await one.client.close();
  await write;
  await assert.rejects(taken.stored(), { code: "local_store_failed" });
  service.goUp();
  await eventually(() => service.stored.has("a"), "The write was lost.", 3_000);
  await write.stored();
  BroadcastChannel.prototype.postMessage = postMessage;
  assert.deepEqual([...service.stored.keys()], ["a"]);
  assert.deepEqual(two.live.items.map(({ id }) => id), ["a"]);
  assert.equal(two.client.sync.storeError.code, "local_store_failed");
  assert.equal(warnings.splice(0).length, 1);
});

test("all tabs know that the store failed, and continue when the connected one closes", async () => {
  useWebLocks();
  const service = new FakeService();
  const storage = service.storage();
  const stores = sharedStores();
  let isBroken = false;
  const localStore = (name) => {
    const store = stores(name);
    return { ...store, update: async (update) => (isBroken ? Promise.reject(new Error("Broken.")) : store.update(update)) };
  };
  const one = await online(service, { storage, localStore });
  const two = await online(service, { storage, localStore });
  service.goDown();
  isBroken = true;
  await two.live.put("a", { title: "in memory" });
  await eventually(() => two.client.sync.storeError);
  const three = service.client({ storage, localStore });
  clients.push(three);
  const live = three.live("notes");
  live.subscribe(() => {});
  await eventually(() => live.get("a"));
  assert.equal(three.sync.storeError.code, "local_store_failed");
  await one.client.close();
  service.goUp();
  await two.client.sync.synced();
  assert.deepEqual([...service.stored.keys()], ["a"]);
  assert.equal(service.received.flat().length, 1);
});
