/** Conditions of a field. All must be met. A comparison with an absent value never matches. */
export interface Conditions<V> {
  eq?: NonNullable<V>;
  neq?: NonNullable<V>;
  gt?: NonNullable<V>;
  gte?: NonNullable<V>;
  lt?: NonNullable<V>;
  lte?: NonNullable<V>;
  in?: readonly NonNullable<V>[];
  /** Text in which `*` stands for any characters. */
  like?: string;
  /** As `like`, regardless of case. */
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

const COMPARISONS: Record<string, (value: any, other: any) => boolean> = {
  eq: (value, other) => value === other,
  neq: (value, other) => value !== other,
  gt: (value, other) => value > other,
  gte: (value, other) => value >= other,
  lt: (value, other) => value < other,
  lte: (value, other) => value <= other,
  in: (value, others) => others.includes(value),
  like: (value, pattern) => likeOf(pattern, "su").test(value),
  ilike: (value, pattern) => likeOf(pattern, "sui").test(value),
};

function likeOf(pattern: string, flags: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, flags);
}

/** The value of a field, but not a member that every object has, such as `constructor`. @internal */
export const fieldOf = (item: any, name: string): any => (Object.hasOwn(item, name) ? item[name] : undefined) ?? undefined;

/** Returns whether an item meets all conditions. @internal */
export function matches(item: any, where: object = {}): boolean {
  return Object.entries(where).every(([field, condition]) =>
    condition === undefined || operators(condition).every(([name, expected]) => {
      const value = fieldOf(item, field);
      if (name === "isNull") return (value === undefined) === expected;
      return value !== undefined && fieldOf(COMPARISONS, name)(value, expected);
    }),
  );
}

/** Compares two items in an order. Absent values come last, and equal items are sorted by ID. @internal */
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
      if (left !== right) return left < right ? -sign : sign;
    }
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  };
}
