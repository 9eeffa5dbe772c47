import { createClient } from "@steward/sdk/client";

const steward = await (await fetch("steward.json")).json();
const client = createClient({ url: steward.server, projectId: steward.project });
const notes = client.live("notes", { order: "title" });
const [button, form, list, alert] = ["#session", "form", "ul", "[role=alert]"].map((selector) => document.querySelector(selector));

function showSession({ status }) {
  form.hidden = status !== "signedIn";
  button.textContent = form.hidden ? "Sign in" : "Sign out";
}

function showNotes(items) {
  list.replaceChildren(...items.map(({ id, title, done }) => {
    const [item, label, box] = ["li", "label", "input"].map((name) => document.createElement(name));
    Object.assign(box, { type: "checkbox", checked: done, onchange: () => notes.patch(id, { done: box.checked }) });
    label.append(box, ` ${title}`);
    item.append(label);
    return item;
  }));
}

button.onclick = () => (form.hidden ? client.signIn() : client.signOut());

form.onsubmit = (event) => {
  event.preventDefault();
  notes.create({ title: form.elements.title.value, done: false });
  form.reset();
};

client.onSession(showSession);
client.completeSignIn().catch((error) => (alert.textContent = error.message));
notes.subscribe(showNotes);
