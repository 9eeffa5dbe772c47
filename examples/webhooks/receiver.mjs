import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook } from "@steward/sdk/server";

const MAX_BYTES = 1_048_576;

createServer(async (request, response) => {
  if (!(Number(request.headers["content-length"]) <= MAX_BYTES)) return response.writeHead(413).end();
  try {
    const event = await verifyWebhook(await buffer(request), request.headers, process.env.WEBHOOK_SECRET);
    console.log(event.id, event.type);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error.code === "verification_failed" ? 401 : 500).end();
  }
}).listen(process.env.PORT ?? 3000);
