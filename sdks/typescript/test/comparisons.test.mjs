// What conditions and orders find is the same here and on the service (docs/contract.md#comparisons).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createClient, memoryStorage } from "@steward/sdk/client";
import { comparison, matcher } from "../dist/client/matching.js";
import { allow, CALLBACK, createProject, developer, signUp, url } from "./service.mjs";

const { schema, items: values, texts } = JSON.parse(readFileSync(new URL("../../comparisons.json", import.meta.url), "utf8"));
const items = Object.entries(values).filter(([id]) => !id.startsWith("_")).map(([id, value]) => ({ id, ...value }));

/** Parts of a list such as `(a,"b,c")`. */
const members = (list) => [...list.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/g)].map(([all, quoted]) => quoted?.replace(/\\(.)/g, "$1") ?? all);

/** The conditions of a query such as `t=gte.a&t=not.is.null`; nothing if the SDK has no such condition. */
function whereOf(query) {
  const where = {};
  for (const [, field, negated, operator, operand] of query.matchAll(/(?:^|&)(\w+)=(not\.)?(\w+)\.(.*?)(?=&\w+=|$)/gs)) {
    const name = operator === "is" ? "isNull" : operator;
    if ((negated && operator !== "is") || name in (where[field] ?? {})) return undefined;
    where[field] = { ...where[field], [name]: operator === "is" ? !negated : operator === "in" ? members(operand) : operand };
  }
  return where;
}

const idsOf = (found) => found.map(({ id }) => id);
const expectedOf = (ids) => ids.split(" ").filter((id) => id && !id.startsWith("_"));
const sorted = (ids) => [...ids].sort();

/** Each query that the SDK has, and the IDs of what it finds. */
function* cases() {
  for (const [query, ids] of Object.entries(texts.conditions)) {
    const where = whereOf(query);
    if (where) yield { query, where, expected: sorted(expectedOf(ids)) };
  }
}

function* orders() {
  for (const [query, ids] of Object.entries(texts.orders)) {
    const { order } = Object.fromEntries(new URLSearchParams(query));
    yield { query, order, expected: expectedOf(ids) };
  }
}

test("conditions and orders find here what they find on the service", () => {
  assert.ok([...cases()].length > 60);
  for (const { query, where, expected } of cases()) {
    assert.deepEqual(sorted(idsOf(items.filter(matcher(where)))), expected, query);
  }
  for (const { query, order, expected } of orders()) {
    assert.deepEqual(idsOf([...items].sort(comparison(order))).slice(0, expected.length), expected, query);
  }
});

test("a value of another type is not comparable", () => {
  const item = { id: "a", t: 100 };
  for (const where of [{ t: { neq: "a" } }, { t: { like: "100" } }, { t: { lt: "a" } }, { t: "100" }]) assert.ok(!matcher(where)(item));
});

test("the service finds the same", async () => {
  const { projectId } = await createProject(await developer(), schema);
  const client = createClient({ url, projectId, redirectUri: CALLBACK, storage: memoryStorage() });
  await client.completeSignIn(await allow(await client.signInUrl(), await signUp("compare")));
  const stored = client.items("values");
  await stored.batch(items.map(({ id, ...value }) => ({ op: "put", id, value })));
  for (const { query, where, expected } of cases()) {
    assert.deepEqual(sorted(idsOf(await stored.list({ where }).all())), expected, query);
  }
  for (const { query, order, expected } of orders()) {
    assert.deepEqual(idsOf(await stored.list({ order }).first(expected.length)), expected, query);
  }
});
