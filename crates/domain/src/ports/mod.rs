//! Ports: the interfaces that the domain requires, as traits with documented guarantees. `steward-store-contract` tests
//! those of the store.

mod access;
mod account;
mod api_key;
mod audit_log;
mod authorization;
mod backlog;
mod blob_store;
mod clock;
mod compute;
mod disabled;
mod id_generator;
mod idempotency;
mod invite;
mod item;
mod item_import;
mod logout_queue;
mod mailer;
mod passwords;
mod personal_token;
mod project;
mod project_user;
mod rate_limit;
mod schema;
mod schema_draft;
mod secrets;
mod server_key;
mod store_error;
mod store_health;
mod sync;
mod team;
mod tenant_size;
mod tokens;
mod unit_of_work;
mod usage;
mod webhook;
mod work_lease;

pub use access::AccessReader;
pub use account::{AccountCleanup, AccountReader};
pub use api_key::{ApiKeyReader, MAX_SEARCHED_KEYS};
pub use audit_log::{AuditLog, MatchingEvents, RetentionCutoff, SealedBatch, UnsealedEvents};
pub use authorization::{AuthorizationReader, Expiring, ExpirySweeper};
pub use backlog::{Backlog, BacklogReader};
pub use blob_store::{BlobReader, BlobStore};
pub use clock::Clock;
pub use compute::{Compute, Job, PoolStats};
pub use disabled::{NoBlobs, NoEmail, NoWebhooks};
pub use id_generator::IdGenerator;
pub use idempotency::IdempotencyStore;
pub use invite::InviteReader;
pub use item::{IndexStep, ItemIndexer, ItemReader};
pub use item_import::{AppendOutcome, ItemImportStore};
pub use logout_queue::LogoutQueue;
pub use mailer::{EmailDeliveryStore, Mailer};
pub use passwords::PasswordHasher;
pub use personal_token::PersonalTokenReader;
pub use project::{DeletedProjects, ProjectReader};
pub use project_user::{ProjectUserReader, UserActivityRecorder, UserCleanup};
pub use rate_limit::{LimitOutcome, RateLimitStore};
pub use schema::SchemaReader;
pub use schema_draft::SchemaDraftReader;
pub use secrets::{Encrypter, KeyDigester, SecretGenerator, TokenVault};
pub use server_key::{KeyGenerator, KeyRing, ServerKeyReader};
pub use store_error::StoreError;
pub use store_health::{HealthError, LaneStats, StoreHealth};
pub use sync::SyncStore;
pub use team::TeamReader;
pub use tenant_size::TenantSizeReader;
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
    account::{MockAccountCleanup, MockAccountReader},
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
    item_import::MockItemImportStore,
    logout_queue::MockLogoutQueue,
    mailer::{MockEmailDeliveryStore, MockMailer},
    passwords::MockPasswordHasher,
    personal_token::MockPersonalTokenReader,
    project::{MockDeletedProjects, MockProjectReader},
    project_user::{MockProjectUserReader, MockUserActivityRecorder, MockUserCleanup},
    rate_limit::MockRateLimitStore,
    schema::MockSchemaReader,
    schema_draft::MockSchemaDraftReader,
    secrets::{MockEncrypter, MockKeyDigester, MockSecretGenerator, MockTokenVault},
    server_key::{MockKeyGenerator, MockKeyRing, MockServerKeyReader},
    sync::MockSyncStore,
    team::MockTeamReader,
    tenant_size::MockTenantSizeReader,
    tokens::MockAccessTokens,
    unit_of_work::MockUnitOfWork,
    usage::MockUsageRecorder,
    webhook::{MockMessageSigner, MockOutbox, MockWebhookReader, MockWebhookSender},
    work_lease::MockWorkLeases,
};

/// Declares [`Store`] as these ports.
macro_rules! store {
    ($first:ident $($port:ident)+) => {
        /// All ports of a store. It is implemented for every type that implements the individual ports.
        pub trait Store: $first $(+ $port)+ {}

        impl<T: $first $(+ $port)+> Store for T {}
    };
}

store! {
    UnitOfWork
    AccessReader
    AccountReader
    AccountCleanup
    UserCleanup
    TeamReader
    TenantSizeReader
    InviteReader
    ProjectReader
    DeletedProjects
    ApiKeyReader
    RateLimitStore
    SchemaReader
    SchemaDraftReader
    ProjectUserReader
    ItemReader
    ItemIndexer
    ItemImportStore
    SyncStore
    ServerKeyReader
    AuthorizationReader
    LogoutQueue
    EmailDeliveryStore
    UserActivityRecorder
    ExpirySweeper
    UsageRecorder
    AuditLog
    BacklogReader
    IdempotencyStore
    PersonalTokenReader
    WebhookReader
    Outbox
    WorkLeases
    StoreHealth
}
