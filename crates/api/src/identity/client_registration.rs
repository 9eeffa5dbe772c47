//! OAuth clients that register themselves (docs/contract.md#client-registration).

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::operations;
use crate::values::Secret;

operations! {
    ROWS, "auth";

    /// Register a client
    ///
    /// Registers an OAuth client with its own metadata (RFC 7591). The initial access token is a private API key of the project
    /// with the permission `client:register`; it is not needed in a project that the operator has opened. The response has
    /// what the client was given, which can be less than it asked for. Members that are not listed are ignored.
    RegisterClient Post "/auth/register", SignIns Unsupported Secret OptionalCredential, body(ClientRegistration),
        201(ClientInformation), deviates("docs/contract.md#client-registration (RFC 7591)"),
        errors("invalid_client_metadata", "invalid_redirect_uri", "quota_exceeded");
}

/// Metadata of a client that registers itself (RFC 7591 §2).
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "client_name": "Notes", "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
    "grant_types": ["authorization_code", "refresh_token"],
}))]
pub struct ClientRegistration {
    /// Name that people see when they are asked for consent: at most 100 characters. `Unnamed client` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// URIs that may receive authorization codes: at most 50. On loopback, any port matches. Required for
    /// `authorization_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uris: Option<Vec<String>>,
    /// `none` for a public client; `client_secret_basic` (default) or `client_secret_post` for a confidential one, which
    /// can use both; `private_key_jwt` for one that authenticates with its keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<String>,
    /// Grant types that the client uses; `authorization_code` by default. Those that it may not use are left out, such as
    /// `client_credentials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// Can only contain `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// Scopes that the client may request, separated by spaces. Unknown ones are left out. Default: all that projects may
    /// request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Public keys of the client, as a JSON Web Key Set (RFC 7517 §5). Required for `private_key_jwt`, otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Map<String, Value>>,
    /// Not supported: refused with `private_key_jwt`, otherwise ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// Whether the client gets only tokens that are bound to a key (RFC 9449 §5.2); `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens: Option<bool>,
    /// Whether the client must push its authorization requests (RFC 9126 §6); `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pushed_authorization_requests: Option<bool>,
}

/// A client that has registered itself (RFC 7591 §3.2.1).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ClientInformation {
    /// Unique ID of the client.
    #[schema(example = "018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29")]
    pub client_id: String,
    /// Secret of a confidential client. It is returned only in this response; store it safely.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "stw_cs_ExampleExampleExampleExampleExampleExampleE")]
    pub client_secret: Option<Secret>,
    /// When the client was registered, in seconds since the Unix epoch.
    #[schema(example = 1_769_859_900)]
    pub client_id_issued_at: i64,
    /// When the secret expires. Always 0: it does not. Absent for a client without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0)]
    pub client_secret_expires_at: Option<i64>,
    /// The name of the client.
    #[schema(example = "Notes")]
    pub client_name: String,
    /// The redirect URIs of the client.
    #[schema(example = json!(["http://127.0.0.1/callback"]))]
    pub redirect_uris: Vec<String>,
    /// How the client authenticates: `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`.
    #[schema(example = "none")]
    pub token_endpoint_auth_method: String,
    /// The grant types that the client may use.
    #[schema(example = json!(["authorization_code", "refresh_token"]))]
    pub grant_types: Vec<String>,
    /// The response types that the client may use: `["code"]`, or none without the grant type `authorization_code`.
    #[schema(example = json!(["code"]))]
    pub response_types: Vec<String>,
    /// The scopes that the client may request, separated by spaces.
    #[schema(example = "openid profile email")]
    pub scope: String,
    /// The public keys of the client; absent without `private_key_jwt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Map<String, Value>>,
    /// Whether the client gets only tokens that are bound to a key.
    pub dpop_bound_access_tokens: bool,
    /// Whether the client must push its authorization requests.
    pub require_pushed_authorization_requests: bool,
}
