//! The ports of the whole domain and of its areas: the interfaces that they require, as traits with documented
//! guarantees. `steward-store-contract` tests those of the store.

use std::sync::Arc;

use crate::administration::{
    ApiKeyReader, AuditLog, BlobStore, DeletedProjects, InviteReader, MessageSigner, Outbox, ProjectReader, TeamReader,
    TenantSizeReader, WebhookReader, WebhookSender,
};
use crate::data::{
    ItemImportStore, ItemIndexer, ItemReader, ProjectUserReader, SchemaDraftReader, SchemaReader, SyncStore,
    UserActivityRecorder, UserCleanup,
};
use crate::identity::{
    AccessTokens, AccountCleanup, AccountReader, AuthorizationReader, BreachedPasswords, ClientSignatures,
    EmailDeliveryStore, ExpirySweeper, IdentityProviderClient, IdentityProviderReader, KeyGenerator, KeyRing,
    LogoutQueue, Mailer, OneTimeCodes, PasskeyCeremonies, PasskeyReader, PasswordHasher, PersonalTokenReader,
    ProjectClientReader, SecondFactorReader, ServerKeyReader,
};
use crate::kernel::{
    AccessReader, BacklogReader, Clock, Compute, Encrypter, IdGenerator, IdempotencyStore, KeyDigester, RateLimitStore,
    SecretGenerator, StoreHealth, TokenVault, UnitOfWork, UsageRecorder, WorkLeases,
};
#[cfg(any(test, feature = "mocks"))]
use crate::mocks::ports::*;
use crate::{NoBlobs, NoBreachedPasswords, NoEmail, NoIdentityProviders, NoWebhooks};

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

/// Declares structs of ports by name. With a list of what they are made of, they are also made of the ports of the
/// whole domain.
macro_rules! bundles {
    ($($(#[$about:meta])* $bundle:ident { $($name:ident: $port:ident)+ })+) => {$(
        $(#[$about])*
        #[derive(Clone)]
        #[expect(missing_docs, reason = "each field is named after its port")]
        pub struct $bundle {
            $(pub $name: Arc<dyn $port>,)+
        }
    )+};
    ($($(#[$about:meta])* $bundle:ident { $($adapters:ident: $($name:ident: $port:ident)+;)+ })+) => {
        bundles! { $($(#[$about])* $bundle { $($($name: $port)+)+ })+ }

        $(impl From<&Ports> for $bundle {
            fn from(ports: &Ports) -> Self {
                Self { $($($name: ports.$adapters.$name.clone(),)+)+ }
            }
        })+
    };
}

/// The ports of the whole domain. The bundles of the areas are made of them.
#[derive(Clone)]
pub struct Ports {
    /// The database.
    pub store: StorePorts,
    /// Time, randomness and cryptography.
    pub system: SystemPorts,
    /// Email, webhooks and images.
    pub delivery: DeliveryPorts,
}

bundles! {
    /// Adapters for time, randomness and cryptography.
    SystemPorts {
        clock: Clock ids: IdGenerator secrets: SecretGenerator digester: KeyDigester passwords: PasswordHasher
        compute: Compute tokens: AccessTokens generator: KeyGenerator ring: KeyRing vault: TokenVault
        encrypter: Encrypter signer: MessageSigner one_time_codes: OneTimeCodes passkey_ceremonies: PasskeyCeremonies
        signatures: ClientSignatures
    }

    /// Adapters that send data to other systems. By default, nothing is sent or asked, and no images are stored.
    DeliveryPorts {
        mailer: Mailer webhook_sender: WebhookSender blobs: BlobStore breached_passwords: BreachedPasswords
        provider_client: IdentityProviderClient
    }
}

impl Default for DeliveryPorts {
    fn default() -> Self {
        Self {
            mailer: Arc::new(NoEmail),
            webhook_sender: Arc::new(NoWebhooks),
            blobs: Arc::new(NoBlobs),
            breached_passwords: Arc::new(NoBreachedPasswords),
            provider_client: Arc::new(NoIdentityProviders),
        }
    }
}

// What the use cases of each area call. A program that embeds one area provides its bundle and that of the kernel.
bundles! {
    /// What every use case needs.
    KernelPorts {
        store: unit_of_work: UnitOfWork access: AccessReader rate_limits: RateLimitStore leases: WorkLeases;
        system: clock: Clock ids: IdGenerator secrets: SecretGenerator vault: TokenVault encrypter: Encrypter
            compute: Compute;
    }

    /// Teams, members, invites, projects, API keys, webhooks, the audit log and images.
    AdministrationPorts {
        store: teams: TeamReader invites: InviteReader projects: ProjectReader deleted_projects: DeletedProjects
            api_keys: ApiKeyReader webhooks: WebhookReader outbox: Outbox audit_log: AuditLog
            // Of identity: who is invited, and what a member set up.
            accounts: AccountReader project_clients: ProjectClientReader identity_providers: IdentityProviderReader;
        system: digester: KeyDigester signer: MessageSigner;
        delivery: mailer: Mailer webhook_sender: WebhookSender blobs: BlobStore;
    }

    /// Schemas, items, their synchronization and import, and the users of projects.
    DataPorts {
        store: schemas: SchemaReader schema_drafts: SchemaDraftReader items: ItemReader item_indexer: ItemIndexer
            item_imports: ItemImportStore sync: SyncStore project_users: ProjectUserReader user_cleanup: UserCleanup
            // Of administration, and of identity: the people behind users, and their sign-ins.
            projects: ProjectReader
            accounts: AccountReader authorizations: AuthorizationReader second_factors: SecondFactorReader
            passkeys: PasskeyReader;
    }

    /// Accounts, sessions, OAuth and its clients, second factors, passkeys, identity providers and server keys.
    IdentityPorts {
        store: accounts: AccountReader account_cleanup: AccountCleanup authorizations: AuthorizationReader
            logout_queue: LogoutQueue project_clients: ProjectClientReader personal_tokens: PersonalTokenReader
            second_factors: SecondFactorReader passkeys: PasskeyReader identity_providers: IdentityProviderReader
            server_keys: ServerKeyReader usage: UsageRecorder
            // Of administration, and of data: what an account has, and to which it signs in.
            teams: TeamReader invites: InviteReader projects: ProjectReader audit_log: AuditLog
            project_users: ProjectUserReader user_activity: UserActivityRecorder items: ItemReader;
        system: digester: KeyDigester passwords: PasswordHasher tokens: AccessTokens generator: KeyGenerator
            ring: KeyRing one_time_codes: OneTimeCodes passkey_ceremonies: PasskeyCeremonies
            signatures: ClientSignatures;
        delivery: mailer: Mailer webhook_sender: WebhookSender breached_passwords: BreachedPasswords
            provider_client: IdentityProviderClient;
    }

    /// The state of the service, besides the ports of identity.
    OperatorPorts {
        store: health: StoreHealth backlog: BacklogReader tenant_sizes: TenantSizeReader;
    }
}
