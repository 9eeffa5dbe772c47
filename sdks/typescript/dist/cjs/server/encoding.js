"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bytesOf = bytesOf;
exports.objectOf = objectOf;
exports.base64url = base64url;
/** Decodes base64 or base64url; `undefined` if the text is neither. @internal */
function bytesOf(text) {
    if (!/^[\w+/-]*={0,2}$/.test(text))
        return undefined;
    try {
        return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    }
    catch {
        return undefined;
    }
}
/** Parses JSON in base64url; `undefined` if it is not an object. @internal */
function objectOf(text) {
    try {
        const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(text)));
        return value && typeof value === "object" && !Array.isArray(value) ? value : undefined;
    }
    catch {
        return undefined;
    }
}
/** Encodes bytes in base64url. @internal */
function base64url(bytes) {
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
//# sourceMappingURL=encoding.js.map