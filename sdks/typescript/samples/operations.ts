// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.

// sample: preamble
import { openAsBlob } from "node:fs"; // to upload images
import { writeFile } from "node:fs/promises"; // to store them
import { createAdmin } from "@steward/sdk/admin";

const admin = createAdmin({ url: "http://localhost:3003", token: process.env.STEWARD_TOKEN });
// end

declare const clientId: string;
declare const deliveryId: string;
declare const inviteId: string;
declare const itemId: string;
declare const keyId: string;
declare const memberId: string;
declare const projectId: string;
declare const providerId: string;
declare const teamId: string;
declare const tokenId: string;
declare const userId: string;
declare const webhookId: string;

{
// sample: getRoot
const service = await admin.service.getRoot();
console.log(service.version);
// end
}

{
// sample: getOAuthMetadata
const metadata = await admin.service.getOAuthMetadata();
console.log(metadata.issuer);
// end
}

{
// sample: getOpenIdMetadata
const metadata = await admin.service.getOpenIdMetadata();
console.log(metadata.issuer);
// end
}

{
// sample: getOwnApp
const app = await admin.apps.get(projectId);
console.log(app.name);
// end
}

{
// sample: leaveOwnApp
await admin.apps.leave(projectId, { erase: true });
// end
}

{
// sample: exportOwnData
const data = await admin.apps.export(projectId);
console.log(data.exported_at);
// end
}

{
// sample: listOwnItems
const list = admin.ownItems.list(projectId, "notes", {
  conditions: { done: "eq.false" },
  order: "created_at.desc",
});
for await (const item of list) console.log(item.title);
// end
}

{
// sample: createOwnItem
const item = await admin.ownItems.create(projectId, "notes", {
  value: { title: "Buy milk", done: false },
});
console.log(item.id);
// end
}

{
// sample: batchOwnItems
const items = await admin.ownItems.batch(projectId, "notes", {
  operations: [
    { op: "put", id: "milk", value: { title: "Buy milk", done: false } },
    { op: "patch", id: "bread", value: { done: true } },
    { op: "delete", id: "tea" },
  ],
});
for (const item of items) console.log(item.id);
// end
}

{
// sample: getOwnItem
const item = await admin.ownItems.get(projectId, "notes", itemId);
console.log(item.title);
// end
}

{
// sample: putOwnItem
const item = await admin.ownItems.put(projectId, "notes", itemId, {
  value: { title: "Buy milk", done: false },
});
console.log(item.updated_at);
// end
}

{
// sample: deleteOwnItem
await admin.ownItems.delete(projectId, "notes", itemId);
// end
}

{
// sample: patchOwnItem
const item = await admin.ownItems.patch(projectId, "notes", itemId, { value: { done: true } });
console.log(item.updated_at);
// end
}

{
// sample: getAuthStatus
const { status } = await admin.auth.getAuthStatus();
console.log(status);
// end
}

{
// sample: getKeySet
const keys = await admin.service.getKeySet();
console.log(keys);
// end
}

{
// sample: getAuthMetadata
const metadata = await admin.service.getAuthMetadata();
console.log(metadata.issuer);
// end
}

{
// sample: authorize
const url = await admin.auth.authorize({
  client_id: projectId,
  redirect_uri: "https://example.com/callback",
  response_type: "code",
  scope: "openid profile app:db:read",
  state: "af0ifjsldkj",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});
console.log(url);
// end
}

{
// sample: authorizeByForm
const url = await admin.auth.authorizeByForm({
  client_id: projectId,
  redirect_uri: "https://example.com/callback",
  response_type: "code",
  scope: "openid profile app:db:read",
  state: "af0ifjsldkj",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});
console.log(url);
// end
}

{
// sample: authorizeDevice
const device = await admin.auth.authorizeDevice({
  client_id: projectId,
  scope: "openid profile app:db:read",
});
console.log(device.verification_uri_complete);
// end
}

