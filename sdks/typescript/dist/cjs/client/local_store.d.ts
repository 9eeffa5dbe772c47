import type { Change } from "./change.js";
/** What a device has stored of a person's items. */
export interface StoredState {
    /** Name of the device, which the service compares to recognize repeated changes. */
    device: string;
    /** The last revision of the items; null if they were never loaded. */
    revision: number | null;
    items: [table: string, id: string, item: object][];
    /** Changes that the service has not acknowledged, in order. */
    outbox: [sequence: number, change: Change][];
    /** The last number in use, if it is not one of `outbox`: later changes get higher ones. */
    last?: number;
}
/** What is stored at once. */
export interface StoreUpdate {
    /** The revision of the items. If another tab has stored a later one, `items` is left out. */
    revision?: number | null;
    /** Whether `items` and `revision` replace all that is stored: the service has begun again, for example after a restore. */
    isReset?: boolean;
    /** New state of items; null deletes one. */
    items?: [table: string, id: string, item: object | null][];
    added?: [sequence: number, change: Change][];
    /** Changes that are acknowledged. */
    removed?: number[];
}
/** Where a device keeps a copy of the items of one person, and the changes that were made offline. */
export interface LocalStore {
    /** A name, if several tabs have the same store. One of them writes to it, and is connected for all. */
    readonly sharedName?: string;
    /** Opens the store, again if it was closed or has failed. `isReader`: another tab writes, so the changes that wait are not taken over. */
    open(isReader?: boolean): Promise<StoredState>;
    update(update: StoreUpdate): Promise<void>;
    /** Deletes everything. */
    clear(): Promise<void>;
    close(): void;
}
/** A store that is lost with the page or process. Several clients can use one after the other. */
export declare function memoryStore(): LocalStore;
/** A store in IndexedDB. All tabs share it. */
export declare function indexedDbStore(name: string): LocalStore;
