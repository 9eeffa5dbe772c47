// What a new developer does: only the commands and code of the quickstart and of a guide, in an empty directory, with a
// service that runs already. Prints how long it took. STEWARD_TEST_GUIDES names other guides than that of React.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser } from "../../sdks/typescript/test/webdriver.mjs";
import { Page, signInAtService, startApp } from "./app.mjs";
import { commandsOf, filesOf } from "./guide.mjs";
import { developer, eventually, password, setting, unique, urls } from "./service.mjs";

const [url] = urls;
const GUIDES = (process.env.STEWARD_TEST_GUIDES ?? "react").split(" ");
/** How long the commands may take, in milliseconds. They install packages. */
const TIMEOUT = 240_000;

let home, clone, binary, browser, other;

before(async () => {
  home = mkdtempSync(join(tmpdir(), "steward-quickstart-"));
  // A clone of the repository in which `make run` has built the service, of which nothing else is used.
  clone = join(home, "steward");
  mkdirSync(join(clone, "target/quick"), { recursive: true });
  binary = join(clone, "target/quick/steward");
  symlinkSync(setting("STEWARD_TEST_BINARY"), binary);
  [browser, other] = await Promise.all([startBrowser(), startBrowser()]);
});
after(async () => {
  await Promise.all([browser?.stop(), other?.stop()]);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A shell that runs commands one after the other. */
function startShell(commands, cwd, environment) {
  const child = spawn("bash", ["-euo", "pipefail", "-c", commands.join("\n")], { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT });
  const shell = { output: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (shell.output += text));
  shell.done = new Promise((resolve, reject) => {
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`The commands ended with ${code}:\n${shell.output}`))));
  });
  shell.done.catch(() => {});
  return shell;
}

/** Creates a team and a project for the developer, without the SDK, which the commands install. */
async function createProject(slug) {
  const post = async (path, body, token) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  };
  const { access_token } = await post("/auth/login", { username: developer, password });
  const { data } = await post("/team/", { name: "Acme", slug: unique("acme") }, access_token);
  await post("/project/", { name: "Notes", slug, team_id: data.id }, access_token);
}

/** Allows the command line to act for the developer, with the code that it prints. */
async function logIn(shell) {
  const code = await Promise.race([eventually(() => shell.output.match(/enter the code (\S+)/)?.[1], "`steward login` prints no code."), shell.done]);
  assert.ok(code, shell.output);
  await browser.open(`${url}/auth/device`);
  await browser.type('input[name="user_code"]', code);
  await browser.click("form button[type=submit], form button:not([type])");
  await signInAtService(browser, developer, password);
}

/** Writes the files that a guide shows, starts its app, and uses it in two browsers. */
async function useApp(guide, directory, environment, lap) {
  for (const [path, code] of filesOf(guide)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), code);
  }
  const app = await startApp(commandsOf(guide).at(-1), directory, environment);
  try {
    lap("app");
    const page = new Page(browser, app);
    await page.signIn(developer, password);
    await page.add("Buy milk");
    lap("signed in, first note");
    const elsewhere = new Page(other, app);
    await elsewhere.signIn(developer, password);
    await elsewhere.shows("li", "Buy milk");
    await elsewhere.add("Live");
    await page.shows("li", "Live");
    await browser.click(page.checkbox("Buy milk"));
    await elsewhere.until('[...document.querySelectorAll("li")].some((item) => item.textContent.includes("Buy milk") && item.querySelector("input").checked)');
    lap("live in another browser");
  } finally {
    await app.stop();
  }
}

for (const guide of GUIDES) {
  test(`from an empty directory to an app that signs in and shows live notes, with the guide ${guide}`, async () => {
    const quickstart = commandsOf("quickstart").filter((block) => block !== "make run");
    const until = quickstart.findIndex((block) => block.includes("steward schema push"));
    const install = commandsOf(guide).slice(0, -1);
    const { STEWARD_TOKEN, DISPLAY, WAYLAND_DISPLAY, ...environment } = process.env;
    Object.assign(environment, { STEWARD_SERVER: url, XDG_CONFIG_HOME: join(home, "config"), npm_config_audit: "false", npm_config_fund: "false" });
    // The project of the first steps in the console. Other tests have some with the slug that the guide names.
    const slug = unique("notes");
    await createProject(slug);
    const commands = [...quickstart.slice(0, until + 1), ...install].map((block) => block.replace("project get notes", `project get ${slug}`).replaceAll("http://localhost:3003", url));

    const times = [["begin", performance.now()]];
    const lap = (name) => times.push([name, performance.now()]);
    const shell = startShell(commands, clone, environment);
    await logIn(shell);
    lap("signed in on the command line");
    await shell.done;
    lap("project, types and packages");
    const directory = join(home, "notes");
    await useApp(guide, directory, environment, lap);
    const seconds = (from, to) => ((to - from) / 1_000).toFixed(1);
    for (const [index, [name, at]] of times.entries()) if (index > 0) console.log(`# ${name}: ${seconds(times[index - 1][1], at)} s`);
    console.log(`# ${guide}, from nothing to live notes: ${seconds(times[0][1], times.at(-1)[1])} s`);

    const deploy = startShell(quickstart.slice(until + 1), directory, { ...environment, PATH: `${dirname(binary)}:${environment.PATH}` });
    await deploy.done;
    assert.match(deploy.output, /notes\.example\.com/);
    assert.equal(quickstart.length, until + 2);
    rmSync(directory, { recursive: true });
  });
}
