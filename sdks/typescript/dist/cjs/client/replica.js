"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Replica = exports.MAX_PENDING = void 0;
const change_js_1 = require("./change.js");
const error_js_1 = require("../error.js");
const outbox_js_1 = require("./outbox.js");
/** How many changes wait for the service at most. It rejects what exceeds this in one message, too. */
exports.MAX_PENDING = 50_000;
/** A portion has at most this many changes and characters. The service stores a portion in one transaction. */
const MAX_PORTION = 500;
const MAX_PORTION_CHARS = 256 * 1024;
const NOT_ATOMIC = "The service does not know atomic writes. Update it, or write each item by itself.";
/** The items of one person on this device: what the service has, and local changes on top. @internal */
class Replica {
    events;
    revision = null;
    device = "";
    /** Whether the items were loaded, from the store or the service. */
    isLoaded = false;
    /** What the service has. */
    #base = new Map();
    /** Items with local changes, as they are shown; `undefined` if they are deleted. */
    #shown = new Map();
    #outbox = new outbox_js_1.Outbox();
    #held = [];
    #isHeldKnown = true;
    /** What was sent. If the connection ends before the answer, it is sent again in the same way, so that the service recognizes it. */
    #inFlight = [];
    /** Whether changes are in flight. */
    isSending = false;
    /** Whether there may be room for changes in flight that do not fit: they are sent again instead of waiting. */
    #hasRoom = false;
    /** Whether the service knows atomic messages; `undefined` before a connection. */
    isAtomic;
    /** The items of a load, if there were others before it. */
    #loaded;
    /** Whether the load has everything, so that other items are deleted at its end. */
    #isComplete = false;
    constructor({ device, revision, items, outbox, last = 0 }, events) {
        this.events = events;
        this.device = device;
        this.#outbox.last = last;
        for (const [table, id, item] of items)
            rowsOf(this.#base, table).set(id, item);
        this.apply({ added: outbox, ...(revision !== null && { revision }) });
    }
    /** Number of changes that are not acknowledged. */
    get pending() {
        return this.#outbox.size;
    }
    /** Whether a change is not acknowledged. `change`: it must be this one. */
    has(sequence, change) {
        const entry = this.#outbox.get(sequence);
        return entry !== undefined && (!change || JSON.stringify(entry.change) === JSON.stringify(change));
    }
    /** The items of a table. */
    items(table) {
        const base = this.#base.get(table);
        const shown = this.#shown.get(table);
        const found = [];
        for (const [id, item] of base ?? [])
            if (!shown?.has(id))
                found.push(item);
        for (const item of shown?.values() ?? [])
            if (item)
                found.push(item);
        return found;
    }
    item(table, id) {
        const shown = this.#shown.get(table);
        return shown?.has(id) ? shown.get(id) : this.#base.get(table)?.get(id);
    }
    /** The changes that wait for room. The array is the same until one changes. */
    get held() {
        if (this.#isHeldKnown)
            return this.#held;
        this.#isHeldKnown = true;
        const held = this.#outbox.held();
        if (held.length || this.#held.length)
            this.#held = held;
        return this.#held;
    }
    /** Everything that a store or another tab needs. */
    get state() {
        const entries = [...this.#outbox.all()].filter((entry) => typeof entry.sequence === "number");
        return {
            device: this.device,
            revision: this.revision,
            items: [...this.#base].flatMap(([table, rows]) => [...rows].map(([id, item]) => [table, id, item])),
            outbox: entries.map(({ sequence, change }) => [sequence, change]),
            held: entries.flatMap(({ sequence, held }) => (held ? [[sequence, held]] : [])),
        };
    }
    /** Applies an update: of this tab, or of the one that is connected. */
    apply({ revision, isReset, items = [], added = [], removed = [], held = [], call }) {
        const changed = new Map();
        /** Items whose local changes are applied again, because what is below them has changed. */
        const stale = new Map();
        const touch = (table, id, isStale = true) => {
            let touched = changed.get(table);
            if (!touched)
                changed.set(table, (touched = new Map()));
            if (!touched.has(id))
                touched.set(id, this.item(table, id));
            if (isStale && this.#outbox.size)
                stale.set((0, change_js_1.keyOf)({ table, key: id }), [table, id]);
        };
        if (isReset) {
            for (const [table, rows] of this.#base)
                for (const id of rows.keys())
                    touch(table, id);
            this.#base.clear();
        }
        for (const [table, id, item] of items) {
            touch(table, id);
            if (item)
                rowsOf(this.#base, table).set(id, item);
            else
                this.#base.get(table)?.delete(id);
        }
        const confirmed = call === undefined ? [] : [call, ...(added ?? []).slice(1).map((_, index) => `${call}/${index + 1}`)];
        for (const sequence of [...removed, ...confirmed]) {
            const entry = this.#outbox.get(sequence);
            if (!entry)
                continue;
            touch(entry.change.table, entry.change.key);
            this.#outbox.remove(entry);
        }
        for (const [sequence, change] of added) {
            const { table, key } = change;
            touch(table, key, false);
            if (this.#outbox.add({ sequence, change }) && !stale.has((0, change_js_1.keyOf)(change)))
                this.#setShown(table, key, (0, change_js_1.applied)(change, this.item(table, key)));
        }
        for (const [sequence, reason] of held) {
            const entry = this.#outbox.get(sequence);
            if (entry)
                this.#outbox.hold(entry, reason);
        }
        for (const [table, id] of stale.values())
            this.#show(table, id);
        if ((added.length || removed.length || held.length) && (this.#outbox.isHeld || this.#held.length))
            this.#isHeldKnown = false;
        if (revision !== undefined)
            this.revision = revision;
        this.isLoaded ||= this.revision !== null;
        this.events.changed(changed);
    }
    /** Shows changes of this tab until the tab that is connected has taken them. */
    expect(call, changes) {
        this.apply({ added: changes.map((change, index) => [(index ? `${call}/${index}` : call), change]) });
    }
    /** Takes back changes of this tab that the tab that is connected has not taken. */
    unexpect(call, changes) {
        this.apply({ removed: changes.map((_, index) => (index ? `${call}/${index}` : call)) });
    }
    /** Makes local changes. Resolves when they are stored on this device. */
    write(changes, call) {
        if (changes[0].atomic && this.isAtomic === false)
            throw new error_js_1.StewardError("not_supported", NOT_ATOMIC);
        // A change of the whole item replaces those that wait for room.
        const replaced = changes.flatMap((change) => (change.type === 2 ? [] : this.#outbox.of(change).filter(({ held }) => held)));
        const first = this.#outbox.last + 1;
        const added = changes.map((change, index) => [first + index, change]);
        return this.#commit({ added, removed: replaced.map(({ sequence }) => sequence), call });
    }
    /** Begins a load of what the device lacks, after which changes are sent. */
    beginLoad() {
        this.isSending = false;
        // An interrupted load may have left items that are deleted by now.
        this.#loaded = this.#base.size ? new Set() : undefined;
        this.#isComplete = this.revision === null;
    }
    /** Applies what the service sent. `isEverything`: it is a part of all that the service has. */
    receive(changes, revision, isLoading, isLast, isEverything = false) {
        // After a restore, the service does not know the revision of the device, and sends everything. An older one does not say so.
        if (isEverything || (isLoading && this.revision !== null && revision < this.revision)) {
            if (!this.#isComplete && this.#base.size)
                this.#loaded ??= new Set();
            this.#isComplete = true;
        }
        const items = [];
        let hasRoom = false;
        for (const { code, message, ...change } of changes) {
            const { table, key } = change;
            const before = this.#base.get(table)?.get(key);
            items.push([table, key, (0, change_js_1.applied)(change, before) ?? null]);
            this.#loaded?.add((0, change_js_1.keyOf)(change));
            hasRoom ||= change.type === 3 && before !== undefined && !code;
            for (const entry of this.isSending ? this.#outbox.of(change) : []) {
                if (!entry.answer?.code && this.#inFlight.includes(entry))
                    entry.answer = { ...(code && { code }), ...(message && { message }) };
            }
        }
        if (isLoading && !isLast)
            return this.#commit({ items, ...this.#reached(revision) });
        const loaded = this.#isComplete ? this.#loaded : undefined;
        const isReset = loaded !== undefined && this.revision !== null;
        for (const [table, rows] of loaded ? this.#base : []) {
            for (const key of rows.keys())
                if (!loaded.has((0, change_js_1.keyOf)({ table, key })))
                    items.push([table, key, null]);
        }
        this.#loaded = undefined;
        this.#isComplete = false;
        this.#hasRoom ||= hasRoom;
        if (!isReset)
            return this.#commit({ items, revision, ...this.#released(hasRoom) });
        // A store without the items of other loads takes everything.
        const all = new Map(this.state.items.map((item) => [(0, change_js_1.keyOf)({ table: item[0], key: item[1] }), item]));
        for (const [table, key, item] of items) {
            if (item)
                all.set((0, change_js_1.keyOf)({ table, key }), [table, key, item]);
            else
                all.delete((0, change_js_1.keyOf)({ table, key }));
        }
        return this.#commit({ items: [...all.values()], isReset, revision, ...this.#released(true) });
    }
    /** Returns the changes to send next. They are in flight until `acknowledge` or `beginLoad`. */
    portion() {
        while (!this.isSending) {
            // The service answers what it has received before with the reasons of then.
            this.#hasRoom = this.#inFlight.length > 0;
            if (!this.#hasRoom)
                this.#fill();
            const [first] = this.#inFlight;
            if (!first)
                return undefined;
            const atomic = first.change.atomic ? true : undefined;
            if (atomic && !this.isAtomic) {
                // A service of an earlier version would store a part.
                void this.#refuse(this.#inFlight.splice(0), { code: "not_supported", message: NOT_ATOMIC });
                continue;
            }
            this.isSending = true;
            const changes = this.#inFlight.map((entry) => {
                entry.answer = undefined;
                const { atomic: _, ...change } = entry.change;
                return change;
            });
            return { changes, requestId: first.sequence, atomic };
        }
        return undefined;
    }
    /** Determines the changes that are sent next: those that belong together, or others. */
    #fill() {
        let size = 0;
        for (const entry of this.#outbox.all()) {
            const [first] = this.#inFlight;
            const { atomic } = entry.change;
            if (first && atomic !== first.change.atomic)
                break;
            if (this.#outbox.reasonOf(entry))
                continue;
            size += JSON.stringify(entry.change).length;
            if (first && !atomic && (size > MAX_PORTION_CHARS || this.#inFlight.length === MAX_PORTION))
                break;
            this.#inFlight.push(entry);
        }
    }
    /** Takes back changes that the service did not store. */
    #refuse(entries, reason) {
        return this.#commit({ removed: entries.map(({ sequence }) => sequence), refused: entries.map((entry) => this.#refused(entry, reason)) });
    }
    #refused({ sequence, change }, reason) {
        return [sequence, { table: change.table, id: change.key, change, item: this.#base.get(change.table)?.get(change.key), ...reason }];
    }
    /** The service has stored, or corrected, the changes in flight. */
    acknowledge(requestId) {
        if (this.#inFlight[0]?.sequence !== requestId)
            return Promise.resolve();
        const sent = new Set(this.#inFlight.splice(0));
        this.isSending = false;
        const [{ change: { atomic } }] = [...sent];
        const rejected = atomic ? [...sent].find(({ answer }) => answer?.code) : undefined;
        // All changes of an atomic message are stored, or none.
        if (rejected)
            return this.#refuse([...sent], rejected.answer);
        const after = new Map();
        let hasRoom = false;
        for (const { change, answer } of sent) {
            if (answer)
                continue;
            const { table, key } = change;
            // Without later changes, the item is the one that is shown, and does not change.
            const isLast = sent.has(this.#outbox.of(change).at(-1));
            const before = after.get((0, change_js_1.keyOf)(change));
            const item = before ? (before[2] ?? undefined) : this.#base.get(table)?.get(key);
            after.set((0, change_js_1.keyOf)(change), [table, key, (isLast ? this.item(table, key) : (0, change_js_1.applied)(change, item)) ?? null]);
            hasRoom ||= change.type === 3;
        }
        const stored = this.#commit({ items: [...after.values()], ...this.#settle(sent), ...this.#reached() });
        if (hasRoom)
            void this.release();
        return stored;
    }
    /** Sends the changes that wait for room again. */
    async release() {
        const released = this.#released(true);
        if (released)
            await this.#commit(released);
    }
    /** Forgets changes that wait for room: all, or those of an item. */
    async discard(table, id) {
        const entries = this.#outbox.waiting(table, id);
        await this.#commit({ removed: entries.map(({ sequence }) => sequence) });
    }
    /** Decides which changes are done, which wait for room, and which the service has corrected. */
    #settle(sent) {
        const removed = [];
        const held = [];
        const refused = [];
        // Items with a later change that replaces this one: it was stored, or it is sent next.
        const isReplaced = new Set();
        for (const entry of [...sent].reverse()) {
            const { change, answer } = entry;
            const [sequence, key] = [entry.sequence, (0, change_js_1.keyOf)(change)];
            const item = this.#base.get(change.table)?.get(change.key);
            const isStored = !answer || change.atomic !== undefined || (0, change_js_1.includes)(item, change);
            if (!isStored && this.#outbox.of(change).some((other) => other.change.type !== 2 && !sent.has(other) && !other.held))
                isReplaced.add(key);
            if (!isStored && answer.code === "quota_exceeded" && !isReplaced.has(key)) {
                if (!this.#hasRoom)
                    held.push([sequence, answer]);
                continue;
            }
            removed.push(sequence);
            if (isStored)
                isReplaced.add(key);
            else
                refused.push(this.#refused(entry, answer));
        }
        return { removed, held, refused: refused.reverse() };
    }
    /** The update after which no change waits for room. */
    #released(hasRoom) {
        const held = hasRoom ? this.state.held : [];
        return held.length ? { held: held.map(([sequence]) => [sequence, null]) } : undefined;
    }
    /** Why a change waits for room. */
    reason(sequence) {
        const entry = this.#outbox.get(sequence);
        return entry && this.#outbox.reasonOf(entry);
    }
    /** The revision from which the device continues, after items changed. */
    #reached(revision = Infinity) {
        return this.revision === null ? {} : { revision: Math.min(this.revision, revision) };
    }
    #commit(update) {
        this.apply(update);
        return this.events.commit(update);
    }
    /** Recomputes what the app sees of an item. */
    #show(table, id) {
        const waiting = this.#outbox.of({ table, key: id });
        if (!waiting.length)
            return void this.#shown.get(table)?.delete(id);
        let item = this.#base.get(table)?.get(id);
        for (const { change } of waiting)
            item = (0, change_js_1.applied)(change, item);
        this.#setShown(table, id, item);
    }
    #setShown(table, id, item) {
        let shown = this.#shown.get(table);
        if (!shown)
            this.#shown.set(table, (shown = new Map()));
        shown.set(id, item);
    }
}
exports.Replica = Replica;
function rowsOf(tables, table) {
    let rows = tables.get(table);
    if (!rows)
        tables.set(table, (rows = new Map()));
    return rows;
}
//# sourceMappingURL=replica.js.map