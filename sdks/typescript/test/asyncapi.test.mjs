// The AsyncAPI document of sync is valid, and so are its examples. test/sync.test.mjs compares it with sessions.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import Ajv from "ajv";
import { checked, document, sent } from "./asyncapi.mjs";
import { openapi } from "./service.mjs";

const { channels, components, info } = document;

test("the document matches the schema of AsyncAPI 3.0", () => {
  const schema = createRequire(import.meta.url)("@asyncapi/specs/schemas/3.0.0.json");
  // The schema contains that of JSON Schema, which the validator would have, too.
  const validate = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false, validateFormats: false }).compile(schema);
  assert.ok(validate(document), JSON.stringify(validate.errors, null, 2));
  assert.ok(!validate({ ...document, operations: { x: { action: "shout", channel: { $ref: "#/channels/sync" } } } }));
  assert.equal(info.version, openapi.info.version);
});

test("each message belongs to the channel, and is sent by the device or by the service", () => {
  const names = Object.keys(components.messages).sort();
  assert.deepEqual(Object.keys(channels.sync.messages).sort(), names);
  assert.deepEqual([...sent.device, ...sent.service].sort(), names);
});

test("the examples of a message are valid, and a wrong message is not", () => {
  for (const [sender, names] of Object.entries(sent)) {
    for (const name of names) {
      const { examples } = components.messages[name];
      assert.ok(examples.length > 0, name);
      for (const { payload } of examples) {
        assert.equal(checked(sender, payload), name);
        assert.throws(() => checked(sender, { ...payload, type: "other" }));
        assert.throws(() => checked(sender, { ...payload, misspelt: 1 }));
        assert.throws(() => checked(sender, { type: payload.type }));
      }
    }
  }
  const change = { type: 2, table: "notes", key: "a", mods: { done: true } };
  assert.throws(() => checked("service", { type: "changes", changes: [change], currentRevision: 1, partial: false }), /sync|oneOf|must/);
  assert.throws(() => checked("device", { type: "changes", requestId: 1, changes: [{ ...change, mods: 1 }] }));
});
