//! The use cases of the service. Each one reads, checks permissions, decides and commits.

mod access;
mod accounts;
mod administration;
mod audit;
mod browser_values;
mod core;
mod data;
mod deployment;
mod identity;
mod identity_providers;
mod items;
mod kernel;
mod oauth;
mod projects;
mod service;
mod steward;
mod teams;
mod users;
mod webhooks;

use crate::error::{AuthenticationError, Conflict, Error, Forbidden, OAuthError, ResourceKind};
use crate::model::{AccountId, Caller, Identity, Page, PageRequest, Slug};
use crate::ports::{CommitError, StoreError};

pub use self::core::Cores;
pub use crate::ports::{
    AdministrationPorts, DataPorts, DeliveryPorts, IdentityPorts, KernelPorts, OperatorPorts, Ports, SystemPorts,
};
pub use access::authentication::{Authentication, PresentedCredential};
pub use access::authority::{AffectedResources, Authority};
pub use access::replay_authorization::{ReplayAuthorization, RequestedAccess};
pub use access::{Access, ProjectAccess, TeamAccess};
pub use accounts::administration::AccountAdministration;
pub use accounts::authentication_proof::{AuthenticationProof, PendingSignIn, SignInProgress};
pub use accounts::deletion::{AccountDeletion, AccountDeletions};
pub use accounts::deletion_progress::DeletionProgress;
pub use accounts::email_change::EmailChanges;
pub use accounts::email_codes::{CodeSignIn, EmailCodes};
pub use accounts::email_links::EmailLinks;
pub use accounts::export::{AccountExport, AccountExports, ExportedApp};
pub use accounts::factor_removal::{FactorRemoval, FactorRemovals};
pub use accounts::first_operator::FirstOperator;
pub use accounts::held::{Choice, Choices, Confirmer, Confirming, Held, HeldKind, HeldThing};
pub use accounts::new_password::AcceptedPassword;
pub use accounts::own_account::{OwnAccount, UpdateProfile};
pub use accounts::passkeys::{PasskeyChallenge, Passkeys};
pub use accounts::personal_tokens::{CreateToken, PersonalTokens};
pub use accounts::second_factor::SecondFactorSignIn;
pub use accounts::second_factor_settings::SecondFactorSettings;
pub use accounts::sessions::Sessions;
pub use accounts::sign_in_stats::{SignInOutcome, SignInStats};
pub use accounts::{Accounts, SignUp};
pub use administration::AdministrationCore;
pub use audit::{Audit, AuditRetention, Verification};
pub use data::DataCore;
pub use deployment::{Deployment, IdentitySettings};
pub use identity::IdentityCore;
pub use identity_providers::linking::LinkedIdentities;
pub use identity_providers::sign_in::{ProviderCallback, ProviderOutcome, ProviderSignInStart, ProviderSignIns};
pub use identity_providers::state::{ProviderSignInState, UnlinkedIdentity};
pub use identity_providers::{
    CreateIdentityProvider, FailedProviderSignIn, IdentityProviders, ProviderInput, UpdateIdentityProvider,
};
pub use items::imports::{ImportUpload, ItemImports};
pub use items::indexing::ItemIndexing;
pub use items::sync::{
    ItemSync, SyncCorrections, SyncLoad, SyncMessage, SyncOutcome, SyncPortion, SyncReason, SyncSession,
};
pub use items::{Accessor, BatchOperation, BatchStep, Items, Undone};
pub use kernel::Kernel;
pub use oauth::logout_deliveries::{LogoutAttempt, LogoutDeliveries};
pub use oauth::{
    ActiveSignIn, AuthorizationStep, Authorizations, Client, ClientOrigin, DeviceCodes, FormPost, Grants,
    Introspection, LogoutRequest, Pending, PresentedAssertion, PresentedClient, PushedRequest, RefusedRequest,
    TokenGrants, TokenRequest, Tokens,
};
pub use projects::api_keys::{ApiKeys, CreateKey, UpdateKey};
pub use projects::cleanup::{DeletedProjectData, ProjectCleanup};
pub use projects::client_registration::ClientMetadata;
pub use projects::clients::{Clients, CreateClient};
pub use projects::images::{Images, PublicImage};
pub use projects::schema_catalog::SchemaCatalog;
pub use projects::schemas::{CheckResult, Publication, PublishOptions, SaveDraft, SchemaSelection, Schemas};
pub use projects::{CreateProject, Projects, UpdateProject};
pub use service::action_limiter::ActionLimiter;
pub use service::current_keys::{CurrentKeys, TokenVerifier};
pub use service::expiry::Expiry;
pub use service::idempotency::{Idempotency, IdempotencyOutcome};
pub use service::operators::{InstanceHealth, InstanceOverview, Operators, PartState};
pub use service::proofs::{Proof, Proofs};
pub use service::quota_guard::{QuotaGuard, QuotaStats};
pub use service::request_log::RequestLog;
pub use service::search::{Found, Search, SearchResults};
pub use service::server_keys::ServerKeys;
pub use service::shares::Shares;
pub use service::usage::Usage;
pub use steward::{AdministrationUseCases, DataUseCases, IdentityUseCases, Steward};
pub use teams::invite_proofs::{InviteOffer, InviteProofs};
pub use teams::invites::{CreateInvite, Invited, Invites, TeamInvite};
pub use teams::members::{Members, UpdateMember};
pub use teams::people::People;
pub use teams::{CreateTeam, ListsVersion, TeamDetails, Teams, UpdateTeam};
pub use users::data::{UserData, UserExport};
pub use users::deletions::UserDeletions;
pub use users::sessions::UserSessions;
pub use users::{ProjectUsers, UpdateUser};
pub use webhooks::deliveries::WebhookDeliveries;
pub use webhooks::{CreateWebhook, UpdateWebhook, Webhooks};

