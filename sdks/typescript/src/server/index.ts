/**
 * Verification on servers: of the access tokens that people send to your API, and of webhook messages.
 * @module
 */
export * from "../error.js";
export { type AccessToken, createTokenVerifier, type TokenVerifier, type TokenVerifierOptions, type VerifyOptions } from "./tokens.js";
export { verifyWebhook, type WebhookEvent, type WebhookOptions } from "./webhooks.js";
