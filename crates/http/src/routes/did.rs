//! What projects and accounts are to the rest of the world: DID documents (`did:web`) and client metadata (contract 2).

use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::{RedirectUri, ScopeSet};
use utoipa::ToSchema;

use super::discovery::GRANT_TYPES;
use super::{Address, at};
use crate::Api;
use crate::answer;
use crate::error::{ApiError, CredentialError, ErrorBody};
use crate::extract::{PathIds, Visitor};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/projects/{hex}/did.json").get(of_project).mount(routes);
    at("/projects/{id}/client-metadata.json").get(client_metadata).mount(routes);
    at("/u/{hex}/did.json").get(of_account).mount(routes);
}

/// A DID document (W3C DID Core §5).
#[derive(Serialize, ToSchema)]
pub(crate) struct DidDocument {
    #[serde(rename = "@context")]
    context: [&'static str; 1],
    id: String,
    service: [Service; 1],
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Service {
    id: String,
    r#type: &'static str,
    service_endpoint: String,
}

fn document(id: String, service: &'static str, service_endpoint: String) -> HttpResponse {
    answer::ok(&DidDocument {
        context: ["https://www.w3.org/ns/did/v1"],
        service: [Service { id: format!("{id}#{service}"), r#type: service, service_endpoint }],
        id,
    })
}

/// What a project tells authorization servers of itself (RFC 7591 §2).
#[derive(Serialize, ToSchema)]
pub(crate) struct ClientMetadata {
    client_id: String,
    client_name: String,
    client_uri: Option<String>,
    logo_uri: Option<String>,
    application_type: &'static str,
    token_endpoint_auth_method: &'static str,
    redirect_uris: Vec<String>,
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    scope: String,
    /// Where the project's schema is.
    schema: String,
}

/// The DID document of a project
#[utoipa::path(get, path = "/projects/{hex}/did.json", operation_id = "getProjectDid", tag = "service",
    params(("hex" = String, Path)),
    responses((status = 200, body = DidDocument), (status = 404, body = ErrorBody), CredentialError))]
pub(crate) async fn of_project(api: web::Data<Api>, _: Visitor, named: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(named.project_hex()?).await?;
    let address = &api.steward.address;
    let metadata = address.at(&format!("/projects/{}/client-metadata.json", project.id));
    Ok(document(address.project_did(project.id), "BasicAppMetadata", metadata))
}

/// The DID document of an account
#[utoipa::path(get, path = "/u/{hex}/did.json", operation_id = "getAccountDid", tag = "service",
    params(("hex" = String, Path)),
    responses((status = 200, body = DidDocument), (status = 404, body = ErrorBody), CredentialError))]
pub(crate) async fn of_account(api: web::Data<Api>, _: Visitor, named: PathIds) -> Result<HttpResponse, ApiError> {
    let account = named.account_hex()?;
    api.steward.accounts.exists(account).await?;
    let address = &api.steward.address;
    Ok(document(address.account_did(account), "PersonalDataServer", address.as_str().to_owned()))
}

/// A project as an OAuth client
#[utoipa::path(get, path = "/projects/{id}/client-metadata.json", operation_id = "getClientMetadata", tag = "service",
    params(("id" = String, Path)),
    responses((status = 200, body = ClientMetadata), (status = 404, body = ErrorBody), CredentialError))]
pub(crate) async fn client_metadata(api: web::Data<Api>, _: Visitor, named: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(named.project()?).await?;
    let address = &api.steward.address;
    let logo_uri = project.icon_url(address);
    Ok(answer::ok(&ClientMetadata {
        client_id: address.project_did(project.id),
        client_name: project.name.to_string(),
        client_uri: project.website.map(|website| website.as_str().to_owned()),
        logo_uri,
        application_type: "web",
        token_endpoint_auth_method: "none",
        redirect_uris: project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect(),
        grant_types: GRANT_TYPES,
        response_types: ["code"],
        scope: ScopeSet::of_projects().to_string(),
        schema: address.at(&format!("/project/{}/schema", project.id)),
    }))
}