{
// sample: introspectToken
const { active } = await admin.tokens.introspect({
  token: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ",
});
console.log(active);
// end
}

{
// sample: logIn
const tokens = await admin.auth.logIn({
  email: "ann@example.com",
  password: "correct horse battery staple",
});
console.log(tokens.expires_in);
// end
}

{
// sample: pushAuthorizationRequest
const { request_uri } = await admin.auth.pushAuthorizationRequest({
  client_id: projectId,
  redirect_uri: "https://example.com/callback",
  response_type: "code",
  scope: "openid profile app:db:read",
  state: "af0ifjsldkj",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});
console.log(request_uri);
// end
}

{
// sample: listPersonalTokens
for await (const token of admin.tokens.list()) console.log(token.label);
// end
}

{
// sample: createPersonalToken
const token = await admin.tokens.create({
  label: "Server",
  roles: "developer",
  teams: [teamId],
  projects: [projectId],
  expires_at: "2027-01-31T12:00:00.000Z",
});
console.log(token.value);
// end
}

{
// sample: revokePersonalToken
await admin.tokens.revoke(tokenId);
// end
}

{
// sample: registerClient
const client = await admin.auth.registerClient({
  client_name: "Notes",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
});
console.log(client.client_id);
// end
}

{
// sample: revokeToken
await admin.auth.revokeToken({
  token: "stw_rt_ExampleExampleExampleExampleExampleExampleE",
  client_id: projectId,
});
// end
}

{
// sample: getSession
const session = await admin.sessions.current();
console.log(session.session_id);
// end
}

{
// sample: signUp
const account = await admin.auth.signUp({
  email: "ann@example.com",
  password: "correct horse battery staple",
  name: "Ann Example",
  username: "ann",
});
console.log(account.id);
// end
}

{
// sample: getOwnCredential
const credential = await admin.account.credential();
console.log(credential.type);
// end
}

{
// sample: exchangeToken
const tokens = await admin.auth.exchangeToken({
  grant_type: "authorization_code",
  code: "stw_ac_ExampleExampleExampleExampleExampleExampleE",
  redirect_uri: "https://example.com/callback",
  client_id: projectId,
  code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
});
console.log(tokens.expires_in);
// end
}

{
// sample: getUserInfoMoved
const url = await admin.service.getUserInfoMoved();
console.log(url);
// end
}

{
// sample: getUserInfo
const person = await admin.account.userInfo();
console.log(person.sub);
// end
}

{
// sample: postUserInfo
const person = await admin.account.userInfoOf({
  access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ",
});
console.log(person.sub);
// end
}

{
// sample: getDocs
const page = await admin.service.getDocs();
console.log(page);
// end
}

{
// sample: getOpenApi
const document = await admin.service.getOpenApi();
console.log(document);
// end
}

{
// sample: getLiveness
const { status } = await admin.service.getLiveness();
console.log(status);
// end
}

{
// sample: getReadiness
const { status } = await admin.service.getReadiness();
console.log(status);
// end
}

{
// sample: getImage
const image = await admin.images.get(projectId, "018f2a3d-0a1b-7c2d-8e3f-405162738495.png");
await writeFile("icon.png", image.stream());
// end
}

{
// sample: listOwnInvites
for await (const invite of admin.ownInvites.list()) console.log(invite.team_name);
// end
}

{
// sample: listProjects
for await (const project of admin.projects.list()) console.log(project.name);
// end
}

{
// sample: createProject
const project = await admin.projects.create({ name: "Acme", team_id: teamId, slug: "acme" });
console.log(project.id);
// end
}

{
// sample: checkProjectSlug
const { available } = await admin.projects.checkSlug({ slug: "acme" });
console.log(available);
// end
}

{
// sample: getProject
const project = await admin.projects.get(projectId);
console.log(project.name);
// end
}

{
// sample: deleteProject
await admin.projects.delete(projectId);
// end
}

{
// sample: updateProject
const project = await admin.projects.update(projectId, {
  name: "Acme",
  website: "https://example.com",
});
console.log(project.updated_at);
// end
}

