"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignIn = void 0;
const error_js_1 = require("../error.js");
const session_js_1 = require("./session.js");
/** How many sign-ins can be in progress in one browser. Older ones fail. */
const MAX_PENDING = 5;
/** How long a person may take in a pop-up, in milliseconds. */
const POPUP_TIMEOUT = 15 * 60_000;
/** The authorization code flow with PKCE (RFC 7636). @internal */
class SignIn {
    transport;
    clientId;
    key;
    storage;
    session;
    defaults;
    constructor(transport, clientId, key, storage, session, defaults) {
        this.transport = transport;
        this.clientId = clientId;
        this.key = key;
        this.storage = storage;
        this.session = session;
        this.defaults = defaults;
    }
    /** Returns the URL of the page on which the person signs in. */
    async begin(options, isPopup = false) {
        const redirectUri = options.redirectUri ?? this.defaults.redirectUri ?? (typeof document === "undefined" ? undefined : location.origin + location.pathname);
        if (!redirectUri)
            throw new error_js_1.StewardError("invalid_argument", "Pass `redirectUri`: the URL to which the service redirects after the sign-in.");
        if (!globalThis.crypto?.subtle)
            throw new error_js_1.StewardError("invalid_argument", "The page must use HTTPS, or be on this machine: otherwise browsers have no cryptography.");
        const [state, verifier] = [random(), random()];
        const challenge = base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
        const pending = [{ state, verifier, redirectUri, ...(isPopup && { isPopup }) }, ...(await this.#pending())];
        await this.storage.setItem(this.key, JSON.stringify(pending.slice(0, MAX_PENDING)));
        const { prompt, loginHint, maxAge, uiLocales, scope = this.defaults.scope } = options;
        const parameters = new URLSearchParams({
            client_id: this.clientId,
            redirect_uri: redirectUri,
            response_type: "code",
            scope,
            state,
            code_challenge: challenge,
            code_challenge_method: "S256",
            ...(prompt && { prompt }),
            ...(loginHint && { login_hint: loginHint }),
            ...(maxAge !== undefined && { max_age: `${maxAge}` }),
            ...(uiLocales && { ui_locales: uiLocales }),
        });
        return { url: `${this.transport.url}/auth/authorize?${parameters}`, state };
    }
    /** Completes the sign-in with the URL to which the service redirected. Another URL returns the current session. */
    async complete(href) {
        const url = new URL(href);
        const parameters = new URLSearchParams(url.search);
        const [state, code, error] = [parameters.get("state"), parameters.get("code"), parameters.get("error")];
        if (!state || (!code && !error))
            return this.session.load();
        const all = await this.#pending();
        const pending = all.find((entry) => entry.state === state);
        if (pending?.isPopup && typeof document !== "undefined") {
            new BroadcastChannel(channelOf(state)).postMessage(href);
            close();
            return this.session.load();
        }
        clearAddress(url);
        if (!pending) {
            const session = await this.session.load();
            // A page that is loaded again, or another tab, has used the code.
            if (session.status === "signedIn")
                return session;
            throw failed("This sign-in did not begin in this browser, or is already complete. Sign in again.");
        }
        return this.#finish(pending, all, parameters);
    }
    /** Signs the person in in a pop-up. Call it in the handler of a click: otherwise browsers block the window. */
    async popup(options) {
        // The window is opened before anything is awaited.
        const popup = open("about:blank", "_blank", "popup,width=480,height=720");
        if (!popup)
            throw failed("The browser blocked the pop-up. Call `signInWithPopup` in the handler of a click.");
        const { url, state } = await this.begin(options, true);
        const channel = new BroadcastChannel(channelOf(state));
        try {
            const href = callbackOf(channel, popup);
            popup.location.href = url;
            const parameters = new URL(await href).searchParams;
            const all = await this.#pending();
            const pending = all.find((entry) => entry.state === state);
            if (!pending || parameters.get("state") !== state)
                throw failed("Another sign-in replaced this one. Sign in again.");
            return await this.#finish(pending, all, parameters);
        }
        finally {
            channel.close();
            popup.close();
        }
    }
    async #finish(pending, all, parameters) {
        const others = all.filter((entry) => entry.state !== pending.state);
        await (others.length ? this.storage.setItem(this.key, JSON.stringify(others)) : this.storage.removeItem(this.key));
        const [code, error, description] = ["code", "error", "error_description"].map((name) => parameters.get(name));
        if (error || !code)
            throw failed(`The service did not sign the person in: ${description ?? error ?? "no code"}`, error ? { error } : {});
        const body = new URLSearchParams({
            grant_type: "authorization_code",
            code,
            client_id: this.clientId,
            redirect_uri: pending.redirectUri,
            code_verifier: pending.verifier,
        });
        await this.session.load();
        await this.session.accept(await (0, session_js_1.exchange)(this.transport, body));
        return this.session.state;
    }
    async #pending() {
        try {
            const parsed = JSON.parse((await this.storage.getItem(this.key)) ?? "[]");
            return Array.isArray(parsed) ? parsed : [];
        }
        catch {
            return [];
        }
    }
}
exports.SignIn = SignIn;
/** Waits until the page to which the service redirected sends its URL, or the person closes the pop-up. */
function callbackOf(channel, popup) {
    return new Promise((resolve, reject) => {
        const end = Date.now() + POPUP_TIMEOUT;
        let ticks = 0;
        const timer = setInterval(() => {
            // A page with an opener policy makes `closed` true, but then the pop-up has the focus.
            ticks = popup.closed && document.hasFocus() ? ticks + 1 : 0;
            if (ticks < 4 && Date.now() < end)
                return;
            clearInterval(timer);
            reject(failed("The window was closed before the sign-in was complete."));
        }, 500);
        channel.onmessage = (event) => {
            clearInterval(timer);
            resolve(event.data);
        };
    });
}
/** Removes the code from the address of the page and its history. */
function clearAddress(url) {
    if (typeof document === "undefined" || location.origin !== url.origin)
        return;
    for (const name of ["code", "state", "iss", "error", "error_description"])
        url.searchParams.delete(name);
    history.replaceState(history.state, "", url);
}
const channelOf = (state) => `steward:${state}`;
const failed = (message, details = {}) => new error_js_1.StewardError("sign_in_failed", message, { details });
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)).buffer);
function base64url(bytes) {
    const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
    return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
//# sourceMappingURL=sign_in.js.map