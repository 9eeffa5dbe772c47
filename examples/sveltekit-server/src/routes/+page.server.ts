import { createAdmin } from "@steward/sdk/admin";
import steward from "../../steward.json";
import type { Tables } from "../../tables";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ locals: { session } }) => {
  if (!session) return { notes: [] };
  const { ownItems } = createAdmin<Tables>({ url: steward.server, token: session.accessToken });
  return { user: session.user, notes: await ownItems.list(steward.project, "notes", { order: "title" }).all() };
};
