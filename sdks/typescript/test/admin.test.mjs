// Every operation of the document, called against the service with the token of its developer or of a person.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { createAdmin, operations } from "@steward/sdk/admin";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { png } from "./png.mjs";
import { allow, CALLBACK, createProject, developer, openapi, password, SCHEMA, signedIn, signUp, unique, url } from "./service.mjs";

/** Operations that the service has answered with a status below 400. */
const called = new Set();

/** Records the operation of each successful request. */
async function recording(address, request) {
  const response = await fetch(address, request);
  const { pathname } = new URL(address);
  const isOperation = ([, { method, path }]) => method === request.method && new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname);
  const found = Object.entries(operations).filter(isOperation);
  // A fixed path such as /team/slug takes precedence over /team/{team_id}.
  found.sort(([, a], [, b]) => a.path.split("{").length - b.path.split("{").length);
  if (response.status < 400) called.add(found[0]?.[0]);
  return response;
}

const options = { fetch: recording };
let admin, other, anonymous, ann, guest, teamId, projectId, userId, token;

before(async () => {
  admin = await developer(options);
  anonymous = createAdmin({ url, ...options });
  ({ teamId, projectId } = await createProject(admin));
  [ann, guest] = [await signUp("ann"), await signUp("guest")];
  other = await signedIn(guest, options);
  const person = createClient({ url, projectId, redirectUri: CALLBACK, storage: memoryStorage() });
  await person.completeSignIn(await allow(await person.signInUrl(), ann));
  token = await person.getToken();
  [{ id: userId }] = await admin.users.list(projectId).all();
});

