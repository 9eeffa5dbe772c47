import type { ErrorCode } from "./generated/codes.js";
export type { ErrorCode } from "./generated/codes.js";
/** Codes of errors that the SDK reports itself. */
export type LocalErrorCode = 
/** The arguments of the call are not valid. */
"invalid_argument"
/** The service could not be reached, or the connection was lost. */
 | "connection_failed"
/** An attempt exceeded its time limit. */
 | "timeout"
/** The response is not one of the service, or is too large. */
 | "invalid_response"
/** The resource still has the `ETag` in `ifNoneMatch`. */
 | "not_modified"
/** Nobody is signed in, or the sign-in has ended. */
 | "signed_out"
/** The sign-in was not completed, for example because the window was closed. */
 | "sign_in_failed"
/** The store of this device failed, or is full. */
 | "local_store_failed"
/** The service did not store a local write as it was made, or it is not known whether it has. */
 | "not_stored"
/** The service is of an earlier version, and does not know what is requested. */
 | "not_supported"
/** The ID of a local write is not valid. */
 | "invalid_key"
/** The table of a local write does not exist. */
 | "unknown_table"
/** A local write, or all of them, are too long. */
 | "message_too_long"
/** Local changes were not sent, so that signing out would lose them. */
 | "unsent_changes"
/** A token or a webhook message is not valid. */
 | "verification_failed";
/** One reason why a request is not valid. */
export interface Violation {
    /** The field of the request, or the path in a document. */
    field?: string;
    /** Machine-readable code, such as `missing_field`. */
    code?: string;
    /** What is wrong. */
    message: string;
}
/** What is known of an error besides its message. */
export interface ErrorDetails {
    /** Status of the response. */
    status?: number;
    /** ID of the request in the log of the service. */
    requestId?: string;
    /** All violations of the request, at most 100. */
    violations?: Violation[];
    /** How long the service asks to wait before the next attempt, in seconds. */
    retryAfter?: number;
    /** The other members of the error, such as `quota` or `diff`. */
    details?: Record<string, unknown>;
    /** The error that caused this one. */
    cause?: unknown;
}
/** Error of the service or of its transport. The message says what is wrong and how to fix it. */
export declare class StewardError extends Error {
    readonly name = "StewardError";
    /** Machine-readable code. A later version of the service may return codes that this type does not list. */
    readonly code: ErrorCode | LocalErrorCode;
    /** Status of the response, or 0 if the error is not one of the service. */
    readonly status: number;
    /** ID of the request in the log of the service. */
    readonly requestId: string | undefined;
    /** All violations of the request, at most 100. */
    readonly violations: readonly Violation[];
    /** How long the service asks to wait before the next attempt, in seconds. */
    readonly retryAfter: number | undefined;
    /** The other members of the error, such as `quota` or `diff`. */
    readonly details: Readonly<Record<string, unknown>>;
    constructor(code: ErrorCode | LocalErrorCode, message: string, more?: ErrorDetails);
}
