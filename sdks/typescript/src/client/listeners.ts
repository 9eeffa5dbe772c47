import { isolated } from "../isolated.js";
import type { Logger } from "../transport.js";

/** Functions of the app that are called with each value. One that throws is reported, and has no effect on the others. @internal */
export class Listeners<T = void> {
  readonly #all = new Set<(value: T) => void>();

  constructor(private readonly logger?: Logger) {}

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    // The same function can be added several times.
    const added = (value: T) => listener(value);
    this.#all.add(added);
    return () => void this.#all.delete(added);
  }

  notify(value: T): void {
    for (const listener of [...this.#all]) if (this.#all.has(listener)) isolated(() => listener(value), this.logger);
  }

  get size(): number {
    return this.#all.size;
  }
}
