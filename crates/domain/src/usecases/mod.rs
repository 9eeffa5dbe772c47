//! The use cases of the service. Each one reads, checks permissions, decides and commits.

mod access;
mod account_administration;
mod account_deletion;
mod account_export;
mod accounts;
mod administrator;
mod api_keys;
mod audit;
mod authenticated;
mod authentication;
mod authority;
mod core;
mod current_keys;
mod deletion_progress;
mod deliveries;
mod email_change;
mod email_links;
mod expiry;
mod first_operator;
mod idempotency;
mod images;
mod invite_proofs;
mod invites;
mod item_imports;
mod item_indexing;
mod items;
mod known_browsers;
mod logout_deliveries;
mod members;
mod oauth;
mod operators;
mod own_account;
mod personal_tokens;
mod project_cleanup;
mod project_users;
mod projects;
mod quota_guard;
mod rate_limiter;
mod replay_authorization;
mod schema_catalog;
mod schemas;
mod search;
mod server_keys;
mod sessions;
mod shares;
mod sign_in_guard;
mod sign_in_stats;
mod steward;
mod sync;
mod teams;
mod usage;
mod user_data;
mod user_deletions;
mod user_sessions;
mod verified_tokens;
mod webhook_messages;
mod webhooks;

use crate::error::{Conflict, Error, Forbidden, OAuthError, ResourceKind};
use crate::model::{Page, PageRequest, Slug};
use crate::ports::{CommitError, StoreError};

pub use self::core::{Core, DeliveryPorts, Deployment, Ports, SystemPorts};
pub use access::{Access, ProjectAccess, TeamAccess};
pub use account_administration::AccountAdministration;
pub use account_deletion::{AccountDeletion, AccountDeletions};
pub use account_export::{AccountExport, AccountExports, ExportedApp};
pub use accounts::{Accounts, SignUp};
pub use api_keys::{ApiKeys, CreateKey, UpdateKey};
pub use audit::{Audit, AuditRetention, Verification};
pub use authenticated::Authenticated;
pub use authentication::{Authentication, SignInRules};
pub use authority::{AffectedResources, Authority};
pub use current_keys::{CurrentKeys, TokenVerifier};
pub use deletion_progress::DeletionProgress;
pub use deliveries::WebhookDeliveries;
pub use email_change::EmailChanges;
pub use email_links::EmailLinks;
pub use expiry::Expiry;
pub use first_operator::FirstOperator;
pub use idempotency::{Idempotency, IdempotencyOutcome};
pub use images::{Images, PublicImage};
pub use invite_proofs::{InviteOffer, InviteProofs};
pub use invites::{CreateInvite, Invited, Invites, TeamInvite};
pub use item_imports::{ImportUpload, ItemImports};
pub use item_indexing::ItemIndexing;
pub use items::{Accessor, BatchOperation, BatchStep, Items, Undone};
pub use logout_deliveries::{LogoutAttempt, LogoutDeliveries};
pub use members::{Members, UpdateMember};
pub use oauth::{
    ActiveSignIn, AuthorizationStep, Authorizations, Client, Grants, Introspection, LogoutRequest, Pending,
    TokenGrants, TokenRequest, Tokens,
};
pub use operators::{InstanceHealth, InstanceOverview, Operators, PartState};
pub use own_account::{OwnAccount, UpdateProfile};
pub use personal_tokens::{CreateToken, PersonalTokens};
pub use project_cleanup::{DeletedProjectData, ProjectCleanup};
pub use project_users::{ProjectUsers, UpdateUser};
pub use projects::{CreateProject, Projects, UpdateProject};
pub use quota_guard::{QuotaGuard, QuotaStats};
pub use rate_limiter::RateLimiter;
pub use replay_authorization::{ReplayAuthorization, RequestedAccess};
pub use schema_catalog::SchemaCatalog;
pub use schemas::{CheckResult, Publication, PublishOptions, SaveDraft, SchemaSelection, Schemas};
pub use search::{Found, Search, SearchResults};
pub use server_keys::ServerKeys;
pub use sessions::Sessions;
pub use shares::Shares;
pub use sign_in_stats::{SignInOutcome, SignInStats};
pub use steward::Steward;
pub use sync::{ItemSync, SyncLoad, SyncMessage, SyncOutcome, SyncPortion, SyncSession};
pub use teams::{CreateTeam, ListsVersion, TeamDetails, Teams, UpdateTeam};
pub use usage::Usage;
pub use user_data::{UserData, UserExport};
pub use user_deletions::UserDeletions;
pub use user_sessions::UserSessions;
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

/// Returns the first alternative that is not taken.
fn first_free(slug: &Slug, taken: Result<Vec<Slug>, StoreError>) -> Result<Slug, Error> {
    let taken = taken?;
    let free = alternatives(slug).into_iter().find(|candidate| !taken.contains(candidate));
    Ok(free.unwrap_or_else(|| slug.numbered(u32::MAX)))
}
