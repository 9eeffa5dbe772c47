import { isolated } from "../isolated.js";
/** Functions of the app that are called with each value. One that throws is reported, and has no effect on the others. @internal */
export class Listeners {
    logger;
    #all = new Set();
    constructor(logger) {
        this.logger = logger;
    }
    /** Returns a function that removes the listener. */
    add(listener) {
        // The same function can be added several times.
        const added = (value) => listener(value);
        this.#all.add(added);
        return () => void this.#all.delete(added);
    }
    notify(value) {
        for (const listener of [...this.#all])
            if (this.#all.has(listener))
                isolated(() => listener(value), this.logger);
    }
    get size() {
        return this.#all.size;
    }
}
//# sourceMappingURL=listeners.js.map