import { StewardError } from "../error.js";
import { backoff } from "../retry.js";
import { Listeners } from "./listeners.js";
import { type LocalStore, memoryStore } from "./local_store.js";
import { type Change, type Correction, MAX_PENDING, Replica } from "./replica.js";
import type { SessionStore } from "./session.js";
import { Watchdog } from "./watchdog.js";

/** Whether this device is connected: `online` after it has loaded what it lacked. */
export type SyncStatus = "offline" | "connecting" | "online";

/** Maximum delay between two attempts to connect, in milliseconds. */
const MAX_DELAY = 30_000;
/** Request ID of an empty message, which only asks for an acknowledgement. Those of changes begin with 1. */
const ASKING = 0;
/** When the network may have changed. */
const NETWORK_EVENTS = ["online", "offline", "visibilitychange"];
/** `setTimeout` cannot wait longer, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** Keeps the items of the signed-in person on this device in sync with the service. */
export class Sync {
  #status: SyncStatus = "offline";
  #replica: Replica | undefined;
  #store: LocalStore | undefined;
  #userId: string | undefined;
  #opening: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  #isWanted = false;
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Listeners();
  readonly #tables = new Map<string, Listeners>();
  readonly #versions = new Map<string, number>();
  #version = 0;
  readonly #corrections = new Listeners<Correction>();
  readonly #networkChanged = ({ type }: Event) => {
    if (type === "offline") this.#connection?.close();
    else if (type === "online" || !document.hidden) this.#wake();
  };
  readonly #unsubscribe: () => void;

  /** @internal */
  constructor(
    private readonly options: {
      url: string;
      projectId: string;
      session: SessionStore;
      storeOf: (userId: string) => LocalStore;
      webSocket: typeof WebSocket | undefined;
    },
  ) {
    this.#unsubscribe = options.session.subscribe(() => this.#isWanted && void this.#open());
  }

  /** Whether this device is connected. */
  get status(): SyncStatus {
    return this.#status;
  }

  /** Number of local changes that the service has not acknowledged. */
  get pending(): number {
    return this.#replica?.pending ?? 0;
  }

  /** Calls the listener when `status` or `pending` changes. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Calls the listener with each local write that the service did not store as it was made, because it does not match the
   * schema, or another device changed the item at the same time. The item on this device is then that of the service.
   */
  onCorrection(listener: (correction: Correction) => void): () => void {
    return this.#corrections.add(listener);
  }

  /** Connects now, and again after each interruption. Live queries and local writes do this by themselves. */
  connect(): void {
    if (!this.options.webSocket) {
      throw new StewardError("invalid_argument", "There is no WebSocket here. Pass `webSocket`, or start Node.js 20 with --experimental-websocket.");
    }
    if (!this.#isWanted) for (const type of NETWORK_EVENTS) globalThis.addEventListener?.(type, this.#networkChanged);
    this.#isWanted = true;
    void this.#open();
  }

  /** Disconnects. Local writes are kept until the next connection. */
  disconnect(): void {
    this.#isWanted = false;
    for (const type of NETWORK_EVENTS) globalThis.removeEventListener?.(type, this.#networkChanged);
    this.#close();
  }

  /** Waits until the service has acknowledged all local changes. */
  async synced(signal?: AbortSignal): Promise<void> {
    this.connect();
    await this.options.session.load();
    await this.#opening;
    while (this.pending > 0 || this.#status !== "online") {
      if (!this.#replica) throw signedOut();
      await new Promise<void>((resolve, reject) => {
        const end = () => (unsubscribe(), signal?.removeEventListener("abort", abort));
        const abort = () => (end(), reject(signal!.reason));
        const unsubscribe = this.subscribe(() => (end(), resolve()));
        if (signal?.aborted) abort();
        signal?.addEventListener("abort", abort);
      });
    }
  }

  /** Forgets the items on this device. @internal */
  async clear(): Promise<void> {
    this.#close();
    await this.#opening;
    const store = this.#store ?? (await this.#unopened().catch(() => undefined));
    this.#forget();
    await store?.clear();
    store?.close();
  }

  /** Ends everything, and keeps what is stored. @internal */
  async end(): Promise<void> {
    this.disconnect();
    this.#unsubscribe();
    await this.#opening;
    this.#store?.close();
  }

  /** @internal */
  watch(table: string, listener: () => void): () => void {
    let listeners = this.#tables.get(table);
    if (!listeners) this.#tables.set(table, (listeners = new Listeners()));
    this.connect();
    return listeners.add(listener);
  }

  /** A number that grows when items of a table change. @internal */
  version(table: string): number {
    return this.#version + (this.#versions.get(table) ?? 0);
  }

  /** @internal */
  get replica(): Replica | undefined {
    return this.#replica;
  }

  /** Applies a local change. Resolves when it is stored on this device. @internal */
  async write(change: Change): Promise<void> {
    if (!this.#replica || !this.#isWanted) {
      this.connect();
      await this.options.session.load();
      await this.#opening;
    }
    const replica = this.#replica;
    if (!replica) throw signedOut();
    if (replica.pending >= MAX_PENDING) {
      throw new StewardError("too_many_items", `${MAX_PENDING} changes wait for the service. Connect this device before more are made.`);
    }
    const stored = replica.write(change);
    this.#notify();
    this.#send();
    await stored;
  }

  /** Opens the store of an app that has not read the items since it started; fails if the browser refuses IndexedDB. */
  async #unopened(): Promise<LocalStore | undefined> {
    const { user } = await this.options.session.load();
    const store = user && this.options.storeOf(user.id);
    await store?.open();
    return store;
  }

  /** Opens the store of the signed-in person, and connects. */
  #open(): Promise<void> {
    return (this.#opening = this.#opening.then(async () => {
      const { user } = await this.options.session.load();
      if (user?.id !== this.#userId) {
        this.#close();
        this.#store?.close();
        this.#forget();
        if (user) {
          // A browser may refuse IndexedDB, for example in a private window.
          await this.#use(this.options.storeOf(user.id)).catch(() => this.#use(memoryStore()));
          this.#userId = user.id;
          this.#allChanged();
        }
      }
      this.#connect();
    }));
  }

  async #use(store: LocalStore): Promise<void> {
    const corrected = (correction: Correction) => this.#corrections.notify(correction);
    const replica = new Replica(store, (tables) => this.#changed(tables), corrected);
    await replica.open();
    this.#store = store;
    this.#replica = replica;
  }

  /** Connects now, or asks whether the connection still works. */
  #wake() {
    if (this.#connection) this.#connection.check();
    else this.#connect();
  }

  #connect() {
    clearTimeout(this.#retry);
    const { session, url, projectId, webSocket } = this.options;
    if (!this.#isWanted || !this.#replica || this.#connection || !webSocket) return;
    this.#set("connecting");
    const connection = new Connection(this.#replica, session, `${url.replace(/^http/, "ws")}/ws`, projectId, webSocket, {
      online: () => {
        this.#attempt = 0;
        this.#set("online");
        // The first load may have had no items: they are loaded all the same.
        this.#allChanged();
      },
      changed: () => this.#notify(),
      closed: () => {
        if (this.#connection !== connection) return;
        this.#connection = undefined;
        this.#set("offline");
        if (!this.#isWanted || session.state.status !== "signedIn") return;
        this.#retry = setTimeout(() => this.#connect(), backoff(this.#attempt++, MAX_DELAY));
      },
    });
    this.#connection = connection;
  }

  #send() {
    if (this.#connection) this.#connection.send();
    else this.#connect();
  }

  #close() {
    clearTimeout(this.#retry);
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close();
    this.#set("offline");
  }

  #forget() {
    this.#replica = this.#store = this.#userId = undefined;
    this.#allChanged();
  }

  #allChanged() {
    this.#version += 1;
    for (const listeners of this.#tables.values()) listeners.notify();
  }

  #changed(tables: Iterable<string>) {
    for (const table of tables) {
      this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
      this.#tables.get(table)?.notify();
    }
  }

  #set(status: SyncStatus) {
    if (this.#status === status) return;
    this.#status = status;
    this.#notify();
  }

  #notify() {
    this.#listeners.notify();
  }
}

