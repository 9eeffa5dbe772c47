// Generates the types and methods of all operations from the OpenAPI document: `node scripts/generate.mjs`. With
// `--check`, it writes nothing and fails if a generated file is not current.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { nameOf, SINGLE_REQUESTS } from "./names.mjs";
import { comment, isGeneric, models, quoted, typeOf } from "./types.mjs";

const DOCUMENT = new URL("../../../docs/openapi.json", import.meta.url);
const OUTPUT = new URL("../src/generated/", import.meta.url);
const HEAD = "// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.\n\n";

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => name[0].toUpperCase() + name.slice(1);

/** Resolves a reference to a component. */
function resolve(document, value) {
  if (!value?.$ref) return value;
  return value.$ref.slice(2).split("/").reduce((part, key) => part[key], document);
}

/** What the SDK does with the body of the response. */
function responseOf(document, operation) {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code < "400");
  if (status.startsWith("3")) return { kind: "location", type: "string" };
  const content = resolve(document, response).content ?? {};
  const type = Object.keys(content)[0];
  if (!type) return { kind: "empty", type: "void" };
  if (type === "text/html") return { kind: "text", type: "string" };
  if (type.startsWith("image/")) return { kind: "blob", type: "Blob" };
  const { schema } = content[type];
  const shape = resolve(document, schema);
  const { data, ...others } = shape.properties ?? {};
  const parameters = (operation.parameters ?? []).map((parameter) => parameter.name);
  const isList = data?.type === "array" && ["limit", "cursor"].every((name) => parameters.includes(name));
  if (data && Object.keys(others).length === 0) return { kind: "data", schema: data, isList, entry: data.items };
  return { kind: "json", schema, isList, entry: data?.items };
}

/** How the body of the request is sent. */
function bodyOf(operation) {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  const kinds = { "application/json": "json", "application/x-www-form-urlencoded": "form", "multipart/form-data": "multipart" };
  const type = Object.keys(kinds).find((name) => content[name]);
  if (!type) throw new Error(`${operation.operationId} has a body of an unknown type: ${Object.keys(content)}.`);
  return { kind: kinds[type], schema: content[type].schema, isRequired: operation.requestBody.required === true };
}

function read(document) {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
      const inside = (place) => parameters.filter((parameter) => parameter.in === place);
      return {
        id: operation.operationId,
        ...nameOf(path, operation.operationId),
        verb: method.toUpperCase(),
        path,
        operation,
        ids: inside("path"),
        query: inside("query"),
        headers: inside("header").map((parameter) => parameter.name),
        body: bodyOf(operation),
        response: responseOf(document, operation),
      };
    }),
  );
  const names = found.map(({ group, method }) => `${group}.${method}`);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double) throw new Error(`Two operations are named ${double}. Name one of them in scripts/names.mjs.`);
  return found;
}

/** The row of an operation, which the runtime reads. */
function row({ id, verb, path, headers, body, response, query }) {
  const exploded = query.find((parameter) => parameter.schema?.type === "object");
  const members = {
    method: verb,
    path,
    ...(headers.includes("Idempotency-Key") && { isKeyed: true }),
    ...(body && { body: body.kind }),
    ...(exploded && { exploded: exploded.name }),
    response: response.kind,
  };
  const text = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `  ${id}: { ${text.join(", ")} },\n`;
}

function queryType(name, query, isList) {
  const members = query.map((parameter) => {
    const isExploded = parameter.schema?.type === "object";
    const isRequired = parameter.required && !isExploded;
    const type = isExploded ? "Record<string, string | readonly string[]>" : typeOf(parameter.schema, "m.");
    const text = isList && parameter.name === "limit" ? `Entries per page. ${parameter.description ?? ""}` : parameter.description;
    return `${comment(text, "  ")}  ${quoted(parameter.name)}${isRequired ? "" : "?"}: ${type};\n`;
  });
  return `/** Parameters of the query of \`${name}\`. */\nexport interface ${pascal(name)}Query {\n${members.join("")}}\n`;
}

function idName({ name }, path) {
  if (name !== "id") return camel(name);
  return path.startsWith("/project") ? "projectId" : "id";
}

