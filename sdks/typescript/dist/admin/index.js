/**
 * Administration of teams, projects, keys, schemas, users and items: every operation of the API.
 *
 * `GET` requests, and requests with an `Idempotency-Key`, are retried after an outage, a rate limit or a connection error.
 * Operations that support a key send a random one.
 * @module
 */
import { Operations } from "../generated/resources.js";
import { serviceUrl } from "../service_url.js";
import { transportOf } from "../transport.js";
export * from "../error.js";
export * from "../generated/resources.js";
export { operations } from "../generated/operations.js";
export * from "./call.js";
/**
 * Returns a client of all operations of the API. `Tables` are those that `steward schema types --lang typescript` prints.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
export function createAdmin(options) {
    const { token } = options;
    const source = typeof token === "function" ? token : (rejected) => (rejected ? undefined : token);
    return new Operations(transportOf(serviceUrl(options.url), source, options));
}
//# sourceMappingURL=index.js.map