import { StewardError } from "../error.js";
import { json, send } from "../transport.js";
/** How a key of an algorithm is imported, and how it verifies. */
const ALGORITHMS = {
    ES256: { kty: "EC", crv: "P-256", key: { name: "ECDSA", namedCurve: "P-256" }, verify: { name: "ECDSA", hash: "SHA-256" } },
    RS256: { kty: "RSA", key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, verify: "RSASSA-PKCS1-v1_5" },
    EdDSA: { kty: "OKP", crv: "Ed25519", key: { name: "Ed25519" }, verify: "Ed25519" },
};
/** The service allows its keys to be cached for an hour, in milliseconds. */
const TTL = 3_600_000;
/** While the service is not available, keys that are at most this old are used, in milliseconds. */
const MAX_AGE = 24 * TTL;
/** Unknown key IDs cause a request at most this often, in milliseconds: anyone can invent one. */
const MIN_INTERVAL = 30_000;
const MAX_KEYS = 100;
/** The public keys of the service, found by discovery. @internal */
export class KeySet {
    transport;
    #keys = [];
    #imported = new Map();
    #fetchedAt = -Infinity;
    #triedAt = -Infinity;
    #fetching;
    constructor(transport) {
        this.transport = transport;
    }
    /** Returns whether a signature is valid. */
    async verify(alg, kid, signature, signed) {
        const algorithm = Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
        if (!algorithm)
            return false;
        const key = await this.#find(kid);
        if (!key || key.kty !== algorithm.kty || key.crv !== algorithm.crv || (key.alg !== undefined && key.alg !== alg))
            return false;
        let imported = this.#imported.get(key);
        if (!imported) {
            const { kty, crv, n, e, x, y } = key;
            const parts = Object.fromEntries(Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => value !== undefined));
            imported = crypto.subtle.importKey("jwk", parts, algorithm.key, false, ["verify"]);
            this.#imported.set(key, imported);
        }
        return crypto.subtle.verify(algorithm.verify, await imported, signature, new TextEncoder().encode(signed));
    }
    async #find(kid) {
        const find = () => this.#keys.find((key) => key.kid === kid);
        const now = performance.now();
        const isStale = now - this.#fetchedAt > TTL;
        if ((isStale || !find()) && now - this.#triedAt > MIN_INTERVAL)
            this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
        if (this.#fetching && (isStale || !find())) {
            await this.#fetching.catch((error) => {
                if (now - this.#fetchedAt > MAX_AGE)
                    throw error;
            });
        }
        if (performance.now() - this.#fetchedAt > MAX_AGE)
            throw new StewardError("connection_failed", `The keys of ${this.transport.url} could not be read.`);
        return find();
    }
    async #fetch() {
        // Without any keys, each call tries again.
        if (this.#keys.length > 0)
            this.#triedAt = performance.now();
        const get = async (path) => json(await send(this.transport, { method: "GET", path }));
        const metadata = await get("/.well-known/openid-configuration");
        if (metadata?.issuer !== this.transport.url) {
            throw new StewardError("invalid_argument", `The issuer is ${JSON.stringify(metadata?.issuer)}, not ${this.transport.url}. Pass it as \`url\`.`);
        }
        const uri = metadata.jwks_uri;
        if (typeof uri !== "string" || !uri.startsWith(`${this.transport.url}/`))
            throw new StewardError("invalid_response", "The metadata of the service has no valid `jwks_uri`.");
        const set = await get(uri.slice(this.transport.url.length));
        if (!Array.isArray(set?.keys))
            throw new StewardError("invalid_response", "The key set of the service has no `keys`.");
        this.#keys = set.keys.slice(0, MAX_KEYS);
        this.#imported.clear();
        this.#fetchedAt = this.#triedAt = performance.now();
    }
}
//# sourceMappingURL=key_set.js.map