// The receivers of the guide for webhooks, in examples/webhooks, with messages of the service and forged ones.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createProject, developer, eventually } from "./service.mjs";

const EXAMPLES = fileURLToPath(new URL("../../../examples/webhooks", import.meta.url));
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const BODY = JSON.stringify({ type: "project.updated", timestamp: "2030-01-31T12:00:00Z", data: { name: "Ä" } });

let directory;

// In the package, where programs find `@steward/sdk`.
before(() => {
  directory = mkdtempSync(fileURLToPath(new URL("./webhooks-", import.meta.url)));
  cpSync(EXAMPLES, directory, { recursive: true });
});
after(() => rmSync(directory, { recursive: true }));

function signed(body = BODY, { secret = SECRET, at = Date.now() / 1_000 } = {}) {
  const timestamp = `${Math.floor(at)}`;
  const signature = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`m1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "m1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

const other = { secret: `whsec_${randomBytes(32).toString("base64")}` };
const forged = () => [
  {},
  { ...signed(), "webhook-id": "m2" },
  { ...signed(), "webhook-signature": "v1," },
  { ...signed(), "webhook-signature": "v1,Ä" },
  { ...signed(), "webhook-signature": signed()["webhook-signature"].replace(/,./, ",Ä") },
  { ...signed(), "webhook-timestamp": "now" },
  signed(`${BODY} `),
  signed(BODY, other),
  signed(BODY, { at: Date.now() / 1_000 - 310 }),
  signed(BODY, { at: Date.now() / 1_000 + 310 }),
];

test("the verification by hand accepts what the service signs, and nothing else", async () => {
  const { isValid } = await import(pathToFileURL(join(directory, "by_hand.mjs")));
  assert.ok(isValid(Buffer.from(BODY), signed(), SECRET));
  const rotated = { ...signed(), "webhook-signature": `${signed(BODY, other)["webhook-signature"]} ${signed()["webhook-signature"]}` };
  assert.ok(isValid(Buffer.from(BODY), rotated, SECRET), "Both secrets sign during a rotation.");
  for (const headers of forged()) assert.equal(isValid(Buffer.from(BODY), headers, SECRET), false, JSON.stringify(headers));
  for (const secret of ["", "whsec_", "!", undefined]) {
    assert.throws(() => isValid(Buffer.from(BODY), signed(BODY, { secret: "" }), secret), /missing or incomplete/, `${secret}`);
  }
});

test("the receiver accepts messages of the service, and refuses forged ones", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks`;
  const admin = await developer();
  const { projectId } = await createProject(admin);
  const webhook = await admin.projectWebhooks.create(projectId, { url, events: ["project.updated"] });
  const environment = { ...process.env, PORT: port, WEBHOOK_SECRET: webhook.secret };
  const receiver = spawn(process.execPath, [join(directory, "receiver.mjs")], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let printed = "";
    receiver.stdout.on("data", (text) => (printed += text));
    const post = (headers, body = BODY) => fetch(url, { method: "POST", headers, body }).then((response) => response.status, () => undefined);
    await eventually(() => post({}), "The receiver did not start.");
    await admin.projectWebhooks.test(projectId, webhook.id);
    await admin.projects.update(projectId, { name: "Rocket 2" });
    await eventually(() => /webhook\.test[^]*project\.updated/.test(printed), "The receiver got no message.");
    for (const headers of forged()) {
      const isLatin = Object.values(headers).every((value) => !value.includes("Ä"));
      if (isLatin) assert.equal(await post(headers), 401, JSON.stringify(headers));
    }
    assert.equal(await post(signed("x".repeat(2_000_000), { secret: webhook.secret }), "x".repeat(2_000_000)), 413);
    assert.equal(await post(signed(BODY, { secret: webhook.secret })), 204);
  } finally {
    receiver.kill();
  }
});

test("the receiver does not start without a secret", async () => {
  const environment = { ...process.env, WEBHOOK_SECRET: "" };
  const receiver = spawn(process.execPath, [join(directory, "receiver.mjs")], { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  let printed = "";
  receiver.stderr.on("data", (text) => (printed += text));
  const [code] = await once(receiver, "close");
  assert.ok(code !== 0 && printed.includes("Set WEBHOOK_SECRET"), printed);
});

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
