// What a device refuses itself, in the words of the service.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { person } from "./people.mjs";
import { createProject, developer, eventually } from "./service.mjs";

const clients = [];
let projectId;
before(async () => ({ projectId } = await createProject(await developer())));
after(() => Promise.all(clients.map((client) => client.close())));

/** Values nested this deeply. */
const nested = (depth) => (depth ? [nested(depth - 1)] : []);

const REFUSED = {
  type: ["a", { title: 1 }, "invalid_item"],
  boolean: ["a", { title: "x", done: 1 }, "invalid_item"],
  json: ["a", { title: "x", tags: "a" }, "invalid_item"],
  required: ["a", { done: true }, "invalid_item"],
  null: ["a", { title: null }, "invalid_item"],
  nul: ["a", { title: "a\0b" }, "invalid_item"],
  depth: ["a", { title: "x", tags: nested(30) }, "invalid_item"],
  size: ["a", { title: "\u20ac".repeat(87_400) }, "item_too_large"],
  key: ["a/b", { title: "x" }, "invalid_key"],
  dots: ["..", { title: "x" }, "invalid_key"],
};

test("a write that the service would not store is refused on the device, in the same words", async () => {
  const ann = await person(projectId, clients);
  const knowing = ann.device();
  // This device does not know the schema: the service checks alone.
  const storage = { getItem: (key) => (key.endsWith(":schema") ? null : ann.storage.getItem(key)), setItem: () => {}, removeItem: () => {} };
  const ignorant = ann.device({ storage, fetch: (input, init) => (`${input}`.endsWith("/schema") ? Response.error() : fetch(input, init)) });
  const notes = knowing.live("notes");
  const unchecked = ignorant.live("notes");
  await knowing.sync.synced();
  await eventually(() => notes.put("probe", { rank: 1 }).then(() => false, ({ code }) => code === "invalid_item"));
  for (const [name, [id, value, code]] of Object.entries(REFUSED)) {
    const { pending } = knowing.sync;
    const refused = await notes.put(id, value).then(() => assert.fail(name), (error) => error);
    assert.equal(refused.code, code, `${name}: ${refused}`);
    assert.equal(knowing.sync.pending, pending, `${name} was not accepted.`);
    if (["nul", "depth", "size", "key", "dots"].includes(name)) continue;
    const corrected = await unchecked.put(id, value).stored().then(() => assert.fail(name), (error) => error);
    assert.deepEqual([corrected.code, corrected.message], [refused.code, refused.message], name);
  }
  await assert.rejects(notes.put("a", { title: 1 }), ({ message, violations }) => message === "Field title should be type string, got number" && violations[0].field === "/title");
  for (const value of [{ title: "\u20ac".repeat(87_370) }, { title: "", done: null, rank: 18446744073709551616, tags: nested(29) }]) await notes.put("b", value).stored();
  await notes.update("b", { title: "y" }).stored();
  await assert.rejects(notes.update("b", { title: null }), { code: "invalid_item", message: "Field title is required" });
});
