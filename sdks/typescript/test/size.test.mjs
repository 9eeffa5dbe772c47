// The size of an app's bundle, and what an entry point needs.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Maximum size of the client, minified and compressed with gzip, in bytes. */
const MAX_CLIENT = 17_500;

async function bundle(contents, external = []) {
  const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", platform: "neutral", metafile: true, write: false };
  const result = await build({ stdin, external, ...options });
  const { contents: bytes } = result.outputFiles[0];
  return { bytes: gzipSync(bytes, { level: 9 }).length, text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

test("the whole client has at most 17.5 kB", async () => {
  const { bytes, inputs } = await bundle('export * from "@steward/sdk/client"');
  console.log(`# client: ${bytes} bytes (gzip)`);
  assert.ok(bytes <= MAX_CLIENT, `${bytes} bytes`);
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
