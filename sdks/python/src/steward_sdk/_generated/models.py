# Generated from docs/openapi.json by scripts/generate.py. Do not edit.
"""The schemas of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, Generic, List, Literal, Union

from typing_extensions import NotRequired, TypedDict

from .._tables import Changes, Fields


class ActiveUsers(TypedDict):
    """Activity of one day."""

    date: str
    """Day in UTC."""
    active_users: int
    """Number of users who were active on this day."""


class AffectedClient(TypedDict):
    """An OAuth client that the member registered or configured."""

    id: str
    """ID of the client."""
    project_id: str
    """ID of the client's project."""
    name: str
    """Name of the client."""
    ended: bool
    """Whether the client was deleted."""


class AffectedIdentityProvider(TypedDict):
    """An identity provider that the member added or configured."""

    id: str
    """ID of the provider."""
    project_id: str
    """ID of the provider's project."""
    name: str
    """Name of the provider."""
    ended: bool
    """Whether the provider was deleted."""


class AffectedInvite(TypedDict):
    """A pending invite that the member sent."""

    id: str
    """ID of the invite."""
    roles: str
    """Comma-separated roles of the invite."""


class AffectedKey(TypedDict):
    """A key that the member created or regenerated."""

    id: str
    """ID of the API key."""
    project_id: str
    """ID of the key's project."""
    label: str
    """Display name of the key."""
    ended: bool
    """Whether the key was deleted."""


class AffectedResources(TypedDict):
    """Resources that depend on permissions which the member lost."""

    affected_keys: List[AffectedKey]
    """API keys with a value that the member knows and with permissions that the member no longer has. They continue to
    work unless they ended: rotate them.
    """
    affected_clients: List[AffectedClient]
    """OAuth clients that the member registered, or whose secret, keys or redirect URIs the member last set, and that
    the member may no longer register. They continue to work unless they ended.
    """
    affected_identity_providers: List[AffectedIdentityProvider]
    """Identity providers that the member added or last configured and may no longer add. People can still sign in
    there unless they ended.
    """
    affected_invites: List[AffectedInvite]
    """Pending invites of the member that the member may no longer create. They are revoked."""
    affected_webhooks: List[AffectedWebhook]
    """Webhooks that the member authorized and may no longer authorize. They are paused."""


class AffectedWebhook(TypedDict):
    """A webhook that the member authorized."""

    id: str
    """ID of the webhook."""
    project_id: NotRequired[str | None]
    """ID of the webhook's project; null if the webhook belongs to the team."""


class AuditActor(TypedDict):
    """Who caused an event."""

    type: str
    """Kind of the actor: `account`, `key`, `client` (one that acts on its own behalf) or `system`."""
    id: NotRequired[str | None]
    """ID of the account or key; null for the system."""
    token_id: NotRequired[str | None]
    """ID of the personal access token that the person used; null if they used none."""


class AuditEvent(TypedDict):
    """An event of the audit log."""

    at: str
    """When the event happened."""
    action: str
    """Resource kind and verb, such as `team.updated`, or `team.access_denied` for a request that was refused."""
    operation: str
    """ID of the requested operation, such as `updateProject`."""
    actor: AuditActor
    """Who caused the event."""
    target: AuditTarget
    """Resource that the event is about."""
    team_id: NotRequired[str | None]
    """ID of the team that the event is about; null if it is about no team."""
    project_id: NotRequired[str | None]
    """ID of the project that the event is about; null if it is about no project."""
    before: NotRequired[Dict[str, Any] | None]
    """Recorded state of the resource before the change; null if there is none."""
    after: NotRequired[Dict[str, Any] | None]
    """Recorded state of the resource after the change; null if there is none."""
    request_id: str
    """ID of the request, as in its `X-Request-Id` header."""
    address: NotRequired[str | None]
    """Network address that the request came from; null if unknown."""
    position: int
    """Position of the event in the log. Positions increase in the order in which changes are stored, with gaps."""


class AuditTarget(TypedDict):
    """The resource that an event is about."""

    type: str
    """Kind of the resource, such as `team` or `project`."""
    id: str
    """ID of the resource."""


class AuthorizeForm(TypedDict):
    """Parameters of an authorization request, sent as a form."""

    client_id: str
    """UUID or DID of the project, or ID of a client that it registered."""
    redirect_uri: NotRequired[str | None]
    """URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
    unless `request_uri` is sent.
    """
    response_type: NotRequired[str | None]
    """Must be `code`."""
    response_mode: NotRequired[Literal["query", "fragment", "form_post"] | None]
    """How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a
    form that
    the browser posts to it.
    """
    scope: NotRequired[str | None]
    """Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored."""
    state: NotRequired[str | None]
    """Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    bytes. Required unless `code_challenge` is sent.
    """
    code_challenge: NotRequired[str | None]
    """SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off."""
    code_challenge_method: NotRequired[str | None]
    """Must be `S256` if `code_challenge` is sent."""
    dpop_jkt: NotRequired[str | None]
    """SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10)."""
    nonce: NotRequired[str | None]
    """Value that is returned in the ID token. At most 512 bytes."""
    prompt: NotRequired[str | None]
    """`none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms
    each
    of its requests.
    """
    login_hint: NotRequired[str | None]
    """Login to suggest on the sign-in page. At most 320 bytes."""
    max_age: NotRequired[str | None]
    """Maximum time since the person last signed in, in seconds. After that, the person must sign in again."""
    acr_values: NotRequired[str | None]
    """Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
    person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the
    person
    did. At most 320 bytes.
    """
    request_uri: NotRequired[str | None]
    """Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
    `id_token_hint` are ignored then. It cannot be pushed itself.
    """


class Availability(TypedDict):
    """Whether a slug is available."""

    available: bool
    """Whether the slug is neither taken nor reserved."""


class BackgroundUploaded(TypedDict):
    """Confirmation that a background was uploaded."""

    success: bool
    """Always `true`."""
    background_url: NotRequired[str | None]
    """Public URL of the new background."""


class ChangedKey(TypedDict):
    """A key after a change."""

    key: UpdatedKey
    """The key after the update."""


class ClientInformation(TypedDict):
    """A client that has registered itself (RFC 7591 §3.2.1)."""

    client_id: str
    """Unique ID of the client."""
    client_secret: NotRequired[str | None]
    """Secret of a confidential client. It is returned only in this response; store it safely."""
    client_id_issued_at: int
    """When the client was registered, in seconds since the Unix epoch."""
    client_secret_expires_at: NotRequired[int | None]
    """When the secret expires. Always 0: it does not. Absent for a client without one."""
    client_name: str
    """The name of the client."""
    redirect_uris: List[str]
    """The redirect URIs of the client."""
    token_endpoint_auth_method: str
    """How the client authenticates: `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`."""
    grant_types: List[str]
    """The grant types that the client may use."""
    response_types: List[str]
    """The response types that the client may use: `["code"]`, or none without the grant type `authorization_code`."""
    scope: str
    """The scopes that the client may request, separated by spaces."""
    jwks: NotRequired[Dict[str, Any] | None]
    """The public keys of the client; absent without `private_key_jwt`."""
    dpop_bound_access_tokens: bool
    """Whether the client gets only tokens that are bound to a key."""
    require_pushed_authorization_requests: bool
    """Whether the client must push its authorization requests."""


class ClientMetadata(TypedDict):
    """OAuth client metadata of a project (RFC 7591 §2)."""

    client_id: str
    """Client ID: the DID of the project."""
    client_name: str
    """Name of the project."""
    client_uri: NotRequired[str | None]
    """URL of the project's website; null if it has none."""
    logo_uri: NotRequired[str | None]
    """URL of the project's icon; null if it has none."""
    application_type: str
    """`native` if redirect URIs are registered and all of them are http on loopback or have a private-use scheme, else
    `web`.
    """
    token_endpoint_auth_method: str
    """Always `none`: clients are public and have no secret."""
    redirect_uris: List[str]
    """Registered redirect URIs of the project."""
    grant_types: List[str]
    """Grant types that the client can use. Always `["authorization_code", "refresh_token"]`."""
    response_types: List[str]
    """Response types that the client can use. Always `["code"]`."""
    scope: str
    """Space-separated scopes that the client can request."""
    schema: str
    """URL of the project's schema."""


class ClientRegistration(TypedDict):
    """Metadata of a client that registers itself (RFC 7591 §2)."""

    client_name: NotRequired[str | None]
    """Name that people see when they are asked for consent: at most 100 characters. `Unnamed client` by default."""
    redirect_uris: NotRequired[List[str] | None]
    """URIs that may receive authorization codes: at most 50. On loopback, any port matches. Required for
    `authorization_code`.
    """
    token_endpoint_auth_method: NotRequired[Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] | None]
    """`none` for a public client; `client_secret_basic` (default) or `client_secret_post` for a confidential one,
    which
    can use both; `private_key_jwt` for one that authenticates with its keys.
    """
    grant_types: NotRequired[List[str] | None]
    """Grant types that the client uses; `authorization_code` by default. Those that it may not use are left out, such
    as
    `client_credentials`.
    """
    response_types: NotRequired[List[Literal["code"]] | None]
    """Can only contain `code`."""
    scope: NotRequired[str | None]
    """Scopes that the client may request, separated by spaces. Unknown ones are left out. Default: all that projects
    may
    request.
    """
    jwks: NotRequired[Dict[str, Any] | None]
    """Public keys of the client, as a JSON Web Key Set (RFC 7517 §5). Required for `private_key_jwt`, otherwise left
    out.
    """
    jwks_uri: NotRequired[str | None]
    """Not supported: refused with `private_key_jwt`, otherwise ignored."""
    dpop_bound_access_tokens: NotRequired[bool | None]
    """Whether the client gets only tokens that are bound to a key (RFC 9449 §5.2); `false` by default."""
    require_pushed_authorization_requests: NotRequired[bool | None]
    """Whether the client must push its authorization requests (RFC 9126 §6); `false` by default."""


