/** Average delay before the first retry, in milliseconds. It doubles with each further one. */
const MIN_DELAY = 250;
const MAX_DELAY = 8_000;
/** If the service asks for more time, in seconds, the error is returned instead. */
const MAX_RETRY_AFTER = 30;
/** A delay of some milliseconds that doubles with each attempt, with jitter, so that clients do not retry all at once. @internal */
export function backoff(attempt, max = MAX_DELAY) {
    return Math.min(MIN_DELAY * 2 ** attempt, max) * (0.5 + Math.random() / 2);
}
/** The delay before the next attempt in milliseconds, or `undefined` if a retry cannot help. @internal */
export function retryDelay(error, retry) {
    const { code, status, retryAfter = 0 } = error;
    if (code === "connection_failed" || code === "timeout")
        return backoff(retry);
    if (status === 429 || (status >= 502 && status <= 504)) {
        return retryAfter > MAX_RETRY_AFTER ? undefined : retryAfter * 1_000 + backoff(retry);
    }
    // An earlier attempt is still in progress, although its connection was lost.
    return code === "idempotency_in_progress" ? backoff(retry) : undefined;
}
/** Waits, unless the signal is aborted first. @internal */
export function sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const abort = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", abort);
            resolve();
        }, milliseconds);
        if (signal?.aborted)
            abort();
        signal?.addEventListener("abort", abort, { once: true });
    });
}
//# sourceMappingURL=retry.js.map