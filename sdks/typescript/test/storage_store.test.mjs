// The store of the device in a key-value storage, as in React Native.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { storageStore } from "@steward/sdk/client";
import { eventually } from "./eventually.mjs";
import { FakeService, items } from "./fake_service.mjs";

const clients = [];
after(() => Promise.all(clients.map((client) => client.close())));

/** A storage that survives its program, which is killed after some writes. */
function storage(values = new Map(), left = Infinity) {
  const write = async (run) => {
    if ((left -= 1) < 0) return new Promise(() => {});
    run();
  };
  return { values, getItem: async (key) => values.get(key) ?? null, setItem: (key, value) => write(() => values.set(key, value)), removeItem: (key) => write(() => values.delete(key)) };
}

async function device(service, kept, session) {
  const client = service.client({ storage: session, localStore: storageStore(kept) });
  clients.push(client);
  const live = client.live("notes");
  live.subscribe(() => {});
  await eventually(() => live.isLoaded);
  return { client, live };
}

test("items and changes that wait survive the end of the program", async () => {
  const service = new FakeService(items(300));
  const [kept, session] = [storage(), service.storage()];
  const first = await device(service, kept, session);
  await first.client.sync.synced();
  service.goDown();
  await eventually(() => first.client.sync.status === "offline");
  await first.live.put("own", { title: "own" });
  await first.live.update("n1", { title: "changed" });
  await first.live.delete("n2");
  await first.client.close();

  const second = await device(service, kept, session);
  assert.equal(second.live.items.length, 300);
  assert.equal(second.client.sync.pending, 3);
  assert.equal(second.live.get("n1").title, "changed");
  service.goUp();
  await second.client.sync.synced();
  assert.deepEqual([service.stored.get("own").title, service.stored.get("n1").title, service.stored.has("n2")], ["own", "changed", false]);
  assert.ok(![...kept.values.keys()].some((key) => key.includes("outbox")), "What was sent is removed.");
  await second.client.signOut();
  assert.deepEqual([...kept.values.keys()], [], "A sign-out removes everything.");
});

test("a program that is killed at any write loses no write that it has confirmed, and shows what the service has", async () => {
  for (let left = 0; left < 12; left += 1) {
    const service = new FakeService(items(5));
    const session = service.storage();
    const values = new Map();
    await (await device(service, storage(values), session)).client.close();
    const killed = await device(service, storage(values, left), session);
    await eventually(() => killed.client.sync.status === "online");
    service.goDown();
    const confirmed = [];
    const write = async () => {
      for (const id of ["a", "b", "c"]) {
        await killed.live.put(id, { title: id });
        confirmed.push(id);
      }
    };
    void write();
    await new Promise((resolve) => setTimeout(resolve, 30));
    service.goUp();
    const next = await device(service, storage(values), session);
    await next.client.sync.synced();
    assert.deepEqual(confirmed.filter((id) => !service.stored.has(id)), [], `${left} writes`);
    assert.deepEqual(next.live.items.map(({ id }) => id), [...service.stored.keys()].sort(), `${left} writes`);
    killed.client.sync.disconnect();
  }
});

test("without a part of the items, all are loaded again", async () => {
  const service = new FakeService(items(20));
  const [kept, session] = [storage(), service.storage()];
  await (await device(service, kept, session)).client.close();
  const damaged = [...kept.values.keys()].filter((key) => key.includes(":items:"));
  kept.values.set(damaged[0], "{");
  const next = await device(service, kept, session);
  await next.client.sync.synced();
  assert.equal(next.live.items.length, 20);
});

test("a store that could not be opened is cleared, too", async () => {
  const service = new FakeService(items(100));
  const [kept, session] = [storage(), service.storage()];
  const first = await device(service, kept, session);
  await first.client.sync.synced();
  service.goDown();
  await eventually(() => first.client.sync.status === "offline");
  await first.live.put("own", { title: "own" });
  await first.client.close();
  assert.ok([...kept.values.keys()].some((key) => /:outbox:\d+$/.test(key)));
  let isBroken = true;
  const broken = { ...kept, getItem: async (key) => (isBroken ? Promise.reject(new Error("Broken.")) : kept.getItem(key)) };
  const [meta] = [...kept.values.keys()].filter((key) => key.endsWith(":meta"));
  const store = storageStore(broken)(meta.replace(/:meta$/, ""));
  await assert.rejects(store.open(), /Broken/);
  isBroken = false;
  await store.clear();
  assert.deepEqual([...kept.values.keys()], []);
});

test("5,000 changes that wait are stored in little time", async () => {
  const service = new FakeService();
  const [kept, session] = [storage(), service.storage()];
  const { client, live } = await device(service, kept, session);
  service.goDown();
  await eventually(() => client.sync.status === "offline");
  const start = performance.now();
  for (let index = 0; index < 5_000; index += 1) await live.put(`n${index}`, { title: `${index}` });
  const milliseconds = performance.now() - start;
  console.log(`# 5,000 changes: ${milliseconds.toFixed(0)} ms.`);
  assert.ok(milliseconds < 10_000);
  service.goUp();
  await client.sync.synced();
  assert.equal(service.stored.size, 5_000);
});
