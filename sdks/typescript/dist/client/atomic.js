import { StewardError } from "../error.js";
import { copyOf, randomId } from "../transport.js";
/** Returns the writes that a function makes. @internal */
export function atomicChanges(write) {
    const changes = [];
    const atomic = randomId();
    let hasEnded = false;
    const add = (change) => {
        if (hasEnded)
            throw new StewardError("invalid_argument", "The atomic write has ended. Its function must not await anything.");
        changes.push({ ...change, atomic });
    };
    const itemsOf = (table) => {
        const put = (id, value) => add({ type: 1, table, key: id, obj: copyOf({ ...value, id }) });
        const patch = (id, mods) => add({ type: 2, table, key: id, mods: copyOf(mods) });
        return {
            create: (value) => {
                const id = randomId();
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