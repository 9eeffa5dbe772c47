"use client";
/**
 * Hooks and components for React 18 and newer.
 * @module
 */
import { createContext, createElement, useCallback, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore, } from "react";
import { StewardError } from "../error.js";
/** Returns hooks and a provider of their own for a second client in an app, such as that of another project, with its tables. */
export function createHooks() {
    const context = createContext(undefined);
    function StewardProvider({ client, children }) {
        const [error, setError] = useState();
        const completed = useRef(undefined);
        useEffect(() => {
            // In the strict mode of React, effects run twice. A code can be used once.
            if (completed.current === client)
                return;
            completed.current = client;
            client.completeSignIn().catch((reason) => setError(errorOf(reason)));
        }, [client]);
        const value = useMemo(() => ({ client, error, setError }), [client, error]);
        return createElement(context.Provider, { value }, children);
    }
    function useValue() {
        const value = useContext(context);
        if (!value)
            throw new StewardError("invalid_argument", "Render this component in a <StewardProvider client={client}>.");
        return value;
    }
    function useSession() {
        const { client, error, setError } = useValue();
        const session = useSyncExternalStore(useCallback((listener) => client.onSession(listener), [client]), () => client.session, () => LOADING);
        const actions = useMemo(() => {
            const reported = async (action) => {
                setError(undefined);
                await action.catch((reason) => setError(errorOf(reason)));
            };
            return {
                signIn: (options) => reported(client.signIn(options)),
                signInWithPopup: (options) => reported(client.signInWithPopup(options)),
                signOut: (options) => reported(client.signOut(options)),
            };
        }, [client, setError]);
        return useMemo(() => ({ session, error, ...actions }), [session, error, actions]);
    }
    function useLive(table, options) {
        const { client } = useValue();
        const { filter, ...others } = options;
        const key = JSON.stringify(others);
        // The key has all values of the other options.
        const live = useMemo(() => client.live(table, { ...JSON.parse(key), ...(filter && { filter }) }), [client, table, key, filter]);
        const items = useSyncExternalStore(useCallback((listener) => live.subscribe(() => listener()), [live]), () => live.items, () => NONE);
        return { live, items };
    }
    function useItems(table, options = {}) {
        const { live, items } = useLive(table, options);
        const isLoading = !live.isLoaded;
        return useMemo(() => ({
            items,
            total: live.total,
            isLoading,
            create: (value) => live.create(value),
            put: (id, value) => live.put(id, value),
            patch: (id, changes) => live.patch(id, changes),
            update: (id, changes) => live.patch(id, changes),
            remove: (id) => live.delete(id),
        }), [items, isLoading, live]);
    }
    function useItem(table, id) {
        const { live, items } = useLive(table, { where: { id } });
        const [item] = items;
        const isLoading = !live.isLoaded;
        return useMemo(() => ({
            item,
            isLoading,
            put: (value) => live.put(id, value),
            patch: (changes) => live.patch(id, changes),
            update: (changes) => live.patch(id, changes),
            remove: () => live.delete(id),
        }), [item, isLoading, live, id]);
    }
    function useSync() {
        const { sync } = useValue().client;
        const subscribe = useCallback((listener) => sync.subscribe(listener), [sync]);
        const status = useSyncExternalStore(subscribe, () => sync.status, () => "offline");
        const pending = useSyncExternalStore(subscribe, () => sync.pending, () => 0);
        const held = useSyncExternalStore(subscribe, () => sync.held, () => NONE);
        const storeError = useSyncExternalStore(subscribe, () => sync.storeError, () => undefined);
        return useMemo(() => ({ status, pending, held, storeError }), [status, pending, held, storeError]);
    }
    function SignInButton({ popup, options, children = "Sign in", ...properties }) {
        const { session, signIn, signInWithPopup } = useSession();
        if (session.status === "signedIn")
            return null;
        const onClick = () => void (popup ? signInWithPopup : signIn)(options);
        return createElement("button", { type: "button", disabled: session.status === "loading", ...properties, onClick }, children);
    }
    return { StewardProvider, useClient: () => useValue().client, useSession, useItems, useItem, useSync, SignInButton };
}
const LOADING = { status: "loading" };
const NONE = [];
const hooks = createHooks();
/** Provides a client to the hooks in it, and completes a sign-in if the service has redirected to this page. */
export const StewardProvider = hooks.StewardProvider;
/** Returns the client of the provider. */
export const useClient = hooks.useClient;
/** Returns the session, and renders again when it changes. */
export const useSession = hooks.useSession;
/**
 * Returns the items of a live query, and renders again when they change. A query that is written in the call is compared
 * by its values; `filter` must be the same function, for example with `useCallback`.
 */
export const useItems = hooks.useItems;
/** Returns an item, and renders again when it changes. */
export const useItem = hooks.useItem;
/** Returns the state of the connection, and renders again when it changes. */
export const useSync = hooks.useSync;
/** A button that signs the person in. It renders nothing while someone is signed in. */
export const SignInButton = hooks.SignInButton;
function errorOf(reason) {
    return reason instanceof StewardError ? reason : new StewardError("sign_in_failed", "The sign-in failed.", { cause: reason });
}
//# sourceMappingURL=index.js.map