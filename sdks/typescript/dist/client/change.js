import { fieldOf } from "./matching.js";
/** Names an item. @internal */
export const keyOf = ({ table, key }) => `${table}/${key}`;
/** The item after a change. @internal */
export function applied(change, item) {
    if (change.type === 3)
        return undefined;
    if (change.type === 1)
        return { ...change.obj, id: change.key };
    const changed = { ...item, id: change.key };
    for (const [name, value] of Object.entries(change.mods)) {
        if (value === null)
            delete changed[name];
        else
            changed[name] = value;
    }
    return changed;
}
/** Returns whether an item has what a change stores. @internal */
export function includes(item, change) {
    if (change.type === 3)
        return item === undefined;
    const fields = change.type === 1 ? change.obj : change.mods;
    return item !== undefined && Object.entries(fields).every(([name, value]) => same(fieldOf(item, name) ?? null, value ?? null));
}
/** Compares JSON values. The service may return members in another order. */
function same(a, b) {
    if (a === b || typeof a !== "object" || typeof b !== "object" || !a || !b)
        return a === b;
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}
//# sourceMappingURL=change.js.map