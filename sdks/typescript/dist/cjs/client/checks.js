"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.KnownSchema = void 0;
const error_js_1 = require("../error.js");
const change_js_1 = require("./change.js");
const MAX_ITEM_BYTES = 256 * 1024;
/** How deeply arrays and objects can be nested in a field. */
const MAX_DEPTH = 30;
/** Members that are no fields. The service ignores them. */
const RESERVED = ["id", "created_at", "updated_at"];
/** How many changes and bytes the service stores together at most. The message has more members. */
const MAX_ATOMIC = 1_000;
const MAX_ATOMIC_BYTES = 1024 * 1024 - 512;
/** How often the schema is read at most, in milliseconds. */
const INTERVAL = 5_000;
/** Reasons that say that the schema may have changed. */
const DOUBTS = ["invalid_item", "unknown_field", "unknown_table"];
/** What this device knows of the schema of the project, to check local writes. @internal */
class KnownSchema {
    read;
    storage;
    key;
    #schema = {};
    #isDoubted = true;
    #readAt = -Infinity;
    constructor(read, storage, key) {
        this.read = read;
        this.storage = storage;
        this.key = key;
    }
    /** Reads what this device has stored. */
    async load() {
        try {
            this.#schema = JSON.parse((await this.storage.getItem(this.key)) ?? "{}");
        }
        catch {
            // Something else wrote to the storage: the service checks alone.
        }
    }
    /** Reads the schema from the service, unless it has not changed. */
    async learn() {
        if (!this.#isDoubted || Date.now() - this.#readAt < INTERVAL)
            return;
        this.#readAt = Date.now();
        try {
            this.#schema = schemaOf(await this.read());
            this.#isDoubted = false;
            await this.storage.setItem(this.key, JSON.stringify(this.#schema));
        }
        catch {
            // The service checks alone, until this device is connected again.
        }
    }
    /** The service has not stored a change for a reason that the schema may say. */
    doubt(code) {
        if (!DOUBTS.includes(code))
            return;
        this.#isDoubted = true;
        void this.learn();
    }
    /** Throws what the service would reply if it would not store one of these changes, which are made together. */
    check(changes, known) {
        const items = new Map();
        try {
            for (const change of changes) {
                const key = (0, change_js_1.keyOf)(change);
                const before = items.has(key) ? items.get(key) : known.item(change.table, change.key);
                const after = (0, change_js_1.applied)(change, before);
                check(change, before, after, this.#schema);
                items.set(key, after);
            }
        }
        catch (error) {
            if (error instanceof error_js_1.StewardError)
                this.doubt(error.code);
            throw error;
        }
        const isTooLong = () => new TextEncoder().encode(JSON.stringify(changes)).length > MAX_ATOMIC_BYTES;
        if (changes.length > 1 && (changes.length > MAX_ATOMIC || isTooLong()))
            throw new error_js_1.StewardError("message_too_long", "An atomic write can have 1,000 changes and 1 MiB.");
    }
}
exports.KnownSchema = KnownSchema;
/**
 * Throws what the service would reply if it would not store a change, in its words. `before` and `after` are the item on this
 * device. Tables and fields that the schema of this device lacks may be new: they are no errors.
 */
function check(change, before, after, schema) {
    const { key, table } = change;
    if (!/^[A-Za-z0-9._~-]{1,128}$/.test(key))
        throw new error_js_1.StewardError("invalid_key", "The key must be 1 to 128 characters from A-Z a-z 0-9 . _ ~ -.");
    if (!after)
        return;
    if (!before && /^\.\.?$/.test(key))
        throw new error_js_1.StewardError("invalid_key", "The key must not be `.` or `..`, which would lead to another path.");
    const fields = new Map(Object.entries(after).filter(([name, value]) => !RESERVED.includes(name) && value !== null));
    for (const name of Object.keys(change.type === 2 ? change.mods : after)) {
        if (isStorable(fields.get(name.split(".")[0])))
            continue;
        throw new error_js_1.StewardError("invalid_item", "A value has a NUL character, is nested too deeply, or is a number that would be changed.");
    }
    const known = own(schema, table) ?? {};
    // An item that this device lacks may have the other fields.
    const violations = violationsOf(known, fields, change.type === 1 || before !== undefined);
    if (violations[0])
        throw new error_js_1.StewardError("invalid_item", violations[0].message, { violations });
    const text = JSON.stringify(Object.fromEntries(fields));
    if (text.length * 3 > MAX_ITEM_BYTES && new TextEncoder().encode(text).length > MAX_ITEM_BYTES) {
        throw new error_js_1.StewardError("item_too_large", "The value is too large: an item can hold at most 256 KiB of JSON. Split it into several items.");
    }
}
/** The newest version of a schema in a response. If it has another form, the service checks alone. */
function schemaOf(response) {
    const tables = Object.entries(response?.data?.[0]?.schema?.tables ?? {}).map(([table, { fields }]) => {
        const known = Object.entries(fields ?? {}).map(([name, { type, required = false }]) => [name, { type, required }]);
        return [table, Object.fromEntries(known)];
    });
    return Object.fromEntries(tables);
}
function violationsOf(known, fields, isWhole) {
    const violation = (name, rest) => ({ field: `/${name}`, message: `Field ${name} ${rest}` });
    const wrong = [...fields].flatMap(([name, value]) => {
        const type = own(known, name)?.type;
        const isValid = type === undefined || typeof value === (type === "json" ? "object" : type);
        return isValid ? [] : [violation(name, `should be type ${type}, got ${typeof value}`)];
    });
    const missing = Object.keys(known).filter((name) => isWhole && known[name].required && !fields.has(name));
    return [...wrong, ...missing.map((name) => violation(name, "is required"))];
}
/** Whether both databases can store a value. */
function isStorable(value, depth = 0) {
    if (typeof value === "string")
        return !value.includes("\0");
    if (typeof value !== "object" || value === null)
        return true;
    return depth < MAX_DEPTH && Object.entries(value).every(([name, member]) => !name.includes("\0") && isStorable(member, depth + 1));
}
function own(record, name) {
    return Object.hasOwn(record, name) ? record[name] : undefined;
}
//# sourceMappingURL=checks.js.map