{
// sample: listProjectAudit
for await (const event of admin.projectAuditLog.list(projectId, { action: "project.updated" }))
  console.log(event.action);
// end
}

{
// sample: listClients
for (const client of await admin.oauthClients.list(projectId)) console.log(client.name);
// end
}

{
// sample: createClient
const client = await admin.oauthClients.create(projectId, {
  name: "Web shop",
  type: "confidential",
  redirect_uris: ["https://shop.example.com/callback"],
});
console.log(client.client_secret);
// end
}

{
// sample: getClient
const client = await admin.oauthClients.get(projectId, clientId);
console.log(client.name);
// end
}

{
// sample: deleteClient
await admin.oauthClients.delete(projectId, clientId);
// end
}

{
// sample: updateClient
const client = await admin.oauthClients.update(projectId, clientId, {
  name: "Web shop",
  skip_consent: true,
});
console.log(client.name);
// end
}

{
// sample: uploadClientLogo
const client = await admin.oauthClients.uploadLogo(projectId, clientId, {
  file: await openAsBlob("logo.png"),
});
console.log(client.name);
// end
}

{
// sample: deleteClientLogo
await admin.oauthClients.deleteLogo(projectId, clientId);
// end
}

{
// sample: rotateClientSecret
const client = await admin.oauthClients.rotateSecret(projectId, clientId, { grace_seconds: 3600 });
console.log(client.client_secret);
// end
}

{
// sample: listProjectTables
await admin.tables.list(projectId);
// end
}

{
// sample: listProjectItems
await admin.tables.items(projectId, "notes");
// end
}

{
// sample: listProjectEvents
const { data: events } = await admin.projectAuditLog.events(projectId, { after: 128 });
for (const event of events) console.log(event.action);
// end
}

{
// sample: listIdentityProviders
for (const provider of await admin.identityProviders.list(projectId)) console.log(provider.name);
// end
}

{
// sample: createIdentityProvider
const provider = await admin.identityProviders.create(projectId, {
  kind: "openid_connect",
  name: "Example ID",
  issuer: "https://accounts.example.com",
  client_id: "steward",
  client_secret: "s3cret",
});
console.log(provider.redirect_uri);
// end
}

{
// sample: getIdentityProvider
const provider = await admin.identityProviders.get(projectId, providerId);
console.log(provider.name);
// end
}

{
// sample: deleteIdentityProvider
await admin.identityProviders.delete(projectId, providerId);
// end
}

{
// sample: updateIdentityProvider
const provider = await admin.identityProviders.update(projectId, providerId, {
  name: "Example ID",
  is_enabled: true,
});
console.log(provider.name);
// end
}

{
// sample: listKeys
for await (const key of admin.keys.list(projectId)) console.log(key.label);
// end
}

{
// sample: createKey
const { key } = await admin.keys.create(projectId, {
  label: "Server",
  roles: "read",
  is_private: true,
  expires_at: "2027-01-31T12:00:00.000Z",
});
console.log(key.value);
// end
}

{
// sample: verifyKey
const { is_valid } = await admin.keys.verify(projectId, {
  key: "stw_sk_ExampleExampleExampleExampleExampleExampleE000000",
  key_id: keyId,
});
console.log(is_valid);
// end
}

{
// sample: getKey
const { key } = await admin.keys.get(projectId, keyId);
console.log(key.label);
// end
}

{
// sample: deleteKey
await admin.keys.delete(projectId, keyId);
// end
}

{
// sample: updateKey
const { key } = await admin.keys.update(projectId, keyId, { label: "Server", roles: "read" });
console.log(key.label);
// end
}

{
// sample: revokePreviousKeyValues
const { key } = await admin.keys.revokePreviousValues(projectId, keyId);
console.log(key.label);
// end
}

{
// sample: regenerateKey
const { key } = await admin.keys.rotate(projectId, keyId, { grace_seconds: 3600 });
console.log(key.value);
// end
}

