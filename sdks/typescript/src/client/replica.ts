import type { LocalStore } from "./local_store.js";
import { fieldOf } from "./query.js";

/** A change of an item, as it is sent: 1 creates or replaces, 2 changes fields, 3 deletes. */
export type Change =
  | { type: 1; table: string; key: string; obj: Record<string, unknown> }
  | { type: 2; table: string; key: string; mods: Record<string, unknown> }
  | { type: 3; table: string; key: string };

/** A local write that the service did not store as it was made. */
export interface Correction {
  table: string;
  id: string;
  /** The write. */
  change: Change;
  /** The item as the service has it; `undefined` if there is none. */
  item: Record<string, unknown> | undefined;
}

type Row = Record<string, unknown>;
type Rows = Map<string, Row>;

interface Pending {
  sequence: number;
  change: Change;
  /** Whether the service has sent the item since the change was sent. Its state then includes the change, or corrects it. */
  isAnswered?: boolean;
}

/** How many changes wait for the service at most. It rejects what exceeds this in one message, too. */
export const MAX_PENDING = 50_000;
/** A portion has at most this many changes and characters. The service stores a portion in one transaction. */
const MAX_PORTION = 500;
const MAX_PORTION_CHARS = 256 * 1024;

/** The items of one person on this device: what the service has, and local changes on top. @internal */
export class Replica {
  revision: number | null = null;
  device = "";
  /** Whether the items were loaded, from the store or the service. */
  isLoaded = false;
  readonly #base = new Map<string, Rows>();
  readonly #view = new Map<string, Rows>();
  readonly #outbox: Pending[] = [];
  readonly #byKey = new Map<string, Pending[]>();
  #inFlight = 0;
  #sequence = 0;
  /** Items of a load of everything. Others are deleted at its end. */
  #loaded: Set<string> | undefined;

  constructor(
    private readonly store: LocalStore,
    private readonly changed: (tables: Set<string>) => void,
    private readonly corrected: (correction: Correction) => void,
  ) {}

