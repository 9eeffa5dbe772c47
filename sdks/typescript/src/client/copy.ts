import { type LocalErrorCode, StewardError } from "../error.js";
import { type Logger, randomId } from "../transport.js";
import type { Change, Correction, Reason } from "./change.js";
import { Keeper } from "./keeper.js";
import { type LocalStore, memoryStore, type StoredState } from "./local_store.js";
import { type ChangedItems, Replica, type ReplicaUpdate } from "./replica.js";
import { canShare } from "./storage.js";
import type { SyncStatus } from "./sync.js";
import { Tabs } from "./tabs.js";

/** What only the connected tab does. @internal */
export type Operation = { write: Change[] } | { do: "clear" | "release" | "store" | "wake" } | { discard: [table: string | undefined, id: string | undefined] };

/** What the connected tab tells the others. */
interface News {
  update?: ReplicaUpdate;
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

/** Whether the service has stored a change of this tab. @internal */
export interface Outcome {
  resolve(): void;
  reject(error: unknown): void;
}

/** What a copy needs of this tab. @internal */
export interface CopyEvents {
  /** Items have changed: all of them, if they are not named. */
  changed(items?: ChangedItems): void;
  corrected(correction: Correction): void;
  /** Something else has changed. */
  notify(): void;
  /** The status of the tab that is connected. */
  status(status: SyncStatus): void;
  /** This tab is the one that connects from now on. */
  lead(): void;
  /** Another tab has replaced this one, which did not answer. */
  lost(): void;
  /** There may be changes to send. */
  send(): void;
  /** The network may have changed. */
  wake(): void;
  /** All items are deleted on this device, because the person signs out. */
  cleared(): void;
}

/** The items of one person on this device: in memory, in its store, and in all tabs. One of the tabs stores and connects for all. @internal */
export class Copy {
  /** Resolves when the items were read. */
  ready: Promise<void>;
  replica: Replica | undefined;
  /** Why the store does not have everything. */
  storeError: StewardError | undefined;
  #keeper: Keeper | undefined;
  /** The tabs with the same store; `undefined` if this one shares it with none. */
  #tabs: Tabs<Operation, News, Welcome> | undefined;
  /** News that arrive while this tab reads the store. */
  #early: News[] | undefined = [];
  #status: SyncStatus = "offline";
  /** Whether this tab does not know yet what the former leader has stored. */
  #isTakingOver = false;
  #isClosed = false;
  /** The changes of this tab that are not acknowledged, by their name or number. */
  readonly #outcomes = new Map<string | number, Outcome>();

  constructor(
    private readonly store: LocalStore,
    private readonly logger: Logger | undefined,
    private readonly events: CopyEvents,
  ) {
    this.#tabs = store.sharedName !== undefined && canShare() ? this.#share(store.sharedName) : undefined;
    this.ready = Promise.resolve(this.#tabs?.join()).then((known) => this.#load(known));
  }

  /** Whether other tabs may have the same items. */
  get isShared(): boolean {
    return this.#tabs !== undefined;
  }

  /** Whether this tab stores and connects. */
  get isLeader(): boolean {
    return !this.#isTakingOver && (this.#tabs?.isLeader ?? true);
  }

  /** Applies local changes. Resolves when they are stored on this device; `outcome` waits for the service. */
  async write(changes: Change[], outcome: Outcome): Promise<void> {
    const call = randomId();
    this.#outcomes.set(call, outcome);
    try {
      await this.run({ write: changes }, call);
    } catch (error) {
      this.#outcomes.delete(call);
      throw error;
    }
  }

  /** Has the connected tab perform an operation. */
  async run(operation: Operation, call = randomId()): Promise<void> {
    if (this.isLeader) return this.#perform(operation, call);
    if ("write" in operation) this.replica?.expect(call, operation.write);
    try {
      await this.#tabs!.call(call, operation);
    } catch (error) {
      if ("write" in operation) this.replica?.unexpect(call, operation.write);
      throw error;
    }
  }

  /** Tells the other tabs the status of the connection. */
  publishStatus(status: SyncStatus): void {
    this.#status = status;
    this.#tabs?.publish({ status });
  }

  /** Ends the use of the store. Another tab connects. Resolves when everything is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget("The client was closed before the service stored the change.");
    if (!this.isLeader) this.#tabs?.leave();
    await this.#keeper?.close();
    this.#tabs?.leave();
  }

  /** Performs an operation, of this tab or another one. `taken`: the number that a former leader gave it. */
  async #perform(operation: Operation, call: string, taken?: number): Promise<void> {
    const { replica } = this;
    if (!replica) return;
    if ("write" in operation) {
      // If the former leader did not store it, the number may be that of another change.
      if (taken !== undefined && replica.has(taken, operation.write[0])) return;
      const stored = replica.write(operation.write, call);
      this.events.send();
      return stored;
    }
    if ("discard" in operation) return replica.discard(...operation.discard);
    switch (operation.do) {
      case "clear":
        return this.#clear();
      case "release":
        await replica.release();
        return this.events.send();
      case "store":
        return this.#keeper!.stored();
      case "wake":
        return this.events.wake();
    }
  }

  async #clear(): Promise<void> {
    this.#tabs?.publish({ isCleared: true });
    const keeper = this.#keeper!;
    this.#cleared();
    await keeper.stored();
    await keeper.store.clear();
  }

