/** Functions of the app that are called with each value. One that throws is reported, and has no effect on the others. @internal */
export class Listeners<T = void> {
  readonly #all = new Set<(value: T) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    // The same function can be added several times.
    const added = (value: T) => listener(value);
    this.#all.add(added);
    return () => void this.#all.delete(added);
  }

  notify(value: T): void {
    for (const listener of [...this.#all]) if (this.#all.has(listener)) isolated(() => listener(value));
  }

  get size(): number {
    return this.#all.size;
  }
}

/** Calls a function of the app. What it throws is reported as an uncaught error of a page is, and does not stop the SDK. @internal */
export function isolated(run: () => unknown): void {
  const report = typeof document === "undefined" ? console.error : (globalThis.reportError ?? console.error);
  try {
    const returned = run();
    // An asynchronous function of the app returns a promise that nobody awaits.
    if (returned instanceof Promise) returned.catch(report);
  } catch (error) {
    report(error);
  }
}
