// The size of an app's bundle, and what an entry point needs.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Maximum sizes of what an app loads at first, and of what live items need, minified and compressed, in bytes. */
const MAX_CLIENT = 13_000;
const MAX_LIVE = 10_000;

const OPTIONS = { bundle: true, minify: true, format: "esm", target: "es2022", platform: "neutral", metafile: true, write: false };
const RESOLVE_DIR = fileURLToPath(new URL(".", import.meta.url));
const compressed = (bytes) => gzipSync(bytes, { level: 9 }).length;

async function bundle(contents, external = []) {
  const result = await build({ stdin: { contents, resolveDir: RESOLVE_DIR }, external, ...OPTIONS });
  const { contents: bytes, text } = result.outputFiles[0];
  return { bytes: compressed(bytes), text, inputs: Object.keys(result.metafile.inputs) };
}

test("an app loads at most 13 kB, and 10 kB more for live items", async () => {
  const contents = 'import { createClient } from "@steward/sdk/client"; globalThis.client = createClient({ url: "https://a.example", projectId: "p" });';
  const { outputFiles, metafile } = await build({ stdin: { contents, resolveDir: RESOLVE_DIR }, splitting: true, outdir: "out", ...OPTIONS });
  const [first, live] = [false, true].map((isLive) => {
    const files = outputFiles.filter(({ path }) => /device-\w+\.js$/.test(path) === isLive);
    return files.reduce((sum, file) => sum + compressed(file.contents), 0);
  });
  console.log(`# client: ${first} bytes, and ${live} bytes for live items (gzip)`);
  assert.ok(first <= MAX_CLIENT, `${first} bytes`);
  assert.ok(live > 1_000 && live <= MAX_LIVE, `${live} bytes`);
  const inputs = Object.keys(metafile.inputs);
  assert.ok(!inputs.some((input) => input.includes("generated/operations") || input.includes("generated/resources")), "It has no operations of administration.");
});

test("the other entry points need no runtime dependency", async () => {
  for (const [entry, external] of [["admin", []], ["server", []], ["react", ["react"]]]) {
    const { bytes, inputs, text } = await bundle(`export * from "@steward/sdk/${entry}"`, external);
    console.log(`# ${entry}: ${bytes} bytes (gzip)`);
    assert.ok(!inputs.some((input) => input.includes("node_modules")), entry);
    assert.ok(!/from\s*"node:/.test(text), `${entry} runs without Node.js.`);
  }
});