{
// sample: getProjectProfile
const profile = await admin.projects.profile(projectId);
console.log(profile.name);
// end
}

{
// sample: listRequests
await admin.projects.requests(projectId, { status: "4xx" });
// end
}

{
// sample: getRequestStats
const stats = await admin.projects.requestStats(projectId, { days: 7 });
console.log(stats.total);
// end
}

{
// sample: getSchema
for await (const version of admin.schemas.list(projectId, { version: "all" }))
  console.log(version.updated_at);
// end
}

{
// sample: publishSchema
const { data: version } = await admin.schemas.publish(projectId, {
  schema: {
    tables: {
      notes: { fields: { title: { type: "string", required: true }, done: { type: "boolean" } } },
    },
  },
});
console.log(version.schema);
// end
}

{
// sample: patchSchema
const { data: version } = await admin.schemas.patch(projectId, {
  schema: { tables: { notes: { fields: { rank: { type: "number" } } } } },
});
console.log(version.schema);
// end
}

{
// sample: rollbackSchema
const { data: version } = await admin.schemas.rollBack(projectId, { version: 1 });
console.log(version.schema);
// end
}

{
// sample: getSettings
const settings = await admin.settings.get(projectId);
console.log(settings.auth.redirect_uris);
// end
}

{
// sample: resetSettings
await admin.settings.reset(projectId, { key: ["auth.redirect_uris"] });
// end
}

{
// sample: updateSettings
await admin.settings.update(projectId, {
  auth: { redirect_uris: ["https://example.com/callback"] },
});
// end
}

{
// sample: listSyncRejections
for await (const rejection of admin.syncRejections.list(projectId)) console.log(rejection.message);
// end
}

{
// sample: listImages
const { images } = await admin.images.list(projectId);
console.log(images);
// end
}

{
// sample: uploadBackground
const { background_url } = await admin.images.uploadBackground(projectId, {
  file: await openAsBlob("background.jpg"),
});
console.log(background_url);
// end
}

{
// sample: deleteBackground
await admin.images.deleteBackground(projectId);
// end
}

{
// sample: uploadIcon
const { icon_url } = await admin.images.uploadIcon(projectId, {
  file: await openAsBlob("icon.png"),
});
console.log(icon_url);
// end
}

{
// sample: deleteIcon
await admin.images.deleteIcon(projectId);
// end
}

{
// sample: listUsers
for await (const user of admin.users.list(projectId, { status: "connected", q: "ann" }))
  console.log(user.email);
// end
}

{
// sample: connectUser
const user = await admin.users.connect(projectId, {
  token: "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
});
console.log(user.user_did);
// end
}

{
// sample: getUserStats
const stats = await admin.users.stats(projectId, { days: 7 });
console.log(stats.total);
// end
}

{
// sample: getUser
const user = await admin.users.get(projectId, userId);
console.log(user.email);
// end
}

{
// sample: deleteUser
await admin.users.delete(projectId, userId);
// end
}

{
// sample: updateUser
const user = await admin.users.update(projectId, userId, { meta: { plan: "pro" } });
console.log(user.email);
// end
}

{
// sample: batchItems
const items = await admin.items.batch(projectId, userId, "notes", {
  operations: [
    { op: "put", id: "milk", value: { title: "Buy milk", done: false } },
    { op: "patch", id: "bread", value: { done: true } },
    { op: "delete", id: "tea" },
  ],
});
for (const item of items) console.log(item.id);
// end
}

{
// sample: getItem
const item = await admin.items.get(projectId, userId, "notes", itemId);
console.log(item.title);
// end
}

{
// sample: putItem
const item = await admin.items.put(projectId, userId, "notes", itemId, {
  value: { title: "Buy milk", done: false },
});
console.log(item.updated_at);
// end
}

{
// sample: deleteItem
await admin.items.delete(projectId, userId, "notes", itemId);
// end
}

{
// sample: patchItem
const item = await admin.items.patch(projectId, userId, "notes", itemId, {
  value: { done: true },
});
console.log(item.updated_at);
// end
}

