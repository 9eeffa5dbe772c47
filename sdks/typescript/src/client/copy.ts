import { StewardError } from "../error.js";
import { randomId } from "../transport.js";
import type { Change, Correction, Reason } from "./change.js";
import { Keeper } from "./keeper.js";
import { type LocalStore, memoryStore, type StoredState } from "./local_store.js";
import { type ChangedItems, Replica, type ReplicaUpdate } from "./replica.js";
import type { SyncStatus } from "./sync.js";
import { canShare, Tabs } from "./tabs.js";

/** What only the connected tab does. @internal */
export type Operation = { write: Change } | { do: "clear" | "release" | "store" | "wake" } | { discard: [table: string | undefined, id: string | undefined] };

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

  constructor(
    private readonly store: LocalStore,
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

  /** Has the connected tab perform an operation. */
  async run(operation: Operation): Promise<void> {
    if (this.isLeader) return this.#perform(operation);
    const call = randomId();
    if ("write" in operation) this.replica?.expect(call, operation.write);
    try {
      await this.#tabs!.call(call, operation);
    } catch (error) {
      this.replica?.apply({ call });
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
    if (!this.isLeader) this.#tabs?.leave();
    await this.#keeper?.close();
    this.#tabs?.leave();
  }

  /** Performs an operation, of this tab or another one. `taken`: the number that a former leader gave it. */
  async #perform(operation: Operation, call?: string, taken?: number): Promise<void> {
    if (call) await this.ready;
    const { replica } = this;
    if (!replica || (taken !== undefined && replica.has(taken))) return;
    if ("write" in operation) {
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
    this.events.cleared();
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
    );
    let state: StoredState;
    let failure: unknown;
    try {
      state = { ...(await store.open(known !== undefined)), ...known };
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
      changed: (items) => {
        if (replica && this.replica === replica) this.events.changed(items);
      },
      corrected: (corrections) => {
        this.#tabs?.publish({ corrections });
        corrections.forEach(this.events.corrected);
      },
    });
    // Another leader may have followed in the meantime, or the person has signed out.
    if (this.#early !== early || this.#isClosed) return;
    this.#early = undefined;
    this.#keeper = keeper;
    this.replica = replica;
    if (failure) keeper.fail(failure);
    if (known) {
      replica.apply({ held: known.held });
      for (const news of [known, ...early]) this.#receive(news);
    }
    for (const [call, operation] of this.#tabs?.untaken ?? []) if ("write" in operation) replica.expect(call, operation.write);
    this.events.changed();
  }

  /** Shares the store with other tabs. */
  #share(name: string): Tabs<Operation, News, Welcome> {
    return new Tabs<Operation, News, Welcome>(name, {
      perform: (operation, call, taken) => this.#perform(operation, call, taken),
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
  #receive({ update, corrections = [], status, isCleared, ...news }: News): void {
    if (isCleared) return this.#cleared();
    if (update?.call && update.added?.[0]) this.#tabs?.take(update.call, update.added[0][0]);
    if (update) this.replica?.apply(update);
    corrections.forEach(this.events.corrected);
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
