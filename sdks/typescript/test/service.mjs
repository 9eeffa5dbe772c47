// The service under test, and people who use it. The tests start with the account of a developer:
// STEWARD_TEST_URL, STEWARD_TEST_USERNAME and STEWARD_TEST_PASSWORD.
import { readFileSync } from "node:fs";
import { createAdmin } from "@steward/sdk/admin";

export { eventually } from "./eventually.mjs";

function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} to run the tests against a service.`);
  return value;
}

export const url = setting("STEWARD_TEST_URL");
export const password = setting("STEWARD_TEST_PASSWORD");
export const openapi = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));

/** The page to which the service redirects. Nothing listens on it. */
export const CALLBACK = "http://127.0.0.1:49152/callback";

/** The schema of the projects. `steward schema types --lang typescript` prints test/tables.ts for it. */
export const SCHEMA = JSON.parse(readFileSync(new URL("schema.json", import.meta.url), "utf8"));

let count = 0;
/** A name that no other test uses. */
export const unique = (prefix) => `${prefix}-${Date.now().toString(36)}${process.pid.toString(36)}${(count++).toString(36)}`;

/** Returns a client that acts for an account. */
export async function signedIn(username, options = {}) {
  const { access_token } = await createAdmin({ url }).auth.logIn({ username, password });
  return createAdmin({ url, token: access_token, ...options });
}

/** Returns a client that acts for the developer. */
export const developer = (options) => signedIn(setting("STEWARD_TEST_USERNAME"), options);

/** Creates an account. Returns its username. */
export async function signUp(prefix) {
  const username = unique(prefix);
  await createAdmin({ url }).auth.signUp({ email: `${username}@example.com`, username, password });
  return username;
}

/** Creates a project with a schema in a new team. Returns the IDs. */
export async function createProject(admin) {
  const team = await admin.teams.create({ name: "Acme", slug: unique("acme") });
  const project = await admin.projects.create({ name: unique("Rocket"), team_id: team.id });
  await admin.schemas.publish(project.id, { schema: SCHEMA });
  return { teamId: team.id, projectId: project.id };
}

/** A browser without scripts: it keeps cookies, follows redirects of the service, and submits forms. */
class Browser {
  #cookies = new Map();

  async open(address, body) {
    for (let count = 0; count < 20; count += 1) {
      const target = new URL(address, url);
      if (target.origin !== new URL(url).origin) return { left: target };
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { accept: "text/html", cookie, origin: target.origin, "sec-fetch-site": "same-origin" };
      const response = await fetch(target, { method: body ? "POST" : "GET", body, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) {
        const [name, value] = line.split(";")[0].split("=");
        this.#cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (!location) return { at: target, html: await response.text() };
      address = new URL(location, target).href;
      body = undefined;
    }
    throw new Error("Too many redirects.");
  }

  /** Submits the form of a page with its hidden fields. */
  submit({ at, html }, fields) {
    const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [tag.match(/name="([^"]*)"/)?.[1], tag.match(/value="([^"]*)"/)?.[1] ?? ""]);
    const unescape = (text) => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
    const body = new URLSearchParams(hidden.filter(([name]) => name).map(([name, value]) => [name, unescape(value)]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const action = html.match(/<form[^>]*action="(\/auth\/(?:sign-in|consent)[^"]*)"/)?.[1] ?? at.href;
    return this.open(new URL(unescape(action), at).href, body);
  }
}

/** Signs a person in at an authorization request, and allows the access. Returns the URL to which the service redirects. */
export async function allow(authorizationUrl, username) {
  const browser = new Browser();
  let page = await browser.open(authorizationUrl);
  if (page.at?.pathname.endsWith("/sign-in")) page = await browser.submit(page, { login: username, password });
  if (page.at?.pathname.endsWith("/consent")) page = await browser.submit(page, { decision: "allow" });
  if (!page.left) throw new Error(`The browser is at ${page.at}: ${page.html}`);
  return page.left.href;
}
