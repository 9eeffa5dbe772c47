import { randomId } from "../transport.js";
import type { Changes } from "./items.js";
import { isolated, Listeners } from "./listeners.js";
import { comparison, matches, type Order, type Where } from "./query.js";
import type { Sync } from "./sync.js";

/** An item on this device. The service does not send the times of items to devices. */
export type LiveItem<T> = T & { id: string };

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
}

/** The items of a table that match a query, as this device has them. */
export class Live<T extends object> {
  #items: readonly LiveItem<T>[] | undefined;
  #version = -1;
  readonly #listeners = new Listeners<readonly LiveItem<T>[]>();
  #unwatch: (() => void) | undefined;
  #isScheduled = false;

  /** @internal */
  constructor(
    private readonly sync: Sync,
    private readonly table: string,
    private readonly options: LiveOptions<T>,
  ) {}

  /** The items now. The array is the same until one changes. */
  get items(): readonly LiveItem<T>[] {
    const version = this.sync.version(this.table);
    if (!this.#items || this.#version !== version) {
      this.#version = version;
      this.#items = this.#select();
    }
    return this.#items;
  }

  /** Whether the items were loaded, from this device or the service. */
  get isLoaded(): boolean {
    return this.sync.replica?.isLoaded ?? false;
  }

  /** Connects, and calls the listener with the items at once and after each change. Returns a function that ends this. */
  subscribe(listener: (items: readonly LiveItem<T>[]) => void): () => void {
    this.#unwatch ??= this.sync.watch(this.table, () => this.#changed());
    const remove = this.#listeners.add(listener);
    isolated(() => listener(this.items));
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
    };
  }

  /** Returns an item of the table, also if it is not part of the query. */
  get(id: string): LiveItem<T> | undefined {
    return this.sync.replica?.item(this.table, id) as LiveItem<T> | undefined;
  }

  /** Creates an item with a new ID. Resolves when it is stored on this device, and returns it. */
  async create(value: T): Promise<LiveItem<T>> {
    const id = randomId();
    await this.put(id, value);
    return { ...value, id };
  }

  /** Creates or replaces an item. Resolves when the change is stored on this device. */
  put(id: string, value: T): Promise<void> {
    return this.sync.write({ type: 1, table: this.table, key: id, obj: copy({ ...value, id }) });
  }

  /** Changes fields of an item. Null removes one. Resolves when the change is stored on this device. */
  update(id: string, changes: Changes<T>): Promise<void> {
    return this.sync.write({ type: 2, table: this.table, key: id, mods: copy(changes) });
  }

  /** Deletes an item. Resolves when the change is stored on this device. */
  delete(id: string): Promise<void> {
    return this.sync.write({ type: 3, table: this.table, key: id });
  }

  #select(): readonly LiveItem<T>[] {
    const { where, filter, order, limit } = this.options;
    const found = [...(this.sync.replica?.items(this.table) ?? [])] as LiveItem<T>[];
    const selected = found.filter((item) => matches(item, where) && (!filter || filter(item))).sort(comparison(order));
    return limit === undefined ? selected : selected.slice(0, limit);
  }

  /** Many changes at once are one notification. */
  #changed() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      // `filter` is a function of the app, too.
      isolated(() => this.#listeners.notify(this.items));
    });
  }
}

/** What is sent of a value, so that later changes of it by the app have no effect. */
const copy = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value));
