// The samples of the documentation: each operation has one, they compile, and many of them run against the service.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { openAsBlob, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { createAdmin, operations } from "@steward/sdk/admin";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { png } from "./png.mjs";
import { allow, CALLBACK, developer, openapi, signUp, unique, url } from "./service.mjs";

const root = new URL("..", import.meta.url);
const source = readFileSync(new URL("samples/operations.ts", root), "utf8");
/** The samples by the ID of their operation. */
const samples = Object.fromEntries([...source.matchAll(/^\/\/ sample: (\w+)\n(.*?)^\/\/ end$/gms)].map(([, id, text]) => [id, text]));

test("each operation has a sample that calls its method", () => {
  const { preamble, ...others } = samples;
  assert.match(preamble, /createAdmin\(/);
  assert.deepEqual(Object.keys(others), Object.keys(operations));
  for (const [id, text] of Object.entries(others)) assert.match(text, /\badmin\.\w+\.\w+\(/, id);
  assert.deepEqual(source.split("\n").filter((line) => line.length > 100), []);
});

test("each hint for the samples is for an operation or a schema of the document", () => {
  const { query, bodies, files, results } = JSON.parse(readFileSync(new URL("../samples.json", root), "utf8"));
  const { about, ...printed } = results;
  assert.ok(about);
  const known = new Set([...Object.keys(operations), ...Object.keys(openapi.components.schemas)]);
  assert.deepEqual(Object.keys({ ...query, ...bodies, ...files, ...printed }).filter((name) => !known.has(name)), []);
});

test("the samples compile", () => {
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", fileURLToPath(new URL("samples", root))], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

/** Runs samples: with the variables of the file, and values that are valid now instead of those of the examples. */
class Runner {
  /** The variables. */
  ids = {};
  /** Replacements of texts in the samples. */
  texts = { '"acme"': JSON.stringify(unique("acme")) };
  ran = new Set();

  constructor(admin, directory) {
    this.admin = admin;
    const path = (name) => join(directory, name);
    this.files = { openAsBlob: (name) => openAsBlob(path(name)), writeFile: (name, data) => writeFile(path(name), data) };
  }

  /** Runs a sample. Returns what it prints. */
  async run(id) {
    let text = samples[id];
    for (const [from, to] of Object.entries(this.texts)) text = text.replaceAll(from, to);
    const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();
    text = text.replace(/"20\d\d-\d\d-\d\d(T[^"]*)?"/g, (_, time) => JSON.stringify(time ? nextMonth : nextMonth.slice(0, 10)));
    const printed = [];
    const scope = { ...this.files, ...this.ids, admin: this.admin, console: { log: (value) => printed.push(value) } };
    const run = new AsyncFunction(...Object.keys(scope), text);
    await run(...Object.values(scope)).catch((cause) => assert.fail(`${id}: ${cause.code} ${cause.message}\n${text}`));
    this.ran.add(id);
    return printed;
  }

  /** Runs samples that print something, or nothing if they end something. */
  async runAll(...ids) {
    for (const id of ids) {
      const printed = await this.run(id);
      const isSilent = !samples[id].includes("console.log");
      assert.ok(isSilent ? printed.length === 0 : printed.length > 0 && printed.every((value) => value !== undefined), `${id}: ${printed}`);
    }
  }
}
const AsyncFunction = (async () => {}).constructor;

let runner, directory;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "samples-"));
  for (const name of ["icon.png", "logo.png", "background.jpg"]) await writeFile(join(directory, name), png(32));
  runner = new Runner(await developer(), directory);
});
after(() => rm(directory, { recursive: true }));

test("the samples about a team run", async () => {
  [runner.ids.teamId] = await runner.run("createTeam");
  assert.ok((await runner.run("listTeams")).includes("Acme"));
  assert.deepEqual(await runner.run("checkTeamSlug"), [false]);
  await runner.runAll("getTeam", "updateTeam", "listMembers", "listTeamAudit");
  [runner.ids.inviteId] = await runner.run("createInvite");
  assert.deepEqual(await runner.run("listInvites"), ["ann@example.com"]);
  await runner.runAll("deleteInvite", "createTeamWebhook", "listTeamWebhooks");
});

