//! DID documents and client metadata (docs/contract.md#dids).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{SERVICE, operations};

operations! {
    ROWS, SERVICE;

    /// Get the DID document of a project
    ///
    /// Resolves the `did:web` identifier of the project. Its service `BasicAppMetadata` refers to the client metadata.
    GetProjectDid Get "/projects/{hex}/did.json", Reads Safe, at(ProjectHex), 200(DidDocument, "The DID document.");

    /// Get the DID document of an account
    ///
    /// Resolves the `did:web` identifier of the account. Its service `PersonalDataServer` refers to this service.
    GetAccountDid Get "/u/{hex}/did.json", Reads Safe, at(AccountHex), 200(DidDocument, "The DID document.");

    /// Get the client metadata of a project
    ///
    /// Returns the metadata of the project as an OAuth client (RFC 7591 §2).
    GetClientMetadata Get "/projects/{id}/client-metadata.json", Reads Safe, at(Project),
        200(ClientMetadata, "The client metadata.");
}

/// A DID document (W3C DID Core §5).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DidDocument {
    /// JSON-LD context of the document. Always `["https://www.w3.org/ns/did/v1"]`.
    #[schema(example = json!(["https://www.w3.org/ns/did/v1"]))]
    #[serde(rename = "@context")]
    pub context: Vec<String>,
    /// DID of the project or account.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    pub id: String,
    /// Services of the project or account: exactly one.
    pub service: Vec<DidService>,
}

/// A service of a DID document (W3C DID Core §5.4).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DidService {
    /// ID of the service: the DID, `#`, and the type.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55#BasicAppMetadata")]
    pub id: String,
    /// Type of the service: `BasicAppMetadata` of a project, `PersonalDataServer` of an account.
    #[schema(example = "BasicAppMetadata")]
    pub r#type: Cow<'static, str>,
    /// URL of the service: the client metadata of a project, the base URL of this service for an account.
    #[schema(example = "https://steward.example.com/projects/\
        018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/client-metadata.json")]
    pub service_endpoint: String,
}

/// OAuth client metadata of a project (RFC 7591 §2).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ClientMetadata {
    /// Client ID: the DID of the project.
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    pub client_id: String,
    /// Name of the project.
    #[schema(example = "Acme")]
    pub client_name: String,
    /// URL of the project's website; null if it has none.
    #[schema(example = "https://example.com")]
    pub client_uri: Option<String>,
    /// URL of the project's icon; null if it has none.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    pub logo_uri: Option<String>,
    /// `native` if redirect URIs are registered and all of them are http on loopback or have a private-use scheme, else
    /// `web`.
    #[schema(example = "web")]
    pub application_type: Cow<'static, str>,
    /// Always `none`: clients are public and have no secret.
    #[schema(example = "none")]
    pub token_endpoint_auth_method: Cow<'static, str>,
    /// Registered redirect URIs of the project.
    #[schema(example = json!(["https://example.com/callback"]))]
    pub redirect_uris: Vec<String>,
    /// Grant types that the client can use. Always `["authorization_code", "refresh_token"]`.
    #[schema(example = json!(["authorization_code", "refresh_token"]))]
    pub grant_types: Vec<String>,
    /// Response types that the client can use. Always `["code"]`.
    #[schema(example = json!(["code"]))]
    pub response_types: Vec<String>,
    /// Space-separated scopes that the client can request.
    #[schema(example = "openid profile email offline_access app:db:read app:db:write app:profile:read \
        app:profile:write app:admin")]
    pub scope: String,
    /// URL of the project's schema.
    #[schema(example = "https://steward.example.com/project/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/schema")]
    pub schema: String,
}
