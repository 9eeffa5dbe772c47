// The pages of the service without a browser: for tests of what comes before and after them.

/** A browser without scripts: it keeps cookies, follows redirects of the service, and submits forms. */
class Browser {
  #cookies = new Map();

  constructor(url) {
    this.origin = new URL(url).origin;
  }

  async open(address, body) {
    for (let count = 0; count < 20; count += 1) {
      const target = new URL(address, this.origin);
      if (target.origin !== this.origin) return { left: target };
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { accept: "text/html", cookie, origin: target.origin, "sec-fetch-site": "same-origin" };
      const response = await fetch(target, { method: body ? "POST" : "GET", body, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) {
        const [name, value] = line.split(";")[0].split("=");
        this.#cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (!location) return { at: target, html: await response.text() };
      address = new URL(location, target).href;
      body = undefined;
    }
    throw new Error("Too many redirects.");
  }

  /** Submits the form of a page with its hidden fields. */
  submit({ at, html }, fields) {
    const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [tag.match(/name="([^"]*)"/)?.[1], tag.match(/value="([^"]*)"/)?.[1] ?? ""]);
    const unescape = (text) => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
    const body = new URLSearchParams(hidden.filter(([name]) => name).map(([name, value]) => [name, unescape(value)]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const action = html.match(/<form[^>]*action="(\/auth\/(?:sign-in|consent)[^"]*)"/)?.[1] ?? at.href;
    return this.open(new URL(unescape(action), at).href, body);
  }
}

/** Signs a person in at an authorization request, and allows the access. Returns the URL to which the service redirects. */
export async function allow(authorizationUrl, username, password) {
  const browser = new Browser(authorizationUrl);
  let page = await browser.open(authorizationUrl);
  if (page.at?.pathname.endsWith("/sign-in")) page = await browser.submit(page, { login: username, password });
  if (page.at?.pathname.endsWith("/consent")) page = await browser.submit(page, { decision: "allow" });
  if (!page.left) throw new Error(`The browser is at ${page.at}: ${page.html}`);
  return page.left.href;
}