/// Why one attempt to read, decide and commit failed. Only [`retry_stale`] distinguishes the variants.
#[derive(Debug)]
enum RetryError {
    /// The data was changed concurrently after it was read: read and decide again.
    Stale(ResourceKind),
    /// The request was refused or failed.
    Failed(Error),
}

// Keeps stale commits retryable: `commit(...).await?` inside `retry_stale` is retried.
impl From<CommitError> for RetryError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Stale(kind) => Self::Stale(kind),
            other => Self::Failed(other.into()),
        }
    }
}

macro_rules! failed {
    ($($error:ty),+) => {
        $(impl From<$error> for RetryError {
            fn from(error: $error) -> Self {
                Self::Failed(error.into())
            }
        })+
    };
}

failed!(Error, StoreError, Conflict, Forbidden, OAuthError);

/// Runs an attempt to read, decide and commit, and repeats it while it fails because of concurrent changes. Returns
/// `Contended` after the last attempt.
async fn retry_stale<T>(mut attempt: impl AsyncFnMut() -> Result<T, RetryError>) -> Result<T, Error> {
    const MAX_ATTEMPTS: usize = 8;
    let mut contended = ResourceKind::Team;
    for _ in 0..MAX_ATTEMPTS {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(RetryError::Stale(kind)) => contended = kind,
            Err(RetryError::Failed(error)) => return Err(error),
        }
    }
    Err(Conflict::Contended(contended).into())
}

/// Runs an attempt to authenticate a caller and to act as them, and repeats it while their access changes in between. So
/// it fails only if the caller has lost access. A first attempt may use what is known of the caller.
pub async fn retry_access_changed<T>(mut attempt: impl AsyncFnMut() -> Result<T, Error>) -> Result<T, Error> {
    const MAX_ATTEMPTS: usize = 6;
    for _ in 1..MAX_ATTEMPTS {
        match attempt().await {
            Err(Error::AccessChanged) => {}
            result => return result,
        }
    }
    attempt().await
}

/// Returns the ID of the signed-in account. Callers with any other credential are refused.
fn account_of(caller: &Caller) -> Result<AccountId, Error> {
    match &caller.identity {
        Identity::Account(id) => Ok(*id),
        Identity::Token(_) => Err(Forbidden::PersonalTokenNotAccepted.into()),
        Identity::Key(_) => Err(Forbidden::ApiKeyNotAccepted.into()),
        Identity::Client(_) => Err(Forbidden::ClientNotAccepted.into()),
        Identity::User(_) => Err(AuthenticationError::ProjectToken.into()),
    }
}

/// Reads all pages of a list.
async fn complete<T>(read: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>) -> Result<Vec<T>, StoreError> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let page = read(PageRequest { after, ..PageRequest::FIRST }).await?;
        items.extend(page.items);
        if page.next.is_none() {
            return Ok(items);
        }
        after = page.next;
    }
}

/// Alternatives to a taken slug: the slug with a number.
fn alternatives(slug: &Slug) -> Vec<Slug> {
    (2..=50).map(|number| slug.numbered(number)).collect()
}

/// Returns the first alternative that is not taken. If all are, returns one with a random number, which hardly ever is.
fn first_free(core: &Kernel, slug: &Slug, taken: Result<Vec<Slug>, StoreError>) -> Result<Slug, Error> {
    let taken = taken?;
    let free = alternatives(slug).into_iter().find(|candidate| !taken.contains(candidate));
    Ok(free.unwrap_or_else(|| {
        let entropy = core.system.secrets.entropy();
        slug.numbered(entropy.first_chunk().map_or(u32::MAX, |bytes| u32::from_be_bytes(*bytes)))
    }))
}
