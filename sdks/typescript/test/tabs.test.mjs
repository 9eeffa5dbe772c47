// Tabs of one browser share the changes that wait for the service.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { eventually } from "./eventually.mjs";
import { FakeService } from "./fake_service.mjs";
import { sharedStores, useWebLocks } from "./tabs.mjs";
import { withFastTimers } from "./timers.mjs";

useWebLocks();
const clients = [];
after(() => Promise.all(clients.map((client) => client.close())));

/** A browser with tabs. */
function browser(service, user) {
  const storage = service.storage(user);
  const localStore = sharedStores();
  return {
    storage,
    localStore,
    tab() {
      const client = service.client({ storage, localStore });
      clients.push(client);
      const live = client.live("notes");
      live.subscribe(() => {});
      return { client, live, ids: () => live.items.map((item) => item.id).join() };
    },
  };
}

/** A tab in which the service ends the session. */
async function endedSession(service, storage, localStore) {
  storage.setItem("steward:p", JSON.stringify({ ...JSON.parse(storage.getItem("steward:p")), receivedAt: 0 }));
  const client = service.client({ storage, localStore, fetch: async () => Response.json({ error: "invalid_grant", message: "Ended." }, { status: 400 }) });
  clients.push(client);
  return client;
}

test("a change that one tab made offline is shown in all tabs, and counted by all", async () => {
  const service = new FakeService(new Map([["a", { title: "a" }]]));
  const { tab } = browser(service);
  const [one, two] = [tab(), tab()];
  await one.client.sync.synced();
  await two.client.sync.synced();
  assert.equal(service.connections, 1, "One tab is connected for all.");
  assert.equal(two.client.sync.status, "online");
  service.goDown();
  await eventually(() => two.client.sync.status !== "online");
  await one.live.put("b", { title: "b" });
  const written = two.live.put("c", { title: "c" });
  assert.equal(two.ids(), "a,b,c".replace("b,", two.ids().includes("b") ? "b," : ""), "It is applied at once.");
  await written;
  await two.live.update("b", { done: true });
  await one.live.delete("a");
  const three = tab();
  for (const { client, ids, live } of [one, two, three]) {
    await eventually(() => ids() === "b,c");
    assert.equal(client.sync.pending, 4);
    assert.equal(live.get("b").done, true);
  }
  service.goUp();
  await Promise.all([one, two, three].map(({ client }) => client.sync.synced()));
  assert.deepEqual([...service.stored.keys()].sort(), ["b", "c"]);
  assert.equal(service.received.flat().length, 4, "Each change was sent once.");
  for (const { ids } of [one, two, three]) assert.equal(ids(), "b,c");
  // What others change is shown in all tabs, too.
  service.change("d", { title: "d" });
  for (const { ids } of [one, two, three]) await eventually(() => ids() === "b,c,d");
});

test("when the tab that is connected closes, another one sends what waits", async () => {
  const service = new FakeService();
  const { tab } = browser(service);
  const [one, two] = [tab(), tab()];
  await one.client.sync.synced();
  await two.client.sync.synced();
  service.goDown();
  await one.live.put("a", { title: "of the first" });
  await two.live.put("b", { title: "of the second" });
  await one.client.close();
  assert.equal(two.client.sync.pending, 2);
  service.goUp();
  await two.client.sync.synced();
  assert.deepEqual([...service.stored.keys()].sort(), ["a", "b"]);
  await two.live.put("c", { title: "later" });
  await two.client.sync.synced();
  assert.equal(service.stored.size, 3);
});

test("when tabs close one after the other, the last one has everything, and sends it once", async () => {
  const service = new FakeService();
  const { tab } = browser(service);
  const tabs = [tab(), tab(), tab(), tab()];
  for (const { client } of tabs) await client.sync.synced();
  service.goDown();
  for (const [index, { client }] of tabs.entries()) {
    // The tab that is connected closes while others write.
    const writes = tabs.slice(index).map((other, number) => other.live.put(`n${index}${number}`, { title: "x" }));
    const [first] = writes;
    await first;
    if (index === 3) break;
    await client.close();
    await Promise.all(writes);
    for (const other of tabs.slice(index + 1)) await eventually(() => other.client.sync.pending === [4, 7, 9][index]);
  }
  const last = tabs.at(-1);
  assert.equal(last.client.sync.pending, 4 + 3 + 2 + 1);
  service.goUp();
  await last.client.sync.synced();
  assert.equal(service.stored.size, 10);
  assert.equal(service.received.flat().length, 10);
});

