// The samples of the documentation: each operation has one, and they compile.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { operations } from "@steward/sdk/admin";

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

test("the samples compile", () => {
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", fileURLToPath(new URL("samples", root))], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
