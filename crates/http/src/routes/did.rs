//! Public documents about projects and accounts: DID documents (`did:web`) and OAuth client metadata
//! (docs/contract.md#dids).

use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::{RedirectUri, ScopeSet};
use utoipa::ToSchema;

use super::discovery::GRANT_TYPES;
use crate::Api;
use crate::error::ApiError;
use crate::extract::{OptionalCaller, PathIds};
use crate::response;
use crate::route::{ApiRoute, service_routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    service_routes! {
        project_did;
        client_metadata;
        account_did;
    }
}

/// A DID document (W3C DID Core §5).
#[derive(Serialize, ToSchema)]
pub(crate) struct DidDocument {
    /// JSON-LD context of the document. Always `["https://www.w3.org/ns/did/v1"]`.
    #[schema(example = json!(["https://www.w3.org/ns/did/v1"]))]
    #[serde(rename = "@context")]
    context: [&'static str; 1],
    /// DID of the project or account.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    id: String,
    /// Services of the project or account: exactly one.
    service: [Service; 1],
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Service {
    /// ID of the service: the DID, `#`, and the type.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55#BasicAppMetadata")]
    id: String,
    /// Type of the service: `BasicAppMetadata` of a project, `PersonalDataServer` of an account.
    #[schema(example = "BasicAppMetadata")]
    r#type: &'static str,
    /// URL of the service: the client metadata of a project, the base URL of this service for an account.
    #[schema(example = "https://steward.example.com/projects/\
        018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/client-metadata.json")]
    service_endpoint: String,
}

fn document(id: String, service: &'static str, service_endpoint: String) -> HttpResponse {
    response::ok(&DidDocument {
        context: ["https://www.w3.org/ns/did/v1"],
        service: [Service { id: format!("{id}#{service}"), r#type: service, service_endpoint }],
        id,
    })
}

/// OAuth client metadata of a project (RFC 7591 §2).
#[derive(Serialize, ToSchema)]
pub(crate) struct ClientMetadata {
    /// Client ID: the DID of the project.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    client_id: String,
    /// Name of the project.
    #[schema(example = "Acme")]
    client_name: String,
    /// URL of the project's website; null if it has none.
    #[schema(example = "https://example.com")]
    client_uri: Option<String>,
    /// URL of the project's icon; null if it has none.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    logo_uri: Option<String>,
    /// `native` if redirect URIs are registered and all of them are http on loopback or have a private-use scheme, else
    /// `web`.
    #[schema(example = "web")]
    application_type: &'static str,
    /// Always `none`: clients are public and have no secret.
    #[schema(example = "none")]
    token_endpoint_auth_method: &'static str,
    /// Registered redirect URIs of the project.
    #[schema(example = json!(["https://example.com/callback"]))]
    redirect_uris: Vec<String>,
    /// Grant types that the client can use. Always `["authorization_code", "refresh_token"]`.
    #[schema(example = json!(["authorization_code", "refresh_token"]))]
    grant_types: [&'static str; 2],
    /// Response types that the client can use. Always `["code"]`.
    #[schema(example = json!(["code"]))]
    response_types: [&'static str; 1],
    /// Space-separated scopes that the client can request.
    #[schema(example = "openid profile email offline_access app:db:read app:db:write app:profile:read \
        app:profile:write app:admin")]
    scope: String,
    /// URL of the project's schema.
    #[schema(example = "https://steward.example.com/project/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/schema")]
    schema: String,
}

/// Get the DID document of a project
///
/// Resolves the `did:web` identifier of the project. Its service `BasicAppMetadata` refers to the client metadata.
#[utoipa::path(get, path = "/projects/{hex}/did.json", operation_id = "getProjectDid", tag = "service",
    responses((status = 200, body = DidDocument, description = "The DID document.")))]
pub(crate) async fn project_did(
    api: web::Data<Api>,
    _: OptionalCaller,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(path.project_hex()?).await?;
    let address = &api.steward.address;
    let metadata = address.at(&format!("/projects/{}/client-metadata.json", project.id));
    Ok(document(address.project_did(project.id), "BasicAppMetadata", metadata))
}

/// Get the DID document of an account
///
/// Resolves the `did:web` identifier of the account. Its service `PersonalDataServer` refers to this service.
#[utoipa::path(get, path = "/u/{hex}/did.json", operation_id = "getAccountDid", tag = "service",
    responses((status = 200, body = DidDocument, description = "The DID document.")))]
pub(crate) async fn account_did(
    api: web::Data<Api>,
    _: OptionalCaller,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let account = path.account_hex()?;
    api.steward.accounts.exists(account).await?;
    let address = &api.steward.address;
    Ok(document(address.account_did(account), "PersonalDataServer", address.as_str().to_owned()))
}

/// Get the client metadata of a project
///
/// Returns the metadata of the project as an OAuth client (RFC 7591 §2).
#[utoipa::path(get, path = "/projects/{id}/client-metadata.json", operation_id = "getClientMetadata", tag = "service",
    responses((status = 200, body = ClientMetadata, description = "The client metadata.")))]
pub(crate) async fn client_metadata(
    api: web::Data<Api>,
    _: OptionalCaller,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(path.project()?).await?;
    let address = &api.steward.address;
    let logo_uri = project.icon_url(address);
    Ok(response::ok(&ClientMetadata {
        client_id: address.project_did(project.id),
        client_name: project.name.to_string(),
        client_uri: project.website.map(|website| website.as_str().to_owned()),
        logo_uri,
        application_type: if project.sign_in.is_native() { "native" } else { "web" },
        token_endpoint_auth_method: "none",
        redirect_uris: project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect(),
        grant_types: GRANT_TYPES,
        response_types: ["code"],
        scope: ScopeSet::for_projects().to_string(),
        schema: address.at(&format!("/project/{}/schema", project.id)),
    }))
}
