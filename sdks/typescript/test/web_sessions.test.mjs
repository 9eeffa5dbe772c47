// Sessions in cookies, for apps that render pages on a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { createWebSessions } from "@steward/sdk/server";
import { eventually } from "./eventually.mjs";
import { FakeService } from "./fake_service.mjs";
import { sharedStores, useWebLocks } from "./tabs.mjs";

const APP = "https://app.example";
const SECRET = "0123456789abcdef0123456789abcdef";
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A service that signs Ann in, and a browser with cookies in front of an app. */
function setUp({ lifetime = 900, hasRefreshToken = true, ...options } = {}) {
  const service = { requests: [], isDown: false, isRevoked: false, count: 0 };
  const fetch = async (url, { body }) => {
    if (service.isDown) throw new TypeError("no network");
    const form = new URLSearchParams(body);
    service.requests.push([new URL(url).pathname, Object.fromEntries(form)]);
    if (url.endsWith("/revoke")) return new Response("");
    // The service takes a moment, in which the browser sends more requests.
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (service.isRevoked) return Response.json({ error: "invalid_grant", message: "The token is revoked." }, { status: 400 });
    const count = (service.count += 1);
    const claims = { sub: "ann", email: "ann@example.com", name: "Ann", preferred_username: "ann" };
    return Response.json({ access_token: `access ${count} ${"x".repeat(options.size ?? 800)}`, ...(hasRefreshToken && { refresh_token: `refresh ${count}` }), id_token: `h.${encoded(claims)}.s`, scope: "app:db:write", expires_in: lifetime });
  };
  const { size: _, ...rest } = options;
  const sessions = createWebSessions({ url: "https://steward.example", projectId: "p", appUrl: APP, secret: SECRET, maxRetries: 0, fetch, ...rest });
  const jar = new Map();
  const keep = (cookies) => {
    for (const cookie of cookies) {
      const [pair, ...attributes] = cookie.split("; ");
      const [name, value] = pair.split("=");
      if (attributes.includes("Max-Age=0")) jar.delete(name);
      else jar.set(name, { value, attributes });
    }
  };
  const cookie = () => [...jar].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const send = async (path, { method = "GET", origin, headers = {} } = {}) => {
    const request = new Request(new URL(path, APP), { method, headers: { cookie: cookie(), ...(origin && { origin }), ...headers } });
    const handled = await sessions.handle(request);
    keep([...handled.cookies, ...(handled.response?.headers.getSetCookie() ?? [])]);
    return handled;
  };
  const signIn = async (target = "/notes?open=1") => {
    const { response } = await send(`/auth/sign-in?${new URLSearchParams({ return: target })}`);
    const page = new URL(response.headers.get("location"));
    return { page, ...(await send(`/auth/callback?code=c&state=${page.searchParams.get("state")}`)) };
  };
  return { service, sessions, jar, cookie, send, signIn };
}

/** Continues a test some seconds after its start. */
function after(t, seconds) {
  t.mock.restoreAll();
  const { now } = Date;
  t.mock.method(Date, "now", () => now() + seconds * 1_000);
}

test("a person signs in, and pages are rendered for them", async () => {
  const { service, sessions, jar, cookie, send, signIn } = setUp();
  assert.equal((await send("/notes")).session, undefined);
  const { page, response } = await signIn();
  assert.equal(`${page.origin}${page.pathname}`, "https://steward.example/auth/authorize");
  assert.deepEqual([page.searchParams.get("redirect_uri"), page.searchParams.get("code_challenge_method")], [`${APP}/auth/callback`, "S256"]);
  assert.equal(response.status, 302);
  assert.equal(response.headers.get("location"), `${APP}/notes?open=1`);
  const [[path, form]] = service.requests;
  assert.deepEqual([path, form.grant_type, form.client_id, form.redirect_uri], ["/auth/token", "authorization_code", "p", `${APP}/auth/callback`]);
  assert.ok(form.code_verifier.length >= 43);

  const { session, response: none, cookies } = await send("/notes");
  assert.deepEqual(session.user, { id: "ann", email: "ann@example.com", name: "Ann", username: "ann" });
  assert.match(session.accessToken, /^access 1/);
  assert.deepEqual([none, cookies], [undefined, []]);
  assert.equal((await sessions.session(cookie())).user.id, "ann");

  assert.deepEqual([...jar.keys()], ["__Host-steward"], "The sign-in is forgotten.");
  for (const { value, attributes } of jar.values()) {
    for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) assert.ok(attributes.includes(attribute), attribute);
    assert.ok(!Buffer.from(value, "base64url").toString().includes("refresh"), "It is encrypted.");
  }
});

