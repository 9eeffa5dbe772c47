// Which requests are sent again, and when: against a service that fails as told.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { createAdmin, StewardError } from "@steward/sdk/admin";

let server, url;
/** What the server does with the next requests, and what it has received. */
let plan = [];
let received = [];

before(async () => {
  server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(parts).toString(), at: performance.now() });
      const step = plan.length > 1 ? plan.shift() : plan[0];
      if (step === "reset") return request.socket.destroy();
      if (step === "hang") return undefined;
      const { status = 200, headers = {}, body = { data: { id: "t", name: "n" } } } = step;
      response.writeHead(status, { "content-type": "application/json", "x-request-id": "r-1", ...headers });
      return response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => (server.closeAllConnections(), server.close()));

function expect(...steps) {
  plan = steps;
  received = [];
  return createAdmin({ url, token: "stw_pat_x" });
}
const error = (status, code, headers) => ({ status, headers, body: { error: code, message: "No." } });
const unavailable = error(503, "unavailable");

test("temporary errors of reads are retried, with a growing delay", async () => {
  const admin = expect("reset", unavailable, error(429, "too_many_requests"), error(502, "x"), {});
  assert.equal((await admin.teams.get("t")).name, "n");
  assert.equal(received.length, 5);
  const delays = received.slice(1).map(({ at }, index) => at - received[index].at);
  delays.forEach((delay, index) => assert.ok(delay >= 125 * 2 ** index - 5 && delay <= 250 * 2 ** index + 400, `${index}: ${delay}`));
});

test("retries end after four, or as many as the call allows", async () => {
  const admin = expect(unavailable);
  await assert.rejects(admin.teams.get("t", { maxRetries: 2 }), { code: "unavailable", status: 503, requestId: "r-1" });
  assert.equal(received.length, 3);
});

test("a change is retried with the same key and body", async () => {
  const admin = expect("reset", error(409, "idempotency_in_progress"), { status: 201 });
  await admin.teams.create({ name: "n", slug: "s" });
  const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]));
  assert.equal(received.length, 3);
  assert.equal(keys.size, 1);
  assert.match([...keys][0], /^[0-9a-f-]{36}$/);
  await admin.teams.create({ name: "n", slug: "s" }, { idempotencyKey: "mine" });
  assert.equal(received.at(-1).headers["idempotency-key"], "mine");
});

test("an image is retried byte by byte", async () => {
  const admin = expect("reset", { body: { data: {} } });
  await admin.images.uploadIcon("p", { file: new Blob(["image"], { type: "image/png" }) });
  assert.equal(received.length, 2);
  assert.equal(received[0].body, received[1].body);
  assert.equal(received[0].headers["content-type"], received[1].headers["content-type"]);
});

test("operations without a key are sent once", async () => {
  for (const call of [(admin) => admin.apps.leave("p"), (admin) => admin.auth.logIn({ username: "a", password: "b" }), (admin) => admin.tokens.introspect({ token: "t" })]) {
    await assert.rejects(call(expect(unavailable)), { code: "unavailable" });
    assert.equal(received.length, 1);
  }
});

test("permanent errors are not retried", async () => {
  for (const [status, code] of [[400, "invalid_request"], [403, "forbidden"], [404, "not_found"], [409, "slug_taken"], [409, "idempotency_answer_lost"], [412, "precondition_failed"], [500, "internal_error"]]) {
    await assert.rejects(expect(error(status, code)).teams.create({ name: "n", slug: "s" }), { code, status });
    assert.equal(received.length, 1, code);
  }
});

test("Retry-After is the minimum delay, and a long one is left to the caller", async () => {
  const admin = expect(error(429, "too_many_requests", { "retry-after": "1" }), {});
  await admin.teams.get("t");
  assert.ok(received[1].at - received[0].at >= 1_100);
  await assert.rejects(expect(error(429, "too_many_requests", { "retry-after": "3600" })).teams.get("t"), { retryAfter: 3_600 });
  assert.equal(received.length, 1);
});

