import { env } from "$env/dynamic/private";
import { createWebSessions } from "@steward/sdk/server";
import type { Handle } from "@sveltejs/kit";
import steward from "../steward.json";

const sessions = createWebSessions({
  url: steward.server,
  projectId: steward.project,
  appUrl: env.APP_URL ?? "",
  secret: env.SESSION_SECRET ?? "",
});

export const handle: Handle = async ({ event, resolve }) => {
  const { response, session, cookies } = await sessions.handle(event.request);
  if (response) return response;
  if (session) event.locals.session = session;
  const page = await resolve(event);
  for (const cookie of cookies) page.headers.append("set-cookie", cookie);
  return page;
};
