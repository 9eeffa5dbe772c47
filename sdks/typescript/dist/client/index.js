/**
 * The client of an app: signs people in to a project, reads and stores their items, and keeps them in sync.
 * @module
 */
import { StewardError } from "../error.js";
import { pathOf, serviceUrl } from "../service_url.js";
import { json, send, transportOf } from "../transport.js";
import { atomicChanges } from "./atomic.js";
import { Items } from "./items.js";
import { Live, written } from "./live.js";
import { ServerSession } from "./server_session.js";
import { SessionStore } from "./session.js";
import { SignIn } from "./sign_in.js";
import { lockOf, memoryStorage, pageStorage } from "./storage.js";
import { Sync } from "./sync.js";
export { Call, List } from "../admin/call.js";
export * from "../error.js";
export { indexedDbStore, memoryStore } from "./local_store.js";
export { memoryStorage } from "./storage.js";
export { storageStore } from "./storage_store.js";
/** A client of one project. `Tables` are those that `steward schema types --lang typescript` prints. */
export class Client {
    /** The copy of the items on this device, and its connection to the service. */
    sync;
    #options;
    #session;
    #signIn;
    #server;
    #transport;
    /** @internal */
    constructor(options) {
        const { projectId, clientId = projectId, storage = pageStorage() ?? memoryStorage() } = options;
        const url = serviceUrl(options.url);
        if (!projectId)
            throw new StewardError("invalid_argument", "Pass `projectId`: the ID of the project.");
        const token = (rejected) => this.#session.token(rejected);
        const key = `steward:${clientId}`;
        this.#options = options;
        this.#transport = transportOf(url, token, options);
        this.#server = options.serverSession === undefined ? undefined : new ServerSession(options.serverSession, this.#transport.fetch, options);
        this.#session = new SessionStore(this.#transport, clientId, key, storage, options.lock ?? lockOf(storage), this.#server, options.logger);
        const { redirectUri, scope = "openid profile email app:db:write" } = options;
        this.#signIn = new SignIn(this.#transport, clientId, `${key}:sign-in`, storage, this.#session, { scope, ...(redirectUri && { redirectUri }) });
        const unsigned = { ...this.#transport, token: () => undefined };
        this.sync = new Sync({
            url,
            projectId,
            session: this.#session,
            storage,
            key,
            localStore: options.localStore,
            readSchema: async () => json(await send(unsigned, { method: "GET", path: pathOf("/project/{id}/schema", [projectId]) }, { maxRetries: 0 })),
            webSocket: options.webSocket ?? globalThis.WebSocket,
            logger: options.logger,
        });
    }
    /** The session, as it is known now: `loading` until the storage was read. */
    get session() {
        return this.#session.state;
    }
    /** Returns the session after the storage was read. */
    getSession() {
        return this.#session.load();
    }
    /** Calls the listener after each change of the session, also in another tab. Returns a function that ends this. */
    onSession(listener) {
        return this.#session.subscribe(listener);
    }
    /** Returns a valid access token of the person, or `undefined` if nobody is signed in. It is refreshed if necessary. */
    getToken() {
        return this.#session.token();
    }
    /**
     * Opens the page of the service on which the person signs in. It leads back to `redirectUri`: call `completeSignIn` there,
     * unless the client has `openSignIn`.
     */
    async signIn(options = {}) {
        const url = await this.signInUrl(options);
        const { openSignIn } = this.#options;
        if (!openSignIn)
            return location.assign(url);
        const href = await openSignIn(url);
        if (href)
            await this.completeSignIn(href);
    }
    /** Returns the URL that `signIn` opens, for apps that open it themselves. */
    async signInUrl(options = {}) {
        return this.#server?.signInUrl(options) ?? (await this.#signIn.begin(options)).url;
    }
    /** Signs the person in in a pop-up. Call it in the handler of a click, and `completeSignIn` on the page of `redirectUri`. */
    signInWithPopup(options = {}) {
        if (this.#server)
            return Promise.reject(new StewardError("invalid_argument", "A server that has the session signs people in without a pop-up: call `signIn`."));
        return this.#signIn.popup(options);
    }
    /**
     * Completes a sign-in on the page to which the service redirected. On another page, it returns the current session, so
     * that every page can call it.
     *
     * @param href The URL to which the service redirected: by default that of the page.
     * @throws {StewardError} `sign_in_failed` if the person denied the access, or the sign-in did not begin in this browser.
     * `details.error` has the code of the service, such as `access_denied` or `login_required` (RFC 6749 §4.1.2.1).
     */
    async completeSignIn(href = globalThis.location?.href) {
        if (href !== undefined)
            this.#server?.check(href);
        return href === undefined || this.#server ? this.getSession() : this.#signIn.complete(href);
    }
    /**
     * Signs the person out of the app: revokes the tokens, and deletes the items on this device, in all tabs. With `redirectUri`,
     * a registered `post_logout_redirect_uris`, the browser is signed out of the service, too.
     *
     * After the service has ended a session, changes that were not sent are kept for the same person. `discard` deletes them.
     *
     * @throws {StewardError} `invalid_argument` if `redirectUri` is set with `serverSession`. `unsent_changes` if changes were not sent, with their number in `details.pending`, unless `discard` is set.
     */
    async signOut(options = {}) {
        if (this.#server && options.redirectUri !== undefined)
            throw new StewardError("invalid_argument", "The server of the app signs out of the app only: leave out `redirectUri`.");
        // First the items: without a session, it is not known whose they are.
        const { discard = false } = options;
        const userId = (await this.#session.load()).user?.id ?? (discard ? await this.#session.endedId() : undefined);
        let failure;
        try {
            if (userId !== undefined) {
                await this.sync.clear(userId, discard);
                await this.#session.forget(userId);
            }
        }
        catch (error) {
            if (error instanceof StewardError && error.code === "unsent_changes")
                throw error;
            failure = error;
        }
        await this.#server?.end().catch((error) => {
            this.sync.restore();
            throw error;
        });
        const stored = await this.#session.clear();
        if (failure)
            throw failure;
        if (!stored || this.#server)
            return;
        const client_id = this.#options.clientId ?? this.#options.projectId;
        const body = new URLSearchParams({ token: stored.refreshToken ?? stored.accessToken, client_id });
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        // Offline, the tokens cannot be revoked: this device has forgotten them all the same.
        await send({ ...this.#transport, token: () => undefined }, { method: "POST", path: "/auth/revoke", headers, body: `${body}` }).catch(() => { });
        if (options.redirectUri === undefined)
            return;
        const parameters = new URLSearchParams({ client_id, post_logout_redirect_uri: options.redirectUri });
        if (stored.idToken)
            parameters.set("id_token_hint", stored.idToken);
        location.assign(`${this.#transport.url}/auth/logout?${parameters}`);
    }
    /** Returns the items of the person in a table, as requests to the service. */
    items(table) {
        return new Items(this.#transport, this.#options.projectId, table);
    }
    /** Returns a live query of a table on this device. Its writes are applied at once, also offline. */
    live(table, options = {}) {
        return new Live(this.sync, table, options);
    }
    /**
     * Writes several items together, of any tables: they appear at once, also offline, and the service stores all of the writes
     * or none. If it refuses one, all are taken back, with one reason. At most 1,000 writes and 1 MiB.
     *
     * @param write Makes the writes. It is called once, and must not be asynchronous.
     * @throws {StewardError} `not_supported` if the service is of an earlier version.
     */
    atomic(write) {
        const changes = atomicChanges(write);
        return written(this.sync.write(...changes), undefined);
    }
    /** Ends the connection and releases the store. What is stored remains. */
    close() {
        return this.sync.end();
    }
}
/**
 * Returns a client of a project.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
export function createClient(options) {
    return new Client(options);
}
//# sourceMappingURL=index.js.map