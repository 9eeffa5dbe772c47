// Each example, started with the command of its guide, against a service: a person signs in, reads, writes, and sees the
// change of another device.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../../sdks/typescript/test/webdriver.mjs";
import { BUTTON, NativeApp, Page, startApp } from "./app.mjs";
import { commandsOf, filesOf } from "./guide.mjs";
import { installSdk } from "./sdk.mjs";
import { eventually, password, Service, setting, urls } from "./service.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NAMES = ["react", "html", "vue", "sveltekit", "sveltekit-server", "nextjs", "nextjs-server", "express", "hono", "expo"];
/** The examples with an API of their own. */
const SERVERS = ["nextjs", "express", "hono"];
/** The examples whose server has the sessions, with the ones whose packages they have. */
const SESSIONS = { "nextjs-server": "nextjs", "sveltekit-server": "sveltekit" };
/** How many lines an example may have: what its author writes, without the configuration of its tools. Some have a server, too. */
const MAX_LINES = 60;
const MAX_SERVER_LINES = 85;
/** The secret of the examples that have sessions. */
const ENVIRONMENT = { SESSION_SECRET: "of the tests, which is long enough for anyone" };

let browser, services;

before(async () => {
  installSdk();
  services = await Promise.all(urls.map((url) => Service.connect(url)));
  browser = await startBrowser();
});
after(() => browser?.stop());

test("tables.ts is what the command line prints for schema.json", () => {
  const printed = execFileSync(setting("STEWARD_TEST_BINARY"), ["schema", "types", "--lang", "typescript", "--file", join(ROOT, "schema.json")], { encoding: "utf8" });
  assert.equal(readFileSync(join(ROOT, "tables.ts"), "utf8"), printed);
});

NAMES.forEach((name, index) => {
  test(name, async () => {
    const service = services[index % services.length];
    const directory = join(ROOT, name);
    const projectId = await service.createProject();
    writeFileSync(join(directory, "steward.json"), JSON.stringify({ server: service.url, project: projectId }));
    if (name !== "html") copyFileSync(join(ROOT, "tables.ts"), join(directory, "tables.ts"));
    const began = performance.now();
    const app = await startApp(...(name === "expo" ? ["../../node_modules/.bin/vite --port 5173", join(ROOT, "test/native")] : [commandsOf(name).at(-1), directory, ENVIRONMENT]));
    const started = performance.now();
    try {
      const page = name === "expo" ? new NativeApp(browser, app) : new Page(browser, app);
      if (name === "expo") await service.admin.settings.update(projectId, redirectUrisOf(name));
      await page.signIn(service.person, password);
      const notes = await service.notes(projectId);

      await notes.put("first", { title: "From another device" });
      await page.shows("li", "From another device");
      if (name in SESSIONS) await assertRenders(app, page);
      await page.add("Buy milk");
      const { id, done } = await eventually(() => notes.named("Buy milk"), "The note was not stored.");
      assert.equal(done, false);
      await browser.click(page.checkbox("Buy milk"));
      await eventually(async () => (await notes.named("Buy milk")).done, "The note is not done.");
      await notes.put(id, { title: "Buy tea", done: false });
      await page.shows("li", "Buy tea");
      assert.deepEqual((await page.titles()).sort(), ["Buy tea", "From another device"]);
      await page.until(`![...document.querySelectorAll("li input")].some((box) => box.checked)`);

      if (SERVERS.includes(name)) await assertVerifies(app, page);

      await browser.click(BUTTON("Sign out"));
      await page.shows("button, [role=button]", "Sign in");
      assert.deepEqual(await page.titles(), []);
    } finally {
      await app.stop();
    }
    console.log(`# ${name}: started in ${Math.round(started - began)} ms, used in ${Math.round(performance.now() - started)} ms`);
  });

  test(`${name}: its guide shows the whole code, which is short`, () => {
    const files = filesOf(name);
    for (const [path, code] of files) assert.equal(code, readFileSync(join(ROOT, name, path), "utf8"), path);
    for (const [path, code] of files) assert.doesNotMatch(code, /\bupdate\b/, `${path}: the word for items is patch.`);
    const shown = files.map(([path]) => path);
    const written = sourcesOf(join(ROOT, name));
    assert.deepEqual(written.filter((path) => !shown.includes(path)), []);
    const lines = files.filter(([path]) => !isConfiguration(path)).reduce((sum, [, code]) => sum + code.trimEnd().split("\n").length, 0);
    assert.ok(lines <= (name in SESSIONS ? MAX_SERVER_LINES : MAX_LINES), `${lines} lines`);
  });
});

