//! The ports and components that use cases share. Programs that embed the domain build a [`Core`], and from it only the use
//! cases that they need.

use std::sync::Arc;

use chrono::TimeDelta;
use uuid::Uuid;

use crate::changes::Changes;
use crate::jobs::JobRegistry;
use crate::model::{
    EffectiveSetting, FamilyLifetime, FirstPartyClients, ProjectId, SecondFactorPolicy, ServiceAddress,
    SessionLifetime, SignUpPolicy, Time,
};
use crate::policy::{AccountRules, Quotas};
use crate::ports::{
    AccessTokens, BlobStore, BreachedPasswords, ClientSignatures, Clock, CommitError, Committed, Compute, Encrypter,
    IdGenerator, IdentityProviderClient, KeyDigester, KeyGenerator, KeyRing, Mailer, MessageSigner, NoBlobs,
    NoBreachedPasswords, NoEmail, NoIdentityProviders, NoWebhooks, OneTimeCodes, PasskeyCeremonies, PasswordHasher,
    SecretGenerator, StorePorts, TokenVault, WebhookSender,
};

use super::audit::AuditRetention;
use super::service::used_ids::UsedIds;
use super::{
    Access, ActionLimiter, Authentication, CurrentKeys, Proofs, QuotaGuard, QuotaStats, RequestLog, SchemaCatalog,
    Shares, SignInRules, SignInStats, TokenVerifier, Usage,
};

/// Adapters that the use cases require.
#[derive(Clone)]
pub struct Ports {
    /// The database.
    pub store: StorePorts,
    /// Time, randomness and cryptography.
    pub system: SystemPorts,
    /// Email, webhooks and images.
    pub delivery: DeliveryPorts,
}

/// Adapters for time, randomness and cryptography.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct SystemPorts {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGenerator>,
    pub secrets: Arc<dyn SecretGenerator>,
    pub digester: Arc<dyn KeyDigester>,
    pub passwords: Arc<dyn PasswordHasher>,
    pub compute: Arc<dyn Compute>,
    pub tokens: Arc<dyn AccessTokens>,
    pub generator: Arc<dyn KeyGenerator>,
    pub ring: Arc<dyn KeyRing>,
    pub vault: Arc<dyn TokenVault>,
    pub encrypter: Arc<dyn Encrypter>,
    pub signer: Arc<dyn MessageSigner>,
    pub one_time_codes: Arc<dyn OneTimeCodes>,
    pub passkeys: Arc<dyn PasskeyCeremonies>,
    pub signatures: Arc<dyn ClientSignatures>,
}

/// Adapters that send data to other systems. By default, nothing is sent or asked, and no images are stored.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct DeliveryPorts {
    pub mailer: Arc<dyn Mailer>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    pub blobs: Arc<dyn BlobStore>,
    pub breached_passwords: Arc<dyn BreachedPasswords>,
    pub identity_providers: Arc<dyn IdentityProviderClient>,
}

impl Default for DeliveryPorts {
    fn default() -> Self {
        Self {
            mailer: Arc::new(NoEmail),
            webhook_sender: Arc::new(NoWebhooks),
            blobs: Arc::new(NoBlobs),
            breached_passwords: Arc::new(NoBreachedPasswords),
            identity_providers: Arc::new(NoIdentityProviders),
        }
    }
}

/// Settings of a deployment.
pub struct Deployment {
    /// Public address of the service.
    pub address: ServiceAddress,
    /// Policy that decides who may sign up.
    pub sign_up: SignUpPolicy,
    /// Whether people can sign in with a code that they receive by email.
    pub email_codes: bool,
    /// The project in which clients may register themselves without a token; `None` for none.
    pub open_registration: Option<ProjectId>,
    /// Who has to use a second factor.
    pub second_factor: SecondFactorPolicy,
    /// First-party clients besides this service's own.
    pub first_party_clients: FirstPartyClients,
    /// Whether `POST /auth/login` exchanges a password for tokens, outside of OAuth.
    pub password_tokens: bool,
    /// How long the session of a browser lasts.
    pub session_lifetime: SessionLifetime,
    /// How long the tokens of a sign-in can be renewed.
    pub family_lifetime: FamilyLifetime,
    /// Age at which a signing key is replaced; `None` to never replace it automatically.
    pub signing_key_age: Option<TimeDelta>,
    /// Rate limiter, which may be turned off.
    pub action_limiter: ActionLimiter,
    /// Retention of audit log entries.
    pub audit_retention: AuditRetention,
    /// Quotas of teams and projects.
    pub quotas: Quotas,
    /// The settings in effect, without secrets, which operators can see.
    pub settings: Vec<EffectiveSetting>,
}

impl Deployment {
    /// Returns the default settings for a service at an address.
    pub fn at(address: ServiceAddress) -> Self {
        Self {
            address,
            sign_up: SignUpPolicy::default(),
            email_codes: true,
            open_registration: None,
            second_factor: SecondFactorPolicy::default(),
            first_party_clients: FirstPartyClients::default(),
            password_tokens: true,
            session_lifetime: SessionLifetime::default(),
            family_lifetime: FamilyLifetime::default(),
            signing_key_age: None,
            action_limiter: ActionLimiter::on(),
            audit_retention: AuditRetention::default(),
            quotas: Quotas::default(),
            settings: Vec::new(),
        }
    }
}

