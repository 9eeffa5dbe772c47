// Verification of tokens and webhook messages: those of the service, and forged ones.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { createAdmin } from "@steward/sdk/admin";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { createTokenVerifier, verifyWebhook } from "@steward/sdk/server";
import { allow, CALLBACK, createProject, developer, eventually, signUp, url } from "./service.mjs";

let admin, projectId, otherProjectId, person, token;

before(async () => {
  admin = await developer();
  ({ projectId } = await createProject(admin));
  ({ projectId: otherProjectId } = await createProject(admin));
  person = createClient({ url, projectId, redirectUri: CALLBACK, storage: memoryStorage() });
  await person.completeSignIn(await allow(await person.signInUrl(), await signUp("server")));
  token = await person.getToken();
});

const invalid = (message) => (error) => error.code === "verification_failed" && error.message.includes(message);

test("a token of the service is valid for its project, client and scopes", async () => {
  let requests = 0;
  const counting = (...request) => ((requests += 1), fetch(...request));
  const verifier = createTokenVerifier({ url, projectId, clientId: projectId, fetch: counting });
  const found = await verifier.verify(token, { scope: "app:db:read app:db:write" });
  assert.equal(found.userId, person.session.user.id);
  assert.ok(found.expiresAt > new Date());
  await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)));
  assert.equal(requests, 2, "The metadata and the keys are read once.");

  await assert.rejects(createTokenVerifier({ url, projectId: otherProjectId }).verify(token), invalid("another project"));
  await assert.rejects(createTokenVerifier({ url, projectId, clientId: otherProjectId }).verify(token), invalid("another client"));
  await assert.rejects(verifier.verify(token, { scope: "app:admin" }), invalid("app:admin"));
  const { access_token } = await createAdmin({ url }).auth.logIn({ username: process.env.STEWARD_TEST_USERNAME, password: process.env.STEWARD_TEST_PASSWORD });
  await assert.rejects(verifier.verify(access_token), invalid("another project"), "A token of a first-party sign-in is for the service.");
});

test("a token that was changed is not valid, and unknown keys cause few requests", async () => {
  let requests = 0;
  const verifier = createTokenVerifier({ url, projectId, fetch: (...request) => ((requests += 1), fetch(...request)) });
  await verifier.verify(token);
  const [head, claims, signature] = token.split(".");
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const parsed = (text) => JSON.parse(Buffer.from(text, "base64url"));
  const forged = [
    `${head}.${encoded({ ...parsed(claims), sub: "someone else" })}.${signature}`,
    `${encoded({ ...parsed(head), alg: "none" })}.${claims}.`,
    `${encoded({ ...parsed(head), alg: "HS256" })}.${claims}.${signature}`,
    `${encoded({ ...parsed(head), alg: "RS256" })}.${claims}.${signature}`,
    `${encoded({ ...parsed(head), alg: "__proto__" })}.${claims}.${signature}`,
    `${encoded({ ...parsed(head), crit: ["exp"] })}.${claims}.${signature}`,
    `${encoded({ ...parsed(head), typ: "JWT" })}.${claims}.${signature}`,
    `${head}.${claims}`,
    `${head}.${claims}.${signature.slice(0, -4)}`,
    `${head}.${claims}.!!!`,
    "",
    "x".repeat(100_000),
    undefined,
  ];
  for (const text of forged) await assert.rejects(verifier.verify(text), { code: "verification_failed" }, String(text).slice(0, 40));
  for (let index = 0; index < 20; index += 1) {
    await assert.rejects(verifier.verify(`${encoded({ ...parsed(head), kid: `invented-${index}` })}.${claims}.${signature}`), invalid("signature"));
  }
  assert.ok(requests <= 4, `${requests} requests`);
});