{
// sample: exportUser
const data = await admin.users.export(projectId, userId);
console.log(data.exported_at);
// end
}

{
// sample: listUserSessions
for (const session of await admin.users.sessions(projectId, userId))
  console.log(session.signed_in_at);
// end
}

{
// sample: signOutUser
await admin.users.signOut(projectId, userId);
// end
}

{
// sample: listProjectWebhooks
for await (const webhook of admin.projectWebhooks.list(projectId)) console.log(webhook.url);
// end
}

{
// sample: createProjectWebhook
const webhook = await admin.projectWebhooks.create(projectId, {
  url: "https://example.com/hooks",
  events: ["*"],
  ordering: "project",
});
console.log(webhook.secret);
// end
}

{
// sample: getProjectWebhook
const webhook = await admin.projectWebhooks.get(projectId, webhookId);
console.log(webhook.url);
// end
}

{
// sample: deleteProjectWebhook
await admin.projectWebhooks.delete(projectId, webhookId);
// end
}

{
// sample: updateProjectWebhook
const webhook = await admin.projectWebhooks.update(projectId, webhookId, {
  url: "https://example.com/hooks",
  events: ["*"],
  ordering: "project",
  status: "active",
});
console.log(webhook.url);
// end
}

{
// sample: listProjectWebhookDeliveries
for await (const delivery of admin.projectWebhooks.deliveries(projectId, webhookId))
  console.log(delivery.event);
// end
}

{
// sample: getProjectWebhookDelivery
await admin.projectWebhooks.delivery(projectId, webhookId, deliveryId);
// end
}

{
// sample: redeliverProjectWebhook
const delivery = await admin.projectWebhooks.redeliver(projectId, webhookId, deliveryId);
console.log(delivery.status);
// end
}

{
// sample: rotateProjectWebhookSecret
const webhook = await admin.projectWebhooks.rotateSecret(projectId, webhookId);
console.log(webhook.secret);
// end
}

{
// sample: testProjectWebhook
const delivery = await admin.projectWebhooks.test(projectId, webhookId);
console.log(delivery.status);
// end
}

{
// sample: listItems
const list = admin.items.list(projectId, userId, "notes", {
  conditions: { done: "eq.false" },
  order: "created_at.desc",
});
for await (const item of list) console.log(item.title);
// end
}

{
// sample: createItem
const item = await admin.items.create(projectId, userId, "notes", {
  value: { title: "Buy milk", done: false },
});
console.log(item.id);
// end
}

{
// sample: getProjectDid
const document = await admin.service.getProjectDid("018f2a3c7d1e7cc49b3a2f6d1c0e8a55");
console.log(document.id);
// end
}

{
// sample: getClientMetadata
const metadata = await admin.service.getClientMetadata(projectId);
console.log(metadata.client_name);
// end
}

{
// sample: getJsonSchema
const schema = await admin.schemas.jsonSchema();
console.log(schema);
// end
}

{
// sample: listTeams
for await (const team of admin.teams.list()) console.log(team.name);
// end
}

{
// sample: createTeam
const team = await admin.teams.create({ name: "Acme", slug: "acme" });
console.log(team.id);
// end
}

{
// sample: acceptInvite
const membership = await admin.ownInvites.accept({ invite_id: inviteId });
console.log(membership.role_name);
// end
}

{
// sample: declineInvite
await admin.ownInvites.decline({ invite_id: inviteId });
// end
}

{
// sample: checkTeamSlug
const { available } = await admin.teams.checkSlug({ slug: "acme" });
console.log(available);
// end
}

{
// sample: getTeam
const team = await admin.teams.get(teamId);
console.log(team.name);
// end
}

{
// sample: deleteTeam
await admin.teams.delete(teamId);
// end
}

{
// sample: updateTeam
const team = await admin.teams.update(teamId, { name: "Acme", slug: "acme" });
console.log(team.name);
// end
}

