// What a program learns about requests, sign-ins that fail, and its own functions that throw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAdmin } from "@steward/sdk/admin";
import { createClient, memoryStorage, memoryStore } from "@steward/sdk/client";
import { eventually } from "./eventually.mjs";
import { FakeService } from "./fake_service.mjs";

test("each attempt of a request is reported, without values of its query", async () => {
  const responses = [
    new Response('{"error":"unavailable","message":"Try again."}', { status: 503 }),
    new Response('{"data":[]}', { status: 200, headers: { "x-request-id": "r2" } }),
  ];
  const events = [];
  const logged = [];
  const options = {
    onRequest: (event) => {
      events.push(event);
      throw new Error("a metric");
    },
    logger: { warn: () => {}, error: ({ message }) => logged.push(message) },
  };
  const admin = createAdmin({ url: "https://steward.example", token: "stw_pat_x", fetch: async () => responses.shift(), ...options });
  await admin.users.list("p", { search: "ann@example.com" }).page();
  assert.deepEqual(
    events.map(({ method, url, attempt, status, requestId, error }) => [method, url, attempt, status, requestId, error?.code]),
    [
      ["GET", "https://steward.example/project/p/user", 1, 503, undefined, "unavailable"],
      ["GET", "https://steward.example/project/p/user", 2, 200, "r2", undefined],
    ],
  );
  assert.ok(events.every(({ duration }) => duration >= 0));
  assert.deepEqual(logged, ["a metric", "a metric"], "It has no effect on the requests.");

  const lost = [];
  const offline = createAdmin({ url: "https://steward.example", maxRetries: 0, fetch: () => Promise.reject(new TypeError("no network")), onRequest: (event) => lost.push(event) });
  await assert.rejects(offline.teams.list().page(), { code: "connection_failed" });
  assert.deepEqual(lost.map(({ status, error }) => [status, error.code]), [[undefined, "connection_failed"]]);
});

test("a sign-in that fails has the code of the service", async () => {
  const storage = memoryStorage();
  const client = createClient({ url: "https://steward.example", projectId: "p", redirectUri: "https://app.example/", storage });
  for (const [error, description] of [["access_denied", "The user denied the access."], ["login_required", undefined]]) {
    const state = new URL(await client.signInUrl({ prompt: "none" })).searchParams.get("state");
    const callback = new URL(`https://app.example/?${new URLSearchParams({ state, error, ...(description && { error_description: description }) })}`);
    await assert.rejects(client.completeSignIn(callback.href), (failure) => failure.code === "sign_in_failed" && failure.details.error === error && failure.message.endsWith(description ?? error));
  }
});

test("the logger receives what functions of the app throw, and that the store failed", async () => {
  const logged = [];
  const logger = { warn: ({ message }) => logged.push(message), error: ({ message }) => logged.push(message) };
  const broken = () => ({ ...memoryStore(), update: () => Promise.reject(new Error("full")) });
  const client = new FakeService().client({ logger, localStore: broken });
  const live = client.live("notes");
  live.subscribe(() => {
    throw new Error("a listener");
  });
  await live.put("a", { title: "a" });
  await eventually(() => client.sync.storeError);
  assert.ok(logged.includes("a listener"), logged.join());
  assert.ok(logged.some((message) => message.startsWith("The store of this device")), logged.join());
  await client.close();
});
