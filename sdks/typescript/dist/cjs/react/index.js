"use strict";
"use client";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignInButton = exports.useSync = exports.useItem = exports.useItems = exports.useSession = exports.useClient = exports.StewardProvider = void 0;
exports.createHooks = createHooks;
/**
 * Hooks and components for React 18 and newer.
 * @module
 */
const react_1 = require("react");
const error_js_1 = require("../error.js");
/** Returns hooks and a provider of their own for a second client in an app, such as that of another project, with its tables. */
function createHooks() {
    const context = (0, react_1.createContext)(undefined);
    function StewardProvider({ client, children }) {
        const [error, setError] = (0, react_1.useState)();
        const completed = (0, react_1.useRef)(undefined);
        (0, react_1.useEffect)(() => {
            // In the strict mode of React, effects run twice. A code can be used once.
            if (completed.current === client)
                return;
            completed.current = client;
            client.completeSignIn().catch((reason) => setError(errorOf(reason)));
        }, [client]);
        const value = (0, react_1.useMemo)(() => ({ client, error, setError }), [client, error]);
        return (0, react_1.createElement)(context.Provider, { value }, children);
    }
    function useValue() {
        const value = (0, react_1.useContext)(context);
        if (!value)
            throw new error_js_1.StewardError("invalid_argument", "Render this component in a <StewardProvider client={client}>.");
        return value;
    }
    function useSession() {
        const { client, error, setError } = useValue();
        const session = (0, react_1.useSyncExternalStore)((0, react_1.useCallback)((listener) => client.onSession(listener), [client]), () => client.session, () => LOADING);
        const actions = (0, react_1.useMemo)(() => {
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
        return (0, react_1.useMemo)(() => ({ session, error, ...actions }), [session, error, actions]);
    }
    function useLive(table, options) {
        const { client } = useValue();
        const { filter, ...others } = options;
        const key = JSON.stringify(others);
        // The key has all values of the other options.
        const live = (0, react_1.useMemo)(() => client.live(table, { ...JSON.parse(key), ...(filter && { filter }) }), [client, table, key, filter]);
        const items = (0, react_1.useSyncExternalStore)((0, react_1.useCallback)((listener) => live.subscribe(() => listener()), [live]), () => live.items, () => NONE);
        return { live, items };
    }
    function useItems(table, options = {}) {
        const { live, items } = useLive(table, options);
        const isLoading = !live.isLoaded;
        return (0, react_1.useMemo)(() => ({
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
        return (0, react_1.useMemo)(() => ({
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
        const subscribe = (0, react_1.useCallback)((listener) => sync.subscribe(listener), [sync]);
        const status = (0, react_1.useSyncExternalStore)(subscribe, () => sync.status, () => "offline");
        const pending = (0, react_1.useSyncExternalStore)(subscribe, () => sync.pending, () => 0);
        const held = (0, react_1.useSyncExternalStore)(subscribe, () => sync.held, () => NONE);
        const storeError = (0, react_1.useSyncExternalStore)(subscribe, () => sync.storeError, () => undefined);
        return (0, react_1.useMemo)(() => ({ status, pending, held, storeError }), [status, pending, held, storeError]);
    }
    function SignInButton({ popup, options, children = "Sign in", ...properties }) {
        const { session, signIn, signInWithPopup } = useSession();
        if (session.status === "signedIn")
            return null;
        const onClick = () => void (popup ? signInWithPopup : signIn)(options);
        return (0, react_1.createElement)("button", { type: "button", disabled: session.status === "loading", ...properties, onClick }, children);
    }
    return { StewardProvider, useClient: () => useValue().client, useSession, useItems, useItem, useSync, SignInButton };
}
const LOADING = { status: "loading" };
const NONE = [];
const hooks = createHooks();
/** Provides a client to the hooks in it, and completes a sign-in if the service has redirected to this page. */
exports.StewardProvider = hooks.StewardProvider;
/** Returns the client of the provider. */
exports.useClient = hooks.useClient;
/** Returns the session, and renders again when it changes. */
exports.useSession = hooks.useSession;
/**
 * Returns the items of a live query, and renders again when they change. A query that is written in the call is compared
 * by its values; `filter` must be the same function, for example with `useCallback`.
 */
exports.useItems = hooks.useItems;
/** Returns an item, and renders again when it changes. */
exports.useItem = hooks.useItem;
/** Returns the state of the connection, and renders again when it changes. */
exports.useSync = hooks.useSync;
/** A button that signs the person in. It renders nothing while someone is signed in. */
exports.SignInButton = hooks.SignInButton;
function errorOf(reason) {
    return reason instanceof error_js_1.StewardError ? reason : new error_js_1.StewardError("sign_in_failed", "The sign-in failed.", { cause: reason });
}
//# sourceMappingURL=index.js.map