const signedOut = () => new StewardError("signed_out", "Nobody is signed in. Call `signIn` first.");

/** One connection, from the first message to its end. */
class Connection {
  readonly #socket: WebSocket;
  #isReady = false;
  #isClosed = false;
  readonly #watchdog: Watchdog;
  #renewal: ReturnType<typeof setTimeout> | undefined;
  #token: string | undefined;
  /** Messages are applied one after the other. */
  #received: Promise<void> = Promise.resolve();

  constructor(
    private readonly replica: Replica,
    private readonly session: SessionStore,
    url: string,
    private readonly projectId: string,
    webSocket: typeof WebSocket,
    private readonly events: { online(): void; changed(): void; closed(): void },
  ) {
    this.#socket = new webSocket(url);
    this.#watchdog = new Watchdog(() => this.#ask(), () => this.close());
    this.#socket.onopen = () => void this.#identify();
    this.#socket.onmessage = ({ data }) => {
      this.#watchdog.heard();
      this.#received = this.#received.then(() => (this.#isClosed ? undefined : this.#receive(String(data)))).catch(() => this.close());
    };
    this.#socket.onclose = this.#socket.onerror = () => this.close();
  }

  close(code = 1000) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watchdog.stop();
    clearTimeout(this.#renewal);
    this.#socket.onclose = this.#socket.onerror = this.#socket.onmessage = null;
    this.#socket.close(code);
    this.events.closed();
  }

  /** Sends the next changes, unless some are in flight. */
  send() {
    if (!this.#isReady || this.#isClosed) return;
    const portion = this.replica.portion();
    if (!portion) return;
    const { changes, requestId } = portion;
    this.#changes(requestId, changes);
  }

  /** Closes the connection unless the service answers soon. */
  check() {
    this.#watchdog.check();
  }

  /** Requests an acknowledgement, unless a load or changes in flight are answered anyway. */
  #ask() {
    if (this.#isReady && !this.replica.isSending) this.#changes(ASKING, []);
  }

  #changes(requestId: number, changes: Change[]) {
    this.#message({ type: "changes", requestId, baseRevision: this.replica.revision, partial: false, changes });
  }

  #message(message: object) {
    this.#socket.send(JSON.stringify(message));
  }

  async #identify() {
    try {
      const authToken = (this.#token = await this.session.token());
      if (!authToken || this.#isClosed) return this.close();
      this.#message({ type: "clientIdentity", clientIdentity: this.replica.device || null, authToken, schema: { project_id: this.projectId } });
    } catch {
      // The token could not be refreshed: the next attempt tries again.
      this.close();
    }
  }

  async #receive(text: string): Promise<void> {
    const message = JSON.parse(text);
    switch (message.type) {
      case "clientIdentity":
        this.replica.beginLoad();
        this.#renewLater();
        return this.#message({ type: "subscribe", syncedRevision: this.replica.revision });
      case "changes": {
        const isLast = !message.partial;
        await this.replica.receive(message.changes, message.currentRevision, !this.#isReady, isLast);
        if (this.#isReady) return;
        if (!isLast) return;
        this.#isReady = true;
        this.events.online();
        return this.send();
      }
      case "ack":
        await this.replica.acknowledge(message.requestId);
        this.events.changed();
        return this.send();
      case "tokenUpdateAck":
        return message.ok ? this.#renewLater() : this.close(4001);
      case "error":
        // The token was rejected although it has not expired by the clock of this device.
        await this.session.token(this.#token);
        return this.close();
    }
  }

  /** Replaces the token before it expires. A timer of a device that slept ends when it wakes. */
  #renewLater(min = 1_000) {
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => void this.#renew(), Math.min(Math.max(this.session.expiresIn(), min), MAX_TIMER));
  }

  async #renew() {
    try {
      const authToken = await this.session.token();
      if (this.#isClosed) return;
      if (!authToken) return this.close();
      if (authToken === this.#token) return this.#renewLater();
      this.#token = authToken;
      this.#message({ type: "tokenUpdate", authToken });
    } catch {
      // Offline, or the service is not available: the token may still be valid for a while.
      this.#renewLater(15_000);
    }
  }
}