test("a value that the app has not made is no session", async () => {
  const { sessions, jar, cookie, signIn, send } = setUp();
  await signIn();
  const [[name, entry]] = jar;
  for (const value of ["", "x", `${entry.value.slice(0, -2)}AA`, `A${entry.value.slice(1)}`]) assert.equal(await sessions.session(`${name}=${value}`), undefined, value);
  const [other, next] = [createWebSessions({ url: "https://steward.example", projectId: "p", appUrl: APP, secret: "y".repeat(32) }), createWebSessions({ url: "https://steward.example", projectId: "p", appUrl: APP, secret: ["y".repeat(32), SECRET] })];
  assert.equal(await other.session(cookie()), undefined);
  assert.equal((await next.session(cookie())).user.id, "ann", "A secret can be replaced.");
  // A callback of another browser, or one that was used.
  const { response } = await send("/auth/callback?code=c&state=unknown");
  assert.equal(response.headers.get("location"), `${APP}/`);
  assert.throws(() => createWebSessions({ url: "https://steward.example", projectId: "p", appUrl: APP, secret: "short" }), { code: "invalid_argument" });
});

test("a sign-in leads back to the app only, and a failed one says why", async () => {
  const { send, signIn } = setUp();
  for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    assert.equal((await signIn(target)).response.headers.get("location"), `${APP}/`, target);
  }
  const { response } = await send("/auth/sign-in?return=/notes&prompt=none&max_age=60");
  const page = new URL(response.headers.get("location"));
  assert.deepEqual([page.searchParams.get("prompt"), page.searchParams.get("max_age")], ["none", "60"]);
  const failed = await send(`/auth/callback?error=login_required&state=${page.searchParams.get("state")}`);
  assert.equal(failed.response.headers.get("location"), `${APP}/notes?sign_in_error=login_required`);
});

test("tokens are refreshed once for all requests of a page, and what renders it has them", async (t) => {
  const { service, sessions, jar, send, signIn } = setUp({ lifetime: 30 });
  await signIn();
  const before = jar.get("__Host-steward").value;
  after(t, 20);
  const handled = await Promise.all(Array.from({ length: 10 }, () => send("/notes")));
  assert.equal(service.requests.length, 2, "One sign-in, and one refresh.");
  assert.equal(service.requests[1][1].refresh_token, "refresh 1");
  for (const { session, headers } of handled) {
    assert.match(session.accessToken, /^access 2/);
    assert.match((await sessions.session(headers.get("cookie"))).accessToken, /^access 2/);
  }
  assert.notEqual(jar.get("__Host-steward").value, before);
});

test("an outage ends no session, and the service does", async (t) => {
  const { service, jar, send, signIn } = setUp({ lifetime: 30 });
  await signIn();
  after(t, 20);
  service.isDown = true;
  assert.match((await send("/notes")).session.accessToken, /^access 1/, "It is valid for some seconds.");
  service.isDown = false;
  service.isRevoked = true;
  assert.equal((await send("/notes")).session, undefined);
  assert.deepEqual([...jar.keys()], []);
});

test("a short token is used for half of its lifetime, and one that cannot be refreshed until it expires", async (t) => {
  const { service, send, signIn } = setUp({ lifetime: 60 });
  await signIn();
  for (let count = 0; count < 3; count += 1) assert.match((await send("/notes")).session.accessToken, /^access 1/);
  assert.equal(service.requests.length, 1, "No refresh.");
  const single = setUp({ lifetime: 60, hasRefreshToken: false });
  await single.signIn();
  after(t, 50);
  assert.match((await send("/notes")).session.accessToken, /^access 2/);
  assert.match((await single.send("/notes")).session.accessToken, /^access 1/);
  after(t, 61);
  const { session, cookies } = await single.send("/notes");
  assert.equal(session, undefined);
  assert.match(cookies[0], /Max-Age=0/);
});

