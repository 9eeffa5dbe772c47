import type { Changes } from "../client/items.js";
/** Fields of an item of any table. */
export type Fields = Record<string, unknown>;
/** The name of a table. */
export type TableName<Tables extends object> = Extract<keyof Tables, string>;
/** The fields of an item in a table. */
export type FieldsOf<Tables extends object, Name extends keyof Tables> = Extract<Tables[Name], object>;
declare const resource: unique symbol;
/** The ID of a resource. Any text can be one, but the ID of a project is none of a user. */
export type Id<Resource extends string> = string & {
    readonly [resource]?: Resource;
};
/** Activity of one day. */
export interface ActiveUsers {
    /** Day in UTC. */
    date: string;
    /** Number of users who were active on this day. */
    active_users: number;
}
/** An OAuth client that the member registered or configured. */
export interface AffectedClient {
    /** ID of the client. */
    id: string;
    /** ID of the client's project. */
    project_id: Id<"project">;
    /** Name of the client. */
    name: string;
    /** Whether the client was deleted. */
    ended: boolean;
}
/** An identity provider that the member added or configured. */
export interface AffectedIdentityProvider {
    /** ID of the provider. */
    id: Id<"provider">;
    /** ID of the provider's project. */
    project_id: Id<"project">;
    /** Name of the provider. */
    name: string;
    /** Whether the provider was deleted. */
    ended: boolean;
}
/** A pending invite that the member sent. */
export interface AffectedInvite {
    /** ID of the invite. */
    id: Id<"invite">;
    /** Comma-separated roles of the invite. */
    roles: string;
}
/** A key that the member created or regenerated. */
export interface AffectedKey {
    /** ID of the API key. */
    id: Id<"key">;
    /** ID of the key's project. */
    project_id: Id<"project">;
    /** Display name of the key. */
    label: string;
    /** Whether the key was deleted. */
    ended: boolean;
}
/** Resources that depend on permissions which the member lost. */
export interface AffectedResources {
    /**
     * API keys with a value that the member knows and with permissions that the member no longer has. They continue to
     * work unless they ended: rotate them.
     */
    affected_keys: AffectedKey[];
    /**
     * OAuth clients that the member registered, or whose secret, keys or redirect URIs the member last set, and that
     * the member may no longer register. They continue to work unless they ended.
     */
    affected_clients: AffectedClient[];
    /**
     * Identity providers that the member added or last configured and may no longer add. People can still sign in
     * there unless they ended.
     */
    affected_identity_providers: AffectedIdentityProvider[];
    /** Pending invites of the member that the member may no longer create. They are revoked. */
    affected_invites: AffectedInvite[];
    /** Webhooks that the member authorized and may no longer authorize. They are paused. */
    affected_webhooks: AffectedWebhook[];
}
/** A webhook that the member authorized. */
export interface AffectedWebhook {
    /** ID of the webhook. */
    id: Id<"webhook">;
    /** ID of the webhook's project; null if the webhook belongs to the team. */
    project_id?: Id<"project"> | null;
}
/** Who caused an event. */
export interface AuditActor {
    /** Kind of the actor: `account`, `key`, `client` (one that acts on its own behalf) or `system`. */
    type: string;
    /** ID of the account or key; null for the system. */
    id?: string | null;
    /** ID of the personal access token that the person used; null if they used none. */
    token_id?: Id<"token"> | null;
}
/** An event of the audit log. */
export interface AuditEvent {
    /** When the event happened. */
    at: string;
    /** Resource kind and verb, such as `team.updated`, or `team.access_denied` for a request that was refused. */
    action: string;
    /** ID of the requested operation, such as `updateProject`. */
    operation: string;
    /** Who caused the event. */
    actor: AuditActor;
    /** Resource that the event is about. */
    target: AuditTarget;
    /** ID of the team that the event is about; null if it is about no team. */
    team_id?: Id<"team"> | null;
    /** ID of the project that the event is about; null if it is about no project. */
    project_id?: Id<"project"> | null;
    /** Recorded state of the resource before the change; null if there is none. */
    before?: {
        [name: string]: unknown;
    } | null;
    /** Recorded state of the resource after the change; null if there is none. */
    after?: {
        [name: string]: unknown;
    } | null;
    /** ID of the request, as in its `X-Request-Id` header. */
    request_id: string;
    /** Network address that the request came from; null if unknown. */
    address?: string | null;
    /** Position of the event in the log. Positions increase in the order in which changes are stored, with gaps. */
    position: number;
}
/** The resource that an event is about. */
export interface AuditTarget {
    /** Kind of the resource, such as `team` or `project`. */
    type: string;
    /** ID of the resource. */
    id: string;
}
/** Parameters of an authorization request, sent as a form. */
export interface AuthorizeForm {
    /** UUID or DID of the project, or ID of a client that it registered. */
    client_id: string;
    /**
     * URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
     * unless `request_uri` is sent.
     */
    redirect_uri?: string | null;
    /** Must be `code`. */
    response_type?: string | null;
    /**
     * How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a form that
     * the browser posts to it.
     */
    response_mode?: "query" | "fragment" | "form_post" | null;
    /** Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored. */
    scope?: string | null;
    /**
     * Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
     * bytes. Required unless `code_challenge` is sent.
     */
    state?: string | null;
    /** SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off. */
    code_challenge?: string | null;
    /** Must be `S256` if `code_challenge` is sent. */
    code_challenge_method?: string | null;
    /** SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10). */
    dpop_jkt?: string | null;
    /** Value that is returned in the ID token. At most 512 bytes. */
    nonce?: string | null;
    /**
     * `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
     * redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
     * of its requests.
     */
    prompt?: string | null;
    /** Login to suggest on the sign-in page. At most 320 bytes. */
    login_hint?: string | null;
    /** Maximum time since the person last signed in, in seconds. After that, the person must sign in again. */
    max_age?: string | null;
    /**
     * Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
     * person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the person
     * did. At most 320 bytes.
     */
    acr_values?: string | null;
    /**
     * Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
     * `id_token_hint` are ignored then. It cannot be pushed itself.
     */
    request_uri?: string | null;
}
/** Whether a slug is available. */
export interface Availability {
    /** Whether the slug is neither taken nor reserved. */
    available: boolean;
}
/** Confirmation that a background was uploaded. */
export interface BackgroundUploaded {
    /** Always `true`. */
    success: boolean;
    /** Public URL of the new background. */
    background_url?: string | null;
}
/** A key after a change. */
export interface ChangedKey {
    /** The key after the update. */
    key: UpdatedKey;
}
/** A client that has registered itself (RFC 7591 §3.2.1). */
export interface ClientInformation {
    /** Unique ID of the client. */
    client_id: string;
    /** Secret of a confidential client. It is returned only in this response; store it safely. */
    client_secret?: string | null;
    /** When the client was registered, in seconds since the Unix epoch. */
    client_id_issued_at: number;
    /** When the secret expires. Always 0: it does not. Absent for a client without one. */
    client_secret_expires_at?: number | null;
    /** The name of the client. */
    client_name: string;
    /** The redirect URIs of the client. */
    redirect_uris: string[];
    /** How the client authenticates: `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`. */
    token_endpoint_auth_method: string;
    /** The grant types that the client may use. */
    grant_types: string[];
    /** The response types that the client may use: `["code"]`, or none without the grant type `authorization_code`. */
    response_types: string[];
    /** The scopes that the client may request, separated by spaces. */
    scope: string;
    /** The public keys of the client; absent without `private_key_jwt`. */
    jwks?: {
        [name: string]: unknown;
    } | null;
    /** Whether the client gets only tokens that are bound to a key. */
    dpop_bound_access_tokens: boolean;
    /** Whether the client must push its authorization requests. */
    require_pushed_authorization_requests: boolean;
}
/** OAuth client metadata of a project (RFC 7591 §2). */
export interface ClientMetadata {
    /** Client ID: the DID of the project. */
    client_id: string;
    /** Name of the project. */
    client_name: string;
    /** URL of the project's website; null if it has none. */
    client_uri?: string | null;
    /** URL of the project's icon; null if it has none. */
    logo_uri?: string | null;
    /**
     * `native` if redirect URIs are registered and all of them are http on loopback or have a private-use scheme, else
     * `web`.
     */
    application_type: string;
    /** Always `none`: clients are public and have no secret. */
    token_endpoint_auth_method: string;
    /** Registered redirect URIs of the project. */
    redirect_uris: string[];
    /** Grant types that the client can use. Always `["authorization_code", "refresh_token"]`. */
    grant_types: string[];
    /** Response types that the client can use. Always `["code"]`. */
    response_types: string[];
    /** Space-separated scopes that the client can request. */
    scope: string;
    /** URL of the project's schema. */
    schema: string;
}
/** Metadata of a client that registers itself (RFC 7591 §2). */
export interface ClientRegistration {
    /** Name that people see when they are asked for consent: at most 100 characters. `Unnamed client` by default. */
    client_name?: string | null;
    /**
     * URIs that may receive authorization codes: at most 50. On loopback, any port matches. Required for
     * `authorization_code`.
     */
    redirect_uris?: string[] | null;
    /**
     * `none` for a public client; `client_secret_basic` (default) or `client_secret_post` for a confidential one, which
     * can use both; `private_key_jwt` for one that authenticates with its keys.
     */
    token_endpoint_auth_method?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt" | null;
    /**
     * Grant types that the client uses; `authorization_code` by default. Those that it may not use are left out, such as
     * `client_credentials`.
     */
    grant_types?: string[] | null;
    /** Can only contain `code`. */
    response_types?: "code"[] | null;
    /**
     * Scopes that the client may request, separated by spaces. Unknown ones are left out. Default: all that projects may
     * request.
     */
    scope?: string | null;
    /** Public keys of the client, as a JSON Web Key Set (RFC 7517 §5). Required for `private_key_jwt`, otherwise left out. */
    jwks?: {
        [name: string]: unknown;
    } | null;
    /** Not supported: refused with `private_key_jwt`, otherwise ignored. */
    jwks_uri?: string | null;
    /** Whether the client gets only tokens that are bound to a key (RFC 9449 §5.2); `false` by default. */
    dpop_bound_access_tokens?: boolean | null;
    /** Whether the client must push its authorization requests (RFC 9126 §6); `false` by default. */
    require_pushed_authorization_requests?: boolean | null;
}
/** Options of a rotation. All are optional, and so is the body. */
export interface ClientSecretRotation {
    /**
     * Number of seconds for which the old secret continues to work, and those before it as long as they were to. 0 by default:
     * all of them stop working immediately.
     */
    grace_seconds?: number | null;
}
/** The key to which a token is bound (RFC 9449 §6.2). */
export interface Confirmation {
    /** SHA-256 thumbprint of the key (RFC 7638). */
    jkt: string;
}
/** A project and the caller as its user. */
export interface ConnectedApp {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Website of the project; null if it has none. */
    website?: string | null;
    /** Public profile of the project, with the URLs of its images. */
    profile: {
        [name: string]: unknown;
    };
    /** ID of the caller as a user of the project. It differs from the account ID. */
    user_id: Id<"user">;
    /** DID of the caller's account. */
    user_did: string;
    /** Base URL of the service that stores the caller's data. */
    pds_url: string;
    /** `connected` or `disconnected`. */
    status: string;
    /** Scopes of the token, separated by spaces. */
    scope: string;
    /** When the caller first connected to the project. */
    created_at: string;
    /** When the caller last used the project, with a precision of 15 minutes. */
    last_seen_at: string;
}
/** A user who is connected to a project. */
export interface ConnectedUser {
    /** Always `true`. */
    ok: boolean;
    /** DID of the user's account. */
    user_did: string;
    /** Base URL of the service that stores the user's data. */
    pds_url: string;
}
/** Values of a new account. */
export interface CreateAccountBody {
    /** Email address. It is unique across the service, case-insensitively. */
    email: string;
    /** Password of 10 to 256 characters that is hard to guess, also for someone who knows the email address and the names. */
    password: string;
    /** Name of the person: 1 to 100 characters. */
    name?: string | null;
    /** Username: 3 to 32 letters, digits, hyphens and underscores. It is unique across the service, case-insensitively. */
    username?: string | null;
}
/** Values of a new provider. */
export interface CreateIdentityProviderBody {
    /** `openid_connect` for any provider of OpenID Connect, or `google`, `microsoft`, `apple`, `github` or `gitlab`. */
    kind: "openid_connect" | "google" | "microsoft" | "apple" | "github" | "gitlab";
    /** Name on the button: 1 to 100 characters. Default: the name of the kind. */
    name?: string | null;
    /**
     * URL that identifies the provider: a public https URL without a query, of at most 500 characters. Optional for
     * `google`, `apple`, `github` and `gitlab`. For `microsoft`: `https://login.microsoftonline.com/TENANT/v2.0` with the ID of
     * the tenant.
     */
    issuer?: string | null;
    /** ID that the provider has assigned to this service: 1 to 255 printable ASCII characters. */
    client_id: string;
    /**
     * Secret that the provider has assigned: 1 to 2,000 printable ASCII characters. Absent for a public client. For `apple`,
     * the signed JWT, which is valid for at most six months.
     */
    client_secret?: string | null;
}
/** Values of a new invite. Exactly one of `email` and `username` is required. */
export interface CreateInviteBody {
    /**
     * Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. You
     * can grant only permissions that you have.
     */
    roles: string;
    /** Email address of the recipient. Send either `email` or `username`. */
    email?: string | null;
    /** Username of the recipient. Send either `email` or `username`. */
    username?: string | null;
    /** Label of the role: at most 64 characters. It grants no permissions. */
    role_name?: string | null;
    /** When the invite expires: 7 days from now by default, at most 30 days from now. */
    expires_at?: string | null;
}
/** Values of a new API key. */
export interface CreateKeyBody {
    /** Display name of the key: 1 to 100 characters. */
    label: string;
    /** Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`. */
    roles: string;
    /**
     * Whether the key is private; `true` by default. A public key may appear in browsers, where everyone can see it: its
     * roles may be `project:read` and `schema:read` only. Browsers read users and items with the access token of the
     * signed-in user.
     */
    is_private?: boolean | null;
    /** When the key expires: a timestamp in the future. Without it, the key never expires. */
    expires_at?: string | null;
}
/** Values of a new client. */
export interface CreateOAuthClientBody {
    /** Name that people see when they are asked for consent: 1 to 100 characters. */
    name: string;
    /** `public` or `confidential`. */
    type: "public" | "confidential";
    /**
     * Grant types that the client may use. Default: `authorization_code` and `refresh_token`. `client_credentials` is only for
     * confidential clients.
     */
    grant_types?: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code")[] | null;
    /** URIs that may receive authorization codes: at most 50. Required for `authorization_code`. */
    redirect_uris?: string[] | null;
    /** Scopes that the client may request when a person signs in, separated by spaces. Default: all that projects may request. */
    scope?: string | null;
    /** Comma-separated roles of a client that acts on its own behalf, as for API keys. Required for `client_credentials`. */
    roles?: string | null;
    /**
     * Whether an authorization request must contain a code challenge. Default: only for a public client, which cannot turn it
     * off.
     */
    require_pkce?: boolean | null;
    /** Whether people are not asked for consent; `false` by default. */
    skip_consent?: boolean | null;
    /**
     * Public keys with which a confidential client authenticates (`private_key_jwt`), as a JSON Web Key Set: 1 to 10 keys for
     * ES256, EdDSA, RS256 or PS256, at most 8 KiB. The client has no secret then.
     */
    jwks?: {
        [name: string]: unknown;
    } | null;
    /** Whether the client gets only tokens that are bound to a key (RFC 9449); `false` by default. */
    require_dpop?: boolean | null;
    /** Whether the client must push its authorization requests (RFC 9126); `false` by default. */
    require_pushed_requests?: boolean | null;
    /** Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service (default). */
    access_token_seconds?: number | null;
    /**
     * Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service
     * (default).
     */
    sign_in_seconds?: number | null;
}
/** Values of a new personal access token. */
export interface CreatePersonalTokenBody {
    /** Display name of the token: 1 to 100 characters. */
    label: string;
    /**
     * Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions (such as `key:read`). The
     * token has them only if you have them too.
     */
    roles: string;
    /** IDs of up to 100 teams. The token can access only these teams and their projects, and `projects`. */
    teams?: string[] | null;
    /** IDs of up to 100 projects. The token can access only these projects, and `teams`. */
    projects?: string[] | null;
    /** When the token expires: in the future and at most 366 days from now. */
    expires_at: string;
}
/** Values of a new project. */
export interface CreateProjectBody {
    /** Display name of the project: 1 to 100 characters. */
    name: string;
    /** ID of the team that owns the project. */
    team_id: Id<"team">;
    /**
     * URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. If absent, it is
     * generated from the name, with a number appended if it is taken.
     */
    slug?: string | null;
}
/** Values of a new team. */
export interface CreateTeamBody {
    /** Display name of the team: 1 to 100 characters. */
    name: string;
    /** URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. */
    slug: string;
}
/** Values of a new webhook. */
export interface CreateWebhookBody {
    /** URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment. */
    url: string;
    /** Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events. */
    events: ("*" | "team.created" | "team.updated" | "team.deleted" | "team.access_denied" | "member.created" | "member.updated" | "member.deleted" | "invite.created" | "invite.updated" | "invite.deleted" | "project.created" | "project.updated" | "project.deleted" | "project.access_denied" | "project.client_request_refused" | "api_key.created" | "api_key.updated" | "api_key.deleted" | "client.created" | "client.updated" | "client.deleted" | "identity_provider.created" | "identity_provider.updated" | "identity_provider.deleted" | "identity_provider.sign_in_failed" | "schema.created" | "project_user.created" | "project_user.updated" | "project_user.deleted" | "item.created" | "item.updated" | "item.deleted" | "grant.created" | "grant.updated" | "grant.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted")[];
    /**
     * `project` sends the events of each project, and those of the team itself, in order, and those of different projects
     * at the same time. `none` sends events in any order. The default is `project`.
     */
    ordering?: "project" | "none" | null;
}
/** The new account. */
export interface CreatedAccount {
    /** Unique ID of the account. */
    id: Id<"account">;
    /** Email address of the account. */
    email: string;
    /** Username of the account; null if it has none. */
    username?: string | null;
    /** Name of the person; null if none was given. */
    name?: string | null;
    /** When the account was created. */
    created_at: string;
}
/** The invite that was created or renewed. */
export type CreatedInvite = Invite & ({
    /** Account ID of the recipient if the invite is for a username; null if it is for an email address. */
    account_id?: Id<"account"> | null;
});
/** A new personal access token, with its value. */
export type CreatedPersonalToken = PersonalToken & {
    /** Secret value of the token, which is sent as a bearer token. It is not shown again. */
    value: string;
};
/** A new project. */
export interface CreatedProject {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** When the project was created. */
    created_at: string;
}
/** A new team. */
export interface CreatedTeam {
    /** Unique ID of the team. */
    id: Id<"team">;
    /** Display name of the team. */
    name: string;
    /** URL-friendly name of the team, unique in the service. */
    slug: string;
    /** Account ID of the owner: the caller. */
    owner: string;
    /** When the team was created. */
    created_at: string;
}
/** Identity and permissions of a credential. */
export interface CurrentCredential {
    /**
     * `account` (first-party access token), `personal_token`, `key` (API key), `client` (token of an OAuth client that acts
     * on its own behalf) or `user` (access token of a person for a project).
     */
    type: string;
    /** ID of the account, personal access token, API key, client or project user, depending on `type`. */
    id: string;
    /** Account ID of the person. Only for `account` and `personal_token`. */
    account_id?: Id<"account"> | null;
    /** Display name of the credential. Only for `personal_token`, `key` and `client`. */
    label?: string | null;
    /** ID of the team that owns the project. Only for `key` and `client`. */
    team_id?: Id<"team"> | null;
    /** ID of the only project that the credential can access. Only for `key`, `client` and `user`. */
    project_id?: Id<"project"> | null;
    /**
     * IDs of the teams that the token is limited to. If `teams` and `projects` are both empty, it is not limited. Only
     * for `personal_token`.
     */
    teams?: string[] | null;
    /** IDs of the projects that the token is limited to, in addition to those of `teams`. Only for `personal_token`. */
    projects?: string[] | null;
    /**
     * Permissions of the credential. Those of a `personal_token` apply only if the person has them in the team.
     * Only for `personal_token`, `key` and `client`.
     */
    permissions?: string[] | null;
    /** Scopes of the token, separated by spaces. Only for `user`. */
    scope?: string | null;
    /**
     * When the credential expires; null if it never expires. Only for `personal_token` and `key`: an access token
     * (JWT) contains its own expiry.
     */
    expires_at?: string | null;
}
/** Requests of one day. */
export interface DailyRequests {
    /** Day in UTC. */
    date: string;
    /** Number of requests on this day. */
    requests: number;
}
/** Confirmation of a deletion, with a message. */
export interface Deleted {
    /** Always `true`. */
    success: boolean;
    /** Human-readable description of what was deleted. */
    message: string;
}
/** What a device shows to a person, and exchanges for tokens (RFC 8628 §3.2). */
export interface DeviceAuthorization {
    /** Code that the device sends to the token endpoint. It can be exchanged once. */
    device_code: string;
    /** Code that the person enters. */
    user_code: string;
    /** Page on which the person enters it. */
    verification_uri: string;
    /** The same page with the code filled in, for example as a QR code. */
    verification_uri_complete: string;
    /** Number of seconds for which the person can enter the code. */
    expires_in: number;
    /** Minimum number of seconds between two requests to the token endpoint. */
    interval: number;
}
/** Parameters of a device authorization request (RFC 8628 §3.1). */
export interface DeviceAuthorizationRequest {
    /** ID of the client. It can also be sent as the user name of HTTP Basic. */
    client_id?: string | null;
    /** Secret of a confidential client, if it is not sent with HTTP Basic. */
    client_secret?: string | null;
    /** Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent. */
    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" | null;
    /** JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2). */
    client_assertion?: string | null;
    /** Requested scopes, separated by spaces or commas. `openid` by default. */
    scope?: string | null;
    /** Maximum time since the person last signed in, in seconds. After that, the person must sign in again. */
    max_age?: string | null;
}
/** A DID document (W3C DID Core §5). */
export interface DidDocument {
    /** JSON-LD context of the document. Always `["https://www.w3.org/ns/did/v1"]`. */
    "@context": string[];
    /** DID of the project or account. */
    id: string;
    /** Services of the project or account: exactly one. */
    service: DidService[];
}
/** A service of a DID document (W3C DID Core §5.4). */
export interface DidService {
    /** ID of the service: the DID, `#`, and the type. */
    id: string;
    /** Type of the service: `BasicAppMetadata` of a project, `PersonalDataServer` of an account. */
    type: string;
    /** URL of the service: the client metadata of a project, the base URL of this service for an account. */
    serviceEndpoint: string;
}
/** An error: what is wrong and how to fix it. */
export interface ErrorBody {
    /** Machine-readable error code. Codes never change. */
    error: "invalid_request" | "unknown_field" | "invalid_schema" | "invalid_item" | "slug_reserved" | "unauthorized" | "invalid_credentials" | "second_factor_required" | "insufficient_user_authentication" | "forbidden" | "not_found" | "slug_taken" | "email_taken" | "username_taken" | "signup_closed" | "not_set_up" | "invalid_client" | "invalid_grant" | "invalid_dpop_proof" | "unauthorized_client" | "invalid_client_metadata" | "invalid_redirect_uri" | "invalid_scope" | "unsupported_grant_type" | "unsupported_token_type" | "unsupported_response_type" | "access_denied" | "authorization_pending" | "slow_down" | "expired_token" | "login_required" | "consent_required" | "interaction_required" | "request_not_supported" | "request_uri_not_supported" | "registration_not_supported" | "too_many_requests" | "last_owner" | "already_member" | "team_owns_projects" | "version_conflict" | "schema_breaking" | "too_many_items" | "user_not_connected" | "quota_exceeded" | "conflict" | "idempotency_mismatch" | "idempotency_in_progress" | "idempotency_answer_lost" | "precondition_failed" | "item_too_large" | "invalid_image" | "unsupported_image" | "image_too_large" | "unavailable" | "outcome_unknown" | "storage_full" | "internal_error" | "method_not_allowed" | "payload_too_large" | "unsupported_media_type" | "invalid_json" | "body_too_slow" | "invalid_multipart" | "too_many_in_flight" | "too_many_connections";
    /** Human-readable description of what is wrong and how to fix it. */
    message: string;
    /** `false` if a document or value was validated and has errors; absent otherwise. */
    valid?: boolean | null;
    /**
     * All violations together, at most 100. A violation of a request has `field`, `code` (`unknown_field`,
     * `missing_field`, `invalid_type` or `invalid_value`) and `message`.
     */
    errors?: {
        [name: string]: unknown;
    }[] | null;
    /** `true` if there are more violations than `errors` lists; absent otherwise. */
    truncated?: boolean | null;
    diff?: SchemaDiff | null;
    /** Index of the failed operation of a batch, starting at 0. */
    index?: number | null;
    /** Description of the error for OAuth clients (RFC 6749 §5.2). */
    error_description?: string | null;
    /** A valid slug derived from the text that was sent; empty if no slug can be derived from it. */
    slugified?: string | null;
    /** Name of the quota that is exhausted. */
    quota?: string | null;
    /** Limit of the quota. */
    limit?: number | null;
    /** Setting with which the operator of the service changes the quota. */
    setting?: string | null;
    /** `fail` in the responses of health checks; absent otherwise. */
    status?: string | null;
    /**
     * Part of the service that fails, in the responses of health checks: `database`, `database writes` or
     * `shutting down`.
     */
    failing?: string | null;
    /** `false` if the sign-in of the access token has ended; absent otherwise. */
    active?: boolean | null;
    /** `true` if the sign-in of the access token has ended, so that the person must sign in again; absent otherwise. */
    reauth_required?: boolean | null;
}
/** Events in ascending order of position. */
export interface Events {
    /** The events, oldest first. Empty if there are no new events. */
    data: AuditEvent[];
    /** Value of `after` for the next request. */
    next: number;
    /**
     * Number of times that the database was restored from a backup, moved, or promoted, plus one. If it differs from the
     * previous response, events that the client received after the position `history_after` may be lost.
     */
    history: number;
    /** Position up to which the events of earlier histories are part of this one. */
    history_after: number;
}
/** Scopes that a user granted to a project. */
export interface ExportedGrant {
    /** Granted scopes, separated by spaces. */
    scope: string;
    /** When the user first granted scopes to the project. */
    created_at: string;
    /** When the grant last changed. */
    updated_at: string;
}
/** Confirmation that an icon was uploaded. */
export interface IconUploaded {
    /** Always `true`. */
    success: boolean;
    /** Public URL of the new icon. */
    icon_url?: string | null;
}
/** A service at which people can sign in, without its secret. */
export interface IdentityProvider {
    /** Unique ID of the provider. */
    id: Id<"provider">;
    /** Kind of the provider: `openid_connect`, `google`, `microsoft`, `apple`, `github` or `gitlab`. */
    kind: string;
    /** Name on the button of the sign-in page. */
    name: string;
    /** URL that identifies the provider (OpenID Connect Discovery); for GitHub, the URL of the server. */
    issuer: string;
    /** ID that the provider has assigned to this service. */
    client_id: string;
    /** Whether a client secret is stored. Without one, this service is a public client with PKCE. */
    has_client_secret: boolean;
    /** Whether people can sign in there. */
    is_enabled: boolean;
    /** URI that has to be registered at the provider. */
    redirect_uri: string;
    /** When the provider was added. */
    created_at: string;
}
/** The file of an uploaded image. */
export interface ImageFile {
    /** Media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
    contentType: string;
    /** Size in bytes. */
    size: number;
    /** When the image was uploaded. */
    lastModified: string;
}
/** Form with an image to upload. */
export interface ImageForm {
    /**
     * PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at most 2 MiB and
     * 16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
     */
    file: Blob;
}
/** Metadata of a token (RFC 7662 §2.2). If the token is not active, `active` is the only field. */
export interface Introspection {
    /** Whether the token is valid and the caller may introspect it. */
    active: boolean;
    /** `Bearer` for an access token, `DPoP` for one that is bound to a key, or `refresh_token`. */
    token_type?: string | null;
    /** Scopes of the token, separated by spaces. */
    scope?: string | null;
    /**
     * Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or ID of a first-party
     * client such as `steward-cli`.
     */
    client_id?: string | null;
    /** Account ID of the person. */
    sub?: string | null;
    /** Audience: DID of the project, or the URL of this service for a first-party token. */
    aud?: string | null;
    /** Issuer: the URL of this service. */
    iss?: string | null;
    /** When the token expires, in seconds since the Unix epoch. */
    exp?: number | null;
    /** When the token was issued, in seconds since the Unix epoch. */
    iat?: number | null;
    /** When the person signed in, in seconds since the Unix epoch (RFC 9470 §6.2). */
    auth_time?: number | null;
    /** Assurance of the sign-in: `aal1` for one factor, `aal2` for two. */
    acr?: string | null;
    /** How the person signed in (RFC 8176): `pwd`, `otp`, `pop` for a passkey, and `mfa` for two factors. */
    amr?: string[] | null;
    cnf?: Confirmation | null;
}
/** A pending invite. */
export interface Invite {
    /** Unique ID of the invite. */
    id: Id<"invite">;
    /** ID of the team that the invite is for. */
    team_id: Id<"team">;
    /** Email address or username of the recipient. */
    email_or_username: string;
    /** Comma-separated roles that the recipient gets in the team. */
    roles: string;
    /**
     * Label of the role that the recipient gets. It grants no permissions. If none is set, the name of the role, or
     * `Custom`.
     */
    role_name: string;
    /** When the invite was created or last renewed. */
    created_at: string;
    /** When the invite expires. */
    expires_at: string;
    /**
     * How the invite reaches its recipient: `link` if no email is sent and the inviter passes on the
     * link, or the state of the email: `queued`, `sent` or `failed`.
     */
    delivery: string;
    /**
     * URL of the page where the recipient accepts or declines the invite. Only present for callers who may invite. It
     * grants nothing: only the recipient can accept the invite. On a service without a mail server, the inviter of an
     * email address gets a URL that ends with a secret: one person can join with it, with any account.
     */
    link?: string | null;
}
/** The invite to accept or decline. */
export interface InviteReference {
    /** ID of the invite. */
    invite_id: Id<"invite">;
}
/** A key with its new value. */
export interface IssuedKey {
    /** The key with its new value. */
    key: KeyWithValue;
}
/** An item: `id`, `created_at`, `updated_at`, and its fields. */
export type Item<T = Fields> = {
    id: string;
    created_at: string;
    updated_at: string;
} & T;
/** Operations on items. */
export interface ItemBatch<T = Fields> {
    /**
     * Operations, each on a different item. Either all of them take effect, or none; the error contains the `index` of
     * the first operation that failed.
     */
    operations: ItemOperation<T>[];
    /**
     * New items that are put count as created before this time, at most seven days ago, each one a microsecond before
     * the item of the operation before it: a list of the newest items has the order of the operations. A time in the
     * future counts as now. By default, all of them count as created now.
     */
    created_before?: string | null;
}
/** Items, and the part of the list that they are. */
export interface ItemListing<T = Fields> {
    /** The items. */
    data: Item<T>[];
    /** Which part of the list the response contains. */
    pagination: Pagination;
    /** Cursor of the next page; absent if there are no more items, or if no `limit` was set. */
    next_cursor?: string | null;
}
/** One operation of a batch. */
export type ItemOperation<T = Fields> = ItemPut<T> | ItemPatch<T> | ItemDelete;
/** The fields of an item. */
export interface ItemValue<T = Fields> {
    /** Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at` are ignored. */
    value: T;
}
/** The fields of an item that change. Null removes an optional one. */
export interface ItemChanges<T = Fields> {
    value: Changes<T>;
}
/** An API key, without its value. */
export interface Key {
    /** Unique ID of the key. It does not change when the value is regenerated. */
    id: Id<"key">;
    /** Display name of the key. */
    label: string;
    /** Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`. */
    roles: string;
    /**
     * Whether the key is private. Private keys stay on servers. Public keys may appear in browsers, and read only the
     * project and its schema.
     */
    is_private: boolean;
    /** When the key was created. */
    created_at: string;
    /**
     * When the key was last used, with its current value or an earlier one, with a precision of one minute; null if it was
     * never used.
     */
    last_used?: string | null;
    /** When the current value was last used, with a precision of one minute; null if it was never used. */
    current_last_used?: string | null;
    /** When the key expires; null if it never expires. */
    expires_at?: string | null;
    /** Prefix and last 4 characters of the current value. */
    hint: string;
    previous?: PreviousKeyValue | null;
    earlier?: PreviousKeyValue | null;
}
/** Options of a regeneration. All are optional, and so is the body. */
export interface KeyRegeneration {
    /**
     * Number of seconds for which the old value continues to work, and those before it as long as they were to. 0 by default:
     * all of them stop working immediately.
     */
    grace_seconds?: number | null;
}
/** A value to verify. */
export interface KeyToVerify {
    /** Value to verify. */
    key: string;
    /** ID of the key that the value must belong to. Without it, any key of the project matches. */
    key_id?: Id<"key"> | null;
}
/** Whether a value is valid, and the key that has it. */
export interface KeyVerification {
    /** Whether the value belongs to a key of this project that has not expired. */
    is_valid: boolean;
    key?: VerifiedKey | null;
}
/** An API key with its value. */
export interface KeyWithValue {
    /** Unique ID of the key. */
    id: Id<"key">;
    /** Display name of the key. */
    label: string;
    /** Comma-separated roles of the key. */
    roles: string;
    /** Secret value of the key. It is returned only in this response; store it safely. */
    value: string;
    /** Whether the key is private. */
    is_private: boolean;
    /** When the key was created. */
    created_at: string;
}
/** A project and its team, as listed. */
export interface ListedProject {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Images of the public profile. */
    profile: ProjectAppearance;
    /** ID of the team that owns the project. */
    team_id: Id<"team">;
    /** Display name of the team. */
    team_name: string;
    /** URL-friendly name of the team. */
    team_slug: string;
    /** When the project was created. */
    created_at: string;
}
/** A team and the caller's membership in it. */
export interface ListedTeam {
    /** Unique ID of the team. */
    id: Id<"team">;
    /** Display name of the team. */
    name: string;
    /** URL-friendly name of the team, unique in the service. */
    slug: string;
    /** Account ID of the owner. */
    owner: string;
    /** The caller's own roles: comma-separated role names and permissions. */
    roles: string;
    /** Label of the caller's role, for display. If none is set, the name of the role, or `Custom`. */
    role_name: string;
}
/** A request to a project. The log has neither paths with their values, nor queries, headers, bodies or addresses. */
export interface LoggedRequest {
    /** When the response was ready. */
    at: string;
    /** ID of the request, as in its `X-Request-Id` header. */
    request_id: string;
    /** Method of the request. */
    method: string;
    /** Path of the operation, with the names of its parameters. */
    route: string;
    /** ID of the operation. */
    operation: string;
    /** Status code of the response. */
    status: number;
    /** Code of the error in the response; null if there is none. */
    error?: string | null;
    /** Duration of the request in milliseconds, until the response was ready. */
    took_ms: number;
    caller?: RequestCaller | null;
}
/** A member of a team. */
export interface Member {
    /** Account ID of the member. */
    account_id: Id<"account">;
    /** Comma-separated roles of the member. */
    roles: string;
    /** Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`. */
    role_name: string;
    /** When the account became a member. */
    created_at: string;
    /** Name of the person. Absent without a name, and for API keys, which do not see who the members are. */
    name?: string | null;
    /** Public username. Absent without one, and for API keys. */
    username?: string | null;
    /** Email address. Absent for API keys, and while the account is being deleted. */
    email?: string | null;
}
/** Membership of an account in a team. */
export interface Membership {
    /** ID of the team. */
    team_id: Id<"team">;
    /** Account ID of the member. */
    account_id: Id<"account">;
    /** Comma-separated roles of the member. */
    roles: string;
    /** Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`. */
    role_name: string;
}
/** Confirmation that the request succeeded, as a message. */
export interface Message {
    /** Human-readable description of what was done. */
    message: string;
}
/** An OAuth client that a project registered, without its secret. */
export interface OAuthClient {
    /** Unique ID of the client: its `client_id`. */
    id: string;
    /**
     * `public` for an app in a browser or on a device, which cannot keep a secret; `confidential` for a program on a server,
     * which has one, or keys (RFC 6749 §2.1).
     */
    type: string;
    /** Name that people see when they are asked for consent. */
    name: string;
    /**
     * Grant types that the client may use: `authorization_code`, `refresh_token`, `client_credentials`, and
     * `urn:ietf:params:oauth:grant-type:device_code`.
     */
    grant_types: string[];
    /** URIs that may receive authorization codes. On loopback, any port matches. */
    redirect_uris: string[];
    /** Scopes that the client may request when a person signs in, separated by spaces. */
    scope: string;
    /** Comma-separated roles of a client that acts on its own behalf, as for API keys; null without `client_credentials`. */
    roles?: string | null;
    /** Whether an authorization request must contain a code challenge (RFC 7636). */
    require_pkce: boolean;
    /**
     * Whether people are not asked for consent, because the client belongs to the project itself. They are
     * asked once whether to continue.
     */
    skip_consent: boolean;
    /**
     * Public keys with which a confidential client authenticates instead of a secret, as a JSON Web Key Set (RFC 7517 §5);
     * null for other clients.
     */
    jwks?: {
        [name: string]: unknown;
    } | null;
    /** Whether the client gets only tokens that are bound to a key (RFC 9449). */
    require_dpop: boolean;
    /** Whether the client must push its authorization requests (RFC 9126). */
    require_pushed_requests: boolean;
    /** Lifetime of access tokens, in seconds; null for the default of the service. */
    access_token_seconds?: number | null;
    /** Time after which the person must sign in again, in seconds; null for the default of the service. */
    sign_in_seconds?: number | null;
    /** Public URL of the uploaded logo, which changes with every upload; null if none was uploaded. */
    logo_url?: string | null;
    /** Whether the client registered itself without a token, in a project that the operator opened for everyone (RFC 7591). */
    registered_itself: boolean;
    secret?: OAuthClientSecret | null;
    /** When the client was registered. */
    created_at: string;
}
/** The secret of a confidential client, without its value. */
export interface OAuthClientSecret {
    /** Prefix and last 4 characters of the current secret. */
    hint: string;
    /**
     * When the secret was last used, with its current value or an earlier one, with a precision of one minute; null if it was
     * never used.
     */
    last_used?: string | null;
    /** When the current secret was last used, with a precision of one minute; null if it was never used. */
    current_last_used?: string | null;
    previous?: PreviousOAuthClientSecret | null;
    earlier?: PreviousOAuthClientSecret | null;
}
/** A client with the value of its secret. */
export type OAuthClientWithSecret = OAuthClient & ({
    /** Secret of a confidential client. It is returned only in this response; store it safely. Absent for a public client. */
    client_secret?: string | null;
});
/** An invite as its recipient sees it. */
export interface OwnInvite {
    /** Unique ID of the invite. */
    id: Id<"invite">;
    /** ID of the team that the invite is for. */
    team_id: Id<"team">;
    /** Name of the team. */
    team_name: string;
    /** Slug of the team. */
    team_slug: string;
    /** Email address or username of the caller to which the invite was sent. */
    email_or_username: string;
    /** Comma-separated roles that the caller gets in the team. */
    roles: string;
    /**
     * Label of the role that the caller gets. It grants no permissions. If none is set, the name of the role, or
     * `Custom`.
     */
    role_name: string;
    /** When the invite was created or last renewed. */
    created_at: string;
    /** When the invite expires. */
    expires_at: string;
}
/** Which part of a list a response contains. */
export interface Pagination {
    /** The limit that was applied: `limit` of the request; null if it was not set, so that all items were returned. */
    limit?: number | null;
    /** Value of `offset` in the request; 0 if it was not set. */
    offset: number;
    /** Number of items in the response. */
    count: number;
}
/** A password, and the email address or the username of its account. */
export interface PasswordLogin {
    /** Email address of the account. Send either `email` or `username`. */
    email?: string | null;
    /** Username of the account. Send either `email` or `username`. */
    username?: string | null;
    /** Password of the account. */
    password: string;
}
/** A personal access token, without its value. */
export interface PersonalToken {
    /** Unique ID of the token. */
    id: Id<"token">;
    /** Display name of the token. */
    label: string;
    /** Comma-separated role names and permissions. They apply only if the person has them too. */
    roles: string;
    /**
     * IDs of the teams that the token can access. If `teams` and `projects` are both empty, the token can access all
     * teams and projects of the person.
     */
    teams: string[];
    /** IDs of the projects that the token can access in addition to those of `teams`. */
    projects: string[];
    /** When the token was created. */
    created_at: string;
    /** When the token expires. */
    expires_at: string;
    /** When the token was last used, with a precision of one minute; null if it was never used. */
    last_used?: string | null;
    /** Prefix and last 4 characters of the value. */
    hint: string;
}
/** A replaced value of a key, which is valid until it expires. */
export interface PreviousKeyValue {
    /** When the value stops working. */
    expires_at: string;
    /** When the value was last used, with a precision of one minute; null if it was never used. */
    last_used?: string | null;
}
/** A replaced secret of a client, which is valid until it expires. */
export interface PreviousOAuthClientSecret {
    /** When the secret stops working. */
    expires_at: string;
    /** When the secret was last used, with a precision of one minute; null if it was never used. */
    last_used?: string | null;
}
/** A project after a change. */
export interface Project {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Website of the project; null if it has none. */
    website?: string | null;
    /** Public profile of the project, with the URLs of its images. */
    profile: {
        [name: string]: unknown;
    };
    /** When the project last changed. */
    updated_at: string;
}
/** Images of a project's public profile. */
export interface ProjectAppearance {
    /** URL of the icon; null if the project has none. */
    icon_url?: string | null;
    /** Appearance of the project's pages. */
    styles: ProjectStyles;
}
/** Changes to a project. Absent fields stay unchanged. */
export interface ProjectChanges {
    /** New display name: 1 to 100 characters. */
    name?: string | null;
    /** New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. */
    slug?: string | null;
    /** New website, an http(s) URL of at most 2,048 characters; null removes it. */
    website?: string | null;
    /** Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON. */
    profile?: {
        [name: string]: unknown;
    } | null;
}
/** A project. */
export interface ProjectDetails {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Website of the project; null if it has none. */
    website?: string | null;
    /** Public profile of the project, with the URLs of its images. */
    profile: {
        [name: string]: unknown;
    };
    /** ID of the team that owns the project. */
    team_id: Id<"team">;
    /** When the project was created. */
    created_at: string;
    /** When the project or its settings last changed. */
    updated_at: string;
    usage?: ProjectUsage | null;
}
/** Icon of a project. */
export interface ProjectIcon {
    /** URL of the icon; null if the project has none. */
    icon_url?: string | null;
}
/** The uploaded images of a project. */
export interface ProjectImages {
    /** Always `true`. */
    success: boolean;
    /** The uploaded images. */
    images: UploadedImages;
}
/** An item, and the user who owns it. */
export interface ProjectItem<T = Fields> {
    /** ID of the user in the project. */
    user_id: Id<"user">;
    /** The item. */
    item: Item<T>;
}
/** Items of all users. */
export interface ProjectItemListing<T = Fields> {
    /** The items. */
    data: ProjectItem<T>[];
    stopped?: SearchStop | null;
    /** Cursor of the next page; absent if there are no more items. A page can be empty although others follow. */
    next_cursor?: string | null;
}
/** Settings of a project. */
export interface ProjectSettings {
    /** Sign-in settings. */
    auth: SignInSettings;
}
/** Appearance of a project's pages. */
export interface ProjectStyles {
    /** URL of the background image; null if the project has none. */
    background_url?: string | null;
}
/** A table, with the items of all users. */
export interface ProjectTable {
    /** Name of the table. */
    table: string;
    /** Number of items. */
    items: number;
    /** Size of the items' fields as JSON, in bytes. */
    bytes: number;
}
/** The tables of a project. */
export interface ProjectTables {
    /** The tables, in the order of the schema. */
    data: ProjectTable[];
    /** Whether all items are counted. If not, the tables have at least these sizes. */
    complete: boolean;
}
/** Usage and limits of a project's quotas. */
export interface ProjectUsage {
    /** Number of items of all users. */
    items: QuotaUsage;
    /** Total size of these items, in bytes of JSON. */
    bytes: QuotaUsage;
    /** Number of API keys. */
    keys: QuotaUsage;
    /** Number of webhooks. */
    webhooks: QuotaUsage;
    /** Number of schema versions. */
    schema_versions: QuotaUsage;
}
/** A user of a project. */
export interface ProjectUser {
    /** Unique ID of the user in the project. It differs from the account ID. */
    id: Id<"user">;
    /** DID of the user's account. */
    user_did: string;
    /** Base URL of the service that stores the user's data. */
    pds_url: string;
    /**
     * `connected`, `disconnected` (the user left the project) or `blocked` (by the project). Data can be written only
     * for connected users.
     */
    status: string;
    /** Data that the project stores about the user. */
    meta: {
        [name: string]: unknown;
    };
    /** Name and username of the account, if they are set. */
    profile: {
        [name: string]: unknown;
    };
    /**
     * Current email address of the account. Null unless the user granted the scope `email` to the project: request it
     * when users sign in. Null again when the user revokes the grant.
     */
    email?: string | null;
    /** When the user last used the project, with a precision of 15 minutes. */
    last_seen_at: string;
    /** When the user first connected to the project. */
    created_at: string;
    /**
     * When the deletion of the user started; null if it has not. It continues in the background. Until it is complete,
     * the user is blocked, and their items and exports are not found.
     */
    deletion_started_at?: string | null;
}
/** Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2). */
export interface ProviderMetadata {
    /** Issuer of tokens: the base URL of this service. */
    issuer: string;
    /** URL of the authorization endpoint. */
    authorization_endpoint: string;
    /** URL of the token endpoint. */
    token_endpoint: string;
    /** URL of the UserInfo endpoint. */
    userinfo_endpoint: string;
    /** URL of the JSON Web Key Set with the public keys for verifying tokens. */
    jwks_uri: string;
    /** URL of the revocation endpoint (RFC 7009). */
    revocation_endpoint: string;
    /** URL that receives pushed authorization requests (RFC 9126). */
    pushed_authorization_request_endpoint: string;
    /**
     * URL at which clients register themselves (RFC 7591). An initial access token is required unless the operator has opened
     * a project.
     */
    registration_endpoint: string;
    /** URL that receives the requests of devices (RFC 8628). */
    device_authorization_endpoint: string;
    /** Whether all clients must push their requests. Always `false`: it is a setting of each client. */
    require_pushed_authorization_requests: boolean;
    /** URL of the introspection endpoint (RFC 7662). */
    introspection_endpoint: string;
    /** URL to which clients send people to sign out (OpenID Connect RP-Initiated Logout 1.0). */
    end_session_endpoint: string;
    /** Supported response types. Always `["code"]`. */
    response_types_supported: string[];
    /** Supported response modes. */
    response_modes_supported: string[];
    /** Supported grant types. */
    grant_types_supported: string[];
    /** Supported subject types. Always `["public"]`: the `sub` of an account is the same for all clients. */
    subject_types_supported: string[];
    /** Algorithms of the published keys that sign ID tokens. */
    id_token_signing_alg_values_supported: string[];
    /** Supported scopes. */
    scopes_supported: string[];
    /** Client authentication at the token endpoint. The secret of a client that has none is ignored. */
    token_endpoint_auth_methods_supported: string[];
    /** Algorithms of the assertions of clients (`private_key_jwt`) at the token endpoint. */
    token_endpoint_auth_signing_alg_values_supported: string[];
    /** Client authentication at the revocation endpoint. The secret of a client that has none is ignored. */
    revocation_endpoint_auth_methods_supported: string[];
    /** Algorithms of the assertions of clients at the revocation endpoint. */
    revocation_endpoint_auth_signing_alg_values_supported: string[];
    /** Authentication at the introspection endpoint. */
    introspection_endpoint_auth_methods_supported: string[];
    /** Algorithms of the assertions of clients at the introspection endpoint. */
    introspection_endpoint_auth_signing_alg_values_supported: string[];
    /** Algorithms of proofs, to whose keys tokens are bound (RFC 9449 §5.1). */
    dpop_signing_alg_values_supported: string[];
    /** Supported PKCE methods (RFC 7636 §4.3). Always `["S256"]`. */
    code_challenge_methods_supported: string[];
    /** Supported values of `prompt`. */
    prompt_values_supported: string[];
    /** Languages of the pages on which people sign in. Without `ui_locales`, they appear in that of the browser. */
    ui_locales_supported: string[];
    /** Supported values of `acr_values`, and values of the claim `acr`: one factor, or two. */
    acr_values_supported: string[];
    /** Claims that tokens and user info can contain. */
    claims_supported: string[];
    /** Whether the `claims` parameter is supported. Always `false`. */
    claims_parameter_supported: boolean;
    /** Whether the `request` parameter is supported. Always `false`. */
    request_parameter_supported: boolean;
    /** Whether the `request_uri` parameter is supported. Always `false`. */
    request_uri_parameter_supported: boolean;
    /** Whether every response of the authorization endpoint contains `iss` (RFC 9207 §3). Always `true`. */
    authorization_response_iss_parameter_supported: boolean;
    /** Whether logout tokens are sent to clients (OpenID Connect Back-Channel Logout 1.0). Always `true`. */
    backchannel_logout_supported: boolean;
    /** Whether logout tokens contain the session (`sid`). Always `true`. */
    backchannel_logout_session_supported: boolean;
}
/** Public information about a project. */
export interface PublicProject {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Website of the project; null if it has none. */
    website?: string | null;
    /** Public profile of the project, with the URLs of its images. */
    profile: {
        [name: string]: unknown;
    };
    /** When the project was created. */
    created_at: string;
    /** Public sign-in settings. */
    auth: PublicSignIn;
}
/** Public sign-in settings of a project. */
export interface PublicSignIn {
    /** URIs that may receive authorization codes. If the list is empty, only loopback URIs may. */
    redirect_uris: string[];
}
/** A version that was published, or that would be published without `dry_run`. */
export interface Publication {
    /** The version. With `dry_run`, its `id` and `updated_at` are not stored. */
    data: SchemaVersion;
    diff?: SchemaDiff | null;
    /** The first 100 members of the document that have no effect. Absent if there are none. */
    warnings?: SchemaWarning[] | null;
}
/** A reference to a pushed authorization request. */
export interface PushedAuthorization {
    /** Value of the `request_uri` parameter at `/auth/authorize`. */
    request_uri: string;
    /** Number of seconds for which it can be used, once. */
    expires_in: number;
}
/** Parameters of a pushed authorization request, sent as a form. */
export interface PushedAuthorizationForm {
    /** UUID or DID of the project, or ID of a client that it registered. */
    client_id: string;
    /**
     * URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
     * unless `request_uri` is sent.
     */
    redirect_uri?: string | null;
    /** Must be `code`. */
    response_type?: string | null;
    /**
     * How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a form that
     * the browser posts to it.
     */
    response_mode?: "query" | "fragment" | "form_post" | null;
    /** Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored. */
    scope?: string | null;
    /**
     * Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
     * bytes. Required unless `code_challenge` is sent.
     */
    state?: string | null;
    /** SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off. */
    code_challenge?: string | null;
    /** Must be `S256` if `code_challenge` is sent. */
    code_challenge_method?: string | null;
    /** SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10). */
    dpop_jkt?: string | null;
    /** Value that is returned in the ID token. At most 512 bytes. */
    nonce?: string | null;
    /**
     * `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
     * redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
     * of its requests.
     */
    prompt?: string | null;
    /** Login to suggest on the sign-in page. At most 320 bytes. */
    login_hint?: string | null;
    /** Maximum time since the person last signed in, in seconds. After that, the person must sign in again. */
    max_age?: string | null;
    /**
     * Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
     * person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the person
     * did. At most 320 bytes.
     */
    acr_values?: string | null;
    /**
     * Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
     * `id_token_hint` are ignored then. It cannot be pushed itself.
     */
    request_uri?: string | null;
    /** Secret of a confidential client, if it is not sent with HTTP Basic. */
    client_secret?: string | null;
    /** Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent. */
    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" | null;
    /** JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2). */
    client_assertion?: string | null;
}
/** Usage and limit of one quota. */
export interface QuotaUsage {
    /** Current number or size. */
    used: number;
    /** Maximum number or size. The operator of the service configures it. */
    limit: number;
}
/** The resources that lost the authority of a removed member. */
export type RemovedMember = AffectedResources & {
    /** Always `true`. */
    success: boolean;
};
/** Who sent a request. */
export interface RequestCaller {
    /**
     * Kind of the credential: `account`, `token` (a personal access token), `key`, `client` (one that acts on its own behalf) or
     * `user` (a person in the project).
     */
    type: string;
    /** ID of the account, personal access token, API key, client or user. */
    id: string;
}
/** Requests in the order of their responses. */
export interface RequestList {
    /** The requests, oldest first. Empty if there are no new requests. */
    data: LoggedRequest[];
    /** Value of `after` for the next request. */
    next: string;
    /**
     * The instance of the service that served these requests, and this one. Another one may respond next: it continues with the
     * same `after`.
     */
    instance: string;
    /** Whether requests after `after` are missing, because newer ones have replaced them. */
    truncated: boolean;
}
/** Statistics of the requests to a project. Days are in UTC. */
export interface RequestStats {
    /** Number of requests on all requested days. */
    total: number;
    /** Number of requests today. */
    today: number;
    /** Requests of each requested day, oldest first. */
    series: DailyRequests[];
}
/** The version to publish again. */
export interface Rollback {
    /** Number of a published version. */
    version: number;
}
/** Whether a document can be published as the next version. */
export interface SchemaCheck {
    /** Whether the document can be published as the next version. */
    valid: boolean;
    /** The first 100 violations; empty if `valid` is `true`. */
    errors: {
        [name: string]: unknown;
    }[];
    /** The first 1,000 changes relative to the newest version. */
    changes: {
        [name: string]: unknown;
    }[];
    /** `true` if there are more violations or changes; otherwise absent. */
    truncated?: boolean | null;
    /** The first reason why the document cannot be published. Absent if `valid` is `true`. */
    message?: string | null;
    /** The first 100 members of a valid document that have no effect. Absent if there are none. */
    warnings?: SchemaWarning[] | null;
}
/** Changes between the published schema and a document. */
export interface SchemaComparison {
    /** Whether there are no changes. */
    valid: boolean;
    /**
     * The first 1,000 changes: each has a `type` such as `field_added`, the location of the change, and `old` and
     * `new` if present.
     */
    changes: {
        [name: string]: unknown;
    }[];
    /** `true` if there are more changes; otherwise absent. */
    truncated?: boolean | null;
}
/** Changes of a schema and the stored items that no longer conform because of them. */
export interface SchemaDiff {
    /**
     * Worst class of all changes: `compatible`, `risky` (existing programs may no longer be able to write) or
     * `breaking` (stored items no longer conform).
     */
    class: string;
    /**
     * The first 1,000 changes, in the format of a comparison. Each also has its own `class`, `affected_items` (number
     * of stored items that no longer conform because of it) and `sample_ids` (up to 5 of their IDs, if the caller may
     * read items).
     */
    changes: {
        [name: string]: unknown;
    }[];
    /** `true` if there are more changes; otherwise absent. */
    truncated?: boolean | null;
}
/** A schema document, or changes to merge into one. */
export interface SchemaDocument {
    /**
     * Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request, only the changes to
     * merge (RFC 7396): null removes a member.
     */
    schema: {
        [name: string]: unknown;
    };
}
/** Published versions of a schema, newest first. */
export interface SchemaListing {
    /** The selected versions; empty if there are none. */
    data: SchemaVersion[];
    /** Total number of versions. Only with `version=all`. */
    count?: number | null;
    /** Cursor of the next page. Absent on the last page. */
    next_cursor?: string | null;
}
/** A published version of a project's schema. */
export interface SchemaVersion {
    /** Unique ID of the version. */
    id: string;
    /** ID of the project. */
    project_id: Id<"project">;
    /** Schema document as it was published: `project_id`, `version` (1 or higher), `tables`, and other members. */
    schema: {
        [name: string]: unknown;
    };
    /** When the version was published. */
    updated_at: string;
}
/** A member of a schema document that is stored and has no effect, for example because it is misspelt. */
export interface SchemaWarning {
    /** JSON pointer to the member. */
    path: string;
    /** What has no effect, and what may be meant. */
    message: string;
}
/**
 * Where a search among the items of all users stopped. In the order by user and ID, `next_cursor` continues there.
 * Otherwise the items are those that were found among the examined ones.
 */
