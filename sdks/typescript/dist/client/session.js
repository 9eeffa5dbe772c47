import { StewardError } from "../error.js";
import { json, send } from "../transport.js";
import { Listeners } from "./listeners.js";
/** A token is refreshed this many milliseconds before it expires, or after half of its lifetime. */
const MARGIN = 60_000;
/** Time limit of a refresh, in milliseconds. It is below the time for which a client holds the lock. */
const REFRESH_TIMEOUT = 12_000;
/**
 * The session of a client. It decides by the time since the tokens were received, so a wrong clock has no effect; a token
 * that the service rejects all the same is refreshed once. @internal
 */
export class SessionStore {
    transport;
    clientId;
    key;
    storage;
    lock;
    server;
    state = { status: "loading" };
    #stored;
    #refreshing;
    #listeners;
    #loaded;
    constructor(transport, clientId, key, storage, lock, server, logger) {
        this.transport = transport;
        this.clientId = clientId;
        this.key = key;
        this.storage = storage;
        this.lock = lock;
        this.server = server;
        this.#listeners = new Listeners(logger);
        this.#loaded = this.#load().catch(() => this.#show(undefined));
        if (typeof document !== "undefined") {
            // Another tab has signed in, signed out or refreshed the tokens.
            addEventListener("storage", (event) => event.key === this.key && void this.#read());
        }
    }
    /** Calls the listener with each change. Returns a function that ends this. */
    subscribe(listener) {
        return this.#listeners.add(listener);
    }
    /** Waits until the storage was read. */
    async load() {
        await this.#loaded;
        return this.state;
    }
    /** Returns a valid access token, or `undefined` if nobody is signed in. */
    async token(rejected) {
        await this.#loaded;
        if (!this.#stored || (rejected === undefined && isFresh(this.#stored)))
            return this.#stored?.accessToken;
        return (await (this.#refreshing ??= this.#refresh(rejected).finally(() => (this.#refreshing = undefined))))?.accessToken;
    }
    /** When the access token must be replaced, in milliseconds from now. */
    expiresIn() {
        return this.#stored ? refreshAt(this.#stored) - Date.now() : 0;
    }
    /** Stores the tokens of a response of the token endpoint. */
    async accept(body) {
        if (typeof body?.access_token !== "string")
            throw new StewardError("invalid_response", "The response of the token endpoint has no access token.");
        const claims = body.id_token ? claimsOf(body.id_token) : undefined;
        const refreshToken = body.refresh_token ?? undefined;
        const idToken = body.id_token ?? this.#stored?.idToken;
        const stored = {
            accessToken: body.access_token,
            ...(refreshToken && { refreshToken }),
            ...(idToken && { idToken }),
            scope: body.scope ?? "",
            receivedAt: Date.now(),
            lifetime: (body.expires_in ?? 0) * 1_000,
            user: claims ? userOf(claims) : (this.#stored?.user ?? userOf(claimsOf(body.access_token))),
        };
        await this.storage.setItem(this.key, JSON.stringify(stored));
        this.#show(stored);
        return stored;
    }
    /** Forgets the tokens. Returns them. */
    async clear() {
        await this.#loaded;
        const stored = this.#stored;
        await this.storage.removeItem(this.key);
        this.#show(undefined);
        return stored;
    }
    /** Nothing is left of a person on this device. */
    async forget(userId) {
        if ((await this.endedId()) === userId)
            await this.storage.removeItem(this.#endedKey);
    }
    /** The person whose session the service ended last, unless they signed out later. */
    async endedId() {
        return (await this.storage.getItem(this.#endedKey)) ?? undefined;
    }
    get #endedKey() {
        return `${this.key}:ended`;
    }
    /** The service has ended the session. Whose it was is known, because this device may have changes that were not sent. */
    async #end(userId) {
        await this.storage.removeItem(this.key);
        this.#show(undefined);
        await this.storage.setItem(this.#endedKey, userId);
    }
    async #load() {
        if (!this.server)
            return void (await this.#read());
        // Offline, the person is the last one that the server knew.
        const stored = await this.#stores();
        await this.#ask().catch(() => this.#show(stored));
    }
    /** Asks the server of the app for a token. What is stored has none. */
    async #ask(isRejected = false) {
        const body = await this.server.token(isRejected);
        if (!body) {
            const known = this.#stored ?? (await this.#stores());
            if (known)
                await this.#end(known.user.id);
            else
                this.#show(undefined);
            return undefined;
        }
        const person = { user: { ...body.user, claims: {} }, scope: body.scope };
        await this.storage.setItem(this.key, JSON.stringify({ ...person, accessToken: "", receivedAt: 0, lifetime: 0 }));
        const stored = { ...person, accessToken: body.access_token, receivedAt: Date.now(), lifetime: body.expires_in * 1_000 };
        this.#show(stored);
        return stored;
    }
    async #read() {
        const stored = await this.#stores();
        // A tab has a token of its own.
        if (this.server && stored && stored.user.id === this.#stored?.user.id)
            return this.#stored;
        this.#show(stored);
        return stored;
    }
    async #stores() {
        const text = await this.storage.getItem(this.key);
        let stored;
        try {
            const parsed = text ? JSON.parse(text) : undefined;
            stored = typeof parsed?.accessToken === "string" && parsed.user ? parsed : undefined;
        }
        catch {
            // Something else wrote to the storage: nobody is signed in.
        }
        return stored;
    }
    #show(stored) {
        const before = this.#stored;
        this.#stored = stored;
        if (this.state.status !== "loading" && before?.user.id === stored?.user.id && before?.scope === stored?.scope)
            return;
        this.state = stored ? { status: "signedIn", user: stored.user, scope: stored.scope } : { status: "signedOut" };
        this.#listeners.notify(this.state);
    }
    /** Refreshes the tokens while no other tab does. If another one has just done it, its tokens are used. */
    #refresh(rejected) {
        if (this.server)
            return this.#ask(rejected !== undefined && rejected === this.#stored?.accessToken);
        return this.lock(`${this.key}:lock`, async () => {
            const stored = await this.#read();
            if (!stored)
                return undefined;
            if (rejected === undefined ? isFresh(stored) : stored.accessToken !== rejected)
                return stored;
            if (!stored.refreshToken) {
                await this.#end(stored.user.id);
                return undefined;
            }
            const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: stored.refreshToken, client_id: this.clientId });
            try {
                return await this.accept(await exchange(this.transport, body));
            }
            catch (error) {
                if (!(error instanceof StewardError) || error.code !== "invalid_grant")
                    throw error;
                await this.#end(stored.user.id);
                return undefined;
            }
        });
    }
}
/** Sends a request to the token endpoint. @internal */
export async function exchange(transport, body) {
    const request = { method: "POST", path: "/auth/token", body: `${body}`, headers: { "content-type": "application/x-www-form-urlencoded" } };
    return json(await send({ ...transport, token: () => undefined }, request, { timeout: REFRESH_TIMEOUT }));
}
function refreshAt({ receivedAt, lifetime }) {
    return receivedAt + Math.max(lifetime - MARGIN, lifetime / 2);
}
function isFresh(stored) {
    const now = Date.now();
    // Tokens from the future were received before the clock was set back: their age is unknown. Tabs have slightly different times.
    return now >= stored.receivedAt - MARGIN && now < refreshAt(stored);
}
/** The claims of a token. It comes from the token endpoint over TLS, so its signature says nothing more (OpenID Connect Core §3.1.3.7). @internal */
export function claimsOf(token) {
    try {
        const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
        return JSON.parse(new TextDecoder().decode(bytes));
    }
    catch (cause) {
        throw new StewardError("invalid_response", "A token in the response of the token endpoint is not a JWT.", { cause });
    }
}
/** The person of an ID token. @internal */
export function userOf(claims) {
    const text = (name) => (typeof claims[name] === "string" ? claims[name] : undefined);
    const [email, name, username] = [text("email"), text("name"), text("preferred_username")];
    return { id: text("sub") ?? "", ...(email && { email }), ...(name && { name }), ...(username && { username }), claims };
}
//# sourceMappingURL=session.js.map