import { SignInButton, useItems, useSession } from "@steward/sdk/react";

export function App() {
  const { session, error, signOut } = useSession();
  return (
    <main>
      <h1>Notes</h1>
      {session.status === "signedIn" ? <Notes /> : <SignInButton />}
      {session.status === "signedIn" && <button onClick={() => signOut()}>Sign out</button>}
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}

function Notes() {
  const { items, create, patch } = useItems("notes", { order: "title" });
  const add = (form: FormData) => create({ title: String(form.get("title")), done: false });
  return (
    <>
      <form action={async (form) => void (await add(form))}>
        <input name="title" aria-label="Title" required />
        <button>Add</button>
      </form>
      <ul>
        {items.map(({ id, title, done }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={done ?? false} onChange={() => patch(id, { done: !done })} /> {title}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}
