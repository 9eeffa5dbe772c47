import { keyOf } from "./change.js";
const NONE = [];
/** The changes that the service has not acknowledged, in their order. @internal */
export class Outbox {
    /** The largest number so far. */
    last = 0;
    #entries = new Map();
    #byKey = new Map();
    /** The changes that are too much for a quota. */
    #tooMuch = new Set();
    /** Why changes wait for room; `undefined` if it has to be determined again. */
    #reasons;
    get size() {
        return this.#entries.size;
    }
    /** Whether changes wait for room. */
    get isHeld() {
        return this.#tooMuch.size > 0;
    }
    get(sequence) {
        return this.#entries.get(sequence);
    }
    all() {
        return this.#entries.values();
    }
    /** The changes of an item. */
    of(item) {
        return this.#byKey.get(keyOf(item)) ?? NONE;
    }
    /** Returns whether the change is new. */
    add(entry) {
        if (this.#entries.has(entry.sequence))
            return false;
        this.#reasons = undefined;
        this.#entries.set(entry.sequence, entry);
        if (typeof entry.sequence === "number")
            this.last = Math.max(this.last, entry.sequence);
        const key = keyOf(entry.change);
        const waiting = this.#byKey.get(key);
        if (waiting)
            waiting.push(entry);
        else
            this.#byKey.set(key, [entry]);
        return true;
    }
    remove(entry) {
        this.#reasons = undefined;
        this.#entries.delete(entry.sequence);
        this.#tooMuch.delete(entry);
        const key = keyOf(entry.change);
        const waiting = this.#byKey.get(key);
        waiting.splice(waiting.indexOf(entry), 1);
        if (!waiting.length)
            this.#byKey.delete(key);
    }
    /** A change waits for room, or no longer. */
    hold(entry, reason) {
        this.#reasons = undefined;
        entry.held = reason ?? undefined;
        if (reason)
            this.#tooMuch.add(entry);
        else
            this.#tooMuch.delete(entry);
    }
    /**
     * Why a change waits for room: it is too much itself, it changes fields of an item that is, it belongs to one that does, or
     * it follows an atomic one of its item that does.
     */
    reasonOf(entry) {
        return this.isHeld ? (this.#reasons ??= this.#allReasons()).get(entry) : undefined;
    }
    /** The changes that wait for room. */
    held() {
        return (this.isHeld ? [...this.all()] : []).flatMap((entry) => {
            const reason = this.reasonOf(entry);
            const { change } = entry;
            return reason ? [{ table: change.table, id: change.key, change, ...reason }] : [];
        });
    }
    /** The changes that wait for room: all, or those of an item, with what belongs to them. */
    waiting(table, id) {
        const isNamed = ({ change }) => table === undefined || (change.table === table && change.key === id);
        const named = new Set([...this.all()].filter((entry) => isNamed(entry) && this.reasonOf(entry)));
        const groups = new Set([...named].flatMap(({ change }) => change.atomic ?? []));
        return [...this.all()].filter((entry) => named.has(entry) || groups.has(entry.change.atomic));
    }
    #allReasons() {
        const reasons = new Map();
        /** The items of atomic changes that wait. */
        const behind = new Map();
        let group = [];
        // Those that belong together follow each other.
        for (const entry of [...this.all(), undefined]) {
            const [first] = group;
            if (first && (!entry?.change.atomic || entry.change.atomic !== first.change.atomic)) {
                const reason = group.map(({ held, change }) => held ?? (change.type === 2 ? this.of(change)[0].held : undefined) ?? behind.get(keyOf(change))).find(Boolean);
                for (const member of reason ? group : []) {
                    reasons.set(member, reason);
                    if (member.change.atomic)
                        behind.set(keyOf(member.change), reason);
                }
                group = [];
            }
            if (entry)
                group.push(entry);
        }
        return reasons;
    }
}
//# sourceMappingURL=outbox.js.map