"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Cookies = void 0;
/** Browsers keep about 4 KiB of a cookie, with its name and attributes. */
const MAX_PART = 3_600;
const MAX_PARTS = 8;
/** The cookies of an app. A value that is too long for one is divided. @internal */
class Cookies {
    #prefix;
    #attributes;
    constructor(appUrl) {
        // Browsers bind `__Host-` to HTTPS and this host. Not all of them store such a cookie of `http://localhost`.
        const isSecure = appUrl.protocol === "https:";
        this.#prefix = isSecure ? "__Host-" : "";
        this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    }
    /** The values of `Set-Cookie` with which a browser keeps a value for some seconds. */
    set(name, value, maxAge, before) {
        const parts = value.match(new RegExp(`.{1,${MAX_PART}}`, "g")) ?? [];
        const set = parts.map((part, index) => this.#cookie(name, index, part, maxAge));
        return [...set, ...this.#names(name, before).slice(parts.length).map((_, index) => this.#cookie(name, parts.length + index, "", 0))];
    }
    /** Those with which it forgets the value. `before`: the cookies that it has sent. */
    clear(name, before) {
        return this.#names(name, before).map((_, index) => this.#cookie(name, index, "", 0));
    }
    /** The value in the header `Cookie`. */
    get(name, header) {
        return this.#names(name, header).join("") || undefined;
    }
    /** The header `Cookie` as it is after some values of `Set-Cookie`. */
    after(header, set) {
        const all = new Map(pairsOf(header));
        for (const cookie of set) {
            const [name, value] = pairsOf(cookie.split(";")[0])[0];
            if (value)
                all.set(name, value);
            else
                all.delete(name);
        }
        return [...all].map(([name, value]) => `${name}=${value}`).join("; ");
    }
    /** The parts of a value. */
    #names(name, header) {
        const all = new Map(pairsOf(header));
        const parts = [];
        for (let part; parts.length < MAX_PARTS && (part = all.get(this.#nameOf(name, parts.length))) !== undefined;)
            parts.push(part);
        return parts;
    }
    #nameOf(name, index) {
        return `${this.#prefix}${name}${index ? `-${index}` : ""}`;
    }
    #cookie(name, index, value, maxAge) {
        return `${this.#nameOf(name, index)}=${value}${this.#attributes}; Max-Age=${maxAge}`;
    }
}
exports.Cookies = Cookies;
function pairsOf(header) {
    return (header ?? "").split(";").flatMap((pair) => {
        const at = pair.indexOf("=");
        return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    });
}
//# sourceMappingURL=cookies.js.map