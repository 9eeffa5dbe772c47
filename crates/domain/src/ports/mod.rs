//! Ports: what the domain needs of the world, as traits with promises. `steward-store-contract` proves the store's.

mod access;
mod account;
mod api_key;
mod audit_log;
mod authorization;
mod backlog;
mod blob_store;
mod clock;
mod compute;
mod id_generator;
mod idempotency;
mod invite;
mod item;
mod mailer;
mod passwords;
mod personal_token;
mod project;
mod project_user;
mod rate_limit;
mod schema;
mod secrets;
mod server_key;
mod store_health;
mod team;
mod tokens;
mod unit_of_work;
mod usage;
mod webhook;
mod work_lease;

pub use access::AccessReader;
pub use account::{AccountReader, AccountTraces};
pub use api_key::ApiKeyReader;
pub use audit_log::{AuditLog, RetentionCutoff, SealedBatch, UnsealedEvents, WantedEvents};
pub use authorization::{AuthorizationReader, Expiring, ExpirySweeper};
pub use backlog::{Backlog, BacklogReader};
pub use blob_store::{BlobReader, BlobStore};
pub use clock::Clock;
pub use compute::{Compute, Job, PoolStats};
pub use id_generator::IdGenerator;
pub use idempotency::IdempotencyStore;
pub use invite::InviteReader;
pub use item::{IndexStep, ItemIndexer, ItemReader};
pub use mailer::{EmailDeliveryStore, Mailer};
pub use passwords::PasswordHasher;
pub use personal_token::PersonalTokenReader;
pub use project::{DeletedProjects, ProjectReader};
pub use project_user::{ProjectUserReader, UserSightings};
pub use rate_limit::{LimitOutcome, RateLimitStore};
pub use schema::SchemaReader;
pub use secrets::{Encrypter, KeyDigester, SecretGenerator, TokenVault};
pub use server_key::{KeyGenerator, KeyRing, ServerKeyReader};
pub use store_health::{HealthError, LaneStats, StoreHealth};
pub use team::TeamReader;
pub use tokens::{AccessTokens, TokenError, VerifiedToken, check_lifetime};
pub use unit_of_work::{CommitError, Committed, ItemOutcome, Unique, UnitOfWork};
pub use usage::{Credential, CredentialUse, UsageRecorder};
pub use webhook::{
    DeliveryProgress, DueWebhook, MessageSigner, Outbox, Subscriber, WebhookReader, WebhookSender, WebhookWake,
};
pub use work_lease::WorkLeases;

#[cfg(feature = "mocks")]
pub use {
    access::MockAccessReader,
    account::{MockAccountReader, MockAccountTraces},
    api_key::MockApiKeyReader,
    audit_log::MockAuditLog,
    authorization::{MockAuthorizationReader, MockExpirySweeper},
    backlog::MockBacklogReader,
    blob_store::{MockBlobReader, MockBlobStore},
    clock::MockClock,
    id_generator::MockIdGenerator,
    idempotency::MockIdempotencyStore,
    invite::MockInviteReader,
    item::{MockItemIndexer, MockItemReader},
    mailer::{MockEmailDeliveryStore, MockMailer},
    passwords::MockPasswordHasher,
    personal_token::MockPersonalTokenReader,
    project::{MockDeletedProjects, MockProjectReader},
    project_user::{MockProjectUserReader, MockUserSightings},
    rate_limit::MockRateLimitStore,
    schema::MockSchemaReader,
    secrets::{MockEncrypter, MockKeyDigester, MockSecretGenerator, MockTokenVault},
    server_key::{MockKeyGenerator, MockKeyRing, MockServerKeyReader},
    team::MockTeamReader,
    tokens::MockAccessTokens,
    unit_of_work::MockUnitOfWork,
    usage::MockUsageRecorder,
    webhook::{MockMessageSigner, MockOutbox, MockWebhookReader, MockWebhookSender},
    work_lease::MockWorkLeases,
};

use crate::error::{Cause, Error};

/// Why a store could not be read. Absence is no error: it is `None`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, or has too much to do.
    #[error("the store cannot be reached")]
    Unavailable(#[source] Cause),
    /// It holds something that the domain refuses.
    #[error("the store holds something that cannot be")]
    Corrupt(#[source] Cause),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => Self::Unavailable(cause),
            StoreError::Corrupt(cause) => Self::Internal(cause),
        }
    }
}

/// Everything a store does. An adapter implements the parts.
pub trait Store:
    UnitOfWork
    + AccessReader
    + AccountReader
    + AccountTraces
    + TeamReader
    + InviteReader
    + ProjectReader
    + DeletedProjects
    + ApiKeyReader
    + RateLimitStore
    + SchemaReader
    + ProjectUserReader
    + ItemReader
    + ItemIndexer
    + ServerKeyReader
    + AuthorizationReader
    + EmailDeliveryStore
    + UserSightings
    + ExpirySweeper
    + UsageRecorder
    + AuditLog
    + BacklogReader
    + IdempotencyStore
    + PersonalTokenReader
    + WebhookReader
    + Outbox
    + WorkLeases
    + StoreHealth
{
}

impl<T> Store for T where
    T: UnitOfWork
        + AccessReader
        + AccountReader
        + AccountTraces
        + TeamReader
        + InviteReader
        + ProjectReader
        + DeletedProjects
        + ApiKeyReader
        + RateLimitStore
        + SchemaReader
        + ProjectUserReader
        + ItemReader
        + ItemIndexer
        + ServerKeyReader
        + AuthorizationReader
        + EmailDeliveryStore
        + UserSightings
        + ExpirySweeper
        + UsageRecorder
        + AuditLog
        + BacklogReader
        + IdempotencyStore
        + PersonalTokenReader
        + WebhookReader
        + Outbox
        + WorkLeases
        + WorkLeases
        + StoreHealth
{
}
