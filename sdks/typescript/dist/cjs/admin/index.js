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
exports.operations = void 0;
exports.createAdmin = createAdmin;
/**
 * Administration of teams, projects, keys, schemas, users and items: every operation of the API.
 *
 * `GET` requests, and requests with an `Idempotency-Key`, are retried after an outage, a rate limit or a connection error.
 * Operations that support a key send a random one.
 * @module
 */
const resources_js_1 = require("../generated/resources.js");
const service_url_js_1 = require("../service_url.js");
const transport_js_1 = require("../transport.js");
__exportStar(require("../error.js"), exports);
__exportStar(require("../generated/resources.js"), exports);
var operations_js_1 = require("../generated/operations.js");
Object.defineProperty(exports, "operations", { enumerable: true, get: function () { return operations_js_1.operations; } });
__exportStar(require("./call.js"), exports);
/**
 * Returns a client of all operations of the API. `Tables` are those that `steward schema types --lang typescript` prints.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
function createAdmin(options) {
    const { token } = options;
    const source = typeof token === "function" ? token : (rejected) => (rejected ? undefined : token);
    return new resources_js_1.Operations((0, transport_js_1.transportOf)((0, service_url_js_1.serviceUrl)(options.url), source, options));
}
//# sourceMappingURL=index.js.map