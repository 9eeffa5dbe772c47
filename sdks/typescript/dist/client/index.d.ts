import { type ObserverOptions } from "../transport.js";
import { type AtomicItems } from "./atomic.js";
import { Items } from "./items.js";
import { Live, type LiveOptions, type LiveWrite } from "./live.js";
import type { LocalStore } from "./local_store.js";
import { type Session } from "./session.js";
import { type SignInOptions } from "./sign_in.js";
import { type KeyValueStorage, type Lock } from "./storage.js";
import { Sync } from "./sync.js";
export { type ApiResponse, Call, type CallOptions, type ConditionalOptions, type KeyedOptions, List, type Page } from "../admin/call.js";
export * from "../error.js";
export type { Logger, ObserverOptions, RequestEvent, RequestOptions } from "../transport.js";
export type { AtomicItems } from "./atomic.js";
export type { Change, Correction, HeldChange, Reason } from "./change.js";
export type { BatchOperation, Changes, Exact, Item, ItemQuery, Items, WriteOptions } from "./items.js";
export type { Live, LiveItem, LiveOptions, LiveWrite } from "./live.js";
export { indexedDbStore, type LocalStore, memoryStore, type StoredState, type StoreUpdate } from "./local_store.js";
export type { Condition, Conditions, Order, Where } from "./query.js";
export type { Session, User } from "./session.js";
export type { SignInOptions } from "./sign_in.js";
export { type KeyValueStorage, type Lock, memoryStorage } from "./storage.js";
export { storageStore } from "./storage_store.js";
export type { Sync, SyncStatus } from "./sync.js";
/** Options of {@link createClient}. */
export interface ClientOptions extends ObserverOptions {
    /** URL of the service: HTTPS, or HTTP on this machine. */
    url: string;
    /** ID of the project. */
    projectId: string;
    /** ID of a public client that the project has registered. By default, the project is the client. */
    clientId?: string;
    /** Where the service redirects to after a sign-in. By default the page that is open, without its query. */
    redirectUri?: string;
    /**
     * Opens the page of a sign-in where there is no page of the app, such as in React Native. Returns the URL to which the
     * service redirected, or nothing if the person closed the page. `signIn` then completes the sign-in.
     */
    openSignIn?: (url: string) => Promise<string | undefined>;
    /**
     * Path of the routes of `createWebSessions` in the server of the app, such as `/auth`, if it has the session in a cookie. This
     * client then gets short access tokens from it, and stores none.
     */
    serverSession?: string;
    /**
     * Scopes of a sign-in, separated by spaces: `openid profile email app:db:write` by default. With `serverSession`, they are
     * an option of `createWebSessions`.
     */
    scope?: string;
    /** Where the session is kept: by default `localStorage`, or memory where there is none. */
    storage?: KeyValueStorage;
    /** Runs a function in one client at a time: by default Web Locks, or a lock in the storage. */
    lock?: Lock;
    /** Where items are kept on this device: by default IndexedDB, or memory where there is none. The name is that of the person's copy. */
    localStore?: (name: string) => LocalStore;
    /** Time limit of one attempt of a request, in milliseconds: 30,000 by default. */
    timeout?: number;
    /** How many times a request is retried: 4 by default. */
    maxRetries?: number;
    /** What sends the requests, instead of the global `fetch`. */
    fetch?: typeof fetch;
    /** What connects, instead of the global `WebSocket`. Node.js 20 has none. */
    webSocket?: typeof WebSocket;
}
/** Tables with any fields, for an app without generated types. */
export type AnyTables = Record<string, Record<string, unknown>>;
type TableOf<Tables> = Extract<keyof Tables, string>;
type FieldsOf<Tables, Name extends keyof Tables> = Extract<Tables[Name], object>;
/** A client of one project. `Tables` are those that `steward schema types --lang typescript` prints. */
export declare class Client<Tables extends object = AnyTables> {
    #private;
    /** The copy of the items on this device, and its connection to the service. */
    readonly sync: Sync;
    /** The session, as it is known now: `loading` until the storage was read. */
    get session(): Session;
    /** Returns the session after the storage was read. */
    getSession(): Promise<Session>;
    /** Calls the listener after each change of the session, also in another tab. Returns a function that ends this. */
    onSession(listener: (session: Session) => void): () => void;
    /** Returns a valid access token of the person, or `undefined` if nobody is signed in. It is refreshed if necessary. */
    getToken(): Promise<string | undefined>;
    /**
     * Opens the page of the service on which the person signs in. It leads back to `redirectUri`: call `completeSignIn` there,
     * unless the client has `openSignIn`.
     */
    signIn(options?: SignInOptions): Promise<void>;
    /** Returns the URL that `signIn` opens, for apps that open it themselves. */
    signInUrl(options?: SignInOptions): Promise<string>;
    /** Signs the person in in a pop-up. Call it in the handler of a click, and `completeSignIn` on the page of `redirectUri`. */
    signInWithPopup(options?: SignInOptions): Promise<Session>;
    /**
     * Completes a sign-in on the page to which the service redirected. On another page, it returns the current session, so
     * that every page can call it.
     *
     * @param href The URL to which the service redirected: by default that of the page.
     * @throws {StewardError} `sign_in_failed` if the person denied the access, or the sign-in did not begin in this browser.
     * `details.error` has the code of the service, such as `access_denied` or `login_required` (RFC 6749 §4.1.2.1).
     */
    completeSignIn(href?: string | undefined): Promise<Session>;
    /**
     * Signs the person out of the app: revokes the tokens, and deletes the items on this device, in all tabs. With `redirectUri`,
     * a registered `post_logout_redirect_uris`, the browser is signed out of the service, too.
     *
     * After the service has ended a session, changes that were not sent are kept for the same person. `discard` deletes them.
     *
     * @throws {StewardError} `invalid_argument` if `redirectUri` is set with `serverSession`. `unsent_changes` if changes were not sent, with their number in `details.pending`, unless `discard` is set.
     */
    signOut(options?: {
        redirectUri?: string;
        discard?: boolean;
    }): Promise<void>;
    /** Returns the items of the person in a table, as requests to the service. */
    items<Name extends TableOf<Tables>>(table: Name): Items<FieldsOf<Tables, Name>>;
    /** Returns a live query of a table on this device. Its writes are applied at once, also offline. */
    live<Name extends TableOf<Tables>>(table: Name, options?: LiveOptions<FieldsOf<Tables, Name>>): Live<FieldsOf<Tables, Name>>;
    /**
     * Writes several items together, of any tables: they appear at once, also offline, and the service stores all of the writes
     * or none. If it refuses one, all are taken back, with one reason. At most 1,000 writes and 1 MiB.
     *
     * @param write Makes the writes. It is called once, and must not be asynchronous.
     * @throws {StewardError} `not_supported` if the service is of an earlier version.
     */
    atomic(write: (items: <Name extends TableOf<Tables>>(table: Name) => AtomicItems<FieldsOf<Tables, Name>>) => void): LiveWrite;
    /** Ends the connection and releases the store. What is stored remains. */
    close(): Promise<void>;
}
/**
 * Returns a client of a project.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
export declare function createClient<Tables extends object = AnyTables>(options: ClientOptions): Client<Tables>;
