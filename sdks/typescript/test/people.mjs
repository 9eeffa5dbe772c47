// People who are signed in, with several devices and tabs.
import { createClient, memoryStorage } from "@steward/sdk/client";
import { CheckedWebSocket } from "./asyncapi.mjs";
import { allow, CALLBACK, signUp, url } from "./service.mjs";

/** Returns a person with a session in a project. All their devices have it. */
export async function person(projectId, clients) {
  const username = await signUp("person");
  const storage = memoryStorage();
  const first = createClient({ url, projectId, redirectUri: CALLBACK, storage });
  await first.completeSignIn(await allow(await first.signInUrl(), username));
  return {
    first,
    storage,
    username,
    device(options = {}) {
      const client = createClient({ url, projectId, redirectUri: CALLBACK, storage, webSocket: CheckedWebSocket, ...options });
      clients.push(client);
      return client;
    },
  };
}
