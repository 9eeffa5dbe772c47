/** Where a client keeps the session: a synchronous or asynchronous key-value store, such as `localStorage`. */
export interface KeyValueStorage {
    getItem(key: string): string | null | Promise<string | null>;
    setItem(key: string, value: string): unknown;
    removeItem(key: string): unknown;
}
/** Runs a function while no other client with the same storage runs one with the same name. */
export type Lock = <T>(name: string, run: () => Promise<T>) => Promise<T>;
/** A storage that is lost with the page or process. */
export declare function memoryStorage(): KeyValueStorage;
