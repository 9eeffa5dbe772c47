/** The signed-in person. */
export interface User {
    /** ID of the account. */
    id: string;
    /** Email address, with the scope `email`. */
    email?: string;
    /** Display name, with the scope `profile`. */
    name?: string;
    /** Public username, with the scope `profile`. */
    username?: string;
    /** All claims of the ID token. */
    claims: Record<string, unknown>;
}
/** Whether someone is signed in. It is `loading` until the storage was read. */
export type Session = {
    readonly status: "loading" | "signedOut";
    readonly user?: undefined;
    readonly scope?: undefined;
} | {
    readonly status: "signedIn";
    readonly user: User;
    /** The scopes that were granted, separated by spaces. */
    readonly scope: string;
};
