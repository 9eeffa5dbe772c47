// Changes for which a quota of the project leaves no room wait, and are sent again when there is room.
import assert from "node:assert/strict";
import { after, test } from "node:test";
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
  return { client, live };
}

/** A service with room for 20 items, and a device that has created 50. */
async function full(options) {
  const service = new FakeService();
  service.quota = 20;
  const { client, live } = await online(service, options);
  const corrections = [];
  client.sync.onCorrection((correction) => corrections.push(correction));
  for (let index = 0; index < 50; index += 1) await live.put(`n${index}`, { title: `${index}`, rank: index });
  await assert.rejects(client.sync.synced(), (error) => error.code === "quota_exceeded" && error.details.pending === 30 && /20 items/.test(error.message));
  return { service, client, live, corrections };
}

test("of 50 creates at a quota of 20, 20 are stored, and 30 wait and are shown with the reason", async () => {
  const { service, client, live, corrections } = await full();
  assert.equal(service.stored.size, 20);
  assert.equal(live.items.length, 50, "All are visible.");
  assert.equal(client.sync.pending, 30);
  assert.equal(client.sync.held.length, 30);
  const [first] = client.sync.held;
  assert.deepEqual([first.table, first.id, first.code, first.change.obj.title], ["notes", "n20", "quota_exceeded", "20"]);
  assert.match(first.message, /limit of 20 items/);
  assert.deepEqual(corrections, [], "None is lost.");

  // A change of an item that is stored is not held up.
  await live.update("n3", { done: true });
  await eventually(() => service.stored.get("n3").done);
  // A change of one that waits would create a part of it.
  const sent = service.received.length;
  await live.update("n30", { done: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(service.received.length, sent);
  assert.equal(client.sync.held.length, 31);

  service.quota = 100;
  await client.sync.retryHeld();
  await client.sync.synced();
  assert.equal(service.stored.size, 50);
  assert.equal(service.stored.get("n30").done, true);
  assert.deepEqual(client.sync.held, []);
});

test("a deletion makes room: by this device or by another one, once each", async () => {
  const { service, client, live } = await full();
  const messages = service.received.length;
  await live.delete("n0");
  await eventually(() => service.stored.has("n20") && client.sync.held.length === 29);
  assert.equal(service.stored.size, 20);
  service.change("n1", undefined);
  await eventually(() => service.stored.has("n21"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(client.sync.pending, 28);
  assert.equal(service.received.length, messages + 3, "The deletion, and one attempt after each.");
});

test("what a repeated message does not store is tried again: its reasons may be those of the first attempt", async () => {
  const service = new FakeService();
  service.quota = 1;
  const { client, live } = await online(service);
  service.goDown();
  await eventually(() => client.sync.status === "offline");
  await live.put("a", { title: "a" });
  await live.put("b", { title: "b" });
  service.losesAck = true;
  service.goUp();
  await eventually(() => service.isDown);
  assert.deepEqual([...service.stored.keys()], ["a"]);
  service.quota = 2;
  service.goUp();
  await client.sync.synced();
  assert.deepEqual([...service.stored.keys()], ["a", "b"]);

  // It is tried once.
  service.goDown();
  await eventually(() => client.sync.status === "offline");
  await live.update("a", { rank: 1 });
  await live.put("c", { title: "c" });
  const count = service.received.length;
  service.losesAck = true;
  service.goUp();
  await eventually(() => service.isDown);
  service.goUp();
  await eventually(() => client.sync.held.length === 1);
  assert.deepEqual(service.received.slice(count).map((changes) => changes.map(({ key }) => key).join()), ["a,c", "a,c", "c"]);
});

test("a deletion by another device makes room for what is in flight, too", async () => {
  const service = new FakeService(new Map([["x", { title: "x" }]]));
  service.quota = 1;
  const { client, live } = await online(service);
  // The service refuses the change before the deletion, and the device learns of both at the same time.
  service.refuse = ({ key }) => {
    service.refuse = () => undefined;
    service.change("x", undefined);
    return key === "b" ? { code: "quota_exceeded", message: "The limit of 1 items is reached." } : undefined;
  };
  await live.put("b", { title: "b" }).stored();
  assert.deepEqual([[...service.stored.keys()], client.sync.held], [["b"], []]);
});

test("changes that wait are sent again every 15 minutes", async () => {
  const { setTimeout } = globalThis;
  try {
    globalThis.setTimeout = (run, delay, ...rest) => setTimeout(run, delay === 15 * 60_000 ? 300 : delay, ...rest);
    const { service, client } = await full();
    const messages = service.received.length;
    await eventually(() => service.received.length > messages);
    service.quota = 100;
    await eventually(() => service.stored.size === 50);
    await client.sync.synced();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test("the app can discard what waits, and an item that is written again or deleted no longer waits", async () => {
  const { service, client, live } = await full();
  await client.sync.discardHeld("notes", "n20");
  assert.equal(live.get("n20"), undefined);
  assert.equal(client.sync.pending, 29);
  await live.put("n21", { title: "again" });
  await eventually(() => client.sync.held.some(({ id, change }) => id === "n21" && change.obj.title === "again"));
  assert.equal(client.sync.pending, 29);
  await live.delete("n22");
  await eventually(() => client.sync.pending === 28);
  await client.sync.discardHeld();
  await client.sync.synced();
  assert.equal(live.items.length, 20);
  assert.equal(service.stored.size, 20);
});

test("after a restart, what waits is tried once, and all tabs show it", async () => {
  useWebLocks();
  const localStore = sharedStores();
  const { service, client } = await full({ localStore });
  await client.close();
  const storage = service.storage();
  const one = service.client({ localStore, storage });
  const two = service.client({ localStore, storage });
  clients.push(one, two);
  for (const tab of [one, two]) tab.sync.connect();
  for (const { sync } of [one, two]) await eventually(() => sync.held.length === 30 && sync.pending === 30);
  const three = service.client({ localStore, storage });
  clients.push(three);
  three.sync.connect();
  await eventually(() => three.sync.held.length === 30);
  service.quota = 100;
  await two.sync.retryHeld();
  await eventually(() => [one, two, three].every(({ sync }) => sync.pending === 0));
  assert.equal(service.stored.size, 50);
  await assert.doesNotReject(three.sync.synced());
});

test("a sign-out is refused while changes wait for room", async () => {
  const { client } = await full();
  await assert.rejects(client.signOut(), (error) => error.code === "unsent_changes" && error.details.pending === 30);
});

test("5,000 changes of one item that were made offline are applied, sent and stored quickly", async () => {
  const service = new FakeService();
  const { client, live } = await online(service);
  service.goDown();
  const started = performance.now();
  const writes = [];
  for (let index = 0; index < 5_000; index += 1) writes.push(index % 2 ? live.update("note", { rank: index }) : live.put("note", { title: `${index}` }));
  const synced = client.sync.synced();
  await Promise.all(writes);
  service.goUp();
  await synced;
  assert.deepEqual(service.stored.get("note"), { id: "note", title: "4998", rank: 4_999 });
  assert.equal(live.get("note").rank, 4_999);
  assert.ok(performance.now() - started < 15_000);
});
