"use client";
import { createClient, type LiveItem } from "@steward/sdk/client";
import { StewardProvider, useItems, useSession } from "@steward/sdk/react";
import steward from "../steward.json";
import type { Notes as Note, Tables } from "../tables";

declare module "@steward/sdk/react" {
  interface Register { tables: Tables }
}

const client = createClient<Tables>({ url: steward.server, projectId: steward.project, serverSession: "/auth" });

type Rendered = { rendered: readonly LiveItem<Note>[] };

export const Notes = (props: Rendered) => <StewardProvider client={client}><List {...props} /></StewardProvider>;

function List({ rendered }: Rendered) {
  const { error, signOut } = useSession();
  const { items, isLoading, create, patch } = useItems("notes", { order: "title" });
  return (
    <>
      <form action={(form) => void create({ title: String(form.get("title")), done: false })}>
        <input name="title" aria-label="Title" required /> <button>Add</button>
      </form>
      <ul>
        {(isLoading ? rendered : items).map(({ id, title, done }) => (
          <li key={id}>
            <label><input type="checkbox" checked={done ?? false} onChange={() => patch(id, { done: !done })} /> {title}</label>
          </li>
        ))}
      </ul>
      <button onClick={() => signOut().then(() => location.reload())}>Sign out</button> {error?.message}
    </>
  );
}
