//! Ports: the interfaces that the domain requires, as traits with documented guarantees. `steward-store-contract` tests
//! those of the store.

mod access;
mod account;
mod api_key;
mod audit_log;
mod authorization;
mod backlog;
mod blob_store;
mod breached_passwords;
mod client_signatures;
mod clock;
mod compute;
mod disabled;
mod id_generator;
mod idempotency;
mod identity_provider;
mod invite;
mod item;
mod item_import;
mod logout_queue;
mod mailer;
#[cfg(any(test, feature = "mocks"))]
pub(crate) mod mocks;
mod passkeys;
mod passwords;
mod personal_token;
mod project;
mod project_client;
mod project_user;
mod rate_limit;
mod schema;
mod schema_draft;
mod second_factors;
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

use std::sync::Arc;

pub use access::AccessReader;
pub use account::{AccountCleanup, AccountReader};
pub use api_key::{ApiKeyReader, MAX_SEARCHED_KEYS};
pub use audit_log::{AuditLog, MatchingEvents, RetentionCutoff, SealedBatch, UnsealedEvents};
pub use authorization::{AuthorizationReader, DeviceKey, Expiring, ExpirySweeper};
pub use backlog::{Backlog, BacklogReader};
pub use blob_store::{BlobReader, BlobStore};
pub use breached_passwords::BreachedPasswords;
pub use client_signatures::{AssertionClaims, ClientSignatures, ProofClaims};
pub use clock::Clock;
pub use compute::{Compute, Job, PoolStats};
pub use disabled::{NoBlobs, NoBreachedPasswords, NoEmail, NoIdentityProviders, NoWebhooks};
pub use id_generator::IdGenerator;
pub use idempotency::IdempotencyStore;
pub use identity_provider::{
    IdentityProviderClient, IdentityProviderReader, ProviderError, ProviderRequest, ProviderResponse,
};
pub use invite::InviteReader;
pub use item::{IndexStep, ItemIndexer, ItemReader};
pub use item_import::{AppendOutcome, ItemImportStore};
pub use logout_queue::LogoutQueue;
pub use mailer::{EmailDeliveryStore, EmailStats, Mailer};
pub use passkeys::{Ceremony, PasskeyCeremonies, PasskeyError, PasskeyReader, VerifiedCredential};
pub use passwords::PasswordHasher;
pub use personal_token::PersonalTokenReader;
pub use project::{DeletedProjects, ProjectReader};
pub use project_client::ProjectClientReader;
pub use project_user::{ProjectUserReader, UserActivityRecorder, UserCleanup};
pub use rate_limit::{LimitOutcome, RateLimitStore};
pub use schema::SchemaReader;
pub use schema_draft::SchemaDraftReader;
pub use second_factors::{OneTimeCodes, SecondFactorReader};
pub use secrets::{Encrypter, KeyDigester, SecretGenerator, TokenVault};
pub use server_key::{KeyGenerator, KeyRing, ServerKeyReader};
pub use store_error::StoreError;
pub use store_health::{HealthError, LaneStats, StoreHealth};
pub use sync::{ChangedItems, SyncStore};
pub use team::TeamReader;
pub use tenant_size::TenantSizeReader;
pub use tokens::{AccessTokens, TokenError, VerifiedToken, check_lifetime};
pub use unit_of_work::{CommitError, Committed, ItemOutcome, Unique, UnitOfWork};
pub use usage::{Credential, CredentialUse, UsageRecorder};
pub use webhook::{
    DeliveryProgress, DueWebhook, MessageSigner, Outbox, Subscriber, WebhookReader, WebhookSender, WebhookWake,
};
pub use work_lease::WorkLeases;

#[cfg(any(test, feature = "mocks"))]
use mocks::*;

/// Declares [`Store`], [`StorePorts`] and their mocks from the names, ports and mocks of a store.
macro_rules! store {
    ($($name:ident: $port:ident = $mock:ident)+) => {
        /// All ports of a store. It is implemented for every type that implements the individual ports.
        pub trait Store: Send + Sync $(+ $port)+ {}

        impl<T: Send + Sync $(+ $port)+> Store for T {}

        /// The ports of a store by name. Each of them can be replaced.
        #[derive(Clone)]
        #[expect(missing_docs, reason = "each field is named after its port")]
        pub struct StorePorts {
            $(pub $name: Arc<dyn $port>,)+
        }

        impl StorePorts {
            /// Returns the ports of a store.
            pub fn of(store: Arc<dyn Store>) -> Self {
                Self { $($name: store.clone(),)+ }
            }
        }

        /// A store of mocks, one for each port. A port without expectations fails the test that reaches it.
        #[cfg(any(test, feature = "mocks"))]
        #[derive(Default)]
        #[expect(missing_docs, reason = "each field is named after its port")]
        pub struct MockStore {
            $(pub $name: $mock,)+
        }

        #[cfg(any(test, feature = "mocks"))]
        impl From<MockStore> for StorePorts {
            fn from(store: MockStore) -> Self {
                Self { $($name: Arc::new(store.$name),)+ }
            }
        }
    };
}

store! {
    unit_of_work: UnitOfWork = MockUnitOfWork
    access: AccessReader = MockAccessReader
    accounts: AccountReader = MockAccountReader
    account_cleanup: AccountCleanup = MockAccountCleanup
    user_cleanup: UserCleanup = MockUserCleanup
    teams: TeamReader = MockTeamReader
    tenant_sizes: TenantSizeReader = MockTenantSizeReader
    invites: InviteReader = MockInviteReader
    projects: ProjectReader = MockProjectReader
    project_clients: ProjectClientReader = MockProjectClientReader
    deleted_projects: DeletedProjects = MockDeletedProjects
    api_keys: ApiKeyReader = MockApiKeyReader
    rate_limits: RateLimitStore = MockRateLimitStore
    schemas: SchemaReader = MockSchemaReader
    schema_drafts: SchemaDraftReader = MockSchemaDraftReader
    project_users: ProjectUserReader = MockProjectUserReader
    items: ItemReader = MockItemReader
    item_indexer: ItemIndexer = MockItemIndexer
    item_imports: ItemImportStore = MockItemImportStore
    sync: SyncStore = MockSyncStore
    server_keys: ServerKeyReader = MockServerKeyReader
    authorizations: AuthorizationReader = MockAuthorizationReader
    logout_queue: LogoutQueue = MockLogoutQueue
    email_deliveries: EmailDeliveryStore = MockEmailDeliveryStore
    user_activity: UserActivityRecorder = MockUserActivityRecorder
    expiry: ExpirySweeper = MockExpirySweeper
    usage: UsageRecorder = MockUsageRecorder
    audit_log: AuditLog = MockAuditLog
    backlog: BacklogReader = MockBacklogReader
    idempotency: IdempotencyStore = MockIdempotencyStore
    personal_tokens: PersonalTokenReader = MockPersonalTokenReader
    second_factors: SecondFactorReader = MockSecondFactorReader
    passkeys: PasskeyReader = MockPasskeyReader
    identity_providers: IdentityProviderReader = MockIdentityProviderReader
    webhooks: WebhookReader = MockWebhookReader
    outbox: Outbox = MockOutbox
    leases: WorkLeases = MockWorkLeases
    health: StoreHealth = MockStoreHealth
}
