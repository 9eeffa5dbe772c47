// Reads the operations of the OpenAPI document.
import { nameOf } from "./names.mjs";

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

/** Returns the operations with their names, parameters, bodies and responses. */
export function read(document) {
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