export interface SearchStop {
    /** Maximum number of the project's items that a request examines. */
    limit: number;
    /** The last user whose items were examined, in the order of the users' IDs. */
    user_id: Id<"user">;
}
/** Information about the service. */
export interface ServiceInfo {
    /** Always `true`. */
    root: boolean;
    /** Name of this deployment. */
    env: string;
    /** Whether the database is reachable and writable. */
    db_conn: boolean;
    /** Version of the service. */
    version: string;
}
/** The sign-in that issued the access token. */
export interface Session {
    /** Always `true`. */
    active: boolean;
    /** Unique ID of the sign-in. */
    session_id: string;
    /**
     * Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or the ID of a
     * first-party client.
     */
    client_id: string;
    /** Scopes of the token, separated by spaces. */
    scope: string;
    /** DID of the account. */
    account_did: string;
    /** Always `connected`: otherwise the response is 401. */
    connection_status: string;
    /** When the person last used the project, with a precision of 15 minutes; null for a first-party token. */
    last_seen_at?: string | null;
}
/** A key. */
export interface ShownKey {
    /** The key without its value. */
    key: Key;
}
/** Sign-in settings of a project. */
export interface SignInSettings {
    /** URIs that may receive authorization codes: at most 50. If the list is empty, only loopback URIs may. */
    redirect_uris: string[];
    /** Whether clients must use PKCE (RFC 7636). Default: `true`. */
    require_pkce: boolean;
    /**
     * Whether a token that was granted only `openid`, `profile` or `email` can also read and write the user's own
     * items, for programs that do not request the scopes of items. Default: `false`.
     */
    legacy_scopes: boolean;
    /** Whether people can sign in with a code that they receive by email, if the operator allows it. Default: `true`. */
    email_codes: boolean;
    /**
     * The time from which people have to use a second factor to sign in to the project; null if they need not. Set it to
     * a date or an RFC 3339 timestamp. Default: null.
     */
    second_factor_from?: string | null;
    /**
     * URIs that a person may be redirected to after signing out: at most 50. If the list is empty, only loopback URIs
     * may.
     */
    post_logout_redirect_uris: string[];
    /**
     * URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0); null if none is
     * registered.
     */
    backchannel_logout_uri?: string | null;
    /**
     * Color of buttons and links of the pages on which people sign in, in the format `#rrggbb`; null for that of the
     * service. Text gets the color that is readable with it.
     */
    accent_color?: string | null;
    /** Color around these pages, in the format `#rrggbb`; null for that of the service. */
    background_color?: string | null;
    /** https URL of the terms of service to which these pages link; null if there is none. */
    tos_uri?: string | null;
    /** https URL of the privacy policy to which these pages link; null if there is none. */
    policy_uri?: string | null;
}
/** A slug that was generated from text. */
export interface SlugText {
    /** Lowercase letters and digits, with single hyphens between words. */
    slug: string;
}
/** Status of a service that works. A service that fails responds with 503 and the status `fail`. */
export interface Status {
    /** Always `pass`. */
    status: string;
}
/** Confirmation that the request succeeded. */
export interface Success {
    /** Always `true`. */
    success: boolean;
}
/** A change of a device that was not stored, or not completely. The device was corrected. */
export interface SyncRejection {
    /** Unique ID of the rejection. */
    id: string;
    /** When the change was rejected. */
    at: string;
    /** ID of the user in the project. */
    user_id: Id<"user">;
    /** Name of the device, as in its `clientIdentity`. */
    device: string;
    /** Table that the device named, shortened to 100 characters. */
    table: string;
    /** ID of the item that the device named, shortened to 100 characters. */
    key: string;
    /**
     * Why the change was rejected: an error code of the operations on items, or `unknown_table`, `invalid_key`,
     * `message_too_long` for a change beyond the limits of a message, or `unknown_field` for a change that was stored
     * without the fields that the schema lacks.
     */
    code: string;
    /** The reason in words. */
    message: string;
}
/** A team after a change. */
export interface Team {
    /** Unique ID of the team. */
    id: Id<"team">;
    /** Display name of the team. */
    name: string;
    /** URL-friendly name of the team, unique in the service. */
    slug: string;
    /** Account ID of the owner. */
    owner_id: Id<"account">;
    /** The time from which the members of the team have to use a second factor; null if they need not. */
    second_factor_from?: string | null;
    /** When the team was created. */
    created_at: string;
}
/** A team with its members, projects and pending invites. */
export interface TeamDetails {
    /** Unique ID of the team. */
    id: Id<"team">;
    /** Display name of the team. */
    name: string;
    /** URL-friendly name of the team, unique in the service. */
    slug: string;
    /** Account ID of the owner. */
    owner_id: Id<"account">;
    /** The time from which the members of the team have to use a second factor; null if they need not. */
    second_factor_from?: string | null;
    /** When the team was created. */
    created_at: string;
    /** Members of the team; empty if the caller may not read them. */
    members: TeamMember[];
    /** Projects of the team; empty if the caller may not read them. An API key receives only its own project. */
    projects: TeamProject[];
    /** Pending invites; empty if the caller may not read them. */
    invites: TeamInvite[];
}
/** A pending invite of a team. */
export interface TeamInvite {
    /** Unique ID of the invite. */
    id: Id<"invite">;
    /** ID of the team. */
    team_id: Id<"team">;
    /** Email address or username of the invited person. */
    email_or_username: string;
    /** Roles that the invite grants: comma-separated role names and permissions. */
    roles: string;
    /** Label of the role, for display. If none is set, the name of the role, or `Custom`. */
    role_name: string;
}
/** A member of a team. */
export interface TeamMember {
    /** Account ID of the member. */
    account_id: Id<"account">;
    /** Comma-separated role names and permissions. */
    roles: string;
    /** Label of the role, for display. If none is set, the name of the role, or `Custom`. */
    role_name: string;
}
/** A project of a team. */
export interface TeamProject {
    /** Unique ID of the project. */
    id: Id<"project">;
    /** Display name of the project. */
    name: string;
    /** URL-friendly name of the project, unique in the service. */
    slug: string;
    /** Icon of the project. */
    profile: ProjectIcon;
}
/** Parameters of a revocation (RFC 7009 §2.1) or introspection request (RFC 7662 §2.1). */
export interface TokenParameters {
    /** Access token or refresh token. */
    token: string;
    /** `access_token` or `refresh_token`. Ignored: the type is detected. */
    token_type_hint?: string | null;
    /**
     * ID of the client, or UUID or DID of the project, if it is not sent with HTTP Basic. A revocation request must match
     * the token's client if it is sent.
     */
    client_id?: string | null;
    /** Secret of a confidential client, if it is not sent with HTTP Basic. */
    client_secret?: string | null;
    /** Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent. */
    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" | null;
    /** JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2). */
    client_assertion?: string | null;
}
/**
 * Parameters of a token request (RFC 6749 §4.1.3, §4.4 and §6, RFC 8628 §3.4): a code, a refresh token, the secret of a
 * client, or the code of a device.
 */
