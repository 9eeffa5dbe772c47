import type { Introspection } from "../generated/models.js";
/** Options of {@link createTokenVerifier}. */
export interface TokenVerifierOptions {
    /** URL of the service, which is the issuer of its tokens. */
    url: string;
    /** ID of the project that tokens must be for. */
    projectId: string;
    /** ID of the client that tokens must have been issued to. By default, any client of the project. */
    clientId?: string;
    /** How much the clocks may differ, in seconds: 30 by default, at most 300. */
    leeway?: number;
    /** A private API key of the project, for `introspect`. */
    apiKey?: string;
    /** What sends the requests, instead of the global `fetch`. */
    fetch?: typeof fetch;
}
/** Options of a verification. */
export interface VerifyOptions {
    /** Scopes that the token must have, separated by spaces. A scope that writes includes the one that reads. */
    scope?: string;
}
/** A valid access token. */
export interface AccessToken {
    /** ID of the account; for a token of `client_credentials`, what the claim `sub` has. */
    userId: string;
    /** The client that the token was issued to. */
    clientId: string;
    /** The granted scopes, separated by spaces. */
    scope: string;
    /** When the token expires. */
    expiresAt: Date;
    /** All claims. */
    claims: Readonly<Record<string, unknown>>;
}
/** Verifies access tokens of the people of a project. */
export declare class TokenVerifier {
    #private;
    /**
     * Verifies a token offline, with the public keys of the service. A token that was revoked is valid until it expires: at
     * most 15 minutes, unless the client has a lifetime of its own.
     *
     * @throws {StewardError} `verification_failed` if the token is not valid, and `connection_failed` if the keys of the
     * service could not be read.
     */
    verify(token: string, options?: VerifyOptions): Promise<AccessToken>;
    /**
     * Asks the service about a token, so that a revoked one is not valid. It requires `apiKey`. Check `client_id` and `scope`
     * of the result.
     *
     * @throws {StewardError} `verification_failed` if the token is not active, or is for another project.
     */
    introspect(token: string): Promise<Introspection>;
}
/** Returns what verifies the access tokens of the people of a project. Create one, and use it for all requests: it caches the keys. */
export declare function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier;
