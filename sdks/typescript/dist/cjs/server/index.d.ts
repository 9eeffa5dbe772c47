/**
 * Servers: verification of the access tokens that people send to your API and of webhook messages, and sessions in cookies.
 * @module
 */
export * from "../error.js";
export { type AccessToken, createTokenVerifier, type TokenVerifier, type TokenVerifierOptions, type VerifyOptions } from "./tokens.js";
export { createWebSessions, type HandledRequest, type WebSession, type WebSessions, type WebSessionsOptions } from "./web_sessions.js";
export { verifyWebhook, type WebhookEvent, type WebhookOptions } from "./webhooks.js";
