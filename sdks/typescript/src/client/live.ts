import { isolated } from "../isolated.js";
import { copyOf, randomId } from "../transport.js";
import type { Change } from "./change.js";
import type { Changes, Exact } from "./items.js";
import { Listeners } from "./listeners.js";
import type { Order, Where } from "./query.js";
import type { Selection } from "./selection.js";
import type { Sync } from "./sync.js";

/** An item on this device. The service does not send the times of items to devices. */
export type LiveItem<T> = T & { id: string };

/**
 * A write that is applied on this device. It
 * resolves when it is stored there, and rejects if the service would refuse it.
 */
export interface LiveWrite<T = void> extends Promise<T> {
  /**
   * Waits until the service has stored the write, as long as this page or process lives.
   *
   * @throws {StewardError} The reason if the service did not store it as it was made, such as `invalid_item`, or
   * `quota_exceeded` if it waits for room.
   */
  stored(): Promise<T>;
}

/** Which items a live query has, and in which order. */
export interface LiveOptions<T> {
  /** Conditions that each item meets. */
  where?: Where<LiveItem<T>>;
  /** A function that returns whether an item is part of the query, for what conditions cannot express. */
  filter?: (item: LiveItem<T>) => boolean;
  /** Fields to sort by. By default, items are sorted by ID. */
  order?: Order<LiveItem<T>> | readonly Order<LiveItem<T>>[];
  /** Maximum number of items. */
  limit?: number;
  /** Number of items to skip, such as those of the pages before. */
  offset?: number;
}

/** Returns a write that resolves to a value. @internal */
export function written<T>({ accepted, stored }: ReturnType<Sync["write"]>, returned: T): LiveWrite<T> {
  const write = accepted.then(() => returned);
  const waiting = () => {
    // It rejects with the same reason.
    write.catch(() => {});
    return stored.then(() => returned);
  };
  return Object.assign(write, { stored: waiting });
}

/** The items of a table that match a query, as this device has them. */
export class Live<T extends object> {
  #selection: Selection<LiveItem<T>> | undefined;
  #version = -1;
  /** Items that changed since the selection, as they were before; `undefined` if all may have changed. */
  #changes: Map<string, LiveItem<T> | undefined> | undefined;
  /** Whether the array must be another one, although no item changed. */
  #isRenewed = false;
  /** The items that the listeners have. */
  #notified: readonly LiveItem<T>[] | undefined;
  readonly #listeners: Listeners<readonly LiveItem<T>[]>;
  #unwatch: (() => void) | undefined;
  #isScheduled = false;

  /** @internal */
  constructor(
    private readonly sync: Sync,
    private readonly table: string,
    private readonly options: LiveOptions<T>,
  ) {
    this.#listeners = new Listeners(sync.logger);
  }

  /** The items now. The array is the same until one changes. */
  get items(): readonly LiveItem<T>[] {
    if (!this.sync.device) return NONE;
    const version = this.sync.version(this.table);
    if (!this.#selection || this.#version !== version) {
      this.#version = version;
      this.#select();
    }
    return this.#selection!.items;
  }

  /** Number of items on all pages: those that match without `limit` and `offset`. The array changes with it. */
  get total(): number {
    void this.items;
    return this.#selection?.total ?? 0;
  }

  /** Whether the items were loaded, from this device or the service. */
  get isLoaded(): boolean {
    return this.sync.replica?.isLoaded ?? false;
  }

  /** Connects, and calls the listener with the items at once and after each change. Returns a function that ends this. */
  subscribe(listener: (items: readonly LiveItem<T>[]) => void): () => void {
    this.#unwatch ??= this.sync.watch(this.table, (changed) => this.#changed(changed as Map<string, LiveItem<T>> | undefined));
    const remove = this.#listeners.add(listener);
    isolated(() => {
      const { items } = this;
      // From now on, each change is known.
      this.#changes ??= new Map();
      this.#notified ??= items;
      return listener(items);
    }, this.sync.logger);
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = this.#changes = this.#notified = undefined;
    };
  }

  /** Returns an item of the table, also if it is not part of the query. */
  get(id: string): LiveItem<T> | undefined {
    return this.sync.replica?.item(this.table, id) as LiveItem<T> | undefined;
  }

  /** Creates an item with a new ID. Resolves when it is stored on this device, and returns it. */
  create(value: T): LiveWrite<LiveItem<T>> {
    const id = randomId();
    return this.#write({ type: 1, table: this.table, key: id, obj: copyOf({ ...value, id }) }, { ...value, id });
  }

  /** Creates or replaces an item. Resolves when the change is stored on this device. */
  put(id: string, value: T): LiveWrite {
    return this.#write({ type: 1, table: this.table, key: id, obj: copyOf({ ...value, id }) }, undefined);
  }

  /** Changes fields of an item. Null removes one. Resolves when the change is stored on this device. */
  patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite {
    return this.#write({ type: 2, table: this.table, key: id, mods: copyOf(changes) }, undefined);
  }

  /** @deprecated Call `patch`. */
  update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite {
    return this.patch(id, changes as any);
  }

  /** Deletes an item. Resolves when the change is stored on this device. */
  delete(id: string): LiveWrite {
    return this.#write({ type: 3, table: this.table, key: id }, undefined);
  }

  #write<R>(change: Change, returned: R): LiveWrite<R> {
    return written(this.sync.write(change), returned);
  }

  #select() {
    const { sync, table } = this;
    const itemOf = (id: string) => sync.replica?.item(table, id) as LiveItem<T> | undefined;
    const changes = this.#changes;
    const known = this.#selection;
    // A function of the app that throws leaves no selection.
    this.#selection = undefined;
    const selection = changes && known ? known : new sync.device!.Selection<LiveItem<T>>(this.options);
    if (!changes || !known) {
      const { id } = selection;
      const found = id === undefined ? (sync.replica?.items(table) ?? []) : [itemOf(id)].filter((item) => item !== undefined);
      selection.select(found as LiveItem<T>[]);
    } else {
      selection.change(Array.from(changes, ([id, before]) => [before, itemOf(id)] as const));
      if (this.#isRenewed) selection.renew();
    }
    this.#isRenewed = false;
    this.#changes = this.#unwatch && new Map();
    this.#selection = selection;
  }

  /** Many changes at once are one notification. */
  #changed(changed: Map<string, LiveItem<T> | undefined> | undefined) {
    const id = this.#selection?.id;
    if (changed?.size && id !== undefined && !changed.has(id) && this.#changes?.size === 0 && !this.#isRenewed) {
      this.#version = this.sync.version(this.table);
      return;
    }
    if (!changed) this.#changes = undefined;
    else if (!changed.size) this.#isRenewed = true;
    for (const [id, before] of (this.#changes && changed) ?? []) if (!this.#changes!.has(id)) this.#changes!.set(id, before);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      // `filter` is a function of the app, too.
      isolated(() => {
        const { items } = this;
        if (!this.#unwatch || items === this.#notified) return;
        this.#notified = items;
        this.#listeners.notify(items);
      }, this.sync.logger);
    });
  }
}

const NONE: readonly never[] = [];
