// The types of the hooks, with the tables of a project.
import { SignInButton, StewardProvider, useItem, useItems, useSession } from "@steward/sdk/react";
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
  const { item, update } = useItem("lists", "a");
  if (session.status !== "signedIn") return <SignInButton popup className="primary">Log in</SignInButton>;

  // @ts-expect-error The table does not exist.
  useItems("note");
  // @ts-expect-error The field is misspelt.
  useItems("notes", { where: { dnoe: false } });
  // @ts-expect-error The field is misspelt.
  void create({ titel: "a" });
  // @ts-expect-error The field is one of another table.
  void update({ title: "a" });
  // @ts-expect-error The field is misspelt.
  item?.nmae;
  return (
    <ul onClick={() => void update({ name: session.user.id })}>
      {items.map((note) => (
        <li key={note.id}>{note.title}</li>
      ))}
    </ul>
  );
}

export const app = (
  <StewardProvider client={client}>
    <Notes />
  </StewardProvider>
);
