"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Watchdog = void 0;
/** How long the other side may be silent until it is asked, in milliseconds. */
const MAX_SILENCE = 30_000;
/** How long it may take to answer, in milliseconds. */
const ANSWER_TIMEOUT = 10_000;
/** Notices that the other side has gone without notice, in 40 seconds after its last message. @internal */
class Watchdog {
    ask;
    lost;
    #timer;
    #isAsking = false;
    /** `ask` sends something that is always answered. `lost` is called if there is no answer. */
    constructor(ask, lost) {
        this.ask = ask;
        this.lost = lost;
        this.heard();
    }
    /** The other side has sent something. */
    heard() {
        this.#isAsking = false;
        this.#after(MAX_SILENCE, () => this.check());
    }
    /** Asks now, for example after the network has changed. */
    check() {
        if (this.#isAsking)
            return;
        this.#isAsking = true;
        this.#after(ANSWER_TIMEOUT, this.lost);
        this.ask();
    }
    stop() {
        this.#isAsking = false;
        clearTimeout(this.#timer);
    }
    #after(delay, run) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(run, delay);
    }
}
exports.Watchdog = Watchdog;
//# sourceMappingURL=watchdog.js.map