class ClientSecretRotation(TypedDict):
    """Options of a rotation. All are optional, and so is the body."""

    grace_seconds: NotRequired[int | None]
    """Number of seconds for which the old secret continues to work, and those before it as long as they were to. 0 by
    default:
    all of them stop working immediately.
    """


class Confirmation(TypedDict):
    """The key to which a token is bound (RFC 9449 §6.2)."""

    jkt: str
    """SHA-256 thumbprint of the key (RFC 7638)."""


class ConnectedApp(TypedDict):
    """A project and the caller as its user."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    website: NotRequired[str | None]
    """Website of the project; null if it has none."""
    profile: Dict[str, Any]
    """Public profile of the project, with the URLs of its images."""
    user_id: str
    """ID of the caller as a user of the project. It differs from the account ID."""
    user_did: str
    """DID of the caller's account."""
    pds_url: str
    """Base URL of the service that stores the caller's data."""
    status: str
    """`connected` or `disconnected`."""
    scope: str
    """Scopes of the token, separated by spaces."""
    created_at: str
    """When the caller first connected to the project."""
    last_seen_at: str
    """When the caller last used the project, with a precision of 15 minutes."""


class ConnectedUser(TypedDict):
    """A user who is connected to a project."""

    ok: bool
    """Always `true`."""
    user_did: str
    """DID of the user's account."""
    pds_url: str
    """Base URL of the service that stores the user's data."""


class CreateAccountBody(TypedDict):
    """Values of a new account."""

    email: str
    """Email address. It is unique across the service, case-insensitively."""
    password: str
    """Password of 10 to 256 characters that is hard to guess, also for someone who knows the email address and the
    names.
    """
    name: NotRequired[str | None]
    """Name of the person: 1 to 100 characters."""
    username: NotRequired[str | None]
    """Username: 3 to 32 letters, digits, hyphens and underscores. It is unique across the service, case-insensitively."""


class CreateIdentityProviderBody(TypedDict):
    """Values of a new provider."""

    kind: Literal["openid_connect", "google", "microsoft", "apple", "github", "gitlab"]
    """`openid_connect` for any provider of OpenID Connect, or `google`, `microsoft`, `apple`, `github` or `gitlab`."""
    name: NotRequired[str | None]
    """Name on the button: 1 to 100 characters. Default: the name of the kind."""
    issuer: NotRequired[str | None]
    """URL that identifies the provider: a public https URL without a query, of at most 500 characters. Optional for
    `google`, `apple`, `github` and `gitlab`. For `microsoft`: `https://login.microsoftonline.com/TENANT/v2.0` with
    the ID of
    the tenant.
    """
    client_id: str
    """ID that the provider has assigned to this service: 1 to 255 printable ASCII characters."""
    client_secret: NotRequired[str | None]
    """Secret that the provider has assigned: 1 to 2,000 printable ASCII characters. Absent for a public client. For
    `apple`,
    the signed JWT, which is valid for at most six months.
    """


class CreateInviteBody(TypedDict):
    """Values of a new invite. Exactly one of `email` and `username` is required."""

    roles: str
    """Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. You
    can grant only permissions that you have.
    """
    email: NotRequired[str | None]
    """Email address of the recipient. Send either `email` or `username`."""
    username: NotRequired[str | None]
    """Username of the recipient. Send either `email` or `username`."""
    role_name: NotRequired[str | None]
    """Label of the role: at most 64 characters. It grants no permissions."""
    expires_at: NotRequired[str | None]
    """When the invite expires: 7 days from now by default, at most 30 days from now."""


class CreateKeyBody(TypedDict):
    """Values of a new API key."""

    label: str
    """Display name of the key: 1 to 100 characters."""
    roles: str
    """Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`."""
    is_private: NotRequired[bool | None]
    """Whether the key is private; `true` by default. A public key may appear in browsers, where everyone can see it:
    its
    roles may be `project:read` and `schema:read` only. Browsers read users and items with the access token of the
    signed-in user.
    """
    expires_at: NotRequired[str | None]
    """When the key expires: a timestamp in the future. Without it, the key never expires."""


class CreateOAuthClientBody(TypedDict):
    """Values of a new client."""

    name: str
    """Name that people see when they are asked for consent: 1 to 100 characters."""
    type: Literal["public", "confidential"]
    """`public` or `confidential`."""
    grant_types: NotRequired[List[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]] | None]
    """Grant types that the client may use. Default: `authorization_code` and `refresh_token`. `client_credentials` is
    only for
    confidential clients.
    """
    redirect_uris: NotRequired[List[str] | None]
    """URIs that may receive authorization codes: at most 50. Required for `authorization_code`."""
    scope: NotRequired[str | None]
    """Scopes that the client may request when a person signs in, separated by spaces. Default: all that projects may
    request.
    """
    roles: NotRequired[str | None]
    """Comma-separated roles of a client that acts on its own behalf, as for API keys. Required for
    `client_credentials`.
    """
    require_pkce: NotRequired[bool | None]
    """Whether an authorization request must contain a code challenge. Default: only for a public client, which cannot
    turn it
    off.
    """
    skip_consent: NotRequired[bool | None]
    """Whether people are not asked for consent; `false` by default."""
    jwks: NotRequired[Dict[str, Any] | None]
    """Public keys with which a confidential client authenticates (`private_key_jwt`), as a JSON Web Key Set: 1 to 10
    keys for
    ES256, EdDSA, RS256 or PS256, at most 8 KiB. The client has no secret then.
    """
    require_dpop: NotRequired[bool | None]
    """Whether the client gets only tokens that are bound to a key (RFC 9449); `false` by default."""
    require_pushed_requests: NotRequired[bool | None]
    """Whether the client must push its authorization requests (RFC 9126); `false` by default."""
    access_token_seconds: NotRequired[int | None]
    """Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service (default)."""
    sign_in_seconds: NotRequired[int | None]
    """Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service
    (default).
    """


class CreatePersonalTokenBody(TypedDict):
    """Values of a new personal access token."""

    label: str
    """Display name of the token: 1 to 100 characters."""
    roles: str
    """Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions (such as `key:read`). The
    token has them only if you have them too.
    """
    teams: NotRequired[List[str] | None]
    """IDs of up to 100 teams. The token can access only these teams and their projects, and `projects`."""
    projects: NotRequired[List[str] | None]
    """IDs of up to 100 projects. The token can access only these projects, and `teams`."""
    expires_at: str
    """When the token expires: in the future and at most 366 days from now."""


class CreateProjectBody(TypedDict):
    """Values of a new project."""

    name: str
    """Display name of the project: 1 to 100 characters."""
    team_id: str
    """ID of the team that owns the project."""
    slug: NotRequired[str | None]
    """URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. If absent, it is
    generated from the name, with a number appended if it is taken.
    """


class CreateTeamBody(TypedDict):
    """Values of a new team."""

    name: str
    """Display name of the team: 1 to 100 characters."""
    slug: str
    """URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens."""


class CreateWebhookBody(TypedDict):
    """Values of a new webhook."""

    url: str
    """URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment."""
    events: List[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]]
    """Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events."""
    ordering: NotRequired[Literal["project", "none"] | None]
    """`project` sends the events of each project, and those of the team itself, in order, and those of different
    projects
    at the same time. `none` sends events in any order. The default is `project`.
    """


class CreatedAccount(TypedDict):
    """The new account."""

    id: str
    """Unique ID of the account."""
    email: str
    """Email address of the account."""
    username: NotRequired[str | None]
    """Username of the account; null if it has none."""
    name: NotRequired[str | None]
    """Name of the person; null if none was given."""
    created_at: str
    """When the account was created."""


class Invite(TypedDict):
    """A pending invite."""

    id: str
    """Unique ID of the invite."""
    team_id: str
    """ID of the team that the invite is for."""
    email_or_username: str
    """Email address or username of the recipient."""
    roles: str
    """Comma-separated roles that the recipient gets in the team."""
    role_name: str
    """Label of the role that the recipient gets. It grants no permissions. If none is set, the name of the role, or
    `Custom`.
    """
    created_at: str
    """When the invite was created or last renewed."""
    expires_at: str
    """When the invite expires."""
    delivery: str
    """How the invite reaches its recipient: `link` if no email is sent and the inviter passes on the
    link, or the state of the email: `queued`, `sent` or `failed`.
    """
    link: NotRequired[str | None]
    """URL of the page where the recipient accepts or declines the invite. Only present for callers who may invite. It
    grants nothing: only the recipient can accept the invite. On a service without a mail server, the inviter of an
    email address gets a URL that ends with a secret: one person can join with it, with any account.
    """


class CreatedInvite(Invite):
    """The invite that was created or renewed."""

    account_id: NotRequired[str | None]
    """Account ID of the recipient if the invite is for a username; null if it is for an email address."""


class PersonalToken(TypedDict):
    """A personal access token, without its value."""

    id: str
    """Unique ID of the token."""
    label: str
    """Display name of the token."""
    roles: str
    """Comma-separated role names and permissions. They apply only if the person has them too."""
    teams: List[str]
    """IDs of the teams that the token can access. If `teams` and `projects` are both empty, the token can access all
    teams and projects of the person.
    """
    projects: List[str]
    """IDs of the projects that the token can access in addition to those of `teams`."""
    created_at: str
    """When the token was created."""
    expires_at: str
    """When the token expires."""
    last_used: NotRequired[str | None]
    """When the token was last used, with a precision of one minute; null if it was never used."""
    hint: str
    """Prefix and last 4 characters of the value."""


