//! What clients find the rest by: provider metadata and public keys. Only what exists is named (contract 2).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::{Scope, SigningAlgorithm};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer;
use crate::error::CredentialError;
use crate::extract::Visitor;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/auth/.well-known/openid-configuration").get(of_auth).mount(routes);
    at("/.well-known/openid-configuration").get(of_openid).mount(routes);
    at("/.well-known/oauth-authorization-server").get(of_oauth).mount(routes);
    at("/auth/.well-known/jwks.json").get(keys).mount(routes);
}

const KEYS: &str = "/auth/.well-known/jwks.json";
const CLAIMS: [&str; 13] = [
    "sub",
    "iss",
    "aud",
    "exp",
    "iat",
    "auth_time",
    "nonce",
    "at_hash",
    "name",
    "email",
    "email_verified",
    "username",
    "id",
];
/// What tokens are given for.
pub(crate) const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];

/// Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2).
#[derive(Serialize, ToSchema)]
pub(crate) struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    revocation_endpoint: String,
    introspection_endpoint: String,
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    subject_types_supported: Vec<&'static str>,
    id_token_signing_alg_values_supported: Vec<&'static str>,
    scopes_supported: Vec<&'static str>,
    token_endpoint_auth_methods_supported: [&'static str; 1],
    revocation_endpoint_auth_methods_supported: [&'static str; 1],
    introspection_endpoint_auth_methods_supported: [&'static str; 1],
    code_challenge_methods_supported: [&'static str; 1],
    prompt_values_supported: [&'static str; 5],
    claims_supported: Vec<&'static str>,
    claims_parameter_supported: bool,
    request_parameter_supported: bool,
    request_uri_parameter_supported: bool,
    /// Every answer of the authorization endpoint names the issuer (RFC 9207 §3).
    authorization_response_iss_parameter_supported: bool,
}

fn metadata(api: &Api) -> HttpResponse {
    let address = &api.steward.address;
    answer::ok(&Metadata {
        issuer: address.as_str().to_owned(),
        authorization_endpoint: address.at("/auth/authorize"),
        token_endpoint: address.at("/auth/token"),
        userinfo_endpoint: address.at("/auth/userinfo"),
        jwks_uri: address.at(KEYS),
        revocation_endpoint: address.at("/auth/revoke"),
        introspection_endpoint: address.at("/auth/introspect"),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: GRANT_TYPES,
        subject_types_supported: vec!["public"],
        id_token_signing_alg_values_supported: SigningAlgorithm::ALL.iter().map(|alg| alg.as_str()).collect(),
        scopes_supported: Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        introspection_endpoint_auth_methods_supported: ["Bearer"],
        code_challenge_methods_supported: ["S256"],
        prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
        claims_supported: CLAIMS.to_vec(),
        claims_parameter_supported: false,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        authorization_response_iss_parameter_supported: true,
    })
}

/// Provider metadata, beside the other addresses of auth
#[utoipa::path(get, path = "/auth/.well-known/openid-configuration", operation_id = "getAuthMetadata", tag = "service",
    responses((status = 200, body = Metadata), CredentialError))]
pub(crate) async fn of_auth(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// Provider metadata (OpenID Connect Discovery)
#[utoipa::path(get, path = "/.well-known/openid-configuration", operation_id = "getOpenIdMetadata", tag = "service",
    responses((status = 200, body = Metadata), CredentialError))]
pub(crate) async fn of_openid(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// Provider metadata (RFC 8414)
#[utoipa::path(get, path = "/.well-known/oauth-authorization-server", operation_id = "getOAuthMetadata",
    tag = "service", responses((status = 200, body = Metadata), CredentialError))]
pub(crate) async fn of_oauth(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// The public keys that access tokens are checked with (RFC 7517)
#[utoipa::path(get, path = "/auth/.well-known/jwks.json", operation_id = "getKeySet", tag = "service",
    responses((status = 200, body = Object), CredentialError))]
pub(crate) async fn keys(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    api.steward.server_keys.refresh_published().await;
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "public, max-age=3600")).json(api.steward.tokens.published_keys())
}
