// Live queries and offline changes, against the service.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { memoryStore } from "@steward/sdk/client";
import { CheckedWebSocket, closeCodes, document, seen, sent } from "./asyncapi.mjs";
import { person as personOf } from "./people.mjs";
import { startProxy } from "./proxy.mjs";
import { createProject, developer, eventually, url } from "./service.mjs";

let admin, projectId;
const clients = [];

before(async () => {
  admin = await developer();
  ({ projectId } = await createProject(admin));
});
after(() => Promise.all(clients.map((client) => client.close())));

const person = () => personOf(projectId, clients);

const titles = (live) => live.items.map((item) => item.title);

test("a live query has the items that match, in order, and is notified of changes", async () => {
  const ann = await person();
  await ann.first.items("notes").put("b", { title: "b", rank: 2 });
  await ann.first.items("notes").put("a", { title: "a", rank: 1, done: true });
  const client = ann.device();
  const seen = [];
  const live = client.live("notes", { where: { rank: { gte: 1 } }, filter: (item) => item.title !== "hidden", order: "rank.desc", limit: 3 });
  const end = live.subscribe((items) => seen.push(items.map((item) => item.title)));
  assert.deepEqual(seen, [[]]);
  await client.sync.synced();
  assert.equal(client.sync.status, "online");
  await eventually(() => titles(live).join() === "b,a");
  assert.ok(live.isLoaded);
  assert.equal(live.items, live.items, "The array is the same until an item changes.");

  await live.put("c", { title: "c", rank: 3 });
  assert.deepEqual(titles(live), ["c", "b", "a"], "It is applied at once.");
  await live.create({ title: "hidden", rank: 9 });
  await live.put("none", { title: "none" });
  assert.deepEqual(titles(live), ["c", "b", "a"], "Neither matches.");
  await client.sync.synced();
  assert.equal((await ann.first.items("notes").get("c")).rank, 3);

  await ann.first.items("notes").update("b", { rank: 7 });
  await eventually(() => titles(live).join() === "b,c,a");
  await ann.first.items("notes").delete("a");
  await eventually(() => titles(live).join() === "b,c");
  await live.update("c", { rank: null });
  assert.deepEqual(titles(live), ["b"]);
  await live.delete("b");
  assert.deepEqual(titles(live), []);
  await client.sync.synced();
  await assert.rejects(ann.first.items("notes").get("b"), { code: "not_found" });
  assert.equal((await ann.first.items("notes").get("c")).rank, undefined);
  end();
  const count = seen.length;
  await live.put("d", { title: "d", rank: 1 });
  assert.equal(seen.length, count, "The subscription has ended.");
});

test("two devices see each other's changes", async () => {
  const ann = await person();
  const [one, two] = [ann.device().live("lists"), ann.device().live("lists")];
  one.subscribe(() => {});
  two.subscribe(() => {});
  await one.put("x", { name: "one" });
  await eventually(() => two.get("x")?.name === "one");
  await two.update("x", { name: "two" });
  await eventually(() => one.get("x")?.name === "two");
});

test("a write that does not match the schema is corrected", async () => {
  const ann = await person();
  // A device that knows the schema would refuse the writes.
  const client = ann.device({ fetch: async (target, init) => (String(target).endsWith("/schema") ? new Response("", { status: 404 }) : fetch(target, init)) });
  const live = client.live("notes");
  live.subscribe(() => {});
  await live.put("a", { title: "kept", rank: 1 });
  await client.sync.synced();
  const corrections = [];
  client.sync.onCorrection((correction) => corrections.push(correction));
  await live.update("a", { rank: "high" });
  await live.put("b", { done: true });
  await live.put("c", { title: "valid" });
  assert.equal(live.get("a").rank, "high");
  await client.sync.synced();
  assert.equal(live.get("a").rank, 1);
  assert.equal(live.get("b"), undefined);
  assert.equal(live.get("c").title, "valid");
  assert.deepEqual(corrections.map(({ table, id, item }) => [table, id, item?.title]), [["notes", "a", "kept"], ["notes", "b", undefined]]);
  assert.deepEqual(corrections.map(({ code }) => code), ["invalid_item", "invalid_item"]);
  assert.match(corrections[0].message, /rank/);
  const rejected = await admin.syncRejections.list(projectId).first(2);
  assert.equal(rejected.length, 2, "The developer sees them.");
});