class CreatedPersonalToken(PersonalToken):
    """A new personal access token, with its value."""

    value: str
    """Secret value of the token, which is sent as a bearer token. It is not shown again."""


class CreatedProject(TypedDict):
    """A new project."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    created_at: str
    """When the project was created."""


class CreatedTeam(TypedDict):
    """A new team."""

    id: str
    """Unique ID of the team."""
    name: str
    """Display name of the team."""
    slug: str
    """URL-friendly name of the team, unique in the service."""
    owner: str
    """Account ID of the owner: the caller."""
    created_at: str
    """When the team was created."""


class CurrentCredential(TypedDict):
    """Identity and permissions of a credential."""

    type: str
    """`account` (first-party access token), `personal_token`, `key` (API key), `client` (token of an OAuth client that
    acts
    on its own behalf) or `user` (access token of a person for a project).
    """
    id: str
    """ID of the account, personal access token, API key, client or project user, depending on `type`."""
    account_id: NotRequired[str | None]
    """Account ID of the person. Only for `account` and `personal_token`."""
    label: NotRequired[str | None]
    """Display name of the credential. Only for `personal_token`, `key` and `client`."""
    team_id: NotRequired[str | None]
    """ID of the team that owns the project. Only for `key` and `client`."""
    project_id: NotRequired[str | None]
    """ID of the only project that the credential can access. Only for `key`, `client` and `user`."""
    teams: NotRequired[List[str] | None]
    """IDs of the teams that the token is limited to. If `teams` and `projects` are both empty, it is not limited. Only
    for `personal_token`.
    """
    projects: NotRequired[List[str] | None]
    """IDs of the projects that the token is limited to, in addition to those of `teams`. Only for `personal_token`."""
    permissions: NotRequired[List[str] | None]
    """Permissions of the credential. Those of a `personal_token` apply only if the person has them in the team.
    Only for `personal_token`, `key` and `client`.
    """
    scope: NotRequired[str | None]
    """Scopes of the token, separated by spaces. Only for `user`."""
    expires_at: NotRequired[str | None]
    """When the credential expires; null if it never expires. Only for `personal_token` and `key`: an access token
    (JWT) contains its own expiry.
    """


class DailyRequests(TypedDict):
    """Requests of one day."""

    date: str
    """Day in UTC."""
    requests: int
    """Number of requests on this day."""


class Deleted(TypedDict):
    """Confirmation of a deletion, with a message."""

    success: bool
    """Always `true`."""
    message: str
    """Human-readable description of what was deleted."""


class DeviceAuthorization(TypedDict):
    """What a device shows to a person, and exchanges for tokens (RFC 8628 §3.2)."""

    device_code: str
    """Code that the device sends to the token endpoint. It can be exchanged once."""
    user_code: str
    """Code that the person enters."""
    verification_uri: str
    """Page on which the person enters it."""
    verification_uri_complete: str
    """The same page with the code filled in, for example as a QR code."""
    expires_in: int
    """Number of seconds for which the person can enter the code."""
    interval: int
    """Minimum number of seconds between two requests to the token endpoint."""


class DeviceAuthorizationRequest(TypedDict):
    """Parameters of a device authorization request (RFC 8628 §3.1)."""

    client_id: NotRequired[str | None]
    """ID of the client. It can also be sent as the user name of HTTP Basic."""
    client_secret: NotRequired[str | None]
    """Secret of a confidential client, if it is not sent with HTTP Basic."""
    client_assertion_type: NotRequired[Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None]
    """Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent."""
    client_assertion: NotRequired[str | None]
    """JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2)."""
    scope: NotRequired[str | None]
    """Requested scopes, separated by spaces or commas. `openid` by default."""
    max_age: NotRequired[str | None]
    """Maximum time since the person last signed in, in seconds. After that, the person must sign in again."""


DidDocument = TypedDict(
    "DidDocument",
    {
        "@context": "List[str]",
        "id": "str",
        "service": "List[DidService]",
    },
)
"""A DID document (W3C DID Core §5)."""


class DidService(TypedDict):
    """A service of a DID document (W3C DID Core §5.4)."""

    id: str
    """ID of the service: the DID, `#`, and the type."""
    type: str
    """Type of the service: `BasicAppMetadata` of a project, `PersonalDataServer` of an account."""
    serviceEndpoint: str
    """URL of the service: the client metadata of a project, the base URL of this service for an account."""


class ErrorBody(TypedDict):
    """An error: what is wrong and how to fix it."""

    error: Literal["invalid_request", "unknown_field", "invalid_schema", "invalid_item", "slug_reserved", "unauthorized", "invalid_credentials", "second_factor_required", "insufficient_user_authentication", "forbidden", "not_found", "slug_taken", "email_taken", "username_taken", "signup_closed", "not_set_up", "invalid_client", "invalid_grant", "invalid_dpop_proof", "unauthorized_client", "invalid_client_metadata", "invalid_redirect_uri", "invalid_scope", "unsupported_grant_type", "unsupported_token_type", "unsupported_response_type", "access_denied", "authorization_pending", "slow_down", "expired_token", "login_required", "consent_required", "interaction_required", "request_not_supported", "request_uri_not_supported", "registration_not_supported", "too_many_requests", "last_owner", "already_member", "team_owns_projects", "version_conflict", "schema_breaking", "too_many_items", "user_not_connected", "quota_exceeded", "conflict", "idempotency_mismatch", "idempotency_in_progress", "idempotency_answer_lost", "precondition_failed", "item_too_large", "invalid_image", "unsupported_image", "image_too_large", "unavailable", "outcome_unknown", "storage_full", "internal_error", "method_not_allowed", "payload_too_large", "unsupported_media_type", "invalid_json", "body_too_slow", "invalid_multipart", "too_many_in_flight", "too_many_connections"]
    """Machine-readable error code. Codes never change."""
    message: str
    """Human-readable description of what is wrong and how to fix it."""
    valid: NotRequired[bool | None]
    """`false` if a document or value was validated and has errors; absent otherwise."""
    errors: NotRequired[List[Dict[str, Any]] | None]
    """All violations together, at most 100. A violation of a request has `field`, `code` (`unknown_field`,
    `missing_field`, `invalid_type` or `invalid_value`) and `message`.
    """
    truncated: NotRequired[bool | None]
    """`true` if there are more violations than `errors` lists; absent otherwise."""
    diff: NotRequired[SchemaDiff | None]
    index: NotRequired[int | None]
    """Index of the failed operation of a batch, starting at 0."""
    error_description: NotRequired[str | None]
    """Description of the error for OAuth clients (RFC 6749 §5.2)."""
    slugified: NotRequired[str | None]
    """A valid slug derived from the text that was sent; empty if no slug can be derived from it."""
    quota: NotRequired[str | None]
    """Name of the quota that is exhausted."""
    limit: NotRequired[int | None]
    """Limit of the quota."""
    setting: NotRequired[str | None]
    """Setting with which the operator of the service changes the quota."""
    status: NotRequired[str | None]
    """`fail` in the responses of health checks; absent otherwise."""
    failing: NotRequired[str | None]
    """Part of the service that fails, in the responses of health checks: `database`, `database writes` or
    `shutting down`.
    """
    active: NotRequired[bool | None]
    """`false` if the sign-in of the access token has ended; absent otherwise."""
    reauth_required: NotRequired[bool | None]
    """`true` if the sign-in of the access token has ended, so that the person must sign in again; absent otherwise."""


class Events(TypedDict):
    """Events in ascending order of position."""

    data: List[AuditEvent]
    """The events, oldest first. Empty if there are no new events."""
    next: int
    """Value of `after` for the next request."""
    history: int
    """Number of times that the database was restored from a backup, moved, or promoted, plus one. If it differs from
    the
    previous response, events that the client received after the position `history_after` may be lost.
    """
    history_after: int
    """Position up to which the events of earlier histories are part of this one."""


class ExportedGrant(TypedDict):
    """Scopes that a user granted to a project."""

    scope: str
    """Granted scopes, separated by spaces."""
    created_at: str
    """When the user first granted scopes to the project."""
    updated_at: str
    """When the grant last changed."""


class IconUploaded(TypedDict):
    """Confirmation that an icon was uploaded."""

    success: bool
    """Always `true`."""
    icon_url: NotRequired[str | None]
    """Public URL of the new icon."""


class IdentityProvider(TypedDict):
    """A service at which people can sign in, without its secret."""

    id: str
    """Unique ID of the provider."""
    kind: str
    """Kind of the provider: `openid_connect`, `google`, `microsoft`, `apple`, `github` or `gitlab`."""
    name: str
    """Name on the button of the sign-in page."""
    issuer: str
    """URL that identifies the provider (OpenID Connect Discovery); for GitHub, the URL of the server."""
    client_id: str
    """ID that the provider has assigned to this service."""
    has_client_secret: bool
    """Whether a client secret is stored. Without one, this service is a public client with PKCE."""
    is_enabled: bool
    """Whether people can sign in there."""
    redirect_uri: str
    """URI that has to be registered at the provider."""
    created_at: str
    """When the provider was added."""


class ImageFile(TypedDict):
    """The file of an uploaded image."""

    contentType: str
    """Media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`."""
    size: int
    """Size in bytes."""
    lastModified: str
    """When the image was uploaded."""


class ImageForm(TypedDict):
    """Form with an image to upload."""

    file: bytes
    """PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at most 2 MiB and
    16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
    """


class Introspection(TypedDict):
    """Metadata of a token (RFC 7662 §2.2). If the token is not active, `active` is the only field."""

    active: bool
    """Whether the token is valid and the caller may introspect it."""
    token_type: NotRequired[str | None]
    """`Bearer` for an access token, `DPoP` for one that is bound to a key, or `refresh_token`."""
    scope: NotRequired[str | None]
    """Scopes of the token, separated by spaces."""
    client_id: NotRequired[str | None]
    """Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or ID of a first-party
    client such as `steward-cli`.
    """
    sub: NotRequired[str | None]
    """Account ID of the person."""
    aud: NotRequired[str | None]
    """Audience: DID of the project, or the URL of this service for a first-party token."""
    iss: NotRequired[str | None]
    """Issuer: the URL of this service."""
    exp: NotRequired[int | None]
    """When the token expires, in seconds since the Unix epoch."""
    iat: NotRequired[int | None]
    """When the token was issued, in seconds since the Unix epoch."""
    auth_time: NotRequired[int | None]
    """When the person signed in, in seconds since the Unix epoch (RFC 9470 §6.2)."""
    acr: NotRequired[str | None]
    """Assurance of the sign-in: `aal1` for one factor, `aal2` for two."""
    amr: NotRequired[List[str] | None]
    """How the person signed in (RFC 8176): `pwd`, `otp`, `pop` for a passkey, and `mfa` for two factors."""
    cnf: NotRequired[Confirmation | None]


class InviteReference(TypedDict):
    """The invite to accept or decline."""

    invite_id: str
    """ID of the invite."""


class IssuedKey(TypedDict):
    """A key with its new value."""

    key: KeyWithValue
    """The key with its new value."""


class ItemBatch(TypedDict, Generic[Fields, Changes]):
    """Operations on items."""

    operations: List[ItemOperation[Fields, Changes]]
    """Operations, each on a different item. Either all of them take effect, or none; the error contains the `index` of
    the first operation that failed.
    """
    created_before: NotRequired[str | None]
    """New items that are put count as created before this time, at most seven days ago, each one a microsecond before
    the item of the operation before it: a list of the newest items has the order of the operations. A time in the
    future counts as now. By default, all of them count as created now.
    """


class Key(TypedDict):
    """An API key, without its value."""

    id: str
    """Unique ID of the key. It does not change when the value is regenerated."""
    label: str
    """Display name of the key."""
    roles: str
    """Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`."""
    is_private: bool
    """Whether the key is private. Private keys stay on servers. Public keys may appear in browsers, and read only the
    project and its schema.
    """
    created_at: str
    """When the key was created."""
    last_used: NotRequired[str | None]
    """When the key was last used, with its current value or an earlier one, with a precision of one minute; null if it
    was
    never used.
    """
    current_last_used: NotRequired[str | None]
    """When the current value was last used, with a precision of one minute; null if it was never used."""
    expires_at: NotRequired[str | None]
    """When the key expires; null if it never expires."""
    hint: str
    """Prefix and last 4 characters of the current value."""
    previous: NotRequired[PreviousKeyValue | None]
    earlier: NotRequired[PreviousKeyValue | None]


class KeyRegeneration(TypedDict):
    """Options of a regeneration. All are optional, and so is the body."""

    grace_seconds: NotRequired[int | None]
    """Number of seconds for which the old value continues to work, and those before it as long as they were to. 0 by
    default:
    all of them stop working immediately.
    """


class KeyToVerify(TypedDict):
    """A value to verify."""

    key: str
    """Value to verify."""
    key_id: NotRequired[str | None]
    """ID of the key that the value must belong to. Without it, any key of the project matches."""


class KeyVerification(TypedDict):
    """Whether a value is valid, and the key that has it."""

    is_valid: bool
    """Whether the value belongs to a key of this project that has not expired."""
    key: NotRequired[VerifiedKey | None]


class KeyWithValue(TypedDict):
    """An API key with its value."""

    id: str
    """Unique ID of the key."""
    label: str
    """Display name of the key."""
    roles: str
    """Comma-separated roles of the key."""
    value: str
    """Secret value of the key. It is returned only in this response; store it safely."""
    is_private: bool
    """Whether the key is private."""
    created_at: str
    """When the key was created."""


class ListedProject(TypedDict):
    """A project and its team, as listed."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    profile: ProjectAppearance
    """Images of the public profile."""
    team_id: str
    """ID of the team that owns the project."""
    team_name: str
    """Display name of the team."""
    team_slug: str
    """URL-friendly name of the team."""
    created_at: str
    """When the project was created."""


