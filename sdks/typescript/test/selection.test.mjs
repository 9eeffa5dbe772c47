// A live query that changes with each change has what a new one has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Selection } from "../dist/client/selection.js";

const QUERIES = [
  {},
  { order: "title" },
  { order: ["rank.desc", "title"], where: { done: true } },
  { where: { rank: { gte: 3, lt: 8 } }, order: "rank", limit: 5 },
  { filter: (item) => item.rank % 2 === 0, order: "title.desc", limit: 3 },
  { order: "rank", limit: 5, offset: 10 },
  { where: { done: true }, offset: 3 },
  { where: { id: "n7" } },
  { where: { id: { eq: "n7" }, done: true } },
  { where: { title: { ilike: "*A*" } } },
];

/** Numbers that are the same in each run. */
let seed = 42;
const random = (count) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % count;

const made = (id) => ({ id, title: ["a", "B", "ä", "😀", "ba"][random(5)], rank: random(10), ...(random(2) && { done: random(2) === 1 }) });

test("random changes, few or many at once, lead to the same items in the same order", () => {
  for (const query of QUERIES) {
    const items = new Map();
    const selection = new Selection(query);
    selection.select([]);
    for (let round = 0; round < 200; round += 1) {
      const changes = new Map();
      for (let count = round % 20 === 0 ? 100 : 1 + random(5); count > 0; count -= 1) {
        const id = `n${random(60)}`;
        if (!changes.has(id)) changes.set(id, items.get(id));
        if (random(3)) items.set(id, made(id));
        else items.delete(id);
      }
      const before = selection.items;
      const shown = [...before];
      selection.change([...changes].map(([id, old]) => [old, items.get(id)]));
      const fresh = new Selection(query);
      fresh.select([...items.values()]);
      assert.deepEqual(selection.items, fresh.items, JSON.stringify(query));
      assert.equal(selection.total, fresh.total);
      assert.deepEqual(before, shown, "The array that the app has does not change.");
    }
  }
});

test("the array is the same until an item of the query changes", () => {
  const [a, b, c] = ["a", "b", "c"].map((id, rank) => ({ id, rank }));
  const selection = new Selection({ where: { rank: { lt: 2 } }, limit: 1 });
  selection.select([a, b, c]);
  const { items } = selection;
  assert.deepEqual(items, [a]);
  selection.change([[c, { ...c, rank: 9 }]]);
  selection.change([[b, { ...b, title: "beyond the limit" }]]);
  selection.change([[a, a]]);
  assert.equal(selection.items, items);
  selection.change([[a, { ...a, title: "new" }]]);
  assert.notEqual(selection.items, items);
  assert.equal(selection.items[0].title, "new");

  // A page says how many there are.
  const before = selection.items;
  selection.change([[undefined, { id: "d", rank: 0 }]]);
  assert.notEqual(selection.items, before);
  assert.equal(selection.total, 3);
});
