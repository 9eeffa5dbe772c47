import { fieldOf } from "./matching.js";

/** A change of an item, as it is sent: 1 creates or replaces, 2 changes fields, 3 deletes. */
export type Change = (
  | { type: 1; table: string; key: string; obj: Record<string, unknown> }
  | { type: 2; table: string; key: string; mods: Record<string, unknown> }
  | { type: 3; table: string; key: string }
) & {
  /** Names the changes that the service stores together, or not at all. It is not sent. */
  atomic?: string;
};

/** Why the service did not store a local write. A message of an older service has no reasons. */
export interface Reason {
  /** A code of the errors of item operations, such as `invalid_item`, or `unknown_table`, `invalid_key` or `message_too_long`. */
  code?: string;
  /** The reason in words, for developers. */
  message?: string;
}

/** A local write that the service did not store as it was made. */
export interface Correction extends Reason {
  table: string;
  id: string;
  /** The write. */
  change: Change;
  /** The item as the service has it; `undefined` if there is none. */
  item: Record<string, unknown> | undefined;
}

/** A local write for which a quota of the project leaves no room. It is pending, and visible on this device. */
export interface HeldChange extends Reason {
  table: string;
  id: string;
  /** The write. */
  change: Change;
}

/** @internal */
export type Row = Record<string, unknown>;
/** Names an item. @internal */
export const keyOf = ({ table, key }: { table: string; key: string }): string => `${table}/${key}`;

/** The item after a change. @internal */
export function applied(change: Change, item: Row | undefined): Row | undefined {
  if (change.type === 3) return undefined;
  if (change.type === 1) return { ...change.obj, id: change.key };
  const changed: Row = { ...item, id: change.key };
  for (const [name, value] of Object.entries(change.mods)) {
    if (value === null) delete changed[name];
    else changed[name] = value;
  }
  return changed;
}

/** Returns whether an item has what a change stores. @internal */
export function includes(item: Row | undefined, change: Change): boolean {
  if (change.type === 3) return item === undefined;
  const fields = change.type === 1 ? change.obj : change.mods;
  return item !== undefined && Object.entries(fields).every(([name, value]) => same(fieldOf(item, name) ?? null, value ?? null));
}

/** Compares JSON values. The service may return members in another order. */
function same(a: any, b: any): boolean {
  if (a === b || typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}
