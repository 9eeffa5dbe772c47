"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Selection = void 0;
const matching_js_1 = require("./matching.js");
/** With more changes, all items are copied once, instead of moved with each change. */
const MAX_MOVES = 32;
/** The items of a table that match a query, in order. Changes cost as much as they change, not as much as there are items. @internal */
class Selection {
    /** The array is the same until an item changes. */
    items = [];
    /** Number of items without the limit and offset. */
    total = 0;
    /** The only item that can be selected. */
    id;
    #matches;
    #compare;
    #limit;
    #offset;
    /** Whether `items` is a part of all, which then nobody else has: they change in place. */
    #isPart;
    #all = [];
    constructor({ where, filter, order, limit = Infinity, offset = 0 }) {
        const meets = (0, matching_js_1.matcher)(where);
        this.id = (0, matching_js_1.idOf)(where);
        this.#matches = filter ? (item) => meets(item) && filter(item) : meets;
        this.#compare = (0, matching_js_1.comparison)(order);
        this.#limit = limit;
        this.#offset = offset;
        this.#isPart = limit < Infinity || offset > 0;
    }
    /** Selects from all items. */
    select(items) {
        this.#show(items.filter(this.#matches).sort(this.#compare));
    }
    /** Selects after changes of items: what they were, and what they are. */
    change(changes) {
        const [removed, added] = [[], []];
        for (const [before, after] of changes) {
            if (before === after)
                continue;
            if (before)
                removed.push(before);
            if (after && this.#matches(after))
                added.push(after);
        }
        if (removed.length + added.length > MAX_MOVES)
            return this.#merge(new Set(removed), added);
        let all = this.#isPart ? this.#all : undefined;
        for (const item of removed) {
            const found = all ?? this.#all;
            const at = this.#place(found, item);
            if (found[at] === item)
                (all ??= found.slice()).splice(at, 1);
        }
        for (const item of added) {
            all ??= this.#all.slice();
            all.splice(this.#place(all, item), 0, item);
        }
        if (all)
            this.#show(all);
    }
    /** Shows the same items in another array. */
    renew() {
        this.items = this.items.slice();
    }
    #merge(removed, added) {
        const kept = removed.size ? this.#all.filter((item) => !removed.has(item)) : this.#all;
        if (kept.length === this.#all.length && added.length === 0)
            return;
        const all = [];
        let from = 0;
        for (const item of added.sort(this.#compare)) {
            for (const to = this.#place(kept, item, from); from < to; from++)
                all.push(kept[from]);
            all.push(item);
        }
        for (; from < kept.length; from++)
            all.push(kept[from]);
        this.#show(all);
    }
    /** The place of an item by binary search. */
    #place(items, item, from = 0) {
        let to = items.length;
        while (from < to) {
            const middle = (from + to) >> 1;
            if (this.#compare(items[middle], item) < 0)
                from = middle + 1;
            else
                to = middle;
        }
        return from;
    }
    #show(all) {
        const { items: before, total } = this;
        this.#all = all;
        this.total = all.length;
        const items = this.#isPart ? all.slice(this.#offset, this.#offset + this.#limit) : all;
        // What is on another page is not shown.
        const isSame = this.#isPart && total === this.total && items.length === before.length && items.every((item, index) => item === before[index]);
        if (!isSame)
            this.items = items;
    }
}
exports.Selection = Selection;
//# sourceMappingURL=selection.js.map