export interface TokenRequest {
    /**
     * `authorization_code` (default), `refresh_token`, `client_credentials` or
     * `urn:ietf:params:oauth:grant-type:device_code`.
     */
    grant_type?: "authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | null;
    /** Authorization code. A refresh token is also accepted. */
    code?: string | null;
    /** Redirect URI of the authorization request. Must match if sent. */
    redirect_uri?: string | null;
    /**
     * ID of the client, or UUID or DID of the project. Must match if sent. It can also be sent as the user name of HTTP
     * Basic. Required for a confidential client.
     */
    client_id?: string | null;
    /** Secret of a confidential client. It can also be sent as the password of HTTP Basic. Ignored for other clients. */
    client_secret?: string | null;
    /** Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent. */
    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" | null;
    /** JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2). */
    client_assertion?: string | null;
    /**
     * Verifier of the code challenge (RFC 7636 §4.1): 43 to 128 characters. Required if the authorization request
     * contained a code challenge.
     */
    code_verifier?: string | null;
    /** Refresh token of an earlier response. */
    refresh_token?: string | null;
    /** Code of a device that waits for a person. */
    device_code?: string | null;
    /** Roles of the token, separated by spaces, among those of the client; all by default. Only for `client_credentials`. */
    scope?: string | null;
}
/** Response with tokens (RFC 6749 §5.1). */
export interface TokenResponse {
    /** Access token (JWT). Send it as `Authorization: <token_type> <token>`. */
    access_token: string;
    /** `Bearer`, or `DPoP` for a token that is bound to a key (RFC 9449). */
    token_type: string;
    /** Lifetime of the access token in seconds. */
    expires_in: number;
    /**
     * Refresh token. Exchange it at `POST /auth/token` for new tokens. Absent if the client may not use the grant type
     * `refresh_token`.
     */
    refresh_token?: string | null;
    /** Same value as `refresh_token`, for clients that read this name. */
    refresh?: string | null;
    /** Space-separated scopes that were granted; for `client_credentials`, the roles. */
    scope: string;
    /** ID token (JWT, OpenID Connect Core §2). Only present if the scope `openid` was granted. */
    id_token?: string | null;
}
/** Changes to a provider. At least one field is required; absent fields stay unchanged. */
export interface UpdateIdentityProviderBody {
    /** New name: 1 to 100 characters. */
    name?: string | null;
    /** New client ID: 1 to 255 printable ASCII characters. */
    client_id?: string | null;
    /** New secret: 1 to 2,000 printable ASCII characters. */
    client_secret?: string | null;
    /** Whether people can sign in there. */
    is_enabled?: boolean | null;
}
/** Changes to a key. At least one field is required; absent fields stay unchanged. */
export interface UpdateKeyBody {
    /** New display name: 1 to 100 characters. At least one of `label` and `roles` is required. */
    label?: string | null;
    /** New comma-separated roles: `admin`, `write`, `read`, or individual permissions such as `db:read`. */
    roles?: string | null;
    /** The expiry cannot be changed. If present, it must equal the current one. */
    expires_at?: string | null;
}
/** Changes to a member. At least one field is required; absent fields stay unchanged. */
export interface UpdateMemberBody {
    /**
     * Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. At
     * least one of `roles` and `role_name` is required.
     */
    roles?: string | null;
    /** Label of the member's role: at most 64 characters. It grants no permissions. */
    role_name?: string | null;
}
/** Changes to a client. At least one field is required; absent fields stay unchanged. */
export interface UpdateOAuthClientBody {
    /** New name: 1 to 100 characters. */
    name?: string | null;
    /** New grant types. */
    grant_types?: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code")[] | null;
    /** New redirect URIs: at most 50. */
    redirect_uris?: string[] | null;
    /** New scopes, separated by spaces. */
    scope?: string | null;
    /** New comma-separated roles of a client that acts on its own behalf. An empty string removes them. */
    roles?: string | null;
    /** Whether an authorization request must contain a code challenge. */
    require_pkce?: boolean | null;
    /** Whether people are not asked for consent. */
    skip_consent?: boolean | null;
    /** New public keys of a confidential client, instead of the current ones or of its secret. They cannot be removed. */
    jwks?: {
        [name: string]: unknown;
    } | null;
    /** Whether the client gets only tokens that are bound to a key. Tokens that were issued stay as they are. */
    require_dpop?: boolean | null;
    /** Whether the client must push its authorization requests. */
    require_pushed_requests?: boolean | null;
    /** Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service. */
    access_token_seconds?: number | null;
    /** Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service. */
    sign_in_seconds?: number | null;
}
/**
 * Changes to a project, either at the top level or in `data`. At least one field is required; absent fields stay
 * unchanged.
 */
