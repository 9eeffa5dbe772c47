import type { AuditEvent } from "../generated/models.js";
/** A message to a webhook. */
export interface WebhookEvent {
    /** Type of the event, such as `project.updated`. Ignore types that you do not know. */
    type: string;
    /** When the event happened. */
    timestamp: string;
    /** The event, as the event feed returns it, without the address and the request ID. */
    data: Omit<AuditEvent, "address" | "request_id"> & Record<string, unknown>;
}
/** Options of {@link verifyWebhook}. */
export interface WebhookOptions {
    /** How far the timestamp may be from the time of this server, in seconds: 300 by default, at most 3,600. */
    tolerance?: number;
}
/**
 * Verifies a message to a webhook (Standard Webhooks), and returns it with its ID. Messages can arrive more than once:
 * deduplicate by the ID.
 *
 * @param body The body of the request, byte by byte as it arrived: text or bytes, not parsed JSON.
 * @param headers The headers of the request.
 * @param secrets The secret of the webhook (`whsec_...`), or several during a rotation.
 * @throws {StewardError} `verification_failed` if the message is not from the service, was changed, or is too old.
 */
export declare function verifyWebhook(body: string | Uint8Array, headers: Headers | Record<string, string | string[] | undefined>, secrets: string | readonly string[], options?: WebhookOptions): Promise<WebhookEvent & {
    id: string;
}>;
