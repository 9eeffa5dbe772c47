/** How long the other side may be silent until it is asked, in milliseconds. */
const MAX_SILENCE = 30_000;
/** How long it may take to answer, in milliseconds. */
const ANSWER_TIMEOUT = 10_000;

/** Notices that the other side has gone without notice, in 40 seconds after its last message. @internal */
export class Watchdog {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  /** `ask` sends something that is always answered. `lost` is called if there is no answer. */
  constructor(
    private readonly ask: () => void,
    private readonly lost: () => void,
  ) {
    this.heard();
  }

  /** The other side has sent something. */
  heard(): void {
    this.#isAsking = false;
    this.#after(MAX_SILENCE, () => this.check());
  }

  /** Asks now, for example after the network has changed. */
  check(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#after(ANSWER_TIMEOUT, this.lost);
    this.ask();
  }

  stop(): void {
    this.#isAsking = false;
    clearTimeout(this.#timer);
  }

  #after(delay: number, run: () => void) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, delay);
  }
}