class ListedTeam(TypedDict):
    """A team and the caller's membership in it."""

    id: str
    """Unique ID of the team."""
    name: str
    """Display name of the team."""
    slug: str
    """URL-friendly name of the team, unique in the service."""
    owner: str
    """Account ID of the owner."""
    roles: str
    """The caller's own roles: comma-separated role names and permissions."""
    role_name: str
    """Label of the caller's role, for display. If none is set, the name of the role, or `Custom`."""


class LoggedRequest(TypedDict):
    """A request to a project. The log has neither paths with their values, nor queries, headers, bodies or addresses."""

    at: str
    """When the response was ready."""
    request_id: str
    """ID of the request, as in its `X-Request-Id` header."""
    method: str
    """Method of the request."""
    route: str
    """Path of the operation, with the names of its parameters."""
    operation: str
    """ID of the operation."""
    status: int
    """Status code of the response."""
    error: NotRequired[str | None]
    """Code of the error in the response; null if there is none."""
    took_ms: float
    """Duration of the request in milliseconds, until the response was ready."""
    caller: NotRequired[RequestCaller | None]


class Member(TypedDict):
    """A member of a team."""

    account_id: str
    """Account ID of the member."""
    roles: str
    """Comma-separated roles of the member."""
    role_name: str
    """Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`."""
    created_at: str
    """When the account became a member."""
    name: NotRequired[str | None]
    """Name of the person. Absent without a name, and for API keys, which do not see who the members are."""
    username: NotRequired[str | None]
    """Public username. Absent without one, and for API keys."""
    email: NotRequired[str | None]
    """Email address. Absent for API keys, and while the account is being deleted."""


class Membership(TypedDict):
    """Membership of an account in a team."""

    team_id: str
    """ID of the team."""
    account_id: str
    """Account ID of the member."""
    roles: str
    """Comma-separated roles of the member."""
    role_name: str
    """Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`."""


class Message(TypedDict):
    """Confirmation that the request succeeded, as a message."""

    message: str
    """Human-readable description of what was done."""


class OAuthClient(TypedDict):
    """An OAuth client that a project registered, without its secret."""

    id: str
    """Unique ID of the client: its `client_id`."""
    type: str
    """`public` for an app in a browser or on a device, which cannot keep a secret; `confidential` for a program on a
    server,
    which has one, or keys (RFC 6749 §2.1).
    """
    name: str
    """Name that people see when they are asked for consent."""
    grant_types: List[str]
    """Grant types that the client may use: `authorization_code`, `refresh_token`, `client_credentials`, and
    `urn:ietf:params:oauth:grant-type:device_code`.
    """
    redirect_uris: List[str]
    """URIs that may receive authorization codes. On loopback, any port matches."""
    scope: str
    """Scopes that the client may request when a person signs in, separated by spaces."""
    roles: NotRequired[str | None]
    """Comma-separated roles of a client that acts on its own behalf, as for API keys; null without
    `client_credentials`.
    """
    require_pkce: bool
    """Whether an authorization request must contain a code challenge (RFC 7636)."""
    skip_consent: bool
    """Whether people are not asked for consent, because the client belongs to the project itself. They are
    asked once whether to continue.
    """
    jwks: NotRequired[Dict[str, Any] | None]
    """Public keys with which a confidential client authenticates instead of a secret, as a JSON Web Key Set (RFC 7517
    §5);
    null for other clients.
    """
    require_dpop: bool
    """Whether the client gets only tokens that are bound to a key (RFC 9449)."""
    require_pushed_requests: bool
    """Whether the client must push its authorization requests (RFC 9126)."""
    access_token_seconds: NotRequired[int | None]
    """Lifetime of access tokens, in seconds; null for the default of the service."""
    sign_in_seconds: NotRequired[int | None]
    """Time after which the person must sign in again, in seconds; null for the default of the service."""
    logo_url: NotRequired[str | None]
    """Public URL of the uploaded logo, which changes with every upload; null if none was uploaded."""
    registered_itself: bool
    """Whether the client registered itself without a token, in a project that the operator opened for everyone (RFC
    7591).
    """
    secret: NotRequired[OAuthClientSecret | None]
    created_at: str
    """When the client was registered."""


class OAuthClientSecret(TypedDict):
    """The secret of a confidential client, without its value."""

    hint: str
    """Prefix and last 4 characters of the current secret."""
    last_used: NotRequired[str | None]
    """When the secret was last used, with its current value or an earlier one, with a precision of one minute; null if
    it was
    never used.
    """
    current_last_used: NotRequired[str | None]
    """When the current secret was last used, with a precision of one minute; null if it was never used."""
    previous: NotRequired[PreviousOAuthClientSecret | None]
    earlier: NotRequired[PreviousOAuthClientSecret | None]


class OAuthClientWithSecret(OAuthClient):
    """A client with the value of its secret."""

    client_secret: NotRequired[str | None]
    """Secret of a confidential client. It is returned only in this response; store it safely. Absent for a public
    client.
    """


class OwnInvite(TypedDict):
    """An invite as its recipient sees it."""

    id: str
    """Unique ID of the invite."""
    team_id: str
    """ID of the team that the invite is for."""
    team_name: str
    """Name of the team."""
    team_slug: str
    """Slug of the team."""
    email_or_username: str
    """Email address or username of the caller to which the invite was sent."""
    roles: str
    """Comma-separated roles that the caller gets in the team."""
    role_name: str
    """Label of the role that the caller gets. It grants no permissions. If none is set, the name of the role, or
    `Custom`.
    """
    created_at: str
    """When the invite was created or last renewed."""
    expires_at: str
    """When the invite expires."""


