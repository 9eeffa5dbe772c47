import { StewardError } from "../error.js";
import type { Correction, HeldChange } from "./change.js";
/** Whether this device is connected: `online` after it has loaded what it lacked. */
export type SyncStatus = "offline" | "connecting" | "online";
/** Keeps the items of the signed-in person on this device in sync with the service. Tabs share a connection and the changes that wait. */
export declare class Sync {
    #private;
    private readonly options;
    /** Whether this device is connected. */
    get status(): SyncStatus;
    /** Number of local changes that the service has not acknowledged, of all tabs. */
    get pending(): number;
    /**
     * Local changes for which a quota of the project leaves no room, with the reason. They are pending, and are sent again after
     * an item was deleted, every 15 minutes, and with `retryHeld`.
     */
    get held(): readonly HeldChange[];
    /** Why this device does not store everything: its store failed or is full. `undefined` while it works. */
    get storeError(): StewardError | undefined;
    /** Calls the listener when `status`, `pending`, `held` or `storeError` changes. Returns a function that ends this. */
    subscribe(listener: () => void): () => void;
    /**
     * Calls the listener with each local write that the service did not store as it was made, because it does not match the
     * schema, or another device changed the item at the same time. The item on this device is then that of the service.
     */
    onCorrection(listener: (correction: Correction) => void): () => void;
    /** Sends the changes in `held` again. */
    retryHeld(): Promise<void>;
    /** Discards the changes in `held`: all, or those of an item. */
    discardHeld(table?: string, id?: string): Promise<void>;
    /** Connects now, and again after each interruption. Live queries and local writes do this by themselves. */
    connect(): void;
    /** Disconnects. Local writes are kept until the next connection. */
    disconnect(): void;
    /**
     * Waits until the service has acknowledged all local changes.
     *
     * @throws {StewardError} `quota_exceeded` if only changes in `held` are left.
     */
    synced(signal?: AbortSignal): Promise<void>;
}