/// The ports, the settings and the components with state that use cases share.
pub struct Core {
    /// The store, which refuses changes that exceed a quota.
    pub(super) store: StorePorts,
    pub(super) system: SystemPorts,
    pub(super) delivery: DeliveryPorts,
    pub(super) address: ServiceAddress,
    pub(super) sign_up: SignUpPolicy,
    pub(super) email_codes: bool,
    pub(super) open_registration: Option<ProjectId>,
    pub(super) second_factor: SecondFactorPolicy,
    pub(super) first_party_clients: FirstPartyClients,
    pub(super) password_tokens: bool,
    pub(super) session_lifetime: SessionLifetime,
    pub(super) family_lifetime: FamilyLifetime,
    pub(super) signing_key_age: Option<TimeDelta>,
    pub(super) audit_retention: AuditRetention,
    pub(super) quotas: Quotas,
    pub(super) settings: Arc<[EffectiveSetting]>,
    /// Statistics of the background jobs of this process.
    pub(super) jobs: Arc<JobRegistry>,
    pub(super) quota_stats: Arc<QuotaStats>,
    pub(super) action_limiter: Arc<ActionLimiter>,
    pub(super) access: Access,
    pub(super) catalog: SchemaCatalog,
    pub(super) request_log: Arc<RequestLog>,
    pub(super) usage: Arc<Usage>,
    pub(super) keys: Arc<CurrentKeys>,
    pub(super) verifier: TokenVerifier,
    pub(super) proofs: Proofs,
    /// The assertions of clients that this process accepted.
    pub(super) used_assertions: UsedIds,
    pub(super) authentication: Authentication,
    pub(super) sign_ins: Arc<SignInStats>,
    /// Identifies this process as the holder of leases.
    pub(super) holder: Uuid,
    pub(super) shares: Arc<Shares>,
}

impl Core {
    /// Connects the shared components to the ports.
    pub fn new(ports: Ports, deployment: Deployment) -> Arc<Self> {
        let Ports { store, system, delivery } = ports;
        let Deployment {
            address,
            sign_up,
            email_codes,
            open_registration,
            second_factor,
            first_party_clients,
            password_tokens,
            session_lifetime,
            family_lifetime,
            signing_key_age,
            action_limiter,
            audit_retention,
            quotas,
            settings,
        } = deployment;
        let (clock, vault, holder) = (system.clock.clone(), system.vault.clone(), system.ids.next());
        // The last bits of an ID are random.
        let (_, _, _, random) = holder.as_fields();
        let [.., a, b, c, d] = *random;
        let request_log = Arc::new(RequestLog::new(u32::from_be_bytes([a, b, c, d])));
        let quota_stats = Arc::new(QuotaStats::default());
        let action_limiter = Arc::new(action_limiter.sharing(store.rate_limits.clone(), vault.clone()));
        let usage = Arc::new(Usage::new(store.usage.clone()));
        let keys = Arc::new(CurrentKeys::new(store.server_keys.clone(), system.ring.clone(), clock.clone()));
        let verifier = TokenVerifier::new(system.tokens.clone(), keys.clone(), vault.clone());
        let signatures = system.signatures.clone();
        let proofs = Proofs::new(signatures, vault.clone(), clock.clone(), address.clone());
        let guard = QuotaGuard::new(store.unit_of_work.clone(), quotas.clone(), quota_stats.clone());
        Arc::new(Self {
            access: Access::new(
                store.access.clone(),
                store.unit_of_work.clone(),
                action_limiter.clone(),
                clock.clone(),
            ),
            catalog: SchemaCatalog::new(store.schemas.clone()),
            authentication: Authentication::new(
                &store,
                system.digester.clone(),
                verifier.clone(),
                usage.clone(),
                proofs.clone(),
                (vault, clock.clone()),
                SignInRules {
                    first_party_clients: first_party_clients.clone(),
                    accounts: AccountRules::new(&sign_up, second_factor),
                },
            ),
            sign_ins: Arc::new(SignInStats::default()),
            shares: Arc::new(Shares::new(store.leases.clone(), clock, holder)),
            store: StorePorts { unit_of_work: Arc::new(guard), ..store },
            system,
            delivery,
            address,
            sign_up,
            email_codes,
            open_registration,
            second_factor,
            first_party_clients,
            password_tokens,
            session_lifetime,
            family_lifetime,
            signing_key_age,
            audit_retention,
            quotas,
            settings: settings.into(),
            jobs: Arc::default(),
            quota_stats,
            action_limiter,
            request_log,
            usage,
            keys,
            verifier,
            proofs,
            used_assertions: UsedIds::default(),
            holder,
        })
    }

    /// Returns what the operator requires of accounts.
    pub(super) fn account_rules(&self) -> AccountRules {
        AccountRules::new(&self.sign_up, self.second_factor)
    }

    /// Returns the current time.
    pub(super) fn now(&self) -> Time {
        self.system.clock.now()
    }

    /// Returns a new ID.
    pub(super) fn next_id(&self) -> Uuid {
        self.system.ids.next()
    }

    /// Stores a change.
    pub(super) async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        self.store.unit_of_work.commit(changes).await
    }
}