class Pagination(TypedDict):
    """Which part of a list a response contains."""

    limit: NotRequired[int | None]
    """The limit that was applied: `limit` of the request; null if it was not set, so that all items were returned."""
    offset: int
    """Value of `offset` in the request; 0 if it was not set."""
    count: int
    """Number of items in the response."""


class PasswordLogin(TypedDict):
    """A password, and the email address or the username of its account."""

    email: NotRequired[str | None]
    """Email address of the account. Send either `email` or `username`."""
    username: NotRequired[str | None]
    """Username of the account. Send either `email` or `username`."""
    password: str
    """Password of the account."""


class PreviousKeyValue(TypedDict):
    """A replaced value of a key, which is valid until it expires."""

    expires_at: str
    """When the value stops working."""
    last_used: NotRequired[str | None]
    """When the value was last used, with a precision of one minute; null if it was never used."""


class PreviousOAuthClientSecret(TypedDict):
    """A replaced secret of a client, which is valid until it expires."""

    expires_at: str
    """When the secret stops working."""
    last_used: NotRequired[str | None]
    """When the secret was last used, with a precision of one minute; null if it was never used."""


class Project(TypedDict):
    """A project after a change."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    website: NotRequired[str | None]
    """Website of the project; null if it has none."""
    profile: Dict[str, Any]
    """Public profile of the project, with the URLs of its images."""
    updated_at: str
    """When the project last changed."""


class ProjectAppearance(TypedDict):
    """Images of a project's public profile."""

    icon_url: NotRequired[str | None]
    """URL of the icon; null if the project has none."""
    styles: ProjectStyles
    """Appearance of the project's pages."""


class ProjectChanges(TypedDict):
    """Changes to a project. Absent fields stay unchanged."""

    name: NotRequired[str | None]
    """New display name: 1 to 100 characters."""
    slug: NotRequired[str | None]
    """New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens."""
    website: NotRequired[str | None]
    """New website, an http(s) URL of at most 2,048 characters; null removes it."""
    profile: NotRequired[Dict[str, Any] | None]
    """Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON."""


class ProjectDetails(TypedDict):
    """A project."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    website: NotRequired[str | None]
    """Website of the project; null if it has none."""
    profile: Dict[str, Any]
    """Public profile of the project, with the URLs of its images."""
    team_id: str
    """ID of the team that owns the project."""
    created_at: str
    """When the project was created."""
    updated_at: str
    """When the project or its settings last changed."""
    usage: NotRequired[ProjectUsage | None]


class ProjectIcon(TypedDict):
    """Icon of a project."""

    icon_url: NotRequired[str | None]
    """URL of the icon; null if the project has none."""


class ProjectImages(TypedDict):
    """The uploaded images of a project."""

    success: bool
    """Always `true`."""
    images: UploadedImages
    """The uploaded images."""


class ProjectItem(TypedDict):
    """An item, and the user who owns it."""

    user_id: str
    """ID of the user in the project."""
    item: Dict[str, Any]
    """The item."""


class ProjectItemListing(TypedDict):
    """Items of all users."""

    data: List[ProjectItem]
    """The items."""
    stopped: NotRequired[SearchStop | None]
    next_cursor: NotRequired[str | None]
    """Cursor of the next page; absent if there are no more items. A page can be empty although others follow."""


class ProjectSettings(TypedDict):
    """Settings of a project."""

    auth: SignInSettings
    """Sign-in settings."""


class ProjectStyles(TypedDict):
    """Appearance of a project's pages."""

    background_url: NotRequired[str | None]
    """URL of the background image; null if the project has none."""


class ProjectTable(TypedDict):
    """A table, with the items of all users."""

    table: str
    """Name of the table."""
    items: int
    """Number of items."""
    bytes: int
    """Size of the items' fields as JSON, in bytes."""


class ProjectTables(TypedDict):
    """The tables of a project."""

    data: List[ProjectTable]
    """The tables, in the order of the schema."""
    complete: bool
    """Whether all items are counted. If not, the tables have at least these sizes."""


class ProjectUsage(TypedDict):
    """Usage and limits of a project's quotas."""

    items: QuotaUsage
    """Number of items of all users."""
    bytes: QuotaUsage
    """Total size of these items, in bytes of JSON."""
    keys: QuotaUsage
    """Number of API keys."""
    webhooks: QuotaUsage
    """Number of webhooks."""
    schema_versions: QuotaUsage
    """Number of schema versions."""


class ProjectUser(TypedDict):
    """A user of a project."""

    id: str
    """Unique ID of the user in the project. It differs from the account ID."""
    user_did: str
    """DID of the user's account."""
    pds_url: str
    """Base URL of the service that stores the user's data."""
    status: str
    """`connected`, `disconnected` (the user left the project) or `blocked` (by the project). Data can be written only
    for connected users.
    """
    meta: Dict[str, Any]
    """Data that the project stores about the user."""
    profile: Dict[str, Any]
    """Name and username of the account, if they are set."""
    email: NotRequired[str | None]
    """Current email address of the account. Null unless the user granted the scope `email` to the project: request it
    when users sign in. Null again when the user revokes the grant.
    """
    last_seen_at: str
    """When the user last used the project, with a precision of 15 minutes."""
    created_at: str
    """When the user first connected to the project."""
    deletion_started_at: NotRequired[str | None]
    """When the deletion of the user started; null if it has not. It continues in the background. Until it is complete,
    the user is blocked, and their items and exports are not found.
    """


class ProviderMetadata(TypedDict):
    """Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2)."""

    issuer: str
    """Issuer of tokens: the base URL of this service."""
    authorization_endpoint: str
    """URL of the authorization endpoint."""
    token_endpoint: str
    """URL of the token endpoint."""
    userinfo_endpoint: str
    """URL of the UserInfo endpoint."""
    jwks_uri: str
    """URL of the JSON Web Key Set with the public keys for verifying tokens."""
    revocation_endpoint: str
    """URL of the revocation endpoint (RFC 7009)."""
    pushed_authorization_request_endpoint: str
    """URL that receives pushed authorization requests (RFC 9126)."""
    registration_endpoint: str
    """URL at which clients register themselves (RFC 7591). An initial access token is required unless the operator has
    opened
    a project.
    """
    device_authorization_endpoint: str
    """URL that receives the requests of devices (RFC 8628)."""
    require_pushed_authorization_requests: bool
    """Whether all clients must push their requests. Always `false`: it is a setting of each client."""
    introspection_endpoint: str
    """URL of the introspection endpoint (RFC 7662)."""
    end_session_endpoint: str
    """URL to which clients send people to sign out (OpenID Connect RP-Initiated Logout 1.0)."""
    response_types_supported: List[str]
    """Supported response types. Always `["code"]`."""
    response_modes_supported: List[str]
    """Supported response modes."""
    grant_types_supported: List[str]
    """Supported grant types."""
    subject_types_supported: List[str]
    """Supported subject types. Always `["public"]`: the `sub` of an account is the same for all clients."""
    id_token_signing_alg_values_supported: List[str]
    """Algorithms of the published keys that sign ID tokens."""
    scopes_supported: List[str]
    """Supported scopes."""
    token_endpoint_auth_methods_supported: List[str]
    """Client authentication at the token endpoint. The secret of a client that has none is ignored."""
    token_endpoint_auth_signing_alg_values_supported: List[str]
    """Algorithms of the assertions of clients (`private_key_jwt`) at the token endpoint."""
    revocation_endpoint_auth_methods_supported: List[str]
    """Client authentication at the revocation endpoint. The secret of a client that has none is ignored."""
    revocation_endpoint_auth_signing_alg_values_supported: List[str]
    """Algorithms of the assertions of clients at the revocation endpoint."""
    introspection_endpoint_auth_methods_supported: List[str]
    """Authentication at the introspection endpoint."""
    introspection_endpoint_auth_signing_alg_values_supported: List[str]
    """Algorithms of the assertions of clients at the introspection endpoint."""
    dpop_signing_alg_values_supported: List[str]
    """Algorithms of proofs, to whose keys tokens are bound (RFC 9449 §5.1)."""
    code_challenge_methods_supported: List[str]
    """Supported PKCE methods (RFC 7636 §4.3). Always `["S256"]`."""
    prompt_values_supported: List[str]
    """Supported values of `prompt`."""
    ui_locales_supported: List[str]
    """Languages of the pages on which people sign in. Without `ui_locales`, they appear in that of the browser."""
    acr_values_supported: List[str]
    """Supported values of `acr_values`, and values of the claim `acr`: one factor, or two."""
    claims_supported: List[str]
    """Claims that tokens and user info can contain."""
    claims_parameter_supported: bool
    """Whether the `claims` parameter is supported. Always `false`."""
    request_parameter_supported: bool
    """Whether the `request` parameter is supported. Always `false`."""
    request_uri_parameter_supported: bool
    """Whether the `request_uri` parameter is supported. Always `false`."""
    authorization_response_iss_parameter_supported: bool
    """Whether every response of the authorization endpoint contains `iss` (RFC 9207 §3). Always `true`."""
    backchannel_logout_supported: bool
    """Whether logout tokens are sent to clients (OpenID Connect Back-Channel Logout 1.0). Always `true`."""
    backchannel_logout_session_supported: bool
    """Whether logout tokens contain the session (`sid`). Always `true`."""