test("a call ends at its time limit, and when it is canceled", async () => {
  const admin = expect("hang");
  await assert.rejects(admin.teams.get("t", { timeout: 100, maxRetries: 0 }), { code: "timeout" });
  const reason = new Error("left the page");
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(admin.teams.get("t", { signal: controller.signal }), reason);
  const waiting = new AbortController();
  const started = performance.now();
  setTimeout(() => waiting.abort(reason), 100);
  await assert.rejects(expect(error(503, "unavailable", { "retry-after": "20" })).teams.get("t", { signal: waiting.signal }), reason);
  assert.ok(performance.now() - started < 1_000, "The wait for the next attempt ends, too.");
  await assert.rejects(expect({}).teams.get("t", { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(received.length, 0);
});

test("errors have all that the service says", async () => {
  const body = { error: "invalid_request", message: "Two fields.", errors: [{ field: "name", code: "missing_field", message: "is required." }, { instancePath: "/a", message: "must be b" }], quota: "teams" };
  const failed = await expect({ status: 400, body }).teams.create({ name: "", slug: "" }).catch((reason) => reason);
  assert.ok(failed instanceof StewardError && failed instanceof Error);
  assert.deepEqual(failed.violations, [{ field: "name", code: "missing_field", message: "is required." }, { field: "/a", message: "must be b" }]);
  assert.deepEqual(failed.details, { quota: "teams" });
  await assert.rejects(expect({ status: 500, body: "<html>" }).teams.get("t"), { code: "invalid_response", status: 500 });
  await assert.rejects(expect({ body: "<html>" }).teams.get("t"), { code: "invalid_response" });
  await assert.rejects(expect({ body: "{}" }).teams.get("t"), { code: "invalid_response" });
  assert.ok(!JSON.stringify(failed).includes("stw_pat_x") && !String(failed.stack).includes("stw_pat_x"));
});

test("a rejected token is replaced once", async () => {
  const rejected = [];
  const source = (old) => (old === undefined ? "first" : (rejected.push(old), "second"));
  plan = [error(401, "unauthorized"), {}];
  received = [];
  await createAdmin({ url, token: source }).auth.revokeToken({ token: "t" });
  assert.deepEqual(received.map(({ headers }) => headers.authorization), ["Bearer first", "Bearer second"]);
  plan = [error(401, "unauthorized")];
  received = [];
  await assert.rejects(createAdmin({ url, token: source }).teams.get("t"), { code: "unauthorized" });
  assert.equal(received.length, 2);
  assert.deepEqual(rejected, ["first", "first"]);
});

test("an ID cannot change the path, and a redirect is not followed", async () => {
  const admin = expect({});
  for (const id of ["", ".", "..", undefined]) await assert.rejects(admin.teams.get(id), { code: "invalid_argument" });
  assert.equal(received.length, 0);
  assert.equal(await expect({ status: 302, headers: { location: "https://evil.example/" }, body: "" }).auth.authorize({ client_id: "c", redirect_uri: "r", response_type: "code" }), "https://evil.example/");
  assert.equal(received.length, 1);
});

test("a list is read page by page, and a call is sent once", async () => {
  const page = (names, next_cursor) => ({ body: { data: names.map((name) => ({ name })), next_cursor } });
  const admin = expect(page(["a", "b"], "2"), page([], "3"), page(["c"], null), page(["d"], "4"));
  assert.deepEqual((await admin.teams.list().all()).map(({ name }) => name), ["a", "b", "c"]);
  assert.deepEqual((await admin.teams.list({ pageSize: 7 }).first(1)).map(({ name }) => name), ["d"]);
  assert.equal(received.length, 4);
  assert.deepEqual(received.map(({ url }) => new URL(url, "http://localhost").searchParams.get("limit")), ["100", "100", "100", "7"]);
  assert.equal((await admin.teams.list().page("9")).next_cursor, "4");
  plan = [{}];
  const before = received.length;
  const call = admin.teams.get("t");
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(received.length, before + 1, "It is sent although nobody waits for it.");
  await Promise.all([call, call, call.withResponse(), call.finally(() => {}), call.catch(() => {})]);
  assert.equal(received.length, before + 1);
});
