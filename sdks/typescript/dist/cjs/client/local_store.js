"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.memoryStore = memoryStore;
exports.indexedDbStore = indexedDbStore;
const storage_js_1 = require("./storage.js");
/** A store that is lost with the page or process. Several clients can use one after the other. */
function memoryStore() {
    const items = new Map();
    const outbox = new Map();
    const device = `${Math.random()}`.slice(2);
    let revision = null;
    return {
        open: async () => ({ device, revision, items: [...items.values()], outbox: [...outbox].sort(([a], [b]) => a - b) }),
        update: async (update) => {
            if (update.isReset)
                items.clear();
            for (const [table, id, item] of update.items ?? []) {
                const key = `${table}/${id}`;
                if (item)
                    items.set(key, [table, id, item]);
                else
                    items.delete(key);
            }
            for (const [sequence, change] of update.added ?? [])
                outbox.set(sequence, change);
            for (const sequence of update.removed ?? [])
                outbox.delete(sequence);
            if (update.revision !== undefined)
                revision = update.revision;
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
function indexedDbStore(name) {
    let database;
    let device;
    const transaction = (mode) => {
        if (!database)
            throw new Error("The database is not open.");
        const current = database.transaction(["items", "outbox", "meta"], mode);
        const done = new Promise((resolve, reject) => {
            current.oncomplete = () => resolve();
            current.onerror = current.onabort = () => reject(current.error);
        });
        const [items, outbox, meta] = ["items", "outbox", "meta"].map((store) => current.objectStore(store));
        return { items: items, outbox: outbox, meta: meta, done };
    };
    return {
        sharedName: name,
        async open(isReader = false) {
            database?.close();
            database = await openDatabase(name);
            const { items, outbox, meta, done } = transaction("readonly");
            const [revision, rows, keys, changes] = await Promise.all([
                result(meta.get("revision")),
                result(items.getAll()),
                result(outbox.getAllKeys()),
                result(outbox.getAll()),
                done,
            ]);
            // The changes keep the name of their device and their numbers, so that the service recognizes a repetition. Another
            // tab may use that name if tabs cannot share the store.
            const own = (device = ((0, storage_js_1.canShare)() && keys[0]?.[0]) || device || `${Math.random()}`.slice(2));
            const state = { device: own, revision: revision ?? null, items: rows, outbox: [] };
            if (isReader)
                return state;
            const isOwn = ([owner]) => owner === own;
            let last = Math.max(0, ...keys.filter(isOwn).map(([, sequence]) => sequence));
            const moved = transaction("readwrite");
            keys.forEach((key, index) => {
                const [change, sequence] = [changes[index], isOwn(key) ? key[1] : (last += 1)];
                state.outbox.push([sequence, change]);
                if (isOwn(key))
                    return;
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
            for (const [sequence, change] of update.added ?? [])
                outbox.put(change, [device, sequence]);
            for (const sequence of update.removed ?? [])
                outbox.delete([device, sequence]);
            if (update.items || update.revision !== undefined) {
                const stored = meta.get("revision");
                stored.onsuccess = () => {
                    if (update.isReset)
                        items.clear();
                    else if ((stored.result ?? -1) > (update.revision ?? -1))
                        return;
                    meta.put(update.revision ?? null, "revision");
                    for (const [table, id, item] of update.items ?? []) {
                        if (item)
                            items.put([table, id, item], [table, id]);
                        else
                            items.delete([table, id]);
                    }
                };
            }
            await done;
        },
        async clear() {
            const { items, outbox, meta, done } = transaction("readwrite");
            for (const store of [items, outbox, meta])
                store.clear();
            await done;
        },
        close() {
            database?.close();
            database = undefined;
        },
    };
}
function openDatabase(name) {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => ["items", "outbox", "meta"].forEach((store) => request.result.createObjectStore(store));
    let isLate = false;
    const opened = result(request).then((database) => {
        // Someone deletes the database, or another version of the app needs it.
        database.onversionchange = () => database.close();
        if (isLate)
            database.close();
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
function result(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
//# sourceMappingURL=local_store.js.map