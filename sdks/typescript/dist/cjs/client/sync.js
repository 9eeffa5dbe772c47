"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Sync = void 0;
const error_js_1 = require("../error.js");
const retry_js_1 = require("../retry.js");
const listeners_js_1 = require("./listeners.js");
const network_js_1 = require("./network.js");
/** Maximum delay between two attempts to connect, in milliseconds. */
const MAX_DELAY = 30_000;
/** When changes that wait for room are sent again, in milliseconds: the quota may be larger by then. */
const HELD_INTERVAL = 15 * 60_000;
/** How long a sign-out waits for changes that are being sent, in milliseconds. */
const SIGN_OUT_TIMEOUT = 5_000;
/** After this time, a sign-out has ended, also one of another tab, in milliseconds. A server of the app has 12 seconds for it. */
const SIGN_OUT_END = 15_000;
const NONE = [];
/** Keeps the items of the signed-in person on this device in sync with the service. Tabs share a connection and the changes that wait. */
class Sync {
    options;
    /** What is loaded before the items are. @internal */
    device;
    #loading;
    #schema;
    #status = "offline";
    #copy;
    #userId;
    /** A person whose items were deleted because they sign out. */
    #clearedId;
    #restoring;
    #opening = Promise.resolve();
    #connection;
    #isWanted = false;
    #attempt = 0;
    #retry;
    #retryHeld;
    #listeners;
    #tables = new Map();
    #versions = new Map();
    #version = 0;
    #wasLoaded = false;
    #corrections;
    /** @internal */
    logger;
    /** Ends what `connect` listens to. */
    #unwatchNetwork;
    #unsubscribe;
    /** @internal */
    constructor(options) {
        this.options = options;
        this.logger = options.logger;
        this.#listeners = new listeners_js_1.Listeners(this.logger);
        this.#corrections = new listeners_js_1.Listeners(this.logger);
        this.#unsubscribe = options.session.subscribe(({ user }) => {
            if (user?.id !== this.#clearedId)
                this.#unclear();
            if (this.#isWanted || !user)
                void this.#open();
        });
    }
    /** Whether this device is connected. */
    get status() {
        return this.#status;
    }
    /** Number of local changes that the service has not acknowledged, of all tabs. */
    get pending() {
        return this.replica?.pending ?? 0;
    }
    /**
     * Local changes for which a quota of the project leaves no room, with the reason. They are pending, and are sent again after
     * an item was deleted, every 15 minutes, and with `retryHeld`.
     */
    get held() {
        return this.replica?.held ?? NONE;
    }
    /** Why this device does not store everything: its store failed or is full. `undefined` while it works. */
    get storeError() {
        return this.#copy?.storeError;
    }
    /** Calls the listener when `status`, `pending`, `held` or `storeError` changes. Returns a function that ends this. */
    subscribe(listener) {
        return this.#listeners.add(listener);
    }
    /**
     * Calls the listener with each local write that the service did not store as it was made, because it does not match the
     * schema, or another device changed the item at the same time. The item on this device is then that of the service.
     */
    onCorrection(listener) {
        return this.#corrections.add(listener);
    }
    /** Sends the changes in `held` again. */
    async retryHeld() {
        await this.#opened();
        await this.#run({ do: "release" });
    }
    /** Discards the changes in `held`: all, or those of an item. */
    async discardHeld(table, id) {
        await this.#opened();
        await this.#run({ discard: [table, id] });
    }
    /** Connects now, and again after each interruption. Live queries and local writes do this by themselves. */
    connect() {
        if (!this.options.webSocket) {
            throw new error_js_1.StewardError("invalid_argument", "There is no WebSocket here. Pass `webSocket`, or start Node.js 20 with --experimental-websocket.");
        }
        this.#unwatchNetwork ??= (0, network_js_1.watchNetwork)(() => this.#connection?.close(), () => void this.#run({ do: "wake" }));
        this.#isWanted = true;
        this.#load().catch(() => { });
        void this.#open();
    }
    /** Disconnects. Local writes are kept until the next connection. */
    disconnect() {
        this.#isWanted = false;
        this.#unwatchNetwork?.();
        this.#unwatchNetwork = undefined;
        this.#close();
        // Another tab connects, and this one reads the store again.
        if (this.#copy?.isShared)
            void this.#leave(true);
    }
    /**
     * Waits until the service has acknowledged all local changes.
     *
     * @throws {StewardError} `quota_exceeded` if only changes in `held` are left.
     */
    async synced(signal) {
        await this.#opened();
        while (this.pending > 0 || this.#status !== "online") {
            if (!this.replica)
                throw signedOut();
            const [first] = this.held;
            if (first && this.held.length === this.pending) {
                throw new error_js_1.StewardError("quota_exceeded", `${this.pending} changes wait for room. ${first.message ?? ""}`, { details: { pending: this.pending } });
            }
            await new Promise((resolve, reject) => {
                const end = () => (unsubscribe(), signal?.removeEventListener("abort", abort));
                const abort = () => (end(), reject(signal.reason));
                const unsubscribe = this.subscribe(() => (end(), resolve()));
                if (signal?.aborted)
                    abort();
                signal?.addEventListener("abort", abort);
            });
        }
        // A page that is closed now has no changes that would be sent again.
        await this.#run({ do: "store" });
    }
    /** Forgets the items on this device. Refuses if changes were not sent, unless they are to be discarded. @internal */
    async clear(userId, discard) {
        await this.#open(userId);
        // What was written a moment ago is being sent.
        if (!discard && this.#status === "online")
            await this.synced(AbortSignal.timeout(SIGN_OUT_TIMEOUT)).catch(() => { });
        const { pending } = this;
        if (pending > 0 && !discard) {
            throw new error_js_1.StewardError("unsent_changes", `${pending} changes are not sent. Wait for \`sync.synced()\`, or pass \`discard: true\`.`, { details: { pending } });
        }
        await this.#run({ do: "clear" });
    }
    /** The person is signed in as before, because the sign-out failed. The service has the items. @internal */
    restore() {
        this.#unclear();
        this.#userId = undefined;
        if (this.#isWanted)
            void this.#open();
    }
    /** Ends everything, and keeps what is stored. @internal */
    async end() {
        this.disconnect();
        this.#unsubscribe();
        this.#unclear();
        await this.#opening;
        await this.#leave(true);
    }
    /** Calls the listener with the items of a table that changed, or with nothing if all may have. @internal */
    watch(table, listener) {
        let listeners = this.#tables.get(table);
        if (!listeners)
            this.#tables.set(table, (listeners = new listeners_js_1.Listeners(this.logger)));
        this.connect();
        return listeners.add(listener);
    }
    /** A number that grows when items of a table change. @internal */
    version(table) {
        return this.#version + (this.#versions.get(table) ?? 0);
    }
    /** @internal */
    get replica() {
        return this.#copy?.replica;
    }
    /** Applies local changes. `accepted` resolves when this device has it, and `stored` when the service has it. @internal */
    write(...changes) {
        let outcome;
        const stored = new Promise((resolve, reject) => (outcome = { resolve, reject }));
        // The app need not wait for it.
        stored.catch(() => { });
        const accepted = this.#write(changes, outcome);
        accepted.catch(outcome.reject);
        return { accepted, stored };
    }
    async #write(changes, outcome) {
        if (!changes.length)
            return outcome.resolve();
        if (!this.replica || !this.#isWanted)
            await this.#opened();
        if (!this.replica)
            throw signedOut();
        const { MAX_PENDING } = this.device;
        if (this.pending + changes.length > MAX_PENDING)
            throw new error_js_1.StewardError("too_many_items", `${MAX_PENDING} changes wait for the service. Connect this device before more are made.`);
        this.#schema.check(changes, this.replica);
        await this.#copy.write(changes, outcome);
    }
    /** Loads the part of the SDK for live items. */
    #load() {
        return (this.#loading ??= Promise.resolve().then(() => require("./device.js")).then((device) => (this.device = device), (cause) => {
            this.#loading = undefined;
            throw new error_js_1.StewardError("connection_failed", "The part of the SDK for live items could not be loaded.", { cause });
        }));
    }
    async #opened() {
        this.connect();
        await this.options.session.load();
        await this.#opening;
    }
    async #run(operation) {
        await this.#copy?.run(operation);
    }
    /** Opens the store of the signed-in person, and connects. `userId`: of that person, before a sign-out. */
    #open(userId) {
        const opening = this.#opening.catch(() => { }).then(async () => {
            const id = userId ?? (await this.options.session.load()).user?.id;
            if (id !== this.#userId) {
                void this.#leave();
                if (id && id !== this.#clearedId)
                    await this.#use(id);
            }
            this.#connect();
        });
        opening.catch(() => {
            clearTimeout(this.#retry);
            if (this.#isWanted)
                this.#retry = setTimeout(() => void this.#open(), (0, retry_js_1.backoff)(this.#attempt++, MAX_DELAY));
        });
        return (this.#opening = opening);
    }
    async #use(userId) {
        const { storage, key, localStore, readSchema } = this.options;
        const device = await this.#load();
        if (!this.#schema) {
            this.#schema = new device.KnownSchema(readSchema, storage, `${key}:schema`);
            await this.#schema.load();
        }
        const isCurrent = () => this.#copy === copy;
        const store = (localStore ?? (globalThis.indexedDB ? device.indexedDbStore : device.memoryStore))(`${key}:${userId}`);
        const copy = new device.Copy(store, this.logger, {
            changed: (items) => isCurrent() && this.#changed(items),
            corrected: (correction) => {
                this.#schema?.doubt(correction.code);
                this.#corrections.notify(correction);
            },
            notify: () => isCurrent() && this.#listeners.notify(),
            status: (status) => isCurrent() && this.#set(status),
            lead: () => this.#connect(),
            lost: () => {
                if (!isCurrent())
                    return;
                void this.#leave();
                void this.#open();
            },
            send: () => (this.#connection ? this.#connection.send() : this.#connect()),
            wake: () => (this.#connection ? this.#connection.check() : this.#connect()),
            cleared: () => isCurrent() && this.#cleared(),
        });
        this.#userId = userId;
        this.#copy = copy;
        await copy.ready;
    }
    #connect() {
        clearTimeout(this.#retry);
        const { session, url, projectId, webSocket } = this.options;
        if (!this.#isWanted || !this.replica || this.#connection || !webSocket || !this.#copy.isLeader)
            return;
        this.#set("connecting");
        const connection = new this.device.Connection(this.replica, session, `${url.replace(/^http/, "ws")}/ws`, projectId, webSocket, {
            online: () => {
                this.#attempt = 0;
                this.#set("online");
                this.#hold();
            },
            changed: () => this.#hold(),
            closed: () => {
                if (this.#connection !== connection)
                    return;
                this.#connection = undefined;
                this.#set("offline");
                if (!this.#isWanted || session.state.status !== "signedIn")
                    return;
                this.#retry = setTimeout(() => this.#connect(), (0, retry_js_1.backoff)(this.#attempt++, MAX_DELAY));
            },
        });
        this.#connection = connection;
    }
    /** Sends changes that wait for room again after a while. */
    #hold() {
        if (this.#retryHeld || !this.held.length)
            return;
        this.#retryHeld = setTimeout(() => {
            this.#retryHeld = undefined;
            void this.retryHeld();
        }, HELD_INTERVAL);
    }
    #close() {
        clearTimeout(this.#retry);
        clearTimeout(this.#retryHeld);
        this.#retryHeld = undefined;
        const connection = this.#connection;
        this.#connection = undefined;
        connection?.close();
        this.#set("offline");
    }
    /** The items of this person are deleted on this device. */
    #cleared() {
        this.#clearedId = this.#userId;
        this.#close();
        this.#changed();
        // The tab that asked for it gets a reply first.
        const copy = this.#copy;
        setTimeout(() => this.#copy === copy && void this.#leave());
        // The tab that asked for it may fail, or end, before the person is signed out.
        clearTimeout(this.#restoring);
        this.#restoring = setTimeout(() => this.restore(), SIGN_OUT_END);
    }
    #unclear() {
        clearTimeout(this.#restoring);
        this.#clearedId = undefined;
    }
    /** Ends the use of the store. */
    async #leave(keepsItems = false) {
        this.#close();
        const copy = this.#copy;
        this.#userId = undefined;
        if (!keepsItems && copy) {
            this.#copy = undefined;
            this.#changed();
        }
        await copy?.close();
    }
    /** Tells the queries what has changed: everything, if it is not named. */
    #changed(items) {
        for (const [table, ids] of items ?? []) {
            this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
            this.#tables.get(table)?.notify(ids);
        }
        // The first load may have had no items: they are loaded all the same.
        const isLoaded = this.replica?.isLoaded ?? false;
        if (!items || isLoaded !== this.#wasLoaded) {
            this.#wasLoaded = isLoaded;
            this.#version += 1;
            for (const listeners of this.#tables.values())
                listeners.notify(items && new Map());
        }
        this.#listeners.notify();
    }
    #set(status) {
        if (this.#status === status)
            return;
        this.#status = status;
        if (status === "online")
            void this.#schema?.learn();
        this.#copy?.publishStatus(status);
        this.#listeners.notify();
    }
}
exports.Sync = Sync;
const signedOut = () => new error_js_1.StewardError("signed_out", "Nobody is signed in. Call `signIn` first.");
//# sourceMappingURL=sync.js.map