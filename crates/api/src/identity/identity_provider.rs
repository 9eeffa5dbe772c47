//! Identity providers of a project (docs/contract.md#identity-providers).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::operations;
use crate::response::Success;
use crate::values::{IdentityProviderId, Secret, Timestamp};

operations! {
    ROWS, "projects";

    /// List identity providers
    ///
    /// Returns the identity providers of the project, including disabled ones, oldest first, without their secrets.
    ListIdentityProviders Get "/project/{id}/identity-provider", Reads Safe, at(Project), 200(data [IdentityProvider]),
        deviates("a project has few identity providers, so the list has no pages"), command("provider list");

    /// Add an identity provider
    ///
    /// From now on, people can sign in there. People who sign in there are signed in to this project only. Register the
    /// `redirect_uri` of the response at the provider. The metadata of the provider is read first, so the provider has to
    /// respond; not that of the public services of the kinds with a default, nor of GitHub, which has none. If `issuer` differs
    /// from that of the metadata only by a slash at the end, the latter is stored and returned. Another one is refused, and the
    /// error names it.
    CreateIdentityProvider Post "/project/{id}/identity-provider", Writes Keyed, at(Project), body(NewIdentityProvider),
        201(data IdentityProvider), shows(IdentityProvider), errors("quota_exceeded"), command("provider create");

    /// Get an identity provider
    ///
    /// Returns a provider without its secret.
    GetIdentityProvider Get "/project/{id}/identity-provider/{provider_id}", Reads Safe, at(Project, IdentityProvider),
        200(data IdentityProvider), 304("The provider has the ETag in `If-None-Match`."), shows(IdentityProvider),
        errors("precondition_failed"), command("provider get");

    /// Update an identity provider
    ///
    /// Changes the name or the client of a provider, or disables it. The kind and the issuer do not change, because the
    /// linked identities are those of this issuer.
    UpdateIdentityProvider Patch "/project/{id}/identity-provider/{provider_id}", Writes Keyed,
        at(Project, IdentityProvider), body(IdentityProviderChanges), 200(data IdentityProvider),
        shows(IdentityProvider), errors("precondition_failed"), command("provider update");

    /// Delete an identity provider
    ///
    /// People can no longer sign in there, and the identities that are linked to it are deleted in the background. Sessions
    /// that began there go on.
    DeleteIdentityProvider Delete "/project/{id}/identity-provider/{provider_id}", Writes Keyed,
        at(Project, IdentityProvider), 200(Success), errors("precondition_failed"), command("provider delete");
}

/// A service at which people can sign in, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05",
    "kind": "openid_connect",
    "name": "Example ID",
    "issuer": "https://accounts.example.com",
    "client_id": "steward",
    "has_client_secret": true,
    "is_enabled": true,
    "redirect_uri": "https://steward.example.com/auth/provider/018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05",
    "created_at": "2026-01-31T12:00:00.000Z",
}))]
pub struct IdentityProvider {
    /// Unique ID of the provider.
    pub id: IdentityProviderId,
    /// Kind of the provider: `openid_connect`, `google`, `microsoft`, `apple`, `github` or `gitlab`.
    pub kind: Cow<'static, str>,
    /// Name on the button of the sign-in page.
    pub name: String,
    /// URL that identifies the provider (OpenID Connect Discovery); for GitHub, the URL of the server.
    pub issuer: String,
    /// ID that the provider has assigned to this service.
    pub client_id: String,
    /// Whether a client secret is stored. Without one, this service is a public client with PKCE.
    pub has_client_secret: bool,
    /// Whether people can sign in there.
    pub is_enabled: bool,
    /// URI that has to be registered at the provider.
    pub redirect_uri: String,
    /// When the provider was added.
    pub created_at: Timestamp,
}

/// Values of a new provider.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewIdentityProvider {
    /// `openid_connect` for any provider of OpenID Connect, or `google`, `microsoft`, `apple`, `github` or `gitlab`.
    pub kind: String,
    /// Name on the button: 1 to 100 characters. Default: the name of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Example ID")]
    pub name: Option<String>,
    /// URL that identifies the provider: a public https URL without a query, of at most 500 characters. Optional for
    /// `google`, `apple`, `github` and `gitlab`. For `microsoft`: `https://login.microsoftonline.com/TENANT/v2.0` with the ID of
    /// the tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://accounts.example.com")]
    pub issuer: Option<String>,
    /// ID that the provider has assigned to this service: 1 to 255 printable ASCII characters.
    #[schema(example = "steward")]
    pub client_id: String,
    /// Secret that the provider has assigned: 1 to 2,000 printable ASCII characters. Absent for a public client. For `apple`,
    /// the signed JWT, which is valid for at most six months.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "s3cret")]
    pub client_secret: Option<Secret>,
}

/// Changes to a provider. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct IdentityProviderChanges {
    /// New name: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New client ID: 1 to 255 printable ASCII characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// New secret: 1 to 2,000 printable ASCII characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Secret>,
    /// Whether people can sign in there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    pub is_enabled: Option<bool>,
}
