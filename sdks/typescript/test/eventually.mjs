/** Waits until a function returns something other than false or undefined. */
export async function eventually(check, what = "The state was not reached.", milliseconds = 30_000) {
  for (const end = performance.now() + milliseconds; ; ) {
    const found = await check();
    if (found) return found;
    if (performance.now() > end) throw new Error(what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
