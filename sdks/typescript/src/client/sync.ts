import { StewardError } from "../error.js";
import { backoff } from "../retry.js";
import { randomId } from "../transport.js";
import { Connection } from "./connection.js";
import { Keeper } from "./keeper.js";
import { Listeners } from "./listeners.js";
import { type LocalStore, memoryStore, type StoredState } from "./local_store.js";
import { type Change, type ChangedItems, type Correction, type HeldChange, MAX_PENDING, type Reason, Replica, type ReplicaUpdate } from "./replica.js";
import type { SessionStore } from "./session.js";
import { canShare, Tabs } from "./tabs.js";

/** Whether this device is connected: `online` after it has loaded what it lacked. */
export type SyncStatus = "offline" | "connecting" | "online";

/** Maximum delay between two attempts to connect, in milliseconds. */
const MAX_DELAY = 30_000;
/** When changes that wait for room are sent again, in milliseconds: the quota may be larger by then. */
const HELD_INTERVAL = 15 * 60_000;
/** When the network may have changed. */
const NETWORK_EVENTS = ["online", "offline", "visibilitychange"];

/** What only the connected tab does. */
type Operation = { write: Change } | { do: "clear" | "release" | "wake" | "store" } | { discard: [table: string | undefined, id: string | undefined] };

/** What the connected tab tells the others. */
interface News {
  update?: ReplicaUpdate;
  corrections?: Correction[];
  status?: SyncStatus;
  storeError?: string | undefined;
  /** The person signs out. */
  isCleared?: boolean;
}

/** What a new tab needs besides the store. */
interface Welcome extends Pick<StoredState, "outbox">, Partial<Pick<StoredState, "items" | "revision">> {
  held: [number, Reason][];
  status: SyncStatus;
  storeError?: string | undefined;
}

