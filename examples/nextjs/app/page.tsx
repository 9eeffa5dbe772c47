"use client";
import { createClient } from "@steward/sdk/client";
import { SignInButton, StewardProvider, useItems, useSession } from "@steward/sdk/react";
import steward from "../steward.json";
import type { Tables } from "../tables";

declare module "@steward/sdk/react" {
  interface Register { tables: Tables }
}

const client = createClient<Tables>({ url: steward.server, projectId: steward.project });

async function add(form: FormData) {
  const body = JSON.stringify({ title: form.get("title"), done: false });
  const headers = { authorization: `Bearer ${await client.getToken()}` };
  const response = await fetch("/api/notes", { method: "POST", body, headers });
  if (!response.ok) alert((await response.json()).error);
}

export default () => <StewardProvider client={client}><h1>Notes</h1><Notes /></StewardProvider>;

function Notes() {
  const { session, error, signOut } = useSession();
  const { items, patch } = useItems("notes", { order: "title" });
  if (session.status !== "signedIn") return <>{error?.message} <SignInButton /></>;
  return (
    <>
      <form action={add}><input name="title" aria-label="Title" required /> <button>Add</button></form>
      <ul>
        {items.map(({ id, title, done }) => (
          <li key={id}>
            <label><input type="checkbox" checked={done ?? false} onChange={() => patch(id, { done: !done })} /> {title}</label>
          </li>
        ))}
      </ul>
      <button onClick={() => signOut()}>Sign out</button>
    </>
  );
}
