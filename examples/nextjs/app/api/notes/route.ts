import { createAdmin, StewardError } from "@steward/sdk/admin";
import { createTokenVerifier } from "@steward/sdk/server";
import steward from "../../../steward.json";
import type { Notes } from "../../../tables";

const verifier = createTokenVerifier({ url: steward.server, projectId: steward.project });

export async function POST(request: Request) {
  const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
  try {
    await verifier.verify(token, { scope: "app:db:write" });
    const { ownItems } = createAdmin({ url: steward.server, token });
    const value: Notes = await request.json();
    return Response.json(await ownItems.create(steward.project, "notes", { value }), { status: 201 });
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return Response.json({ error: error.message }, { status: error.code === "verification_failed" ? 401 : error.status || 503 });
  }
}
