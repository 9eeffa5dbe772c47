// TypeScript types of the schemas of the OpenAPI document.
import { formerName } from "./names.mjs";

/** Schemas of items have the fields of a table as a type parameter. */
const GENERIC = new Set(["Item", "ItemBatch", "ItemListing", "ItemOperation", "ItemPatch", "ItemPut", "ItemValue", "ProjectItem", "ProjectItemListing"]);

/** The resources whose IDs have types: parts of the names of members, and what descriptions call them. */
const RESOURCES = {
  account: "account",
  "API key": "key",
  invite: "invite",
  key: "key",
  member: "account",
  owner: "account",
  "personal access token": "token",
  project: "project",
  provider: "provider",
  team: "team",
  token: "token",
  user: "user",
  webhook: "webhook",
};
const DESCRIBED = new RegExp(`^(?:Unique )?ID of the (${Object.keys(RESOURCES).join("|")})(?:\\.| in the project)`);

const isIdentifier = (name) => /^[A-Za-z_$][\w$]*$/.test(name);
export const quoted = (name) => (isIdentifier(name) ? name : JSON.stringify(name));

/** Returns a comment, or nothing for an empty text. */
export function comment(text, indent = "") {
  if (!text) return "";
  const lines = text.replaceAll("*/", "* /").trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Returns whether a type contains the fields of a table. */
export function isGeneric(schema) {
  const found = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...found].some(([, name]) => GENERIC.has(name));
}

/** Returns the type of a member or parameter that may be the ID of a resource. */
export function typeOfMember(name, { description = "", ...schema }, prefix = "", indent = "") {
  const type = typeOf(schema, prefix, indent);
  const resource = RESOURCES[name === "id" ? DESCRIBED.exec(description)?.[1] : name.replace(/_id$/, "")];
  if (!resource || !/(^|_)id$/.test(name) || !/^string( \| null)?$/.test(type)) return type;
  return type.replace("string", `${prefix}Id<"${resource}">`);
}

/** Returns the type of a schema. `prefix` precedes the names of models. */
export function typeOf(schema, prefix = "", indent = "") {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return prefix + name + (GENERIC.has(name) ? "<T>" : "");
  }
  const inner = (part) => typeOf(part, prefix, indent);
  if (schema.oneOf ?? schema.anyOf) return unique((schema.oneOf ?? schema.anyOf).map(inner)).join(" | ");
  if (schema.allOf) return schema.allOf.map((part) => wrapped(inner(part))).join(" & ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = [schema.type ?? (schema.properties ? "object" : "unknown")].flat();
  return unique(types.map((type) => single(schema, type, prefix, indent))).join(" | ");
}

const unique = (types) => [...new Set(types)];
const wrapped = (type) => (type.includes(" | ") ? `(${type})` : type);

function single(schema, type, prefix, indent) {
  if (schema.format === "binary") return "Blob";
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return `${wrapped(typeOf(schema.items ?? {}, prefix, indent))}[]`;
    case "object":
      return objectType(schema, prefix, indent);
    default:
      return "unknown";
  }
}

function objectType(schema, prefix, indent) {
  const more = `${indent}  `;
  const required = new Set(schema.required ?? []);
  // What the service ignores has no effect: programs need not know it.
  const sent = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly);
  const members = sent.map(([name, member]) => {
    const type = typeOfMember(name, member, prefix, more);
    return `${comment(member.description, more)}${more}${quoted(name)}${required.has(name) ? "" : "?"}: ${type};\n`;
  });
  const { additionalProperties: rest } = schema;
  if (rest) members.push(`${more}[name: string]: ${members.length || rest === true ? "unknown" : typeOf(rest, prefix, more)};\n`);
  return members.length ? `{\n${members.join("")}${indent}}` : "Record<string, never>";
}

const CHANGES = `/** The fields of an item that change. Null removes an optional one. */
export interface ItemChanges<T = Fields> {
  value: Changes<T>;
}
`;

/** Returns the declarations of all models, and of their former names. */
export function models(schemas) {
  const renamed = Object.keys(schemas).filter(formerName);
  const former = renamed.map((name) => `/** @deprecated Use \`${name}\`. */\nexport type ${formerName(name)} = ${name};\n`);
  const current = Object.entries(schemas).map(([name, schema]) => {
    const head = comment(schema.description);
    if (name === "Item") return `${head}export type Item<T = Fields> = { id: string; created_at: string; updated_at: string } & T;\n`;
    if (name === "ItemValue") {
      const value = comment(schema.properties.value.description, "  ");
      return `${head}export interface ItemValue<T = Fields> {\n${value}  value: T;\n}\n\n${CHANGES}`;
    }
    if (name === "ItemPut" || name === "ItemPatch") {
      const { value, ...properties } = schema.properties;
      const fields = `${comment(value.description, "  ")}  value: ${name === "ItemPut" ? "T" : "Changes<T>"};\n}`;
      return `${head}export interface ${name}<T = Fields> ${typeOf({ ...schema, properties }).replace(/}$/, fields)}\n`;
    }
    const parameter = GENERIC.has(name) ? "<T = Fields>" : "";
    const type = typeOf(schema);
    const isInterface = type.startsWith("{") && !schema.oneOf && !schema.allOf;
    return head + (isInterface ? `export interface ${name}${parameter} ${type}\n` : `export type ${name}${parameter} = ${type};\n`);
  });
  return [...current, ...former];
}
