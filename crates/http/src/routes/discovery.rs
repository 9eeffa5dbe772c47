//! Discovery: provider metadata and public keys. The metadata lists only features that exist
//! (docs/contract.md#discovery).

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use steward_api as wire;
use steward_domain::identity::{AssuranceLevel, ClientAlgorithm, GrantType, ResponseMode, Scope};
use steward_domain::kernel::Locale;

use crate::route::serve;
use crate::serve::{Call, Open, Outcome};

serve! {
    GetAuthMetadata | GetOpenIdMetadata | GetOAuthMetadata => provider;
    GetKeySet => jwks;
}

/// Path of the JSON Web Key Set.
const JWKS_PATH: &str = "/auth/.well-known/jwks.json";
/// Claims of ID tokens and of user info.
const CLAIMS: [&str; 17] = [
    "sub",
    "iss",
    "aud",
    "exp",
    "iat",
    "auth_time",
    "acr",
    "amr",
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
/// Client authentication that is accepted.
pub(crate) const CLIENT_AUTHENTICATION: [&str; 4] =
    ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"];
/// Authentication that is accepted at the introspection endpoint.
const INTROSPECTION_AUTHENTICATION: [&str; 4] =
    ["Bearer", "client_secret_basic", "client_secret_post", "private_key_jwt"];

pub(super) fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

async fn provider(call: Call<wire::GetAuthMetadata, Open>) -> Outcome<wire::GetAuthMetadata> {
    let client_algorithms = || ClientAlgorithm::ALL.map(|one| one.as_str().to_owned()).to_vec();
    let id_token_algorithms = call.api.steward.tokens.id_token_algorithms();
    let address = &call.api.steward.address;
    call.reply(wire::ProviderMetadata {
        issuer: address.as_str().to_owned(),
        authorization_endpoint: address.at("/auth/authorize"),
        token_endpoint: address.at("/auth/token"),
        userinfo_endpoint: address.at("/auth/userinfo"),
        jwks_uri: address.at(JWKS_PATH),
        revocation_endpoint: address.at("/auth/revoke"),
        pushed_authorization_request_endpoint: address.at("/auth/par"),
        registration_endpoint: address.at("/auth/register"),
        device_authorization_endpoint: address.at("/auth/device/code"),
        require_pushed_authorization_requests: false,
        introspection_endpoint: address.at("/auth/introspect"),
        end_session_endpoint: address.at("/auth/logout"),
        response_types_supported: texts(&["code"]),
        response_modes_supported: ResponseMode::ALL.map(|mode| mode.as_str().to_owned()).to_vec(),
        grant_types_supported: GrantType::ALL.map(|one| one.as_str().to_owned()).to_vec(),
        subject_types_supported: texts(&["public"]),
        id_token_signing_alg_values_supported: id_token_algorithms.iter().map(|alg| alg.as_str().to_owned()).collect(),
        scopes_supported: Scope::IDENTITY.iter().map(|scope| scope.as_str().to_owned()).collect(),
        token_endpoint_auth_methods_supported: texts(&CLIENT_AUTHENTICATION),
        token_endpoint_auth_signing_alg_values_supported: client_algorithms(),
        revocation_endpoint_auth_methods_supported: texts(&CLIENT_AUTHENTICATION),
        revocation_endpoint_auth_signing_alg_values_supported: client_algorithms(),
        introspection_endpoint_auth_methods_supported: texts(&INTROSPECTION_AUTHENTICATION),
        introspection_endpoint_auth_signing_alg_values_supported: client_algorithms(),
        dpop_signing_alg_values_supported: client_algorithms(),
        code_challenge_methods_supported: texts(&["S256"]),
        prompt_values_supported: texts(&["none", "login", "consent", "select_account", "create"]),
        ui_locales_supported: texts(&Locale::ALL.map(Locale::as_str)),
        acr_values_supported: AssuranceLevel::ALL.iter().map(|level| level.as_str().to_owned()).collect(),
        claims_supported: texts(&CLAIMS),
        claims_parameter_supported: false,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
    })
}

/// Raw, because the row describes the keys as any object.
async fn jwks(call: Call<wire::GetKeySet, Open>) -> Outcome<wire::GetKeySet> {
    call.api.steward.server_keys.refresh_published().await;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "public, max-age=3600"));
    call.raw(response.json(call.api.steward.tokens.published_keys()))
}
