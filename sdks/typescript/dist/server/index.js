/**
 * Servers: verification of the access tokens that people send to your API and of webhook messages, and sessions in cookies.
 * @module
 */
export * from "../error.js";
export { createTokenVerifier } from "./tokens.js";
export { createWebSessions } from "./web_sessions.js";
export { verifyWebhook } from "./webhooks.js";
//# sourceMappingURL=index.js.map