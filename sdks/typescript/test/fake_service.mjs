// The service as devices see it: items of one person in memory, behind a WebSocket. It stores what fits into a quota, as docs/sync.md describes.
import { createClient, memoryStorage } from "@steward/sdk/client";

const TITLES = ["milk", "Tea", "bread", "Apples", "cheese"];

/** Items such as an app has. */
export function items(count) {
  const made = Array.from({ length: count }, (_, index) => [`n${index}`, { title: `${TITLES[index % 5]} ${(index * 7919) % count}`, rank: (index * 31) % 1_000, done: index % 3 === 0 }]);
  return new Map(made);
}

export class FakeService {
  revision = 1;
  quota = Infinity;
  isDown = false;
  /** Whether it knows atomic messages. */
  isAtomic = true;
  /** How many items a message of a load has. */
  portion = 1_000;
  /** Returns why a change is not stored. */
  refuse = () => undefined;
  /** The `changes` messages of devices. */
  received = [];
  /** Whether the network fails before the next acknowledgement arrives. */
  losesAck = false;
  /** The last message that was stored at least in part, and its corrections. */
  #receipt = {};
  #sockets = new Set();

  constructor(stored = new Map()) {
    this.stored = stored;
    const service = this;
    this.WebSocket = class {
      constructor() {
        const { isDown } = service;
        if (!isDown) service.#sockets.add(this);
        setTimeout(() => (isDown ? this.onerror?.({}) : this.onopen?.({})), 1);
      }
      send(text) {
        if (!service.isDown) setImmediate(() => service.#receive(this, JSON.parse(text)));
      }
      close() {
        service.#sockets.delete(this);
      }
    };
  }

  get connections() {
    return this.#sockets.size;
  }

  /** A tab or device of a person who is signed in. Tabs have the same storage and store. */
  client({ storage = this.storage(), ...options } = {}) {
    return createClient({ url: "http://localhost:1", projectId: "p", storage, webSocket: this.WebSocket, fetch: async () => new Response("{}"), ...options });
  }

  /** The storage of a browser in which a person is signed in. */
  storage(user = "ann") {
    const storage = memoryStorage();
    const session = { accessToken: `token of ${user}`, refreshToken: "r", scope: "app:db:write", receivedAt: Date.now(), lifetime: 900_000, user: { id: user, claims: {} } };
    storage.setItem("steward:p", JSON.stringify(session));
    return storage;
  }

  goDown() {
    this.isDown = true;
    for (const socket of this.#sockets) (this.#sockets.delete(socket), socket.onclose?.({}));
  }

  goUp() {
    this.isDown = false;
  }

  /** Another device changes an item; `undefined` deletes it. */
  change(key, obj) {
    if (obj) this.stored.set(key, obj);
    else this.stored.delete(key);
    this.revision += 1;
    for (const socket of this.#sockets) if (socket.isSubscribed) this.#send(socket, this.#changes([this.#current(key)]));
  }

  /** Sends all items to all devices, as after a restore, or the first messages of them. */
  sendAll(messages = Infinity) {
    this.revision += 1;
    for (const socket of this.#sockets) this.#load(socket, [...this.stored.keys()], messages);
  }

  #load(socket, keys, messages = Infinity) {
    for (; keys.length > this.portion && messages > 0; messages -= 1) this.#send(socket, this.#changes(keys.splice(0, this.portion).map((key) => this.#current(key)), true, false));
    if (messages > 0) this.#send(socket, this.#changes(keys.map((key) => this.#current(key)), false, true));
  }

  #current = (key, reason) => (this.stored.has(key) ? { type: 1, table: "notes", key, obj: { id: key, ...this.stored.get(key) }, ...reason } : { type: 3, table: "notes", key, ...reason });
  #changes = (changes, partial = false, complete) => ({ type: "changes", changes, currentRevision: partial ? 0 : this.revision, partial, complete });

  #send(socket, message) {
    const data = JSON.stringify(message);
    setImmediate(() => this.#sockets.has(socket) && socket.onmessage?.({ data }));
  }

  #receive(socket, message) {
    if (!this.#sockets.has(socket)) return;
    if (message.type === "clientIdentity") this.#send(socket, { type: "clientIdentity", clientIdentity: message.clientIdentity ?? "device", ...(this.isAtomic && { atomic: true }) });
    if (message.type === "subscribe") {
      socket.isSubscribed = true;
      if (message.syncedRevision === this.revision) this.#send(socket, this.#changes([]));
      else this.#load(socket, [...this.stored.keys()]);
    }
    if (message.type === "changes") this.#store(socket, message);
  }

  #store(socket, { changes, requestId, atomic }) {
    const content = JSON.stringify(changes);
    // A message that repeats one whose acknowledgement was lost, which only the first one of a connection can.
    const isRepeated = !socket.hasStored && content === this.#receipt.content;
    socket.hasStored = true;
    if (changes.length) this.received.push(Object.assign(changes, { atomic }));
    if (isRepeated) {
      this.#send(socket, this.#changes(changes.map(({ key }) => this.#current(key, this.#receipt.corrections.get(key)))));
      return this.#send(socket, { type: "ack", requestId });
    }
    const corrections = new Map();
    const refused = atomic && changes.map((change) => [change.key, this.refuse(change)]).find(([, reason]) => reason);
    if (refused) {
      const reason = { ...refused[1], message: `Nothing is stored, because of notes/${refused[0]}: ${refused[1].message}` };
      this.#send(socket, this.#changes(changes.map(({ key }) => this.#current(key, reason))));
      // Another device changes the same items before the acknowledgement.
      this.#send(socket, this.#changes(changes.map(({ key }) => this.#current(key))));
      return this.#send(socket, { type: "ack", requestId });
    }
    const stored = [];
    for (const { type, key, obj, mods } of changes) {
      const before = this.stored.get(key);
      const reason = this.refuse({ type, key, obj, mods });
      if (reason) {
        corrections.set(key, reason);
        continue;
      }
      if (type === 3) this.stored.delete(key);
      else if (!before && this.stored.size >= this.quota) {
        corrections.set(key, { code: "quota_exceeded", message: `The limit of ${this.quota} items per project (all users) is reached.` });
        continue;
      } else this.stored.set(key, type === 1 ? obj : { ...before, ...mods });
      stored.push(key);
    }
    if (stored.length) {
      this.revision += 1;
      this.#receipt = { content, corrections };
    }
    if (changes.length && this.losesAck) {
      this.losesAck = false;
      return this.goDown();
    }
    if (corrections.size) this.#send(socket, this.#changes([...corrections].map(([key, reason]) => this.#current(key, reason))));
    this.#send(socket, { type: "ack", requestId });
    for (const other of this.#sockets) if (other !== socket && other.isSubscribed && stored.length) this.#send(other, this.#changes(stored.map((key) => this.#current(key))));
  }
}
