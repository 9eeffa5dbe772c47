import type { Change } from "./replica.js";

/** What a device has stored of a person's items. */
export interface StoredState {
  /** Name of the device, which the service compares to recognize repeated changes. */
  device: string;
  /** The last revision of the items; null if they were never loaded. */
  revision: number | null;
  items: [table: string, id: string, item: object][];
  /** Changes that the service has not acknowledged, in order. */
  outbox: [sequence: number, change: Change][];
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
  open(): Promise<StoredState>;
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

/** A store in IndexedDB. All tabs share the items; each has changes of its own, and takes over those of closed tabs. */
export function indexedDbStore(name: string): LocalStore {
  let database: IDBDatabase;
  let device: string;
  let release = () => {};
  const transaction = (mode: IDBTransactionMode) => {
    const current = database.transaction(["items", "outbox", "meta"], mode);
    const done = new Promise<void>((resolve, reject) => {
      current.oncomplete = () => resolve();
      current.onerror = current.onabort = () => reject(current.error);
    });
    const [items, outbox, meta] = ["items", "outbox", "meta"].map((store) => current.objectStore(store));
    return { items: items!, outbox: outbox!, meta: meta!, done };
  };

  return {
    async open() {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => ["items", "outbox", "meta"].forEach((store) => request.result.createObjectStore(store));
      database = await result(request);
      // Another version of the app, or the sign-out in another tab, needs the database.
      database.onversionchange = () => database.close();
      const { items, outbox, meta, done } = transaction("readonly");
      const [revision, rows, keys, changes] = await Promise.all([
        result(meta.get("revision")),
        result<[string, string, object][]>(items.getAll()),
        result(outbox.getAllKeys()) as Promise<[string, number][]>,
        result<Change[]>(outbox.getAll()),
      ]);
      await done;
      const devices = [...new Set(keys.map(([owner]) => owner))];
      const abandoned = new Map<string, () => void>();
      for (const owner of devices) {
        const free = await hold(`${name}:${owner}`);
        if (free) abandoned.set(owner, free);
      }
      const [first] = abandoned;
      device = first?.[0] ?? `${Math.random()}`.slice(2);
      release = first?.[1] ?? (await hold(`${name}:${device}`)) ?? release;
      const found = keys.map(([owner, sequence], index) => ({ owner, sequence, change: changes[index]! })).filter(({ owner }) => abandoned.has(owner));
      const state: StoredState = { device, revision: revision ?? null, items: rows, outbox: [] };
      // The own changes keep their numbers, so that the service recognizes a repetition. Those of others follow.
      let last = Math.max(0, ...found.filter(({ owner }) => owner === device).map(({ sequence }) => sequence));
      const moved = transaction("readwrite");
      for (const { owner, sequence, change } of found) {
        const number = owner === device ? sequence : (last += 1);
        state.outbox.push([number, change]);
        if (owner === device) continue;
        moved.outbox.delete([owner, sequence]);
        moved.outbox.put(change, [device, number]);
      }
      await moved.done;
      for (const [owner, free] of abandoned) if (owner !== device) free();
      state.outbox.sort(([a], [b]) => a - b);
      return state;
    },

    async update(update) {
      const { items, outbox, meta, done } = transaction("readwrite");
      for (const [sequence, change] of update.added ?? []) outbox.put(change, [device, sequence]);
      for (const sequence of update.removed ?? []) outbox.delete([device, sequence]);
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
      release();
      database?.close();
    },
  };
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Holds a lock until the returned function is called or the page ends; `undefined` if another tab holds it. */
function hold(name: string): Promise<(() => void) | undefined> {
  const locks = globalThis.navigator?.locks;
  // Without Web Locks, no other tab is known.
  if (!locks) return Promise.resolve(() => {});
  return new Promise((resolve) => {
    void locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    });
  });
}
