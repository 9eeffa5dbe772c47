import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns whether a message is from the service. `body` has the bytes as they arrived, and `headers` is that of `node:http`. */
export function isValid(body, headers, secret) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  const key = Buffer.from((secret ?? "").replace("whsec_", ""), "base64");
  // Anyone can sign with an empty key.
  if (key.length < 24) throw new Error("The secret of the webhook is missing or incomplete.");
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`);
  return signatures.split(" ").some((sent) => sent.length === expected.length && timingSafeEqual(Buffer.from(sent, "latin1"), expected));
}