export interface UpdateProjectBody {
    /** New display name: 1 to 100 characters. */
    name?: string | null;
    /** New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. */
    slug?: string | null;
    /** New website, an http(s) URL of at most 2,048 characters; null removes it. */
    website?: string | null;
    /** Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON. */
    profile?: {
        [name: string]: unknown;
    } | null;
    data?: ProjectChanges | null;
}
/**
 * Changes to the settings, in the same format as the settings, at the top level or in `data`. They are merged into the
 * stored settings (RFC 7396): null resets a setting to its default.
 */
export interface UpdateSettingsBody {
    [name: string]: unknown;
}
/** Changes to a team. At least one field is required; absent fields stay unchanged. */
export interface UpdateTeamBody {
    /** New display name: 1 to 100 characters. */
    name?: string | null;
    /** New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. */
    slug?: string | null;
    /**
     * The time from which the members of the team have to use a second factor: a date, or an RFC 3339 timestamp; null if
     * they need not. Only someone who uses one may require it.
     */
    second_factor_from?: string | null;
}
/** Changes to a user of a project. At least one field is required. */
export interface UpdateUserBody {
    /** Merged into the stored data about the user (RFC 7396): null removes a member. At most 64 KiB as JSON. */
    meta?: {
        [name: string]: unknown;
    } | null;
    /** `blocked` blocks the user; `connected` unblocks them. */
    status?: "connected" | "blocked" | null;
}
/** Changes to a webhook. At least one field is required; absent fields stay unchanged. */
export interface UpdateWebhookBody {
    /** New URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment. */
    url?: string | null;
    /** Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events. */
    events?: ("*" | "team.created" | "team.updated" | "team.deleted" | "team.access_denied" | "member.created" | "member.updated" | "member.deleted" | "invite.created" | "invite.updated" | "invite.deleted" | "project.created" | "project.updated" | "project.deleted" | "project.access_denied" | "project.client_request_refused" | "api_key.created" | "api_key.updated" | "api_key.deleted" | "client.created" | "client.updated" | "client.deleted" | "identity_provider.created" | "identity_provider.updated" | "identity_provider.deleted" | "identity_provider.sign_in_failed" | "schema.created" | "project_user.created" | "project_user.updated" | "project_user.deleted" | "item.created" | "item.updated" | "item.deleted" | "grant.created" | "grant.updated" | "grant.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted")[] | null;
    /**
     * `project` sends the events of each project, and those of the team itself, in order, and those of different projects
     * at the same time. `none` sends events in any order. The change takes effect within 10 seconds.
     */
    ordering?: "project" | "none" | null;
    /**
     * `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes it: delivery
     * continues with the first event that was not delivered.
     */
    status?: "active" | "paused" | null;
}
/** What a change of a key returns. */
export interface UpdatedKey {
    /** Unique ID of the key. */
    id: Id<"key">;
    /** Display name of the key. */
    label: string;
    /** Comma-separated roles of the key. */
    roles: string;
    /** When the key was updated. */
    updated_at: string;
}
/** A member after a change, and the resources that lost its authority. */
export type UpdatedMember = AffectedResources & {
    /** The membership after the update. */
    data: Membership;
};
/** An uploaded background. */
export type UploadedBackground = ImageFile & ({
    /** Public URL of the background. It changes with every upload. */
    background_url?: string | null;
});
/** An uploaded icon. */
export type UploadedIcon = ImageFile & ({
    /** Public URL of the icon. It changes with every upload. */
    icon_url?: string | null;
});
/** Uploaded images of a project. */
export interface UploadedImages {
    icon?: UploadedIcon | null;
    background?: UploadedBackground | null;
}
/** The access token of the person to connect. */
export interface UserConnection {
    /** Access token (JWT) of the person, for this project or for this service. */
    token: string;
}
/** All data that a project stores about a user. */
export interface UserExport {
    /** When the export started. */
    exported_at: string;
    /** The user of the project. */
    user: ProjectUser;
    grant?: ExportedGrant | null;
    /** Days in UTC on which the user was active, oldest first. */
    active_days: string[];
    /** All items of the user: an object with a list of items for each table that has items. */
    items: {
        [name: string]: unknown;
    };
}
/** Claims that the scopes of the token give access to (OpenID Connect Core §5.3.2). */
export interface UserInfo {
    /** Unique ID of the account, as in the `sub` claim of its tokens. */
    sub: string;
    /** Same value as `sub`. */
    id: string;
    /** Name of the person. Only present with the scope `profile`, and if the account has a name. */
    name?: string | null;
    /** Username. Only present with the scope `profile`, and if the account has a username. */
    preferred_username?: string | null;
    /** Email address. Only present with the scope `email`. */
    email?: string | null;
    /** Whether the person proved that the email address is theirs. Only present with the scope `email`. */
    email_verified?: boolean | null;
    /** Same value as `preferred_username`, for clients that read this name. */
    username?: string | null;
    /** URL of a profile picture. Accounts have no pictures, so it is never present. */
    picture?: string | null;
}
/** The access token, for clients that do not send it in the header. */
export interface UserInfoForm {
    /** Access token. */
    access_token?: string | null;
}
/** A sign-in of a user to a project. */
export interface UserSession {
    /** Unique ID of the sign-in. `GET /auth/session` returns it as `session_id`. */
    id: string;
    /** Scopes of the tokens. */
    scopes: string[];
    /** When the person entered their password. A browser that is already signed in does not ask for it again. */
    signed_in_at: string;
    /** When the project received its tokens. */
    created_at: string;
}
/** Statistics of a project's users. Days are in UTC. */
export interface UserStats {
    /** Number of users of the project. */
    total: number;
    /** Number of users who were active today. */
    dau: number;
    /** Number of users who were active in the last 7 days, including today. */
    wau: number;
    /** Number of users who were active in the last 30 days, including today. */
    mau: number;
    /** Activity of each requested day, oldest first. */
    series: ActiveUsers[];
}
/** The key that has a value. */
export interface VerifiedKey {
    /** Unique ID of the key. */
    id: Id<"key">;
    /** Display name of the key. */
    label: string;
    /** Comma-separated roles of the key. */
    roles: string;
    /** When the key was created. */
    created_at: string;
}
/** A webhook of a team or project, without its secret. */
export interface Webhook {
    /** Unique ID of the webhook. */
    id: Id<"webhook">;
    /** URL that events are sent to. */
    url: string;
    /** Names of the events to send, or `["*"]` for all events. */
    events: string[];
    /**
     * Which events wait for each other: `project` (those of the same project are sent in order, different projects at
     * the same time) or `none` (events are sent in any order).
     */
    ordering: string;
    /** `active`, or `paused` while no events are sent. */
    status: string;
    /** Why the webhook is paused. Absent if it is active. */
    paused_reason?: string | null;
    /** When the webhook was paused. Absent if it is active. */
    paused_at?: string | null;
    /** ID of the account that created the webhook. */
    created_by: string;
    /**
     * ID of the account that authorizes the webhook: the one that created it, last changed its URL or last resumed it.
     * The webhook is paused when this account may no longer manage webhooks.
     */
    authorized_by: string;
    /** When the webhook was created. */
    created_at: string;
}
/** An attempt to deliver an event, or a test event, to a webhook. */
export interface WebhookDelivery {
    /** Unique ID of the attempt. */
    id: string;
    /** Name of the event, such as `project.updated`, or `webhook.test`. */
    event: string;
    /** `position` of the event in the audit log; 0 for a test event. */
    position: number;
    /** Attempt number, starting at 1; 0 for a manual redelivery and for a test event. */
    attempt: number;
    /** When the attempt was made. */
    at: string;
    /** Duration of the attempt, in milliseconds. */
    took_ms: number;
    /** HTTP status code of the response; null if there was no response. */
    status?: number | null;
    /** Why the attempt failed; null if it succeeded. */
    error?: string | null;
}
/** An attempt to deliver an event with its message and response. */
export type WebhookDeliveryDetails = WebhookDelivery & ({
    /** `webhook-id` of the message. */
    message_id: string;
    /**
     * The body of the message, made again from the event; null for a test event, if the event is no longer retained, and for
     * members who have neither `audit:read` nor `webhook:write`.
     */
    payload?: {
        [name: string]: unknown;
    } | null;
    /**
     * The first 2 KiB of the body of the response, without the secret and the signatures if the receiver repeats them; null if
     * there was no response.
     */
    response_body?: string | null;
    /**
     * Earliest time of the next attempt to deliver the event; null if it was delivered, waits for an earlier event, or is not
     * sent again.
     */
    next_attempt_at?: string | null;
});
/** A webhook with its new secret. */
export type WebhookWithSecret = Webhook & {
    /** Secret that messages are signed with. It is not shown again. */
    secret: string;
};
/** Creates or replaces an item. */
export interface ItemPut<T = Fields> {
    /** ID of the item: 1 to 128 characters of `[A-Za-z0-9._~-]`, other than `.` and `..`. */
    id: string;
    /** Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one. */
    if_match?: string | null;
    /** Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have. */
    if_none_match?: string | null;
    op: "put";
    /** All fields of the item. */
    value: T;
}
/** Updates fields of an item. */
export interface ItemPatch<T = Fields> {
    /** ID of the item. */
    id: string;
    /** Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one. */
    if_match?: string | null;
    /** Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have. */
    if_none_match?: string | null;
    op: "patch";
    /** Fields to change; null removes a field. */
    value: Changes<T>;
}
/** Deletes an item. */
export interface ItemDelete {
    /** ID of the item. */
    id: string;
    /** Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one. */
    if_match?: string | null;
    /** Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have. */
    if_none_match?: string | null;
    op: "delete";
}
/** @deprecated Use `CreateAccountBody`. */
export type NewAccount = CreateAccountBody;
/** @deprecated Use `CreateIdentityProviderBody`. */
export type NewIdentityProvider = CreateIdentityProviderBody;
/** @deprecated Use `CreateInviteBody`. */
export type NewInvite = CreateInviteBody;
/** @deprecated Use `CreateKeyBody`. */
export type NewKey = CreateKeyBody;
/** @deprecated Use `CreateOAuthClientBody`. */
export type NewOAuthClient = CreateOAuthClientBody;
/** @deprecated Use `CreatePersonalTokenBody`. */
export type NewPersonalToken = CreatePersonalTokenBody;
/** @deprecated Use `CreateProjectBody`. */
export type NewProject = CreateProjectBody;
/** @deprecated Use `CreateTeamBody`. */
export type NewTeam = CreateTeamBody;
/** @deprecated Use `CreateWebhookBody`. */
export type NewWebhook = CreateWebhookBody;
/** @deprecated Use `UpdateIdentityProviderBody`. */
export type IdentityProviderChanges = UpdateIdentityProviderBody;
/** @deprecated Use `UpdateKeyBody`. */
export type KeyChanges = UpdateKeyBody;
/** @deprecated Use `UpdateMemberBody`. */
export type MemberChanges = UpdateMemberBody;
/** @deprecated Use `UpdateOAuthClientBody`. */
export type OAuthClientChanges = UpdateOAuthClientBody;
/** @deprecated Use `UpdateProjectBody`. */
export type ProjectUpdate = UpdateProjectBody;
/** @deprecated Use `UpdateSettingsBody`. */
export type SettingsChanges = UpdateSettingsBody;
/** @deprecated Use `UpdateTeamBody`. */
export type TeamChanges = UpdateTeamBody;
/** @deprecated Use `UpdateUserBody`. */
export type UserChanges = UpdateUserBody;
/** @deprecated Use `UpdateWebhookBody`. */
export type WebhookChanges = UpdateWebhookBody;
export {};