/** Keeps the items of the signed-in person on this device in sync with the service. Tabs share a connection and the changes that wait. */
export class Sync {
  #status: SyncStatus = "offline";
  #replica: Replica | undefined;
  #keeper: Keeper | undefined;
  /** The tabs with the same store; `undefined` if this client shares it with none. */
  #tabs: Tabs<Operation, News, Welcome> | undefined;
  /** News that arrive while this tab reads the store. */
  #early: News[] | undefined;
  #userId: string | undefined;
  /** A person whose items were deleted because they sign out. */
  #clearedId: string | undefined;
  #storeError: StewardError | undefined;
  /** Numbers of the changes of this tab that the connected one has taken. */
  readonly #taken = new Map<string, number>();
  #opening: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  #isWanted = false;
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryHeld: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Listeners();
  readonly #tables = new Map<string, Listeners<Map<string, unknown> | undefined>>();
  readonly #versions = new Map<string, number>();
  #version = 0;
  #wasLoaded = false;
  readonly #corrections = new Listeners<Correction>();
  readonly #networkChanged = ({ type }: Event) => {
    if (type === "offline") this.#connection?.close();
    else if (type === "online" || !document.hidden) void this.#run({ do: "wake" });
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
    this.#unsubscribe = options.session.subscribe(({ user }) => {
      if (user?.id !== this.#clearedId) this.#clearedId = undefined;
      if (this.#isWanted || !user) void this.#open();
    });
  }

  /** Whether this device is connected. */
  get status(): SyncStatus {
    return this.#status;
  }

  /** Number of local changes that the service has not acknowledged, of all tabs. */
  get pending(): number {
    return this.#replica?.pending ?? 0;
  }

  /**
   * Local changes for which a quota of the project leaves no room, with the reason. They are pending, and are sent again after
   * an item was deleted, every 15 minutes, and with `retryHeld`.
   */
  get held(): readonly HeldChange[] {
    return this.#replica?.held ?? [];
  }

  /** Why this device does not store everything: its store failed or is full. `undefined` while it works. */
  get storeError(): StewardError | undefined {
    return this.#storeError;
  }

  /** Calls the listener when `status`, `pending`, `held` or `storeError` changes. Returns a function that ends this. */
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

  /** Sends the changes in `held` again. */
  async retryHeld(): Promise<void> {
    if (this.#replica) await this.#run({ do: "release" });
  }

  /** Discards the changes in `held`: all, or those of an item. */
  async discardHeld(table?: string, id?: string): Promise<void> {
    if (this.#replica) await this.#run({ discard: [table, id] });
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
    // Another tab connects, and this one reads the store again.
    if (this.#tabs) this.#leave(true);
  }

  /**
   * Waits until the service has acknowledged all local changes.
   *
   * @throws {StewardError} `quota_exceeded` if only changes in `held` are left.
   */
  async synced(signal?: AbortSignal): Promise<void> {
    this.connect();
    await this.#opened();
    while (this.pending > 0 || this.#status !== "online") {
      if (!this.#replica) throw signedOut();
      const [first] = this.held;
      if (first && this.held.length === this.pending) {
        throw new StewardError("quota_exceeded", `${this.pending} changes wait for room. ${first.message ?? ""}`, { details: { pending: this.pending } });
      }
      await new Promise<void>((resolve, reject) => {
        const end = () => (unsubscribe(), signal?.removeEventListener("abort", abort));
        const abort = () => (end(), reject(signal!.reason));
        const unsubscribe = this.subscribe(() => (end(), resolve()));
        if (signal?.aborted) abort();
        signal?.addEventListener("abort", abort);
      });
    }
    // A page that is closed now has no changes that would be sent again.
    await this.#run({ do: "store" });
  }

  /** Forgets the items on this device. Refuses if changes were not sent, unless they are to be discarded. @internal */
  async clear(userId: string, discard: boolean): Promise<void> {
    await this.#open(userId);
    const { pending } = this;
    if (pending > 0 && !discard) {
      const message = `${pending} changes of this device were not sent. Wait for \`client.sync.synced()\`, or pass \`discard: true\` to lose them.`;
      throw new StewardError("unsent_changes", message, { details: { pending } });
    }
    await this.#run({ do: "clear" });
  }

  /** Ends everything, and keeps what is stored. @internal */
  async end(): Promise<void> {
    this.disconnect();
    this.#unsubscribe();
    await this.#opening;
    await this.#keeper?.stored();
    this.#leave(true);
  }

  /** Calls the listener with the items of a table that changed, or with nothing if all may have. @internal */
  watch(table: string, listener: (changed?: Map<string, unknown>) => void): () => void {
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
      await this.#opened();
    }
    if (!this.#replica) throw signedOut();
    if (this.pending >= MAX_PENDING) {
      throw new StewardError("too_many_items", `${MAX_PENDING} changes wait for the service. Connect this device before more are made.`);
    }
    await this.#run({ write: change });
  }

  async #opened(): Promise<void> {
    await this.options.session.load();
    await this.#opening;
  }

  /** Has the connected tab perform an operation. */
  async #run(operation: Operation): Promise<void> {
    if (!this.#tabs || this.#tabs.isLeader) return this.#perform(operation);
    const call = randomId();
    if ("write" in operation) this.#replica?.expect(call, operation.write);
    this.#notify();
    try {
      await this.#tabs.call(call, operation);
    } catch (error) {
      this.#replica?.apply({ call });
      throw error;
    } finally {
      this.#taken.delete(call);
    }
  }

  /** Performs an operation, of this tab or another one. */
  async #perform(operation: Operation, call?: string): Promise<void> {
    if (call) await this.#opening;
    const replica = this.#replica;
    if (!replica) return;
    if ("write" in operation) {
      const stored = replica.write(operation.write, call);
      this.#send();
      await stored;
    } else if ("discard" in operation) {
      await replica.discard(...operation.discard);
    } else if (operation.do === "clear") {
      this.#close();
      this.#tabs?.publish({ isCleared: true });
      try {
        await this.#keeper!.store.clear();
      } finally {
        this.#cleared();
      }
    } else if (operation.do === "store") {
      await this.#keeper?.stored();
    } else if (operation.do === "release") {
      await replica.release();
      this.#send();
    } else if (this.#connection) {
      this.#connection.check();
    } else {
      this.#connect();
    }
  }

  /** Opens the store of the signed-in person, and connects. `userId`: of that person, before a sign-out. */
  #open(userId?: string): Promise<void> {
    return (this.#opening = this.#opening.catch(() => {}).then(async () => {
      const id = userId ?? (await this.options.session.load()).user?.id;
      if (id !== this.#userId) {
        this.#leave();
        if (id && id !== this.#clearedId) await this.#join(id);
      }
      this.#connect();
    }));
  }

  async #join(userId: string): Promise<void> {
    const store = this.options.storeOf(userId);
    this.#userId = userId;
    const tabs = store.sharedName !== undefined && canShare() ? this.#share(store.sharedName) : undefined;
    this.#tabs = tabs;
    this.#early = [];
    await this.#load(store, await tabs?.join());
  }

  /** Reads the store, and what the connected tab knows. */
  async #load(store: LocalStore, known?: Welcome): Promise<void> {
    const early: News[] = (this.#early = []);
    let replica: Replica | undefined;
    const keeper = new Keeper(
      store,
      () => replica!.state,
      () => this.#setStoreError(keeper.error),
    );
    let state: StoredState;
    let failure: unknown;
    try {
      state = await store.open(known !== undefined);
      if (known) state = { ...state, ...known };
    } catch (error) {
      // A browser may refuse IndexedDB, for example in a private window. Then this tab stands alone.
      failure = error;
      known = undefined;
      this.#tabs?.leave();
      this.#tabs = undefined;
      state = await memoryStore().open();
    }
    replica = new Replica(state, {
      commit: (update) => {
        this.#tabs?.publish({ update });
        return keeper.update(update);
      },
      changed: (items) => void (replica && this.#replica === replica && this.#changed(items)),
      corrected: (corrections) => this.#publish({ corrections }),
    });
    this.#early = undefined;
    this.#keeper = keeper;
    this.#replica = replica;
    if (failure) keeper.fail(failure);
    if (known) {
      replica.apply({ held: known.held });
      this.#receive(known);
      for (const news of early) this.#receive(news);
    }
    this.#allChanged();
  }

  /** Shares the store with other tabs. */
  #share(name: string): Tabs<Operation, News, Welcome> {
    const tabs = new Tabs<Operation, News, Welcome>(name, {
      perform: (operation, call) => this.#perform(operation, call),
      welcome: async () => {
        await this.#opening;
        if (!this.#replica) return undefined;
        const { outbox, held, items, revision } = this.#replica.state;
        const storeError = this.#storeError?.message;
        return { outbox, held, status: this.#status, storeError, ...(storeError && { items, revision }) };
      },
      news: (news) => {
        if (this.#early) this.#early.push(news);
        else this.#receive(news);
      },
      lead: () => (this.#opening = this.#opening.then(() => this.#lead())),
      lost: () => {
        this.#close();
        this.#leave();
        void this.#open();
      },
    });
    return tabs;
  }

  /** Continues what the tab did that was connected. */
  async #lead(): Promise<void> {
    const { replica, keeper } = { replica: this.#replica, keeper: this.#keeper };
    if (!replica || !keeper) return;
    // A store that failed does not have what this tab knows.
    if (this.#storeError) {
      await keeper.recover();
      this.#setStoreError(keeper.error);
    } else await this.#load(keeper.store);
    const stored = new Set(this.#replica!.state.outbox.map(([sequence]) => sequence));
    for (const [call, sequence] of this.#taken) if (stored.has(sequence)) this.#tabs?.confirm(call);
    this.#set("offline");
    this.#connect();
  }

  /** Applies what the connected tab has published. */
  #receive({ update, corrections = [], status, isCleared, ...news }: News): void {
    if (isCleared) return this.#cleared();
    if (update?.call && update.added?.[0]) this.#taken.set(update.call, update.added[0][0]);
    if (update) this.#replica?.apply(update);
    for (const correction of corrections) this.#corrections.notify(correction);
    if ("storeError" in news) this.#setStoreError(news.storeError ? new StewardError("local_store_failed", news.storeError) : undefined);
    if (status) this.#set(status);
    else this.#notify();
  }

  #publish(news: News): void {
    this.#tabs?.publish(news);
    for (const correction of news.corrections ?? []) this.#corrections.notify(correction);
  }

  #connect() {
    clearTimeout(this.#retry);
    const { session, url, projectId, webSocket } = this.options;
    if (!this.#isWanted || !this.#replica || this.#connection || !webSocket || this.#tabs?.isLeader === false) return;
    this.#set("connecting");
    const connection = new Connection(this.#replica, session, `${url.replace(/^http/, "ws")}/ws`, projectId, webSocket, {
      online: () => {
        this.#attempt = 0;
        this.#set("online");
      },
      changed: () => this.#hold(),
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

  /** Sends changes that wait for room again after a while. */
  #hold() {
    if (this.#retryHeld || !this.held.length) return;
    this.#retryHeld = setTimeout(() => {
      this.#retryHeld = undefined;
      void this.retryHeld();
    }, HELD_INTERVAL);
  }

  #send() {
    if (this.#connection) this.#connection.send();
    else this.#connect();
  }

  #close() {
    clearTimeout(this.#retry);
    clearTimeout(this.#retryHeld);
    this.#retryHeld = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close();
    this.#set("offline");
  }

  /** The items of this person are deleted on this device. */
  #cleared() {
    this.#clearedId = this.#userId;
    this.#close();
    // The tab that asked for it gets a reply first.
    setTimeout(() => this.#userId === this.#clearedId && this.#leave());
    this.#replica = undefined;
    this.#allChanged();
  }

  /** Ends the use of the store. */
  #leave(keepsItems = false) {
    this.#close();
    this.#tabs?.leave();
    this.#keeper?.store.close();
    this.#tabs = this.#keeper = this.#userId = undefined;
    this.#storeError = undefined;
    if (keepsItems || !this.#replica) return;
    this.#replica = undefined;
    this.#allChanged();
  }

  #allChanged() {
    this.#wasLoaded = this.#replica?.isLoaded ?? false;
    this.#version += 1;
    for (const listeners of this.#tables.values()) listeners.notify(undefined);
    this.#notify();
  }

  #changed(items: ChangedItems) {
    for (const [table, ids] of items) {
      this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
      this.#tables.get(table)?.notify(ids);
    }
    // The first load may have had no items: they are loaded all the same.
    if (this.#replica?.isLoaded !== this.#wasLoaded) {
      this.#wasLoaded = true;
      this.#version += 1;
      for (const listeners of this.#tables.values()) listeners.notify(new Map());
    }
    this.#notify();
  }

  #set(status: SyncStatus) {
    if (this.#status === status) return;
    this.#status = status;
    this.#tabs?.publish({ status });
    this.#notify();
  }

  #setStoreError(error: StewardError | undefined) {
    this.#storeError = error;
    this.#tabs?.publish({ storeError: error?.message });
    this.#notify();
  }

  #notify() {
    this.#listeners.notify();
  }
}

const signedOut = () => new StewardError("signed_out", "Nobody is signed in. Call `signIn` first.");
