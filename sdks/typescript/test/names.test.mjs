// Fields that are called like members of every object.
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, matcher } from "../dist/client/matching.js";
import { Replica } from "../dist/client/replica.js";

const NAMES = ["constructor", "hasOwnProperty", "toString", "valueOf"];

test("a field that an item does not have is absent, whatever every object has", () => {
  for (const name of NAMES) {
    const [without, having] = [{ id: "a" }, { id: "b", [name]: "x" }];
    assert.equal(matcher({ [name]: { isNull: true } })(without), true, name);
    assert.equal(matcher({ [name]: { isNull: true } })(having), false, name);
    assert.equal(matcher({ [name]: { neq: "y" } })(without), false, name);
    assert.equal(matcher({ [name]: "x" })(having), true, name);
    assert.deepEqual([without, having].sort(comparison(name)), [having, without], name);
  }
});

test("a removed field is not reported as corrected", async () => {
  for (const name of NAMES) {
    const corrections = [];
    const empty = { device: "d", revision: null, items: [], outbox: [] };
    const replica = new Replica(empty, { commit: async ({ refused = [] }) => void corrections.push(...refused), changed: () => {} });
    replica.beginLoad();
    const item = { type: 1, table: "notes", key: "a", obj: { id: "a", title: "A" } };
    await replica.receive([item], 1, true, true);
    await replica.write([{ type: 2, table: "notes", key: "a", mods: { [name]: null } }], "call");
    const { requestId } = replica.portion();
    await replica.receive([item], 2, false, true);
    await replica.acknowledge(requestId);
    assert.deepEqual(corrections, [], name);
  }
});