  #cleared() {
    this.replica = undefined;
    this.#forget("The change was discarded.");
    this.events.cleared();
  }

  /** Tells those who wait what became of changes. */
  #settle({ call, added, removed = [], held, refused = [] }: ReplicaUpdate) {
    const own = this.#outcomes.get(call ?? "");
    const number = added?.[0]?.[0];
    if (own && number !== undefined) {
      this.#outcomes.delete(call!);
      this.#outcomes.set(number, own);
    }
    for (const [sequence, correction] of refused) {
      this.#end(sequence, correction);
      this.events.corrected(correction);
    }
    for (const sequence of removed) this.#end(sequence);
    if (!own && !held?.length) return;
    for (const sequence of own ? [number!] : [...this.#outcomes.keys()]) {
      const reason = this.replica?.reason(sequence);
      if (reason) this.#end(sequence, reason);
    }
  }

  #end(sequence: string | number, reason?: Reason) {
    const outcome = this.#outcomes.get(sequence);
    this.#outcomes.delete(sequence);
    if (!reason) return outcome?.resolve();
    const { code = "not_stored", message = "The service did not store the change as it was made." } = reason;
    outcome?.reject(new StewardError(code as LocalErrorCode, message));
  }

  /** Nobody learns any more what became of the changes of this tab. */
  #forget(message: string) {
    for (const sequence of [...this.#outcomes.keys()]) this.#end(sequence, { message });
  }

  /** Reads the store, and what the connected tab knows. */
  async #load(known?: Welcome): Promise<void> {
    const early: News[] = (this.#early = []);
    const { store } = this;
    let replica: Replica | undefined;
    const keeper = new Keeper(
      store,
      () => replica!.state,
      () => this.#setStoreError(keeper.error),
      this.logger,
    );
    let state: StoredState;
    let failure: unknown;
    let orphans: [call: string, operation: Operation][] = [];
    try {
      state = { ...(await store.open(known !== undefined)), ...known };
    } catch (error) {
      // A browser may refuse IndexedDB, for example in a private window. Then this tab stands alone.
      failure = error;
      known = undefined;
      orphans = this.#tabs?.untaken ?? [];
      this.#tabs?.leave();
      this.#tabs = undefined;
      // The store may have changes of before. Once it works again, those of this tab must not replace them.
      state = { ...(await memoryStore().open()), last: Date.now() };
    }
    replica = new Replica(state, {
      commit: (update) => {
        this.#tabs?.publish({ update });
        this.#settle(update);
        return keeper.update(update);
      },
      changed: (items) => {
        if (replica && this.replica === replica) this.events.changed(items);
      },
    });
    // Another leader may have followed in the meantime, or the person has signed out.
    if (this.#early !== early || this.#isClosed) return;
    this.#early = undefined;
    this.#keeper = keeper;
    this.replica = replica;
    if (failure) {
      keeper.fail(failure);
      // No other tab performs any more what this one has requested.
      for (const [call, operation] of orphans) if ("write" in operation) void replica.write(operation.write, call);
      this.events.send();
    }
    if (known) {
      replica.apply({ held: known.held });
      for (const news of [known, ...early]) this.#receive(news);
    }
    // What a former leader confirmed, but could not tell. Without the store, nobody knows.
    const unknown = failure ? { code: "local_store_failed", message: "The store failed before it was known whether the service has the change." } : undefined;
    for (const sequence of this.#outcomes.keys()) if (typeof sequence === "number" && !replica.has(sequence)) this.#end(sequence, unknown);
    for (const [call, operation] of this.#tabs?.untaken ?? []) if ("write" in operation) replica.expect(call, operation.write);
    this.events.changed();
  }

  /** Shares the store with other tabs. */
  #share(name: string): Tabs<Operation, News, Welcome> {
    return new Tabs<Operation, News, Welcome>(name, {
      perform: async (operation, call, taken) => {
        await this.ready;
        return this.#perform(operation, call, taken);
      },
      welcome: async () => {
        await this.ready;
        if (!this.replica) return undefined;
        const { outbox, held, items, revision } = this.replica.state;
        const storeError = this.storeError?.message;
        return { outbox, held, status: this.#status, storeError, ...(storeError && { items, revision }) };
      },
      news: (news) => {
        if (this.#early) this.#early.push(news);
        else this.#receive(news);
      },
      lead: () => {
        this.#isTakingOver = true;
        return (this.ready = this.ready.then(() => this.#lead()));
      },
      follow: () => {
        this.#early = [];
        return this.#tabs!.welcome().then((known) => this.#load(known));
      },
      lost: () => this.events.lost(),
    });
  }

  /** Continues what the former leader did. */
  async #lead(): Promise<void> {
    if (this.#isClosed) return;
    // A store that failed does not have what this tab knows.
    if (!this.storeError) await this.#load();
    else {
      await this.#keeper!.recover();
      this.#setStoreError(this.#keeper!.error);
    }
    this.#isTakingOver = false;
    this.events.lead();
  }

  /** Applies what the connected tab has published. */
  #receive({ update, status, isCleared, ...news }: News): void {
    if (isCleared) return this.#cleared();
    if (update?.call && update.added?.[0]) this.#tabs?.take(update.call, update.added[0][0]);
    if (update) {
      this.replica?.apply(update);
      this.#settle(update);
    }
    if ("storeError" in news) this.#setStoreError(news.storeError ? new StewardError("local_store_failed", news.storeError) : undefined);
    if (status) this.events.status((this.#status = status));
    // Which changes wait for room may have changed, too.
    this.events.notify();
  }

  #setStoreError(error: StewardError | undefined) {
    this.storeError = error;
    this.#tabs?.publish({ storeError: error?.message });
    this.events.notify();
  }
}
