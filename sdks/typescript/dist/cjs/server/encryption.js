"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Encrypter = void 0;
const error_js_1 = require("../error.js");
const encoding_js_1 = require("./encoding.js");
const MIN_SECRET = 32;
const NONCE_BYTES = 12;
const text = new TextEncoder();
/** Encrypts values that browsers keep, so that nobody else reads or changes them (AES-GCM). @internal */
class Encrypter {
    #keys;
    /** The first secret encrypts. Values of the others are still read, so that a secret can be replaced. */
    constructor(secrets) {
        if (!secrets.length || secrets.some((secret) => secret.length < MIN_SECRET)) {
            throw new error_js_1.StewardError("invalid_argument", `\`secret\` must have at least ${MIN_SECRET} random characters, such as those of \`openssl rand -base64 32\`.`);
        }
        this.#keys = secrets.map(keyOf);
    }
    /** `purpose`: what the value is for. It is decrypted for nothing else. */
    async encrypt(value, purpose) {
        const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
        const bytes = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: text.encode(purpose) }, await this.#keys[0], text.encode(JSON.stringify(value)));
        return (0, encoding_js_1.base64url)(iv) + (0, encoding_js_1.base64url)(new Uint8Array(bytes));
    }
    /** Returns the value, or `undefined` if it was not encrypted with one of the secrets. */
    async decrypt(encrypted, purpose) {
        const bytes = (0, encoding_js_1.bytesOf)(encrypted);
        if (!bytes)
            return undefined;
        const [iv, content] = [bytes.slice(0, NONCE_BYTES), bytes.slice(NONCE_BYTES)];
        for (const key of this.#keys) {
            try {
                const decrypted = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: text.encode(purpose) }, await key, content);
                return JSON.parse(new TextDecoder().decode(decrypted));
            }
            catch {
                // Another secret may have encrypted it.
            }
        }
        return undefined;
    }
}
exports.Encrypter = Encrypter;
async function keyOf(secret) {
    const material = await crypto.subtle.importKey("raw", text.encode(secret), "HKDF", false, ["deriveKey"]);
    const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: text.encode("steward web session") };
    return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
//# sourceMappingURL=encryption.js.map