// The examples of the README compile.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);
const directory = new URL(`.readme-${process.pid}/`, root);
after(() => rmSync(directory, { recursive: true, force: true }));

test("the examples of this README and that of the project compile", () => {
  const read = (name) => readFileSync(new URL(name, root), "utf8");
  const examples = ["README.md", "../../README.md"].flatMap((name) => [...read(name).matchAll(/^```(tsx?)\n(.*?)^```/gms)]);
  assert.ok(examples.length >= 7);
  mkdirSync(directory);
  copyFileSync(new URL("test/types/tables.ts", root), new URL("tables.ts", directory));
  examples.forEach(([, kind, code], index) => writeFileSync(new URL(`example${index}.${kind}`, directory), code));
  writeFileSync(new URL("tsconfig.json", directory), JSON.stringify({ extends: "../test/types/tsconfig.json", include: ["*"] }));
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", fileURLToPath(directory)], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
