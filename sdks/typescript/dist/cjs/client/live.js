"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Live = void 0;
exports.written = written;
const isolated_js_1 = require("../isolated.js");
const transport_js_1 = require("../transport.js");
const listeners_js_1 = require("./listeners.js");
/** Returns a write that resolves to a value. @internal */
function written({ accepted, stored }, returned) {
    const write = accepted.then(() => returned);
    const waiting = () => {
        // It rejects with the same reason.
        write.catch(() => { });
        return stored.then(() => returned);
    };
    return Object.assign(write, { stored: waiting });
}
/** The items of a table that match a query, as this device has them. */
class Live {
    sync;
    table;
    options;
    #selection;
    #version = -1;
    /** Items that changed since the selection, as they were before; `undefined` if all may have changed. */
    #changes;
    /** Whether the array must be another one, although no item changed. */
    #isRenewed = false;
    /** The items that the listeners have. */
    #notified;
    #listeners;
    #unwatch;
    #isScheduled = false;
    /** @internal */
    constructor(sync, table, options) {
        this.sync = sync;
        this.table = table;
        this.options = options;
        this.#listeners = new listeners_js_1.Listeners(sync.logger);
    }
    /** The items now. The array is the same until one changes. */
    get items() {
        if (!this.sync.device)
            return NONE;
        const version = this.sync.version(this.table);
        if (!this.#selection || this.#version !== version) {
            this.#version = version;
            this.#select();
        }
        return this.#selection.items;
    }
    /** Number of items on all pages: those that match without `limit` and `offset`. The array changes with it. */
    get total() {
        void this.items;
        return this.#selection?.total ?? 0;
    }
    /** Whether the items were loaded, from this device or the service. */
    get isLoaded() {
        return this.sync.replica?.isLoaded ?? false;
    }
    /** Connects, and calls the listener with the items at once and after each change. Returns a function that ends this. */
    subscribe(listener) {
        this.#unwatch ??= this.sync.watch(this.table, (changed) => this.#changed(changed));
        const remove = this.#listeners.add(listener);
        (0, isolated_js_1.isolated)(() => {
            const { items } = this;
            // From now on, each change is known.
            this.#changes ??= new Map();
            this.#notified ??= items;
            return listener(items);
        }, this.sync.logger);
        return () => {
            remove();
            if (this.#listeners.size > 0)
                return;
            this.#unwatch?.();
            this.#unwatch = this.#changes = this.#notified = undefined;
        };
    }
    /** Returns an item of the table, also if it is not part of the query. */
    get(id) {
        return this.sync.replica?.item(this.table, id);
    }
    /** Creates an item with a new ID. Resolves when it is stored on this device, and returns it. */
    create(value) {
        const id = (0, transport_js_1.randomId)();
        return this.#write({ type: 1, table: this.table, key: id, obj: (0, transport_js_1.copyOf)({ ...value, id }) }, { ...value, id });
    }
    /** Creates or replaces an item. Resolves when the change is stored on this device. */
    put(id, value) {
        return this.#write({ type: 1, table: this.table, key: id, obj: (0, transport_js_1.copyOf)({ ...value, id }) }, undefined);
    }
    /** Changes fields of an item. Null removes one. Resolves when the change is stored on this device. */
    patch(id, changes) {
        return this.#write({ type: 2, table: this.table, key: id, mods: (0, transport_js_1.copyOf)(changes) }, undefined);
    }
    /** @deprecated Call `patch`. */
    update(id, changes) {
        return this.patch(id, changes);
    }
    /** Deletes an item. Resolves when the change is stored on this device. */
    delete(id) {
        return this.#write({ type: 3, table: this.table, key: id }, undefined);
    }
    #write(change, returned) {
        return written(this.sync.write(change), returned);
    }
    #select() {
        const { sync, table } = this;
        const itemOf = (id) => sync.replica?.item(table, id);
        const changes = this.#changes;
        const known = this.#selection;
        // A function of the app that throws leaves no selection.
        this.#selection = undefined;
        const selection = changes && known ? known : new sync.device.Selection(this.options);
        if (!changes || !known) {
            const { id } = selection;
            const found = id === undefined ? (sync.replica?.items(table) ?? []) : [itemOf(id)].filter((item) => item !== undefined);
            selection.select(found);
        }
        else {
            selection.change(Array.from(changes, ([id, before]) => [before, itemOf(id)]));
            if (this.#isRenewed)
                selection.renew();
        }
        this.#isRenewed = false;
        this.#changes = this.#unwatch && new Map();
        this.#selection = selection;
    }
    /** Many changes at once are one notification. */
    #changed(changed) {
        const id = this.#selection?.id;
        if (changed?.size && id !== undefined && !changed.has(id) && this.#changes?.size === 0 && !this.#isRenewed) {
            this.#version = this.sync.version(this.table);
            return;
        }
        if (!changed)
            this.#changes = undefined;
        else if (!changed.size)
            this.#isRenewed = true;
        for (const [id, before] of (this.#changes && changed) ?? [])
            if (!this.#changes.has(id))
                this.#changes.set(id, before);
        if (this.#isScheduled)
            return;
        this.#isScheduled = true;
        queueMicrotask(() => {
            this.#isScheduled = false;
            // `filter` is a function of the app, too.
            (0, isolated_js_1.isolated)(() => {
                const { items } = this;
                if (!this.#unwatch || items === this.#notified)
                    return;
                this.#notified = items;
                this.#listeners.notify(items);
            }, this.sync.logger);
        });
    }
}
exports.Live = Live;
const NONE = [];
//# sourceMappingURL=live.js.map