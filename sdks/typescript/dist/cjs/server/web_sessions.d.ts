import { type User } from "../client/session.js";
/** Options of {@link createWebSessions}. */
export interface WebSessionsOptions {
    /** URL of the service. */
    url: string;
    /** ID of the project. */
    projectId: string;
    /** URL of the app, as browsers see it. Register it with `/auth/callback` at its end as a redirect URI. */
    appUrl: string;
    /** At least 32 random characters that only the server knows, or several: the first one encrypts, and all decrypt. */
    secret: string | readonly string[];
    /** ID of a client that the project has registered, and its secret if it is confidential. By default, the project is the client. */
    clientId?: string;
    clientSecret?: string;
    /** Scopes of a sign-in, separated by spaces: `openid profile email app:db:write` by default. */
    scope?: string;
    /** Path of the routes of the sessions: `/auth` by default. */
    path?: string;
    /** How long a browser keeps a session that is not used, in seconds: 30 days by default. */
    maxAge?: number;
    /** What sends the requests, instead of the global `fetch`. */
    fetch?: typeof fetch;
}
/** The session of a person in a browser. */
export interface WebSession {
    user: Omit<User, "claims">;
    /** Access token of the person, for `createAdmin` or your own API. */
    accessToken: string;
    /** The granted scopes, separated by spaces. */
    scope: string;
    /** When the access token expires. */
    expiresAt: Date;
}
/** What a server does with a request. */
export interface HandledRequest {
    /** The response, if the request was one to a route of the sessions. */
    response?: Response;
    /** The session of the person; `undefined` if nobody is signed in. */
    session?: WebSession;
    /** Values of `Set-Cookie` for the response of the app. `response` has its own. */
    cookies: string[];
    /** The headers of the request with the new cookies, for what renders the page. */
    headers: Headers;
}
/** Sessions of people in cookies, for apps that render pages on a server. Scripts never see the cookies. */
export declare class WebSessions {
    #private;
    /**
     * Handles a request: answers it if it is one to a route of the sessions, and otherwise returns the session, with a fresh
     * access token. Call it for each request, before pages are rendered, and set `cookies` on the response.
     */
    handle(request: Request): Promise<HandledRequest>;
    /**
     * Returns the session in the header `Cookie`, for what renders a page: `handle` has refreshed it. `undefined` if nobody is
     * signed in, or the access token has expired.
     */
    session(cookie: string | null | undefined): Promise<WebSession | undefined>;
}
/**
 * Returns the sessions of an app that renders pages on a server.
 *
 * @throws {StewardError} `invalid_argument` if a URL is not valid, or the secret is too short.
 */
export declare function createWebSessions(options: WebSessionsOptions): WebSessions;