{
// sample: listTeamAudit
for await (const event of admin.teamAuditLog.list(teamId, { action: "team.updated" }))
  console.log(event.action);
// end
}

{
// sample: listTeamEvents
const { data: events } = await admin.teamAuditLog.events(teamId, { after: 128 });
for (const event of events) console.log(event.action);
// end
}

{
// sample: listInvites
for await (const invite of admin.invites.list(teamId)) console.log(invite.email_or_username);
// end
}

{
// sample: createInvite
const invite = await admin.invites.create(teamId, {
  email: "ann@example.com",
  roles: "developer",
  role_name: "Developer",
});
console.log(invite.id);
// end
}

{
// sample: deleteInvite
await admin.invites.delete(teamId, inviteId);
// end
}

{
// sample: listMembers
for await (const member of admin.members.list(teamId)) console.log(member.email);
// end
}

{
// sample: removeMember
await admin.members.remove(teamId, memberId, { end: "keys,clients,identity_providers" });
// end
}

{
// sample: updateMember
const { data: membership } = await admin.members.update(teamId, memberId, {
  roles: "developer",
  role_name: "Developer",
});
console.log(membership.role_name);
// end
}

{
// sample: listTeamWebhooks
for await (const webhook of admin.teamWebhooks.list(teamId)) console.log(webhook.url);
// end
}

{
// sample: createTeamWebhook
const webhook = await admin.teamWebhooks.create(teamId, {
  url: "https://example.com/hooks",
  events: ["*"],
  ordering: "project",
});
console.log(webhook.secret);
// end
}

{
// sample: getTeamWebhook
const webhook = await admin.teamWebhooks.get(teamId, webhookId);
console.log(webhook.url);
// end
}

{
// sample: deleteTeamWebhook
await admin.teamWebhooks.delete(teamId, webhookId);
// end
}

{
// sample: updateTeamWebhook
const webhook = await admin.teamWebhooks.update(teamId, webhookId, {
  url: "https://example.com/hooks",
  events: ["*"],
  ordering: "project",
  status: "active",
});
console.log(webhook.url);
// end
}

{
// sample: listTeamWebhookDeliveries
for await (const delivery of admin.teamWebhooks.deliveries(teamId, webhookId))
  console.log(delivery.event);
// end
}

{
// sample: getTeamWebhookDelivery
await admin.teamWebhooks.delivery(teamId, webhookId, deliveryId);
// end
}

{
// sample: redeliverTeamWebhook
const delivery = await admin.teamWebhooks.redeliver(teamId, webhookId, deliveryId);
console.log(delivery.status);
// end
}

{
// sample: rotateTeamWebhookSecret
const webhook = await admin.teamWebhooks.rotateSecret(teamId, webhookId);
console.log(webhook.secret);
// end
}

{
// sample: testTeamWebhook
const delivery = await admin.teamWebhooks.test(teamId, webhookId);
console.log(delivery.status);
// end
}

{
// sample: getAccountDid
const document = await admin.service.getAccountDid("018f2a3c7d1e7cc49b3a2f6d1c0e8a55");
console.log(document.id);
// end
}

{
// sample: getUtilsStatus
const { status } = await admin.service.getUtilsStatus();
console.log(status);
// end
}

{
// sample: compareSchema
const { changes } = await admin.schemas.compare({
  schema: {
    project_id: projectId,
    version: 2,
    tables: {
      notes: { fields: { title: { type: "string", required: true }, done: { type: "boolean" } } },
    },
  },
});
console.log(changes);
// end
}

{
// sample: verifyUpdateSchema
const check = await admin.schemas.checkUpdate({
  schema: {
    project_id: projectId,
    version: 2,
    tables: {
      notes: { fields: { title: { type: "string", required: true }, done: { type: "boolean" } } },
    },
  },
});
console.log(check.valid);
// end
}

{
// sample: slugify
const { slug } = await admin.service.slugify({ slug: "Rock & Roll" });
console.log(slug);
// end
}