test("1,500 changes that were made offline are stored after the connection was killed twice", async () => {
  const ann = await person();
  const proxy = await startProxy(url);
  const localStore = memoryStore();
  const client = ann.device({ url: proxy.url, localStore: () => localStore });
  const live = client.live("notes", { order: "rank" });
  live.subscribe(() => {});
  await live.put("kept", { title: "first", rank: -1 });
  await client.sync.synced();

  proxy.goDown();
  await eventually(() => client.sync.status === "offline");
  const statuses = new Set();
  client.sync.subscribe(() => statuses.add(client.sync.status));
  for (let index = 0; index < 1_000; index += 1) await live.put(`n${index}`, { title: `note ${index}`, rank: index });
  for (let index = 0; index < 400; index += 1) await live.update(`n${index}`, { done: true, rank: index + 0.5 });
  for (let index = 900; index < 1_000; index += 1) await live.delete(`n${index}`);
  assert.equal(client.sync.pending, 1_500);
  assert.equal(live.items.length, 901, "All changes are visible offline.");
  await ann.first.items("notes").put("other", { title: "other", rank: 5_000 });

  // The page is closed, and opened again without a network.
  await client.close();
  const second = ann.device({ url: proxy.url, localStore: () => localStore });
  const again = second.live("notes", { order: "rank" });
  again.subscribe(() => {});
  await eventually(() => again.items.length === 901);
  assert.equal(second.sync.pending, 1_500);

  // The network returns, and fails when the first acknowledgement arrives: it is lost.
  let acknowledged = 0;
  proxy.state.onDown = (bytes) => {
    if (!bytes.includes('"ack"')) return false;
    acknowledged += 1;
    if (acknowledged > 1) return false;
    proxy.goDown();
    setTimeout(() => proxy.goUp(), 300);
    return true;
  };
  const started = performance.now();
  proxy.goUp();
  await second.sync.synced();
  console.log(`# 1,500 changes were stored in ${Math.round(performance.now() - started)} ms, with a lost acknowledgement.`);
  assert.ok(acknowledged >= 4, "Three portions, one of them twice.");
  assert.equal(second.sync.pending, 0);
  const stored = await ann.first.items("notes").list({ order: "rank", pageSize: 1_000 }).all();
  assert.equal(stored.length, 902);
  await eventually(() => again.items.length === 902, "The change of another device is missing.");
  const fields = ({ id, title, done, rank }) => ({ id, title, done, rank });
  assert.deepEqual(again.items.map(fields), stored.map(fields));
  assert.equal(stored.find((item) => item.id === "n7").rank, 7.5);

  // What the device has stored is complete: the next start needs only what is new.
  await second.close();
  proxy.stop();
  const third = ann.device({ url: proxy.url, localStore: () => localStore });
  const offline = third.live("notes");
  offline.subscribe(() => {});
  await eventually(() => offline.items.length === 902);
  assert.equal(third.sync.pending, 0);
  await third.close();
});

test("a device with a revision that the service does not know gets everything again", async () => {
  const ann = await person();
  const localStore = memoryStore();
  await localStore.update({ revision: 2 ** 50, items: [["notes", "lost", { id: "lost", title: "lost by a restore" }], ["notes", "a", { id: "a", title: "old" }]] });
  await ann.first.items("notes").put("a", { title: "new" });
  const client = ann.device({ localStore: () => localStore });
  const live = client.live("notes");
  const seen = [];
  live.subscribe((items) => seen.push(items.length));
  await client.sync.synced();
  assert.deepEqual(titles(live), ["new"]);
  assert.ok(seen.includes(2), "The stored items were shown before.");
  const { revision, items } = await localStore.open();
  assert.ok(revision < 2 ** 50);
  assert.deepEqual(items.map(([, id]) => id), ["a"]);
});

test("a restart of the network is survived by a live query, and it gets what it missed", async () => {
  const ann = await person();
  const proxy = await startProxy(url);
  const client = ann.device({ url: proxy.url });
  const live = client.live("notes");
  live.subscribe(() => {});
  await client.sync.synced();
  for (let round = 0; round < 3; round += 1) {
    proxy.goDown();
    await ann.first.items("notes").put(`r${round}`, { title: `${round}` });
    proxy.goUp();
    await eventually(() => live.get(`r${round}`));
  }
  await client.close();
  proxy.stop();
});

test("the token is replaced before it expires, on the same connection", async () => {
  const ann = await person();
  const messages = [];
  class Recording extends CheckedWebSocket {
    send(text) {
      messages.push(JSON.parse(text));
      super.send(text);
    }
  }
  const [setTimer, now] = [globalThis.setTimeout, Date.now];
  try {
    // The timer of 14 minutes ends at once, and the clock shows that they have passed.
    globalThis.setTimeout = (run, delay, ...rest) => setTimer(() => { if (delay > 800_000) Date.now = () => now() + 14.2 * 60_000; run(); }, delay > 800_000 ? 200 : delay, ...rest);
    const client = ann.device({ webSocket: Recording });
    const live = client.live("notes");
    live.subscribe(() => {});
    await client.sync.synced();
    const update = await eventually(() => messages.find((message) => message.type === "tokenUpdate"));
    assert.notEqual(update.authToken, messages[0].authToken);
    await live.put("a", { title: "after" });
    await client.sync.synced();
    assert.equal(messages.filter((message) => message.type === "clientIdentity").length, 1, "The connection remains.");
    await client.close();
  } finally {
    [globalThis.setTimeout, Date.now] = [setTimer, now];
  }
});

