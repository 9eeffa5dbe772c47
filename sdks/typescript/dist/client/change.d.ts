/** A change of an item, as it is sent: 1 creates or replaces, 2 changes fields, 3 deletes. */
export type Change = ({
    type: 1;
    table: string;
    key: string;
    obj: Record<string, unknown>;
} | {
    type: 2;
    table: string;
    key: string;
    mods: Record<string, unknown>;
} | {
    type: 3;
    table: string;
    key: string;
}) & {
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
