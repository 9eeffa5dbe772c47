import { StewardError } from "./error.js";
/**
 * Checks the URL of a service, and returns it without a slash at the end. It uses HTTPS, or HTTP on this machine: otherwise
 * others on the network can read the tokens. @internal
 */
export function serviceUrl(text) {
    let url;
    try {
        url = new URL(text);
    }
    catch {
        throw invalid(text);
    }
    const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (url.protocol === "http:" && !isLocal) {
        throw new StewardError("invalid_argument", `${url.origin} must use HTTPS. Over HTTP, others on the network can read the tokens.`);
    }
    if ((url.protocol !== "https:" && url.protocol !== "http:") || url.search || url.hash || url.username)
        throw invalid(text);
    return (url.origin + url.pathname).replace(/\/+$/, "");
}
function invalid(text) {
    return new StewardError("invalid_argument", `${JSON.stringify(text)} is not a valid URL of a service, such as https://host.`);
}
/** Returns a path with the IDs in place of its parameters. An ID cannot change the path. @internal */
export function pathOf(template, ids) {
    let index = 0;
    return template.replace(/\{\w+\}/g, () => {
        const id = ids[index++];
        // These would name another resource.
        if (typeof id !== "string" || ["", ".", ".."].includes(id)) {
            throw new StewardError("invalid_argument", `${JSON.stringify(id)} is not a valid ID.`);
        }
        return encodeURIComponent(id);
    });
}
//# sourceMappingURL=service_url.js.map