test("a tab that the browser has stopped is replaced within 45 seconds, and nothing is lost or sent twice", async () => {
  await withFastTimers({ factor: 10 }, async () => {
    const service = new FakeService();
    const { tab } = browser(service);
    const [one, two] = [tab(), tab()];
    await one.client.sync.synced();
    await two.client.sync.synced();
    // Messages of other tabs no longer arrive at the first one.
    const { postMessage } = BroadcastChannel.prototype;
    BroadcastChannel.prototype.postMessage = () => {};
    const written = two.live.put("a", { title: "while it is stopped" });
    const since = performance.now();
    await eventually(() => two.client.sync.status === "online" && two.client.sync.pending === 0);
    assert.ok((performance.now() - since) / 100 < 45);
    await written;
    BroadcastChannel.prototype.postMessage = postMessage;
    assert.equal(service.received.flat().length, 1);
    await one.live.put("b", { title: "again" });
    await one.client.sync.synced();
    await eventually(() => two.ids() === "a,b" && one.ids() === "a,b");
    assert.equal(service.connections, 1);
  });
});

test("a change that a tab took but did not store is not mistaken for another one with its number", async () => {
  const service = new FakeService();
  const storage = service.storage();
  const localStore = sharedStores();
  let stored = Promise.resolve();
  /** The first tab: its store loses what is written from a time on. */
  const losing = (name) => {
    const store = localStore(name);
    return { ...store, update: (update) => (isLosing ? stored : store.update(update)) };
  };
  let isLosing = false;
  const tab = async (storeOf = localStore) => {
    const client = service.client({ storage, localStore: storeOf });
    clients.push(client);
    const live = client.live("notes");
    live.subscribe(() => {});
    await client.sync.synced();
    return { client, live };
  };
  const [one, two, three] = [await tab(losing), await tab(), await tab()];
  service.goDown();
  await eventually(() => three.client.sync.status !== "online");
  let end;
  stored = new Promise((resolve) => (end = resolve));
  isLosing = true;
  void three.live.put("c", { title: "of the third" });
  await eventually(() => one.live.get("c") && two.live.get("c"));
  // What follows does not reach the first tab, and it does not tell that it has stored the change.
  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = function (message) {
    if (!("call" in message || "done" in message)) postMessage.call(this, message);
  };
  void two.live.put("b", { title: "of the second" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  end();
  await one.client.close();
  BroadcastChannel.prototype.postMessage = postMessage;
  await eventually(() => two.live.get("c") && three.live.get("b"), "The third tab repeats its change.", 3_000);
  service.goUp();
  await three.client.sync.synced();
  assert.deepEqual([...service.stored.keys()].sort(), ["b", "c"]);
});

test("a sign-out with unsent changes is refused in every tab, and with their loss it is one of all tabs", async () => {
  const service = new FakeService();
  const { tab, localStore, storage } = browser(service);
  const [one, two] = [tab(), tab()];
  await one.client.sync.synced();
  await two.client.sync.synced();
  service.goDown();
  await one.live.put("a", { title: "unsent" });
  await eventually(() => two.client.sync.pending === 1);
  for (const { client } of [one, two]) await assert.rejects(client.signOut(), (error) => error.code === "unsent_changes" && error.details.pending === 1);
  assert.equal(one.ids(), "a");
  await two.client.signOut({ discard: true });
  await eventually(() => one.ids() === "" && two.ids() === "");
  const [store] = localStore.stores.values();
  const { items, outbox } = await store.open();
  assert.deepEqual([items, outbox], [[], []]);
  assert.equal(storage.getItem("steward:p"), null);
  await assert.rejects(two.live.put("b", {}), { code: "signed_out" });
  service.goUp();
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(service.received.length, 0);
});

test("changes that wait belong to a person: another one neither sees nor sends them", async () => {
  const service = new FakeService();
  const { tab, storage, localStore } = browser(service, "ann");
  const ann = tab();
  await ann.client.sync.synced();
  service.goDown();
  await ann.live.put("a", { title: "of Ann" });
  await ann.client.close();
  // The service ends the session of Ann, and Bob signs in on the same device.
  const ended = await endedSession(service, storage, localStore);
  assert.equal(await ended.getToken(), undefined);
  assert.equal(ended.session.status, "signedOut");
  storage.setItem("steward:p", service.storage("bob").getItem("steward:p"));
  service.goUp();
  const bob = tab();
  await bob.client.sync.synced();
  assert.equal(bob.client.sync.pending, 0);
  assert.equal(bob.ids(), "");
  assert.equal(service.received.length, 0);
  await bob.client.signOut();
  // Ann signs in again.
  storage.setItem("steward:p", service.storage("ann").getItem("steward:p"));
  const again = tab();
  await again.client.sync.synced();
  assert.deepEqual([...service.stored.keys()], ["a"]);
});

test("after a session that the service ended, its unsent changes can be discarded", async () => {
  const service = new FakeService();
  const { tab, storage, localStore } = browser(service);
  const one = tab();
  await one.client.sync.synced();
  service.goDown();
  await one.live.put("a", { title: "unsent" });
  await one.client.close();
  const ended = await endedSession(service, storage, localStore);
  assert.equal(await ended.getToken(), undefined);
  await ended.signOut();
  const [store] = localStore.stores.values();
  assert.equal((await store.open()).outbox.length, 1);
  await ended.signOut({ discard: true });
  assert.equal((await store.open()).outbox.length, 0);
});
