//! Reading identity providers and linked identities, and signing in at a provider.

use async_trait::async_trait;

use crate::identity::{IdentityProvider, LinkedIdentity, ProviderIdentity};
use crate::kernel::{AccountId, IdentityProviderId, ProjectId, Secret, StoreError, TeamId, Time};

/// Reads identity providers, and the identities that are linked to accounts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdentityProviderReader: Send + Sync {
    /// Returns the providers of a project, or those of the whole service, oldest first. At most as many as the quota allows.
    async fn identity_providers(&self, project: Option<ProjectId>) -> Result<Vec<IdentityProvider>, StoreError>;

    /// Returns all providers of the team's projects that the account added or last configured, oldest first. Quotas
    /// limit their number.
    async fn identity_providers_created_by(
        &self,
        team: TeamId,
        account: AccountId,
    ) -> Result<Vec<IdentityProvider>, StoreError>;

    /// Returns a provider of a project or of the service.
    async fn identity_provider(&self, id: IdentityProviderId) -> Result<Option<IdentityProvider>, StoreError>;

    /// Returns the linked identity of a person at a provider.
    async fn linked_identity(
        &self,
        provider: IdentityProviderId,
        subject: &str,
    ) -> Result<Option<LinkedIdentity>, StoreError>;

    /// Returns the identities that are linked to an account, with their providers, oldest first. Without those whose provider
    /// was deleted.
    async fn linked_identities(
        &self,
        account: AccountId,
    ) -> Result<Vec<(LinkedIdentity, IdentityProvider)>, StoreError>;
}

/// What the authentication request to a provider contains.
#[derive(Debug, Clone)]
pub struct ProviderRequest {
    /// Where the provider sends its response.
    pub redirect_uri: String,
    /// Comes back with the response.
    pub state: Secret,
    /// Comes back in the ID token, so that the response of another sign-in cannot be injected.
    pub nonce: Secret,
    /// The S256 challenge of the code verifier (RFC 7636 §4.2).
    pub code_challenge: String,
    /// Who probably signs in.
    pub login_hint: Option<String>,
    /// Whether the provider MUST ask the person to authenticate, even if they are signed in there.
    pub must_authenticate: bool,
}

/// The response of a provider, and what it must match.
#[derive(Debug, Clone)]
pub struct ProviderResponse {
    /// The authorization code.
    pub code: Secret,
    /// The issuer that the response names (RFC 9207).
    pub issuer: Option<String>,
    /// Where the provider sent its response.
    pub redirect_uri: String,
    /// The nonce of the request.
    pub nonce: Secret,
    /// The code verifier of the request.
    pub code_verifier: Secret,
    /// If the person had to authenticate at the provider: when the request was made.
    pub authenticated_after: Option<Time>,
    /// When this service received the response.
    pub received_at: Time,
}

/// Why a provider failed. The reasons are for the log and the administrators of the provider: they MUST be short, on one line and
/// without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The provider did not respond in time, or is not what its settings say.
    #[error("the provider cannot be used: {0}")]
    Unreachable(String),
    /// The provider refused the code or the credentials of this service, or its response is not valid.
    #[error("the response of the provider was refused: {0}")]
    Invalid(String),
    /// A claim about the person is missing, or is not what the sign-in requires.
    #[error("the claim `{name}` of the provider was refused: {problem}")]
    Claim {
        /// The name of the claim.
        name: &'static str,
        /// What is wrong, as the end of a sentence.
        problem: String,
    },
    /// Too many sign-ins at this provider are in progress.
    #[error("too many sign-ins at the provider are in progress")]
    Busy,
}

impl ProviderError {
    /// Returns the name of the claim that was refused.
    pub const fn claim(&self) -> Option<&'static str> {
        match self {
            Self::Claim { name, .. } => Some(*name),
            Self::Unreachable(_) | Self::Invalid(_) | Self::Busy => None,
        }
    }
}

/// Signs in at identity providers.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdentityProviderClient: Send + Sync {
    /// Returns the issuer that the metadata of a provider names (OpenID Connect Discovery §3), whether it is that of the provider
    /// or not. MUST refuse metadata without what a sign-in needs, and respond within a few seconds. MUST reach only what
    /// [`IdentityProviderClient::authorization_url`] would.
    async fn issuer(&self, provider: &IdentityProvider) -> Result<String, ProviderError>;

    /// Returns the URL of the provider to which a browser is redirected. MUST respond within a few seconds.
    async fn authorization_url(
        &self,
        provider: &IdentityProvider,
        request: &ProviderRequest,
    ) -> Result<String, ProviderError>;

    /// Redeems the code, and returns whose it is. MUST verify all that OpenID Connect Core §3.1.3.7 requires, and respond within
    /// some seconds.
    async fn identity<'a>(
        &self,
        provider: &IdentityProvider,
        client_secret: Option<&'a Secret>,
        response: &ProviderResponse,
    ) -> Result<ProviderIdentity, ProviderError>;
}
