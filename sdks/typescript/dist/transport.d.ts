import { StewardError } from "./error.js";
/** Options of a request. */
export interface RequestOptions {
    /** Cancels the request, and the wait for its next attempt. The call then fails with the reason of the signal. */
    signal?: AbortSignal;
    /** Time limit of one attempt, in milliseconds: 30,000 by default. */
    timeout?: number;
    /** How many times the request is retried after a temporary error: 4 by default. */
    maxRetries?: number;
}
/**
 * Returns the credential: an access token, a personal access token or an API key. After the service rejected a token, it is
 * called once more with this token, and the request is repeated if it returns another one.
 */
export type TokenSource = (rejected?: string) => string | undefined | Promise<string | undefined>;
/** One attempt of a request, after its end. */
export interface RequestEvent {
    method: string;
    /** URL without its query, which may have values of items. */
    url: string;
    /** 1 for the first attempt. */
    attempt: number;
    /** How long it took, in milliseconds. */
    duration: number;
    /** Status of the response; `undefined` if there was none. */
    status?: number;
    /** ID of the request in the log of the service. */
    requestId?: string;
    /** Why the attempt failed. It may be repeated. */
    error?: StewardError;
}
/** Receives what the SDK reports, as `console` does. */
export type Logger = Pick<Console, "warn" | "error">;
/** How a program observes the SDK. */
export interface ObserverOptions {
    /** Called after each attempt of a request, for metrics and traces. */
    onRequest?: (event: RequestEvent) => void;
    /** Receives warnings, and errors that functions of the app throw. By default they go to the console, as uncaught errors of a page do. */
    logger?: Logger;
}
