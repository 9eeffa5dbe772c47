import type { Changes, Exact } from "./items.js";
import type { Order, Where } from "./query.js";
/** An item on this device. The service does not send the times of items to devices. */
export type LiveItem<T> = T & {
    id: string;
};
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
/** The items of a table that match a query, as this device has them. */
export declare class Live<T extends object> {
    #private;
    private readonly sync;
    private readonly table;
    private readonly options;
    /** The items now. The array is the same until one changes. */
    get items(): readonly LiveItem<T>[];
    /** Number of items on all pages: those that match without `limit` and `offset`. The array changes with it. */
    get total(): number;
    /** Whether the items were loaded, from this device or the service. */
    get isLoaded(): boolean;
    /** Connects, and calls the listener with the items at once and after each change. Returns a function that ends this. */
    subscribe(listener: (items: readonly LiveItem<T>[]) => void): () => void;
    /** Returns an item of the table, also if it is not part of the query. */
    get(id: string): LiveItem<T> | undefined;
    /** Creates an item with a new ID. Resolves when it is stored on this device, and returns it. */
    create(value: T): LiveWrite<LiveItem<T>>;
    /** Creates or replaces an item. Resolves when the change is stored on this device. */
    put(id: string, value: T): LiveWrite;
    /** Changes fields of an item. Null removes one. Resolves when the change is stored on this device. */
    patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite;
    /** @deprecated Call `patch`. */
    update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite;
    /** Deletes an item. Resolves when the change is stored on this device. */
    delete(id: string): LiveWrite;
}