test("accounts and tokens", async () => {
  const username = unique("new");
  const account = await anonymous.auth.signUp({ email: `${username}@example.com`, username, password });
  assert.equal(account.username, username);
  const tokens = await anonymous.auth.logIn({ username, password });
  const refreshed = await anonymous.auth.exchangeToken({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  const own = createAdmin({ url, token: refreshed.access_token, ...options });
  assert.equal((await own.account.userInfo()).preferred_username, username);
  assert.equal((await own.account.userInfoOf()).sub, (await own.account.userInfo()).sub);
  assert.equal((await own.account.credential()).type, "account");
  assert.equal((await own.sessions.current()).active, true);

  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const personal = await own.tokens.create({ label: "Script", roles: "team:read", expires_at });
  assert.match(personal.value, /^stw_pat_/);
  assert.equal((await own.tokens.list().all()).length, 1);
  assert.equal((await own.tokens.introspect({ token: refreshed.access_token })).active, true);
  await own.tokens.revoke(personal.id);
  await assert.rejects(createAdmin({ url, token: personal.value }).teams.list().all(), { code: "unauthorized" });
  await own.auth.revokeToken({ token: refreshed.refresh_token });
  await assert.rejects(own.sessions.current(), { status: 401 });
});

test("teams, members and invites", async () => {
  const team = await admin.teams.get(teamId).withResponse();
  const renamed = await admin.teams.update(teamId, { name: "Acme Inc." }, { ifMatch: team.etag });
  assert.equal(renamed.name, "Acme Inc.");
  await assert.rejects(admin.teams.update(teamId, { name: "Lost" }, { ifMatch: team.etag }), { code: "precondition_failed" });
  await assert.rejects(admin.teams.get(teamId, { ifNoneMatch: (await admin.teams.get(teamId).withResponse()).etag }), { code: "not_modified" });
  assert.ok((await admin.teams.list({ pageSize: 1 }).all()).some(({ id }) => id === teamId));
  assert.equal((await admin.teams.checkSlug({ slug: team.data.slug })).available, false);

  const invite = await admin.invites.create(teamId, { username: guest, roles: "viewer" });
  assert.equal((await admin.invites.list(teamId).all()).length, 1);
  assert.equal((await other.ownInvites.list().all())[0].id, invite.id);
  await other.ownInvites.accept({ invite_id: invite.id });
  const member = (await admin.members.list(teamId).all()).find(({ roles }) => roles === "viewer");
  await admin.members.update(teamId, member.account_id, { roles: "developer" });
  await admin.members.remove(teamId, member.account_id);
  const second = await admin.invites.create(teamId, { username: guest, roles: "viewer" });
  await other.ownInvites.decline({ invite_id: second.id });
  const third = await admin.invites.create(teamId, { username: guest, roles: "viewer" });
  await admin.invites.delete(teamId, third.id);
  const spare = await admin.teams.create({ name: "Spare", slug: unique("spare") }, { idempotencyKey: unique("key") });
  await admin.teams.delete(spare.id);
});

test("projects, settings and images", async () => {
  assert.ok((await admin.projects.list().all()).some(({ id }) => id === projectId));
  const project = await admin.projects.get(projectId);
  assert.equal((await admin.projects.checkSlug({ slug: project.slug })).available, false);
  assert.equal((await admin.projects.update(projectId, { name: "Rocket 2" })).name, "Rocket 2");
  assert.equal((await anonymous.projects.profile(projectId)).name, "Rocket 2");
  assert.equal((await admin.projects.requestStats(projectId, { days: 2 })).series.length, 2);
  const requests = await admin.projects.requests(projectId, { limit: 5 });
  assert.ok(requests.data.length > 0 && requests.data.every(({ status }) => status < 500) && requests.next && requests.instance);
  const redirect_uris = ["http://127.0.0.1/callback", "https://app.example.com/callback"];
  assert.deepEqual((await admin.settings.update(projectId, { auth: { redirect_uris } })).auth.redirect_uris, redirect_uris);
  assert.deepEqual((await admin.settings.get(projectId)).auth.redirect_uris, redirect_uris);
  await admin.settings.reset(projectId, { key: ["auth.redirect_uris", "auth.tos_uri"] });

  const file = new Blob([png(32)], { type: "image/png" });
  await admin.images.uploadIcon(projectId, { file });
  await admin.images.uploadBackground(projectId, { file });
  assert.ok(await admin.images.list(projectId));
  const { profile } = await anonymous.projects.profile(projectId);
  const [id, name] = new URL(profile.icon_url, url).pathname.split("/").slice(-2);
  const image = await anonymous.images.get(id, name);
  assert.ok(image instanceof Blob && image.size > 50 && image.type.startsWith("image/"));
  await admin.images.deleteIcon(projectId);
  await admin.images.deleteBackground(projectId);
  const spare = await admin.projects.create({ name: "Spare", team_id: teamId });
  await admin.projects.delete(spare.id);
});

test("keys, clients and identity providers", async () => {
  const { key } = await admin.keys.create(projectId, { label: "Server", roles: "admin" });
  assert.match(key.value, /^stw_sk_/);
  assert.equal((await admin.keys.get(projectId, key.id)).key.label, "Server");
  assert.equal((await admin.keys.list(projectId).all()).length, 1);
  assert.equal((await admin.keys.verify(projectId, { key: key.value })).is_valid, true);
  await admin.keys.update(projectId, key.id, { label: "Server 2" });
  const rotated = await admin.keys.rotate(projectId, key.id, { grace_seconds: 0 });
  assert.notEqual(rotated.key.value, key.value);
  await admin.keys.revokePreviousValues(projectId, key.id);
  const server = createAdmin({ url, token: rotated.key.value, ...options });
  const registered = await server.auth.registerClient({ client_name: "App", redirect_uris: ["https://app.example.com/callback"], token_endpoint_auth_method: "none" });
  assert.ok(registered.client_id);
  await admin.keys.delete(projectId, key.id);

  const grant_types = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "client_credentials"];
  const client = await admin.oauthClients.create(projectId, { name: "TV", type: "confidential", grant_types, redirect_uris: [CALLBACK], roles: "read" });
  assert.equal((await admin.oauthClients.list(projectId)).length, 2);
  assert.equal((await admin.oauthClients.get(projectId, client.id)).name, "TV");
  assert.equal((await admin.oauthClients.update(projectId, client.id, { name: "TV 2" })).name, "TV 2");
  const { client_secret } = await admin.oauthClients.rotateSecret(projectId, client.id, {});
  const device = await anonymous.auth.authorizeDevice({ client_id: client.id, client_secret });
  assert.match(device.user_code, /^[A-Z]{4}-[A-Z]{4}$/);
  const pushed = await anonymous.auth.pushAuthorizationRequest({ client_id: client.id, client_secret, redirect_uri: CALLBACK, response_type: "code", state: "s" });
  assert.match(pushed.request_uri, /^urn:/);
  const machine = await anonymous.auth.exchangeToken({ grant_type: "client_credentials", client_id: client.id, client_secret });
  assert.ok((await createAdmin({ url, token: machine.access_token }).projects.get(projectId)).id);
  const file = new Blob([png(32)], { type: "image/png" });
  const { logo_url } = await admin.oauthClients.uploadLogo(projectId, client.id, { file });
  assert.ok(logo_url?.includes(`/images/${client.id}/`));
  await admin.oauthClients.deleteLogo(projectId, client.id);
  assert.equal((await admin.oauthClients.get(projectId, client.id)).logo_url, null);
  await admin.oauthClients.delete(projectId, client.id);

  const code_challenge = createHash("sha256").update("v").digest("base64url");
  const request = { client_id: projectId, redirect_uri: CALLBACK, response_type: "code", scope: "openid", state: "s" };
  const parameters = { ...request, code_challenge, code_challenge_method: "S256" };
  assert.match(await anonymous.auth.authorize(parameters), /\/auth\/sign-in/);
  assert.match(await anonymous.auth.authorizeByForm(parameters), /\/auth\/sign-in/);

  const provider = await admin.identityProviders.create(projectId, { kind: "github", client_id: "id", client_secret: "secret" });
  assert.equal((await admin.identityProviders.list(projectId)).length, 1);
  assert.equal((await admin.identityProviders.get(projectId, provider.id)).kind, "github");
  assert.equal((await admin.identityProviders.update(projectId, provider.id, { is_enabled: false })).is_enabled, false);
  await admin.identityProviders.delete(projectId, provider.id);
});

test("schemas", async () => {
  const [version] = await admin.schemas.list(projectId).all();
  assert.equal(version.schema.version, 1);
  assert.equal((await anonymous.schemas.get(projectId)).data.length, 1);
  const tables = { ...SCHEMA.tables, spare: { fields: {} } };
  const dry = await admin.schemas.publish(projectId, { schema: { tables } }, { dry_run: true });
  assert.equal(dry.diff.class, "compatible");
  await admin.schemas.publish(projectId, { schema: { tables } });
  await admin.schemas.patch(projectId, { schema: { tables: { spare: { fields: { a: { type: "string" } } } } } });
  await admin.schemas.rollBack(projectId, { version: 1 }, { allow_destructive: true });
  assert.deepEqual((await admin.schemas.list(projectId, { version: "all", pageSize: 2 }).all()).map((entry) => entry.schema.version), [4, 3, 2, 1]);
  const next = { project_id: projectId, version: 5, tables: SCHEMA.tables };
  assert.equal((await anonymous.schemas.checkUpdate({ schema: next })).valid, true);
  assert.ok(await anonymous.schemas.compare({ schema: next }));
  assert.ok((await anonymous.schemas.jsonSchema()).properties);
});

test("users and their items", async () => {
  const connected = await anonymous.users.connect(projectId, { token });
  assert.ok(connected);
  assert.equal((await admin.users.get(projectId, userId)).id, userId);
  assert.equal((await admin.users.update(projectId, userId, { meta: { plan: "pro" } })).meta.plan, "pro");
  assert.ok((await admin.users.stats(projectId, { days: 3 })).total >= 1);
  assert.equal((await admin.users.sessions(projectId, userId)).length, 1);

  const ids = [projectId, userId, "notes"];
  const note = await admin.items.create(...ids, { value: { title: "Buy milk", rank: 1 } });
  assert.equal((await admin.items.get(...ids, note.id)).title, "Buy milk");
  assert.equal((await admin.items.put(...ids, "a.b~c", { value: { title: "x" } }).withResponse()).status, 201);
  await admin.items.patch(...ids, "a.b~c", { value: { rank: 2 } });
  await admin.items.batch(...ids, { operations: [{ op: "put", id: "b", value: { title: "y", rank: 3 } }] });
  const query = { conditions: { rank: ["gte.2", "lt.3"], title: "not.is.null" }, order: "rank.desc" };
  assert.deepEqual((await admin.items.list(...ids, query).all()).map(({ id }) => id), ["a.b~c"]);
  assert.equal((await admin.items.list(...ids, { pageSize: 1, offset: 1 }).all()).length, 2);
  assert.equal((await admin.items.delete(...ids, "b")).title, "y");

  const own = createAdmin({ url, token, ...options });
  const place = [projectId, "notes"];
  await own.ownItems.create(...place, { value: { title: "own" } });
  await own.ownItems.put(...place, "own", { value: { title: "own" } });
  await own.ownItems.patch(...place, "own", { value: { done: true } });
  assert.equal((await own.ownItems.get(...place, "own")).done, true);
  await own.ownItems.batch(...place, { operations: [{ op: "patch", id: "own", value: { rank: 9 } }] });
  assert.equal((await own.ownItems.list(...place, { limit: 2 }).all()).length, 4);
  await own.ownItems.delete(...place, "own");
  assert.equal((await own.apps.get(projectId)).user_id, userId);
  assert.equal((await own.apps.export(projectId)).items.notes.length, 3);
  assert.equal((await admin.users.export(projectId, userId)).user.id, userId);
  assert.deepEqual(await admin.syncRejections.list(projectId).all(), []);
  const tables = await admin.tables.list(projectId);
  assert.equal(tables.data.find(({ table }) => table === "notes").items, 3);
  assert.ok(tables.complete);
  const listed = await admin.tables.items(projectId, "notes", { pageSize: 2 }).all();
  assert.deepEqual(listed.map(({ user_id }) => user_id), [userId, userId, userId]);
  await own.apps.leave(projectId);

  await admin.users.signOut(projectId, userId);
  await admin.users.delete(projectId, userId);
});

test("audit logs and events", async () => {
  const filter = { action: "team.created" };
  assert.equal((await admin.teamAuditLog.list(teamId, filter).all()).length, 1);
  assert.ok((await admin.projectAuditLog.list(projectId, { item_changes: "exclude" }).first(3)).length > 1);
  const events = await admin.teamAuditLog.events(teamId, { after: 0, limit: 2 });
  assert.equal(events.data.length, 2);
  assert.ok((await admin.projectAuditLog.events(projectId, { limit: 1 })).next > 0);
});

for (const place of ["teamWebhooks", "projectWebhooks"]) {
  test(`${place}: webhooks and their deliveries`, async (context) => {
    const receiver = createServer((request, response) => response.writeHead(204).end());
    await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    context.after(() => (receiver.closeAllConnections(), receiver.close()));
    const owner = place === "teamWebhooks" ? teamId : projectId;
    const webhook = await admin[place].create(owner, { url: `http://127.0.0.1:${receiver.address().port}/`, events: ["*"] });
    assert.match(webhook.secret, /^whsec_/);
    assert.equal((await admin[place].list(owner).all()).length, 1);
    assert.equal((await admin[place].get(owner, webhook.id)).status, "active");
    assert.equal((await admin[place].update(owner, webhook.id, { ordering: "none" })).ordering, "none");
    await admin[place].test(owner, webhook.id);
    await admin.projects.update(projectId, { name: unique("Rocket") });
    let delivered;
    for (let attempt = 0; attempt < 100 && !delivered; attempt += 1) {
      delivered = (await admin[place].deliveries(owner, webhook.id).all()).find(({ event }) => event === "project.updated");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const details = await admin[place].delivery(owner, webhook.id, delivered.id);
    assert.deepEqual([details.payload.type, details.next_attempt_at], ["project.updated", null]);
    await admin[place].redeliver(owner, webhook.id, delivered.id);
    await admin[place].rotateSecret(owner, webhook.id);
    await admin[place].delete(owner, webhook.id);
  });
}

test("the service itself", async () => {
  const { service } = anonymous;
  assert.equal((await service.getRoot()).root, true);
  const metadata = await service.getOpenIdMetadata();
  assert.deepEqual(await service.getOAuthMetadata(), metadata);
  assert.deepEqual(await service.getAuthMetadata(), metadata);
  assert.ok((await service.getKeySet()).keys.length > 0);
  assert.match(await service.getUserInfoMoved(), /\/auth\/userinfo$/);
  assert.match(await service.getDocs(), /<html/);
  assert.equal((await service.getOpenApi()).openapi, openapi.openapi);
  assert.equal((await service.getLiveness()).status, "pass");
  assert.equal((await service.getReadiness()).status, "pass");
  assert.ok((await anonymous.auth.getAuthStatus()).status);
  assert.ok((await service.getUtilsStatus()).status);
  assert.equal((await service.slugify({ text: "Rock & Roll" })).slug, "rock-roll");
  const hex = projectId.replaceAll("-", "");
  assert.match((await service.getProjectDid(hex)).id, new RegExp(`:projects:${hex}$`));
  assert.ok((await service.getClientMetadata(projectId)).client_id);
  const { sub } = await admin.account.userInfo();
  assert.match((await service.getAccountDid(sub.replaceAll("-", ""))).id, /:u:/);
});

test("all operations of the document were called", () => {
  const missing = Object.keys(operations).filter((id) => !called.has(id));
  assert.deepEqual(missing, []);
});
