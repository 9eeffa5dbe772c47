// The SDK, packed as it is published.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXAMPLES = fileURLToPath(new URL("..", import.meta.url));
const SDK = join(EXAMPLES, "../sdks/typescript");
/** The directory of all packages, and the apps that serve the SDK from their own. */
const INSTALLED = [".", "express", "hono", "html"];

/** Installs the SDK in the packages of the examples. The lock file does not list it, because it is not published. */
export function installSdk() {
  for (const file of readdirSync(EXAMPLES)) if (file.endsWith(".tgz")) rmSync(join(EXAMPLES, file));
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", EXAMPLES], { cwd: SDK, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf("[\n")));
  for (const directory of INSTALLED.map((path) => join(EXAMPLES, path, "node_modules/@steward/sdk"))) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    execFileSync("tar", ["xzf", join(EXAMPLES, filename), "-C", directory, "--strip-components=1"]);
  }
}