/** The method, or the two methods, of an operation. */
function methods(entry) {
  const { id, operation, ids, query, headers, body, response, path } = entry;
  const isItems = ids.some((parameter) => parameter.name === "table_id");
  const generic = (body && isGeneric(body.schema)) || (response.schema && isGeneric(response.schema)) || isItems;
  const parts = ids.map((parameter) => ({ name: idName(parameter, path), type: "string", isRequired: true, description: parameter.description }));
  if (body) parts.push({ name: "body", type: typeOf(body.schema, "m."), isRequired: body.isRequired, description: "The body of the request." });
  const mustQuery = query.some((parameter) => parameter.required && parameter.schema?.type !== "object");
  if (query.length) parts.push({ name: "query", type: `${pascal(id)}Query`, isRequired: mustQuery, description: "Parameters of the query." });
  const options = ["CallOptions", headers.includes("Idempotency-Key") && "KeyedOptions", headers.includes("If-Match") && "ConditionalOptions"];
  const optionType = options.filter(Boolean).join(" & ");
  const passed = `operations.${id}, [${ids.map((parameter) => idName(parameter, path)).join(", ")}], ${body ? "body" : "undefined"}, ${query.length ? "query" : "undefined"}, options`;
  const notes = [
    [operation.summary, operation.description].filter(Boolean).join(".\n\n"),
    operation["x-permission"] && `Requires the permission \`${operation["x-permission"].split(" ").join("` and `")}\`.`,
    operation["x-confirmation"] === "always" && "Requires a recent sign-in, unless the credential is a personal token or an API key.",
  ].filter(Boolean);
  const parameters = parts.map(({ name, description }) => `@param ${name} ${(description ?? "").split("\n")[0]}`);
  const declared = [...parts.map((part) => `${part.name}${part.isRequired ? "" : "?"}: ${part.type}`), `options?: ${optionType}`];
  const method = (name, type, call) =>
    `${comment([notes.join("\n\n"), parameters.join("\n")].filter(Boolean).join("\n\n"), "  ")}  ${quoted(name)}${generic ? "<T extends object = m.Fields>" : ""}(${declared.join(", ")}): ${type} {\n    return this._${call}(${passed});\n  }\n`;
  const whole = response.type ?? typeOf(response.schema, "m.");
  if (!response.isList) return [method(entry.method, `Call<${whole}>`, "call")];
  const list = method(entry.method, `List<${typeOf(response.entry, "m.")}>`, "list");
  return SINGLE_REQUESTS[id] ? [list, method(SINGLE_REQUESTS[id], `Call<${whole}>`, "call")] : [list];
}

/** Returns the generated files: names and contents. */
export function generate(document) {
  const entries = read(document);
  const groups = Map.groupBy ? Map.groupBy(entries, (entry) => entry.group) : grouped(entries);
  const names = [...groups.keys()].sort();
  const codes = document.components.schemas.ErrorBody.properties.error.enum;
  const classes = names.map((group) => {
    const members = groups.get(group).flatMap(methods);
    return `/** The operations in \`${group}\`. */\nexport class ${pascal(group)} extends Resource {\n${members.join("\n")}}\n`;
  });
  const fields = names.map((group) => `  readonly ${group}: ${pascal(group)};\n`);
  const set = names.map((group) => `    this.${group} = new ${pascal(group)}(transport);\n`);
  const all = `/** All groups of operations. */\nexport class Operations {\n${fields.join("")}\n  /** @internal */\n  constructor(transport: Transport) {\n${set.join("")}  }\n}\n`;
  const queries = entries.filter((entry) => entry.query.length).map((entry) => queryType(entry.id, entry.query, entry.response.isList));
  const imports = 'import type { Call, CallOptions, ConditionalOptions, KeyedOptions, List } from "../admin/call.js";\nimport { Resource } from "../admin/resource.js";\nimport type { Transport } from "../transport.js";\nimport type * as m from "./models.js";\nimport { operations } from "./operations.js";\n\n';
  return {
    "codes.ts": `${HEAD}/** Codes of the errors of the service. */\nexport type ErrorCode =\n${codes.map((code) => `  | ${JSON.stringify(code)}`).join("\n")};\n`,
    "models.ts": `${HEAD}/** Fields of an item of any table. */\nexport type Fields = Record<string, unknown>;\n\n${models(document.components.schemas).join("\n")}`,
    "operations.ts": `${HEAD}import type { Operation } from "../admin/call.js";\n\n/** A row for each operation of the API. */\nexport const operations = {\n${entries.map(row).join("")}} as const satisfies Record<string, Operation>;\n`,
    // Apart from the others, so that the bundle of an app has only these.
    "own_items.ts": `${HEAD}import type { Operation } from "../admin/call.js";\n\n/** The rows of the operations of the items of the signed-in user. */\nexport const ownItems = {\n${entries.filter((entry) => entry.group === "ownItems").map(row).join("")}} as const satisfies Record<string, Operation>;\n`,
    "resources.ts": HEAD + imports + [...queries, ...classes, all].join("\n"),
  };
}

/** `Map.groupBy` of Node.js 21 and newer. */
function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return groups;
}

/** Returns the group, the method and the operation of each row, for tests. */
export const describe = (document) => read(document);

if (process.argv[1] && import.meta.url.endsWith("/scripts/generate.mjs") && process.argv[1].endsWith("generate.mjs")) {
  const files = Object.entries(generate(JSON.parse(readFileSync(DOCUMENT, "utf8"))));
  mkdirSync(OUTPUT, { recursive: true });
  const current = (name) => { try { return readFileSync(new URL(name, OUTPUT), "utf8"); } catch { return ""; } };
  const old = files.filter(([name, text]) => current(name) !== text).map(([name]) => name);
  if (process.argv.includes("--check")) {
    if (old.length) console.error(`${old.join(", ")} in src/generated: not current. Run \`npm run generate\`.`);
    process.exitCode = old.length ? 1 : 0;
  } else {
    files.forEach(([name, text]) => writeFileSync(new URL(name, OUTPUT), text));
  }
}
