// The types of administration and verification.
import { createAdmin, StewardError, type WebhookDelivery } from "@steward/sdk/admin";
import { createTokenVerifier, verifyWebhook } from "@steward/sdk/server";
import type { Notes, Tables } from "./tables.js";

const admin = createAdmin({ url: "https://steward.example", token: async (rejected) => (rejected ? undefined : "stw_pat_x") });

export async function operations() {
  const team = await admin.teams.create({ name: "Acme", slug: "acme" }, { idempotencyKey: "a", signal: AbortSignal.timeout(1_000) });
  const { data, etag } = await admin.teams.get(team.id).withResponse();
  await admin.teams.update(team.id, { name: data.name }, { ifMatch: etag ?? "" });
  const deliveries: WebhookDelivery[] = await admin.teamWebhooks.deliveries(team.id, "w").all();
  for await (const event of admin.teamAuditLog.list(team.id, { action: "team.updated", pageSize: 10 })) event.actor;
  const notes = admin.items.list<Notes>("p", "u", "notes", { conditions: { rank: "gte.1" }, order: "rank" });
  const [note] = await notes.first(1);
  const title: string | undefined = note?.title;
  await admin.items.create<Notes>("p", "u", "notes", { value: { title: "a" } });

  // @ts-expect-error The slug is required.
  await admin.teams.create({ name: "Acme" });
  // @ts-expect-error The member is misspelt.
  await admin.teams.update(team.id, { nmae: "Acme" });
  // @ts-expect-error The parameter does not exist.
  admin.teams.list({ limt: 1 });
  // @ts-expect-error A list cannot be retried with a key.
  admin.teams.list({}, { idempotencyKey: "a" });
  // @ts-expect-error The operation does not exist.
  admin.teams.rename(team.id);
  // @ts-expect-error The field is misspelt.
  await admin.items.create<Notes>("p", "u", "notes", { value: { titel: "a" } });
  return { deliveries, title };
}

/** A client that knows the tables of a project. */
export async function tables() {
  const typed = createAdmin<Tables>({ url: "https://steward.example", onRequest: ({ method, url, status }) => console.log(method, url, status), logger: console });
  const [team] = await typed.teams.list().first(1);
  const [project] = await typed.projects.list().first(1);
  const [user] = await typed.users.list(project!.id).first(1);
  const note = await typed.items.patch(project!.id, user!.id, "notes", "a", { value: { done: true, rank: null } });
  const title: string = note.title;
  await typed.items.put("p", "u", "lists", "a", { value: { name: title } });
  await typed.items.batch("p", "u", "notes", { operations: [{ op: "patch", id: "a", value: { done: true } }, { op: "delete", id: "b" }] });
  await typed.ownItems.patch("p", "notes", "a", { value: { done: null } });
  await admin.items.patch<Notes>("p", "u", "notes", "a", { value: { done: true } });

  // @ts-expect-error The table does not exist.
  typed.items.list("p", "u", "note");
  // @ts-expect-error The field is one of another table.
  await typed.items.patch("p", "u", "lists", "a", { value: { done: true } });
  // @ts-expect-error A required field cannot be removed.
  await typed.items.patch("p", "u", "notes", "a", { value: { title: null } });
  // @ts-expect-error The title is required.
  await typed.items.put("p", "u", "notes", "a", { value: { done: true } });
  // @ts-expect-error The title is required.
  await typed.items.batch("p", "u", "notes", { operations: [{ op: "put", id: "a", value: { done: true } }] });
  // @ts-expect-error The IDs are swapped.
  typed.items.list(user!.id, project!.id, "notes");
  // @ts-expect-error A team is not a project.
  await typed.projects.get(team!.id);
  // @ts-expect-error The required title has no value.
  await typed.items.create("p", "u", "notes", { value: { title: undefined } });
}

/** The code of an error is one of a list. */
export function explain(error: unknown): string {
  if (!(error instanceof StewardError)) return "unknown";
  switch (error.code) {
    case "slug_taken":
      return error.violations.map(({ field }) => field).join();
    // @ts-expect-error The code does not exist.
    case "slug_tkaen":
    default:
      return error.message;
  }
}

export async function verification(request: Request) {
  const token = await createTokenVerifier({ url: "https://steward.example", projectId: "p" }).verify("t", { scope: "app:db:read" });
  const event = await verifyWebhook(await request.text(), request.headers, ["whsec_new", "whsec_old"]);
  const position: number = event.data.position;
  // @ts-expect-error Receivers do not get the address.
  const address: string = event.data.address;
  return { user: token.userId.trim(), position, address };
}