test("a session that is too long for one cookie has several", async () => {
  const { jar, cookie, sessions, send, signIn } = setUp({ size: 5_000 });
  await signIn();
  assert.deepEqual([...jar.keys()], ["__Host-steward", "__Host-steward-1"]);
  assert.equal((await sessions.session(cookie())).user.id, "ann");
  await send("/auth/sign-out", { method: "POST", origin: APP });
  assert.deepEqual([...jar.keys()], []);
});

test("scripts of the app, and no other sites, get an access token and sign out", async () => {
  const { service, send, signIn } = setUp();
  assert.equal((await send("/auth/token", { method: "POST", origin: APP })).response.status, 401);
  await signIn();
  for (const origin of [undefined, "null", "https://evil.example", "http://app.example"]) {
    for (const path of ["/auth/token", "/auth/sign-out"]) assert.equal((await send(path, { method: "POST", origin })).response.status, 403, `${origin}`);
  }
  const { response } = await send("/auth/token", { method: "POST", origin: APP });
  assert.equal(response.headers.get("cache-control"), "no-store");
  const body = await response.json();
  assert.deepEqual([body.user.id, body.scope, body.refresh_token], ["ann", "app:db:write", undefined]);
  assert.ok(body.expires_in > 800);
  assert.equal((await send("/auth/sign-out", { method: "POST", origin: APP })).response.status, 204);
  assert.deepEqual(service.requests.at(-1), ["/auth/revoke", { token: "refresh 1", client_id: "p" }]);
  assert.equal((await send("/notes")).session, undefined);
});

test("a client gets its tokens from the server of the app, and stores none", async () => {
  const { service, send, signIn } = setUp();
  const storage = memoryStorage();
  let isOffline = false;
  const fetch = async (path, { method }) => {
    if (isOffline) throw new TypeError("offline");
    return (await send(path, { method, origin: APP })).response;
  };
  const options = { url: "https://steward.example", projectId: "p", serverSession: "/auth", storage, fetch };
  assert.equal((await createClient(options).getSession()).status, "signedOut");
  await signIn();
  const client = createClient(options);
  const { status, user } = await client.completeSignIn(`${APP}/`);
  assert.deepEqual([status, user.id, user.name], ["signedIn", "ann", "Ann"]);
  assert.match(await client.getToken(), /^access 1/);
  assert.ok(!storage.getItem("steward:p").includes("access 1"), "No token is stored.");
  assert.equal(await client.signInUrl({ redirectUri: `${APP}/a?b=c`, prompt: "login", maxAge: 0 }), "/auth/sign-in?return=%2Fa%3Fb%3Dc&prompt=login&max_age=0");
  await assert.rejects(client.signInUrl({ redirectUri: APP, scope: "openid" }), { code: "invalid_argument" });
  assert.throws(() => createClient({ ...options, scope: "openid" }), { code: "invalid_argument", message: /createWebSessions/ });
  const other = createClient({ ...options, redirectUri: `${APP}/home` });
  assert.equal(await other.signInUrl(), "/auth/sign-in?return=%2Fhome");
  await assert.rejects(client.signOut({ redirectUri: APP }), { code: "invalid_argument" });
  assert.equal(client.session.status, "signedIn");
  await assert.rejects(client.signInWithPopup(), { code: "invalid_argument" });
  await assert.rejects(client.completeSignIn(`${APP}/?sign_in_error=access_denied`), ({ code, details }) => code === "sign_in_failed" && details.error === "access_denied");

  isOffline = true;
  const offline = createClient(options);
  assert.equal((await offline.getSession()).user.id, "ann", "Whose the items on the device are, is known offline.");
  await assert.rejects(offline.getToken(), { code: "connection_failed" });
  isOffline = false;
  assert.match(await offline.getToken(), /^access 1/);

  await client.signOut();
  assert.equal(client.session.status, "signedOut");
  assert.equal(service.requests.at(-1)[0], "/auth/revoke");
  assert.equal((await createClient(options).getSession()).status, "signedOut");
});

