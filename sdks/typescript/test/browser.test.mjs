// The client in Chromium: sign-in by redirect and in a pop-up, IndexedDB, Web Locks, and several tabs.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { createProject, developer, eventually, password, signUp, url } from "./service.mjs";
import { startBrowser } from "./webdriver.mjs";

/** Nothing listens here: with it as the service, the page is offline. */
const NOWHERE = "http://127.0.0.1:9";

let browser, server, origin, projectId, admin, ann;

before(async () => {
  admin = await developer();
  ({ projectId } = await createProject(admin));
  ann = await signUp("browser");
  const source = `
    import { createClient } from "@steward/sdk/client";
    const url = new URL(location).searchParams.get("offline") ? ${JSON.stringify(NOWHERE)} : ${JSON.stringify(url)};
    const client = createClient({ url, projectId: ${JSON.stringify(projectId)}, maxRetries: 0 });
    const live = client.live("notes", { order: "rank" });
    live.subscribe(() => {});
    client.completeSignIn().catch((error) => (document.title = error.message));
    const show = () => (document.querySelector("p").textContent = client.session.status + " " + (client.session.user?.username ?? ""));
    client.onSession(show);
    document.querySelector("#redirect").onclick = () => client.signIn();
    document.querySelector("#popup").onclick = () => (window.signingIn = client.signInWithPopup());
    Object.assign(window, { client, live });
  `;
  const bundled = await build({ stdin: { contents: source, resolveDir: new URL(".", import.meta.url).pathname }, bundle: true, format: "esm", write: false });
  const page = '<!doctype html><title>App</title><p></p><button id="redirect">Redirect</button><button id="popup">Pop-up</button><script type="module" src="/app.js"></script>';
  server = createServer((request, response) => {
    const isScript = request.url === "/app.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" }).end(isScript ? bundled.outputFiles[0].text : page);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  await admin.settings.update(projectId, { auth: { redirect_uris: ["http://127.0.0.1/"] } });
  browser = await startBrowser();
});
after(async () => {
  await browser?.stop();
  server?.closeAllConnections();
  server?.close();
});

/** Waits until an expression in the page is true. */
const until = (expression) => eventually(() => browser.run(`return ${expression}`).catch(() => false), `Not reached: ${expression}`).catch(async (error) => {
  const state = await browser.run("return [location.href, document.title, document.body.innerText.slice(0, 400)]");
  throw new Error(`${error.message}: ${state}`);
});

/** Fills in the pages of the service in the current window. */
async function signInAtService(isSignedIn = false) {
  if (!isSignedIn) {
    await browser.type('input[name="login"]', ann);
    await browser.type('input[name="password"]', password);
    await browser.click("form button[type=submit], form button:not([type])");
  }
  await browser.click('//button[contains(., "Allow") or contains(., "Continue as")]');
}

/** Returns how many requests the page has sent to the token endpoint. */
const REFRESHES = 'performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/auth/token")).length';

test("a person signs in by a redirect, and the code leaves the address", async () => {
  await browser.open(origin);
  await until('client.session.status === "signedOut"');
  await browser.click("#redirect");
  await signInAtService();
  await until('window.client?.session.status === "signedIn"');
  assert.equal(await browser.url(), `${origin}/`);
  assert.equal(await browser.run('return document.querySelector("p").textContent'), `signedIn ${ann}`);
});

test("items and writes outlive the page, and are sent when the network returns", async () => {
  await browser.run('await live.put("a", { title: "online", rank: 1 }); await client.sync.synced()');
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 1");
  const first = await browser.window();
  const second = await browser.newTab();
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 1");
  await browser.run('for (let n = 2; n < 302; n += 1) await live.put(`n${n}`, { title: "offline", rank: n }); await live.delete("n301")');
  assert.deepEqual(await browser.run("return [live.items.length, client.sync.pending, client.sync.status === 'online']"), [300, 301, false]);

  // All tabs show them, also after the one that wrote them was closed.
  const third = await browser.newTab();
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 300 && client.sync.pending === 301");
  await browser.closeTab();
  await browser.switchTo(second);
  await browser.closeTab();
  await browser.switchTo(first);
  await until("live.items.length === 300 && client.sync.pending === 301");
  await browser.open(origin);
  await until("live.items.length === 300");
  await browser.run("await client.sync.synced()");
  const stored = await browser.run('return (await client.items("notes").list({ pageSize: 1000 }).all()).length');
  assert.equal(stored, 300);
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 300");
  assert.equal(await browser.run("return client.sync.pending"), 0);
  await browser.open(origin);
  assert.ok(third);

  // After a restore, the service does not know the revision of the device, and the device has an item that was lost.
  await browser.run(`
    await client.sync.synced();
    const [{ name }] = await indexedDB.databases();
    const database = await new Promise((resolve) => { const request = indexedDB.open(name); request.onsuccess = () => resolve(request.result); });
    const transaction = database.transaction(["items", "meta"], "readwrite");
    transaction.objectStore("items").put(["notes", "lost", { id: "lost", title: "lost" }], ["notes", "lost"]);
    transaction.objectStore("meta").put(2 ** 50, "revision");
    await new Promise((resolve) => { transaction.oncomplete = resolve; });
    database.close();
  `);
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 301");
  await browser.open(origin);
  await until('client.sync.status === "online" && live.items.length === 300');
  await browser.run("await client.sync.synced()");
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 300");
  await browser.open(origin);
});