test("the samples about a project run", async () => {
  [runner.ids.projectId] = await runner.run("createProject");
  assert.ok((await runner.run("listProjects")).includes("Acme"));
  assert.deepEqual(await runner.run("checkProjectSlug"), [false]);
  await runner.runAll("getProject", "updateProject", "listProjectAudit", "getProjectProfile", "getRequestStats", "listRequests", "getUserStats");
  await runner.runAll("updateSettings", "getSettings", "resetSettings", "createPersonalToken", "listPersonalTokens");
  const [icon] = await runner.run("uploadIcon");
  runner.texts["018f2a3d-0a1b-7c2d-8e3f-405162738495.png"] = icon.split("/").at(-1);
  await runner.runAll("getImage", "listImages", "deleteIcon", "uploadBackground", "deleteBackground");
  assert.equal((await readFile(join(directory, "icon.png"))).subarray(1, 4).toString(), "PNG");
});

test("the samples about clients and webhooks of a project run", async () => {
  await runner.runAll("createClient");
  const [client] = await runner.admin.oauthClients.list(runner.ids.projectId);
  runner.ids.clientId = client.id;
  await runner.runAll("listClients", "getClient", "updateClient", "uploadClientLogo", "deleteClientLogo", "rotateClientSecret", "deleteClient");
  await runner.runAll("createProjectWebhook");
  const [webhook] = await runner.admin.projectWebhooks.list(runner.ids.projectId).first(1);
  runner.ids.webhookId = webhook.id;
  await runner.runAll("listProjectWebhooks", "getProjectWebhook", "updateProjectWebhook", "rotateProjectWebhookSecret", "deleteProjectWebhook");
});

test("the samples about keys run", async () => {
  const [value] = await runner.run("createKey");
  runner.texts.stw_sk_ExampleExampleExampleExampleExampleExampleE000000 = value;
  const [key] = await runner.admin.keys.list(runner.ids.projectId).first(1);
  runner.ids.keyId = key.id;
  assert.deepEqual(await runner.run("verifyKey"), [true]);
  assert.deepEqual(await runner.run("listKeys"), ["Server"]);
  await runner.runAll("getKey", "updateKey", "regenerateKey", "revokePreviousKeyValues", "deleteKey");
});

test("the samples about the schema run", async () => {
  assert.deepEqual(Object.keys((await runner.run("publishSchema"))[0].tables.notes.fields), ["title", "done"]);
  assert.deepEqual(Object.keys((await runner.run("patchSchema"))[0].tables.notes.fields), ["title", "done", "rank"]);
  await runner.runAll("compareSchema", "rollbackSchema", "getJsonSchema");
  assert.equal((await runner.run("getSchema")).length, 3);
  assert.deepEqual(await runner.run("verifyUpdateSchema"), [false], "Its version is not the next one.");
});

test("the samples about people and their items run", async () => {
  const { projectId } = runner.ids;
  const client = createClient({ url, projectId, redirectUri: CALLBACK, storage: memoryStorage() });
  await client.completeSignIn(await allow(await client.signInUrl(), await signUp("ann")));
  const [email] = await runner.run("listUsers");
  assert.match(email, /^ann-/);
  const [user] = await runner.admin.users.list(projectId).first(1);
  runner.ids.userId = user.id;
  await runner.runAll("getUser", "updateUser", "listUserSessions", "exportUser");

  await runner.runAll("listProjectTables", "listProjectItems");

  const own = new Runner(createAdmin({ url, token: () => client.getToken() }), directory);
  own.ids = { projectId };
  for (const [person, suffix] of [[runner, "Item"], [own, "OwnItem"]]) {
    [person.ids.itemId] = await person.run(`create${suffix}`);
    for (const id of ["bread", "tea"]) await runner.admin.items.put(projectId, user.id, "notes", id, { value: { title: id } });
    assert.deepEqual(await person.run(`batch${suffix}s`), ["milk", "bread", "tea"]);
    assert.ok((await person.run(`list${suffix}s`)).includes("Buy milk"));
    await person.runAll(`get${suffix}`, `put${suffix}`, `patch${suffix}`, `delete${suffix}`);
  }
  await own.runAll("getSession", "getOwnCredential", "getUserInfo", "getOwnApp", "exportOwnData", "leaveOwnApp");
  await runner.runAll("signOutUser", "deleteUser");
  own.ran.forEach((id) => runner.ran.add(id));
});

test("the samples about the service run, and those that delete what the others created", async () => {
  await runner.runAll("getRoot", "getOAuthMetadata", "getOpenIdMetadata", "getAuthMetadata", "getKeySet", "getOpenApi", "getLiveness", "getReadiness");
  await runner.runAll("getAuthStatus", "getUtilsStatus", "slugify", "deleteProject", "deleteTeam");
  console.log(`# ${runner.ran.size} of ${Object.keys(operations).length} samples were run.`);
  assert.ok(runner.ran.size >= 100);
});