class PublicProject(TypedDict):
    """Public information about a project."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    website: NotRequired[str | None]
    """Website of the project; null if it has none."""
    profile: Dict[str, Any]
    """Public profile of the project, with the URLs of its images."""
    created_at: str
    """When the project was created."""
    auth: PublicSignIn
    """Public sign-in settings."""


class PublicSignIn(TypedDict):
    """Public sign-in settings of a project."""

    redirect_uris: List[str]
    """URIs that may receive authorization codes. If the list is empty, only loopback URIs may."""


class Publication(TypedDict):
    """A version that was published, or that would be published without `dry_run`."""

    data: SchemaVersion
    """The version. With `dry_run`, its `id` and `updated_at` are not stored."""
    diff: NotRequired[SchemaDiff | None]
    warnings: NotRequired[List[SchemaWarning] | None]
    """The first 100 members of the document that have no effect. Absent if there are none."""


class PushedAuthorization(TypedDict):
    """A reference to a pushed authorization request."""

    request_uri: str
    """Value of the `request_uri` parameter at `/auth/authorize`."""
    expires_in: int
    """Number of seconds for which it can be used, once."""


class PushedAuthorizationForm(TypedDict):
    """Parameters of a pushed authorization request, sent as a form."""

    client_id: str
    """UUID or DID of the project, or ID of a client that it registered."""
    redirect_uri: NotRequired[str | None]
    """URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
    unless `request_uri` is sent.
    """
    response_type: NotRequired[str | None]
    """Must be `code`."""
    response_mode: NotRequired[Literal["query", "fragment", "form_post"] | None]
    """How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a
    form that
    the browser posts to it.
    """
    scope: NotRequired[str | None]
    """Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored."""
    state: NotRequired[str | None]
    """Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    bytes. Required unless `code_challenge` is sent.
    """
    code_challenge: NotRequired[str | None]
    """SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off."""
    code_challenge_method: NotRequired[str | None]
    """Must be `S256` if `code_challenge` is sent."""
    dpop_jkt: NotRequired[str | None]
    """SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10)."""
    nonce: NotRequired[str | None]
    """Value that is returned in the ID token. At most 512 bytes."""
    prompt: NotRequired[str | None]
    """`none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms
    each
    of its requests.
    """
    login_hint: NotRequired[str | None]
    """Login to suggest on the sign-in page. At most 320 bytes."""
    max_age: NotRequired[str | None]
    """Maximum time since the person last signed in, in seconds. After that, the person must sign in again."""
    acr_values: NotRequired[str | None]
    """Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
    person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the
    person
    did. At most 320 bytes.
    """
    request_uri: NotRequired[str | None]
    """Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
    `id_token_hint` are ignored then. It cannot be pushed itself.
    """
    client_secret: NotRequired[str | None]
    """Secret of a confidential client, if it is not sent with HTTP Basic."""
    client_assertion_type: NotRequired[Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None]
    """Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent."""
    client_assertion: NotRequired[str | None]
    """JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2)."""


class QuotaUsage(TypedDict):
    """Usage and limit of one quota."""

    used: int
    """Current number or size."""
    limit: int
    """Maximum number or size. The operator of the service configures it."""


class RemovedMember(AffectedResources):
    """The resources that lost the authority of a removed member."""

    success: bool
    """Always `true`."""


class RequestCaller(TypedDict):
    """Who sent a request."""

    type: str
    """Kind of the credential: `account`, `token` (a personal access token), `key`, `client` (one that acts on its own
    behalf) or
    `user` (a person in the project).
    """
    id: str
    """ID of the account, personal access token, API key, client or user."""


class RequestList(TypedDict):
    """Requests in the order of their responses."""

    data: List[LoggedRequest]
    """The requests, oldest first. Empty if there are no new requests."""
    next: str
    """Value of `after` for the next request."""
    instance: str
    """The instance of the service that served these requests, and this one. Another one may respond next: it continues
    with the
    same `after`.
    """
    truncated: bool
    """Whether requests after `after` are missing, because newer ones have replaced them."""


class RequestStats(TypedDict):
    """Statistics of the requests to a project. Days are in UTC."""

    total: int
    """Number of requests on all requested days."""
    today: int
    """Number of requests today."""
    series: List[DailyRequests]
    """Requests of each requested day, oldest first."""


class Rollback(TypedDict):
    """The version to publish again."""

    version: int
    """Number of a published version."""


class SchemaCheck(TypedDict):
    """Whether a document can be published as the next version."""

    valid: bool
    """Whether the document can be published as the next version."""
    errors: List[Dict[str, Any]]
    """The first 100 violations; empty if `valid` is `true`."""
    changes: List[Dict[str, Any]]
    """The first 1,000 changes relative to the newest version."""
    truncated: NotRequired[bool | None]
    """`true` if there are more violations or changes; otherwise absent."""
    message: NotRequired[str | None]
    """The first reason why the document cannot be published. Absent if `valid` is `true`."""
    warnings: NotRequired[List[SchemaWarning] | None]
    """The first 100 members of a valid document that have no effect. Absent if there are none."""


class SchemaComparison(TypedDict):
    """Changes between the published schema and a document."""

    valid: bool
    """Whether there are no changes."""
    changes: List[Dict[str, Any]]
    """The first 1,000 changes: each has a `type` such as `field_added`, the location of the change, and `old` and
    `new` if present.
    """
    truncated: NotRequired[bool | None]
    """`true` if there are more changes; otherwise absent."""


SchemaDiff = TypedDict(
    "SchemaDiff",
    {
        "class": "str",
        "changes": "List[Dict[str, Any]]",
        "truncated": "NotRequired[bool | None]",
    },
)
"""Changes of a schema and the stored items that no longer conform because of them."""


class SchemaDocument(TypedDict):
    """A schema document, or changes to merge into one."""

    schema: Dict[str, Any]
    """Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request, only the changes to
    merge (RFC 7396): null removes a member.
    """


class SchemaListing(TypedDict):
    """Published versions of a schema, newest first."""

    data: List[SchemaVersion]
    """The selected versions; empty if there are none."""
    count: NotRequired[int | None]
    """Total number of versions. Only with `version=all`."""
    next_cursor: NotRequired[str | None]
    """Cursor of the next page. Absent on the last page."""


class SchemaVersion(TypedDict):
    """A published version of a project's schema."""

    id: str
    """Unique ID of the version."""
    project_id: str
    """ID of the project."""
    schema: Dict[str, Any]
    """Schema document as it was published: `project_id`, `version` (1 or higher), `tables`, and other members."""
    updated_at: str
    """When the version was published."""


class SchemaWarning(TypedDict):
    """A member of a schema document that is stored and has no effect, for example because it is misspelt."""

    path: str
    """JSON pointer to the member."""
    message: str
    """What has no effect, and what may be meant."""


class SearchStop(TypedDict):
    """Where a search among the items of all users stopped. In the order by user and ID, `next_cursor` continues there.
    Otherwise the items are those that were found among the examined ones.
    """

    limit: int
    """Maximum number of the project's items that a request examines."""
    user_id: str
    """The last user whose items were examined, in the order of the users' IDs."""


class ServiceInfo(TypedDict):
    """Information about the service."""

    root: bool
    """Always `true`."""
    env: str
    """Name of this deployment."""
    db_conn: bool
    """Whether the database is reachable and writable."""
    version: str
    """Version of the service."""


class Session(TypedDict):
    """The sign-in that issued the access token."""

    active: bool
    """Always `true`."""
    session_id: str
    """Unique ID of the sign-in."""
    client_id: str
    """Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or the ID of a
    first-party client.
    """
    scope: str
    """Scopes of the token, separated by spaces."""
    account_did: str
    """DID of the account."""
    connection_status: str
    """Always `connected`: otherwise the response is 401."""
    last_seen_at: NotRequired[str | None]
    """When the person last used the project, with a precision of 15 minutes; null for a first-party token."""


class ShownKey(TypedDict):
    """A key."""

    key: Key
    """The key without its value."""


class SignInSettings(TypedDict):
    """Sign-in settings of a project."""

    redirect_uris: List[str]
    """URIs that may receive authorization codes: at most 50. If the list is empty, only loopback URIs may."""
    require_pkce: bool
    """Whether clients must use PKCE (RFC 7636). Default: `true`."""
    legacy_scopes: bool
    """Whether a token that was granted only `openid`, `profile` or `email` can also read and write the user's own
    items, for programs that do not request the scopes of items. Default: `false`.
    """
    email_codes: bool
    """Whether people can sign in with a code that they receive by email, if the operator allows it. Default: `true`."""
    second_factor_from: NotRequired[str | None]
    """The time from which people have to use a second factor to sign in to the project; null if they need not. Set it
    to
    a date or an RFC 3339 timestamp. Default: null.
    """
    post_logout_redirect_uris: List[str]
    """URIs that a person may be redirected to after signing out: at most 50. If the list is empty, only loopback URIs
    may.
    """
    backchannel_logout_uri: NotRequired[str | None]
    """URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0); null if none is
    registered.
    """
    accent_color: NotRequired[str | None]
    """Color of buttons and links of the pages on which people sign in, in the format `#rrggbb`; null for that of the
    service. Text gets the color that is readable with it.
    """
    background_color: NotRequired[str | None]
    """Color around these pages, in the format `#rrggbb`; null for that of the service."""
    tos_uri: NotRequired[str | None]
    """https URL of the terms of service to which these pages link; null if there is none."""
    policy_uri: NotRequired[str | None]
    """https URL of the privacy policy to which these pages link; null if there is none."""


class SlugText(TypedDict):
    """A slug that was generated from text."""

    slug: str
    """Lowercase letters and digits, with single hyphens between words."""


class Status(TypedDict):
    """Status of a service that works. A service that fails responds with 503 and the status `fail`."""

    status: str
    """Always `pass`."""


class Success(TypedDict):
    """Confirmation that the request succeeded."""

    success: bool
    """Always `true`."""


class SyncRejection(TypedDict):
    """A change of a device that was not stored, or not completely. The device was corrected."""

    id: str
    """Unique ID of the rejection."""
    at: str
    """When the change was rejected."""
    user_id: str
    """ID of the user in the project."""
    device: str
    """Name of the device, as in its `clientIdentity`."""
    table: str
    """Table that the device named, shortened to 100 characters."""
    key: str
    """ID of the item that the device named, shortened to 100 characters."""
    code: str
    """Why the change was rejected: an error code of the operations on items, or `unknown_table`, `invalid_key`,
    `message_too_long` for a change beyond the limits of a message, or `unknown_field` for a change that was stored
    without the fields that the schema lacks.
    """
    message: str
    """The reason in words."""


class Team(TypedDict):
    """A team after a change."""

    id: str
    """Unique ID of the team."""
    name: str
    """Display name of the team."""
    slug: str
    """URL-friendly name of the team, unique in the service."""
    owner_id: str
    """Account ID of the owner."""
    second_factor_from: NotRequired[str | None]
    """The time from which the members of the team have to use a second factor; null if they need not."""
    created_at: str
    """When the team was created."""


class TeamDetails(TypedDict):
    """A team with its members, projects and pending invites."""

    id: str
    """Unique ID of the team."""
    name: str
    """Display name of the team."""
    slug: str
    """URL-friendly name of the team, unique in the service."""
    owner_id: str
    """Account ID of the owner."""
    second_factor_from: NotRequired[str | None]
    """The time from which the members of the team have to use a second factor; null if they need not."""
    created_at: str
    """When the team was created."""
    members: List[TeamMember]
    """Members of the team; empty if the caller may not read them."""
    projects: List[TeamProject]
    """Projects of the team; empty if the caller may not read them. An API key receives only its own project."""
    invites: List[TeamInvite]
    """Pending invites; empty if the caller may not read them."""


class TeamInvite(TypedDict):
    """A pending invite of a team."""

    id: str
    """Unique ID of the invite."""
    team_id: str
    """ID of the team."""
    email_or_username: str
    """Email address or username of the invited person."""
    roles: str
    """Roles that the invite grants: comma-separated role names and permissions."""
    role_name: str
    """Label of the role, for display. If none is set, the name of the role, or `Custom`."""


class TeamMember(TypedDict):
    """A member of a team."""

    account_id: str
    """Account ID of the member."""
    roles: str
    """Comma-separated role names and permissions."""
    role_name: str
    """Label of the role, for display. If none is set, the name of the role, or `Custom`."""


class TeamProject(TypedDict):
    """A project of a team."""

    id: str
    """Unique ID of the project."""
    name: str
    """Display name of the project."""
    slug: str
    """URL-friendly name of the project, unique in the service."""
    profile: ProjectIcon
    """Icon of the project."""


class TokenParameters(TypedDict):
    """Parameters of a revocation (RFC 7009 §2.1) or introspection request (RFC 7662 §2.1)."""

    token: str
    """Access token or refresh token."""
    token_type_hint: NotRequired[str | None]
    """`access_token` or `refresh_token`. Ignored: the type is detected."""
    client_id: NotRequired[str | None]
    """ID of the client, or UUID or DID of the project, if it is not sent with HTTP Basic. A revocation request must
    match
    the token's client if it is sent.
    """
    client_secret: NotRequired[str | None]
    """Secret of a confidential client, if it is not sent with HTTP Basic."""
    client_assertion_type: NotRequired[Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None]
    """Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent."""
    client_assertion: NotRequired[str | None]
    """JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2)."""


class TokenRequest(TypedDict):
    """Parameters of a token request (RFC 6749 §4.1.3, §4.4 and §6, RFC 8628 §3.4): a code, a refresh token, the secret
    of a
    client, or the code of a device.
    """

    grant_type: NotRequired[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"] | None]
    """`authorization_code` (default), `refresh_token`, `client_credentials` or
    `urn:ietf:params:oauth:grant-type:device_code`.
    """
    code: NotRequired[str | None]
    """Authorization code. A refresh token is also accepted."""
    redirect_uri: NotRequired[str | None]
    """Redirect URI of the authorization request. Must match if sent."""
    client_id: NotRequired[str | None]
    """ID of the client, or UUID or DID of the project. Must match if sent. It can also be sent as the user name of
    HTTP
    Basic. Required for a confidential client.
    """
    client_secret: NotRequired[str | None]
    """Secret of a confidential client. It can also be sent as the password of HTTP Basic. Ignored for other clients."""
    client_assertion_type: NotRequired[Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None]
    """Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent."""
    client_assertion: NotRequired[str | None]
    """JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2)."""
    code_verifier: NotRequired[str | None]
    """Verifier of the code challenge (RFC 7636 §4.1): 43 to 128 characters. Required if the authorization request
    contained a code challenge.
    """
    refresh_token: NotRequired[str | None]
    """Refresh token of an earlier response."""
    device_code: NotRequired[str | None]
    """Code of a device that waits for a person."""
    scope: NotRequired[str | None]
    """Roles of the token, separated by spaces, among those of the client; all by default. Only for
    `client_credentials`.
    """


class TokenResponse(TypedDict):
    """Response with tokens (RFC 6749 §5.1)."""

    access_token: str
    """Access token (JWT). Send it as `Authorization: <token_type> <token>`."""
    token_type: str
    """`Bearer`, or `DPoP` for a token that is bound to a key (RFC 9449)."""
    expires_in: int
    """Lifetime of the access token in seconds."""
    refresh_token: NotRequired[str | None]
    """Refresh token. Exchange it at `POST /auth/token` for new tokens. Absent if the client may not use the grant type
    `refresh_token`.
    """
    refresh: NotRequired[str | None]
    """Same value as `refresh_token`, for clients that read this name."""
    scope: str
    """Space-separated scopes that were granted; for `client_credentials`, the roles."""
    id_token: NotRequired[str | None]
    """ID token (JWT, OpenID Connect Core §2). Only present if the scope `openid` was granted."""


class UpdateIdentityProviderBody(TypedDict):
    """Changes to a provider. At least one field is required; absent fields stay unchanged."""

    name: NotRequired[str | None]
    """New name: 1 to 100 characters."""
    client_id: NotRequired[str | None]
    """New client ID: 1 to 255 printable ASCII characters."""
    client_secret: NotRequired[str | None]
    """New secret: 1 to 2,000 printable ASCII characters."""
    is_enabled: NotRequired[bool | None]
    """Whether people can sign in there."""


class UpdateKeyBody(TypedDict):
    """Changes to a key. At least one field is required; absent fields stay unchanged."""

    label: NotRequired[str | None]
    """New display name: 1 to 100 characters. At least one of `label` and `roles` is required."""
    roles: NotRequired[str | None]
    """New comma-separated roles: `admin`, `write`, `read`, or individual permissions such as `db:read`."""
    expires_at: NotRequired[str | None]
    """The expiry cannot be changed. If present, it must equal the current one."""


class UpdateMemberBody(TypedDict):
    """Changes to a member. At least one field is required; absent fields stay unchanged."""

    roles: NotRequired[str | None]
    """Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. At
    least one of `roles` and `role_name` is required.
    """
    role_name: NotRequired[str | None]
    """Label of the member's role: at most 64 characters. It grants no permissions."""


