// The AsyncAPI document of sync, as a check of messages.
import { readFileSync } from "node:fs";
import Ajv from "ajv";

export const document = JSON.parse(readFileSync(new URL("../../../docs/asyncapi.json", import.meta.url), "utf8"));

const { channels, components, operations } = document;
const last = ({ $ref }) => $ref.split("/").at(-1);
const named = (list = []) => list.map(last);
const all = Object.values(operations);

/** The names of the messages in the document, by who sends them. */
export const sent = {
  device: new Set(all.flatMap(({ action, messages }) => (action === "receive" ? named(messages) : []))),
  service: new Set(all.flatMap(({ action, messages, reply }) => [...(action === "send" ? named(messages) : []), ...named(reply?.messages)])),
};
export const closeCodes = new Set(channels.sync["x-close-codes"].map(({ code }) => code));

/** The schemas, without other members than they describe: a message that has one is not documented. */
const schemas = structuredClone(components.schemas);
for (const schema of Object.values(schemas).flatMap((schema) => [schema, ...(schema.oneOf ?? [])])) {
  if (schema.properties) schema.additionalProperties = false;
}
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
ajv.addKeyword("components");
ajv.addSchema({ $id: "sync", components: { schemas } });

/** Returns the name of a message in the document. Fails if its sender has none with its type, or it is not valid. */
export function checked(sender, message) {
  const name = [...sent[sender]].find((name) => components.messages[name].name === message.type);
  if (!name) throw new Error(`The document has no message of the ${sender} with the type ${message.type}.`);
  const validate = ajv.getSchema(`sync${components.messages[name].payload.$ref}`);
  if (!validate(message)) throw new Error(`${JSON.stringify(message)}: ${ajv.errorsText(validate.errors)}`);
  return name;
}

/** The names of the messages of all connections, their close codes, and what the document does not describe. */
export const seen = { names: new Set(), closeCodes: new Set(), problems: [] };

function record(sender, text) {
  try {
    seen.names.add(checked(sender, JSON.parse(text)));
  } catch ({ message }) {
    seen.problems.push(message);
  }
}

/** A WebSocket that compares each message of its device and of the service with the document. */
export class CheckedWebSocket extends globalThis.WebSocket {
  constructor(url) {
    super(url);
    this.addEventListener("message", ({ data }) => record("service", data));
    this.addEventListener("close", ({ code }) => seen.closeCodes.add(code));
  }

  send(text) {
    record("device", text);
    super.send(text);
  }
}
