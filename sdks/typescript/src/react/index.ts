"use client";
/**
 * Hooks and components for React 18 and newer.
 * @module
 */
import {
  type ButtonHTMLAttributes,
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { AnyTables, Changes, Client, Exact, HeldChange, Live, LiveItem, LiveOptions, LiveWrite, Session, SignInOptions, SyncStatus } from "../client/index.js";
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
export interface Register {}

/** The tables that {@link Register} names, or tables with any fields. */
export type RegisteredTables = Register extends { tables: infer Tables extends object } ? Tables : AnyTables;

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
  signOut(options?: { redirectUri?: string; discard?: boolean }): Promise<void>;
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

interface Value {
  client: Client<any>;
  error: StewardError | undefined;
  setError(error: StewardError | undefined): void;
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
export function createHooks<Tables extends object>(): Hooks<Tables> {
  const context = createContext<Value | undefined>(undefined);

  function StewardProvider({ client, children }: StewardProviderProps): ReactNode {
    const [error, setError] = useState<StewardError>();
    const completed = useRef<Client<any>>(undefined);
    useEffect(() => {
      // In the strict mode of React, effects run twice. A code can be used once.
      if (completed.current === client) return;
      completed.current = client;
      client.completeSignIn().catch((reason: unknown) => setError(errorOf(reason)));
    }, [client]);
    const value = useMemo(() => ({ client, error, setError }), [client, error]);
    return createElement(context.Provider, { value }, children);
  }

  function useValue(): Value {
    const value = useContext(context);
    if (!value) throw new StewardError("invalid_argument", "Render this component in a <StewardProvider client={client}>.");
    return value;
  }

  function useSession(): UseSession {
    const { client, error, setError } = useValue();
    const session = useSyncExternalStore(
      useCallback((listener) => client.onSession(listener), [client]),
      () => client.session,
      () => LOADING,
    );
    const actions = useMemo(() => {
      const reported = async (action: Promise<unknown>) => {
        setError(undefined);
        await action.catch((reason: unknown) => setError(errorOf(reason)));
      };
      return {
        signIn: (options?: SignInOptions) => reported(client.signIn(options)),
        signInWithPopup: (options?: SignInOptions) => reported(client.signInWithPopup(options)),
        signOut: (options?: { redirectUri?: string; discard?: boolean }) => reported(client.signOut(options)),
      };
    }, [client, setError]);
    return useMemo(() => ({ session, error, ...actions }), [session, error, actions]);
  }

  function useLive(table: string, options: LiveOptions<any>) {
    const { client } = useValue();
    const { filter, ...others } = options;
    const key = JSON.stringify(others);
    // The key has all values of the other options.
    const live: Live<any> = useMemo(() => client.live(table, { ...JSON.parse(key), ...(filter && { filter }) }), [client, table, key, filter]);
    const items = useSyncExternalStore(
      useCallback((listener) => live.subscribe(() => listener()), [live]),
      () => live.items,
      () => NONE,
    );
    return { live, items };
  }

  function useItems(table: string, options: LiveOptions<any> = {}): UseItems<any> {
    const { live, items } = useLive(table, options);
    const isLoading = !live.isLoaded;
    return useMemo(
      () => ({
        items,
        total: live.total,
        isLoading,
        create: (value: object) => live.create(value),
        put: (id: string, value: object) => live.put(id, value),
        patch: (id: string, changes: object) => live.patch(id, changes),
        update: (id: string, changes: object) => live.patch(id, changes),
        remove: (id: string) => live.delete(id),
      }),
      [items, isLoading, live],
    );
  }

  function useItem(table: string, id: string): UseItem<any> {
    const { live, items } = useLive(table, { where: { id } });
    const [item] = items;
    const isLoading = !live.isLoaded;
    return useMemo(
      () => ({
        item,
        isLoading,
        put: (value: object) => live.put(id, value),
        patch: (changes: object) => live.patch(id, changes),
        update: (changes: object) => live.patch(id, changes),
        remove: () => live.delete(id),
      }),
      [item, isLoading, live, id],
    );
  }

  function useSync(): UseSync {
    const { sync } = useValue().client;
    const subscribe = useCallback((listener: () => void) => sync.subscribe(listener), [sync]);
    const status = useSyncExternalStore(subscribe, () => sync.status, () => "offline" as const);
    const pending = useSyncExternalStore(subscribe, () => sync.pending, () => 0);
    const held = useSyncExternalStore(subscribe, () => sync.held, () => NONE);
    const storeError = useSyncExternalStore(subscribe, () => sync.storeError, () => undefined);
    return useMemo(() => ({ status, pending, held, storeError }), [status, pending, held, storeError]);
  }

  function SignInButton({ popup, options, children = "Sign in", ...properties }: SignInButtonProps): ReactNode {
    const { session, signIn, signInWithPopup } = useSession();
    if (session.status === "signedIn") return null;
    const onClick = () => void (popup ? signInWithPopup : signIn)(options);
    return createElement("button", { type: "button", disabled: session.status === "loading", ...properties, onClick }, children);
  }

  return { StewardProvider, useClient: () => useValue().client, useSession, useItems, useItem, useSync, SignInButton };
}

const LOADING: Session = { status: "loading" };
const NONE: readonly never[] = [];
const hooks = createHooks<any>();

/** Provides a client to the hooks in it, and completes a sign-in if the service has redirected to this page. */
export const StewardProvider: Hooks<any>["StewardProvider"] = hooks.StewardProvider;
/** Returns the client of the provider. */
export const useClient: Hooks<RegisteredTables>["useClient"] = hooks.useClient;
/** Returns the session, and renders again when it changes. */
export const useSession: () => UseSession = hooks.useSession;
/**
 * Returns the items of a live query, and renders again when they change. A query that is written in the call is compared
 * by its values; `filter` must be the same function, for example with `useCallback`.
 */
export const useItems: Hooks<RegisteredTables>["useItems"] = hooks.useItems;
/** Returns an item, and renders again when it changes. */
export const useItem: Hooks<RegisteredTables>["useItem"] = hooks.useItem;
/** Returns the state of the connection, and renders again when it changes. */
export const useSync: () => UseSync = hooks.useSync;
/** A button that signs the person in. It renders nothing while someone is signed in. */
export const SignInButton: Hooks<any>["SignInButton"] = hooks.SignInButton;

function errorOf(reason: unknown): StewardError {
  return reason instanceof StewardError ? reason : new StewardError("sign_in_failed", "The sign-in failed.", { cause: reason });
}
