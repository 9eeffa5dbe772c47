// Generates the types and methods of all operations from the OpenAPI document: `node scripts/generate.mjs`. With
// `--check`, it writes nothing and fails if a generated file is not current.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { methods, methodsOfTables, pascal, queryType, row } from "./methods.mjs";
import { read } from "./read.mjs";
import { samples } from "./samples.mjs";
import { models } from "./types.mjs";

const DOCUMENT = new URL("../../../docs/openapi.json", import.meta.url);
const PACKAGE = new URL("..", import.meta.url);
const HEAD = "// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.\n\n";

const IMPORTS = `import type { Call, CallOptions, ConditionalOptions, KeyedOptions, List } from "../admin/call.js";
import { Resource } from "../admin/resource.js";
import type { Transport } from "../transport.js";
import type * as m from "./models.js";
import { operations } from "./operations.js";

`;

const SHARED = `import type { Changes } from "../client/items.js";

/** Fields of an item of any table. */
export type Fields = Record<string, unknown>;

/** The name of a table. */
export type TableName<Tables extends object> = Extract<keyof Tables, string>;

/** The fields of an item in a table. */
export type FieldsOf<Tables extends object, Name extends keyof Tables> = Extract<Tables[Name], object>;

declare const resource: unique symbol;

/** The ID of a resource. Any text can be one, but the ID of a project is none of a user. */
export type Id<Resource extends string> = string & { readonly [resource]?: Resource };

`;

function codes(document) {
  const all = document.components.schemas.ErrorBody.properties.error.enum;
  const union = all.map((code) => `  | ${JSON.stringify(code)}`).join("\n");
  return `/** Codes of the errors of the service. */\nexport type ErrorCode =\n${union};\n`;
}

function rows(name, description, entries) {
  const head = 'import type { Operation } from "../admin/call.js";\n\n';
  const text = entries.map(row).join("");
  return `${head}/** ${description} */\nexport const ${name} = {\n${text}} as const satisfies Record<string, Operation>;\n`;
}

/** The class of a group of operations. */
function group(name, entries) {
  const members = entries.flatMap(methods).join("\n");
  return `/** The operations in \`${name}\`. */\nexport class ${pascal(name)} extends Resource {\n${members}}\n`;
}

/** The class with all groups. */
function allGroups(names) {
  const fields = names.map((name) => `  readonly ${name}: ${pascal(name)};\n`).join("");
  const set = names.map((name) => `    this.${name} = new ${pascal(name)}(transport);\n`).join("");
  const create = `  /** @internal */\n  constructor(transport: Transport) {\n${set}  }\n`;
  return `/** All groups of operations. */\nexport class Operations {\n${fields}\n${create}}\n`;
}

/** Returns the generated files: paths and contents. */
export function generate(document) {
  const entries = read(document);
  const names = [...new Set(entries.map((entry) => entry.group))].sort();
  const entriesOf = (name) => entries.filter((entry) => entry.group === name);
  const queries = entries.map(queryType).filter(Boolean);
  const classes = names.map((name) => group(name, entriesOf(name)));
  const tables = names.flatMap((name) => methodsOfTables(name, entriesOf(name)));
  const files = {
    "src/generated/codes.ts": codes(document),
    "src/generated/models.ts": SHARED + models(document.components.schemas).join("\n"),
    "src/generated/operations.ts": rows("operations", "A row for each operation of the API.", entries),
    // Apart from the others, so that the bundle of an app has only these.
    "src/generated/own_items.ts": rows("ownItems", "The rows of the operations of the items of the signed-in user.", entriesOf("ownItems")),
    "src/generated/resources.ts": IMPORTS + [...queries, ...classes, ...tables, allGroups(names)].join("\n"),
    "samples/operations.ts": samples(entries),
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, HEAD + text]));
}

/** The content of a generated file; nothing if it does not exist. */
function current(name) {
  try {
    return readFileSync(new URL(name, PACKAGE), "utf8");
  } catch {
    return "";
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = Object.entries(generate(JSON.parse(readFileSync(DOCUMENT, "utf8"))));
  const old = files.filter(([name, text]) => current(name) !== text).map(([name]) => name);
  if (process.argv.includes("--check")) {
    if (old.length) console.error(`Not current: ${old.join(", ")}. Run \`npm run generate\`.`);
    process.exitCode = old.length ? 1 : 0;
  } else {
    ["src/generated", "samples"].forEach((folder) => mkdirSync(new URL(folder, PACKAGE), { recursive: true }));
    files.forEach(([name, text]) => writeFileSync(new URL(name, PACKAGE), text));
  }
}
