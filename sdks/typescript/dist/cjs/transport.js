"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.copyOf = void 0;
exports.json = json;
exports.send = send;
exports.transportOf = transportOf;
exports.randomId = randomId;
const error_js_1 = require("./error.js");
const isolated_js_1 = require("./isolated.js");
const retry_js_1 = require("./retry.js");
/** Maximum size of a response, in bytes. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
/** The part of a response that the SDK decodes as JSON. @internal */
async function json(response) {
    const text = response.body.text();
    try {
        return text === "" ? undefined : JSON.parse(text);
    }
    catch (cause) {
        throw new error_js_1.StewardError("invalid_response", "The response of the service is not valid JSON.", { status: response.status, cause });
    }
}
/**
 * Sends a request. Replaces a rejected token once. Retries temporary errors of requests that only read, or that have an
 * `Idempotency-Key`. @internal
 */
async function send(transport, request, options = {}) {
    const { maxRetries = transport.maxRetries, signal } = options;
    const isRepeatable = request.method === "GET" || request.headers?.["idempotency-key"] !== undefined;
    let token = await transport.token();
    let hasRefreshed = false;
    for (let retries = 0, count = 1;; count += 1) {
        const observe = observerOf(transport, request, count);
        try {
            const response = await attempt(transport, request, token, options);
            observe(response);
            return response;
        }
        catch (error) {
            observe(error);
            if (!(error instanceof error_js_1.StewardError))
                throw error;
            if (error.status === 401 && token && !hasRefreshed) {
                hasRefreshed = true;
                const replacement = await transport.token(token);
                if (!replacement || replacement === token)
                    throw error;
                token = replacement;
                continue;
            }
            const delay = isRepeatable && retries < maxRetries ? (0, retry_js_1.retryDelay)(error, retries) : undefined;
            if (delay === undefined)
                throw error;
            retries += 1;
            await (0, retry_js_1.sleep)(delay, signal);
        }
    }
}
/** Returns what reports the end of an attempt. */
function observerOf({ url, onRequest }, { method, path }, attempt) {
    const start = performance.now();
    return (end) => {
        const { status, requestId, headers } = end;
        const id = requestId ?? headers?.get("x-request-id");
        const event = { method, url: (url + path).split("?")[0], attempt, duration: performance.now() - start };
        onRequest({ ...event, ...(status && { status }), ...(id && { requestId: id }), ...(end instanceof error_js_1.StewardError && { error: end }) });
    };
}
async function attempt(transport, request, token, options) {
    const { signal, timeout = transport.timeout } = options;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort();
    let isLate = false;
    const timer = setTimeout(() => ((isLate = true), abort()), timeout);
    signal?.addEventListener("abort", abort);
    let response;
    try {
        const received = await transport.fetch(transport.url + request.path, {
            method: request.method,
            headers: { ...request.headers, ...(token && { authorization: `Bearer ${token}` }) },
            // A redirect could send the request to another service.
            redirect: "manual",
            credentials: "omit",
            signal: controller.signal,
            ...(request.body !== undefined && { body: request.body }),
        });
        response = { status: received.status, headers: received.headers, body: await read(received) };
    }
    catch (cause) {
        if (cause instanceof error_js_1.StewardError)
            throw cause;
        signal?.throwIfAborted();
        if (isLate)
            throw new error_js_1.StewardError("timeout", `${transport.url} did not respond within ${timeout} ms.`);
        throw new error_js_1.StewardError("connection_failed", `Cannot reach ${transport.url}.`, { cause });
    }
    finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
    }
    const { status, headers } = response;
    if (status < 400 && status !== 0 && status !== 304)
        return response;
    if (status === 304)
        throw new error_js_1.StewardError("not_modified", "The resource has not changed.", { status });
    if (status === 0)
        throw new error_js_1.StewardError("invalid_response", "The service redirects, which a browser does not show to scripts. Open the URL instead.");
    throw (0, error_js_1.errorOf)(status, headers, response.body.text());
}
/** Reads a body of a limited size. */
async function read(response) {
    const type = response.headers.get("content-type") ?? "";
    const blob = (parts) => new Blob(parts, { type });
    if (!response.body) {
        // There is no body, or no stream, as in React Native. It has no blobs of bytes, either.
        const text = await response.text();
        return { text: () => text, blob: () => blob([text]) };
    }
    const parts = [];
    let size = 0;
    const reader = response.body.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        size += value.length;
        if (size > MAX_BODY_BYTES) {
            await reader.cancel();
            throw new error_js_1.StewardError("invalid_response", `The response is larger than ${MAX_BODY_BYTES} bytes.`);
        }
        parts.push(value);
    }
    const decoder = new TextDecoder();
    return { text: () => parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode(), blob: () => blob(parts) };
}
/** Returns the options of a client as they are used. @internal */
function transportOf(url, token, options) {
    const { onRequest, logger } = options;
    return {
        url,
        token,
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        timeout: options.timeout ?? 30_000,
        maxRetries: options.maxRetries ?? 4,
        onRequest: (event) => onRequest && (0, isolated_js_1.isolated)(() => onRequest(event), logger),
    };
}
/** Returns a random UUID. `crypto.randomUUID` exists only in pages that use HTTPS. @internal */
function randomId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
/** What is sent of a value, so that later changes of it by the app have no effect. @internal */
const copyOf = (value) => JSON.parse(JSON.stringify(value));
exports.copyOf = copyOf;
//# sourceMappingURL=transport.js.map