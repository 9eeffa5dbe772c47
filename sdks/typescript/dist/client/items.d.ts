import { type Call, type CallOptions, type ConditionalOptions, type KeyedOptions, List } from "../admin/call.js";
import type { ItemDelete, ItemPatch, ItemPut } from "../generated/models.js";
import { type Inherited, type Order, type Where } from "./query.js";
/** An item with its fields. */
export type Item<T> = T & {
    id: string;
    created_at: string;
    updated_at: string;
};
/** The fields of an item that change. Null removes an optional field. */
export type Changes<T> = {
    [K in keyof T]?: T[K] | Inherited<K>;
};
/** Changes `C` without fields that `T` lacks, and without `undefined` in place of a required field, which would change nothing. */
export type Exact<T, C> = {
    [K in keyof C]: K extends keyof T ? ({} extends Pick<C, K> ? C[K] : undefined extends C[K] ? (undefined extends T[K] ? C[K] : never) : C[K]) : never;
};
/** Which items a list has, and in which order. */
export interface ItemQuery<T> {
    /** Conditions that each item meets. */
    where?: Where<T & Pick<Item<T>, "id" | "created_at" | "updated_at">>;
    /** Fields to sort by. By default, the newest items come first. */
    order?: Order<Item<T>> | readonly Order<Item<T>>[];
    /** Items per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
}
/** Options of a write. */
export type WriteOptions = CallOptions & KeyedOptions & ConditionalOptions;
/** One operation of a batch, each on a different item. */
export type BatchOperation<T> = ItemPut<T> | ItemPatch<T> | ItemDelete;
/** The items of the signed-in person in one table, read from and stored in the service. */
export declare class Items<T extends object> {
    #private;
    private readonly transport;
    private readonly projectId;
    private readonly table;
    /** Lists the items that meet all conditions: page by page with `for await`, or with `all`, `first` and `page`. */
    list(query?: ItemQuery<T>, options?: CallOptions): List<Item<T>>;
    /** Returns an item. Its `ETag` is in `withResponse()`. Fails with `not_found` if there is none with this ID. */
    get(id: string, options?: CallOptions): Call<Item<T>>;
    /** Creates an item. The service generates its ID. */
    create(value: T, options?: WriteOptions): Call<Item<T>>;
    /**
     * Creates or replaces an item. With `ifMatch`, it replaces only the version with this `ETag`; with `ifNoneMatch: "*"`, it
     * creates only. Otherwise it fails with `precondition_failed`.
     */
    put(id: string, value: T, options?: WriteOptions): Call<Item<T>>;
    /** Changes fields of an item. */
    patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>, options?: WriteOptions): Call<Item<T>>;
    /** @deprecated Call `patch`. */
    update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>, options?: WriteOptions): Call<Item<T>>;
    /** Deletes an item. Returns it as it was. */
    delete(id: string, options?: WriteOptions): Call<Item<T>>;
    /** Performs 1 to 100 operations: all of them, or none. Returns the items in the order of the operations. */
    batch(operations: readonly BatchOperation<T>[], options?: CallOptions & KeyedOptions): Call<Item<T>[]>;
}
