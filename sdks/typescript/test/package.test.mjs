// What the package has for programs of all kinds: CommonJS, debuggers, server components.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);
const directory = new URL(`.commonjs-${process.pid}/`, root);
after(() => rmSync(directory, { recursive: true, force: true }));

const ENTRIES = ["client", "admin", "server", "react"];

test("programs in CommonJS, and Jest, require it", async () => {
  const require = createRequire(import.meta.url);
  for (const entry of ENTRIES) {
    assert.match(require.resolve(`@steward/sdk/${entry}`), /dist.cjs/);
    const [required, imported] = [require(`@steward/sdk/${entry}`), await import(`@steward/sdk/${entry}`)];
    assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort(), entry);
  }
  // What live items need is loaded on demand.
  const { createClient, memoryStorage } = require("@steward/sdk/client");
  const client = createClient({ url: "http://localhost:1", projectId: "p", storage: memoryStorage(), webSocket: class {} });
  await assert.rejects(client.live("notes").create({ title: "a" }), { code: "signed_out" });
  await client.close();
});

test("TypeScript checks programs in CommonJS", () => {
  mkdirSync(directory);
  const write = (name, text) => writeFileSync(new URL(name, directory), text);
  write("program.cts", 'import { createClient } from "@steward/sdk/client";\nimport admin = require("@steward/sdk/admin");\nexport const client = createClient({ url: "https://steward.example", projectId: "p" });\nexport const { teams } = admin.createAdmin({ url: "https://steward.example" });\n');
  const compilerOptions = { strict: true, noEmit: true, module: "node16", target: "es2022", lib: ["es2023", "dom"], types: [] };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.cts"] }));
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", fileURLToPath(directory)], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

test("each file has a source map with its source", () => {
  const files = readdirSync(new URL("dist", root), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  assert.ok(files.length > 50);
  for (const file of files) {
    const { sourcesContent } = JSON.parse(readFileSync(new URL(`dist/${file}.map`, root), "utf8"));
    assert.ok(sourcesContent?.every((source) => source.length > 0), file);
  }
});

test("the hooks are client components", () => {
  const first = (name) => readFileSync(new URL(name, root), "utf8").split("\n", 2);
  assert.equal(first("dist/react/index.js")[0], '"use client";');
  assert.equal(first("dist/cjs/react/index.js")[1], '"use client";');
});
