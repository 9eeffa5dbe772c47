"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.verifyWebhook = verifyWebhook;
const error_js_1 = require("../error.js");
const encoding_js_1 = require("./encoding.js");
/** The service signs with two secrets for a day after a rotation. More are refused, because each costs time. */
const MAX_SIGNATURES = 10;
const MAX_TOLERANCE = 3_600;
/**
 * Verifies a message to a webhook (Standard Webhooks), and returns it with its ID. Messages can arrive more than once:
 * deduplicate by the ID.
 *
 * @param body The body of the request, byte by byte as it arrived: text or bytes, not parsed JSON.
 * @param headers The headers of the request.
 * @param secrets The secret of the webhook (`whsec_...`), or several during a rotation.
 * @throws {StewardError} `verification_failed` if the message is not from the service, was changed, or is too old.
 */
async function verifyWebhook(body, headers, secrets, options = {}) {
    const tolerance = options.tolerance ?? 300;
    if (!(tolerance > 0 && tolerance <= MAX_TOLERANCE))
        throw new error_js_1.StewardError("invalid_argument", `\`tolerance\` must be 1 to ${MAX_TOLERANCE} seconds.`);
    const keys = await Promise.all([secrets].flat().map(keyOf));
    if (keys.length === 0)
        throw new error_js_1.StewardError("invalid_argument", "Pass the secret of the webhook.");
    const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
    if (!id || !timestamp || !signatures)
        throw failed("The message has no `webhook-id`, `webhook-timestamp` or `webhook-signature`.");
    const age = Date.now() / 1_000 - Number(timestamp);
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > tolerance)
        throw failed("The timestamp of the message is too far from the time of this server.");
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const head = new TextEncoder().encode(`${id}.${timestamp}.`);
    const signed = new Uint8Array(head.length + bytes.length);
    signed.set(head);
    signed.set(bytes, head.length);
    const sent = signatures.split(" ").slice(0, MAX_SIGNATURES).filter((signature) => signature.startsWith("v1,"));
    let isValid = false;
    for (const signature of sent) {
        const expected = (0, encoding_js_1.bytesOf)(signature.slice(3));
        for (const key of keys) {
            // Web Crypto compares in constant time.
            if (expected && (await crypto.subtle.verify("HMAC", key, expected, signed)))
                isValid = true;
        }
    }
    if (!isValid)
        throw failed("No signature of the message is valid. Check the secret, and pass the body as it arrived.");
    try {
        return { ...JSON.parse(new TextDecoder().decode(bytes)), id };
    }
    catch (cause) {
        throw new error_js_1.StewardError("verification_failed", "The body of the message is not valid JSON.", { cause });
    }
}
async function keyOf(secret) {
    // Programs without types pass what their environment has, such as `undefined`.
    const bytes = typeof secret === "string" && secret.startsWith("whsec_") ? (0, encoding_js_1.bytesOf)(secret.slice(6)) : undefined;
    if (!bytes || bytes.length < 16)
        throw new error_js_1.StewardError("invalid_argument", "The secret of a webhook begins with `whsec_`. Copy all of it.");
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}
function header(headers, name) {
    if (headers instanceof Headers)
        return headers.get(name) ?? undefined;
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return Array.isArray(value) ? value[0] : value;
}
const failed = (message) => new error_js_1.StewardError("verification_failed", message);
//# sourceMappingURL=webhooks.js.map