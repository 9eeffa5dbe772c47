// How long a device with many items takes to load them, and to write while live queries are open.
import assert from "node:assert/strict";
import { test } from "node:test";

import { FakeService, items } from "./fake_service.mjs";

const COUNT = 50_000;

/** Queries as an app has them: all items, conditions, orders, limits, a function, and single items. */
const QUERIES = [
  { order: "title" },
  { where: { done: true }, order: ["rank.desc", "title"] },
  { where: { rank: { gte: 500 } }, order: "rank", limit: 100 },
  { filter: (item) => item.rank % 2 === 0 },
  { where: { id: "n7" } },
];

/** Loads all items with open queries, and writes. Returns the CPU times in milliseconds, which other programs do not change. */
async function times(queries) {
  const client = new FakeService(items(COUNT)).client();
  const opened = queries.map((query) => client.live("notes", query));
  const live = client.live("notes", { where: { id: "n0" } });
  const ends = opened.map((query) => query.subscribe(() => {}));
  const clock = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000;
  const started = clock();
  live.subscribe(() => {});
  await client.sync.synced();
  assert.equal(live.items.length, 1);
  for (const query of opened) assert.ok(query.items.length > 0);
  const loaded = clock();
  for (let index = 0; index < 50; index += 1) {
    await live.update(`n${index * 100}`, { rank: index * 20, title: `changed ${index}` });
    await new Promise(setImmediate);
  }
  const written = clock();
  for (const end of ends) end();
  await client.close();
  return { load: Math.round(loaded - started), write: Math.round(written - loaded) };
}

test("50 writes with 50,000 items and 20 queries take less than a second, and the first load less than five", async () => {
  await times([]);
  const two = await times(QUERIES.slice(0, 2));
  const none = await times([]);
  const twenty = await times([0, 1, 2, 3].flatMap(() => QUERIES));
  console.log(`# Load: ${none.load} ms without queries, ${two.load} ms with 2, ${twenty.load} ms with 20.`);
  console.log(`# 50 writes: ${none.write} ms without queries, ${two.write} ms with 2, ${twenty.write} ms with 20.`);
  // The limits leave room for a machine that does other things at the same time.
  assert.ok(twenty.write < 1_000 && two.load < 5_000, "It is slow.");
});
