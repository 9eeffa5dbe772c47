import { createAdmin } from "@steward/sdk/admin";
import { headers } from "next/headers";
import { sessions } from "../sessions";
import steward from "../steward.json";
import type { Tables } from "../tables";
import { Notes } from "./notes";

export default async () => {
  const session = await sessions.session((await headers()).get("cookie"));
  if (!session) return <><h1>Notes</h1><form action="/auth/sign-in"><button>Sign in</button></form></>;
  const { ownItems } = createAdmin<Tables>({ url: steward.server, token: session.accessToken });
  const notes = await ownItems.list(steward.project, "notes", { order: "title" }).all();
  return <><h1>Notes</h1><p>{session.user.username}</p><Notes rendered={notes} /></>;
};
