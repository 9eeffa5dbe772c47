//! Discovery: provider metadata and public keys. The metadata lists only features that exist
//! (docs/contract.md#discovery).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::Scope;
use utoipa::ToSchema;

use crate::Api;
use crate::extract::OptionalCaller;
use crate::response;
use crate::route::{ApiRoute, service_routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    service_routes! {
        auth_metadata;
        openid_metadata;
        oauth_metadata;
        jwks;
    }
}

/// Path of the JSON Web Key Set.
const JWKS_PATH: &str = "/auth/.well-known/jwks.json";
/// Claims of ID tokens and of user info.
const CLAIMS: [&str; 15] = [
    "sub",
    "iss",
    "aud",
    "exp",
    "iat",
    "auth_time",
    "nonce",
    "at_hash",
    "sid",
    "name",
    "preferred_username",
    "email",
    "email_verified",
    "username",
    "id",
];
/// Client authentication that is accepted. Clients have no secrets, so all methods are equivalent.
const CLIENT_AUTHENTICATION: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];
/// Grant types that the token endpoint supports.
pub(crate) const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];

/// Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2).
#[derive(Serialize, ToSchema)]
pub(crate) struct Metadata {
    /// Issuer of tokens: the base URL of this service.
    #[schema(example = "https://steward.example.com")]
    issuer: String,
    /// URL of the authorization endpoint.
    #[schema(example = "https://steward.example.com/auth/authorize")]
    authorization_endpoint: String,
    /// URL of the token endpoint.
    #[schema(example = "https://steward.example.com/auth/token")]
    token_endpoint: String,
    /// URL of the UserInfo endpoint.
    #[schema(example = "https://steward.example.com/auth/userinfo")]
    userinfo_endpoint: String,
    /// URL of the JSON Web Key Set with the public keys for verifying tokens.
    #[schema(example = "https://steward.example.com/auth/.well-known/jwks.json")]
    jwks_uri: String,
    /// URL of the revocation endpoint (RFC 7009).
    #[schema(example = "https://steward.example.com/auth/revoke")]
    revocation_endpoint: String,
    /// URL of the introspection endpoint (RFC 7662).
    #[schema(example = "https://steward.example.com/auth/introspect")]
    introspection_endpoint: String,
    /// URL to which clients send people to sign out (OpenID Connect RP-Initiated Logout 1.0).
    #[schema(example = "https://steward.example.com/auth/logout")]
    end_session_endpoint: String,
    /// Supported response types. Always `["code"]`.
    #[schema(example = json!(["code"]))]
    response_types_supported: [&'static str; 1],
    /// Supported response modes. Always `["query"]`.
    #[schema(example = json!(["query"]))]
    response_modes_supported: [&'static str; 1],
    /// Supported grant types.
    #[schema(example = json!(["authorization_code", "refresh_token"]))]
    grant_types_supported: [&'static str; 2],
    /// Supported subject types. Always `["public"]`: the `sub` of an account is the same for all clients.
    #[schema(example = json!(["public"]))]
    subject_types_supported: Vec<&'static str>,
    /// Algorithms of the published keys that sign ID tokens.
    #[schema(example = json!(["RS256"]))]
    id_token_signing_alg_values_supported: Vec<&'static str>,
    /// Supported scopes.
    #[schema(example = json!(["openid", "profile", "email", "offline_access"]))]
    scopes_supported: Vec<&'static str>,
    /// Client authentication at the token endpoint. Clients are public: a secret is accepted and ignored.
    #[schema(example = json!(["none", "client_secret_basic", "client_secret_post"]))]
    token_endpoint_auth_methods_supported: [&'static str; 3],
    /// Client authentication at the revocation endpoint. Clients are public: a secret is accepted and ignored.
    #[schema(example = json!(["none", "client_secret_basic", "client_secret_post"]))]
    revocation_endpoint_auth_methods_supported: [&'static str; 3],
    /// Authentication at the introspection endpoint.
    #[schema(example = json!(["Bearer", "client_secret_basic"]))]
    introspection_endpoint_auth_methods_supported: [&'static str; 2],
    /// Supported PKCE methods (RFC 7636 §4.3). Always `["S256"]`.
    #[schema(example = json!(["S256"]))]
    code_challenge_methods_supported: [&'static str; 1],
    /// Supported values of `prompt`.
    #[schema(example = json!(["none", "login", "consent", "select_account", "create"]))]
    prompt_values_supported: [&'static str; 5],
    /// Claims that tokens and user info can contain.
    #[schema(example = json!(["sub", "iss", "aud", "exp", "iat", "name", "email"]))]
    claims_supported: Vec<&'static str>,
    /// Whether the `claims` parameter is supported. Always `false`.
    #[schema(example = false)]
    claims_parameter_supported: bool,
    /// Whether the `request` parameter is supported. Always `false`.
    #[schema(example = false)]
    request_parameter_supported: bool,
    /// Whether the `request_uri` parameter is supported. Always `false`.
    #[schema(example = false)]
    request_uri_parameter_supported: bool,
    /// Whether every response of the authorization endpoint contains `iss` (RFC 9207 §3). Always `true`.
    authorization_response_iss_parameter_supported: bool,
    /// Whether logout tokens are sent to clients (OpenID Connect Back-Channel Logout 1.0). Always `true`.
    backchannel_logout_supported: bool,
    /// Whether logout tokens contain the session (`sid`). Always `true`.
    backchannel_logout_session_supported: bool,
}

fn metadata(api: &Api) -> HttpResponse {
    let id_token_algorithms = api.steward.tokens.id_token_algorithms();
    let address = &api.steward.address;
    response::ok(&Metadata {
        issuer: address.as_str().to_owned(),
        authorization_endpoint: address.at("/auth/authorize"),
        token_endpoint: address.at("/auth/token"),
        userinfo_endpoint: address.at("/auth/userinfo"),
        jwks_uri: address.at(JWKS_PATH),
        revocation_endpoint: address.at("/auth/revoke"),
        introspection_endpoint: address.at("/auth/introspect"),
        end_session_endpoint: address.at("/auth/logout"),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: GRANT_TYPES,
        subject_types_supported: vec!["public"],
        id_token_signing_alg_values_supported: id_token_algorithms.iter().map(|alg| alg.as_str()).collect(),
        scopes_supported: Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
        token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
        revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
        introspection_endpoint_auth_methods_supported: ["Bearer", "client_secret_basic"],
        code_challenge_methods_supported: ["S256"],
        prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
        claims_supported: CLAIMS.to_vec(),
        claims_parameter_supported: false,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
    })
}

/// Get provider metadata below /auth
///
/// Same as `GET /.well-known/openid-configuration`.
#[utoipa::path(get, path = "/auth/.well-known/openid-configuration", operation_id = "getAuthMetadata", tag = "service",
    responses((status = 200, body = Metadata, description = "The provider metadata.")))]
pub(crate) async fn auth_metadata(api: web::Data<Api>, _: OptionalCaller) -> HttpResponse {
    metadata(&api)
}

/// Get OpenID Provider metadata
///
/// Returns the endpoints and features of this service as an OpenID Provider (OpenID Connect Discovery §3).
#[utoipa::path(get, path = "/.well-known/openid-configuration", operation_id = "getOpenIdMetadata", tag = "service",
    responses((status = 200, body = Metadata, description = "The provider metadata.")))]
pub(crate) async fn openid_metadata(api: web::Data<Api>, _: OptionalCaller) -> HttpResponse {
    metadata(&api)
}

/// Get authorization server metadata
///
/// Returns the endpoints and features of this service as an OAuth 2.0 authorization server (RFC 8414 §2).
#[utoipa::path(get, path = "/.well-known/oauth-authorization-server", operation_id = "getOAuthMetadata",
    tag = "service", responses((status = 200, body = Metadata, description = "The provider metadata.")))]
pub(crate) async fn oauth_metadata(api: web::Data<Api>, _: OptionalCaller) -> HttpResponse {
    metadata(&api)
}

/// Get the JSON Web Key Set
///
/// Returns the active and retiring public keys for verifying tokens (RFC 7517 §5). Clients may cache them for an hour.
#[utoipa::path(get, path = "/auth/.well-known/jwks.json", operation_id = "getKeySet", tag = "service",
    responses((status = 200, body = Object, description = "The public keys.",
        example = json!({"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
            "kid": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}))))]
pub(crate) async fn jwks(api: web::Data<Api>, _: OptionalCaller) -> HttpResponse {
    api.steward.server_keys.refresh_published().await;
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "public, max-age=3600")).json(api.steward.tokens.published_keys())
}
