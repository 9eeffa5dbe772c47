// Assignments that compile, and some that must not: each `@ts-expect-error` fails if its line compiles.
import { createClient } from "@steward/sdk/client";
import type { Tables } from "./tables.js";

const client = createClient<Tables>({ url: "https://steward.example", projectId: "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55" });
const notes = client.items("notes");

export async function items() {
  const note = await notes.create({ title: "Buy milk", rank: 1, tags: ["a", { deep: true }] });
  const title: string = note.title;
  const done: boolean | null | undefined = note.done;
  const created: string = note.created_at;
  await notes.patch(note.id, { rank: null });
  await notes.put(note.id, { title }, { ifMatch: '"1"' });
  await notes.batch([{ op: "put", id: "a", value: { title } }, { op: "patch", id: "b", value: { done: true } }, { op: "delete", id: "c" }]);
  for await (const item of notes.list({ where: { rank: { gte: 1, in: [1, 2] }, title: { like: "*milk*" }, done: true, created_at: { gt: created } }, order: ["rank.desc", "title"] })) item.title.trim();

  // @ts-expect-error The table does not exist.
  client.items("note");
  // @ts-expect-error The field is misspelt.
  await notes.create({ title: "a", dnoe: true });
  // @ts-expect-error The title is required.
  await notes.create({ done: true });
  // @ts-expect-error A number is not a boolean.
  await notes.put("a", { title: "a", done: 1 });
  // @ts-expect-error The field is misspelt.
  await notes.patch("a", { tilte: "a" });
  // @ts-expect-error A required field cannot be removed.
  await notes.patch("a", { title: null });
  // @ts-expect-error A required field that is undefined would not change.
  await notes.patch("a", { title: undefined as string | undefined });
  // @ts-expect-error One of the fields is misspelt.
  await notes.patch("a", { title: "a", dnoe: true });
  // @ts-expect-error The required title has no value.
  await notes.create({ title: undefined });
  const part: { title?: string } = {};
  await notes.patch("a", part);
  await notes.patch("a", { done: undefined as boolean | undefined } as { done?: boolean });
  // @ts-expect-error The field is misspelt.
  notes.list({ where: { rnak: 1 } });
  // @ts-expect-error A text is not a number.
  notes.list({ where: { rank: { gte: "1" } } });
  // @ts-expect-error The operator does not exist.
  notes.list({ where: { rank: { above: 1 } } });
  // @ts-expect-error The field is misspelt.
  notes.list({ order: "rnak.desc" });
  // @ts-expect-error The field is misspelt.
  note.titel;
  // @ts-expect-error The value of an operation is checked, too.
  await notes.batch([{ op: "put", id: "a", value: { titel: "a" } }]);
  return { title, done };
}

export async function live() {
  const query = client.live("notes", { where: { rank: { gte: 1 } }, filter: (note) => note.title !== "", order: "rank.desc" });
  query.subscribe((found) => found.map((note) => note.title.trim()));
  await query.patch("a", { done: null });
  await query.patch("a", { done: true }).stored();
  const stored: { id: string; title: string } = await query.create({ title: "a" }).stored();
  const list = await client.live("lists").create({ name: "a" });
  list.id.trim();
  stored.title.trim();

  // @ts-expect-error The table does not exist.
  client.live("lits");
  // @ts-expect-error The field is misspelt.
  await query.create({ titel: "a" });
  // @ts-expect-error The field is misspelt.
  client.live("notes", { filter: (note) => note.titel !== "" });
  // @ts-expect-error A required field that is undefined would not change.
  await query.patch("a", { title: undefined as string | undefined });
  // @ts-expect-error The field is one of another table.
  client.live("lists", { where: { title: "a" } });
  // @ts-expect-error A device does not know when an item was created.
  query.items[0]?.created_at;
}

export async function unsent() {
  client.sync.onCorrection(({ id, code, message }) => [id, code?.trim(), message?.trim()]);
  const [held] = client.sync.held;
  const title: unknown = held?.change.type === 1 ? held.change.obj.title : undefined;
  await client.sync.retryHeld();
  await client.sync.discardHeld("notes", held?.id);
  await client.signOut({ discard: client.sync.storeError === undefined });

  // @ts-expect-error The client changes it.
  client.sync.held.push(held);
  return title;
}

export async function together() {
  const write = client.atomic((items) => {
    const id: string = items("notes").create({ title: "a" });
    items("lists").put(id, { name: "b" });
    items("notes").patch(id, { done: null });
    items("notes").delete(id);

    // @ts-expect-error The table does not exist.
    items("note");
    // @ts-expect-error The title is required.
    items("notes").create({ done: true });
    // @ts-expect-error The field is one of another table.
    items("lists").patch(id, { title: "a" });
    // @ts-expect-error A required field cannot be removed.
    items("notes").patch(id, { title: null });
  });
  await write.stored();
}

/** Without generated types, tables have any fields. */
export async function untyped() {
  const anything = createClient({ url: "https://steward.example", projectId: "p" });
  const item = await anything.items("whatever").create({ name: 1 });
  const name: unknown = item.name;
  return name;
}

export function session() {
  const { session } = client;
  if (session.status === "signedIn") return session.user.id;
  // @ts-expect-error Nobody is signed in.
  session.user.id;
  return undefined;
}

/** Fields that are called like members of every object. */
export async function inherited() {
  interface Word {
    text: string;
    constructor?: string | object | null;
    toString: string;
  }
  const words = createClient<{ words: Word }>({ url: "https://steward.example", projectId: "p" }).items("words");
  await words.put("a", { text: "a", toString: "b" });
  await words.patch("a", { text: "a" });
  for await (const word of words.list({ where: { text: "a" } })) word.text.trim();

  // @ts-expect-error A number is not a text.
  await words.patch("a", { toString: 1 });
  // @ts-expect-error A number is not a text.
  await words.put("a", { text: "a", constructor: 1, toString: "b" });
}
