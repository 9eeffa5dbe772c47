"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ServerSession = void 0;
const error_js_1 = require("../error.js");
/** Time limit of a request to the server of the app, in milliseconds. */
const TIMEOUT = 12_000;
const SCOPES = "The server of the app has the scopes: pass `scope` to `createWebSessions`.";
/** The session that the server of the app has in a cookie: see `createWebSessions`. @internal */
class ServerSession {
    path;
    fetch;
    options;
    /** `options`: those of the client for all sign-ins. */
    constructor(path, fetch, options) {
        this.path = path;
        this.fetch = fetch;
        this.options = options;
        if (options.scope !== undefined)
            throw new error_js_1.StewardError("invalid_argument", SCOPES);
    }
    /** The URL that begins a sign-in, and returns to this page. */
    signInUrl({ redirectUri = this.options.redirectUri, scope, prompt, loginHint, maxAge, uiLocales }) {
        if (scope !== undefined)
            throw new error_js_1.StewardError("invalid_argument", SCOPES);
        const target = new URL(redirectUri ?? location.href, globalThis.location?.href);
        const parameters = new URLSearchParams({
            return: target.pathname + target.search,
            ...(prompt && { prompt }),
            ...(loginHint && { login_hint: loginHint }),
            ...(maxAge !== undefined && { max_age: `${maxAge}` }),
            ...(uiLocales && { ui_locales: uiLocales }),
        });
        return `${this.path}/sign-in?${parameters}`;
    }
    /** Throws why the last sign-in failed, if it led to this URL. */
    check(href) {
        const url = new URL(href);
        const error = url.searchParams.get("sign_in_error");
        if (!error)
            return;
        url.searchParams.delete("sign_in_error");
        if (typeof document !== "undefined")
            history.replaceState(history.state, "", url);
        throw new error_js_1.StewardError("sign_in_failed", `The service did not sign the person in: ${error}`, { details: { error } });
    }
    /** Returns a short access token, or `undefined` if nobody is signed in. `isRejected`: the service has rejected the last one. */
    async token(isRejected) {
        const response = await this.#post(isRejected ? "token?refresh" : "token");
        if (response.status === 401)
            return undefined;
        const body = response.ok ? await response.json() : undefined;
        if (typeof body?.access_token !== "string")
            throw this.#unreachable(response.status);
        return body;
    }
    async end() {
        const { ok, status } = await this.#post("sign-out");
        if (!ok)
            throw this.#unreachable(status);
    }
    async #post(route) {
        try {
            return await this.fetch(`${this.path}/${route}`, { method: "POST", credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT) });
        }
        catch (cause) {
            throw new error_js_1.StewardError("connection_failed", `Cannot reach ${this.path} of the app.`, { cause });
        }
    }
    #unreachable(status) {
        return new error_js_1.StewardError(status >= 500 ? "connection_failed" : "invalid_response", `${this.path} of the app responded with status ${status}.`);
    }
}
exports.ServerSession = ServerSession;
//# sourceMappingURL=server_session.js.map