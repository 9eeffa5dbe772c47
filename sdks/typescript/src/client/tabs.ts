import { StewardError } from "../error.js";
import { randomId } from "../transport.js";
import { Watchdog } from "./watchdog.js";

/** What tabs send each other. Others than the leader send `call` and `hello`. */
type Message<Call, News, Welcome> =
  | { call: string; operation: Call }
  | { done: string; error?: { code: string; message: string } }
  | { hello: string; isNew: boolean }
  | { welcome: string; state?: Welcome }
  | { news: News };

interface Waiting<Call> {
  operation: Call;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a tab does for others, and with what they send. @internal */
export interface TabEvents<Call, News, Welcome> {
  /** Performs an operation of another tab. Only in the leader. */
  perform(operation: Call, call: string): Promise<void>;
  /** What a new tab needs. Only in the leader. */
  welcome(): Promise<Welcome | undefined>;
  /** The leader has published news. */
  news(news: News): void;
  /** This tab has become the leader. Operations that the former one has not confirmed are then performed. */
  lead(): Promise<void>;
  /** Another tab has become the leader, because this one did not answer. */
  lost(): void;
}

/** Whether tabs can share something here. */
export const canShare = (): boolean => Boolean(globalThis.navigator?.locks && globalThis.BroadcastChannel);

/**
 * The tabs that have the same store. One of them, the leader, holds a Web Lock until it ends, and does what changes the
 * store. If it no longer answers, for example because the browser has stopped it, another tab takes the lock. @internal
 */
export class Tabs<Call, News, Welcome> {
  /** Whether this tab is the leader. */
  isLeader = false;
  readonly #channel: BroadcastChannel;
  readonly #id = randomId();
  readonly #waiting = new Map<string, Waiting<Call>>();
  readonly #end = new AbortController();
  readonly #watchdog: Watchdog;
  #release = () => {};
  #joined: ((state: Welcome | undefined) => void) | undefined;

  constructor(
    private readonly name: string,
    private readonly events: TabEvents<Call, News, Welcome>,
  ) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: { data: Message<Call, News, Welcome> }) => void (this.isLeader ? this.#serve(data) : this.#follow(data));
    this.#watchdog = new Watchdog(
      () => this.#post({ hello: this.#id, isNew: this.#joined !== undefined }),
      () => void this.#acquire({ steal: true }),
    );
    this.#watchdog.stop();
  }

  /** Returns what the leader knows, or nothing if this tab is the leader. */
  async join(): Promise<Welcome | undefined> {
    const state = new Promise<Welcome | undefined>((resolve) => (this.#joined = resolve));
    if (!(await this.#acquire({ ifAvailable: true }))) {
      void this.#acquire({ signal: this.#end.signal });
      this.#watchdog.check();
    }
    return state;
  }

  /** The leader performs an operation. */
  call(call: string, operation: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { operation, resolve, reject });
      this.#post({ call, operation });
      this.#watchdog.check();
    });
  }

  /** An operation of this tab has been performed, as news show. */
  confirm(call: string): void {
    this.#waiting.get(call)?.resolve();
    this.#waiting.delete(call);
  }

  /** Sends news to the other tabs. */
  publish(news: News): void {
    if (this.isLeader) this.#post({ news });
  }

  /** Leaves. Another tab becomes the leader. */
  leave(): void {
    this.#watchdog.stop();
    this.#end.abort();
    this.#channel.close();
    this.#joined?.(undefined);
    this.isLeader = false;
    this.#release();
    for (const call of this.#waiting.keys()) this.confirm(call);
  }

  /** Requests the lock. Returns whether this tab is the leader. */
  #acquire(options: LockOptions): Promise<boolean> {
    return new Promise((resolve) => {
      const held = navigator.locks.request(this.name, options, (lock) => {
        if (!lock || this.#end.signal.aborted) return resolve(false);
        resolve(true);
        return this.#lead();
      });
      held.catch(() => {
        resolve(false);
        // Another tab has taken the lock.
        if (!this.isLeader) return;
        this.isLeader = false;
        this.events.lost();
      });
    });
  }

  /** Becomes the leader. The returned promise ends when this tab leaves. */
  #lead(): Promise<void> {
    const left = new Promise<void>((resolve) => (this.#release = resolve));
    if (this.isLeader) return left;
    this.isLeader = true;
    this.#watchdog.stop();
    const joined = this.#joined;
    this.#joined = undefined;
    if (joined) joined(undefined);
    else void this.events.lead().then(() => this.#performWaiting());
    return left;
  }

  #performWaiting() {
    for (const [call, { operation, resolve, reject }] of this.#waiting) {
      this.#waiting.delete(call);
      this.events.perform(operation, call).then(resolve, reject);
    }
  }

  async #serve(message: Message<Call, News, Welcome>) {
    // If the browser has stopped this tab for a while, another one may be the leader: it is known after this request.
    await navigator.locks.query();
    if (!this.isLeader) return;
    if ("hello" in message) {
      const { hello } = message;
      this.#post({ welcome: hello });
      const state = message.isNew && (await this.events.welcome());
      if (state) this.#post({ welcome: hello, state });
    } else if ("call" in message) {
      const { call, operation } = message;
      this.events.perform(operation, call).then(
        () => this.#post({ done: call }),
        ({ code, message }) => this.#post({ done: call, error: { code, message } }),
      );
    }
  }

  #follow(message: Message<Call, News, Welcome>) {
    if ("welcome" in message) {
      this.#watchdog.heard();
      if (message.welcome !== this.#id || !message.state) return;
      this.#joined?.(message.state);
      this.#joined = undefined;
    } else if ("news" in message) {
      this.#watchdog.heard();
      this.events.news(message.news);
    } else if ("done" in message) {
      this.#watchdog.heard();
      const waiting = this.#waiting.get(message.done);
      this.#waiting.delete(message.done);
      const { error } = message;
      if (error) waiting?.reject(new StewardError(error.code as never, error.message));
      else waiting?.resolve();
    }
  }

  #post(message: Message<Call, News, Welcome>) {
    if (!this.#end.signal.aborted) this.#channel.postMessage(message);
  }
}
