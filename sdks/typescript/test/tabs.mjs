// Tabs of one browser in one process: Web Locks, and stores that several clients have.
import { memoryStore } from "@steward/sdk/client";

/** Web Locks as in a browser, with the options that the SDK uses. */
function webLocks() {
  const queues = new Map();
  const grant = (name) => {
    const [first] = queues.get(name) ?? [];
    if (!first || first.isHeld) return;
    first.isHeld = true;
    Promise.resolve(first.run({ name })).then((value) => (end(name, first), first.resolve(value)), (error) => (end(name, first), first.reject(error)));
  };
  const end = (name, entry) => {
    queues.set(name, (queues.get(name) ?? []).filter((other) => other !== entry));
    grant(name);
  };
  return {
    query: async () => ({ held: [] }),
    request: (name, options, run) =>
      new Promise((resolve, reject) => {
        const entry = { run, resolve, reject };
        const queue = queues.get(name) ?? [];
        if (options.ifAvailable && queue.length) return resolve(run(null));
        if (options.steal) {
          const [holder, ...others] = queue;
          holder?.reject(new DOMException("Stolen.", "AbortError"));
          queues.set(name, [entry, ...others]);
        } else queues.set(name, [...queue, entry]);
        options.signal?.addEventListener("abort", () => !entry.isHeld && (end(name, entry), reject(options.signal.reason)));
        grant(name);
      }),
  };
}

let count = 0;

/** Gives this process Web Locks. */
export function useWebLocks() {
  Object.defineProperty(globalThis, "navigator", { value: { locks: webLocks() }, configurable: true });
}

/** A store of the device for each person, as `localStore`. All tabs that have the function share the stores. */
export function sharedStores() {
  const stores = new Map();
  const run = `run ${(count += 1)}`;
  const storeOf = (name) => {
    const shared = stores.get(name) ?? memoryStore();
    stores.set(name, shared);
    return { ...shared, sharedName: `${run} ${name}`, close: () => {} };
  };
  return Object.assign(storeOf, { stores });
}
