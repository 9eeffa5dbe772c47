import { StewardError } from "../error.js";
import { Operations } from "../generated/resources.js";
import { serviceUrl } from "../service_url.js";
import { transportOf } from "../transport.js";
import { bytesOf, objectOf } from "./encoding.js";
import { KeySet } from "./key_set.js";
/** Tokens have IDs in lower case. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Tokens of the service are smaller, in characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_LEEWAY = 300;
/** Verifies access tokens of the people of a project. */
export class TokenVerifier {
    #keys;
    #options;
    #url;
    #leeway;
    #operations;
    /** @internal */
    constructor(options) {
        this.#url = serviceUrl(options.url);
        this.#options = options;
        this.#leeway = options.leeway ?? 30;
        if (!options.projectId)
            throw new StewardError("invalid_argument", "Pass `projectId`: the ID of the project.");
        if (!(this.#leeway >= 0 && this.#leeway <= MAX_LEEWAY))
            throw new StewardError("invalid_argument", `\`leeway\` must be 0 to ${MAX_LEEWAY} seconds.`);
        this.#keys = new KeySet(transportOf(this.#url, () => undefined, options));
        this.#operations = new Operations(transportOf(this.#url, (rejected) => (rejected ? undefined : options.apiKey), options));
    }
    /**
     * Verifies a token offline, with the public keys of the service. A token that was revoked is valid until it expires: at
     * most 15 minutes, unless the client has a lifetime of its own.
     *
     * @throws {StewardError} `verification_failed` if the token is not valid, and `connection_failed` if the keys of the
     * service could not be read.
     */
    async verify(token, options = {}) {
        const parts = typeof token === "string" && token.length <= MAX_TOKEN_LENGTH ? token.split(".") : [];
        const [header, claims, signature] = [objectOf(parts[0] ?? ""), objectOf(parts[1] ?? ""), bytesOf(parts[2] ?? "")];
        if (parts.length !== 3 || !header || !claims || !signature)
            throw failed("The token is not a JWT.");
        const { alg, kid, typ, crit } = header;
        if (typeof alg !== "string" || typeof kid !== "string" || typ !== "at+jwt" || crit !== undefined)
            throw failed("The token is not an access token of the service.");
        if (!(await this.#keys.verify(alg, kid, signature, `${parts[0]}.${parts[1]}`)))
            throw failed("The signature of the token is not valid.");
        const now = Date.now() / 1_000;
        const { iss, exp, nbf, aud, sub, client_id, scope = "" } = claims;
        if (iss !== this.#url)
            throw failed(`The issuer of the token is not ${this.#url}.`);
        if (claims.typ === "bound_access")
            throw failed("The token is bound to a key, so its proof must be verified, too.");
        if (claims.typ !== "access" || typeof sub !== "string" || typeof client_id !== "string" || typeof scope !== "string")
            throw failed("The token is not an access token.");
        if (typeof exp !== "number" || exp + this.#leeway <= now)
            throw failed("The token has expired.");
        if (nbf !== undefined && !(typeof nbf === "number" && nbf - this.#leeway <= now))
            throw failed("The token is not valid yet.");
        const { projectId, clientId } = this.#options;
        if (![aud].flat().some((audience) => this.#isProject(audience, projectId)))
            throw failed("The token is for another project.");
        if (clientId !== undefined && client_id !== clientId && !this.#isProject(client_id, clientId))
            throw failed("The token was issued to another client.");
        const missing = (options.scope ?? "").split(" ").filter((required) => required && !hasScope(scope, required));
        if (missing.length)
            throw failed(`The token does not have the scope ${missing.join(" ")}.`);
        return { userId: sub, clientId: client_id, scope, expiresAt: new Date(exp * 1_000), claims };
    }
    /**
     * Asks the service about a token, so that a revoked one is not valid. It requires `apiKey`. Check `client_id` and `scope`
     * of the result.
     *
     * @throws {StewardError} `verification_failed` if the token is not active, or is for another project.
     */
    async introspect(token) {
        if (!this.#options.apiKey)
            throw new StewardError("invalid_argument", "Pass `apiKey`: a private API key of the project.");
        const found = await this.#operations.tokens.introspect({ token });
        if (found.active && ![found.aud].flat().some((audience) => this.#isProject(audience, this.#options.projectId)))
            throw failed("The token is for another project.");
        if (!found.active)
            throw failed("The token is not active.");
        return found;
    }
    /** Returns whether a claim names a project, by its ID or its DID. */
    #isProject(claim, id) {
        const host = new URL(this.#url).host.replace(":", "%3A");
        const uuid = UUID.test(id) ? id.toLowerCase() : id;
        return claim === id || claim === uuid || claim === `did:web:${host}:projects:${id.replaceAll("-", "").toLowerCase()}`;
    }
}
/** Returns whether scopes include one: `app:admin` includes those that write, and these those that read. */
function hasScope(scopes, required) {
    const granted = scopes.split(" ");
    const writes = required.replace(/:read$/, ":write");
    return granted.includes(required) || granted.includes(writes) || (required.startsWith("app:") && granted.includes("app:admin"));
}
/** Returns what verifies the access tokens of the people of a project. Create one, and use it for all requests: it caches the keys. */
export function createTokenVerifier(options) {
    return new TokenVerifier(options);
}
const failed = (message) => new StewardError("verification_failed", message);
//# sourceMappingURL=tokens.js.map