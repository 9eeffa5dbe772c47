"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.verifyWebhook = exports.createWebSessions = exports.createTokenVerifier = void 0;
/**
 * Servers: verification of the access tokens that people send to your API and of webhook messages, and sessions in cookies.
 * @module
 */
__exportStar(require("../error.js"), exports);
var tokens_js_1 = require("./tokens.js");
Object.defineProperty(exports, "createTokenVerifier", { enumerable: true, get: function () { return tokens_js_1.createTokenVerifier; } });
var web_sessions_js_1 = require("./web_sessions.js");
Object.defineProperty(exports, "createWebSessions", { enumerable: true, get: function () { return web_sessions_js_1.createWebSessions; } });
var webhooks_js_1 = require("./webhooks.js");
Object.defineProperty(exports, "verifyWebhook", { enumerable: true, get: function () { return webhooks_js_1.verifyWebhook; } });
//# sourceMappingURL=index.js.map