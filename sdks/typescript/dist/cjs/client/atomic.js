"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.atomicChanges = atomicChanges;
const error_js_1 = require("../error.js");
const transport_js_1 = require("../transport.js");
/** Returns the writes that a function makes. @internal */
function atomicChanges(write) {
    const changes = [];
    const atomic = (0, transport_js_1.randomId)();
    let hasEnded = false;
    const add = (change) => {
        if (hasEnded)
            throw new error_js_1.StewardError("invalid_argument", "The atomic write has ended. Its function must not await anything.");
        changes.push({ ...change, atomic });
    };
    const itemsOf = (table) => {
        const put = (id, value) => add({ type: 1, table, key: id, obj: (0, transport_js_1.copyOf)({ ...value, id }) });
        const patch = (id, mods) => add({ type: 2, table, key: id, mods: (0, transport_js_1.copyOf)(mods) });
        return {
            create: (value) => {
                const id = (0, transport_js_1.randomId)();
                put(id, value);
                return id;
            },
            put,
            patch,
            update: patch,
            delete: (id) => add({ type: 3, table, key: id }),
        };
    };
    write(itemsOf);
    hasEnded = true;
    return changes;
}
//# sourceMappingURL=atomic.js.map