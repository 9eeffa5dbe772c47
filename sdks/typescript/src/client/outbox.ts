import { type Change, type HeldChange, keyOf, type Reason } from "./change.js";

/** The number of a change in the outbox, or the name of one that another tab has not confirmed. @internal */
export type Sequence = number | string;

/** A change that the service has not acknowledged. @internal */
export interface Pending {
  sequence: Sequence;
  change: Change;
  /** What the service has sent of the item since the change was sent. Its state then includes the change, or corrects it. */
  answer?: Reason | undefined;
  /** Why the change waits for room. */
  held?: Reason | undefined;
}

const NONE: readonly Pending[] = [];

/** The changes that the service has not acknowledged, in their order. @internal */
export class Outbox {
  /** The largest number so far. */
  last = 0;
  readonly #entries = new Map<Sequence, Pending>();
  readonly #byKey = new Map<string, Pending[]>();
  /** The changes that are too much for a quota. */
  readonly #tooMuch = new Set<Pending>();
  /** Why changes wait for room; `undefined` if it has to be determined again. */
  #reasons: Map<Pending, Reason> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  /** Whether changes wait for room. */
  get isHeld(): boolean {
    return this.#tooMuch.size > 0;
  }

  get(sequence: Sequence): Pending | undefined {
    return this.#entries.get(sequence);
  }

  all(): IterableIterator<Pending> {
    return this.#entries.values();
  }

  /** The changes of an item. */
  of(item: { table: string; key: string }): readonly Pending[] {
    return this.#byKey.get(keyOf(item)) ?? NONE;
  }

  /** Returns whether the change is new. */
  add(entry: Pending): boolean {
    if (this.#entries.has(entry.sequence)) return false;
    this.#reasons = undefined;
    this.#entries.set(entry.sequence, entry);
    if (typeof entry.sequence === "number") this.last = Math.max(this.last, entry.sequence);
    const key = keyOf(entry.change);
    const waiting = this.#byKey.get(key);
    if (waiting) waiting.push(entry);
    else this.#byKey.set(key, [entry]);
    return true;
  }

  remove(entry: Pending): void {
    this.#reasons = undefined;
    this.#entries.delete(entry.sequence);
    this.#tooMuch.delete(entry);
    const key = keyOf(entry.change);
    const waiting = this.#byKey.get(key)!;
    waiting.splice(waiting.indexOf(entry), 1);
    if (!waiting.length) this.#byKey.delete(key);
  }

  /** A change waits for room, or no longer. */
  hold(entry: Pending, reason: Reason | null): void {
    this.#reasons = undefined;
    entry.held = reason ?? undefined;
    if (reason) this.#tooMuch.add(entry);
    else this.#tooMuch.delete(entry);
  }

  /**
   * Why a change waits for room: it is too much itself, it changes fields of an item that is, it belongs to one that does, or
   * it follows an atomic one of its item that does.
   */
  reasonOf(entry: Pending): Reason | undefined {
    return this.isHeld ? (this.#reasons ??= this.#allReasons()).get(entry) : undefined;
  }

  /** The changes that wait for room. */
  held(): HeldChange[] {
    return (this.isHeld ? [...this.all()] : []).flatMap((entry) => {
      const reason = this.reasonOf(entry);
      const { change } = entry;
      return reason ? [{ table: change.table, id: change.key, change, ...reason }] : [];
    });
  }

  /** The changes that wait for room: all, or those of an item, with what belongs to them. */
  waiting(table?: string, id?: string): Pending[] {
    const isNamed = ({ change }: Pending) => table === undefined || (change.table === table && change.key === id);
    const named = new Set([...this.all()].filter((entry) => isNamed(entry) && this.reasonOf(entry)));
    const groups = new Set([...named].flatMap(({ change }) => change.atomic ?? []));
    return [...this.all()].filter((entry) => named.has(entry) || groups.has(entry.change.atomic!));
  }

  #allReasons(): Map<Pending, Reason> {
    const reasons = new Map<Pending, Reason>();
    /** The items of atomic changes that wait. */
    const behind = new Map<string, Reason>();
    let group: Pending[] = [];
    // Those that belong together follow each other.
    for (const entry of [...this.all(), undefined]) {
      const [first] = group;
      if (first && (!entry?.change.atomic || entry.change.atomic !== first.change.atomic)) {
        const reason = group.map(({ held, change }) => held ?? (change.type === 2 ? this.of(change)[0]!.held : undefined) ?? behind.get(keyOf(change))).find(Boolean);
        for (const member of reason ? group : []) {
          reasons.set(member, reason!);
          if (member.change.atomic) behind.set(keyOf(member.change), reason!);
        }
        group = [];
      }
      if (entry) group.push(entry);
    }
    return reasons;
  }
}
