"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Tabs = void 0;
const error_js_1 = require("../error.js");
const transport_js_1 = require("../transport.js");
const watchdog_js_1 = require("./watchdog.js");
/**
 * The tabs that have the same store. One of them, the leader, holds a Web Lock until it ends, and does what changes the
 * store. If it no longer answers, for example because the browser has stopped it, another tab takes the lock. @internal
 */
class Tabs {
    name;
    events;
    /** Whether this tab is the leader. */
    isLeader = false;
    #channel;
    #id = (0, transport_js_1.randomId)();
    #waiting = new Map();
    #end = new AbortController();
    #watchdog;
    #release = () => { };
    #welcomed;
    constructor(name, events) {
        this.name = name;
        this.events = events;
        this.#channel = new BroadcastChannel(name);
        this.#channel.onmessage = ({ data }) => void (this.isLeader ? this.#serve(data) : this.#follow(data));
        this.#watchdog = new watchdog_js_1.Watchdog(() => this.#post({ hello: this.#id, isNew: this.#welcomed !== undefined }), () => void this.#acquire({ steal: true }));
        this.#watchdog.stop();
    }
    /** Returns what the leader knows, or nothing if this tab is the leader. */
    async join() {
        const state = this.welcome();
        if (!(await this.#acquire({ ifAvailable: true }))) {
            void this.#acquire({ signal: this.#end.signal });
            this.#watchdog.check();
        }
        return state;
    }
    /** Returns what the leader knows, or nothing if this tab becomes the leader. */
    welcome() {
        return new Promise((resolve) => (this.#welcomed = resolve));
    }
    /** Has the leader perform an operation. */
    call(call, operation) {
        return new Promise((resolve, reject) => {
            this.#waiting.set(call, { operation, resolve, reject });
            this.#post({ call, operation });
            if (!this.isLeader)
                this.#watchdog.check();
        });
    }
    /** The leader has given an operation of this tab a number, but has not performed it yet. */
    take(call, number) {
        const waiting = this.#waiting.get(call);
        if (waiting)
            waiting.taken = number;
    }
    /** The operations that the leader has not taken. */
    get untaken() {
        return [...this.#waiting].flatMap(([call, { operation, taken }]) => (taken === undefined ? [[call, operation]] : []));
    }
    /** Sends news to the other tabs. */
    publish(news) {
        if (this.isLeader)
            this.#post({ news });
    }
    /** Leaves. Another tab becomes the leader. */
    leave() {
        this.#watchdog.stop();
        this.#end.abort();
        this.#channel.close();
        this.#welcomed?.(undefined);
        this.isLeader = false;
        this.#release();
        for (const { resolve } of this.#waiting.values())
            resolve();
        this.#waiting.clear();
    }
    /** Requests the lock. Returns whether this tab is the leader. */
    #acquire(options) {
        return new Promise((resolve) => {
            const held = navigator.locks.request(this.name, options, (lock) => {
                if (!lock || this.#end.signal.aborted)
                    return resolve(false);
                resolve(true);
                return this.#lead();
            });
            held.catch(() => {
                resolve(false);
                // Another tab has taken the lock, or this one has left.
                if (!this.isLeader)
                    return;
                this.leave();
                this.events.lost();
            });
        });
    }
    /** Becomes the leader. The returned promise ends when this tab leaves. */
    #lead() {
        const left = new Promise((resolve) => (this.#release = resolve));
        const welcomed = this.#welcomed;
        this.isLeader = true;
        this.#watchdog.stop();
        this.#welcomed = undefined;
        // A tab that has just joined knows nothing that it could continue.
        if (welcomed)
            welcomed(undefined);
        void (welcomed ? Promise.resolve() : this.events.lead()).then(() => {
            this.#post({ isLed: true });
            for (const [call, { operation, taken, resolve, reject }] of this.#waiting)
                this.events.perform(operation, call, taken).then(resolve, reject);
            this.#waiting.clear();
        });
        return left;
    }
    async #serve(message) {
        // If the browser has stopped this tab for a while, another one may be the leader: it is known after this request.
        await navigator.locks.query();
        if (!this.isLeader)
            return;
        if ("hello" in message) {
            const { hello } = message;
            this.#post({ welcome: hello });
            const state = message.isNew && (await this.events.welcome());
            if (state)
                this.#post({ welcome: hello, state });
        }
        else if ("call" in message) {
            const { call, operation, taken } = message;
            this.events.perform(operation, call, taken).then(() => this.#post({ done: call }), ({ code, message }) => this.#post({ done: call, error: { code, message } }));
        }
    }
    async #follow(message) {
        if ("hello" in message || "call" in message)
            return;
        this.#watchdog.heard();
        if ("welcome" in message) {
            if (message.welcome !== this.#id || !message.state)
                return;
            this.#welcomed?.(message.state);
            this.#welcomed = undefined;
        }
        else if ("news" in message) {
            this.events.news(message.news);
        }
        else if ("done" in message) {
            const waiting = this.#waiting.get(message.done);
            this.#waiting.delete(message.done);
            const { error } = message;
            if (error)
                waiting?.reject(new error_js_1.StewardError(error.code, error.message));
            else
                waiting?.resolve();
        }
        else if (this.#welcomed) {
            // The leader that this tab waited for has gone.
            this.#watchdog.check();
        }
        else {
            const following = this.events.follow();
            this.#watchdog.check();
            await following;
            for (const [call, { operation, taken }] of this.#waiting)
                this.#post({ call, operation, taken });
        }
    }
    #post(message) {
        if (!this.#end.signal.aborted)
            this.#channel.postMessage(message);
    }
}
exports.Tabs = Tabs;
//# sourceMappingURL=tabs.js.map