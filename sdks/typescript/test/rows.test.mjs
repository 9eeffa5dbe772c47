// Every operation of the document has a method that sends the right request and decodes the response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAdmin, List, operations } from "@steward/sdk/admin";
import { generate } from "../scripts/generate.mjs";
import { read } from "../scripts/read.mjs";
import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
const isGroup = (value) => value !== null && typeof value === "object";

/** Values of parameters of the query, by their type. */
const QUERY_VALUES = { object: { title: "eq.a" }, boolean: true, integer: 7, array: ["a", "b"], string: "text&" };

/** The first example of a body. */
const exampleOf = (content) => Object.values(content?.examples ?? {})[0]?.value ?? content?.example;

/** The body of the response in the document: an example, or text and bytes. */
function responseOf(operation) {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code < "400");
  const type = Object.keys(response.content ?? {})[0];
  const example = exampleOf(response.content?.[type]);
  if (status.startsWith("3")) return { status: Number(status), headers: { location: "https://example.com/next" } };
  if (!type) return { status: Number(status), headers: {} };
  const body = /json/.test(type) ? JSON.stringify(example ?? {}) : "<content>";
  return { status: Number(status), headers: { "content-type": type, etag: '"1"', "x-request-id": "r" }, body, example };
}

function walk() {
  const seen = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) seen.push({ path, method: method.toUpperCase(), operation });
  }
  return seen;
}

test("the generated files are current", () => {
  for (const [name, text] of Object.entries(generate(document))) {
    const current = readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
    assert.ok(current === text, `${name} is not current. Run \`npm run generate\`.`);
  }
});

test("an operation that no name is written for gets a method", () => {
  const more = structuredClone(document);
  const schema = { type: "object", required: ["data"], properties: { data: { type: "array", items: { type: "string" } } } };
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  const responses = { 200: { content: { "application/json": { schema } } } };
  more.paths["/project/{id}/robot"] = { get: { operationId: "listRobots", parameters, responses } };
  assert.match(generate(more)["src/generated/resources.ts"], /listRobots\(projectId: string, options\?: CallOptions\): Call<string\[\]>/);
});

test("no group and no method is left that the document does not have", () => {
  const names = new Set(read(document).map(({ group, method }) => `${group}.${method}`));
  const groups = Object.entries(createAdmin({ url: "https://steward.example" })).filter(([, value]) => isGroup(value));
  const methods = groups.flatMap(([group, value]) => {
    const own = Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter((name) => name !== "constructor");
    return own.map((name) => `${group}.${name}`);
  });
  const extra = methods.filter((name) => !names.has(name));
  assert.deepEqual(extra, ["schemas.get"], "Only the single request for a schema is a second method of an operation.");
});

for (const { path, method, operation } of walk()) {
  test(`${method} ${path} has a method`, async () => {
    const { group, method: name, response, query } = read(document).find((entry) => entry.id === operation.operationId);
    assert.ok(operations[operation.operationId], "It has a row.");
    const sent = [];
    const prepared = responseOf(operation);
    const fetch = async (address, request) => {
      sent.push({ url: new URL(address), ...request });
      const { status, headers, body } = prepared;
      return new Response(body ?? null, { status, headers });
    };
    const admin = createAdmin({ url: "https://steward.example/base/", token: "stw_pat_x", fetch });
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    const ids = parameters.map((parameter, index) => `id ${index}/${parameter.name}`);
    const content = operation.requestBody?.content;
    const type = content && ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"].find((known) => content[known]);
    let body = type && (exampleOf(content[type]) ?? {});
    if (type === "multipart/form-data") body = { file: new Blob(["image"], { type: "image/png" }) };
    const parametersOfQuery = Object.fromEntries(query.map(({ name, schema }) => [name, QUERY_VALUES[schema.type]]));
    delete parametersOfQuery.cursor;
    const call = admin[group][name](...ids, ...(type ? [body] : []), ...(query.length ? [parametersOfQuery] : []), { requestId: "r" });
    const result = call instanceof List ? await call.page() : await call;
    assert.equal(call instanceof List, response.isList === true);

    assert.equal(sent.length, 1);
    const [request] = sent;
    assert.equal(request.method, method);
    assert.equal(request.headers.authorization, "Bearer stw_pat_x");
    const expectedPath = path.replace(/\{\w+\}/g, () => encodeURIComponent(ids.shift()));
    assert.equal(request.url.pathname, `/base${expectedPath === "/" ? "/" : expectedPath}`);
    for (const { name, schema } of query.filter(({ name }) => name !== "cursor")) {
      if (schema.type === "object") assert.equal(request.url.searchParams.get("title"), "eq.a");
      else assert.deepEqual(request.url.searchParams.getAll(name), [parametersOfQuery[name]].flat().map(String));
    }
    assert.equal("idempotency-key" in request.headers, operation["x-idempotency"] === "key");
    if (type === "application/json") assert.deepEqual(JSON.parse(request.body), body);
    else if (type === "application/x-www-form-urlencoded") assert.equal(request.headers["content-type"], type);
    else if (type) assert.match(Buffer.from(request.body).toString(), /name="file"; filename="blob"\r\nContent-Type: image\/png\r\n\r\nimage/);
    else assert.equal(request.body, undefined);

    const { example } = prepared;
    if (prepared.headers.location) assert.equal(result, prepared.headers.location);
    else if (prepared.body === undefined) assert.equal(result, undefined);
    else if (prepared.body === "<content>") assert.equal(result instanceof Blob ? await result.text() : result, "<content>");
    else if (response.kind === "data" && !response.isList) assert.deepEqual(result, example.data);
    else assert.deepEqual(result, example ?? {});
  });
}
