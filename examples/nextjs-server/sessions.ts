import { createWebSessions } from "@steward/sdk/server";
import steward from "./steward.json";

export const sessions = createWebSessions({
  url: steward.server,
  projectId: steward.project,
  appUrl: process.env.APP_URL ?? `http://localhost:${process.env.PORT}`,
  secret: process.env.SESSION_SECRET ?? "",
});
