import { randomId } from "../transport.js";
import type { Changes } from "./items.js";
import { isolated, Listeners } from "./listeners.js";
import type { Order, Where } from "./query.js";
import { Selection } from "./selection.js";
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
  #selection: Selection<LiveItem<T>> | undefined;
  #version = -1;
  /** Items that changed since the selection, as they were before; `undefined` if all may have changed. */
  #changes: Map<string, LiveItem<T> | undefined> | undefined;
  /** Whether the array must be another one, although no item changed. */
  #isRenewed = false;
  /** The items that the listeners have. */
  #notified: readonly LiveItem<T>[] | undefined;
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
    if (!this.#selection || this.#version !== version) {
      this.#version = version;
      this.#select();
    }
    return this.#selection!.items;
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
    });
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

  #select() {
    const { sync, table } = this;
    const itemOf = (id: string) => sync.replica?.item(table, id) as LiveItem<T> | undefined;
    const changes = this.#changes;
    const known = this.#selection;
    // A function of the app that throws leaves no selection.
    this.#selection = undefined;
    const selection = changes && known ? known : new Selection<LiveItem<T>>(this.options);
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
      });
    });
  }
}

/** What is sent of a value, so that later changes of it by the app have no effect. */
const copy = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value));
