"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WebSessions = void 0;
exports.createWebSessions = createWebSessions;
const session_js_1 = require("../client/session.js");
const error_js_1 = require("../error.js");
const service_url_js_1 = require("../service_url.js");
const transport_js_1 = require("../transport.js");
const cookies_js_1 = require("./cookies.js");
const encoding_js_1 = require("./encoding.js");
const encryption_js_1 = require("./encryption.js");
const SESSION = "steward";
/** How long a person may take to sign in, in seconds. */
const SIGN_IN_TIME = 15 * 60;
/** A token is refreshed this many milliseconds before it expires, or after half of its lifetime: pages that are rendered can use it. */
const MARGIN = 60_000;
/** How long other requests with the same refresh token get the same new tokens, in milliseconds, and of how many sessions. */
const SHARED_TIME = 30_000;
const MAX_SHARED = 10_000;
/** Sessions of people in cookies, for apps that render pages on a server. Scripts never see the cookies. */
class WebSessions {
    #options;
    #transport;
    #app;
    #path;
    #encrypter;
    #cookies;
    /** Refreshes in progress, and those that have just ended, by the refresh token. */
    #refreshes = new Map();
    /** @internal */
    constructor(options) {
        this.#options = options;
        this.#transport = (0, transport_js_1.transportOf)((0, service_url_js_1.serviceUrl)(options.url), () => undefined, options);
        this.#app = new URL((0, service_url_js_1.serviceUrl)(options.appUrl));
        this.#path = options.path ?? "/auth";
        this.#encrypter = new encryption_js_1.Encrypter([options.secret].flat());
        this.#cookies = new cookies_js_1.Cookies(this.#app);
    }
    /**
     * Handles a request: answers it if it is one to a route of the sessions, and otherwise returns the session, with a fresh
     * access token. Call it for each request, before pages are rendered, and set `cookies` on the response.
     */
    async handle(request) {
        const { pathname } = new URL(request.url);
        const base = this.#app.pathname.replace(/\/$/, "") + this.#path;
        const route = pathname.startsWith(`${base}/`) ? `${request.method} ${pathname.slice(base.length)}` : "";
        const respond = (response) => ({ response, cookies: [], headers: request.headers });
        switch (route) {
            case "GET /sign-in":
                return respond(await this.#begin(new URL(request.url).searchParams));
            case "GET /callback":
                return respond(await this.#complete(request));
            case "POST /sign-out":
                return respond(await this.#end(request));
            case "POST /token":
                return respond(await this.#token(request));
        }
        const { stored, cookies } = await this.#fresh(request.headers.get("cookie"));
        const headers = new Headers(request.headers);
        if (cookies.length)
            headers.set("cookie", this.#cookies.after(request.headers.get("cookie"), cookies));
        return { ...(stored && { session: sessionOf(stored) }), cookies, headers };
    }
    /**
     * Returns the session in the header `Cookie`, for what renders a page: `handle` has refreshed it. `undefined` if nobody is
     * signed in, or the access token has expired.
     */
    async session(cookie) {
        const stored = await this.#read(cookie);
        return stored && stored.expiresAt > Date.now() ? sessionOf(stored) : undefined;
    }
    async #begin(parameters) {
        const [state, verifier] = [random(), random()];
        const challenge = (0, encoding_js_1.base64url)(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
        const begun = { state, verifier, target: this.#target(parameters.get("return")) };
        const { scope = "openid profile email app:db:write" } = this.#options;
        const query = new URLSearchParams({
            client_id: this.#clientId,
            redirect_uri: this.#redirectUri,
            response_type: "code",
            scope,
            state,
            code_challenge: challenge,
            code_challenge_method: "S256",
        });
        for (const name of ["prompt", "login_hint", "max_age", "ui_locales"])
            if (parameters.has(name))
                query.set(name, parameters.get(name));
        const name = signInOf(state);
        return redirect(`${this.#transport.url}/auth/authorize?${query}`, this.#cookies.set(name, await this.#encrypter.encrypt(begun, name), SIGN_IN_TIME));
    }
    async #complete(request) {
        const parameters = new URL(request.url).searchParams;
        const [state, code, error] = ["state", "code", "error"].map((name) => parameters.get(name) ?? "");
        const cookie = request.headers.get("cookie");
        const name = signInOf(state);
        const begun = await this.#encrypter.decrypt(this.#cookies.get(name, cookie) ?? "", name);
        // A page that is loaded again has used the code.
        if (begun?.state !== state)
            return redirect(this.#app.href, []);
        const forgotten = this.#cookies.clear(name, cookie);
        const fail = (reason) => {
            const target = new URL(begun.target);
            target.searchParams.set("sign_in_error", reason);
            return redirect(target.href, forgotten);
        };
        if (!code)
            return fail(error || "invalid_request");
        try {
            const stored = await this.#exchange({ grant_type: "authorization_code", code, redirect_uri: this.#redirectUri, code_verifier: begun.verifier });
            return redirect(begun.target, [...forgotten, ...(await this.#keep(stored, cookie))]);
        }
        catch (cause) {
            return fail(cause instanceof error_js_1.StewardError ? cause.code : "connection_failed");
        }
    }
    /** Returns a short access token to scripts of the app: with `refresh`, another one than the last, which the service has rejected. */
    async #token(request) {
        if (!this.#isOwn(request))
            return foreign();
        const { stored, cookies, failure } = await this.#fresh(request.headers.get("cookie"), new URL(request.url).searchParams.has("refresh"));
        const headers = headersOf(cookies);
        if (failure)
            return Response.json({ error: failure.code, message: failure.message }, { status: 503, headers });
        if (!stored)
            return Response.json({ error: "signed_out", message: "Nobody is signed in." }, { status: 401, headers });
        const expires_in = Math.max(0, Math.floor((stored.expiresAt - Date.now()) / 1_000));
        return Response.json({ access_token: stored.accessToken, expires_in, scope: stored.scope, user: stored.user }, { headers });
    }
    async #end(request) {
        if (!this.#isOwn(request))
            return foreign();
        const cookie = request.headers.get("cookie");
        const stored = await this.#read(cookie);
        if (stored) {
            const body = this.#form({ token: stored.refreshToken ?? stored.accessToken });
            // If the service cannot be reached, the browser forgets the tokens all the same.
            await (0, transport_js_1.send)(this.#transport, { ...body, path: "/auth/revoke" }).catch(() => { });
        }
        return new Response(null, { status: 204, headers: headersOf(this.#cookies.clear(SESSION, cookie)) });
    }
    /** The session with an access token that is valid for a while, and the cookies that change. */
    async #fresh(cookie, isRejected = false) {
        const stored = await this.#read(cookie);
        if (!stored)
            return { cookies: [] };
        // Without a refresh token, the session is as long as the access token.
        const { refreshToken } = stored;
        if (!isRejected && (refreshToken ? stored.refreshAt : stored.expiresAt) > Date.now())
            return { stored, cookies: [] };
        try {
            const refreshed = refreshToken ? await this.#refresh(refreshToken, stored) : undefined;
            if (!refreshed)
                return { cookies: this.#cookies.clear(SESSION, cookie) };
            return { stored: refreshed, cookies: await this.#keep(refreshed, cookie) };
        }
        catch (error) {
            if (!(error instanceof error_js_1.StewardError))
                throw error;
            // The service is not available for a moment: the session is kept.
            return { ...(stored.expiresAt > Date.now() && !isRejected ? { stored } : { failure: error }), cookies: [] };
        }
    }
    /** Refreshes the tokens once for all requests that a browser makes at the same time. */
    #refresh(refreshToken, { user, scope }) {
        const known = this.#refreshes.get(refreshToken);
        if (known)
            return known;
        const refreshing = this.#exchange({ grant_type: "refresh_token", refresh_token: refreshToken }, { user, scope }).catch((error) => {
            if (error instanceof error_js_1.StewardError && error.code === "invalid_grant")
                return undefined;
            this.#refreshes.delete(refreshToken);
            throw error;
        });
        this.#refreshes.set(refreshToken, refreshing);
        const [oldest] = this.#refreshes.keys();
        if (this.#refreshes.size > MAX_SHARED)
            this.#refreshes.delete(oldest);
        const forget = () => {
            const timer = setTimeout(() => this.#refreshes.delete(refreshToken), SHARED_TIME);
            // It does not keep Node.js from ending.
            timer.unref?.();
        };
        refreshing.then(forget, () => { });
        return refreshing;
    }
    async #exchange(parameters, known) {
        const body = await (0, transport_js_1.json)(await (0, transport_js_1.send)(this.#transport, { ...this.#form(parameters), path: "/auth/token" }));
        if (typeof body?.access_token !== "string")
            throw new error_js_1.StewardError("invalid_response", "The response of the token endpoint has no access token.");
        const [now, lifetime] = [Date.now(), (body.expires_in ?? 0) * 1_000];
        const { claims: _, ...user } = (0, session_js_1.userOf)((0, session_js_1.claimsOf)(body.id_token ?? body.access_token));
        return {
            user: body.id_token || !known ? user : known.user,
            accessToken: body.access_token,
            ...(body.refresh_token && { refreshToken: body.refresh_token }),
            scope: body.scope ?? known?.scope ?? "",
            refreshAt: now + Math.max(lifetime - MARGIN, lifetime / 2),
            expiresAt: now + lifetime,
        };
    }
    #form(parameters) {
        const { clientSecret } = this.#options;
        const body = `${new URLSearchParams({ ...parameters, client_id: this.#clientId, ...(clientSecret && { client_secret: clientSecret }) })}`;
        return { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } };
    }
    async #read(cookie) {
        const encrypted = this.#cookies.get(SESSION, cookie);
        return encrypted ? this.#encrypter.decrypt(encrypted, SESSION) : undefined;
    }
    async #keep(stored, before) {
        const { maxAge = 30 * 24 * 60 * 60 } = this.#options;
        return this.#cookies.set(SESSION, await this.#encrypter.encrypt(stored, SESSION), maxAge, before);
    }
    /** Whether a page of the app has sent the request: other sites can send it with the cookies, too. */
    #isOwn(request) {
        return request.headers.get("origin") === this.#app.origin;
    }
    /** The page of the app to return to. */
    #target(path) {
        const url = new URL(path ?? this.#app, this.#app);
        return url.origin === this.#app.origin ? url.href : this.#app.href;
    }
    get #clientId() {
        return this.#options.clientId ?? this.#options.projectId;
    }
    get #redirectUri() {
        return `${(0, service_url_js_1.serviceUrl)(this.#options.appUrl)}${this.#path}/callback`;
    }
}
exports.WebSessions = WebSessions;
/**
 * Returns the sessions of an app that renders pages on a server.
 *
 * @throws {StewardError} `invalid_argument` if a URL is not valid, or the secret is too short.
 */
function createWebSessions(options) {
    return new WebSessions(options);
}
const sessionOf = ({ user, accessToken, scope, expiresAt }) => ({ user, accessToken, scope, expiresAt: new Date(expiresAt) });
const random = () => (0, encoding_js_1.base64url)(crypto.getRandomValues(new Uint8Array(32)));
/** Each sign-in has a cookie of its own, so that several can be in progress. */
const signInOf = (state) => `${SESSION}-sign-in-${state.replace(/[^\w-]/g, "").slice(0, 12)}`;
const foreign = () => Response.json({ error: "forbidden", message: "Only pages of the app can send this request." }, { status: 403, headers: headersOf([]) });
function headersOf(cookies) {
    const headers = new Headers({ "cache-control": "no-store" });
    for (const cookie of cookies)
        headers.append("set-cookie", cookie);
    return headers;
}
function redirect(location, cookies) {
    const headers = headersOf(cookies);
    headers.set("location", location);
    return new Response(null, { status: 302, headers });
}
//# sourceMappingURL=web_sessions.js.map