/** A service with keys of all algorithms, and a function that issues tokens. */
function issuer() {
  const issuerUrl = "https://steward.example";
  const pairs = {
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
    RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    EdDSA: generateKeyPairSync("ed25519"),
  };
  const keys = Object.entries(pairs).map(([alg, { publicKey }]) => ({ ...publicKey.export({ format: "jwk" }), kid: alg, alg, use: "sig" }));
  const state = { isDown: false };
  const answer = async (address) => {
    if (state.isDown) throw new TypeError("offline");
    const { pathname } = new URL(address);
    return Response.json(pathname.endsWith("jwks.json") ? { keys } : { issuer: state.issuer ?? issuerUrl, jwks_uri: `${issuerUrl}/auth/.well-known/jwks.json` });
  };
  const now = Math.floor(Date.now() / 1_000);
  const valid = { iss: issuerUrl, sub: "ann", aud: "did:web:steward.example:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55", client_id: "app", scope: "openid app:db:write", typ: "access", iat: now, exp: now + 900 };
  const issue = (alg, claims = {}) => {
    const encoded = [{ typ: "at+jwt", alg, kid: alg }, { ...valid, ...claims }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const key = { key: pairs[alg].privateKey, dsaEncoding: "ieee-p1363" };
    return `${encoded}.${sign(alg === "EdDSA" ? null : "sha256", Buffer.from(encoded), key).toString("base64url")}`;
  };
  return { url: issuerUrl, projectId: "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", fetch: answer, issue, state, now };
}

test("all algorithms of the service are verified, and each claim", async () => {
  const service = issuer();
  const verifier = createTokenVerifier(service);
  for (const alg of ["ES256", "RS256", "EdDSA"]) assert.equal((await verifier.verify(service.issue(alg))).userId, "ann", alg);
  const { now } = service;
  const wrong = [
    [{ iss: "https://evil.example" }, "issuer"],
    [{ exp: now - 31 }, "expired"],
    [{ exp: "tomorrow" }, "expired"],
    [{ exp: undefined }, "expired"],
    [{ nbf: now + 60 }, "not valid yet"],
    [{ aud: "did:web:evil.example:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55" }, "another project"],
    [{ aud: [] }, "another project"],
    [{ typ: "refresh" }, "not an access token"],
    [{ typ: "bound_access", cnf: { jkt: "x" } }, "bound to a key"],
    [{ client_id: undefined }, "not an access token"],
  ];
  for (const [claims, message] of wrong) await assert.rejects(verifier.verify(service.issue("ES256", claims)), invalid(message), JSON.stringify(claims));
  assert.ok(await verifier.verify(service.issue("ES256", { exp: now - 20, nbf: now + 20 })), "Clocks may differ by 30 seconds.");
  assert.ok(await verifier.verify(service.issue("ES256", { scope: "app:admin" }), { scope: "app:db:read" }));
  await assert.rejects(verifier.verify(service.issue("ES256", { scope: "openid" }), { scope: "app:db:read" }), invalid("app:db:read"));
  assert.throws(() => createTokenVerifier({ ...service, leeway: 301 }), { code: "invalid_argument" });
});

test("an outage is no reason to accept or forget a token", async () => {
  const service = issuer();
  service.state.isDown = true;
  const verifier = createTokenVerifier({ ...service, maxRetries: 0 });
  await assert.rejects(verifier.verify(service.issue("ES256")), { code: "connection_failed" });
  service.state.isDown = false;
  assert.ok(await verifier.verify(service.issue("ES256")));
  service.state.isDown = true;
  assert.ok(await verifier.verify(service.issue("ES256")));
  service.state.isDown = false;
  service.state.issuer = "https://other.example";
  await assert.rejects(createTokenVerifier(service).verify(service.issue("ES256")), { code: "invalid_argument" });
});

test("introspection finds a revoked token", async () => {
  const { key } = await admin.keys.create(projectId, { label: "Server", roles: "read" });
  const verifier = createTokenVerifier({ url, projectId, apiKey: key.value });
  const active = await person.getToken();
  assert.equal((await verifier.introspect(active)).sub, person.session.user.id);
  await assert.rejects(verifier.introspect("nonsense"), invalid("not active"));
  await assert.rejects(createTokenVerifier({ url, projectId }).introspect(active), { code: "invalid_argument" });
  await person.signOut();
  await assert.rejects(verifier.introspect(active), invalid("not active"));
  assert.ok(await verifier.verify(active), "Offline, a revoked token is valid until it expires.");
});

test("a message of the service is valid, also while its secret is rotated", async () => {
  const received = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push({ body: Buffer.concat(parts), headers: request.headers });
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = `http://127.0.0.1:${server.address().port}/hook`;
    const webhook = await admin.projectWebhooks.create(projectId, { url: address, events: ["*"] });
    const old = webhook.secret;
    assert.match(old, /^whsec_/);
    await admin.projectWebhooks.test(projectId, webhook.id);
    // The webhook gets the events of its own changes, too.
    const tests = () => received.filter(({ body }) => JSON.parse(body).type === "webhook.test");
    const [message] = await eventually(() => tests().length === 1 && tests());
    const event = await verifyWebhook(message.body, message.headers, old);
    assert.equal(event.type, "webhook.test");
    assert.equal(event.id, message.headers["webhook-id"]);
    assert.ok(event.timestamp && event.data);

    const { secret } = await admin.projectWebhooks.rotateSecret(projectId, webhook.id);
    assert.notEqual(secret, old);
    await admin.projectWebhooks.test(projectId, webhook.id);
    const [, rotated] = await eventually(() => tests().length === 2 && tests());
    for (const known of [old, secret, [secret, old]]) assert.equal((await verifyWebhook(rotated.body.toString(), new Headers(rotated.headers), known)).type, "webhook.test");
    await assert.rejects(verifyWebhook(message.body, message.headers, secret), invalid("No signature"));

    const changed = Buffer.from(message.body.toString().replace("webhook.test", "webhook.best"));
    await assert.rejects(verifyWebhook(changed, message.headers, old), invalid("No signature"));
    const forged = [
      ["webhook-id", "msg_other"],
      ["webhook-timestamp", String(Number(message.headers["webhook-timestamp"]) - 1)],
      ["webhook-signature", "v1,AAAA"],
      ["webhook-signature", "v2,AAAA"],
      ["webhook-signature", "v1,!!!"],
    ];
    for (const [name, value] of forged) {
      await assert.rejects(verifyWebhook(message.body, { ...message.headers, [name]: value }, old), invalid("No signature"), name);
    }
    const { "webhook-id": _, ...without } = message.headers;
    await assert.rejects(verifyWebhook(message.body, without, old), invalid("webhook-id"));
    await admin.projectWebhooks.delete(projectId, webhook.id);
  } finally {
    server.close();
  }
});

