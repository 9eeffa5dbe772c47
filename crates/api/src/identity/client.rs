//! OAuth clients that a project registers (docs/contract.md#registered-clients).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::administration::image::ImageForm;
use crate::operation::operations;
use crate::response::Success;
use crate::values::{ClientId, Secret, Timestamp};

operations! {
    ROWS, "projects";

    /// List OAuth clients
    ///
    /// Returns the clients that the project registered, oldest first, without their secrets. The project itself, whose ID is
    /// that of a public client, is not one of them.
    ListClients Get "/project/{id}/client", Reads Safe, at(Project), 200(data [OAuthClient]),
        deviates("a project has few clients, so the list has no pages"), command("client list");

    /// Register an OAuth client
    ///
    /// The response contains the secret of a confidential client, which is never returned again. You can grant only roles
    /// whose permissions you have.
    CreateClient Post "/project/{id}/client", Writes Keyed Secret AuthorityInBody, at(Project), body(NewOAuthClient),
        201(data OAuthClientWithSecret), shows(OAuthClient), errors("quota_exceeded"), command("client create");

    /// Get an OAuth client
    ///
    /// Returns a client without its secret.
    GetClient Get "/project/{id}/client/{client_id}", Reads Safe, at(Project, Client), 200(data OAuthClient),
        304("The client has the ETag in `If-None-Match`."), shows(OAuthClient), errors("precondition_failed"),
        command("client get");

    /// Update an OAuth client
    ///
    /// Changes the settings of a client. Its type does not change, and its secret only if it gets keys: it has none then. Tokens that were issued keep their scopes
    /// and their lifetime until they are renewed; the roles of a client that acts on its own behalf change at once. If the
    /// client has roles, you must have their permissions.
    UpdateClient Patch "/project/{id}/client/{client_id}", Writes Keyed, at(Project, Client), body(OAuthClientChanges),
        200(data OAuthClient), shows(OAuthClient), errors("precondition_failed"), command("client update");

    /// Delete an OAuth client
    ///
    /// The tokens of the client stop working immediately.
    DeleteClient Delete "/project/{id}/client/{client_id}", Writes Keyed, at(Project, Client), 200(Success),
        errors("precondition_failed"), command("client delete");

    /// Rotate the secret of an OAuth client
    ///
    /// Replaces the secret of a confidential client. The old secret, and those before it, stop working immediately, unless
    /// `grace_seconds` is set: then the two newest old secrets work until their times. The response contains the new secret,
    /// which is never returned again. Tokens that were issued stay valid.
    RotateClientSecret Post "/project/{id}/client/{client_id}/rotate-secret", Writes Keyed Secret, at(Project, Client),
        body(ClientSecretRotation, optional), 200(data OAuthClientWithSecret), shows(OAuthClient), ignores(),
        command("client rotate-secret");

    /// Upload the logo of an OAuth client
    ///
    /// Replaces the logo of a client. Pages on which people sign in to the client show it in place of the icon of the project,
    /// except for a client that registered itself. Anyone who knows its URL can read it.
    UploadClientLogo Post "/project/{id}/client/{client_id}/logo", Writes Keyed Upload(Logo), at(Project, Client),
        body(ImageForm => "multipart/form-data"), 200(data OAuthClient), shows(OAuthClient),
        errors("invalid_image", "unsupported_image", "image_too_large"), command("client logo upload");

    /// Delete the logo of an OAuth client
    ///
    /// Deletes the uploaded logo of a client.
    DeleteClientLogo Delete "/project/{id}/client/{client_id}/logo", Writes Keyed, at(Project, Client), 200(Success),
        errors("precondition_failed"), command("client logo delete");
}

/// An OAuth client that a project registered, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29",
    "type": "confidential",
    "name": "Web shop",
    "grant_types": ["authorization_code", "refresh_token"],
    "redirect_uris": ["https://shop.example.com/callback"],
    "scope": "openid profile email",
    "roles": null,
    "require_pkce": false,
    "skip_consent": true,
    "jwks": null,
    "require_dpop": false,
    "require_pushed_requests": false,
    "access_token_seconds": null,
    "sign_in_seconds": null,
    "logo_url": "https://steward.example.com/images/018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29/018f2a3d-0a1b-7c2d-8e3f-405162738495.png",
    "registered_itself": false,
    "secret": {"hint": "stw_cs_...0000", "last_used": null, "current_last_used": null},
    "created_at": "2026-01-31T12:00:00.000Z",
}))]
pub struct OAuthClient {
    /// Unique ID of the client: its `client_id`.
    pub id: ClientId,
    /// `public` for an app in a browser or on a device, which cannot keep a secret; `confidential` for a program on a server,
    /// which has one, or keys (RFC 6749 §2.1).
    #[serde(rename = "type")]
    pub client_type: Cow<'static, str>,
    /// Name that people see when they are asked for consent.
    pub name: String,
    /// Grant types that the client may use: `authorization_code`, `refresh_token`, `client_credentials`, and
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    pub grant_types: Vec<String>,
    /// URIs that may receive authorization codes. On loopback, any port matches.
    pub redirect_uris: Vec<String>,
    /// Scopes that the client may request when a person signs in, separated by spaces.
    pub scope: String,
    /// Comma-separated roles of a client that acts on its own behalf, as for API keys; null without `client_credentials`.
    pub roles: Option<String>,
    /// Whether an authorization request must contain a code challenge (RFC 7636).
    pub require_pkce: bool,
    /// Whether people are not asked for consent, because the client belongs to the project itself. They are
    /// asked once whether to continue.
    pub skip_consent: bool,
    /// Public keys with which a confidential client authenticates instead of a secret, as a JSON Web Key Set (RFC 7517 §5);
    /// null for other clients.
    pub jwks: Option<Map<String, Value>>,
    /// Whether the client gets only tokens that are bound to a key (RFC 9449).
    pub require_dpop: bool,
    /// Whether the client must push its authorization requests (RFC 9126).
    pub require_pushed_requests: bool,
    /// Lifetime of access tokens, in seconds; null for the default of the service.
    pub access_token_seconds: Option<u32>,
    /// Time after which the person must sign in again, in seconds; null for the default of the service.
    pub sign_in_seconds: Option<u32>,
    /// Public URL of the uploaded logo, which changes with every upload; null if none was uploaded.
    pub logo_url: Option<String>,
    /// Whether the client registered itself without a token, in a project that the operator opened for everyone (RFC 7591).
    pub registered_itself: bool,
    /// The secret, without its value; null for a public client.
    pub secret: Option<OAuthClientSecret>,
    /// When the client was registered.
    pub created_at: Timestamp,
}

