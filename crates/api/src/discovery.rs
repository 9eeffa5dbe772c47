//! Discovery of the OpenID Connect provider (docs/contract.md#discovery).

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::operation::{SERVICE, operations};
use crate::response::AnyObject;

operations! {
    ROWS, SERVICE;

    /// Get provider metadata below /auth
    ///
    /// Same as `GET /.well-known/openid-configuration`.
    GetAuthMetadata Get "/auth/.well-known/openid-configuration", Reads Safe,
        200(ProviderMetadata, "The provider metadata.");

    /// Get OpenID Provider metadata
    ///
    /// Returns the endpoints and features of this service as an OpenID Provider (OpenID Connect Discovery §3).
    GetOpenIdMetadata Get "/.well-known/openid-configuration", Reads Safe,
        200(ProviderMetadata, "The provider metadata.");

    /// Get authorization server metadata
    ///
    /// Returns the endpoints and features of this service as an OAuth 2.0 authorization server (RFC 8414 §2).
    GetOAuthMetadata Get "/.well-known/oauth-authorization-server", Reads Safe,
        200(ProviderMetadata, "The provider metadata.");

    /// Get the JSON Web Key Set
    ///
    /// Returns the active and retiring public keys for verifying tokens (RFC 7517 §5). Clients may cache them for an hour.
    GetKeySet Get "/auth/.well-known/jwks.json", Reads Safe,
        200(text AnyObject => "application/json", "The public keys.", example key_set_example);
}

/// Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProviderMetadata {
    /// Issuer of tokens: the base URL of this service.
    #[schema(example = "https://steward.example.com")]
    pub issuer: String,
    /// URL of the authorization endpoint.
    #[schema(example = "https://steward.example.com/auth/authorize")]
    pub authorization_endpoint: String,
    /// URL of the token endpoint.
    #[schema(example = "https://steward.example.com/auth/token")]
    pub token_endpoint: String,
    /// URL of the UserInfo endpoint.
    #[schema(example = "https://steward.example.com/auth/userinfo")]
    pub userinfo_endpoint: String,
    /// URL of the JSON Web Key Set with the public keys for verifying tokens.
    #[schema(example = "https://steward.example.com/auth/.well-known/jwks.json")]
    pub jwks_uri: String,
    /// URL of the revocation endpoint (RFC 7009).
    #[schema(example = "https://steward.example.com/auth/revoke")]
    pub revocation_endpoint: String,
    /// URL that receives pushed authorization requests (RFC 9126).
    #[schema(example = "https://steward.example.com/auth/par")]
    pub pushed_authorization_request_endpoint: String,
    /// URL at which clients register themselves (RFC 7591). An initial access token is required unless the operator has opened
    /// a project.
    #[schema(example = "https://steward.example.com/auth/register")]
    pub registration_endpoint: String,
    /// URL that receives the requests of devices (RFC 8628).
    #[schema(example = "https://steward.example.com/auth/device/code")]
    pub device_authorization_endpoint: String,
    /// Whether all clients must push their requests. Always `false`: it is a setting of each client.
    pub require_pushed_authorization_requests: bool,
    /// URL of the introspection endpoint (RFC 7662).
    #[schema(example = "https://steward.example.com/auth/introspect")]
    pub introspection_endpoint: String,
    /// URL to which clients send people to sign out (OpenID Connect RP-Initiated Logout 1.0).
    #[schema(example = "https://steward.example.com/auth/logout")]
    pub end_session_endpoint: String,
    /// Supported response types. Always `["code"]`.
    #[schema(example = json!(["code"]))]
    pub response_types_supported: Vec<String>,
    /// Supported response modes.
    #[schema(example = json!(["query", "fragment", "form_post"]))]
    pub response_modes_supported: Vec<String>,
    /// Supported grant types.
    #[schema(example = json!(["authorization_code", "refresh_token", "client_credentials"]))]
    pub grant_types_supported: Vec<String>,
    /// Supported subject types. Always `["public"]`: the `sub` of an account is the same for all clients.
    #[schema(example = json!(["public"]))]
    pub subject_types_supported: Vec<String>,
    /// Algorithms of the published keys that sign ID tokens.
    #[schema(example = json!(["RS256"]))]
    pub id_token_signing_alg_values_supported: Vec<String>,
    /// Supported scopes.
    #[schema(example = json!(["openid", "profile", "email", "offline_access"]))]
    pub scopes_supported: Vec<String>,
    /// Client authentication at the token endpoint. The secret of a client that has none is ignored.
    #[schema(example = json!(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]))]
    pub token_endpoint_auth_methods_supported: Vec<String>,
    /// Algorithms of the assertions of clients (`private_key_jwt`) at the token endpoint.
    #[schema(example = json!(["ES256", "EdDSA", "RS256", "PS256"]))]
    pub token_endpoint_auth_signing_alg_values_supported: Vec<String>,
    /// Client authentication at the revocation endpoint. The secret of a client that has none is ignored.
    #[schema(example = json!(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]))]
    pub revocation_endpoint_auth_methods_supported: Vec<String>,
    /// Algorithms of the assertions of clients at the revocation endpoint.
    #[schema(example = json!(["ES256", "EdDSA", "RS256", "PS256"]))]
    pub revocation_endpoint_auth_signing_alg_values_supported: Vec<String>,
    /// Authentication at the introspection endpoint.
    #[schema(example = json!(["Bearer", "client_secret_basic"]))]
    pub introspection_endpoint_auth_methods_supported: Vec<String>,
    /// Algorithms of the assertions of clients at the introspection endpoint.
    #[schema(example = json!(["ES256", "EdDSA", "RS256", "PS256"]))]
    pub introspection_endpoint_auth_signing_alg_values_supported: Vec<String>,
    /// Algorithms of proofs, to whose keys tokens are bound (RFC 9449 §5.1).
    #[schema(example = json!(["ES256", "EdDSA", "RS256", "PS256"]))]
    pub dpop_signing_alg_values_supported: Vec<String>,
    /// Supported PKCE methods (RFC 7636 §4.3). Always `["S256"]`.
    #[schema(example = json!(["S256"]))]
    pub code_challenge_methods_supported: Vec<String>,
    /// Supported values of `prompt`.
    #[schema(example = json!(["none", "login", "consent", "select_account", "create"]))]
    pub prompt_values_supported: Vec<String>,
    /// Languages of the pages on which people sign in. Without `ui_locales`, they appear in that of the browser.
    #[schema(example = json!(["en", "de"]))]
    pub ui_locales_supported: Vec<String>,
    /// Supported values of `acr_values`, and values of the claim `acr`: one factor, or two.
    #[schema(example = json!(["aal1", "aal2"]))]
    pub acr_values_supported: Vec<String>,
    /// Claims that tokens and user info can contain.
    #[schema(example = json!(["sub", "iss", "aud", "exp", "iat", "name", "email"]))]
    pub claims_supported: Vec<String>,
    /// Whether the `claims` parameter is supported. Always `false`.
    #[schema(example = false)]
    pub claims_parameter_supported: bool,
    /// Whether the `request` parameter is supported. Always `false`.
    #[schema(example = false)]
    pub request_parameter_supported: bool,
    /// Whether the `request_uri` parameter is supported. Always `false`.
    #[schema(example = false)]
    pub request_uri_parameter_supported: bool,
    /// Whether every response of the authorization endpoint contains `iss` (RFC 9207 §3). Always `true`.
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether logout tokens are sent to clients (OpenID Connect Back-Channel Logout 1.0). Always `true`.
    pub backchannel_logout_supported: bool,
    /// Whether logout tokens contain the session (`sid`). Always `true`.
    pub backchannel_logout_session_supported: bool,
}

fn key_set_example() -> Value {
    json!({"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]})
}
