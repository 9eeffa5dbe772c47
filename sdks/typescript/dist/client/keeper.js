import { StewardError } from "../error.js";
/** How long a store that has failed is left alone, in milliseconds. */
const RETRY_INTERVAL = 60_000;
/**
 * Stores what happens, also if the store fails: it is opened again and gets everything, or at least the changes that the
 * service lacks. Until this succeeds they are in memory, and `error` says so. No update fails. @internal
 */
export class Keeper {
    store;
    state;
    changed;
    logger;
    /** Why the store does not have everything. */
    error;
    /** Whether the items fit into the store. */
    #hasItems = true;
    #last = Promise.resolve();
    #recovering;
    #failedAt = 0;
    /** Whether something happened while the store was opened again. */
    #hasMissed = false;
    /** Acknowledged changes that a store which failed may still have. */
    #removed = [];
    constructor(store, state, 
    /** Called when `error` changes. */
    changed, logger = console) {
        this.store = store;
        this.state = state;
        this.changed = changed;
        this.logger = logger;
    }
    /** Stores an update. Those that follow each other are stored in this order. */
    update(update) {
        return (this.#last = this.#store(update));
    }
    /** Waits until everything is stored. */
    stored() {
        return this.#last;
    }
    /** Closes the store after everything is stored. */
    async close() {
        await this.#last;
        this.store.close();
    }
    async #store(update) {
        if (!this.#failedAt)
            await this.#recovering;
        if (this.#failedAt) {
            // A store that failed may need long to open: a write does not wait for it.
            this.#hasMissed = true;
            this.#removed.push(...(update.removed ?? []));
            if (Date.now() - this.#failedAt > RETRY_INTERVAL)
                void this.recover();
            return;
        }
        const { added = [], removed = [] } = update;
        try {
            await this.store.update(this.#hasItems ? update : { added, removed });
        }
        catch (error) {
            this.#removed.push(...removed);
            await this.recover(error);
        }
    }
    /** The store could not be opened. */
    fail(cause) {
        this.#failedAt = Date.now();
        this.#report(cause, "The store of this device failed. Changes that are not sent are lost when the app ends.");
    }
    /** Opens the store again, and stores everything. */
    recover(cause) {
        return (this.#recovering ??= this.#rewrite(cause).finally(() => (this.#recovering = undefined)));
    }
    async #rewrite(cause) {
        for (const hasItems of [true, false]) {
            try {
                this.store.close();
                await this.store.open(true);
                do {
                    this.#hasMissed = false;
                    const { items, outbox, revision } = this.state();
                    const removed = [...this.#removed];
                    await this.store.update({ ...(hasItems ? { items, revision } : { items: [], revision: null }), isReset: true, added: outbox, removed });
                } while (this.#hasMissed);
                this.#removed = [];
                this.#failedAt = 0;
                this.#hasItems = hasItems;
                if (hasItems)
                    return this.#report();
                return this.#report(cause, "The store of this device is full. It has changes that are not sent, but no items.");
            }
            catch (error) {
                cause ??= error;
            }
        }
        this.fail(cause);
    }
    #report(cause, message) {
        const before = this.error?.message;
        this.error = message ? new StewardError("local_store_failed", message, { cause }) : undefined;
        if (before === message)
            return;
        if (this.error)
            this.logger.warn(this.error);
        this.changed();
    }
}
//# sourceMappingURL=keeper.js.map