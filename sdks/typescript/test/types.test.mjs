// What must and must not compile for a program that uses the SDK.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

for (const [name, file] of [["programs", "tsconfig.json"], ["programs with fewer checks", "loose.tsconfig.json"]]) {
  test(`${name} are checked against the tables that the command line prints`, () => {
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", fileURLToPath(new URL(`types/${file}`, import.meta.url))], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}
