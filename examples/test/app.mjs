// An app that runs, and a person who uses it in Chromium.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { allow } from "../../sdks/typescript/test/forms.mjs";
import { eventually } from "./service.mjs";

/** How long an app may take to start, in milliseconds. Some compile themselves. */
const START_TIMEOUT = 90_000;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the command that starts an app, with another port than the one in it, until `stop` is called. */
export async function startApp(command, directory, environment = {}) {
  const port = await freePort();
  const own = command.replace(/\b(3000|5173)\b/g, `${port}`);
  if (own === command) throw new Error(`The command has no port: ${command}`);
  const child = spawn("sh", ["-c", own], { cwd: directory, env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...environment }, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  let ended;
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
  const exit = new Promise((resolve) => child.on("exit", (code) => resolve((ended = code ?? "a signal"))));
  const origin = `http://localhost:${port}`;
  const app = {
    origin,
    log: () => log,
    async stop() {
      if (ended !== undefined) return;
      process.kill(-child.pid, "SIGKILL");
      await exit;
    },
  };
  try {
    await eventually(async () => {
      if (ended !== undefined) throw new Error(`\`${own}\` ended with ${ended}.`);
      return await fetch(origin, { signal: AbortSignal.timeout(START_TIMEOUT) }).then((response) => response.ok, () => false);
    }, `\`${own}\` does not respond.`, START_TIMEOUT);
    return app;
  } catch (error) {
    await app.stop();
    throw new Error(`${error.message}\n${log}`);
  }
}

/** The page of an app in a browser. */
export class Page {
  constructor(browser, app) {
    this.browser = browser;
    this.app = app;
  }

  /** Waits until an expression in the page is true. */
  async until(expression) {
    await eventually(() => this.browser.run(`return ${expression}`).catch(() => false), "").catch(async () => {
      const state = await this.browser.run("return `${location.href}\\n${document.body.innerText.slice(0, 600)}`");
      throw new Error(`Not reached: ${expression}\n${state}\n${this.app.log()}`);
    });
  }

  /** Waits until the page shows a text in an element. */
  shows(selector, text) {
    return this.until(`[...document.querySelectorAll(${JSON.stringify(selector)})].some((element) => element.textContent.includes(${JSON.stringify(text)}))`);
  }

  /** Signs the person in, and returns when the app is open again. */
  async signIn(username, password) {
    await this.openSignIn();
    await signInAtService(this.browser, username, password);
    await this.until(`location.origin === ${JSON.stringify(this.app.origin)} && !location.search`);
    await this.shows(ANY_BUTTON, "Sign out");
  }

  async openSignIn() {
    await this.browser.open(this.app.origin);
    await this.shows("h1", "Notes");
    // A page that the server rendered has a button that does nothing yet.
    await this.shows("button:not(:disabled), [role=button]", "Sign in");
    await this.browser.click(BUTTON("Sign in"));
  }

  async add(title) {
    await this.browser.type('input[aria-label="Title"]', title);
    await this.browser.click(BUTTON("Add"));
    await this.shows("li", title);
  }

  checkbox(title) {
    return `//li[contains(., "${title}")]//input[@type="checkbox"]`;
  }

  /** Returns the titles that the page shows. */
  titles() {
    return this.browser.run('return [...document.querySelectorAll("li")].map((element) => element.textContent.trim())');
  }
}

/** The app for phones, which runs with the stand-ins in test/native. */
export class NativeApp extends Page {
  async signIn(username, password) {
    await this.openSignIn();
    const page = await eventually(() => this.browser.run("return globalThis.signInPage"), "The app does not open the page of the sign-in.");
    const callback = await allow(page.url, username, password);
    if (!callback.startsWith(page.redirectUri)) throw new Error(`The service redirects to ${callback}.`);
    await this.browser.run('signInPage.resolve({ type: "success", url: values[0] })', callback);
    await this.shows(ANY_BUTTON, "Sign out");
  }
}

/** Buttons, also those of React Native for Web. */
const ANY_BUTTON = "button, [role=button]";
export const BUTTON = (text) => `//button[starts-with(normalize-space(), "${text}")] | //*[@role="button"][starts-with(normalize-space(), "${text}")]`;

/** Fills in the pages of the service: it asks for the password unless the browser is signed in, and for consent. */
export async function signInAtService(browser, username, password) {
  const has = (selector) => browser.run("return !!document.querySelector(values[0])", selector).catch(() => false);
  const consent = 'button[name="decision"][value="allow"]';
  await eventually(async () => (await has('input[name="login"]')) || (await has(consent)), "The service asks neither for a password nor for consent.");
  if (!(await has(consent))) {
    await browser.type('input[name="login"]', username);
    await browser.type('input[name="password"]', password);
    await browser.click("form button[type=submit], form button:not([type])");
  }
  await browser.click(consent);
}
