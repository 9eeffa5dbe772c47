/**
 * Administration of teams, projects, keys, schemas, users and items: every operation of the API.
 *
 * `GET` requests, and requests with an `Idempotency-Key`, are retried after an outage, a rate limit or a connection error.
 * Operations that support a key send a random one.
 * @module
 */
import { type ItemsOf, Operations, type OwnItemsOf } from "../generated/resources.js";
import { type ObserverOptions, type TokenSource } from "../transport.js";
export * from "../error.js";
export type * from "../generated/models.js";
export * from "../generated/resources.js";
export { operations } from "../generated/operations.js";
export * from "./call.js";
export type { Logger, ObserverOptions, RequestEvent, RequestOptions, TokenSource } from "../transport.js";
/** Options of {@link createAdmin}. */
export interface AdminOptions extends ObserverOptions {
    /** URL of the service: HTTPS, or HTTP on this machine. */
    url: string;
    /** An access token, a personal access token (`stw_pat_...`) or an API key (`stw_sk_...`), or what returns one. */
    token?: string | TokenSource | undefined;
    /** Time limit of one attempt, in milliseconds: 30,000 by default. */
    timeout?: number;
    /** How many times a request is retried: 4 by default. */
    maxRetries?: number;
    /** What sends the requests, instead of the global `fetch`. */
    fetch?: typeof fetch;
}
/** A client of all operations of the API. With `Tables`, those of items know the tables of a project. */
export type Admin<Tables extends object = never> = [Tables] extends [never] ? Operations : Omit<Operations, "items" | "ownItems"> & {
    readonly items: Omit<Operations["items"], keyof ItemsOf<Tables>> & ItemsOf<Tables>;
    readonly ownItems: Omit<Operations["ownItems"], keyof OwnItemsOf<Tables>> & OwnItemsOf<Tables>;
};
/**
 * Returns a client of all operations of the API. `Tables` are those that `steward schema types --lang typescript` prints.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
export declare function createAdmin<Tables extends object = never>(options: AdminOptions): Admin<Tables>;
