// Connections that end without notice, and networks that come and go.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seen } from "./asyncapi.mjs";
import { person } from "./people.mjs";
import { startProxy } from "./proxy.mjs";
import { createProject, developer, eventually, url } from "./service.mjs";
import { withFastTimers } from "./timers.mjs";

let projectId;
const clients = [];
const proxies = [];
/** The listeners of the page, by type. */
const page = new Map();

before(async () => {
  ({ projectId } = await createProject(await developer()));
  globalThis.addEventListener = (type, listener) => page.set(type, listener);
  globalThis.removeEventListener = (type) => page.delete(type);
});
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const proxy of proxies) proxy.stop();
  assert.equal(page.size, 0, "A closed client listens to nothing.");
});

/** A device behind a proxy, online. */
async function online() {
  const ann = await person(projectId, clients);
  const proxy = await startProxy(url);
  proxies.push(proxy);
  const client = ann.device({ url: proxy.url });
  const live = client.live("notes");
  live.subscribe(() => {});
  await client.sync.synced();
  return { ann, proxy, client, live };
}

test("a connection that dies silently is noticed within 45 seconds, and what was missed is loaded", async () => {
  // All times are a tenth: with less, a busy machine would take longer than the difference to 45 seconds.
  await withFastTimers({ factor: 10 }, async () => {
    const { ann, proxy, client, live } = await online();
    const statuses = [];
    proxy.goSilent();
    const since = performance.now();
    client.sync.subscribe(() => statuses.push(client.sync.status));
    await ann.first.items("notes").put("a", { title: "missed" });
    await eventually(() => statuses.includes("offline"));
    const seconds = (performance.now() - since) / 100;
    console.log(`# A silent connection was noticed after ${seconds.toFixed(1)} s.`);
    assert.ok(seconds < 45, `${seconds} s`);
    await eventually(() => live.get("a"));
    await client.close();
  });
});

test("a write in flight on a connection that dies silently is stored within 45 seconds", async () => {
  await withFastTimers({ factor: 10 }, async () => {
    const { ann, proxy, client, live } = await online();
    proxy.goSilent();
    const since = performance.now();
    await live.put("b", { title: "in flight" });
    await eventually(() => client.sync.status === "offline");
    const seconds = (performance.now() - since) / 100;
    assert.ok(seconds < 45, `${seconds} s`);
    await client.sync.synced();
    assert.equal((await ann.first.items("notes").get("b")).title, "in flight");
    await client.close();
  });
});

test("a connection that works is kept while nothing happens", async () => {
  await withFastTimers({}, async () => {
    const { client, live } = await online();
    const statuses = [];
    client.sync.subscribe(() => statuses.push(client.sync.status));
    // 150 seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.ok(statuses.every((status) => status === "online"), statuses.join());
    await live.put("c", { title: "works" });
    await client.sync.synced();
    assert.deepEqual(seen.problems, []);
    await client.close();
  });
});

test("a page that becomes visible, or is online again, asks within ten seconds", async () => {
  for (const type of ["visibilitychange", "online"]) {
    await withFastTimers({ min: 9_000, factor: 10 }, async () => {
      const { proxy, client } = await online();
      proxy.goSilent();
      globalThis.document = { hidden: true };
      if (type === "visibilitychange") page.get(type)({ type });
      globalThis.document = { hidden: false };
      const since = performance.now();
      page.get(type)({ type });
      await eventually(() => client.sync.status !== "online");
      assert.ok((performance.now() - since) / 100 < 15);
      delete globalThis.document;
      await client.sync.synced();
    });
  }
});

test("a device that loses the network is offline at once", async () => {
  const { proxy, client } = await online();
  page.get("offline")({ type: "offline" });
  assert.equal(client.sync.status, "offline");
  await client.sync.synced();
});
