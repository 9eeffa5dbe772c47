// A small client of WebDriver, which starts Chromium with a temporary profile.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

export async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "steward-sdk-"));
  const driver = spawn("chromedriver", ["--port=0"], { env: { ...process.env, HOME: profile, TMPDIR: profile }, stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  let failure;
  driver.on("error", (error) => (failure = new Error(`chromedriver failed to start: ${error.message}. Run tests/install-tools.sh.`)));
  driver.stdout.on("data", (text) => (printed += text));
  const port = await eventually(() => {
    if (failure) throw failure;
    return printed.match(/started successfully on port (\d+)/)?.[1];
  }, "chromedriver did not start.");

  async function command(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${path}: ${value.message}`);
    return value;
  }

  const args = [...FLAGS, `--user-data-dir=${join(profile, "profile")}`];
  const capabilities = {
    alwaysMatch: {
      browserName: "chrome-headless-shell",
      timeouts: { script: 60_000, pageLoad: 60_000 },
      "goog:chromeOptions": { args, binary: "/usr/bin/chromium-headless-shell" },
    },
  };
  const { sessionId } = await command("POST", "/session", { capabilities });
  const at = `/session/${sessionId}`;
  const find = (selector) => command("POST", `${at}/element`, { using: selector.startsWith("//") ? "xpath" : "css selector", value: selector });
  return {
    open: (url) => command("POST", `${at}/url`, { url }),
    url: () => command("GET", `${at}/url`),
    /** Runs the body of an asynchronous function in the page. */
    run: (script, ...values) => command("POST", `${at}/execute/sync`, { script: `return (async (...values) => { ${script} })(...arguments)`, args: values }),
    async click(selector) {
      const element = await eventually(() => find(selector).catch(() => false), `There is no ${selector}.`);
      await command("POST", `${at}/element/${element[ELEMENT]}/click`, {});
    },
    async type(selector, text) {
      const element = await eventually(() => find(selector).catch(() => false), `There is no ${selector}.`);
      await command("POST", `${at}/element/${element[ELEMENT]}/value`, { text });
    },
    window: () => command("GET", `${at}/window`),
    windows: () => command("GET", `${at}/window/handles`),
    switchTo: (handle) => command("POST", `${at}/window`, { handle }),
    async newTab() {
      const { handle } = await command("POST", `${at}/window/new`, { type: "tab" });
      await command("POST", `${at}/window`, { handle });
      return handle;
    },
    closeTab: () => command("DELETE", `${at}/window`),
    async stop() {
      await command("DELETE", at).catch(() => {});
      driver.kill();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