class UpdateOAuthClientBody(TypedDict):
    """Changes to a client. At least one field is required; absent fields stay unchanged."""

    name: NotRequired[str | None]
    """New name: 1 to 100 characters."""
    grant_types: NotRequired[List[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]] | None]
    """New grant types."""
    redirect_uris: NotRequired[List[str] | None]
    """New redirect URIs: at most 50."""
    scope: NotRequired[str | None]
    """New scopes, separated by spaces."""
    roles: NotRequired[str | None]
    """New comma-separated roles of a client that acts on its own behalf. An empty string removes them."""
    require_pkce: NotRequired[bool | None]
    """Whether an authorization request must contain a code challenge."""
    skip_consent: NotRequired[bool | None]
    """Whether people are not asked for consent."""
    jwks: NotRequired[Dict[str, Any] | None]
    """New public keys of a confidential client, instead of the current ones or of its secret. They cannot be removed."""
    require_dpop: NotRequired[bool | None]
    """Whether the client gets only tokens that are bound to a key. Tokens that were issued stay as they are."""
    require_pushed_requests: NotRequired[bool | None]
    """Whether the client must push its authorization requests."""
    access_token_seconds: NotRequired[int | None]
    """Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service."""
    sign_in_seconds: NotRequired[int | None]
    """Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service."""


class UpdateProjectBody(TypedDict):
    """Changes to a project, either at the top level or in `data`. At least one field is required; absent fields stay
    unchanged.
    """

    name: NotRequired[str | None]
    """New display name: 1 to 100 characters."""
    slug: NotRequired[str | None]
    """New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens."""
    website: NotRequired[str | None]
    """New website, an http(s) URL of at most 2,048 characters; null removes it."""
    profile: NotRequired[Dict[str, Any] | None]
    """Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON."""
    data: NotRequired[ProjectChanges | None]


class UpdateTeamBody(TypedDict):
    """Changes to a team. At least one field is required; absent fields stay unchanged."""

    name: NotRequired[str | None]
    """New display name: 1 to 100 characters."""
    slug: NotRequired[str | None]
    """New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens."""
    second_factor_from: NotRequired[str | None]
    """The time from which the members of the team have to use a second factor: a date, or an RFC 3339 timestamp; null
    if
    they need not. Only someone who uses one may require it.
    """


class UpdateUserBody(TypedDict):
    """Changes to a user of a project. At least one field is required."""

    meta: NotRequired[Dict[str, Any] | None]
    """Merged into the stored data about the user (RFC 7396): null removes a member. At most 64 KiB as JSON."""
    status: NotRequired[Literal["connected", "blocked"] | None]
    """`blocked` blocks the user; `connected` unblocks them."""


