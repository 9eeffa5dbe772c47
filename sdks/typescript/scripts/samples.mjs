// A sample of each operation, with the arguments of the examples in the document.
import { readFileSync } from "node:fs";
import { idName } from "./methods.mjs";
import { quoted } from "./types.mjs";

const WIDTH = 100;
const hints = JSON.parse(readFileSync(new URL("../../samples.json", import.meta.url), "utf8"));
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

const PREAMBLE = `// sample: preamble
import { openAsBlob } from "node:fs"; // to upload images
import { writeFile } from "node:fs/promises"; // to store them
import { createAdmin } from "@steward/sdk/admin";

const admin = createAdmin({ url: "http://localhost:3003", token: process.env.STEWARD_TOKEN });
// end
`;

/** Source that is not a value, such as the name of a variable. */
class Source {
  constructor(text) {
    this.text = text;
  }
}

/** Replaces the IDs of an example with variables. */
function withVariables(value, name) {
  if (Array.isArray(value)) return value.map((entry) => withVariables(entry, name));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withVariables(member, key)]));
  }
  if (hints.members.includes(name)) return new Source(camel(name));
  return name !== "id" && hints.ids[value] ? new Source(camel(hints.ids[value])) : value;
}

function onLine(value) {
  if (value instanceof Source) return value.text;
  if (Array.isArray(value)) return `[${value.map(onLine).join(", ")}]`;
  if (!value || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => (member?.text === name ? name : `${quoted(name)}: ${onLine(member)}`));
  return members.length ? `{ ${members.join(", ")} }` : "{}";
}

/** The source of a value that starts at a column: on one line if it fits. */
function literal(value, indent, column) {
  const line = onLine(value);
  if (column + line.length < WIDTH || !value || typeof value !== "object" || value instanceof Source) return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const more = `${indent}  `;
  const entries = Object.entries(value).map(([name, member]) => {
    if (Array.isArray(value)) return `${more}${literal(member, more, more.length)},\n`;
    if (member?.text === name) return `${more}${name},\n`;
    const start = `${more}${quoted(name)}: `;
    return `${start}${literal(member, more, start.length)},\n`;
  });
  return `${open}\n${entries.join("")}${indent}${close}`;
}

/** The first example of a body, without the members that have none. */
function exampleOf({ operation }) {
  const [content] = Object.values(operation.requestBody.content);
  const example = Object.values(content.examples ?? {})[0]?.value ?? {};
  return Object.fromEntries(Object.entries(example).filter(([, value]) => value !== "text"));
}

function bodyOf(entry) {
  if (!entry.body) return [];
  if (entry.body.kind === "multipart") {
    return [{ file: new Source(`await openAsBlob(${JSON.stringify(hints.files[entry.id] ?? "image.png")})`) }];
  }
  return [withVariables(hints.bodies[entry.id] ?? exampleOf(entry))];
}

function queryOf({ id, query }) {
  const examples = query.filter(({ name, example }) => example !== undefined && !["limit", "cursor"].includes(name));
  const values = hints.query[id] ?? Object.fromEntries(examples.map(({ name, example }) => [name, example]));
  return Object.keys(values).length ? [withVariables(values)] : [];
}

/** The call: only its last argument takes more than one line. */
function callOf(entry, start) {
  const name = (parameter) => (parameter.name === "id" ? "projectId" : idName(parameter, entry.path));
  const ids = entry.ids.map((parameter) =>
    parameter.name in hints.arguments ? hints.arguments[parameter.name] : new Source(name(parameter)),
  );
  const values = [...ids, ...bodyOf(entry), ...queryOf(entry)];
  const before = `${start}admin.${entry.group}.${entry.method}(${values.slice(0, -1).map((value) => `${onLine(value)}, `).join("")}`;
  return values.length ? `${before}${literal(values.at(-1), "", before.length + 2)})` : `${before})`;
}

/** The name of the schema that the SDK returns, and whether it returns an array of them. */
function returned({ response }) {
  const schema = response.isList ? response.entry : (response.schema ?? {});
  const isArray = schema.type === "array";
  return { name: (isArray ? schema.items : schema).$ref?.split("/").at(-1), isArray };
}

/** The statements of a sample. */
function statements(entry) {
  const { name, isArray } = returned(entry);
  if (entry.response.kind === "empty") return `${callOf(entry, "await ")};`;
  if (entry.response.kind === "blob") {
    const file = JSON.stringify(hints.files[entry.id] ?? "image.png");
    return `${callOf(entry, "const image = await ")};\nawait writeFile(${file}, image.stream());`;
  }
  const hint = [entry.id, name].map((key) => hints.results[key]).find((found) => found !== undefined) ?? null;
  if (hint === null) return `${callOf(entry, "await ")};`;
  if (entry.response.isList) return loop("for await", hint, entry, "");
  if (isArray && !hint.includes("[].")) return loop("for", hint, entry, "await ");
  const [, declared, member] = /^(\{.*\}|\w+)(.*)$/.exec(hint);
  const variable = declared.replace(/[{}]/g, "").split(":").at(-1);
  const pattern = declared.startsWith("{") ? `{ ${declared.slice(1, -1).replace(":", ": ")} }` : variable;
  const first = `${callOf(entry, `const ${pattern} = await `)};\n`;
  if (!member.startsWith("[]")) return `${first}console.log(${variable}${member});`;
  const single = variable.replace(/s$/, "");
  return `${first}for (const ${single} of ${variable}) console.log(${single}${member.slice(2)});`;
}

/** A loop that prints a member of each entry. */
function loop(keyword, printed, entry, before) {
  const head = (list) => `${keyword} (const ${printed.split(".")[0]} of ${list})`;
  const body = `console.log(${printed});`;
  const call = callOf(entry, before);
  if (call.includes("\n")) return `${callOf(entry, `const list = ${before}`)};\n${head("list")} ${body}`;
  return `${head(call)}${head(call).length + body.length < WIDTH ? " " : "\n  "}${body}`;
}

/** Returns the file with all samples. */
export function samples(entries) {
  const names = new Set(entries.flatMap(({ ids }) => ids.filter((id) => id.name !== "id" && !(id.name in hints.arguments)).map(({ name }) => camel(name))));
  hints.members.forEach((name) => names.add(camel(name)));
  const declared = [...names].sort().map((name) => `declare const ${name}: string;\n`).join("");
  const blocks = entries.map((entry) => `{\n// sample: ${entry.id}\n${statements(entry)}\n// end\n}\n`);
  return `${PREAMBLE}\n${declared}\n${blocks.join("\n")}`;
}
