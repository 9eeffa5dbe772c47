import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook } from "@steward/sdk/server";

const MAX_BYTES = 1_048_576;
const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook.");

createServer(async (request, response) => {
  if (!(Number(request.headers["content-length"]) <= MAX_BYTES)) return response.writeHead(413).end();
  try {
    const event = await verifyWebhook(await buffer(request), request.headers, secret);
    console.log(event.id, event.type);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error.code === "verification_failed" ? 401 : 500).end();
  }
}).listen(process.env.PORT ?? 3000);