class UpdateWebhookBody(TypedDict):
    """Changes to a webhook. At least one field is required; absent fields stay unchanged."""

    url: NotRequired[str | None]
    """New URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment."""
    events: NotRequired[List[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]] | None]
    """Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events."""
    ordering: NotRequired[Literal["project", "none"] | None]
    """`project` sends the events of each project, and those of the team itself, in order, and those of different
    projects
    at the same time. `none` sends events in any order. The change takes effect within 10 seconds.
    """
    status: NotRequired[Literal["active", "paused"] | None]
    """`paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes it: delivery
    continues with the first event that was not delivered.
    """


class UpdatedKey(TypedDict):
    """What a change of a key returns."""

    id: str
    """Unique ID of the key."""
    label: str
    """Display name of the key."""
    roles: str
    """Comma-separated roles of the key."""
    updated_at: str
    """When the key was updated."""


class UpdatedMember(AffectedResources):
    """A member after a change, and the resources that lost its authority."""

    data: Membership
    """The membership after the update."""


class UploadedBackground(ImageFile):
    """An uploaded background."""

    background_url: NotRequired[str | None]
    """Public URL of the background. It changes with every upload."""


class UploadedIcon(ImageFile):
    """An uploaded icon."""

    icon_url: NotRequired[str | None]
    """Public URL of the icon. It changes with every upload."""


class UploadedImages(TypedDict):
    """Uploaded images of a project."""

    icon: NotRequired[UploadedIcon | None]
    background: NotRequired[UploadedBackground | None]


class UserConnection(TypedDict):
    """The access token of the person to connect."""

    token: str
    """Access token (JWT) of the person, for this project or for this service."""


class UserExport(TypedDict):
    """All data that a project stores about a user."""

    exported_at: str
    """When the export started."""
    user: ProjectUser
    """The user of the project."""
    grant: NotRequired[ExportedGrant | None]
    active_days: List[str]
    """Days in UTC on which the user was active, oldest first."""
    items: Dict[str, Any]
    """All items of the user: an object with a list of items for each table that has items."""


class UserInfo(TypedDict):
    """Claims that the scopes of the token give access to (OpenID Connect Core §5.3.2)."""

    sub: str
    """Unique ID of the account, as in the `sub` claim of its tokens."""
    id: str
    """Same value as `sub`."""
    name: NotRequired[str | None]
    """Name of the person. Only present with the scope `profile`, and if the account has a name."""
    preferred_username: NotRequired[str | None]
    """Username. Only present with the scope `profile`, and if the account has a username."""
    email: NotRequired[str | None]
    """Email address. Only present with the scope `email`."""
    email_verified: NotRequired[bool | None]
    """Whether the person proved that the email address is theirs. Only present with the scope `email`."""
    username: NotRequired[str | None]
    """Same value as `preferred_username`, for clients that read this name."""
    picture: NotRequired[str | None]
    """URL of a profile picture. Accounts have no pictures, so it is never present."""


class UserInfoForm(TypedDict):
    """The access token, for clients that do not send it in the header."""

    access_token: NotRequired[str | None]
    """Access token."""


class UserSession(TypedDict):
    """A sign-in of a user to a project."""

    id: str
    """Unique ID of the sign-in. `GET /auth/session` returns it as `session_id`."""
    scopes: List[str]
    """Scopes of the tokens."""
    signed_in_at: str
    """When the person entered their password. A browser that is already signed in does not ask for it again."""
    created_at: str
    """When the project received its tokens."""


class UserStats(TypedDict):
    """Statistics of a project's users. Days are in UTC."""

    total: int
    """Number of users of the project."""
    dau: int
    """Number of users who were active today."""
    wau: int
    """Number of users who were active in the last 7 days, including today."""
    mau: int
    """Number of users who were active in the last 30 days, including today."""
    series: List[ActiveUsers]
    """Activity of each requested day, oldest first."""


class VerifiedKey(TypedDict):
    """The key that has a value."""

    id: str
    """Unique ID of the key."""
    label: str
    """Display name of the key."""
    roles: str
    """Comma-separated roles of the key."""
    created_at: str
    """When the key was created."""


class Webhook(TypedDict):
    """A webhook of a team or project, without its secret."""

    id: str
    """Unique ID of the webhook."""
    url: str
    """URL that events are sent to."""
    events: List[str]
    """Names of the events to send, or `["*"]` for all events."""
    ordering: str
    """Which events wait for each other: `project` (those of the same project are sent in order, different projects at
    the same time) or `none` (events are sent in any order).
    """
    status: str
    """`active`, or `paused` while no events are sent."""
    paused_reason: NotRequired[str | None]
    """Why the webhook is paused. Absent if it is active."""
    paused_at: NotRequired[str | None]
    """When the webhook was paused. Absent if it is active."""
    created_by: str
    """ID of the account that created the webhook."""
    authorized_by: str
    """ID of the account that authorizes the webhook: the one that created it, last changed its URL or last resumed it.
    The webhook is paused when this account may no longer manage webhooks.
    """
    created_at: str
    """When the webhook was created."""


class WebhookDelivery(TypedDict):
    """An attempt to deliver an event, or a test event, to a webhook."""

    id: str
    """Unique ID of the attempt."""
    event: str
    """Name of the event, such as `project.updated`, or `webhook.test`."""
    position: int
    """`position` of the event in the audit log; 0 for a test event."""
    attempt: int
    """Attempt number, starting at 1; 0 for a manual redelivery and for a test event."""
    at: str
    """When the attempt was made."""
    took_ms: int
    """Duration of the attempt, in milliseconds."""
    status: NotRequired[int | None]
    """HTTP status code of the response; null if there was no response."""
    error: NotRequired[str | None]
    """Why the attempt failed; null if it succeeded."""


class WebhookDeliveryDetails(WebhookDelivery):
    """An attempt to deliver an event with its message and response."""

    message_id: str
    """`webhook-id` of the message."""
    payload: NotRequired[Dict[str, Any] | None]
    """The body of the message, made again from the event; null for a test event, if the event is no longer retained,
    and for
    members who have neither `audit:read` nor `webhook:write`.
    """
    response_body: NotRequired[str | None]
    """The first 2 KiB of the body of the response, without the secret and the signatures if the receiver repeats them;
    null if
    there was no response.
    """
    next_attempt_at: NotRequired[str | None]
    """Earliest time of the next attempt to deliver the event; null if it was delivered, waits for an earlier event, or
    is not
    sent again.
    """


class WebhookWithSecret(Webhook):
    """A webhook with its new secret."""

    secret: str
    """Secret that messages are signed with. It is not shown again."""


class ItemPut(TypedDict, Generic[Fields]):
    """Creates or replaces an item."""

    id: str
    """ID of the item: 1 to 128 characters of `[A-Za-z0-9._~-]`, other than `.` and `..`."""
    value: Fields
    """All fields of the item."""
    if_match: NotRequired[str | None]
    """Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one."""
    if_none_match: NotRequired[str | None]
    """Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have."""
    op: Literal["put"]


class ItemPatch(TypedDict, Generic[Changes]):
    """Updates fields of an item."""

    id: str
    """ID of the item."""
    value: Changes
    """Fields to change; null removes a field."""
    if_match: NotRequired[str | None]
    """Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one."""
    if_none_match: NotRequired[str | None]
    """Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have."""
    op: Literal["patch"]


class ItemDelete(TypedDict):
    """Deletes an item."""

    id: str
    """ID of the item."""
    if_match: NotRequired[str | None]
    """Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one."""
    if_none_match: NotRequired[str | None]
    """Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have."""
    op: Literal["delete"]


ItemOperation = Union[ItemPut[Fields], ItemPatch[Changes], ItemDelete]
"""One operation of a batch."""

UpdateSettingsBody = Dict[str, Any]
"""Changes to the settings, in the same format as the settings, at the top level or in `data`. They are merged into the
stored settings (RFC 7396): null resets a setting to its default.
"""

NewAccount = CreateAccountBody
"""Deprecated: use `CreateAccountBody`."""

NewIdentityProvider = CreateIdentityProviderBody
"""Deprecated: use `CreateIdentityProviderBody`."""

NewInvite = CreateInviteBody
"""Deprecated: use `CreateInviteBody`."""

NewKey = CreateKeyBody
"""Deprecated: use `CreateKeyBody`."""

NewOAuthClient = CreateOAuthClientBody
"""Deprecated: use `CreateOAuthClientBody`."""

NewPersonalToken = CreatePersonalTokenBody
"""Deprecated: use `CreatePersonalTokenBody`."""

NewProject = CreateProjectBody
"""Deprecated: use `CreateProjectBody`."""

NewTeam = CreateTeamBody
"""Deprecated: use `CreateTeamBody`."""

NewWebhook = CreateWebhookBody
"""Deprecated: use `CreateWebhookBody`."""

IdentityProviderChanges = UpdateIdentityProviderBody
"""Deprecated: use `UpdateIdentityProviderBody`."""

KeyChanges = UpdateKeyBody
"""Deprecated: use `UpdateKeyBody`."""

MemberChanges = UpdateMemberBody
"""Deprecated: use `UpdateMemberBody`."""

OAuthClientChanges = UpdateOAuthClientBody
"""Deprecated: use `UpdateOAuthClientBody`."""

ProjectUpdate = UpdateProjectBody
"""Deprecated: use `UpdateProjectBody`."""

SettingsChanges = UpdateSettingsBody
"""Deprecated: use `UpdateSettingsBody`."""

TeamChanges = UpdateTeamBody
"""Deprecated: use `UpdateTeamBody`."""

UserChanges = UpdateUserBody
"""Deprecated: use `UpdateUserBody`."""

WebhookChanges = UpdateWebhookBody
"""Deprecated: use `UpdateWebhookBody`."""
