// The hooks and the button, rendered with a service.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { JSDOM } from "jsdom";
import { createClient, memoryStorage, memoryStore } from "@steward/sdk/client";
import { allow, CALLBACK, createProject, developer, eventually, signUp, url } from "./service.mjs";

const dom = new JSDOM('<!doctype html><div id="root"></div>', { url: CALLBACK });
const { window } = dom;
const assigned = [];
let projectId, react, hooks, createRoot;
const roots = [];
const clients = [];

before(async () => {
  const listeners = Object.fromEntries(["addEventListener", "removeEventListener"].map((name) => [name, window[name].bind(window)]));
  Object.assign(globalThis, { window, document: window.document, history: window.history, ...listeners });
  // jsdom does not navigate.
  const location = { assign: (address) => assigned.push(address) };
  for (const name of ["href", "origin", "pathname", "search"]) Object.defineProperty(location, name, { get: () => window.location[name] });
  Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
  Object.defineProperty(globalThis, "location", { value: location, configurable: true });
  react = await import("react");
  hooks = await import("@steward/sdk/react");
  ({ createRoot } = await import("react-dom/client"));
  ({ projectId } = await createProject(await developer()));
});
after(async () => {
  for (const root of roots) root.unmount();
  await Promise.all(clients.map((client) => client.close()));
  window.close();
});

const text = () => window.document.getElementById("root").textContent;
const button = () => window.document.querySelector("button");

/** Renders a component in a provider. */
async function render(client, component) {
  const { createElement: h, StrictMode } = react;
  for (const root of roots.splice(0)) root.unmount();
  const root = createRoot(window.document.getElementById("root"));
  roots.push(root);
  (root.render(h(StrictMode, null, h(hooks.StewardProvider, { client }, h(component)))));
}

/** Waits until React has rendered what has changed. */
const painted = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Waits until the page shows a text. Effects run in between. */
async function shows(expected) {
  await eventually(() => text().includes(expected), `The page does not show "${expected}".`).catch((error) => assert.fail(`${error.message} It shows: ${text()}`));
}

function app(storage = memoryStorage()) {
  const client = createClient({ url, projectId, redirectUri: CALLBACK, storage, localStore: () => memoryStore() });
  clients.push(client);
  return client;
}

let writes = {};
function Notes() {
  const { createElement: h } = react;
  const { session, error, signOut } = hooks.useSession();
  if (session.status !== "signedIn") return h("p", null, `${session.status} ${error?.code ?? ""}`, h(hooks.SignInButton, { options: { loginHint: "ann" } }, "Log in"));
  return h("div", null, `Hello ${session.user.username}. `, h(hooks.SignInButton), h(List, { signOut }));
}

let renders = 0;
function List({ signOut }) {
  renders += 1;
  const { createElement: h } = react;
  const notes = hooks.useItems("notes", { where: { rank: { gte: 1 } }, order: "rank.desc", limit: 10 });
  const first = hooks.useItem("notes", "a");
  const { status, pending } = hooks.useSync();
  writes = { ...notes, first, signOut };
  return h("p", null, `${notes.isLoading ? "loading" : "loaded"}: ${notes.items.map((item) => `${item.id}=${item.title}`).join(",")}; first: ${first.item?.title ?? "none"}; ${status} ${pending}`);
}

test("a person signs in with the button, sees the items, changes them, and signs out", async () => {
  const ann = await signUp("react");
  const client = app();
  await render(client, Notes);
  await shows("signedOut");
  assert.equal(button().textContent, "Log in");
  button().click();
  await eventually(() => assigned.length === 1);
  assert.equal(new URL(assigned[0]).searchParams.get("login_hint"), "ann");

  // The service redirects to the page, which completes the sign-in.
  dom.reconfigure({ url: await allow(assigned[0], ann) });
  await render(client, Notes);
  await shows(`Hello ${ann}. loaded: ; first: none; online 0`);
  assert.equal(button(), null, "The button is gone.");
  assert.equal(window.location.search, "", "The code is no longer in the address.");

  await writes.put("a", { title: "one", rank: 1 });
  await painted();
  assert.match(text(), /loaded: a=one; first: one/, "It is shown at once.");
  await writes.create({ title: "unranked" });
  await writes.put("b", { title: "two", rank: 2 });
  await painted();
  assert.match(text(), /loaded: b=two,a=one; first: one/);
  await shows("online 0");
  assert.equal((await client.items("notes").list().all()).length, 3);
  await client.items("notes").update("a", { title: "ONE", rank: 3 });
  await shows("loaded: a=ONE,b=two; first: ONE");
  await writes.first.patch({ rank: null });
  await painted();
  assert.match(text(), /loaded: b=two; first: ONE/);
  await writes.first.remove();
  await writes.remove("b");
  await painted();
  assert.match(text(), /loaded: ; first: none/);
  assert.ok(renders < 120, `${renders} renders`);

  await writes.signOut();
  await shows("signedOut");
  assert.equal(button().textContent, "Log in");
});

test("the error of a sign-in is shown", async () => {
  const client = app();
  const state = new URL(await client.signInUrl()).searchParams.get("state");
  dom.reconfigure({ url: `${CALLBACK}?error=access_denied&state=${state}` });
  await render(client, Notes);
  await shows("sign_in_failed");
});

test("a page that was rendered on a server begins without a session", async () => {
  const { renderToString } = await import("react-dom/server");
  const { createElement: h } = react;
  const html = renderToString(h(hooks.StewardProvider, { client: app() }, h(Notes)));
  assert.match(html, /loading.*disabled/);
  assert.throws(() => renderToString(h(Notes)), { code: "invalid_argument" });
});
