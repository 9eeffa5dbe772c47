import { StewardError } from "../error.js";
import { copyOf, randomId } from "../transport.js";
import type { Change } from "./change.js";
import type { Changes, Exact } from "./items.js";

/** Writes of items in a table that are stored together with others. */
export interface AtomicItems<T extends object> {
  /** Creates an item with a new ID, and returns the ID. */
  create(value: T): string;
  /** Creates or replaces an item. */
  put(id: string, value: T): void;
  /** Changes fields of an item. Null removes one. */
  patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): void;
  /** @deprecated Call `patch`. */
  update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): void;
  /** Deletes an item. */
  delete(id: string): void;
}

/** Returns the writes that a function makes. @internal */
export function atomicChanges(write: (items: (table: string) => AtomicItems<any>) => void): Change[] {
  const changes: Change[] = [];
  const atomic = randomId();
  let hasEnded = false;
  const add = (change: Change) => {
    if (hasEnded) throw new StewardError("invalid_argument", "The atomic write has ended. Its function must not await anything.");
    changes.push({ ...change, atomic });
  };
  const itemsOf = (table: string): AtomicItems<any> => {
    const put = (id: string, value: object) => add({ type: 1, table, key: id, obj: copyOf({ ...value, id }) });
    const patch = (id: string, mods: object) => add({ type: 2, table, key: id, mods: copyOf(mods) });
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
