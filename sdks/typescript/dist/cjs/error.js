"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.StewardError = void 0;
exports.errorOf = errorOf;
/** Error of the service or of its transport. The message says what is wrong and how to fix it. */
class StewardError extends Error {
    name = "StewardError";
    /** Machine-readable code. A later version of the service may return codes that this type does not list. */
    code;
    /** Status of the response, or 0 if the error is not one of the service. */
    status;
    /** ID of the request in the log of the service. */
    requestId;
    /** All violations of the request, at most 100. */
    violations;
    /** How long the service asks to wait before the next attempt, in seconds. */
    retryAfter;
    /** The other members of the error, such as `quota` or `diff`. */
    details;
    constructor(code, message, more = {}) {
        super(message, more.cause === undefined ? undefined : { cause: more.cause });
        this.code = code;
        this.status = more.status ?? 0;
        this.requestId = more.requestId;
        this.violations = more.violations ?? [];
        this.retryAfter = more.retryAfter;
        this.details = more.details ?? {};
    }
}
exports.StewardError = StewardError;
/** Reads the error in a response. @internal */
function errorOf(status, headers, text) {
    let body = {};
    try {
        const parsed = JSON.parse(text);
        if (parsed && typeof parsed === "object")
            body = parsed;
    }
    catch {
        // The response is not one of the service: a proxy returned it.
    }
    const { error, message, errors, ...details } = body;
    const retryAfter = Number(headers.get("retry-after") ?? NaN);
    return new StewardError(typeof error === "string" ? error : "invalid_response", typeof message === "string" ? message : `The service responded with status ${status}.`, {
        status,
        violations: Array.isArray(errors) ? errors.map(violation) : [],
        details,
        ...(headers.get("x-request-id") && { requestId: headers.get("x-request-id") }),
        ...(retryAfter >= 0 && { retryAfter }),
    });
}
function violation(value) {
    const text = (...names) => names.map((name) => value?.[name]).find((found) => found && typeof found === "string");
    const field = text("field", "path", "instancePath");
    const code = text("code");
    return { ...(field && { field }), ...(code && { code }), message: text("message") ?? "" };
}
//# sourceMappingURL=error.js.map