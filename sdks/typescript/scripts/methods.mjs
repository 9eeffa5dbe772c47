// The source of the methods of operations.
import { SINGLE_REQUESTS } from "./names.mjs";
import { comment, isGeneric, quoted, typeOf, typeOfMember } from "./types.mjs";

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
export const pascal = (name) => name[0].toUpperCase() + name.slice(1);

/** Returns whether each member of a parameter is a parameter of its own, such as the conditions of items. */
const isExploded = (parameter) => parameter.schema?.type === "object";

/** The row of an operation, which the runtime reads. */
export function row({ id, verb, path, headers, body, response, query }) {
  const exploded = query.find(isExploded);
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

/** What a query has in place of the API's `limit` of a page: the word of all SDKs, and that of earlier versions. */
const PAGE_SIZE = "  /** Entries per page: 1 to 1,000, and 100 by default. */\n  pageSize?: number;\n  /** @deprecated Pass `pageSize`. */\n  limit?: number;\n";

/** The type of the parameters of the query; nothing if there are none. */
export function queryType({ id, query, response }) {
  const members = query.map((parameter) => {
    const { name, description, required, schema } = parameter;
    if (response.isList && name === "limit") return PAGE_SIZE;
    const type = isExploded(parameter) ? "Record<string, string | readonly string[]>" : typeOfMember(name, { description, ...schema }, "m.");
    return `${comment(description, "  ")}  ${quoted(name)}${required && !isExploded(parameter) ? "" : "?"}: ${type};\n`;
  });
  if (members.length === 0) return "";
  return `/** Parameters of the query of \`${id}\`. */\nexport interface ${pascal(id)}Query {\n${members.join("")}}\n`;
}

/** The name of an argument for a parameter of the path. */
export function idName({ name }, path) {
  if (name !== "id") return camel(name);
  return path.startsWith("/project") ? "projectId" : "id";
}

/** The arguments of a method, without its options. */
function argumentsOf({ id, ids, body, query, path, verb }) {
  const found = ids.map((parameter) => ({
    name: idName(parameter, path),
    type: typeOfMember(parameter.name, { description: parameter.description, ...parameter.schema }, "m."),
    isRequired: true,
    description: parameter.description ?? "",
  }));
  if (body) {
    // A change of an item need not have all its fields.
    const bodyType = typeOf(body.schema, "m.").replace(/^m\.ItemValue/, verb === "PATCH" ? "m.ItemChanges" : "$&");
    found.push({ name: "body", type: bodyType, isRequired: body.isRequired, description: "The body of the request." });
  }
  if (query.length) {
    const isRequired = query.some((parameter) => parameter.required && !isExploded(parameter));
    found.push({ name: "query", type: `${pascal(id)}Query`, isRequired, description: "Parameters of the query." });
  }
  return found;
}

/** What the document says about an operation. */
function documentation({ operation }, parameters) {
  const permissions = operation["x-permission"]?.split(" ").join("` and `");
  const isConfirmed = operation["x-confirmation"] === "always";
  const texts = [
    [operation.summary, operation.description].filter(Boolean).join(".\n\n"),
    permissions && `Requires the permission \`${permissions}\`.`,
    isConfirmed && "Requires a recent sign-in, unless the credential is a personal token or an API key.",
    parameters.map(({ name, description }) => `@param ${name} ${description.split("\n")[0]}`).join("\n"),
  ];
  return comment(texts.filter(Boolean).join("\n\n"), "  ");
}

/** Whether an operation is about the items of a table. */
const hasTable = ({ ids }) => ids.some((parameter) => parameter.name === "table_id");

/** The same methods of an interface in which a type parameter has the tables of a project. */
export function methodsOfTables(name, entries) {
  const found = entries.filter(hasTable).flatMap((entry) => methods(entry));
  if (!found.length) return [];
  const members = found.map((method) => {
    const declared = method.replace(/ \{\n.*\n  \}\n$/, ";\n").replace("tableId: string", "tableId: Name");
    return declared.replaceAll("<T>", "<m.FieldsOf<Tables, Name>>").replace("<T extends object = m.Fields>", "<Name extends m.TableName<Tables>>");
  });
  return [`/** The operations in \`${name}\` that are about items of tables. */\nexport interface ${pascal(name)}Of<Tables extends object> {\n${members.join("\n")}}\n`];
}

/** The method, or the two methods, of an operation. */
export function methods(entry) {
  const { id, ids, query, headers, body, response, path } = entry;
  const schemas = [body?.schema, response.schema].filter(Boolean);
  const hasFields = schemas.some(isGeneric) || hasTable(entry);
  const parameters = argumentsOf(entry);
  const options = ["CallOptions"];
  if (headers.includes("Idempotency-Key")) options.push("KeyedOptions");
  if (headers.includes("If-Match")) options.push("ConditionalOptions");
  const declared = parameters.map(({ name, type, isRequired }) => `${name}${isRequired ? "" : "?"}: ${type}`);
  declared.push(`options?: ${options.join(" & ")}`);
  const place = ids.map((parameter) => idName(parameter, path)).join(", ");
  const passed = [`operations.${id}`, `[${place}]`, body ? "body" : "undefined", query.length ? "query" : "undefined", "options"];

  const method = (name, type, call) => {
    const signature = `${quoted(name)}${hasFields ? "<T extends object = m.Fields>" : ""}(${declared.join(", ")}): ${type}`;
    return `${documentation(entry, parameters)}  ${signature} {\n    return this._${call}(${passed.join(", ")});\n  }\n`;
  };
  const whole = `Call<${response.type ?? typeOf(response.schema, "m.")}>`;
  if (!response.isList) return [method(entry.method, whole, "call")];
  const list = method(entry.method, `List<${typeOf(response.entry, "m.")}>`, "list");
  return SINGLE_REQUESTS[id] ? [list, method(SINGLE_REQUESTS[id], whole, "call")] : [list];
}
