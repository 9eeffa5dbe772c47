/**
 * The client of an app: signs people in to a project, reads and stores their items, and keeps them in sync.
 * @module
 */
import { StewardError } from "../error.js";
import { pathOf, serviceUrl } from "../service_url.js";
import { json, type ObserverOptions, send, type TokenSource, transportOf } from "../transport.js";
import { atomicChanges, type AtomicItems } from "./atomic.js";
import { Items } from "./items.js";
import { Live, type LiveOptions, type LiveWrite, written } from "./live.js";
import type { LocalStore } from "./local_store.js";
import { ServerSession } from "./server_session.js";
import { type Session, SessionStore } from "./session.js";
import { SignIn, type SignInOptions } from "./sign_in.js";
import { type KeyValueStorage, type Lock, lockOf, memoryStorage, pageStorage } from "./storage.js";
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
export class Client<Tables extends object = AnyTables> {
  /** The copy of the items on this device, and its connection to the service. */
  readonly sync: Sync;
  readonly #options: ClientOptions;
  readonly #session: SessionStore;
  readonly #signIn: SignIn;
  readonly #server: ServerSession | undefined;
  readonly #transport;

  /** @internal */
  constructor(options: ClientOptions) {
    const { projectId, clientId = projectId, storage = pageStorage() ?? memoryStorage() } = options;
    const url = serviceUrl(options.url);
    if (!projectId) throw new StewardError("invalid_argument", "Pass `projectId`: the ID of the project.");
    const token: TokenSource = (rejected) => this.#session.token(rejected);
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
  get session(): Session {
    return this.#session.state;
  }

  /** Returns the session after the storage was read. */
  getSession(): Promise<Session> {
    return this.#session.load();
  }

  /** Calls the listener after each change of the session, also in another tab. Returns a function that ends this. */
  onSession(listener: (session: Session) => void): () => void {
    return this.#session.subscribe(listener);
  }

  /** Returns a valid access token of the person, or `undefined` if nobody is signed in. It is refreshed if necessary. */
  getToken(): Promise<string | undefined> {
    return this.#session.token();
  }

  /**
   * Opens the page of the service on which the person signs in. It leads back to `redirectUri`: call `completeSignIn` there,
   * unless the client has `openSignIn`.
   */
  async signIn(options: SignInOptions = {}): Promise<void> {
    const url = await this.signInUrl(options);
    const { openSignIn } = this.#options;
    if (!openSignIn) return location.assign(url);
    const href = await openSignIn(url);
    if (href) await this.completeSignIn(href);
  }

  /** Returns the URL that `signIn` opens, for apps that open it themselves. */
  async signInUrl(options: SignInOptions = {}): Promise<string> {
    return this.#server?.signInUrl(options) ?? (await this.#signIn.begin(options)).url;
  }

  /** Signs the person in in a pop-up. Call it in the handler of a click, and `completeSignIn` on the page of `redirectUri`. */
  signInWithPopup(options: SignInOptions = {}): Promise<Session> {
    if (this.#server) return Promise.reject(new StewardError("invalid_argument", "A server that has the session signs people in without a pop-up: call `signIn`."));
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
  async completeSignIn(href: string | undefined = globalThis.location?.href): Promise<Session> {
    if (href !== undefined) this.#server?.check(href);
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
  async signOut(options: { redirectUri?: string; discard?: boolean } = {}): Promise<void> {
    if (this.#server && options.redirectUri !== undefined) throw new StewardError("invalid_argument", "The server of the app signs out of the app only: leave out `redirectUri`.");
    // First the items: without a session, it is not known whose they are.
    const { discard = false } = options;
    const userId = (await this.#session.load()).user?.id ?? (discard ? await this.#session.endedId() : undefined);
    let failure: unknown;
    try {
      if (userId !== undefined) {
        await this.sync.clear(userId, discard);
        await this.#session.forget(userId);
      }
    } catch (error) {
      if (error instanceof StewardError && error.code === "unsent_changes") throw error;
      failure = error;
    }
    await this.#server?.end().catch((error) => {
      this.sync.restore();
      throw error;
    });
    const stored = await this.#session.clear();
    if (failure) throw failure;
    if (!stored || this.#server) return;
    const client_id = this.#options.clientId ?? this.#options.projectId;
    const body = new URLSearchParams({ token: stored.refreshToken ?? stored.accessToken, client_id });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    // Offline, the tokens cannot be revoked: this device has forgotten them all the same.
    await send({ ...this.#transport, token: () => undefined }, { method: "POST", path: "/auth/revoke", headers, body: `${body}` }).catch(() => {});
    if (options.redirectUri === undefined) return;
    const parameters = new URLSearchParams({ client_id, post_logout_redirect_uri: options.redirectUri });
    if (stored.idToken) parameters.set("id_token_hint", stored.idToken);
    location.assign(`${this.#transport.url}/auth/logout?${parameters}`);
  }

  /** Returns the items of the person in a table, as requests to the service. */
  items<Name extends TableOf<Tables>>(table: Name): Items<FieldsOf<Tables, Name>> {
    return new Items(this.#transport, this.#options.projectId, table);
  }

  /** Returns a live query of a table on this device. Its writes are applied at once, also offline. */
  live<Name extends TableOf<Tables>>(table: Name, options: LiveOptions<FieldsOf<Tables, Name>> = {}): Live<FieldsOf<Tables, Name>> {
    return new Live(this.sync, table, options);
  }

  /**
   * Writes several items together, of any tables: they appear at once, also offline, and the service stores all of the writes
   * or none. If it refuses one, all are taken back, with one reason. At most 1,000 writes and 1 MiB.
   *
   * @param write Makes the writes. It is called once, and must not be asynchronous.
   * @throws {StewardError} `not_supported` if the service is of an earlier version.
   */
  atomic(write: (items: <Name extends TableOf<Tables>>(table: Name) => AtomicItems<FieldsOf<Tables, Name>>) => void): LiveWrite {
    const changes = atomicChanges(write as (items: (table: string) => AtomicItems<any>) => void);
    return written(this.sync.write(...changes), undefined);
  }

  /** Ends the connection and releases the store. What is stored remains. */
  close(): Promise<void> {
    return this.sync.end();
  }
}

/**
 * Returns a client of a project.
 *
 * @throws {StewardError} `invalid_argument` if the URL is not valid, or others could read the tokens.
 */
export function createClient<Tables extends object = AnyTables>(options: ClientOptions): Client<Tables> {
  return new Client<Tables>(options);
}
