// Sign-in, the session and the items of the signed-in person, against the service.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient, memoryStorage, StewardError } from "@steward/sdk/client";
import { allow, CALLBACK, createProject, developer, signUp, unique, url } from "./service.mjs";

let projectId, ann;
const clients = [];

before(async () => {
  ({ projectId } = await createProject(await developer()));
  ann = await signUp("ann");
});
after(() => Promise.all(clients.map((client) => client.close())));

/** A client whose requests to the token endpoint are counted. */
function client(options = {}) {
  const requests = [];
  const counting = async (address, request) => {
    requests.push(new URL(address).pathname);
    return (options.fetch ?? fetch)(address, request);
  };
  const created = createClient({ url, projectId, redirectUri: CALLBACK, ...options, fetch: counting });
  clients.push(created);
  return Object.assign(created, { refreshes: () => requests.filter((path) => path === "/auth/token").length });
}

async function signedIn(options) {
  const created = client(options);
  await created.completeSignIn(await allow(await created.signInUrl(), ann));
  return created;
}

test("a person signs in with a code, and out", async () => {
  const storage = memoryStorage();
  const first = client({ storage });
  assert.equal(first.session.status, "loading");
  assert.equal((await first.getSession()).status, "signedOut");
  const seen = [];
  first.onSession((session) => seen.push(session.status));
  const callback = await allow(await first.signInUrl({ loginHint: ann }), ann);
  const session = await first.completeSignIn(callback);
  assert.equal(session.status, "signedIn");
  assert.equal(session.user.email, `${ann}@example.com`);
  assert.equal(session.user.username, ann);
  assert.match(session.scope, /app:db:write/);
  assert.deepEqual(seen, ["signedIn"]);
  // A page that is loaded again has the same address.
  assert.equal((await first.completeSignIn(callback)).status, "signedIn");

  const second = client({ storage });
  assert.equal((await second.getSession()).user.id, session.user.id);
  const token = await second.getToken();
  await second.signOut();
  assert.equal(second.session.status, "signedOut");
  assert.equal(await second.getToken(), undefined);
  const revoked = await fetch(`${url}/account/${projectId}/db/notes`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(revoked.status, 401, "The token was revoked.");
  await assert.rejects(second.items("notes").list().all(), { code: "unauthorized" });
});

test("a sign-in that began elsewhere is refused, and so is a denied one", async () => {
  const callback = await allow(await client().signInUrl(), ann);
  await assert.rejects(client().completeSignIn(callback), { code: "sign_in_failed" });
  const denied = client();
  const state = new URL(await denied.signInUrl()).searchParams.get("state");
  const isDenied = (error) => error instanceof StewardError && error.code === "sign_in_failed" && error.message.includes("No.");
  await assert.rejects(denied.completeSignIn(`${CALLBACK}?error=access_denied&error_description=No.&state=${state}`), isDenied);
  await assert.rejects(createClient({ url, projectId }).signInUrl(), { code: "invalid_argument" });
});

test("items are created, read, replaced by version, listed and deleted", async () => {
  const notes = (await signedIn()).items("notes");
  const created = await notes.create({ title: "Buy milk", rank: 1 });
  assert.equal((await notes.get(created.id)).title, "Buy milk");
  const { etag } = await notes.get(created.id).withResponse();
  await assert.rejects(notes.get(created.id, { ifNoneMatch: etag }), { code: "not_modified" });
  const replaced = await notes.put(created.id, { title: "Buy tea", rank: 2 }, { ifMatch: etag }).withResponse();
  assert.notEqual(replaced.etag, etag);
  await assert.rejects(notes.put(created.id, { title: "Lost" }, { ifMatch: etag }), { code: "precondition_failed", status: 412 });
  await assert.rejects(notes.put(created.id, { title: "Lost" }, { ifNoneMatch: "*" }), { code: "precondition_failed" });
  assert.equal((await notes.update(created.id, { rank: null, done: true })).rank, undefined);
  await assert.rejects(notes.create({ done: 1 }), (error) => error.code === "invalid_item" && error.violations.length === 2 && error.requestId !== undefined);
  assert.equal((await notes.delete(created.id)).title, "Buy tea");
  await assert.rejects(notes.get(created.id), { code: "not_found", status: 404 });

  await notes.batch(Array.from({ length: 25 }, (_, index) => ({ op: "put", id: `n${index}`, value: { title: `a"b\\${index}`, rank: index } })));
  const pages = [];
  for await (const page of notes.list({ order: "rank.desc", pageSize: 10 }).pages()) pages.push(page.data.map((item) => item.rank));
  assert.deepEqual(pages.map((page) => page.length), [10, 10, 5]);
  assert.equal(pages[0][0], 24);
  const query = { where: { rank: { gte: 3, lt: 9, in: [4, 8, 20] }, title: { like: "*b*" }, done: { isNull: true } }, order: "rank" };
  assert.deepEqual((await notes.list(query).all()).map((item) => item.rank), [4, 8]);
  assert.deepEqual((await notes.list({ where: { title: 'a"b\\3' } }).all()).map((item) => item.id), ["n3"]);
  assert.deepEqual((await notes.list({ where: { title: { in: ['a"b\\3', "a,b"] } } }).first(5)).map((item) => item.id), ["n3"]);
  let count = 0;
  for await (const item of notes.list({ limit: 5 })) count += item.title ? 1 : 0;
  assert.equal(count, 25);
});

for (const kind of ["a lock in the storage", "Web Locks"]) {
  test(`twenty tabs refresh the tokens once, with ${kind}`, async () => {
    const storage = memoryStorage();
    const lock = kind === "Web Locks" ? webLocks() : undefined;
    const shared = { storage, ...(lock && { lock: (name, run) => lock.request(name, run) }) };
    await signedIn(shared);
    const key = `steward:${projectId}`;
    const stored = JSON.parse(storage.getItem(key));
    storage.setItem(key, JSON.stringify({ ...stored, receivedAt: Date.now() - 20 * 60_000 }));
    const tabs = Array.from({ length: 20 }, () => client(shared));
    const tokens = await Promise.all(tabs.flatMap((tab) => [tab.getToken(), tab.getToken(), tab.getToken()]));
    assert.equal(tabs.reduce((sum, tab) => sum + tab.refreshes(), 0), 1);
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], stored.accessToken);
    assert.equal((await tabs[7].items("notes").list().first(1)).length <= 1, true);
    assert.equal(storage.getItem(`${key}:lock`), null, "The lock is released.");
  });
}

