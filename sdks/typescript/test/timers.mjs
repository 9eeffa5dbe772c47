// Timers that end earlier than the program asked for, so that tests of long waits are quick.

/** Runs a test while each timer of at least `min` milliseconds ends after a fraction of its time. */
export async function withFastTimers({ min = 5_000, factor = 100 }, run) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (callback, delay, ...rest) => setTimeout(callback, delay >= min ? delay / factor : delay, ...rest);
  try {
    return await run();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}
