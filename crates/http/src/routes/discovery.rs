//! What clients find the rest by: provider metadata and public keys. Only what exists is named (contract 2).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::{Scope, SigningAlgorithm};
use utoipa::ToSchema;

use super::at;
use crate::Api;
use crate::answer;
use crate::error::CredentialRefused;
use crate::extract::Visitor;

pub(crate) fn mount(app: &mut web::ServiceConfig) {
    at("/auth/.well-known/openid-configuration").get(of_auth).mount(app);
    at("/.well-known/openid-configuration").get(of_openid).mount(app);
    at("/.well-known/oauth-authorization-server").get(of_oauth).mount(app);
    at("/auth/.well-known/jwks.json").get(keys).mount(app);
}

const KEYS: &str = "/auth/.well-known/jwks.json";
const CLAIMS: [&str; 9] = ["sub", "iss", "aud", "exp", "iat", "name", "email", "email_verified", "username"];

/// Provider metadata (OpenID Connect Discovery §3, RFC 8414 §2).
#[derive(Serialize, ToSchema)]
pub(crate) struct Metadata {
    issuer: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    subject_types_supported: Vec<&'static str>,
    id_token_signing_alg_values_supported: Vec<&'static str>,
    scopes_supported: Vec<&'static str>,
    claims_supported: Vec<&'static str>,
}

fn metadata(api: &Api) -> HttpResponse {
    let address = &api.steward.address;
    answer::ok(&Metadata {
        issuer: address.as_str().to_owned(),
        userinfo_endpoint: address.at("/auth/userinfo"),
        jwks_uri: address.at(KEYS),
        subject_types_supported: vec!["public"],
        id_token_signing_alg_values_supported: SigningAlgorithm::ALL.iter().map(|alg| alg.as_str()).collect(),
        scopes_supported: Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
        claims_supported: CLAIMS.to_vec(),
    })
}

/// Provider metadata, beside the other addresses of auth
#[utoipa::path(get, path = "/auth/.well-known/openid-configuration", operation_id = "getAuthMetadata", tag = "service",
    responses((status = 200, body = Metadata), CredentialRefused))]
pub(crate) async fn of_auth(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// Provider metadata (OpenID Connect Discovery)
#[utoipa::path(get, path = "/.well-known/openid-configuration", operation_id = "getOpenIdMetadata", tag = "service",
    responses((status = 200, body = Metadata), CredentialRefused))]
pub(crate) async fn of_openid(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// Provider metadata (RFC 8414)
#[utoipa::path(get, path = "/.well-known/oauth-authorization-server", operation_id = "getOAuthMetadata",
    tag = "service", responses((status = 200, body = Metadata), CredentialRefused))]
pub(crate) async fn of_oauth(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    metadata(&api)
}

/// The public keys that access tokens are checked with (RFC 7517)
#[utoipa::path(get, path = "/auth/.well-known/jwks.json", operation_id = "getKeySet", tag = "service",
    responses((status = 200, body = Object), CredentialRefused))]
pub(crate) async fn keys(api: web::Data<Api>, _: Visitor) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "public, max-age=3600")).json(api.steward.tokens.published_keys())
}
