// Uses each entry point for apps and servers. test/runtimes.test.mjs runs it in several runtimes.
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { createAdmin } from "@steward/sdk/admin";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { createTokenVerifier, verifyWebhook } from "@steward/sdk/server";
import { allow, CALLBACK, createProject, developer, eventually, signUp, url } from "./service.mjs";

const admin = await developer();
const { teamId, projectId } = await createProject(admin);
const slugs = [];
for await (const project of admin.projects.list({ pageSize: 1 })) slugs.push(project.slug);
assert.ok(slugs.length > 0);
await assert.rejects(createAdmin({ url, token: "invented" }).teams.get(teamId), { code: "unauthorized" });

const person = createClient({ url, projectId, redirectUri: CALLBACK, storage: memoryStorage() });
await person.completeSignIn(await allow(await person.signInUrl(), await signUp("runtime")));
const notes = person.live("notes");
let titles = [];
const stop = notes.subscribe((items) => (titles = items.map((item) => item.title)));
await notes.put("first", { title: "Here" });
const verified = await createTokenVerifier({ url, projectId }).verify(await person.getToken());
assert.equal(verified.userId, person.session.user.id);
const [{ id: userId }] = await admin.users.list(projectId).first(1);
const stored = async () => (await admin.items.get(projectId, userId, "notes", "first").catch(() => ({}))).title;
await eventually(async () => (await stored()) === "Here", "The note was not stored.");
await admin.items.put(projectId, userId, "notes", "second", { value: { title: "There" } });
await eventually(() => titles.includes("There"), "The note of another device is not shown.");
stop();
await person.close();

const key = randomBytes(32);
const [id, time, body] = ["msg_1", String(Math.floor(Date.now() / 1_000)), '{"type":"team.updated","timestamp":"2026-01-31T12:00:00.000Z","data":{}}'];
const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
const headers = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
const secret = `whsec_${key.toString("base64")}`;
assert.equal((await verifyWebhook(body, headers, secret)).type, "team.updated");
await assert.rejects(verifyWebhook(`${body} `, headers, secret), { code: "verification_failed" });
console.log(JSON.stringify({ titles: titles.sort() }));
