// Adds a form to the page of an operation that sends the request. Everything else works without scripts.
const operation = document.querySelector("[data-operation]");

const element = (name, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

const field = (label, input) => {
  input.id = `try-${label}`;
  return element("div", { className: "field" }, element("label", { htmlFor: input.id, textContent: label }), input);
};

if (operation) {
  const { method, path, query, body, project } = JSON.parse(operation.dataset.operation);
  const token = element("input", { type: "password", autocomplete: "off", value: sessionStorage.getItem("docs-token") ?? "" });
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const isProject = (name === "id" && path.startsWith("/project")) || name === "project_id";
    return [name, element("input", { type: "text", required: true, value: isProject ? (project ?? "") : "" })];
  });
  const parameters = query.map((name) => [name, element("input", { type: "text" })]);
  const text = body && element("textarea", { rows: 8, value: body });
  const answer = element("pre", { tabIndex: 0, hidden: true });
  const status = element("p", { role: "status" });
  const form = element(
    "form",
    { className: "try panel" },
    field("API key or token", token),
    ...[...places, ...parameters].map(([name, input]) => field(name, input)),
    ...(text ? [field("Request body", text)] : []),
    element("button", { className: "button", type: "submit", textContent: method === "GET" ? "Send" : `Send: this changes data` }),
    status,
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (method === "DELETE" && !confirm("This deletes data of your service. Continue?")) return;
    sessionStorage.setItem("docs-token", token.value);
    const values = Object.fromEntries(places.map(([name, input]) => [name, encodeURIComponent(input.value)]));
    const url = new URL(path.replace(/\{(\w+)\}/g, (_, name) => values[name]), location.origin);
    for (const [name, input] of parameters) if (input.value) url.searchParams.set(name, input.value);
    const headers = { ...(token.value && { Authorization: `Bearer ${token.value}` }), ...(text && { "Content-Type": "application/json" }) };
    status.textContent = "Sending the request.";
    try {
      const response = await fetch(url, { method, headers, body: text?.value, credentials: "omit", redirect: "manual" });
      const content = await response.text();
      status.textContent = `Status ${response.status || "of a redirect"}`;
      try {
        answer.textContent = JSON.stringify(JSON.parse(content), null, 2);
      } catch {
        answer.textContent = content.slice(0, 100_000);
      }
      answer.hidden = !content;
    } catch (error) {
      status.textContent = `The request failed: ${error.message}`;
    }
  });
  operation.append(element("h2", { textContent: "Try it" }), form);
  operation.hidden = false;
}
