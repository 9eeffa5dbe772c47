import type { Change } from "./change.js";
import { canShare } from "./storage.js";

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
export function memoryStore(): LocalStore {
  const items = new Map<string, [string, string, object]>();
  const outbox = new Map<number, Change>();
  const device = `${Math.random()}`.slice(2);
  let revision: number | null = null;
  return {
    open: async () => ({ device, revision, items: [...items.values()], outbox: [...outbox].sort(([a], [b]) => a - b) }),
    update: async (update) => {
      if (update.isReset) items.clear();
      for (const [table, id, item] of update.items ?? []) {
        const key = `${table}/${id}`;
        if (item) items.set(key, [table, id, item]);
        else items.delete(key);
      }
      for (const [sequence, change] of update.added ?? []) outbox.set(sequence, change);
      for (const sequence of update.removed ?? []) outbox.delete(sequence);
      if (update.revision !== undefined) revision = update.revision;
    },
    clear: async () => {
      items.clear();
      outbox.clear();
      revision = null;
    },
    close: () => undefined,
  };
}

/** How long a browser may take to open IndexedDB, in milliseconds. Some never answer. */
const OPEN_TIMEOUT = 10_000;

/** A store in IndexedDB. All tabs share it. */
export function indexedDbStore(name: string): LocalStore {
  let database: IDBDatabase | undefined;
  let device: string | undefined;
  const transaction = (mode: IDBTransactionMode) => {
    if (!database) throw new Error("The database is not open.");
    const current = database.transaction(["items", "outbox", "meta"], mode);
    const done = new Promise<void>((resolve, reject) => {
      current.oncomplete = () => resolve();
      current.onerror = current.onabort = () => reject(current.error);
    });
    const [items, outbox, meta] = ["items", "outbox", "meta"].map((store) => current.objectStore(store));
    return { items: items!, outbox: outbox!, meta: meta!, done };
  };

  return {
    sharedName: name,

    async open(isReader = false) {
      database?.close();
      database = await openDatabase(name);
      const { items, outbox, meta, done } = transaction("readonly");
      const [revision, rows, keys, changes] = await Promise.all([
        result(meta.get("revision")),
        result<[string, string, object][]>(items.getAll()),
        result(outbox.getAllKeys()) as Promise<[string, number][]>,
        result<Change[]>(outbox.getAll()),
        done,
      ]);
      // The changes keep the name of their device and their numbers, so that the service recognizes a repetition. Another
      // tab may use that name if tabs cannot share the store.
      const own = (device = (canShare() && keys[0]?.[0]) || device || `${Math.random()}`.slice(2));
      const state: StoredState = { device: own, revision: revision ?? null, items: rows, outbox: [] };
      if (isReader) return state;
      const isOwn = ([owner]: [string, number]) => owner === own;
      let last = Math.max(0, ...keys.filter(isOwn).map(([, sequence]) => sequence));
      const moved = transaction("readwrite");
      keys.forEach((key, index) => {
        const [change, sequence] = [changes[index]!, isOwn(key) ? key[1] : (last += 1)];
        state.outbox.push([sequence, change]);
        if (isOwn(key)) return;
        // Changes of another device: of a tab that has ended, with an earlier version of the SDK.
        moved.outbox.delete(key);
        moved.outbox.put(change, [own, sequence]);
      });
      await moved.done;
      state.outbox.sort(([a], [b]) => a - b);
      return state;
    },

    async update(update) {
      const { items, outbox, meta, done } = transaction("readwrite");
      for (const [sequence, change] of update.added ?? []) outbox.put(change, [device!, sequence]);
      for (const sequence of update.removed ?? []) outbox.delete([device!, sequence]);
      if (update.items || update.revision !== undefined) {
        const stored = meta.get("revision");
        stored.onsuccess = () => {
          if (update.isReset) items.clear();
          else if ((stored.result ?? -1) > (update.revision ?? -1)) return;
          meta.put(update.revision ?? null, "revision");
          for (const [table, id, item] of update.items ?? []) {
            if (item) items.put([table, id, item], [table, id]);
            else items.delete([table, id]);
          }
        };
      }
      await done;
    },

    async clear() {
      const { items, outbox, meta, done } = transaction("readwrite");
      for (const store of [items, outbox, meta]) store.clear();
      await done;
    },

    close() {
      database?.close();
      database = undefined;
    },
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => ["items", "outbox", "meta"].forEach((store) => request.result.createObjectStore(store));
  let isLate = false;
  const opened = result(request).then((database) => {
    // Someone deletes the database, or another version of the app needs it.
    database.onversionchange = () => database.close();
    if (isLate) database.close();
    return database;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`IndexedDB did not open within ${OPEN_TIMEOUT} ms.`));
    }, OPEN_TIMEOUT);
    opened.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
