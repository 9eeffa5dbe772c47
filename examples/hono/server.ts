import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { createAdmin, StewardError } from "@steward/sdk/admin";
import { createTokenVerifier } from "@steward/sdk/server";
import { Hono } from "hono";
import steward from "./steward.json" with { type: "json" };
import type { Notes } from "./tables.js";

const verifier = createTokenVerifier({ url: steward.server, projectId: steward.project });
const app = new Hono();
app.post("/api/notes", async (context) => {
  const token = context.req.header("authorization")?.replace("Bearer ", "") ?? "";
  await verifier.verify(token, { scope: "app:db:write" });
  const value = await context.req.json<Notes>();
  const { ownItems } = createAdmin({ url: steward.server, token });
  return context.json(await ownItems.create(steward.project, "notes", { value }), 201);
});
app.get("/steward.json", (context) => context.json(steward));
app.use("/sdk/*", serveStatic({ root: "node_modules/@steward/sdk/dist", rewriteRequestPath: (path) => path.replace("/sdk", "") }));
app.use(serveStatic({ root: "public" }));
app.onError((error) => {
  if (!(error instanceof StewardError)) return Response.json({ error: "Internal error" }, { status: 500 });
  return Response.json({ error: error.message }, { status: error.code === "verification_failed" ? 401 : error.status || 503 });
});
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
