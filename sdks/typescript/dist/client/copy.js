import { StewardError } from "../error.js";
import { randomId } from "../transport.js";
import { Keeper } from "./keeper.js";
import { memoryStore } from "./local_store.js";
import { Replica } from "./replica.js";
import { canShare } from "./storage.js";
import { Tabs } from "./tabs.js";
/** The items of one person on this device: in memory, in its store, and in all tabs. One of the tabs stores and connects for all. @internal */
export class Copy {
    store;
    logger;
    events;
    /** Resolves when the items were read. */
    ready;
    replica;
    /** Why the store does not have everything. */
    storeError;
    #keeper;
    /** The tabs with the same store; `undefined` if this one shares it with none. */
    #tabs;
    /** News that arrive while this tab reads the store. */
    #early = [];
    #status = "offline";
    /** Whether this tab does not know yet what the former leader has stored. */
    #isTakingOver = false;
    #isClosed = false;
    /** The changes of this tab that are not acknowledged, by their name or number. */
    #outcomes = new Map();
    constructor(store, logger, events) {
        this.store = store;
        this.logger = logger;
        this.events = events;
        this.#tabs = store.sharedName !== undefined && canShare() ? this.#share(store.sharedName) : undefined;
        this.ready = Promise.resolve(this.#tabs?.join()).then((known) => this.#load(known));
    }
    /** Whether other tabs may have the same items. */
    get isShared() {
        return this.#tabs !== undefined;
    }
    /** Whether this tab stores and connects. */
    get isLeader() {
        return !this.#isTakingOver && (this.#tabs?.isLeader ?? true);
    }
    /** Applies local changes. Resolves when they are stored on this device; `outcome` waits for the service. */
    async write(changes, outcome) {
        const call = randomId();
        this.#outcomes.set(call, outcome);
        try {
            await this.run({ write: changes }, call);
        }
        catch (error) {
            this.#outcomes.delete(call);
            throw error;
        }
    }
    /** Has the connected tab perform an operation. */
    async run(operation, call = randomId()) {
        if (this.isLeader)
            return this.#perform(operation, call);
        if ("write" in operation)
            this.replica?.expect(call, operation.write);
        try {
            await this.#tabs.call(call, operation);
        }
        catch (error) {
            if ("write" in operation)
                this.replica?.unexpect(call, operation.write);
            throw error;
        }
    }
    /** Tells the other tabs the status of the connection. */
    publishStatus(status) {
        this.#status = status;
        this.#tabs?.publish({ status });
    }
    /** Ends the use of the store. Another tab connects. Resolves when everything is stored. */
    async close() {
        this.#isClosed = true;
        this.#forget("The client was closed before the service stored the change.");
        if (!this.isLeader)
            this.#tabs?.leave();
        await this.#keeper?.close();
        this.#tabs?.leave();
    }
    /** Performs an operation, of this tab or another one. `taken`: the number that a former leader gave it. */
    async #perform(operation, call, taken) {
        const { replica } = this;
        if (!replica)
            return;
        if ("write" in operation) {
            // If the former leader did not store it, the number may be that of another change.
            if (taken !== undefined && replica.has(taken, operation.write[0]))
                return;
            const stored = replica.write(operation.write, call);
            this.events.send();
            return stored;
        }
        if ("discard" in operation)
            return replica.discard(...operation.discard);
        switch (operation.do) {
            case "clear":
                return this.#clear();
            case "release":
                await replica.release();
                return this.events.send();
            case "store":
                return this.#keeper.stored();
            case "wake":
                return this.events.wake();
        }
    }
    async #clear() {
        this.#tabs?.publish({ isCleared: true });
        const keeper = this.#keeper;
        this.#cleared();
        await keeper.stored();
        await keeper.store.clear();
    }
    #cleared() {
        this.replica = undefined;
        this.#forget("The change was discarded.");
        this.events.cleared();
    }
    /** Tells those who wait what became of changes. */
    #settle({ call, added, removed = [], held, refused = [] }) {
        const own = this.#outcomes.get(call ?? "");
        const number = added?.[0]?.[0];
        if (own && number !== undefined) {
            this.#outcomes.delete(call);
            this.#outcomes.set(number, own);
        }
        for (const [sequence, correction] of refused) {
            this.#end(sequence, correction);
            this.events.corrected(correction);
        }
        for (const sequence of removed)
            this.#end(sequence);
        if (!own && !held?.length)
            return;
        for (const sequence of own ? [number] : [...this.#outcomes.keys()]) {
            const reason = this.replica?.reason(sequence);
            if (reason)
                this.#end(sequence, reason);
        }
    }
    #end(sequence, reason) {
        const outcome = this.#outcomes.get(sequence);
        this.#outcomes.delete(sequence);
        if (!reason)
            return outcome?.resolve();
        const { code = "not_stored", message = "The service did not store the change as it was made." } = reason;
        outcome?.reject(new StewardError(code, message));
    }
    /** Nobody learns any more what became of the changes of this tab. */
    #forget(message) {
        for (const sequence of [...this.#outcomes.keys()])
            this.#end(sequence, { message });
    }
    /** Reads the store, and what the connected tab knows. */
    async #load(known) {
        const early = (this.#early = []);
        const { store } = this;
        let replica;
        const keeper = new Keeper(store, () => replica.state, () => this.#setStoreError(keeper.error), this.logger);
        let state;
        let failure;
        let orphans = [];
        try {
            state = { ...(await store.open(known !== undefined)), ...known };
        }
        catch (error) {
            // A browser may refuse IndexedDB, for example in a private window. Then this tab stands alone.
            failure = error;
            known = undefined;
            orphans = this.#tabs?.untaken ?? [];
            this.#tabs?.leave();
            this.#tabs = undefined;
            // The store may have changes of before. Once it works again, those of this tab must not replace them.
            state = { ...(await memoryStore().open()), last: Date.now() };
        }
        replica = new Replica(state, {
            commit: (update) => {
                this.#tabs?.publish({ update });
                this.#settle(update);
                return keeper.update(update);
            },
            changed: (items) => {
                if (replica && this.replica === replica)
                    this.events.changed(items);
            },
        });
        // Another leader may have followed in the meantime, or the person has signed out.
        if (this.#early !== early || this.#isClosed)
            return;
        this.#early = undefined;
        this.#keeper = keeper;
        this.replica = replica;
        if (failure) {
            keeper.fail(failure);
            // No other tab performs any more what this one has requested.
            for (const [call, operation] of orphans)
                if ("write" in operation)
                    void replica.write(operation.write, call);
            this.events.send();
        }
        if (known) {
            replica.apply({ held: known.held });
            for (const news of [known, ...early])
                this.#receive(news);
        }
        // What a former leader confirmed, but could not tell. Without the store, nobody knows.
        const unknown = failure ? { code: "local_store_failed", message: "The store failed before it was known whether the service has the change." } : undefined;
        for (const sequence of this.#outcomes.keys())
            if (typeof sequence === "number" && !replica.has(sequence))
                this.#end(sequence, unknown);
        for (const [call, operation] of this.#tabs?.untaken ?? [])
            if ("write" in operation)
                replica.expect(call, operation.write);
        this.events.changed();
    }
    /** Shares the store with other tabs. */
    #share(name) {
        return new Tabs(name, {
            perform: async (operation, call, taken) => {
                await this.ready;
                return this.#perform(operation, call, taken);
            },
            welcome: async () => {
                await this.ready;
                if (!this.replica)
                    return undefined;
                const { outbox, held, items, revision } = this.replica.state;
                const storeError = this.storeError?.message;
                return { outbox, held, status: this.#status, storeError, ...(storeError && { items, revision }) };
            },
            news: (news) => {
                if (this.#early)
                    this.#early.push(news);
                else
                    this.#receive(news);
            },
            lead: () => {
                this.#isTakingOver = true;
                return (this.ready = this.ready.then(() => this.#lead()));
            },
            follow: () => {
                this.#early = [];
                return this.#tabs.welcome().then((known) => this.#load(known));
            },
            lost: () => this.events.lost(),
        });
    }
    /** Continues what the former leader did. */
    async #lead() {
        if (this.#isClosed)
            return;
        // A store that failed does not have what this tab knows.
        if (!this.storeError)
            await this.#load();
        else {
            await this.#keeper.recover();
            this.#setStoreError(this.#keeper.error);
        }
        this.#isTakingOver = false;
        this.events.lead();
    }
    /** Applies what the connected tab has published. */
    #receive({ update, status, isCleared, ...news }) {
        if (isCleared)
            return this.#cleared();
        if (update?.call && update.added?.[0])
            this.#tabs?.take(update.call, update.added[0][0]);
        if (update) {
            this.replica?.apply(update);
            this.#settle(update);
        }
        if ("storeError" in news)
            this.#setStoreError(news.storeError ? new StewardError("local_store_failed", news.storeError) : undefined);
        if (status)
            this.events.status((this.#status = status));
        // Which changes wait for room may have changed, too.
        this.events.notify();
    }
    #setStoreError(error) {
        this.storeError = error;
        this.#tabs?.publish({ storeError: error?.message });
        this.events.notify();
    }
}
//# sourceMappingURL=copy.js.map