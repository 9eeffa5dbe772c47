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
export type Where<T> = {
    readonly [K in keyof T]?: Condition<T[K]> | Inherited<K>;
};
type FieldOf<T> = Extract<keyof T, string>;
/** A field to sort by, such as `rank` or `rank.desc`. */
export type Order<T> = FieldOf<T> | `${FieldOf<T>}.${"asc" | "desc"}`;
export {};