/// The secret of a confidential client, without its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OAuthClientSecret {
    /// Prefix and last 4 characters of the current secret.
    #[schema(example = "stw_cs_...0000")]
    pub hint: String,
    /// When the secret was last used, with its current value or an earlier one, with a precision of one minute; null if it was
    /// never used.
    pub last_used: Option<Timestamp>,
    /// When the current secret was last used, with a precision of one minute; null if it was never used.
    pub current_last_used: Option<Timestamp>,
    /// The previous secret. Only present during its grace period after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousOAuthClientSecret>,
    /// The secret before the previous one. Only present during its grace period, after another rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<PreviousOAuthClientSecret>,
}

/// A replaced secret of a client, which is valid until it expires.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PreviousOAuthClientSecret {
    /// When the secret stops working.
    pub expires_at: Timestamp,
    /// When the secret was last used, with a precision of one minute; null if it was never used.
    pub last_used: Option<Timestamp>,
}

/// A client with the value of its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OAuthClientWithSecret {
    /// The client.
    #[serde(flatten)]
    pub client: OAuthClient,
    /// Secret of a confidential client. It is returned only in this response; store it safely. Absent for a public client.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "stw_cs_ExampleExampleExampleExampleExampleExampleE")]
    pub client_secret: Option<Secret>,
}

/// Values of a new client.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "name": "Web shop", "type": "confidential", "redirect_uris": ["https://shop.example.com/callback"],
}))]
pub struct NewOAuthClient {
    /// Name that people see when they are asked for consent: 1 to 100 characters.
    pub name: String,
    /// `public` or `confidential`.
    #[serde(rename = "type")]
    #[schema(example = "confidential")]
    pub client_type: String,
    /// Grant types that the client may use. Default: `authorization_code` and `refresh_token`. `client_credentials` is only for
    /// confidential clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// URIs that may receive authorization codes: at most 50. Required for `authorization_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uris: Option<Vec<String>>,
    /// Scopes that the client may request when a person signs in, separated by spaces. Default: all that projects may request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "openid profile email")]
    pub scope: Option<String>,
    /// Comma-separated roles of a client that acts on its own behalf, as for API keys. Required for `client_credentials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "read")]
    pub roles: Option<String>,
    /// Whether an authorization request must contain a code challenge. Default: only for a public client, which cannot turn it
    /// off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pkce: Option<bool>,
    /// Whether people are not asked for consent; `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_consent: Option<bool>,
    /// Public keys with which a confidential client authenticates (`private_key_jwt`), as a JSON Web Key Set: 1 to 10 keys for
    /// ES256, EdDSA, RS256 or PS256, at most 8 KiB. The client has no secret then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Map<String, Value>>,
    /// Whether the client gets only tokens that are bound to a key (RFC 9449); `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_dpop: Option<bool>,
    /// Whether the client must push its authorization requests (RFC 9126); `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pushed_requests: Option<bool>,
    /// Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 900)]
    pub access_token_seconds: Option<u32>,
    /// Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service
    /// (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 86_400)]
    pub sign_in_seconds: Option<u32>,
}

/// Changes to a client. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"name": "Web shop", "skip_consent": true}))]
pub struct OAuthClientChanges {
    /// New name: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New grant types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// New redirect URIs: at most 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uris: Option<Vec<String>>,
    /// New scopes, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// New comma-separated roles of a client that acts on its own behalf. An empty string removes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
    /// Whether an authorization request must contain a code challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pkce: Option<bool>,
    /// Whether people are not asked for consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_consent: Option<bool>,
    /// New public keys of a confidential client, instead of the current ones or of its secret. They cannot be removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Map<String, Value>>,
    /// Whether the client gets only tokens that are bound to a key. Tokens that were issued stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_dpop: Option<bool>,
    /// Whether the client must push its authorization requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pushed_requests: Option<bool>,
    /// Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token_seconds: Option<u32>,
    /// Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for the default of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in_seconds: Option<u32>,
}

/// Options of a rotation. All are optional, and so is the body.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ClientSecretRotation {
    /// Number of seconds for which the old secret continues to work, and those before it as long as they were to. 0 by default:
    /// all of them stop working immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3600)]
    pub grace_seconds: Option<u32>,
}
