"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.storageStore = storageStore;
/** Among how many entries of the storage the items are divided. */
const BUCKETS = 64;
/** How many changes that wait have an entry of the storage in common. */
const CHUNK = 100;
/**
 * Stores in a key-value storage, such as `AsyncStorage` of React Native or that of `expo-sqlite/kv-store`:
 * `localStore: storageStore(storage)`. Use it where there is no IndexedDB. Only one client can use it at a time.
 */
function storageStore(storage) {
    return (name) => new StorageStore(storage, name);
}
/** What a program that is killed leaves is what it had before or after an update, or a part of it that the service completes. */
class StorageStore {
    storage;
    name;
    #device = "";
    #revision = null;
    #buckets = [];
    #chunks = new Map();
    /** Updates are stored one after the other. */
    #last = Promise.resolve();
    constructor(storage, name) {
        this.storage = storage;
        this.name = name;
    }
    async open() {
        await this.#last.catch(() => { });
        const meta = (await this.#read("meta")) ?? { device: `${Math.random()}`.slice(2), revision: null };
        let isWhole = true;
        const buckets = await Promise.all(Array.from({ length: BUCKETS }, (_, index) => this.#read(`items:${index}`).catch(() => ((isWhole = false), undefined))));
        const numbers = (await this.#read("outbox").catch(() => undefined)) ?? [];
        const chunks = await Promise.all(numbers.map((number) => this.#read(`outbox:${number}`).catch(() => undefined)));
        this.#device = meta.device;
        // Without a part of the items, all are loaded again.
        this.#revision = isWhole ? meta.revision : null;
        this.#buckets = buckets.map((items = []) => new Map(items.map((item) => [`${item[0]}/${item[1]}`, item])));
        this.#chunks = new Map(numbers.map((number, index) => [number, new Map(chunks[index] ?? [])]));
        const outbox = [...this.#chunks.values()].flatMap((changes) => [...changes]).sort(([a], [b]) => a - b);
        return { device: this.#device, revision: this.#revision, items: this.#buckets.flatMap((bucket) => [...bucket.values()]), outbox };
    }
    update(update) {
        const stored = this.#last.catch(() => { }).then(() => this.#store(update));
        this.#last = stored;
        return stored;
    }
    async clear() {
        await this.#last.catch(() => { });
        // It may never have been opened. The list of the chunks is removed after them.
        const listed = (await this.#read("outbox").catch(() => undefined)) ?? [];
        const chunks = [...new Set([...listed, ...this.#chunks.keys()])].map((number) => `outbox:${number}`);
        const keys = ["meta", ...chunks, "outbox", ...Array.from({ length: BUCKETS }, (_, index) => `items:${index}`)];
        this.#buckets.forEach((bucket) => bucket.clear());
        this.#chunks.clear();
        for (const key of keys)
            await this.storage.removeItem(`${this.name}:${key}`);
    }
    close() { }
    async #store({ added = [], removed = [], items = [], revision, isReset }) {
        if (added[0])
            await this.#add(added[0][0], added);
        const changed = new Set();
        if (isReset) {
            // Should the program end now, everything is loaded again.
            await this.#setRevision(null);
            this.#buckets.forEach((bucket, index) => bucket.size && (bucket.clear(), changed.add(index)));
        }
        for (const [table, id, item] of items) {
            const key = `${table}/${id}`;
            const index = bucketOf(key);
            changed.add(index);
            if (item)
                this.#buckets[index].set(key, [table, id, item]);
            else
                this.#buckets[index].delete(key);
        }
        for (const index of changed)
            await this.#write(`items:${index}`, [...this.#buckets[index].values()]);
        if (revision !== undefined && revision !== this.#revision)
            await this.#setRevision(revision);
        // A change that is removed too early would be lost; one that is sent twice is not stored twice.
        if (removed.length)
            await this.#remove(new Set(removed));
    }
    /** Stores changes that belong together in one entry. */
    async #add(first, added) {
        if (this.#revision === null)
            await this.#setRevision(null);
        const number = Math.floor(first / CHUNK);
        const known = this.#chunks.get(number);
        const chunk = known ?? new Map();
        for (const [sequence, change] of added)
            chunk.set(sequence, change);
        this.#chunks.set(number, chunk);
        await this.#write(`outbox:${number}`, [...chunk]);
        if (!known)
            await this.#write("outbox", [...this.#chunks.keys()]);
    }
    async #remove(removed) {
        let isShorter = false;
        for (const [number, chunk] of this.#chunks) {
            const { size } = chunk;
            for (const sequence of chunk.keys())
                if (removed.has(sequence))
                    chunk.delete(sequence);
            if (chunk.size === size)
                continue;
            if (!chunk.size)
                isShorter = this.#chunks.delete(number);
            await this.#write(`outbox:${number}`, [...chunk]);
        }
        if (isShorter)
            await this.#write("outbox", [...this.#chunks.keys()]);
    }
    async #setRevision(revision) {
        this.#revision = revision;
        await this.storage.setItem(`${this.name}:meta`, JSON.stringify({ device: this.#device, revision }));
    }
    async #read(key) {
        const text = await this.storage.getItem(`${this.name}:${key}`);
        return text ? JSON.parse(text) : undefined;
    }
    async #write(key, entries) {
        if (entries.length)
            await this.storage.setItem(`${this.name}:${key}`, JSON.stringify(entries));
        else
            await this.storage.removeItem(`${this.name}:${key}`);
    }
}
/** The entry of an item. */
function bucketOf(key) {
    let hash = 0;
    for (let at = 0; at < key.length; at += 1)
        hash = (hash * 31 + key.charCodeAt(at)) | 0;
    return (hash >>> 0) % BUCKETS;
}
//# sourceMappingURL=storage_store.js.map