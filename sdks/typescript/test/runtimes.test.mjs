// The package in the runtimes that its README names. test/browser.test.mjs is for browsers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

const program = fileURLToPath(new URL("runtime_program.mjs", import.meta.url));
const packages = fileURLToPath(new URL("../node_modules", import.meta.url));
const deno = join(packages, ".bin/deno");
/** The package with the program for this machine. The script that would link it is not run. */
const bun = join(packages, "@oven", readdirSync(join(packages, "@oven"))[0], "bin/bun");
const RESULT = { titles: ["Here", "There"] };

for (const [name, ...command] of [["Deno", deno, "run", "--no-lock", "--allow-all"], ["Bun", bun]]) {
  test(name, async () => {
    const [path, ...args] = [...command, program];
    const cache = await mkdtemp(join(tmpdir(), "runtime-"));
    const env = { ...process.env, DENO_DIR: cache, BUN_INSTALL: cache, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
    const { stdout } = await promisify(execFile)(path, args, { env, timeout: 120_000 });
    await rm(cache, { recursive: true });
    assert.deepEqual(JSON.parse(stdout), RESULT);
  });
}

test("a worker", async () => {
  const worker = new Worker(program, { stdout: true });
  let printed = "";
  worker.stdout.on("data", (text) => (printed += text));
  await new Promise((resolve, reject) => worker.on("error", reject).on("exit", resolve));
  assert.deepEqual(JSON.parse(printed), RESULT);
});
