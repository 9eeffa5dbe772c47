// The types of administration and verification.
import { createAdmin, StewardError, type WebhookDelivery } from "@steward/sdk/admin";
import { createTokenVerifier, verifyWebhook } from "@steward/sdk/server";
import type { Notes } from "./tables.js";

const admin = createAdmin({ url: "https://steward.example", token: async (rejected) => (rejected ? undefined : "stw_pat_x") });

export async function operations() {
  const team = await admin.teams.create({ name: "Acme", slug: "acme" }, { idempotencyKey: "a", signal: AbortSignal.timeout(1_000) });
  const { data, etag } = await admin.teams.get(team.id).withResponse();
  await admin.teams.update(team.id, { name: data.name }, { ifMatch: etag ?? "" });
  const deliveries: WebhookDelivery[] = await admin.teamWebhooks.deliveries(team.id, "w").all();
  for await (const event of admin.teamAuditLog.list(team.id, { action: "team.updated", limit: 10 })) event.actor;
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