test("a message is accepted only around its time, and secrets are checked", async () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const signed = (seconds) => {
    const timestamp = String(Math.floor(Date.now() / 1_000) + seconds);
    const signature = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`m.${timestamp}.{"type":"x"}`).digest("base64");
    return { "Webhook-Id": "m", "Webhook-Timestamp": timestamp, "Webhook-Signature": `v1,bm8= v1,${signature}` };
  };
  assert.equal((await verifyWebhook('{"type":"x"}', signed(-290), secret)).type, "x");
  assert.equal((await verifyWebhook('{"type":"x"}', signed(290), secret)).type, "x");
  for (const seconds of [-310, 310]) await assert.rejects(verifyWebhook('{"type":"x"}', signed(seconds), secret), invalid("timestamp"));
  assert.ok(await verifyWebhook('{"type":"x"}', signed(-900), secret, { tolerance: 1_000 }));
  await assert.rejects(verifyWebhook('{"type":"x"}', { ...signed(0), "Webhook-Timestamp": "1e9" }, secret), invalid("timestamp"));
  for (const wrong of [undefined, "", "secret", "whsec_!", "whsec_AAAA", []]) await assert.rejects(verifyWebhook('{"type":"x"}', signed(0), wrong), { code: "invalid_argument" });
  await assert.rejects(verifyWebhook('{"type":"x"}', signed(0), secret, { tolerance: 1e9 }), { code: "invalid_argument" });
});
