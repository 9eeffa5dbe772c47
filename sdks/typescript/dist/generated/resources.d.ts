import type { Call, CallOptions, ConditionalOptions, KeyedOptions, List } from "../admin/call.js";
import { Resource } from "../admin/resource.js";
import type * as m from "./models.js";
/** Parameters of the query of `leaveOwnApp`. */
export interface LeaveOwnAppQuery {
    /** Whether to delete the caller's items. Requires the scope `app:db:write`. Default: false. */
    erase?: boolean;
}
/** Parameters of the query of `listOwnItems`. */
export interface ListOwnItemsQuery {
    /**
     * Conditions: any number of parameters, each with the name of a field, `id`, `created_at` or `updated_at`, and a
     * value of the form `operator.value`. An item must meet all of them. Operators: `eq`, `neq`, `gt`, `gte`, `lt`,
     * `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also support `like` and `ilike`, with `*` as the
     * wildcard and `\*` as an asterisk. Boolean fields support only `eq`, `neq`, `is.null`, `is.true` and `is.false`;
     * JSON fields only `is.null`. The prefix `not.` negates an operator. A comparison with an absent value never matches,
     * negated or not.
     */
    conditions?: Record<string, string | readonly string[]>;
    /** Return only the item with this ID, or items whose ID meets a condition. */
    id?: string;
    /**
     * Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted by ID. By
     * default, the newest items come first.
     */
    order?: string;
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** Number of items to skip. It cannot be combined with `cursor`. */
    offset?: number;
    /** The `next_cursor` of the previous page. Send it with the same order and conditions. */
    cursor?: string;
    /** Comma-separated members of the items to return besides `id`, such as `title,rank`. */
    select?: string;
}
/** Parameters of the query of `authorize`. */
export interface AuthorizeQuery {
    /** UUID or DID of the project, or ID of a client that it registered. */
    client_id: string;
    /**
     * URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
     * unless `request_uri` is sent.
     */
    redirect_uri?: string;
    /** Must be `code`. */
    response_type?: string;
    /**
     * How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a form that
     * the browser posts to it.
     */
    response_mode?: "query" | "fragment" | "form_post";
    /** Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored. */
    scope?: string;
    /**
     * Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
     * bytes. Required unless `code_challenge` is sent.
     */
    state?: string;
    /** SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off. */
    code_challenge?: string;
    /** Must be `S256` if `code_challenge` is sent. */
    code_challenge_method?: string;
    /** SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10). */
    dpop_jkt?: string;
    /** Value that is returned in the ID token. At most 512 bytes. */
    nonce?: string;
    /**
     * `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
     * redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
     * of its requests.
     */
    prompt?: string;
    /** Login to suggest on the sign-in page. At most 320 bytes. */
    login_hint?: string;
    /** Maximum time since the person last signed in, in seconds. After that, the person must sign in again. */
    max_age?: string;
    /**
     * Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
     * `id_token_hint` are ignored then.
     */
    request_uri?: string;
    /**
     * Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
     * person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the person
     * did. At most 320 bytes.
     */
    acr_values?: string;
}
/** Parameters of the query of `listPersonalTokens`. */
export interface ListPersonalTokensQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listOwnInvites`. */
export interface ListOwnInvitesQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listProjects`. */
export interface ListProjectsQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `checkProjectSlug`. */
export interface CheckProjectSlugQuery {
    /** Slug to check. */
    slug: string;
}
/** Parameters of the query of `listProjectAudit`. */
export interface ListProjectAuditQuery {
    /** Return only events caused by the account, API key, client or personal access token with this ID. */
    actor?: string;
    /** Return only events with this action, such as `team.updated`. */
    action?: string;
    /** Return only events about the resource with this ID. */
    target?: string;
    /** Return only events at or after this timestamp. */
    from?: string;
    /** Return only events before this timestamp. */
    to?: string;
    /** Whether to return changes of items: `include` (the default), `exclude`, or `only`. */
    item_changes?: "include" | "exclude" | "only";
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listProjectItems`. */
export interface ListProjectItemsQuery {
    /**
     * Conditions, as in a list of the items of one user: any number of parameters, each with the name of a field, `id`,
     * `created_at`, `updated_at` or `user_id`, and a value of the form `operator.value`.
     */
    conditions?: Record<string, string | readonly string[]>;
    /** `false`: return only items that do not conform to the newest schema; `true`: only others. */
    conforms?: boolean;
    /**
     * Sort order, such as `rank.desc,title.asc`. By default, the order is that of the users' IDs, and then of the IDs of
     * their items.
     */
    order?: string;
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** The `next_cursor` of the previous page. Send it with the same order and conditions. */
    cursor?: string;
    /** Comma-separated members of the items to return besides `id`, such as `title,rank`. */
    select?: string;
}
/** Parameters of the query of `listProjectEvents`. */
export interface ListProjectEventsQuery {
    /**
     * Return only events after this position: `next` of the previous response. Without it, the log is read from its
     * start.
     */
    after?: number;
    /** Maximum number of events to return; 100 by default. */
    limit?: number;
}
/** Parameters of the query of `listKeys`. */
export interface ListKeysQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listRequests`. */
export interface ListRequestsQuery {
    /** Return only requests after this point: `next` of the previous response. Without it, the newest requests are returned. */
    after?: string;
    /** Maximum number of requests to return; 100 by default. */
    limit?: number;
    /** Return only requests of the API key, account, client, user or personal access token with this ID. */
    caller?: string;
    /** Return only requests with this method, such as `POST`. */
    method?: string;
    /** Return only requests whose route contains this text, such as `/db/`. */
    route?: string;
    /** Return only requests with this status, such as `404`, or a class of statuses, such as `4xx`. */
    status?: string;
}
/** Parameters of the query of `getRequestStats`. */
export interface GetRequestStatsQuery {
    /** Number of days in `series`: 1 to 365. Default: 30. */
    days?: number;
}
/** Parameters of the query of `getSchema`. */
export interface GetSchemaQuery {
    /** Version number, or `all` for all versions. Default: the newest version. */
    version?: string;
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `publishSchema`. */
export interface PublishSchemaQuery {
    /**
     * Whether to only check the publication. Nothing is stored; the response contains the version that would be
     * published, and its effects.
     */
    dry_run?: boolean;
    /** Whether to publish even if stored items no longer conform to the schema. These items stay unchanged. */
    allow_destructive?: boolean;
}
/** Parameters of the query of `patchSchema`. */
export interface PatchSchemaQuery {
    /**
     * Whether to only check the publication. Nothing is stored; the response contains the version that would be
     * published, and its effects.
     */
    dry_run?: boolean;
    /** Whether to publish even if stored items no longer conform to the schema. These items stay unchanged. */
    allow_destructive?: boolean;
}
/** Parameters of the query of `rollbackSchema`. */
export interface RollbackSchemaQuery {
    /**
     * Whether to only check the publication. Nothing is stored; the response contains the version that would be
     * published, and its effects.
     */
    dry_run?: boolean;
    /** Whether to publish even if stored items no longer conform to the schema. These items stay unchanged. */
    allow_destructive?: boolean;
}
/** Parameters of the query of `resetSettings`. */
export interface ResetSettingsQuery {
    /**
     * Dotted path of a setting: `auth`, `auth.redirect_uris`, `auth.require_pkce`, `auth.legacy_scopes`,
     * `auth.email_codes`, `auth.second_factor_from`, `auth.post_logout_redirect_uris`, `auth.backchannel_logout_uri`,
     * `auth.accent_color`, `auth.background_color`, `auth.tos_uri` or `auth.policy_uri`. Can be repeated.
     */
    key: ("auth" | "auth.redirect_uris" | "auth.require_pkce" | "auth.legacy_scopes" | "auth.email_codes" | "auth.second_factor_from" | "auth.post_logout_redirect_uris" | "auth.backchannel_logout_uri" | "auth.accent_color" | "auth.background_color" | "auth.tos_uri" | "auth.policy_uri")[];
}
/** Parameters of the query of `listSyncRejections`. */
export interface ListSyncRejectionsQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listUsers`. */
export interface ListUsersQuery {
    /** Only users with this status: `connected`, `disconnected` or `blocked`. */
    status?: "connected" | "disconnected" | "blocked";
    /** Only users whose name, username or DID contains this text, or who granted this email address, ignoring case. */
    q?: string;
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `getUserStats`. */
export interface GetUserStatsQuery {
    /** Number of days in `series`: 1 to 365. Default: 30. */
    days?: number;
}
/** Parameters of the query of `listProjectWebhooks`. */
export interface ListProjectWebhooksQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listProjectWebhookDeliveries`. */
export interface ListProjectWebhookDeliveriesQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listItems`. */
export interface ListItemsQuery {
    /**
     * Conditions: any number of parameters, each with the name of a field, `id`, `created_at` or `updated_at`, and a
     * value of the form `operator.value`. An item must meet all of them. Operators: `eq`, `neq`, `gt`, `gte`, `lt`,
     * `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also support `like` and `ilike`, with `*` as the
     * wildcard and `\*` as an asterisk. Boolean fields support only `eq`, `neq`, `is.null`, `is.true` and `is.false`;
     * JSON fields only `is.null`. The prefix `not.` negates an operator. A comparison with an absent value never matches,
     * negated or not.
     */
    conditions?: Record<string, string | readonly string[]>;
    /** Return only the item with this ID, or items whose ID meets a condition. */
    id?: string;
    /**
     * Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted by ID. By
     * default, the newest items come first.
     */
    order?: string;
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** Number of items to skip. It cannot be combined with `cursor`. */
    offset?: number;
    /** The `next_cursor` of the previous page. Send it with the same order and conditions. */
    cursor?: string;
    /** Comma-separated members of the items to return besides `id`, such as `title,rank`. */
    select?: string;
}
/** Parameters of the query of `listTeams`. */
export interface ListTeamsQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `checkTeamSlug`. */
export interface CheckTeamSlugQuery {
    /** Slug to check. */
    slug: string;
}
/** Parameters of the query of `listTeamAudit`. */
export interface ListTeamAuditQuery {
    /** Return only events caused by the account, API key, client or personal access token with this ID. */
    actor?: string;
    /** Return only events with this action, such as `team.updated`. */
    action?: string;
    /** Return only events about the resource with this ID. */
    target?: string;
    /** Return only events at or after this timestamp. */
    from?: string;
    /** Return only events before this timestamp. */
    to?: string;
    /** Whether to return changes of items: `include` (the default), `exclude`, or `only`. */
    item_changes?: "include" | "exclude" | "only";
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listTeamEvents`. */
export interface ListTeamEventsQuery {
    /**
     * Return only events after this position: `next` of the previous response. Without it, the log is read from its
     * start.
     */
    after?: number;
    /** Maximum number of events to return; 100 by default. */
    limit?: number;
}
/** Parameters of the query of `listInvites`. */
export interface ListInvitesQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listMembers`. */
export interface ListMembersQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `removeMember`. */
export interface RemoveMemberQuery {
    /**
     * Comma-separated list of what is deleted in the same change: `keys`, `clients` and `identity_providers`, those of
     * `affected_keys`, `affected_clients` and `affected_identity_providers`. Requires the permission to delete them.
     * Default: nothing.
     */
    end?: string;
}
/** Parameters of the query of `updateMember`. */
export interface UpdateMemberQuery {
    /**
     * Comma-separated list of what is deleted in the same change: `keys`, `clients` and `identity_providers`, those of
     * `affected_keys`, `affected_clients` and `affected_identity_providers`. Requires the permission to delete them.
     * Default: nothing.
     */
    end?: string;
}
/** Parameters of the query of `listTeamWebhooks`. */
export interface ListTeamWebhooksQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `listTeamWebhookDeliveries`. */
export interface ListTeamWebhookDeliveriesQuery {
    /** Entries per page: 1 to 1,000, and 100 by default. */
    pageSize?: number;
    /** @deprecated Pass `pageSize`. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
/** Parameters of the query of `slugify`. */
export interface SlugifyQuery {
    /** Text to convert. */
    slug?: string;
    /** Alias of `slug`, used if `slug` is absent. */
    text?: string;
}
/** The operations in `account`. */
export declare class Account extends Resource {
    /**
     * Get the current credential.
     *
     * Returns the identity and permissions of the credential that authenticates this request.
     */
    credential(options?: CallOptions): Call<m.CurrentCredential>;
    /**
     * Get user info.
     *
     * Returns the claims about the caller's account that the scopes of the access token give access to.
     */
    userInfo(options?: CallOptions & ConditionalOptions): Call<m.UserInfo>;
    /**
     * Get user info with POST.
     *
     * Same as `GET /auth/userinfo`. OpenID Connect Core §5.3 requires both methods. The access token can be sent in the body
     * instead of the header (RFC 6750 §2.2).
     *
     * @param body The body of the request.
     */
    userInfoOf(body?: m.UserInfoForm, options?: CallOptions): Call<m.UserInfo>;
}
/** The operations in `apps`. */
export declare class Apps extends Resource {
    /**
     * Get a connected project.
     *
     * Returns the project of the token, and the caller as its user.
     *
     * @param projectId ID or DID of the project.
     */
    get(projectId: m.Id<"project">, options?: CallOptions & ConditionalOptions): Call<m.ConnectedApp>;
    /**
     * Leave a project.
     *
     * Disconnects the caller from the project and revokes all of the caller's tokens for it. With `erase=true`, the
     * caller's items in the project are deleted first.
     *
     * @param projectId ID or DID of the project.
     * @param query Parameters of the query.
     */
    leave(projectId: m.Id<"project">, query?: LeaveOwnAppQuery, options?: CallOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Export your data.
     *
     * Returns all data that a project stores about the caller. The response is streamed; if it is interrupted, the body is
     * not valid JSON.
     *
     * @param projectId ID or DID of the project.
     */
    export(projectId: m.Id<"project">, options?: CallOptions): Call<m.UserExport>;
}
/** The operations in `auth`. */
export declare class Auth extends Resource {
    /**
     * Get the status of authentication.
     *
     * Responds with 503 if the database cannot be reached or written to.
     */
    getAuthStatus(options?: CallOptions): Call<m.Status>;
    /**
     * Authorize a client.
     *
     * Starts the sign-in of a person to a project (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). Redirects to a sign-in
     * page, or back to the client with a code if a session and a grant exist. An invalid `client_id` or `redirect_uri`
     * returns an error without a redirect; other errors are returned to `redirect_uri`, unless the client registered itself.
     *
     * @param query Parameters of the query.
     */
    authorize(query: AuthorizeQuery, options?: CallOptions): Call<string>;
    /**
     * Authorize a client with a form.
     *
     * The same as `GET /auth/authorize`, with the parameters in the body. OpenID Connect Core §3.1.2.1 requires both
     * methods.
     *
     * @param body The body of the request.
     */
    authorizeByForm(body: m.AuthorizeForm, options?: CallOptions): Call<string>;
    /**
     * Authorize a device.
     *
     * Begins the sign-in of a person to a device without a browser (RFC 8628). The device shows `user_code` and
     * `verification_uri`, and sends `device_code` to the token endpoint until the person has decided, which takes at most 10
     * minutes. Only registered clients with the grant type of devices, and this service's command line, can use it. A
     * confidential client authenticates as at the token endpoint.
     *
     * @param body The body of the request.
     */
    authorizeDevice(body: m.DeviceAuthorizationRequest, options?: CallOptions): Call<m.DeviceAuthorization>;
    /**
     * Log in.
     *
     * Checks the password of an account and returns the tokens of a first-party session. They have the scope `admin` and
     * can administer teams and projects. Applications of projects use `GET /auth/authorize` instead. An account with a
     * second factor is refused with `second_factor_required`: only the sign-in in a browser asks for it.
     *
     * @param body The body of the request.
     */
    logIn(body: m.PasswordLogin, options?: CallOptions): Call<m.TokenResponse>;
    /**
     * Push an authorization request.
     *
     * Stores the parameters of an authorization request (RFC 9126), so that the browser only carries the `request_uri` of the
     * response and the `client_id` to `/auth/authorize`. It can be used once, within 90 seconds. A confidential client
     * authenticates as at the token endpoint. With a proof in the header `DPoP`, the code is bound to its key (RFC 9449 §10.1).
     *
     * @param body The body of the request.
     */
    pushAuthorizationRequest(body: m.PushedAuthorizationForm, options?: CallOptions): Call<m.PushedAuthorization>;
    /**
     * Register a client.
     *
     * Registers an OAuth client with its own metadata (RFC 7591). The initial access token is a private API key of the project
     * with the permission `client:register`; it is not needed in a project that the operator has opened. The response has
     * what the client was given, which can be less than it asked for. Members that are not listed are ignored.
     *
     * Requires the permission `client:register`.
     *
     * @param body The body of the request.
     */
    registerClient(body: m.ClientRegistration, options?: CallOptions): Call<m.ClientInformation>;
    /**
     * Revoke a token.
     *
     * Revokes all tokens of the sign-in that issued the token (RFC 7009). Succeeds if the token is unknown (RFC 7009
     * §2.2).
     *
     * @param body The body of the request.
     */
    revokeToken(body: m.TokenParameters, options?: CallOptions): Call<void>;
    /**
     * Sign up.
     *
     * Creates an account, if the sign-up policy of the service allows it. Until the first account of a new service is
     * created with the link in its log, `not_set_up` is returned. The email address is unverified at first; the
     * service sends a verification link to it.
     *
     * @param body The body of the request.
     */
    signUp(body: m.CreateAccountBody, options?: CallOptions): Call<m.CreatedAccount>;
    /**
     * Exchange a code or a refresh token for tokens.
     *
     * A code is valid for 10 minutes and can be used once; using it again revokes the tokens that it was exchanged for.
     * Each exchange of a refresh token returns a new one. A confidential client authenticates with HTTP Basic, or with
     * `client_id` and `client_secret`, and can exchange its secret alone for a token with its roles (`client_credentials`). A
     * device exchanges its device code, and gets `authorization_pending` until the person has decided (RFC 8628 §3.5).
     * A client with keys sends an assertion instead of a secret (RFC 7523). Other clients have no secret: any value is accepted.
     * With a proof in the header `DPoP`, the tokens are bound to its key (RFC 9449).
     *
     * @param body The body of the request.
     */
    exchangeToken(body: m.TokenRequest, options?: CallOptions): Call<m.TokenResponse>;
}
/** The operations in `identityProviders`. */
export declare class IdentityProviders extends Resource {
    /**
     * List identity providers.
     *
     * Returns the identity providers of the project, including disabled ones, oldest first, without their secrets.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId: m.Id<"project">, options?: CallOptions): Call<m.IdentityProvider[]>;
    /**
     * Add an identity provider.
     *
     * From now on, people can sign in there. People who sign in there are signed in to this project only. Register the
     * `redirect_uri` of the response at the provider. The metadata of the provider is read first, so the provider has to
     * respond; not that of the public services of the kinds with a default, nor of GitHub, which has none. If `issuer` differs
     * from that of the metadata only by a slash at the end, the latter is stored and returned. Another one is refused, and the
     * error names it.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId: m.Id<"project">, body: m.CreateIdentityProviderBody, options?: CallOptions & KeyedOptions): Call<m.IdentityProvider>;
    /**
     * Get an identity provider.
     *
     * Returns a provider without its secret.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     */
    get(projectId: m.Id<"project">, providerId: m.Id<"provider">, options?: CallOptions & ConditionalOptions): Call<m.IdentityProvider>;
    /**
     * Delete an identity provider.
     *
     * People can no longer sign in there, and the identities that are linked to it are deleted in the background. Sessions
     * that began there go on.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     */
    delete(projectId: m.Id<"project">, providerId: m.Id<"provider">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Update an identity provider.
     *
     * Changes the name or the client of a provider, or disables it. The kind and the issuer do not change, because the
     * linked identities are those of this issuer.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, providerId: m.Id<"provider">, body: m.UpdateIdentityProviderBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.IdentityProvider>;
}
/** The operations in `images`. */
export declare class Images extends Resource {
    /**
     * Get an image.
     *
     * Returns an uploaded icon or background of a project, or a logo of a client. The content at this URL never changes, so clients may cache it
     * without revalidation.
     *
     * @param id ID of the project.
     * @param file File name of the image: its ID and its extension.
     */
    get(id: m.Id<"project">, file: string, options?: CallOptions): Call<Blob>;
    /**
     * List uploaded images.
     *
     * Returns the uploaded icon and background of the project.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId: m.Id<"project">, options?: CallOptions & ConditionalOptions): Call<m.ProjectImages>;
    /**
     * Upload a background.
     *
     * Replaces the background image of the project. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    uploadBackground(projectId: m.Id<"project">, body: m.ImageForm, options?: CallOptions & KeyedOptions): Call<m.BackgroundUploaded>;
    /**
     * Delete the background.
     *
     * Deletes the uploaded background image of the project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     */
    deleteBackground(projectId: m.Id<"project">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Deleted>;
    /**
     * Upload an icon.
     *
     * Replaces the icon of the project. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    uploadIcon(projectId: m.Id<"project">, body: m.ImageForm, options?: CallOptions & KeyedOptions): Call<m.IconUploaded>;
    /**
     * Delete the icon.
     *
     * Deletes the uploaded icon of the project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     */
    deleteIcon(projectId: m.Id<"project">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Deleted>;
}
/** The operations in `invites`. */
export declare class Invites extends Resource {
    /**
     * List invites.
     *
     * Returns the pending invites of the team, newest first.
     *
     * Requires the permission `invite:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId: m.Id<"team">, query?: ListInvitesQuery, options?: CallOptions): List<m.Invite>;
    /**
     * Create an invite.
     *
     * Invites a person to become a member of the team. A pending invite to the same person is renewed. If email is
     * configured, an invite to an email address is sent by email.
     *
     * Requires the permission `invite:write`.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    create(teamId: m.Id<"team">, body: m.CreateInviteBody, options?: CallOptions & KeyedOptions): Call<m.CreatedInvite>;
    /**
     * Revoke an invite.
     *
     * The invite can no longer be accepted.
     *
     * Requires the permission `invite:write`.
     *
     * @param teamId ID of the team.
     * @param inviteId ID of the invite.
     */
    delete(teamId: m.Id<"team">, inviteId: m.Id<"invite">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
}
/** The operations in `items`. */
export declare class Items extends Resource {
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, body: m.ItemBatch<T>, options?: CallOptions & KeyedOptions): Call<m.Item<T>[]>;
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, itemId: string, options?: CallOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, itemId: string, body: m.ItemValue<T>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, itemId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, itemId: string, body: m.ItemChanges<T>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, query?: ListItemsQuery, options?: CallOptions): List<m.Item<T>>;
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create<T extends object = m.Fields>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: string, body: m.ItemValue<T>, options?: CallOptions & KeyedOptions): Call<m.Item<T>>;
}
/** The operations in `keys`. */
export declare class Keys extends Resource {
    /**
     * List API keys.
     *
     * Returns the API keys of the project without their values, newest first.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: ListKeysQuery, options?: CallOptions): List<m.Key>;
    /**
     * Create an API key.
     *
     * The response contains the value of the key, which is never returned again. You can grant only permissions that you
     * have.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId: m.Id<"project">, body: m.CreateKeyBody, options?: CallOptions & KeyedOptions): Call<m.IssuedKey>;
    /**
     * Verify an API key.
     *
     * Returns whether a value belongs to a key of this project that has not expired. The previous value of a rotated key
     * is valid during its grace period. The status is 200 even if the value is not valid.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    verify(projectId: m.Id<"project">, body: m.KeyToVerify, options?: CallOptions): Call<m.KeyVerification>;
    /**
     * Get an API key.
     *
     * Returns a key without its value.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    get(projectId: m.Id<"project">, keyId: m.Id<"key">, options?: CallOptions & ConditionalOptions): Call<m.ShownKey>;
    /**
     * Delete an API key.
     *
     * The value of the key stops working immediately.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    delete(projectId: m.Id<"project">, keyId: m.Id<"key">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Message>;
    /**
     * Update an API key.
     *
     * Changes the label or the roles of a key; its value stays the same. You can grant only permissions that you have.
     *
     * Requires the permission `key:write`.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, keyId: m.Id<"key">, body: m.UpdateKeyBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.ChangedKey>;
    /**
     * Revoke the previous values of an API key.
     *
     * The values that the key had before it was rotated stop working immediately, also within their grace period. The
     * current value stays valid. A key without previous values is returned as it is.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    revokePreviousValues(projectId: m.Id<"project">, keyId: m.Id<"key">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.ShownKey>;
    /**
     * Rotate an API key.
     *
     * Replaces the value of a key; its ID, label and roles stay the same. The old value, and those before it, stop working
     * immediately, unless `grace_seconds` is set: then the two newest old values work until their times. The response contains the new value, which is never returned again. A private key can rotate
     * itself with its current value.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     * @param body The body of the request.
     */
    rotate(projectId: m.Id<"project">, keyId: m.Id<"key">, body?: m.KeyRegeneration, options?: CallOptions & KeyedOptions): Call<m.IssuedKey>;
}
/** The operations in `members`. */
export declare class Members extends Resource {
    /**
     * List members.
     *
     * Returns the members of the team, oldest first.
     *
     * Requires the permission `member:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId: m.Id<"team">, query?: ListMembersQuery, options?: CallOptions): List<m.Member>;
    /**
     * Remove a member.
     *
     * Removes a member from the team. Members can remove themselves to leave the team. The response lists the API
     * keys, OAuth clients, identity providers, invites and webhooks that depend on permissions which the member no
     * longer has, and what ended.
     *
     * Requires the permission `member:write`.
     *
     * @param teamId ID of the team.
     * @param memberId Account ID of the member.
     * @param query Parameters of the query.
     */
    remove(teamId: m.Id<"team">, memberId: m.Id<"account">, query?: RemoveMemberQuery, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.RemovedMember>;
    /**
     * Update a member.
     *
     * Changes the roles or the role label of a member. The response lists the API keys, OAuth clients, identity
     * providers, invites and webhooks that depend on permissions which the member no longer has, and what ended.
     *
     * Requires the permission `member:write`.
     *
     * @param teamId ID of the team.
     * @param memberId Account ID of the member.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    update(teamId: m.Id<"team">, memberId: m.Id<"account">, body: m.UpdateMemberBody, query?: UpdateMemberQuery, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.UpdatedMember>;
}
/** The operations in `oauthClients`. */
export declare class OauthClients extends Resource {
    /**
     * List OAuth clients.
     *
     * Returns the clients that the project registered, oldest first, without their secrets. The project itself, whose ID is
     * that of a public client, is not one of them.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId: m.Id<"project">, options?: CallOptions): Call<m.OAuthClient[]>;
    /**
     * Register an OAuth client.
     *
     * The response contains the secret of a confidential client, which is never returned again. You can grant only roles
     * whose permissions you have.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId: m.Id<"project">, body: m.CreateOAuthClientBody, options?: CallOptions & KeyedOptions): Call<m.OAuthClientWithSecret>;
    /**
     * Get an OAuth client.
     *
     * Returns a client without its secret.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    get(projectId: m.Id<"project">, clientId: string, options?: CallOptions & ConditionalOptions): Call<m.OAuthClient>;
    /**
     * Delete an OAuth client.
     *
     * The tokens of the client stop working immediately.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    delete(projectId: m.Id<"project">, clientId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Update an OAuth client.
     *
     * Changes the settings of a client. Its type does not change, and its secret only if it gets keys: it has none then. Tokens that were issued keep their scopes
     * and their lifetime until they are renewed; the roles of a client that acts on its own behalf change at once. If the
     * client has roles, you must have their permissions.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, clientId: string, body: m.UpdateOAuthClientBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.OAuthClient>;
    /**
     * Upload the logo of an OAuth client.
     *
     * Replaces the logo of a client. Pages on which people sign in to the client show it in place of the icon of the project,
     * except for a client that registered itself. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    uploadLogo(projectId: m.Id<"project">, clientId: string, body: m.ImageForm, options?: CallOptions & KeyedOptions): Call<m.OAuthClient>;
    /**
     * Delete the logo of an OAuth client.
     *
     * Deletes the uploaded logo of a client.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    deleteLogo(projectId: m.Id<"project">, clientId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Rotate the secret of an OAuth client.
     *
     * Replaces the secret of a confidential client. The old secret, and those before it, stop working immediately, unless
     * `grace_seconds` is set: then the two newest old secrets work until their times. The response contains the new secret,
     * which is never returned again. Tokens that were issued stay valid.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    rotateSecret(projectId: m.Id<"project">, clientId: string, body?: m.ClientSecretRotation, options?: CallOptions & KeyedOptions): Call<m.OAuthClientWithSecret>;
}
/** The operations in `ownInvites`. */
export declare class OwnInvites extends Resource {
    /**
     * List your invites.
     *
     * Returns the pending invites to the caller's username and, if it is verified, to the caller's email address, newest
     * first.
     *
     * @param query Parameters of the query.
     */
    list(query?: ListOwnInvitesQuery, options?: CallOptions): List<m.OwnInvite>;
    /**
     * Accept an invite.
     *
     * The caller becomes a member of the team. An invite that is missing, expired, revoked or for another person is not
     * found.
     *
     * @param body The body of the request.
     */
    accept(body: m.InviteReference, options?: CallOptions & KeyedOptions): Call<m.Membership>;
    /**
     * Decline an invite.
     *
     * The invite cannot be accepted afterwards. An invite that is missing, expired, revoked or for another person is not
     * found.
     *
     * @param body The body of the request.
     */
    decline(body: m.InviteReference, options?: CallOptions & KeyedOptions): Call<m.Success>;
}
/** The operations in `ownItems`. */
export declare class OwnItems extends Resource {
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, query?: ListOwnItemsQuery, options?: CallOptions): List<m.Item<T>>;
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, body: m.ItemValue<T>, options?: CallOptions & KeyedOptions): Call<m.Item<T>>;
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, body: m.ItemBatch<T>, options?: CallOptions & KeyedOptions): Call<m.Item<T>[]>;
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, itemId: string, options?: CallOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, itemId: string, body: m.ItemValue<T>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, itemId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, itemId: string, body: m.ItemChanges<T>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<T>>;
}
/** The operations in `projectAuditLog`. */
export declare class ProjectAuditLog extends Resource {
    /**
     * List audit events.
     *
     * Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
     * default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
     * CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: ListProjectAuditQuery, options?: CallOptions): List<m.AuditEvent>;
    /**
     * Follow events.
     *
     * Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
     * receive each event once, poll with `after` set to the `next` of the previous response.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    events(projectId: m.Id<"project">, query?: ListProjectEventsQuery, options?: CallOptions): Call<m.Events>;
}
/** The operations in `projectWebhooks`. */
export declare class ProjectWebhooks extends Resource {
    /**
     * List webhooks.
     *
     * Returns the webhooks of the team or project, newest first, without their secrets.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: ListProjectWebhooksQuery, options?: CallOptions): List<m.Webhook>;
    /**
     * Create a webhook.
     *
     * The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
     * not shown again.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId: m.Id<"project">, body: m.CreateWebhookBody, options?: CallOptions & KeyedOptions): Call<m.WebhookWithSecret>;
    /**
     * Get a webhook.
     *
     * Returns a webhook without its secret.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    get(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, options?: CallOptions & ConditionalOptions): Call<m.Webhook>;
    /**
     * Delete a webhook.
     *
     * No further events are sent.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    delete(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Update a webhook.
     *
     * Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, body: m.UpdateWebhookBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Webhook>;
    /**
     * List the deliveries of a webhook.
     *
     * Returns the attempts to deliver events to the webhook, newest first.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param query Parameters of the query.
     */
    deliveries(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, query?: ListProjectWebhookDeliveriesQuery, options?: CallOptions): List<m.WebhookDelivery>;
    /**
     * Get a delivery of a webhook.
     *
     * Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent again.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    delivery(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, deliveryId: string, options?: CallOptions): Call<m.WebhookDeliveryDetails>;
    /**
     * Redeliver a webhook event.
     *
     * Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    redeliver(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, deliveryId: string, options?: CallOptions & KeyedOptions): Call<m.WebhookDelivery>;
    /**
     * Rotate the secret of a webhook.
     *
     * For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with the one
     * before it as long as they were to.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    rotateSecret(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions): Call<m.WebhookWithSecret>;
    /**
     * Test a webhook.
     *
     * Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
     * well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
     * has a `webhook-id` of its own.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    test(projectId: m.Id<"project">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions): Call<m.WebhookDelivery>;
}
/** The operations in `projects`. */
export declare class Projects extends Resource {
    /**
     * List projects.
     *
     * Returns the projects of all of the caller's teams, newest first. With an API key, returns only the key's own
     * project. Those of a team that requires a second factor are missing until the caller uses one.
     *
     * @param query Parameters of the query.
     */
    list(query?: ListProjectsQuery, options?: CallOptions): List<m.ListedProject>;
    /**
     * Create a project.
     *
     * Creates a project in one of the caller's teams.
     *
     * Requires the permission `project:create`.
     *
     * @param body The body of the request.
     */
    create(body: m.CreateProjectBody, options?: CallOptions & KeyedOptions): Call<m.CreatedProject>;
    /**
     * Check whether a project slug is available.
     *
     * A slug is available if it is neither taken nor reserved. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    checkSlug(query: CheckProjectSlugQuery, options?: CallOptions): Call<m.Availability>;
    /**
     * Get a project.
     *
     * Returns a project with the usage and limits of its quotas.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    get(projectId: m.Id<"project">, options?: CallOptions & ConditionalOptions): Call<m.ProjectDetails>;
    /**
     * Delete a project.
     *
     * Deletes a project and all its data. The project becomes inaccessible immediately, and its slug becomes available.
     * Its team can be deleted after the data is removed, which takes seconds, or minutes for large projects.
     *
     * Requires the permission `project:delete`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     */
    delete(projectId: m.Id<"project">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Message>;
    /**
     * Update a project.
     *
     * Changes the name, slug, website or profile of a project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, body: m.UpdateProjectBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Project>;
    /**
     * Get the public profile of a project.
     *
     * Returns the information about a project that everyone may read. Requires no credential.
     *
     * @param projectId ID of the project.
     */
    profile(projectId: m.Id<"project">, options?: CallOptions & ConditionalOptions): Call<m.PublicProject>;
    /**
     * List requests.
     *
     * Returns the newest requests to a project, oldest first. To follow them, poll with `after` set to the `next` of the
     * previous response. Requests are in the memory of the instance of the service that served them: some 600 for each project,
     * none before its start. A response has those of one instance, which it names. All requests of callers with access to the
     * project are listed, whatever their result, except those of this operation.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    requests(projectId: m.Id<"project">, query?: ListRequestsQuery, options?: CallOptions): Call<m.RequestList>;
    /**
     * Get request statistics.
     *
     * Returns the number of requests to a project on each day up to today. All requests of callers with access to the
     * project count, whatever their result. Requests of the last seconds may be missing.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    requestStats(projectId: m.Id<"project">, query?: GetRequestStatsQuery, options?: CallOptions): Call<m.RequestStats>;
}
/** The operations in `schemas`. */
export declare class Schemas extends Resource {
    /**
     * List schema versions.
     *
     * Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
     * no credential.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: GetSchemaQuery, options?: CallOptions & ConditionalOptions): List<m.SchemaVersion>;
    /**
     * List schema versions.
     *
     * Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
     * no credential.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    get(projectId: m.Id<"project">, query?: GetSchemaQuery, options?: CallOptions & ConditionalOptions): Call<m.SchemaListing>;
    /**
     * Publish a schema.
     *
     * Publishes a document as the next version of a project's schema. An absent `project_id` or `version` is filled in.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    publish(projectId: m.Id<"project">, body: m.SchemaDocument, query?: PublishSchemaQuery, options?: CallOptions & KeyedOptions): Call<m.Publication>;
    /**
     * Patch a schema.
     *
     * Merges changes into the newest version of a project's schema (RFC 7396) and publishes the result as the next
     * version.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    patch(projectId: m.Id<"project">, body: m.SchemaDocument, query?: PatchSchemaQuery, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Publication>;
    /**
     * Roll back a schema.
     *
     * Publishes the document of an earlier version of a project's schema as the next version.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    rollBack(projectId: m.Id<"project">, body: m.Rollback, query?: RollbackSchemaQuery, options?: CallOptions & KeyedOptions): Call<m.Publication>;
    /**
     * Get the JSON Schema of schema documents.
     *
     * Returns the rules of schema documents as a JSON Schema (draft-07). Editors complete and check a document whose
     * `$schema` is the URL of this operation.
     */
    jsonSchema(options?: CallOptions): Call<{
        [name: string]: unknown;
    }>;
    /**
     * Compare a schema.
     *
     * Returns the changes from the published schema of the document's `project_id` to the document. Requires no
     * credential.
     *
     * @param body The body of the request.
     */
    compare(body: m.SchemaDocument, options?: CallOptions): Call<m.SchemaComparison>;
    /**
     * Check a schema update.
     *
     * Returns whether the document can be published as the next version of the schema of its `project_id`, and the
     * changes. Nothing is stored. Requires no credential.
     *
     * @param body The body of the request.
     */
    checkUpdate(body: m.SchemaDocument, options?: CallOptions): Call<m.SchemaCheck>;
}
/** The operations in `service`. */
export declare class Service extends Resource {
    /**
     * Get service information.
     *
     * Returns the name of the deployment, the version and the state of the database. With `Accept: text/html`, as browsers
     * send it, the response is the landing page instead.
     */
    getRoot(options?: CallOptions): Call<m.ServiceInfo>;
    /**
     * Get authorization server metadata.
     *
     * Returns the endpoints and features of this service as an OAuth 2.0 authorization server (RFC 8414 §2).
     */
    getOAuthMetadata(options?: CallOptions): Call<m.ProviderMetadata>;
    /**
     * Get OpenID Provider metadata.
     *
     * Returns the endpoints and features of this service as an OpenID Provider (OpenID Connect Discovery §3).
     */
    getOpenIdMetadata(options?: CallOptions): Call<m.ProviderMetadata>;
    /**
     * Get the JSON Web Key Set.
     *
     * Returns the active and retiring public keys for verifying tokens (RFC 7517 §5). Clients may cache them for an hour.
     */
    getKeySet(options?: CallOptions): Call<{
        [name: string]: unknown;
    }>;
    /**
     * Get provider metadata below /auth.
     *
     * Same as `GET /.well-known/openid-configuration`.
     */
    getAuthMetadata(options?: CallOptions): Call<m.ProviderMetadata>;
    /**
     * Redirect to user info.
     *
     * The user info moved permanently to `/auth/userinfo`.
     */
    getUserInfoMoved(options?: CallOptions): Call<string>;
    /**
     * Get the API reference page.
     *
     * Returns an interactive page for browsers that displays the OpenAPI document.
     */
    getDocs(options?: CallOptions): Call<string>;
    /**
     * Get the OpenAPI document.
     *
     * Returns the OpenAPI 3.1 document that describes this API.
     */
    getOpenApi(options?: CallOptions): Call<{
        [name: string]: unknown;
    }>;
    /**
     * Check liveness.
     *
     * Reports that the process runs. It checks neither the database nor a credential.
     */
    getLiveness(options?: CallOptions): Call<m.Status>;
    /**
     * Check readiness.
     *
     * Reports whether the service can process requests. Responds with 503 and the failing part if the database cannot be
     * reached or written to, or if the service is shutting down.
     */
    getReadiness(options?: CallOptions): Call<m.Status>;
    /**
     * Get the DID document of a project.
     *
     * Resolves the `did:web` identifier of the project. Its service `BasicAppMetadata` refers to the client metadata.
     *
     * @param hex The ID as 32 hexadecimal digits, without hyphens.
     */
    getProjectDid(hex: string, options?: CallOptions): Call<m.DidDocument>;
    /**
     * Get the client metadata of a project.
     *
     * Returns the metadata of the project as an OAuth client (RFC 7591 §2).
     *
     * @param projectId ID of the project.
     */
    getClientMetadata(projectId: m.Id<"project">, options?: CallOptions): Call<m.ClientMetadata>;
    /**
     * Get the DID document of an account.
     *
     * Resolves the `did:web` identifier of the account. Its service `PersonalDataServer` refers to this service.
     *
     * @param hex The ID as 32 hexadecimal digits, without hyphens.
     */
    getAccountDid(hex: string, options?: CallOptions): Call<m.DidDocument>;
    /**
     * Get the status of the utilities.
     *
     * Responds with 503 if the database cannot be reached or written to.
     */
    getUtilsStatus(options?: CallOptions): Call<m.Status>;
    /**
     * Convert text to a slug.
     *
     * Removes special characters, transliterates letters of other scripts, and replaces white space, `_` and `-` with
     * single hyphens. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    slugify(query?: SlugifyQuery, options?: CallOptions): Call<m.SlugText>;
}
/** The operations in `sessions`. */
export declare class Sessions extends Resource {
    /**
     * Get the current sign-in.
     *
     * Returns the sign-in that issued the access token. If it has ended, so that the person must sign in again, the
     * response is 401 with `active: false` and `reauth_required: true`. A 401 without them means that the access token is
     * not valid, or has expired and can be refreshed.
     */
    current(options?: CallOptions): Call<m.Session>;
}
/** The operations in `settings`. */
export declare class Settings extends Resource {
    /**
     * Get project settings.
     *
     * Returns the settings of the project, with the default for each setting that was never changed.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    get(projectId: m.Id<"project">, options?: CallOptions & ConditionalOptions): Call<m.ProjectSettings>;
    /**
     * Reset project settings.
     *
     * Resets settings of a project to their defaults and returns all settings.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    reset(projectId: m.Id<"project">, query: ResetSettingsQuery, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.ProjectSettings>;
    /**
     * Update project settings.
     *
     * Merges changes into the settings of a project (RFC 7396) and returns all settings.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, body: m.UpdateSettingsBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.ProjectSettings>;
}
/** The operations in `syncRejections`. */
export declare class SyncRejections extends Resource {
    /**
     * List rejected changes.
     *
     * Returns the changes of the users' devices that did not fit, newest first. A page holds 100 changes by default. The
     * newest 1,000 of a project are kept for 30 days, and at most 20 of each message.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: ListSyncRejectionsQuery, options?: CallOptions): List<m.SyncRejection>;
}
/** The operations in `tables`. */
export declare class Tables extends Resource {
    /**
     * List the tables of a project.
     *
     * Returns the tables of the newest schema, and others that still have items, with the number and the size of the items of
     * all users. At most 10,000 items are counted.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId: m.Id<"project">, options?: CallOptions): Call<m.ProjectTables>;
    /**
     * List the items of all users.
     *
     * Returns the items of all users of a project in a table, by user and ID. Conditions and another order search among at
     * most 100,000 items of the project; the response states where the search stopped. A page holds 100 items by default.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    items<T extends object = m.Fields>(projectId: m.Id<"project">, tableId: string, query?: ListProjectItemsQuery, options?: CallOptions): List<m.ProjectItem<T>>;
}
/** The operations in `teamAuditLog`. */
export declare class TeamAuditLog extends Resource {
    /**
     * List audit events.
     *
     * Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
     * default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
     * CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
     *
     * Requires the permission `audit:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId: m.Id<"team">, query?: ListTeamAuditQuery, options?: CallOptions): List<m.AuditEvent>;
    /**
     * Follow events.
     *
     * Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
     * receive each event once, poll with `after` set to the `next` of the previous response.
     *
     * Requires the permission `audit:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    events(teamId: m.Id<"team">, query?: ListTeamEventsQuery, options?: CallOptions): Call<m.Events>;
}
/** The operations in `teamWebhooks`. */
export declare class TeamWebhooks extends Resource {
    /**
     * List webhooks.
     *
     * Returns the webhooks of the team or project, newest first, without their secrets.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId: m.Id<"team">, query?: ListTeamWebhooksQuery, options?: CallOptions): List<m.Webhook>;
    /**
     * Create a webhook.
     *
     * The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
     * not shown again.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    create(teamId: m.Id<"team">, body: m.CreateWebhookBody, options?: CallOptions & KeyedOptions): Call<m.WebhookWithSecret>;
    /**
     * Get a webhook.
     *
     * Returns a webhook without its secret.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    get(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, options?: CallOptions & ConditionalOptions): Call<m.Webhook>;
    /**
     * Delete a webhook.
     *
     * No further events are sent.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    delete(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
    /**
     * Update a webhook.
     *
     * Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param body The body of the request.
     */
    update(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, body: m.UpdateWebhookBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Webhook>;
    /**
     * List the deliveries of a webhook.
     *
     * Returns the attempts to deliver events to the webhook, newest first.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param query Parameters of the query.
     */
    deliveries(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, query?: ListTeamWebhookDeliveriesQuery, options?: CallOptions): List<m.WebhookDelivery>;
    /**
     * Get a delivery of a webhook.
     *
     * Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent again.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    delivery(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, deliveryId: string, options?: CallOptions): Call<m.WebhookDeliveryDetails>;
    /**
     * Redeliver a webhook event.
     *
     * Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    redeliver(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, deliveryId: string, options?: CallOptions & KeyedOptions): Call<m.WebhookDelivery>;
    /**
     * Rotate the secret of a webhook.
     *
     * For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with the one
     * before it as long as they were to.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    rotateSecret(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions): Call<m.WebhookWithSecret>;
    /**
     * Test a webhook.
     *
     * Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
     * well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
     * has a `webhook-id` of its own.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    test(teamId: m.Id<"team">, webhookId: m.Id<"webhook">, options?: CallOptions & KeyedOptions): Call<m.WebhookDelivery>;
}
/** The operations in `teams`. */
export declare class Teams extends Resource {
    /**
     * List teams.
     *
     * Returns all teams that the caller is a member of, oldest first, with the caller's own roles. A team that
     * requires a second factor is missing until the caller uses one.
     *
     * @param query Parameters of the query.
     */
    list(query?: ListTeamsQuery, options?: CallOptions): List<m.ListedTeam>;
    /**
     * Create a team.
     *
     * The caller becomes the owner of the team.
     *
     * @param body The body of the request.
     */
    create(body: m.CreateTeamBody, options?: CallOptions & KeyedOptions): Call<m.CreatedTeam>;
    /**
     * Check whether a team slug is available.
     *
     * A slug is available if it is neither taken nor reserved. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    checkSlug(query: CheckTeamSlugQuery, options?: CallOptions): Call<m.Availability>;
    /**
     * Get a team.
     *
     * Returns a team with its members, projects and pending invites. Lists that the caller may not read are empty. An API
     * key receives only its own project.
     *
     * Requires the permission `team:read`.
     *
     * @param teamId ID of the team.
     */
    get(teamId: m.Id<"team">, options?: CallOptions & ConditionalOptions): Call<m.TeamDetails>;
    /**
     * Delete a team.
     *
     * Deletes a team with its memberships and invites. A team that still owns a project cannot be deleted.
     *
     * Requires the permission `team:delete`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     */
    delete(teamId: m.Id<"team">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Message>;
    /**
     * Update a team.
     *
     * Changes the name or the slug of a team, or the time from which its members have to use a second factor.
     *
     * Requires the permission `team:write`.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    update(teamId: m.Id<"team">, body: m.UpdateTeamBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Team>;
}
/** The operations in `tokens`. */
export declare class Tokens extends Resource {
    /**
     * Introspect a token.
     *
     * Returns the metadata of a token (RFC 7662). A private API key and a confidential client can introspect the tokens for
     * their project, a signed-in person their own tokens, and a client that names itself with HTTP Basic the tokens that
     * were issued to it. Every other token is reported as not active.
     *
     * @param body The body of the request.
     */
    introspect(body: m.TokenParameters, options?: CallOptions): Call<m.Introspection>;
    /**
     * List personal access tokens.
     *
     * Returns the caller's tokens, newest first, without their values.
     *
     * @param query Parameters of the query.
     */
    list(query?: ListPersonalTokensQuery, options?: CallOptions): List<m.PersonalToken>;
    /**
     * Create a personal access token.
     *
     * The response contains the value of the token, which is not shown again. A personal access token cannot create
     * another one.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param body The body of the request.
     */
    create(body: m.CreatePersonalTokenBody, options?: CallOptions & KeyedOptions): Call<m.CreatedPersonalToken>;
    /**
     * Revoke a personal access token.
     *
     * The token stops working immediately.
     *
     * @param tokenId ID of the personal access token.
     */
    revoke(tokenId: m.Id<"token">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
}
/** The operations in `users`. */
export declare class Users extends Resource {
    /**
     * List the users of a project.
     *
     * Returns the users that match the filter, newest first.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId: m.Id<"project">, query?: ListUsersQuery, options?: CallOptions): List<m.ProjectUser>;
    /**
     * Connect a user.
     *
     * Connects the person of an access token to a project. A user who left the project is connected again. Requires no
     * credential besides the token in the body.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    connect(projectId: m.Id<"project">, body: m.UserConnection, options?: CallOptions): Call<m.ConnectedUser>;
    /**
     * Get user statistics.
     *
     * Returns the number of users of a project, and how many of them were active on each day up to today.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    stats(projectId: m.Id<"project">, query?: GetUserStatsQuery, options?: CallOptions): Call<m.UserStats>;
    /**
     * Get a user of a project.
     *
     * Returns a user of the project with the data that the project stores about them.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    get(projectId: m.Id<"project">, userId: m.Id<"user">, options?: CallOptions & ConditionalOptions): Call<m.ProjectUser>;
    /**
     * Delete a user.
     *
     * Deletes a user with all data that the project stores about them, and revokes their tokens for the project. The deletion
     * of a user with much data continues in the background: until it is complete, `deletion_started_at` of the user is set,
     * their data is not found, and they cannot connect.
     *
     * Requires the permission `user:write` and `db:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    delete(projectId: m.Id<"project">, userId: m.Id<"user">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Deleted>;
    /**
     * Update a user.
     *
     * Merges changes into the data that the project stores about a user, or blocks or unblocks the user.
     *
     * Requires the permission `user:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param body The body of the request.
     */
    update(projectId: m.Id<"project">, userId: m.Id<"user">, body: m.UpdateUserBody, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.ProjectUser>;
    /**
     * Export a user's data.
     *
     * Returns all data that a project stores about a user. The response is streamed; if it is interrupted, the body is not
     * valid JSON. Requires the permissions `user:read` and `db:read`.
     *
     * Requires the permission `user:read` and `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    export(projectId: m.Id<"project">, userId: m.Id<"user">, options?: CallOptions): Call<m.UserExport>;
    /**
     * List a user's sessions.
     *
     * Returns the active sign-ins of a user to the project, newest first: at most 1,000. A sign-in is active until it is
     * revoked or its refresh token expires.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    sessions(projectId: m.Id<"project">, userId: m.Id<"user">, options?: CallOptions): Call<m.UserSession[]>;
    /**
     * Sign out a user.
     *
     * Ends all sign-ins of a user to the project. Their refresh tokens are revoked, and this service no longer accepts
     * their access tokens. A service that only verifies the signature of an access token accepts it until it expires. The
     * person stays signed in to this service and to other projects, and can sign in to the project again: block the user
     * to prevent that.
     *
     * Requires the permission `user:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    signOut(projectId: m.Id<"project">, userId: m.Id<"user">, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Success>;
}
/** The operations in `items` that are about items of tables. */
export interface ItemsOf<Tables extends object> {
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, body: m.ItemBatch<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions): Call<m.Item<m.FieldsOf<Tables, Name>>[]>;
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, itemId: string, options?: CallOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, itemId: string, body: m.ItemValue<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, itemId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, itemId: string, body: m.ItemChanges<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, query?: ListItemsQuery, options?: CallOptions): List<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, userId: m.Id<"user">, tableId: Name, body: m.ItemValue<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
}
/** The operations in `ownItems` that are about items of tables. */
export interface OwnItemsOf<Tables extends object> {
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, query?: ListOwnItemsQuery, options?: CallOptions): List<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, body: m.ItemValue<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, body: m.ItemBatch<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions): Call<m.Item<m.FieldsOf<Tables, Name>>[]>;
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, itemId: string, options?: CallOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, itemId: string, body: m.ItemValue<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, itemId: string, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, itemId: string, body: m.ItemChanges<m.FieldsOf<Tables, Name>>, options?: CallOptions & KeyedOptions & ConditionalOptions): Call<m.Item<m.FieldsOf<Tables, Name>>>;
}
/** The operations in `tables` that are about items of tables. */
export interface TablesOf<Tables extends object> {
    /**
     * List the items of all users.
     *
     * Returns the items of all users of a project in a table, by user and ID. Conditions and another order search among at
     * most 100,000 items of the project; the response states where the search stopped. A page holds 100 items by default.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    items<Name extends m.TableName<Tables>>(projectId: m.Id<"project">, tableId: Name, query?: ListProjectItemsQuery, options?: CallOptions): List<m.ProjectItem<m.FieldsOf<Tables, Name>>>;
}
/** All groups of operations. */
export declare class Operations {
    readonly account: Account;
    readonly apps: Apps;
    readonly auth: Auth;
    readonly identityProviders: IdentityProviders;
    readonly images: Images;
    readonly invites: Invites;
    readonly items: Items;
    readonly keys: Keys;
    readonly members: Members;
    readonly oauthClients: OauthClients;
    readonly ownInvites: OwnInvites;
    readonly ownItems: OwnItems;
    readonly projectAuditLog: ProjectAuditLog;
    readonly projectWebhooks: ProjectWebhooks;
    readonly projects: Projects;
    readonly schemas: Schemas;
    readonly service: Service;
    readonly sessions: Sessions;
    readonly settings: Settings;
    readonly syncRejections: SyncRejections;
    readonly tables: Tables;
    readonly teamAuditLog: TeamAuditLog;
    readonly teamWebhooks: TeamWebhooks;
    readonly teams: Teams;
    readonly tokens: Tokens;
    readonly users: Users;
}
