// Functions of the app that throw.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { person } from "./people.mjs";
import { createProject, developer, eventually } from "./service.mjs";

let projectId;
const clients = [];
const reported = [];
const { error } = console;

before(async () => {
  ({ projectId } = await createProject(await developer()));
  console.error = (problem) => reported.push(problem);
});
after(async () => {
  console.error = error;
  await Promise.all(clients.map((client) => client.close()));
});

const fail = (name) => () => {
  throw new Error(name);
};

test("a listener that throws is reported, and stops neither the others nor a write", async () => {
  const ann = await person(projectId, clients);
  const client = ann.device();
  const [live, other] = [client.live("notes"), client.live("notes")];
  const found = [];
  const statuses = [];
  const corrected = [];
  live.subscribe(fail("of items"));
  live.subscribe((items) => found.push(items.length));
  live.subscribe(async () => fail("of an async function")());
  other.subscribe(fail("of another query"));
  client.sync.subscribe(fail("of the status"));
  client.sync.subscribe(() => statuses.push(client.sync.status));
  client.sync.onCorrection(fail("of a correction"));
  client.sync.onCorrection((correction) => corrected.push(correction.id));
  client.onSession(fail("of the session"));
  await client.getSession();
  const sessions = [];
  client.onSession(({ status }) => sessions.push(status));
  const filtered = client.live("notes", { filter: fail("of a filter") });
  filtered.subscribe(() => {});

  const { id } = await live.create({ title: "written" });
  await live.put("wrong", { done: 1 });
  await client.sync.synced();
  assert.equal((await ann.first.items("notes").get(id)).title, "written");
  assert.deepEqual(corrected, ["wrong"]);
  await eventually(() => found.at(-1) === 1);
  assert.ok(statuses.includes("online"));
  await client.signOut();
  assert.deepEqual(sessions, ["signedOut"]);
  const names = new Set(reported.map((problem) => problem.message));
  for (const name of ["items", "an async function", "another query", "the status", "a correction", "the session", "a filter"]) assert.ok(names.has(`of ${name}`), name);
});
