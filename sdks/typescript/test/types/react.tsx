// The types of the hooks, with the tables of a project.
import { createHooks, SignInButton, StewardProvider, useItem, useItems, useSession } from "@steward/sdk/react";
import { createClient } from "@steward/sdk/client";
import type { Tables } from "./tables.js";

declare module "@steward/sdk/react" {
  interface Register {
    tables: Tables;
  }
}

const client = createClient<Tables>({ url: "https://steward.example", projectId: "p" });

function Notes() {
  const { session } = useSession();
  const { items, create } = useItems("notes", { where: { done: false }, order: "rank.desc", limit: 10 });
  const { item, patch } = useItem("lists", "a");
  if (session.status !== "signedIn") return <SignInButton popup className="primary">Log in</SignInButton>;

  // @ts-expect-error The table does not exist.
  useItems("note");
  // @ts-expect-error The field is misspelt.
  useItems("notes", { where: { dnoe: false } });
  // @ts-expect-error The field is misspelt.
  void create({ titel: "a" });
  // @ts-expect-error The field is one of another table.
  void patch({ title: "a" });
  // @ts-expect-error The field is misspelt.
  item?.nmae;
  return (
    <ul onClick={() => void patch({ name: session.user.id })}>
      {items.map((note) => (
        <li key={note.id}>{note.title}</li>
      ))}
    </ul>
  );
}

/** A second project in the same app, with tables of its own. */
interface Archive {
  letters: { text: string };
}
const archive = createClient<Archive>({ url: "https://steward.example", projectId: "q" });
const second = createHooks<Archive>();

function Letters() {
  const { items, patch } = second.useItems("letters", { order: "text" });
  const { session } = second.useSession();
  void patch("a", { text: session.status });

  // @ts-expect-error The table is one of the first project.
  second.useItems("notes");
  // @ts-expect-error The field does not exist.
  items[0]?.title;
  // @ts-expect-error The field is misspelt.
  void patch("a", { txet: "a" });
  return <second.SignInButton />;
}

export const secondApp = (
  <second.StewardProvider client={archive}>
    <Letters />
  </second.StewardProvider>
);

export const app = (
  <StewardProvider client={client}>
    <Notes />
  </StewardProvider>
);
