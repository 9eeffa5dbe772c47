export { Connection } from "./connection.js";
export { Copy } from "./copy.js";
export { indexedDbStore, memoryStore } from "./local_store.js";
export { MAX_PENDING } from "./replica.js";
export { Selection } from "./selection.js";