/** Web Locks as in a browser: one holder of a name at a time, in the order of the requests. */
function webLocks() {
  let last = Promise.resolve();
  return { request: (_, run) => (last = last.then(run, run)) };
}

for (const minutes of [-5, 5]) {
  test(`a clock that is ${minutes} minutes off has no effect`, async () => {
    const now = Date.now;
    try {
      Date.now = () => now() + minutes * 60_000;
      const person = await signedIn();
      const used = person.refreshes();
      await person.items("notes").list().first(1);
      assert.equal(person.refreshes(), used, "The token is valid, whatever the clock shows.");
      Date.now = () => now() + (minutes + 14.5) * 60_000;
      await person.items("notes").list().first(1);
      assert.equal(person.refreshes(), used + 1, "It is refreshed before it expires.");
    } finally {
      Date.now = now;
    }
  });
}

test("a clock that is changed between two visits costs one refresh", async () => {
  const storage = memoryStorage();
  await signedIn({ storage });
  const key = `steward:${projectId}`;
  storage.setItem(key, JSON.stringify({ ...JSON.parse(storage.getItem(key)), receivedAt: Date.now() + 5 * 60_000 }));
  const person = client({ storage });
  await person.items("notes").list().first(1);
  await person.items("notes").list().first(1);
  assert.equal(person.refreshes(), 1);
});

test("a token that the service rejects is refreshed once", async () => {
  const storage = memoryStorage();
  await signedIn({ storage });
  const key = `steward:${projectId}`;
  const stored = JSON.parse(storage.getItem(key));
  storage.setItem(key, JSON.stringify({ ...stored, accessToken: `${stored.accessToken.slice(0, -6)}AAAAAA` }));
  const person = client({ storage });
  await Promise.all([1, 2, 3].map(() => person.items("notes").list().first(1)));
  assert.equal(person.refreshes(), 1);

  // A service that rejects every token is asked once more, not forever.
  const unauthorized = async (address, request) => {
    if (new URL(address).pathname === "/auth/token") return fetch(address, request);
    return Response.json({ error: "unauthorized", message: "No." }, { status: 401 });
  };
  const refused = client({ storage, fetch: unauthorized });
  await assert.rejects(refused.items("notes").get("x"), { code: "unauthorized" });
  assert.equal(refused.refreshes(), 1);
});

test("a session that has ended signs the person out, and an outage does not", async () => {
  const storage = memoryStorage();
  await signedIn({ storage });
  const key = `steward:${projectId}`;
  const stored = JSON.parse(storage.getItem(key));
  const expired = { ...stored, receivedAt: 0 };
  storage.setItem(key, JSON.stringify(expired));
  const offline = client({ storage, fetch: () => Promise.reject(new TypeError("offline")) });
  await assert.rejects(offline.getToken(), { code: "connection_failed" });
  assert.equal(offline.session.status, "signedIn");
  storage.setItem(key, JSON.stringify({ ...expired, refreshToken: `stw_rt_${unique("x")}` }));
  const ended = client({ storage });
  assert.equal(await ended.getToken(), undefined);
  assert.equal(ended.session.status, "signedOut");
  assert.equal(storage.getItem(key), null);
});

test("URLs over which others can read tokens are refused", () => {
  for (const invalid of ["http://steward.example", "steward.example", "ftp://x", "https://host/?a=1", "http://localhost.evil.example"]) {
    assert.throws(() => createClient({ url: invalid, projectId: "x" }), { code: "invalid_argument" }, invalid);
  }
});
