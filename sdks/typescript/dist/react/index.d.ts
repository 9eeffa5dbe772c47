/**
 * Hooks and components for React 18 and newer.
 * @module
 */
import { type ButtonHTMLAttributes, type ReactNode } from "react";
import type { AnyTables, Changes, Client, Exact, HeldChange, LiveItem, LiveOptions, LiveWrite, Session, SignInOptions, SyncStatus } from "../client/index.js";
import { StewardError } from "../error.js";
/**
 * Names the tables of the project for the hooks:
 *
 * ```ts
 * declare module "@steward/sdk/react" {
 *   interface Register { tables: Tables }
 * }
 * ```
 */
export interface Register {
}
/** The tables that {@link Register} names, or tables with any fields. */
export type RegisteredTables = Register extends {
    tables: infer Tables extends object;
} ? Tables : AnyTables;
/** The name of a table. */
export type TableName = Extract<keyof RegisteredTables, string>;
/** The fields of an item in a table. */
export type FieldsOf<Name extends TableName> = Extract<RegisteredTables[Name], object>;
/** The session, and what changes it. */
export interface UseSession {
    /** Whether someone is signed in. */
    session: Session;
    /** The error of the last sign-in or sign-out, such as `unsent_changes`. */
    error: StewardError | undefined;
    /** Opens the page on which the person signs in. */
    signIn(options?: SignInOptions): Promise<void>;
    /** Signs the person in in a pop-up. */
    signInWithPopup(options?: SignInOptions): Promise<void>;
    /** Signs the person out. With `discard`, changes that were not sent are lost; otherwise they prevent it. */
    signOut(options?: {
        redirectUri?: string;
        discard?: boolean;
    }): Promise<void>;
}
/** The items of a live query, and writes that are applied at once. */
export interface UseItems<T extends object> {
    /** The items. The array is the same until one changes. */
    items: readonly LiveItem<T>[];
    /** Number of items on all pages: those that match without `limit` and `offset`. */
    total: number;
    /** Whether the items are not loaded yet. */
    isLoading: boolean;
    /** Creates an item, and returns it. */
    create(value: T): LiveWrite<LiveItem<T>>;
    /** Creates or replaces an item. */
    put(id: string, value: T): LiveWrite;
    /** Changes fields of an item. Null removes one. */
    patch<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite;
    /** @deprecated Call `patch`. */
    update<C extends Changes<T>>(id: string, changes: C & Exact<T, C>): LiveWrite;
    /** Deletes an item. */
    remove(id: string): LiveWrite;
}
/** An item, and writes that are applied at once. */
export interface UseItem<T extends object> {
    /** The item; `undefined` if there is none. */
    item: LiveItem<T> | undefined;
    /** Whether the items are not loaded yet. */
    isLoading: boolean;
    /** Creates or replaces the item. */
    put(value: T): LiveWrite;
    /** Changes fields of the item. Null removes one. */
    patch<C extends Changes<T>>(changes: C & Exact<T, C>): LiveWrite;
    /** @deprecated Call `patch`. */
    update<C extends Changes<T>>(changes: C & Exact<T, C>): LiveWrite;
    /** Deletes the item. */
    remove(): LiveWrite;
}
/** The connection of this device. */
export interface UseSync {
    status: SyncStatus;
    /** Number of local changes that the service has not acknowledged. */
    pending: number;
    /** Local changes for which a quota of the project leaves no room, with the reason. They are pending. */
    held: readonly HeldChange[];
    /** Why this device does not store everything: its store failed or is full. */
    storeError: StewardError | undefined;
}
/** Properties of {@link StewardProvider}. */
export interface StewardProviderProps<Tables extends object = any> {
    client: Client<Tables>;
    children?: ReactNode;
}
/** Properties of {@link SignInButton}: those of a button, and of the sign-in. */
export interface SignInButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick"> {
    /** Whether the person signs in in a pop-up. */
    popup?: boolean;
    /** Options of the sign-in. */
    options?: SignInOptions;
    /** The label: `Sign in` by default. */
    children?: ReactNode;
}
type NameIn<Tables> = Extract<keyof Tables, string>;
type FieldsIn<Tables, Name extends keyof Tables> = Extract<Tables[Name], object>;
/** The hooks and components for a client. */
export interface Hooks<Tables extends object> {
    /** Provides a client to the hooks in it, and completes a sign-in if the service has redirected to this page. */
    StewardProvider: (properties: StewardProviderProps<Tables>) => ReactNode;
    /** Returns the client of the provider. */
    useClient: () => Client<Tables>;
    /** Returns the session, and renders again when it changes. */
    useSession: () => UseSession;
    /**
     * Returns the items of a live query, and renders again when they change. A query that is written in the call is compared
     * by its values; `filter` must be the same function, for example with `useCallback`.
     */
    useItems: <Name extends NameIn<Tables>>(table: Name, options?: LiveOptions<FieldsIn<Tables, Name>>) => UseItems<FieldsIn<Tables, Name>>;
    /** Returns an item, and renders again when it changes. */
    useItem: <Name extends NameIn<Tables>>(table: Name, id: string) => UseItem<FieldsIn<Tables, Name>>;
    /** Returns the state of the connection, and renders again when it changes. */
    useSync: () => UseSync;
    /** A button that signs the person in. It renders nothing while someone is signed in. */
    SignInButton: (properties: SignInButtonProps) => ReactNode;
}
/** Returns hooks and a provider of their own for a second client in an app, such as that of another project, with its tables. */
export declare function createHooks<Tables extends object>(): Hooks<Tables>;
/** Provides a client to the hooks in it, and completes a sign-in if the service has redirected to this page. */
export declare const StewardProvider: Hooks<any>["StewardProvider"];
/** Returns the client of the provider. */
export declare const useClient: Hooks<RegisteredTables>["useClient"];
/** Returns the session, and renders again when it changes. */
export declare const useSession: () => UseSession;
/**
 * Returns the items of a live query, and renders again when they change. A query that is written in the call is compared
 * by its values; `filter` must be the same function, for example with `useCallback`.
 */
export declare const useItems: Hooks<RegisteredTables>["useItems"];
/** Returns an item, and renders again when it changes. */
export declare const useItem: Hooks<RegisteredTables>["useItem"];
/** Returns the state of the connection, and renders again when it changes. */
export declare const useSync: () => UseSync;
/** A button that signs the person in. It renders nothing while someone is signed in. */
export declare const SignInButton: Hooks<any>["SignInButton"];
export {};