test("a token that the service rejects is replaced by a new one, once", async () => {
  const { service, send, signIn } = setUp();
  await signIn();
  const sent = [];
  const fetch = async (url, { method, headers }) => {
    if (String(url).startsWith("/auth")) return (await send(url, { method, origin: APP })).response;
    const token = new Headers(headers).get("authorization");
    sent.push(token.slice(0, 15));
    if (token.startsWith("Bearer access 1")) return Response.json({ error: "unauthorized", message: "The signing key was replaced." }, { status: 401 });
    return Response.json({ data: { id: "a", title: "a" } });
  };
  const client = createClient({ url: "https://steward.example", projectId: "p", serverSession: "/auth", storage: memoryStorage(), fetch, maxRetries: 0 });
  const reads = await Promise.all([1, 2, 3].map(() => client.items("notes").get("a")));
  assert.deepEqual(reads.map(({ title }) => title), ["a", "a", "a"]);
  assert.deepEqual([...new Set(sent)], ["Bearer access 1", "Bearer access 2"]);
  assert.equal(service.requests.length, 2, "One sign-in, and one refresh.");
  // While the service is not available, the rejected token is not handed out again.
  service.isDown = true;
  assert.equal((await send("/auth/token?refresh", { method: "POST", origin: APP })).response.status, 503);
  assert.equal((await send("/auth/token", { method: "POST", origin: APP })).response.status, 200);
});

// A browser that asks the server of the app, unless its network is away.
const throughApp = (send, network) => async (url, { method }) => {
  if (!String(url).startsWith("/auth")) return new Response("{}");
  if (network.isOffline) throw new TypeError("offline");
  return (await send(url, { method, origin: APP })).response;
};

test("after a sign-out that failed, live items work as before", async () => {
  const { send, signIn } = setUp();
  await signIn();
  const live = new FakeService(new Map([["a", { title: "a" }]]));
  const network = { isOffline: false };
  const fetch = throughApp(send, network);
  const client = live.client({ storage: memoryStorage(), serverSession: "/auth", fetch });
  const notes = client.live("notes");
  notes.subscribe(() => {});
  await client.sync.synced();
  network.isOffline = true;
  await assert.rejects(client.signOut(), { code: "connection_failed" });
  assert.equal(client.session.status, "signedIn");
  network.isOffline = false;
  await eventually(() => notes.items.length === 1, "The items are not loaded again.", 3_000);
  await notes.put("b", { title: "b" }).stored();
  assert.deepEqual([...live.stored.keys()], ["a", "b"]);
  await client.signOut();
  assert.deepEqual([client.session.status, notes.items], ["signedOut", []]);
  await client.close();
});

test("after a sign-out that failed in one tab, all tabs work as before", async (t) => {
  useWebLocks();
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (run, delay, ...rest) => setTimeout(run, delay === 15_000 ? 300 : delay, ...rest));
  const { send, signIn } = setUp();
  await signIn();
  const live = new FakeService(new Map([["a", { title: "a" }]]));
  const network = { isOffline: false };
  const fetch = throughApp(send, network);
  const options = { storage: memoryStorage(), localStore: sharedStores(), serverSession: "/auth", fetch };
  const tabs = [live.client(options), live.client(options)];
  t.after(() => Promise.all(tabs.map((client) => client.close())));
  const notes = tabs.map((client) => client.live("notes"));
  for (const each of notes) each.subscribe(() => {});
  await eventually(() => notes.every(({ items }) => items.length === 1));
  network.isOffline = true;
  await assert.rejects(tabs[1].signOut(), { code: "connection_failed" });
  network.isOffline = false;
  await eventually(() => notes.every(({ items }) => items.length === 1), "The items of a tab are gone.", 3_000);
  await notes[0].put("b", { title: "b" }).stored();
  await eventually(() => notes[1].get("b"));
});
