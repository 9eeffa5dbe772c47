import { createClient } from "@steward/sdk/client";
import { StewardProvider } from "@steward/sdk/react";
import { createRoot } from "react-dom/client";
import steward from "../steward.json";
import type { Tables } from "../tables";
import { App } from "./App";

declare module "@steward/sdk/react" {
  interface Register { tables: Tables }
}

const client = createClient<Tables>({ url: steward.server, projectId: steward.project });

createRoot(document.getElementById("root")!).render(<StewardProvider client={client}><App /></StewardProvider>);
