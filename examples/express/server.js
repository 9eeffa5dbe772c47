import { createAdmin } from "@steward/sdk/admin";
import { createTokenVerifier } from "@steward/sdk/server";
import express from "express";
import steward from "./steward.json" with { type: "json" };

const verifier = createTokenVerifier({ url: steward.server, projectId: steward.project });
const authenticate = (request, response, next) => {
  request.token = request.get("authorization")?.replace("Bearer ", "") ?? "";
  verifier.verify(request.token, { scope: "app:db:write" }).then(() => next(), next);
};

const app = express();
app.get("/steward.json", (request, response) => response.json(steward));
app.use(express.static("public"));
app.use("/sdk", express.static("node_modules/@steward/sdk/dist"));
app.post("/api/notes", authenticate, express.json(), async (request, response) => {
  const { ownItems } = createAdmin({ url: steward.server, token: request.token });
  response.status(201).json(await ownItems.create(steward.project, "notes", { value: request.body }));
});
app.use((error, request, response, next) => {
  response.status(error.code === "verification_failed" ? 401 : error.status || 503).json({ error: error.message });
});
app.listen(process.env.PORT ?? 3000);
