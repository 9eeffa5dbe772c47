import { folded } from "./case_folding.js";

/** Conditions of a field. All must be met. A comparison with an absent value never matches. */
export interface Conditions<V> {
  eq?: NonNullable<V>;
  neq?: NonNullable<V>;
  gt?: NonNullable<V>;
  gte?: NonNullable<V>;
  lt?: NonNullable<V>;
  lte?: NonNullable<V>;
  in?: readonly NonNullable<V>[];
  /** Text in which `*` stands for any characters. `\\*` and `\\\\` are an asterisk and a backslash. */
  like?: string;
  /** As `like`, in upper or lower case. */
  ilike?: string;
  /** Whether the field has no value. */
  isNull?: boolean;
}

/** A condition of a field: its value, or operators. */
export type Condition<V> = Scalar<V> | Conditions<V>;

/** The values that a condition can be. A field of an unknown type can have any. */
type Scalar<V> = unknown extends V ? string | number | boolean : Extract<NonNullable<V>, string | number | boolean>;

/** What every object has in place of an absent field, if the field is called `constructor`, `toString` or the like. */
export type Inherited<K> = K extends keyof Object ? Object[K] : never;

/** Conditions of items: all must be met. */
export type Where<T> = { readonly [K in keyof T]?: Condition<T[K]> | Inherited<K> };

type FieldOf<T> = Extract<keyof T, string>;

/** A field to sort by, such as `rank` or `rank.desc`. */
export type Order<T> = FieldOf<T> | `${FieldOf<T>}.${"asc" | "desc"}`;

/** The query of the service for conditions and an order. @internal */
export function parametersOf(where: object = {}, order?: string | readonly string[]): Record<string, unknown> {
  const conditions: Record<string, string[]> = {};
  for (const [field, condition] of Object.entries(where)) {
    if (condition !== undefined) conditions[field] = operators(condition).map(([name, value]) => text(name, value));
  }
  return { conditions, ...(order !== undefined && { order: [order].flat().join(",") }) };
}

function operators(condition: unknown): [string, any][] {
  const all = condition !== null && typeof condition === "object" ? condition : { eq: condition };
  return Object.entries(all).filter(([, value]) => value !== undefined);
}

function text(operator: string, value: any): string {
  if (operator === "isNull") return value ? "is.null" : "not.is.null";
  if (operator !== "in") return `${operator}.${value}`;
  return `in.(${value.map((entry: unknown) => (typeof entry === "string" ? `"${entry.replace(/["\\]/g, "\\$&")}"` : entry)).join(",")})`;
}

/** Characters of a text that determine its place in an order. */
const SORTED = 200;

/** Compares texts by code points, at most the first `limit` of them; other values by `<`. */
function compare(a: any, b: any, limit = Infinity): number {
  if (typeof a !== "string" || typeof b !== "string") return a < b ? -1 : a > b ? 1 : 0;
  for (let at = 0, count = 0; count < limit; count++) {
    const [one = -1, other = -1] = [a.codePointAt(at), b.codePointAt(at)];
    if (one !== other || one < 0) return one - other;
    at += one > 0xffff ? 2 : 1;
  }
  return 0;
}

const COMPARISONS: Record<string, (value: any, other: any) => boolean> = {
  eq: (value, other) => value === other,
  neq: (value, other) => value !== other,
  gt: (value, other) => compare(value, other) > 0,
  gte: (value, other) => compare(value, other) >= 0,
  lt: (value, other) => compare(value, other) < 0,
  lte: (value, other) => compare(value, other) <= 0,
  like: isLike,
  ilike: (value, pattern) => isLike(folded(value), folded(pattern)),
};

/** Returns whether a text has the literal parts of a pattern in their order. */
function isLike(text: string, pattern: string): boolean {
  const parts = [""];
  for (const [part] of pattern.matchAll(/\\[*\\]|[^]/gu)) {
    if (part === "*") parts.push("");
    else parts[parts.length - 1] += part.replace(/^\\(?=.)/, "");
  }
  const [first, last] = [parts.shift()!, parts.pop()];
  if (last === undefined) return text === first;
  let at = text.startsWith(first) ? first.length : -1;
  for (const part of parts) {
    at = at < 0 ? at : text.indexOf(part, at);
    if (at >= 0) at += part.length;
  }
  return at >= 0 && text.length - last.length >= at && text.endsWith(last);
}

/** The value of a field, but not a member that every object has, such as `constructor`. @internal */
export const fieldOf = (item: any, name: string): any => (Object.hasOwn(item, name) ? item[name] : undefined) ?? undefined;

/** Returns whether an item meets all conditions. A value of another type is not comparable, as if it were absent. @internal */
export function matches(item: any, where: object = {}): boolean {
  return Object.entries(where).every(([field, condition]) =>
    condition === undefined || operators(condition).every(([name, expected]) => {
      const value = fieldOf(item, field);
      if (name === "isNull") return (value === undefined) === expected;
      if (name === "in") return expected.includes(value);
      return typeof value === typeof expected && fieldOf(COMPARISONS, name)(value, expected);
    }),
  );
}

/** Compares two items in an order. Absent values come last, and equal items are sorted by ID, in the direction of the last field. @internal */
export function comparison(order?: string | readonly string[]): (a: any, b: any) => number {
  const keys = (order === undefined ? [] : [order].flat()).map((key) => {
    const [, field, direction] = /^(.*?)(?:\.(asc|desc))?$/.exec(key as string)!;
    return [field!, direction === "desc" ? -1 : 1] as const;
  });
  return (a, b) => {
    for (const [field, sign] of keys) {
      const [left, right] = [fieldOf(a, field), fieldOf(b, field)];
      if (left === right) continue;
      if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
      const order = compare(left, right, field === "id" ? Infinity : SORTED);
      if (order) return order * sign;
    }
    return compare(a.id, b.id) * (keys.at(-1)?.[1] ?? 1);
  };
}
