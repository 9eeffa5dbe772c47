import type { Changes, Exact } from "./items.js";
/** Writes of items in a table that are stored together with others. */
export interface AtomicItems<T extends object> {
    /** Creates an item with a new ID, and returns the ID. */
    create(value: T): string;
    /** Creates or replaces an item. */
    put(id: string, value: T): void;
    /** Changes fields of an item. Null removes one. */
    patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): void;
    /** @deprecated Call `patch`. */
    update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): void;
    /** Deletes an item. */
    delete(id: string): void;
}
