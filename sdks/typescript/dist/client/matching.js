import { folded } from "./case_folding.js";
import { operators } from "./query.js";
/** Characters of a text that determine its place in an order. */
const SORTED = 200;
/** Compares texts by code points, at most the first `limit` of them; other values by `<`. */
function compare(a, b, limit = Infinity) {
    if (a === b)
        return 0;
    if (typeof a !== "string" || typeof b !== "string")
        return a < b ? -1 : a > b ? 1 : 0;
    for (let at = 0, count = 0; count < limit; count++, at++) {
        const one = a.charCodeAt(at);
        if (one === b.charCodeAt(at) && one < 0xd800)
            continue;
        // The end of a text, another character, or one of two units.
        const left = a.codePointAt(at) ?? -1;
        const right = b.codePointAt(at) ?? -1;
        if (left !== right || left < 0)
            return left - right;
        if (left > 0xffff)
            at++;
    }
    return 0;
}
/** Returns whether a value meets a condition, for each operator and operand. */
const OPERATORS = {
    eq: (operand) => (value) => value === operand,
    neq: (operand) => (value) => value !== operand,
    gt: (operand) => (value) => compare(value, operand) > 0,
    gte: (operand) => (value) => compare(value, operand) >= 0,
    lt: (operand) => (value) => compare(value, operand) < 0,
    lte: (operand) => (value) => compare(value, operand) <= 0,
    like: pattern,
    ilike: (operand) => {
        const isLike = pattern(folded(operand));
        return (value) => isLike(folded(value));
    },
};
/** Returns whether a text has the literal parts of a pattern in their order. */
function pattern(operand) {
    const parts = [""];
    for (const [part] of operand.matchAll(/\\[*\\]|[^]/gu)) {
        if (part === "*")
            parts.push("");
        else
            parts[parts.length - 1] += part.replace(/^\\(?=.)/, "");
    }
    const [first, last] = [parts.shift(), parts.pop()];
    return (text) => {
        if (last === undefined)
            return text === first;
        let at = text.startsWith(first) ? first.length : -1;
        for (const part of parts) {
            at = at < 0 ? at : text.indexOf(part, at);
            if (at >= 0)
                at += part.length;
        }
        return at >= 0 && text.length - last.length >= at && text.endsWith(last);
    };
}
/** The value of a field, but not a member that every object has, such as `constructor`. @internal */
export const fieldOf = (item, name) => (Object.hasOwn(item, name) ? item[name] : undefined) ?? undefined;
/** Returns a function that returns whether an item meets all conditions. A value of another type is not comparable, as if it were absent. @internal */
export function matcher(where = {}) {
    const tests = Object.entries(where).flatMap(([field, condition]) => condition === undefined ? [] : operators(condition).map(([name, operand]) => [field, testOf(name, operand)]));
    return (item) => tests.every(([field, test]) => test(fieldOf(item, field)));
}
function testOf(name, operand) {
    if (name === "isNull")
        return (value) => (value === undefined) === operand;
    if (name === "in")
        return (value) => operand.includes(value);
    const test = fieldOf(OPERATORS, name)(operand);
    return (value) => typeof value === typeof operand && test(value);
}
/** The ID of the only item that can meet the conditions. @internal */
export function idOf({ id } = {}) {
    const found = id?.eq ?? id;
    return typeof found === "string" ? found : undefined;
}
/** Compares two items in an order. Absent values come last, and equal items are sorted by ID, in the direction of the last field. @internal */
export function comparison(order) {
    const keys = (order === undefined ? [] : [order].flat()).map((key) => {
        const [, field, direction] = /^(.*?)(?:\.(asc|desc))?$/.exec(key);
        return { field: field, sign: direction === "desc" ? -1 : 1 };
    });
    const last = keys.at(-1)?.sign ?? 1;
    return (a, b) => {
        for (const { field, sign } of keys) {
            const left = fieldOf(a, field);
            const right = fieldOf(b, field);
            if (left === right)
                continue;
            if (left === undefined || right === undefined)
                return left === undefined ? 1 : -1;
            const order = compare(left, right, field === "id" ? Infinity : SORTED);
            if (order)
                return order * sign;
        }
        return compare(a.id, b.id) * last;
    };
}
//# sourceMappingURL=matching.js.map