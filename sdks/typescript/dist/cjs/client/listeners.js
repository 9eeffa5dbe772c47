"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Listeners = void 0;
const isolated_js_1 = require("../isolated.js");
/** Functions of the app that are called with each value. One that throws is reported, and has no effect on the others. @internal */
class Listeners {
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
                (0, isolated_js_1.isolated)(() => listener(value), this.logger);
    }
    get size() {
        return this.#all.size;
    }
}
exports.Listeners = Listeners;
//# sourceMappingURL=listeners.js.map