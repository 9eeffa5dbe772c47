// The services under test, with a developer and a person on each, and the projects of the examples. STEWARD_TEST_URLS has the
// URLs, separated by spaces; STEWARD_TEST_USERNAME and STEWARD_TEST_PASSWORD are the account of the developer.
import { readFileSync } from "node:fs";
import { eventually } from "../../sdks/typescript/test/eventually.mjs";

export { eventually };

/** Returns an environment variable that the tests require. */
export function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} to run the tests against a service.`);
  return value;
}

export const urls = setting("STEWARD_TEST_URLS").split(" ");
export const developer = setting("STEWARD_TEST_USERNAME");
export const password = setting("STEWARD_TEST_PASSWORD");

const SCHEMA = JSON.parse(readFileSync(new URL("../schema.json", import.meta.url), "utf8"));

let count = 0;
/** A name that no other test uses. */
export const unique = (prefix) => `${prefix}-${Date.now().toString(36)}${process.pid.toString(36)}${(count++).toString(36)}`;

/** What the tests do on a service besides the app: as its developer, and as another device. */
export class Service {
  static async connect(url) {
    // The SDK is installed by the test first.
    const { createAdmin } = await import("@steward/sdk/admin");
    const { access_token } = await createAdmin({ url }).auth.logIn({ username: developer, password });
    const service = new Service();
    service.url = url;
    service.admin = createAdmin({ url, token: access_token });
    service.person = unique("ann");
    await service.admin.auth.signUp({ email: `${service.person}@example.com`, username: service.person, password });
    service.team = await service.admin.teams.create({ name: "Acme", slug: unique("acme") });
    return service;
  }

  /** Creates a project with the schema of the examples. Returns its ID. */
  async createProject() {
    const project = await this.admin.projects.create({ name: unique("Notes"), team_id: this.team.id });
    await this.admin.schemas.publish(project.id, { schema: SCHEMA });
    return project.id;
  }

  /** Waits until the person has connected to a project, and returns the notes of this user. */
  async notes(projectId) {
    const user = await eventually(async () => (await this.admin.users.list(projectId).first(1))[0], "Nobody has signed in.");
    const path = [projectId, user.id, "notes"];
    return {
      put: (id, value) => this.admin.items.put(...path, id, { value }),
      named: async (title) => (await this.admin.items.list(...path).all()).find((note) => note.title === title),
    };
  }
}
