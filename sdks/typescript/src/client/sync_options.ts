import type { Logger } from "../transport.js";
import type { LocalStore } from "./local_store.js";
import type { SessionStore } from "./session.js";
import type { KeyValueStorage } from "./storage.js";

/** What the sync of a client needs. @internal */
export interface SyncOptions {
  url: string;
  projectId: string;
  session: SessionStore;
  storage: KeyValueStorage;
  /** Names what the client stores. */
  key: string;
  localStore: ((name: string) => LocalStore) | undefined;
  readSchema: () => Promise<unknown>;
  webSocket: typeof WebSocket | undefined;
  logger: Logger | undefined;
}