test("after a sign-out, nothing remains on the device", async () => {
  const ann = await person();
  const localStore = memoryStore();
  const client = ann.device({ localStore: () => localStore });
  const live = client.live("notes");
  live.subscribe(() => {});
  await live.put("a", { title: "secret" });
  await client.sync.synced();
  await live.update("a", { done: true });
  await client.signOut();
  assert.equal(client.session.status, "signedOut", "It has waited for what was being sent.");
  assert.deepEqual(live.items, []);
  assert.deepEqual((await localStore.open()).items, []);
  await assert.rejects(live.put("b", { title: "b" }), { code: "signed_out" });
  await assert.rejects(client.sync.synced(), { code: "signed_out" });

  // Also in an app that has not read the items since it started.
  const bob = await person();
  const other = memoryStore();
  const first = bob.device({ localStore: () => other });
  await first.live("notes").put("a", { title: "secret" });
  await first.close();
  const second = bob.device({ localStore: () => other });
  await assert.rejects(second.signOut(), (error) => error.code === "unsent_changes" && error.details.pending === 1);
  assert.equal(second.session.status, "signedIn", "Nothing is lost.");
  await second.signOut({ discard: true });
  assert.deepEqual(await other.open().then(({ items, outbox }) => [items, outbox]), [[], []]);
});

/** A connection of a device that is not the SDK. */
function connect() {
  const socket = new CheckedWebSocket(`${url.replace(/^http/, "ws")}/ws`);
  clients.push(socket);
  const received = [];
  socket.onmessage = ({ data }) => received.push(JSON.parse(data));
  const closed = new Promise((resolve) => (socket.onclose = ({ code }) => resolve(code)));
  const opened = new Promise((resolve) => (socket.onopen = resolve));
  const send = (message) => opened.then(() => socket.send(JSON.stringify(message)));
  return { closed, send, sendRaw: (data) => WebSocket.prototype.send.call(socket, data), next: () => eventually(() => received.shift()) };
}

test("the session in docs/sync.md takes place as described", async () => {
  const ann = await person();
  const text = readFileSync(new URL("../../../docs/sync.md", import.meta.url), "utf8");
  const lines = [...text.matchAll(/^([<>]) (\{.*\})$/gm)].map(([, sign, json]) => ({ isSent: sign === ">", message: JSON.parse(json) }));
  assert.equal(lines.length, 7);
  const notes = ann.first.items("notes");
  await notes.put("milk", { title: "Buy milk" });
  const device = connect();
  let revision;
  for (const { isSent, message } of lines) {
    if (message.authToken) Object.assign(message, { authToken: await ann.first.getToken(), schema: { project_id: projectId } });
    if (message.baseRevision) message.baseRevision = revision;
    if (isSent) {
      await device.send(message);
      continue;
    }
    if (message.changes?.[0].type === 3) {
      assert.equal((await notes.get("milk")).done, true);
      await notes.delete("milk");
    }
    const received = await device.next();
    // The document has other names and revisions.
    for (const name of ["clientIdentity", "currentRevision"]) if (name in message) message[name] = received[name];
    assert.deepEqual(received, message);
    revision = received.currentRevision ?? revision;
  }
});

test("all messages and close codes of these tests are those of the AsyncAPI document", async () => {
  const ann = await person();
  const identity = { type: "clientIdentity", clientIdentity: null, authToken: await ann.first.getToken(), schema: { project_id: projectId } };

  const stranger = connect();
  await stranger.send({ ...identity, authToken: "invalid" });
  assert.equal((await stranger.next()).type, "error");
  assert.equal(await stranger.closed, 4401);

  const device = connect();
  await device.send(identity);
  assert.equal((await device.next()).type, "clientIdentity");
  await device.send({ type: "tokenUpdate", authToken: "invalid" });
  assert.equal((await device.next()).ok, false);
  device.sendRaw('{"type":"changes","type":"changes"}');
  assert.equal(await device.closed, 1007);

  const binary = connect();
  await binary.send(identity);
  await binary.next();
  binary.sendRaw(new Uint8Array(1));
  assert.equal(await binary.closed, 1003);

  const large = connect();
  await large.send({ ...identity, schema: { project_id: projectId, tables: "x".repeat(65_536) } });
  assert.equal(await large.closed, 1009);

  const { status, body } = await fetch(`${url}/ws`).then(async (response) => ({ status: response.status, body: await response.json() }));
  assert.ok(document.channels.sync["x-handshake-errors"].some((error) => error.status === status && error.code === body.error));

  assert.deepEqual(seen.problems, []);
  const messages = [...sent.device, ...sent.service];
  assert.deepEqual(messages.filter((name) => !seen.names.has(name)), [], "These messages were not seen.");
  // 1000 and 1005 are those of the client, and 1006 that of a lost connection.
  const ofService = [...seen.closeCodes].filter((code) => ![1000, 1005, 1006].includes(code));
  assert.deepEqual(ofService.filter((code) => !closeCodes.has(code)), []);
  const unseen = [...closeCodes].filter((code) => !seen.closeCodes.has(code));
  assert.deepEqual(unseen, [1001, 1002, 1008, 1013], "These end a connection when the service stops or is overloaded, or frames are not valid.");
});