test("changes that an earlier version stored for each tab are sent", async () => {
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 300");
  await browser.run(`
    const [{ name }] = await indexedDB.databases();
    const database = await new Promise((resolve) => { const request = indexedDB.open(name); request.onsuccess = () => resolve(request.result); });
    const transaction = database.transaction(["outbox"], "readwrite");
    for (const [owner, sequence, key] of [["111", 7, "old1"], ["222", 7, "old2"], ["222", 8, "old3"]]) {
      transaction.objectStore("outbox").put({ type: 1, table: "notes", key, obj: { id: key, title: "old", rank: 900 } }, [owner, sequence]);
    }
    await new Promise((resolve) => { transaction.oncomplete = resolve; });
    database.close();
  `);
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 303 && client.sync.pending === 3");
  await browser.open(origin);
  await until('client.sync.status === "online"');
  await browser.run('await client.sync.synced(); for (const id of ["old1", "old2", "old3"]) { await client.items("notes").get(id); await live.delete(id); } await client.sync.synced()');
});

test("a database that is deleted while the page is open is replaced, with what was not sent", async () => {
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 300");
  await browser.run(`
    await live.put("before", { title: "before", rank: 900 });
    const [{ name }] = await indexedDB.databases();
    await new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = resolve; });
    await live.put("after", { title: "after", rank: 901 });
  `);
  await browser.open(`${origin}/?offline=1`);
  await until("live.items.length === 302 && client.sync.pending === 2 && !client.sync.storeError");
  await browser.open(origin);
  await browser.run('await client.sync.synced(); await live.delete("before"); await live.delete("after"); await client.sync.synced()');
  await until("live.items.length === 300");
});

test("when the tab that is connected is closed, another one connects", async () => {
  const first = await browser.window();
  const second = await browser.newTab();
  await browser.open(origin);
  await until('client.sync.status === "online" && live.items.length === 300');
  await browser.run('await live.put("shared", { title: "shared", rank: 900 })');
  await browser.switchTo(first);
  await until('live.get("shared")');
  await browser.closeTab();
  await browser.switchTo(second);
  await until('client.sync.status === "online"');
  await browser.run('await live.delete("shared"); await client.sync.synced(); await client.items("notes").create({ title: "of the service", rank: 950 })');
  await until('live.items.some((item) => item.title === "of the service")');
  await browser.run('await live.delete(live.items.find((item) => item.title === "of the service").id); await client.sync.synced()');
});

test("tabs refresh the tokens once, and sign out together", async () => {
  await until('client.sync.status === "online"');
  const handles = [await browser.window()];
  for (let count = 0; count < 4; count += 1) {
    handles.push(await browser.newTab());
    await browser.open(origin);
    await until('client.sync.status === "online"');
  }
  await browser.run(`
    const key = Object.keys(localStorage).find((name) => /^steward:[0-9a-f-]+$/.test(name));
    localStorage[key] = JSON.stringify({ ...JSON.parse(localStorage[key]), receivedAt: 0 });
    dispatchEvent(new StorageEvent("storage", { key }));
  `);
  // Timers begin in all tabs, and end at the same time.
  const at = Date.now() + 1_500;
  for (const handle of handles) {
    await browser.switchTo(handle);
    await browser.run("const [at] = values; setTimeout(() => (window.token = client.getToken()), at - Date.now())", at);
  }
  const tokens = new Set();
  let refreshes = 0;
  for (const handle of handles) {
    await browser.switchTo(handle);
    await until("window.token");
    tokens.add(await browser.run("return window.token"));
    refreshes += await browser.run(`return ${REFRESHES}`);
  }
  assert.equal(tokens.size, 1);
  assert.equal(refreshes, 1);

  await browser.run("await client.signOut()");
  for (const handle of handles) {
    await browser.switchTo(handle);
    await until('client.session.status === "signedOut" && live.items.length === 0');
    if (handle !== handles[0]) await browser.closeTab();
  }
  await browser.switchTo(handles[0]);
});

test("a person signs in in a pop-up, which closes", async () => {
  await browser.open(origin);
  await until('client.session.status === "signedOut" && live.items.length === 0');
  const main = await browser.window();
  await browser.click("#popup");
  const popup = await eventually(async () => (await browser.windows()).find((handle) => handle !== main));
  await browser.switchTo(popup);
  // The browser is still signed in to the service.
  await signInAtService(true);
  await browser.switchTo(main);
  await until('client.session.status === "signedIn"');
  assert.equal(await browser.run("return (await window.signingIn).status"), "signedIn");
  await eventually(async () => (await browser.windows()).length === 1, "The pop-up is open.");
  await until("live.items.length === 300");
});
