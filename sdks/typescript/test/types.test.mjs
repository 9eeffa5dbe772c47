// What must and must not compile for a program that uses the SDK.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

test("programs are checked against the tables that the command line prints", () => {
  const directory = fileURLToPath(new URL("types", import.meta.url));
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
