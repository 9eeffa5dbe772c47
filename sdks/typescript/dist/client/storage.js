/** A storage that is lost with the page or process. */
export function memoryStorage() {
    const values = new Map();
    return {
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => values.set(key, value),
        removeItem: (key) => values.delete(key),
    };
}
/** Whether tabs can share a connection here. @internal */
export const canShare = () => Boolean(globalThis.navigator?.locks && globalThis.BroadcastChannel);
/** `localStorage`, or nothing where there is none or the person has blocked it. @internal */
export function pageStorage() {
    try {
        // Node.js has a `localStorage` that fails without a file.
        return typeof document === "undefined" ? undefined : localStorage;
    }
    catch {
        return undefined;
    }
}
/** How long a client holds the lock at most, in milliseconds. A client that ended while it held the lock blocks others this long. */
const LEASE = 15_000;
/** How long a client waits for the lock at most, in milliseconds. */
const MAX_WAIT = 60_000;
/** How long writes take until all tabs see them, in milliseconds. */
const SETTLE = 100;
/** Web Locks, or a lock in the storage where there are none. @internal */
export function lockOf(storage) {
    const locks = globalThis.navigator?.locks;
    if (locks && storage === pageStorage()) {
        // Another tab can get the lock before it sees what this one has written to `localStorage`: it waits for a moment.
        return (name, run) => new Promise((resolve, reject) => void locks.request(name, () => run().then(resolve, reject).then(() => wait(SETTLE))));
    }
    return async (name, run) => {
        const own = `${Math.random()}`.slice(2);
        for (const end = Date.now() + MAX_WAIT; Date.now() < end;) {
            const [holder, since] = ((await storage.getItem(name)) ?? "").split(":");
            const age = Date.now() - Number(since);
            // A lock from the future is one of a clock that was set back.
            if (holder && holder !== own && age < LEASE && age > -LEASE) {
                await wait(SETTLE * (1 + Math.random()));
                continue;
            }
            if (holder !== own)
                await storage.setItem(name, `${own}:${Date.now()}`);
            // Others may have written at the same time: the last one holds the lock.
            await wait(SETTLE);
            if (!((await storage.getItem(name)) ?? "").startsWith(own))
                continue;
            try {
                return await run();
            }
            finally {
                if (((await storage.getItem(name)) ?? "").startsWith(own))
                    await storage.removeItem(name);
            }
        }
        // A refresh that another client makes at the same time returns the same tokens: better than to end here.
        return run();
    };
}
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
//# sourceMappingURL=storage.js.map