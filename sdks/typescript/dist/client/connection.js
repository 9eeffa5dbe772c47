import { Watchdog } from "./watchdog.js";
/** `setTimeout` cannot wait longer, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;
/** Request ID of an empty message, which only asks for an acknowledgement. Those of changes begin with 1. */
const ASKING = 0;
/** One connection, from the first message to its end. @internal */
export class Connection {
    replica;
    session;
    projectId;
    events;
    #socket;
    #isReady = false;
    #isClosed = false;
    #watchdog;
    #renewal;
    #token;
    /** Messages are applied one after the other. */
    #received = Promise.resolve();
    constructor(replica, session, url, projectId, webSocket, events) {
        this.replica = replica;
        this.session = session;
        this.projectId = projectId;
        this.events = events;
        this.#socket = new webSocket(url);
        this.#watchdog = new Watchdog(() => this.#ask(), () => this.close());
        this.#socket.onopen = () => void this.#identify();
        this.#socket.onmessage = ({ data }) => {
            this.#watchdog.heard();
            this.#received = this.#received.then(() => (this.#isClosed ? undefined : this.#receive(String(data)))).catch(() => this.close());
        };
        this.#socket.onclose = this.#socket.onerror = () => this.close();
    }
    close(code = 1000) {
        if (this.#isClosed)
            return;
        this.#isClosed = true;
        this.#watchdog.stop();
        clearTimeout(this.#renewal);
        this.#socket.onclose = this.#socket.onerror = this.#socket.onmessage = null;
        this.#socket.close(code);
        this.events.closed();
    }
    /** Sends the next changes, unless some are in flight. */
    send() {
        if (!this.#isReady || this.#isClosed)
            return;
        const portion = this.replica.portion();
        if (!portion)
            return;
        const { changes, requestId, atomic } = portion;
        this.#changes(requestId, changes, atomic);
    }
    /** Closes the connection unless the service answers soon. */
    check() {
        this.#watchdog.check();
    }
    /** Requests an acknowledgement, unless a load or changes in flight are answered anyway. */
    #ask() {
        if (this.#isReady && !this.replica.isSending)
            this.#changes(ASKING, []);
    }
    #changes(requestId, changes, atomic) {
        this.#message({ type: "changes", requestId, baseRevision: this.replica.revision, partial: false, atomic, changes });
    }
    #message(message) {
        this.#socket.send(JSON.stringify(message));
    }
    async #identify() {
        try {
            const authToken = (this.#token = await this.session.token());
            if (!authToken || this.#isClosed)
                return this.close();
            this.#message({ type: "clientIdentity", clientIdentity: this.replica.device || null, authToken, schema: { project_id: this.projectId } });
        }
        catch {
            // The token could not be refreshed: the next attempt tries again.
            this.close();
        }
    }
    async #receive(text) {
        const message = JSON.parse(text);
        switch (message.type) {
            case "clientIdentity":
                this.replica.isAtomic = message.atomic === true;
                this.replica.beginLoad();
                this.#renewLater();
                return this.#message({ type: "subscribe", syncedRevision: this.replica.revision });
            case "changes": {
                const { changes, currentRevision, partial, complete } = message;
                // Only a load of everything has `complete`, also one that begins by itself. It is true in the last message.
                const [isEverything, isLast] = [complete !== undefined, complete ?? !partial];
                // What is stored is not awaited: a load of many items would take twice the time.
                void this.replica.receive(changes, currentRevision, !this.#isReady || isEverything, isLast, isEverything);
                // Changes that wait for room are sent after a deletion.
                if (this.#isReady)
                    return this.send();
                if (!isLast)
                    return;
                this.#isReady = true;
                this.events.online();
                return this.send();
            }
            case "ack":
                void this.replica.acknowledge(message.requestId);
                this.events.changed();
                return this.send();
            case "tokenUpdateAck":
                return message.ok ? this.#renewLater() : this.close(4001);
            case "error":
                // The token was rejected although it has not expired by the clock of this device.
                await this.session.token(this.#token);
                return this.close();
        }
    }
    /** Replaces the token before it expires. A timer of a device that slept ends when it wakes. */
    #renewLater(min = 1_000) {
        clearTimeout(this.#renewal);
        this.#renewal = setTimeout(() => void this.#renew(), Math.min(Math.max(this.session.expiresIn(), min), MAX_TIMER));
    }
    async #renew() {
        try {
            const authToken = await this.session.token();
            if (this.#isClosed)
                return;
            if (!authToken)
                return this.close();
            if (authToken === this.#token)
                return this.#renewLater();
            this.#token = authToken;
            this.#message({ type: "tokenUpdate", authToken });
        }
        catch {
            // Offline, or the service is not available: the token may still be valid for a while.
            this.#renewLater(15_000);
        }
    }
}
//# sourceMappingURL=connection.js.map