/** The settings that a guide registers: those of the last JSON in its commands. */
const redirectUrisOf = (name) => JSON.parse(commandsOf(name).findLast((command) => command.includes("redirect_uris")).match(/^\{.*\}$/m)[0]);

/** Checks that the API of an app stores notes with a valid token only. */
async function assertVerifies(app, page) {
  const add = async (token, title) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${app.origin}/api/notes`, { method: "POST", headers, body: JSON.stringify({ title, done: false }) });
    return { status: response.status, body: await response.json() };
  };
  const token = await page.browser.run('return JSON.parse(Object.entries(localStorage).find(([key]) => /^steward:[0-9a-f-]+$/.test(key))[1]).accessToken');
  const [header, claims, signature] = token.split(".");
  const forged = [header, claims, signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))].join(".");
  for (const invalid of [undefined, "nothing", forged]) assert.equal((await add(invalid, "Invalid")).status, 401);
  const { status, body } = await add(token, 1);
  assert.deepEqual([status, typeof body.error], [400, "string"], "The schema is checked.");
  assert.equal((await add(token, "From the API")).status, 201);
  await page.shows("li", "From the API");
  assert.ok(!(await page.titles()).includes("Invalid"));
}

/** Checks that the server renders the notes, and that scripts cannot read the session. */
async function assertRenders(app, page) {
  await page.browser.open(app.origin);
  await page.shows("li", "From another device");
  // Until its scripts run, a page can have a form that they would handle.
  await page.until('!document.querySelector("button:disabled")');
  const { cookies, stored, html, token } = await page.browser.run(`
    const html = await (await fetch("/")).text();
    const token = await (await fetch("/auth/token", { method: "POST" })).json();
    return { cookies: document.cookie, stored: JSON.stringify(localStorage), html, token };`);
  assert.ok(!cookies.includes("steward"), cookies);
  assert.match(html, /<li>.*From another device/s);
  assert.ok(token.access_token && !token.refresh_token && !stored.includes(token.access_token));
  const other = await fetch(`${app.origin}/auth/token`, { method: "POST", headers: { origin: "https://evil.example" } });
  assert.equal(other.status, 403);
}

test("the programs and their types compile", () => {
  for (const name of NAMES.filter((name) => ["hono", "nextjs", "nextjs-server", "react"].includes(name))) {
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["--project", join(ROOT, name), "--incremental", "false"], { encoding: "utf8", stdio: "pipe" });
  }
});

test("the guides install the packages of the lock file", () => {
  // The versions of packages for Expo depend on that of Expo, which is not installed here.
  for (const name of NAMES.filter((name) => name !== "expo")) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, SESSIONS[name] ?? name, "package.json"), "utf8"));
    const expected = Object.entries({ ...dependencies, ...devDependencies }).map(([dependency, range]) => `${dependency}@${range.match(/\d+/)}`);
    const installed = commandsOf(name).flatMap((command) => command.match(/(?:@[\w-]+\/)?[\w.-]+@\d+/g) ?? []);
    assert.deepEqual(installed.sort(), expected.sort(), name);
  }
});

const isConfiguration = (path) => /^((tsconfig|app)\.json|[a-z]+\.config\.(js|ts|mjs))$/.test(path);

/** The files of an example that its author writes: paths. */
function sourcesOf(directory) {
  const generated = /^(package\.json|steward\.json|tables\.ts|next-env\.d\.ts)$/;
  const all = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = all.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(directory.length + 1));
  return paths.filter((path) => !/(^|\/)(node_modules|\.next|\.svelte-kit)\//.test(path) && !generated.test(path));
}
