import type { LocalStore } from "./local_store.js";
import type { KeyValueStorage } from "./storage.js";
/**
 * Stores in a key-value storage, such as `AsyncStorage` of React Native or that of `expo-sqlite/kv-store`:
 * `localStore: storageStore(storage)`. Use it where there is no IndexedDB. Only one client can use it at a time.
 */
export declare function storageStore(storage: KeyValueStorage): (name: string) => LocalStore;