  /** Reads the store. */
  async open(): Promise<void> {
    const { device, revision, items, outbox } = await this.store.open();
    this.device = device;
    this.revision = revision;
    this.isLoaded = revision !== null;
    for (const [table, id, item] of items) rowsOf(this.#base, table).set(id, item as Row);
    this.#sequence = outbox.at(-1)?.[0] ?? 0;
    for (const [sequence, change] of outbox) this.#enqueue({ sequence, change });
    const tables = new Set([...this.#base.keys(), ...this.#outbox.map(({ change }) => change.table)]);
    for (const table of tables) {
      this.#view.set(table, new Map(this.#base.get(table)));
      for (const { change } of this.#outbox) if (change.table === table) this.#show(table, change.key);
    }
    this.changed(tables);
  }

  /** Number of changes that are not acknowledged. */
  get pending(): number {
    return this.#outbox.length;
  }

  /** Whether changes are in flight. */
  get isSending(): boolean {
    return this.#inFlight > 0;
  }

  items(table: string): Iterable<Row> {
    return this.#view.get(table)?.values() ?? [];
  }

  item(table: string, id: string): Row | undefined {
    return this.#view.get(table)?.get(id);
  }

  /** Applies a local change. Resolves when it is stored on this device. */
  write(change: Change): Promise<void> {
    const entry = { sequence: ++this.#sequence, change };
    this.#enqueue(entry);
    this.#show(change.table, change.key);
    this.changed(new Set([change.table]));
    return this.store.update({ added: [[entry.sequence, change]] });
  }

  /** Begins a load of what the device lacks, after which changes are sent. */
  beginLoad() {
    this.#inFlight = 0;
    this.#loaded = this.revision === null ? new Set() : undefined;
  }

  /** Applies what the service sent. */
  async receive(changes: Change[], revision: number, isLoading: boolean, isLast: boolean): Promise<void> {
    // The service begins again: after a restore, it does not know the revision of the device.
    if (isLoading && this.revision !== null && revision < this.revision) this.#loaded ??= new Set();
    let items: [string, string, Row | null][] = [];
    let isReset = false;
    const tables = new Set<string>();
    const set = (table: string, key: string, item: Row | undefined) => {
      const rows = rowsOf(this.#base, table);
      if (item) rows.set(key, item);
      else rows.delete(key);
      items.push([table, key, item ?? null]);
      tables.add(table);
    };
    for (const change of changes) {
      set(change.table, change.key, applied(change, this.#base.get(change.table)?.get(change.key)));
      if (isLoading) this.#loaded?.add(keyOf(change));
      const unsent = this.#outbox[this.#inFlight]?.sequence ?? Infinity;
      for (const entry of this.#byKey.get(keyOf(change)) ?? []) if (entry.sequence < unsent) entry.isAnswered = true;
    }
    if (isLoading && isLast) {
      for (const [table, rows] of this.#loaded ? this.#base : []) {
        for (const key of [...rows.keys()]) if (!this.#loaded!.has(keyOf({ table, key }))) set(table, key, undefined);
      }
      isReset = this.#loaded !== undefined && this.revision !== null;
      this.#loaded = undefined;
      this.isLoaded = true;
    }
    if (!isLoading || isLast) this.revision = revision;
    for (const [table, key] of items) this.#show(table, key);
    this.changed(tables);
    if (isReset) items = [...this.#base].flatMap(([table, rows]) => [...rows].map(([key, item]): [string, string, Row] => [table, key, item]));
    await this.store.update({ items, isReset, ...(this.revision !== null && { revision: this.revision }) });
  }

  /** Returns the changes to send next. They are in flight until `acknowledge` or `beginLoad`. */
  portion(): { changes: Change[]; requestId: number } | undefined {
    if (this.#inFlight > 0 || this.#outbox.length === 0) return undefined;
    let size = 0;
    while (this.#inFlight < Math.min(this.#outbox.length, MAX_PORTION)) {
      size += JSON.stringify(this.#outbox[this.#inFlight]!.change).length;
      if (size > MAX_PORTION_CHARS && this.#inFlight > 0) break;
      this.#inFlight += 1;
    }
    const sent = this.#outbox.slice(0, this.#inFlight);
    for (const entry of sent) entry.isAnswered = false;
    return { changes: sent.map(({ change }) => change), requestId: sent[0]!.sequence };
  }

  /** The service has stored, or corrected, the changes in flight. */
  async acknowledge(requestId: unknown): Promise<void> {
    if (this.#inFlight === 0 || this.#outbox[0]?.sequence !== requestId) return;
    const sent = this.#outbox.splice(0, this.#inFlight);
    this.#inFlight = 0;
    const items: [string, string, Row | null][] = [];
    const tables = new Set<string>();
    for (const { change, isAnswered } of sent) {
      const { table, key } = change;
      const rows = rowsOf(this.#base, table);
      if (!isAnswered) {
        const item = applied(change, rows.get(key));
        if (item) rows.set(key, item);
        else rows.delete(key);
        items.push([table, key, item ?? null]);
      }
      const waiting = this.#byKey.get(keyOf(change))!;
      waiting.shift();
      if (waiting.length === 0) this.#byKey.delete(keyOf(change));
      tables.add(table);
    }
    for (const { change } of sent) this.#show(change.table, change.key);
    for (const { change, isAnswered } of sent) {
      const item = this.#base.get(change.table)?.get(change.key);
      if (isAnswered && !includes(item, change)) this.corrected({ table: change.table, id: change.key, change, item });
    }
    this.changed(tables);
    await this.store.update({ items, removed: sent.map(({ sequence }) => sequence), ...(this.revision !== null && { revision: this.revision }) });
  }

  #enqueue(entry: Pending) {
    this.#outbox.push(entry);
    const key = keyOf(entry.change);
    const waiting = this.#byKey.get(key);
    if (waiting) waiting.push(entry);
    else this.#byKey.set(key, [entry]);
  }

  /** Recomputes what the app sees of an item. */
  #show(table: string, id: string) {
    let item = this.#base.get(table)?.get(id);
    for (const { change } of this.#byKey.get(keyOf({ table, key: id })) ?? []) item = applied(change, item);
    const rows = rowsOf(this.#view, table);
    if (item) rows.set(id, item);
    else rows.delete(id);
  }
}

const keyOf = ({ table, key }: { table: string; key: string }) => `${table}/${key}`;

function rowsOf(tables: Map<string, Rows>, table: string): Rows {
  let rows = tables.get(table);
  if (!rows) tables.set(table, (rows = new Map()));
  return rows;
}

/** The item after a change. */
function applied(change: Change, item: Row | undefined): Row | undefined {
  if (change.type === 3) return undefined;
  if (change.type === 1) return { ...change.obj, id: change.key };
  const changed: Row = { ...item, id: change.key };
  for (const [name, value] of Object.entries(change.mods)) {
    if (value === null) delete changed[name];
    else changed[name] = value;
  }
  return changed;
}

/** Returns whether an item has what a change stores. */
function includes(item: Row | undefined, change: Change): boolean {
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
