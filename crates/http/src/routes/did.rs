//! Public documents about projects and accounts: DID documents (`did:web`) and OAuth client metadata
//! (docs/contract.md#dids).

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::model::{GrantTypes, RedirectUri, ScopeSet};

use super::discovery::texts;
use crate::Api;
use crate::error::ApiError;
use crate::extract::{OptionalCaller, PathIds};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetProjectDid => project_did;
        GetClientMetadata => client_metadata;
        GetAccountDid => account_did;
    }
}

fn document(id: String, service: &'static str, service_endpoint: String) -> HttpResponse {
    response::ok(&wire::DidDocument {
        context: vec!["https://www.w3.org/ns/did/v1".to_owned()],
        service: vec![wire::DidService { id: format!("{id}#{service}"), r#type: service.into(), service_endpoint }],
        id,
    })
}

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

pub(crate) async fn client_metadata(
    api: web::Data<Api>,
    _: OptionalCaller,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(path.project()?).await?;
    let address = &api.steward.address;
    let logo_uri = project.icon_url(address);
    Ok(response::ok(&wire::ClientMetadata {
        client_id: address.project_did(project.id),
        client_name: project.name.to_string(),
        client_uri: project.website.map(|website| website.as_str().to_owned()),
        logo_uri,
        application_type: if project.sign_in.is_native() { "native" } else { "web" }.into(),
        token_endpoint_auth_method: "none".into(),
        redirect_uris: project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect(),
        grant_types: GrantTypes::for_people().names().map(str::to_owned).collect(),
        response_types: texts(&["code"]),
        scope: ScopeSet::for_projects().to_string(),
        schema: address.at(&format!("/project/{}/schema", project.id)),
    }))
}
