// The service under test, and people who use it. The tests start with the account of a developer:
// STEWARD_TEST_URL, STEWARD_TEST_USERNAME and STEWARD_TEST_PASSWORD.
import { readFileSync } from "node:fs";
import { createAdmin } from "@steward/sdk/admin";
import { allow as allowAs } from "./forms.mjs";

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
export async function createProject(admin, schema = SCHEMA) {
  const team = await admin.teams.create({ name: "Acme", slug: unique("acme") });
  const project = await admin.projects.create({ name: unique("Rocket"), team_id: team.id });
  await admin.schemas.publish(project.id, { schema });
  return { teamId: team.id, projectId: project.id };
}

/** Signs a person in at an authorization request, and allows the access. Returns the URL to which the service redirects. */
export const allow = (authorizationUrl, username) => allowAs(authorizationUrl, username, password);
