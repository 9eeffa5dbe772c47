// The client where React Native runs it: without a page, without streams of responses, and with an asynchronous storage.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient, memoryStorage, StewardError } from "@steward/sdk/client";
import { allow, createProject, developer, signUp, url } from "./service.mjs";

const CALLBACK = "com.example.notes:/sign-in";

let projectId, ann;
const clients = [];

before(async () => {
  const admin = await developer();
  ({ projectId } = await createProject(admin));
  await admin.settings.update(projectId, { auth: { redirect_uris: [CALLBACK] } });
  ann = await signUp("native");
});
after(() => Promise.all(clients.map((client) => client.close())));

/** The `fetch` of React Native, whose responses have no `body`. */
async function fetchText(address, request) {
  const response = await fetch(address, request);
  return { status: response.status, headers: response.headers, text: () => response.text() };
}

function client(openSignIn) {
  const memory = memoryStorage();
  const storage = { getItem: async (key) => memory.getItem(key), setItem: async (key, value) => memory.setItem(key, value), removeItem: async (key) => memory.removeItem(key) };
  const created = createClient({ url, projectId, redirectUri: CALLBACK, openSignIn, storage, fetch: fetchText });
  clients.push(created);
  return created;
}

test("a person signs in in a browser outside of the app, and reads and stores items", async () => {
  const opened = [];
  const app = client((page) => (opened.push(page), allow(page, ann)));
  assert.equal((await app.completeSignIn()).status, "signedOut", "There is no page.");
  await app.signIn({ loginHint: ann });
  assert.equal(opened.length, 1);
  assert.equal(new URL(opened[0]).searchParams.get("login_hint"), ann);
  assert.equal(app.session.user.username, ann);
  assert.equal((await app.completeSignIn()).status, "signedIn");

  const notes = app.items("notes");
  const { id } = await notes.create({ title: "Grüße ✓", rank: 1 });
  assert.equal((await notes.get(id)).title, "Grüße ✓");
  await assert.rejects(notes.get("absent"), (error) => error instanceof StewardError && error.code === "not_found" && error.message !== "");
  await notes.delete(id);
  assert.deepEqual(await notes.list().all(), []);
  await app.signOut();
  assert.equal(app.session.status, "signedOut");
});

test("a person who closes the browser stays signed out", async () => {
  const app = client(async () => undefined);
  await app.signIn();
  assert.equal((await app.getSession()).status, "signedOut");
});
