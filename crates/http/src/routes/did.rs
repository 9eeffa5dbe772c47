//! Public documents about projects and accounts: DID documents (`did:web`) and OAuth client metadata
//! (docs/contract.md#dids).

use steward_api as wire;
use steward_domain::identity::{GrantTypes, RedirectUri, ScopeSet};

use super::discovery::texts;
use crate::route::serve;
use crate::serve::{Call, Open, Outcome};

serve! {
    GetProjectDid => project_did;
    GetClientMetadata => client_metadata;
    GetAccountDid => account_did;
}

fn document(id: String, service: &'static str, service_endpoint: String) -> wire::DidDocument {
    wire::DidDocument {
        context: vec!["https://www.w3.org/ns/did/v1".to_owned()],
        service: vec![wire::DidService { id: format!("{id}#{service}"), r#type: service.into(), service_endpoint }],
        id,
    }
}

async fn project_did(call: Call<wire::GetProjectDid, Open>) -> Outcome<wire::GetProjectDid> {
    let project = call.api.steward.projects.profile(call.path).await?;
    let address = &call.api.steward.address;
    let metadata = address.at(&format!("/projects/{}/client-metadata.json", project.id));
    call.reply(document(address.project_did(project.id), "BasicAppMetadata", metadata))
}

async fn account_did(call: Call<wire::GetAccountDid, Open>) -> Outcome<wire::GetAccountDid> {
    call.api.steward.accounts.exists(call.path).await?;
    let address = &call.api.steward.address;
    call.reply(document(address.account_did(call.path), "PersonalDataServer", address.as_str().to_owned()))
}

async fn client_metadata(call: Call<wire::GetClientMetadata, Open>) -> Outcome<wire::GetClientMetadata> {
    let project = call.api.steward.projects.profile(call.path).await?;
    let address = &call.api.steward.address;
    let logo_uri = project.icon_url(address);
    call.reply(wire::ClientMetadata {
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
    })
}
