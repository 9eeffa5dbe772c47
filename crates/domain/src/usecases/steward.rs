//! All use cases over one set of ports: who embeds the domain builds this.

use std::sync::{Arc, Mutex};

use chrono::TimeDelta;

use crate::model::{ServiceAddress, SignUpPolicy};
use crate::policy::Quotas;
use crate::ports::{
    AccessTokens, BacklogReader, BlobStore, Clock, Compute, Encrypter, IdGenerator, KeyDigester, KeyGenerator, KeyRing,
    Mailer, MessageSigner, PasswordHasher, SecretGenerator, Store, StoreHealth, TokenVault, UnitOfWork, WebhookSender,
};

use super::audit::AuditRetention;
use super::known_browsers::KnownBrowsers;
use super::sign_in_guard::SignInGuard;
use super::{
    Access, AccountAdministration, Accounts, ApiKeys, Audit, Authentication, Authority, Authorizations, CurrentKeys,
    DeletedProjectData, EmailLinks, Expiry, Grants, Idempotency, Images, Invites, ItemIndexing, Items, Members,
    PersonalTokens, ProjectCleanup, ProjectUsers, Projects, QuotaGuard, QuotaStats, RateLimiter, ReplayAuthorization,
    SchemaCatalog, Schemas, ServerKeys, Sessions, Shares, SignInStats, Teams, TokenGrants, TokenVerifier, Usage,
    UserData, WebhookDeliveries, Webhooks,
};

/// What the use cases need of the world.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is the port it is named after")]
pub struct Ports {
    pub store: Arc<dyn Store>,
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
    pub webhook_sender: Arc<dyn WebhookSender>,
    pub mailer: Arc<dyn Mailer>,
    pub blobs: Arc<dyn BlobStore>,
}

/// What a deployment decides.
pub struct Deployment {
    /// Where the service lives.
    pub address: ServiceAddress,
    /// Who may sign up.
    pub sign_up: SignUpPolicy,
    /// After how long a signing key is replaced. `None`: never.
    pub signing_key_age: Option<TimeDelta>,
    /// Counts attempts, or does not.
    pub rate_limiter: RateLimiter,
    /// How long the audit log is kept.
    pub audit_retention: AuditRetention,
    /// How much teams and projects may keep.
    pub quotas: Quotas,
}

/// All use cases over one set of ports.
#[expect(missing_docs, reason = "each field holds the use cases it is named after")]
pub struct Steward {
    pub account_administration: AccountAdministration,
    pub accounts: Accounts,
    pub api_keys: ApiKeys,
    pub audit: Arc<Audit>,
    pub authentication: Authentication,
    pub authority: Authority,
    pub authorizations: Authorizations,
    pub deliveries: Arc<WebhookDeliveries>,
    pub email_links: EmailLinks,
    pub expiry: Expiry,
    pub grants: Grants,
    pub images: Images,
    pub invites: Invites,
    pub item_indexing: ItemIndexing,
    pub items: Items,
    pub members: Members,
    pub personal_tokens: PersonalTokens,
    pub project_users: ProjectUsers,
    pub projects: Projects,
    pub project_cleanup: ProjectCleanup,
    pub repeats: Idempotency,
    pub schemas: Schemas,
    pub server_keys: ServerKeys,
    pub sessions: Sessions,
    pub sign_ins: Arc<SignInStats>,
    pub shares: Arc<Shares>,
    pub teams: Teams,
    pub rate_limiter: Arc<RateLimiter>,
    pub token_grants: TokenGrants,
    pub user_data: UserData,
    pub tokens: Arc<dyn AccessTokens>,
    pub usage: Arc<Usage>,
    pub webhooks: Webhooks,
    pub health: Arc<dyn StoreHealth>,
    pub clock: Arc<dyn Clock>,
    pub compute: Arc<dyn Compute>,
    pub passwords: Arc<dyn PasswordHasher>,
    pub address: ServiceAddress,
    pub quotas: Quotas,
    pub quota_stats: Arc<QuotaStats>,
    pub backlog: Arc<dyn BacklogReader>,
}

impl Steward {
    /// Wires the use cases.
    #[expect(clippy::too_many_lines, reason = "a list of what each use case needs, with nothing to decide")]
    pub fn new(ports: Ports, deployment: Deployment) -> Self {
        let Deployment { address, sign_up, signing_key_age, rate_limiter, audit_retention, quotas } = deployment;
        let Ports {
            store,
            clock,
            ids,
            secrets,
            digester,
            passwords,
            compute,
            tokens,
            generator,
            ring,
            vault,
            encrypter,
            mailer,
            signer,
            webhook_sender,
            blobs,
        } = ports;
        let rate_limiter = Arc::new(rate_limiter.sharing(store.clone(), vault.clone()));
        let sign_ins = Arc::new(SignInStats::default());
        let guard = SignInGuard {
            accounts: store.clone(),
            counter: store.clone(),
            vault: vault.clone(),
            rate_limiter: rate_limiter.clone(),
            browsers: KnownBrowsers { encrypter: encrypter.clone(), ids: ids.clone() },
            stats: sign_ins.clone(),
        };
        let quota_stats = Arc::new(QuotaStats::default());
        let guarded: Arc<dyn UnitOfWork> =
            Arc::new(QuotaGuard::new(store.clone(), quotas.clone(), quota_stats.clone()));
        let access = Access::new(store.clone(), store.clone(), rate_limiter.clone(), clock.clone());
        let catalog = SchemaCatalog::new(store.clone());
        let usage = Arc::new(Usage::new(store.clone()));
        let remains = DeletedProjectData::new(store.clone(), blobs.clone());
        let keys = Arc::new(CurrentKeys::new(store.clone(), ring, clock.clone()));
        let verifier = TokenVerifier::new(tokens.clone(), keys.clone(), vault.clone());
        let authentication = Authentication::new(
            store.clone(),
            store.clone(),
            store.clone(),
            store.clone(),
            digester.clone(),
            verifier.clone(),
            usage.clone(),
            store.clone(),
            vault.clone(),
            clock.clone(),
        );
        let replays = ReplayAuthorization {
            access: access.clone(),
            teams: store.clone(),
            projects: store.clone(),
            keys: store.clone(),
        };
        let authority = Authority {
            teams: store.clone(),
            keys: store.clone(),
            invites: store.clone(),
            webhooks: store.clone(),
            store: store.clone(),
            clock: clock.clone(),
        };
        let holder = ids.next();
        let shares = Arc::new(Shares::new(store.clone(), clock.clone(), holder));
        let audit = Arc::new(Audit::new(
            access.clone(),
            store.clone(),
            store.clone(),
            shares.clone(),
            vault.clone(),
            clock.clone(),
            audit_retention,
        ));
        let deliveries = Arc::new(WebhookDeliveries {
            access: store.clone(),
            log: store.clone(),
            outbox: store.clone(),
            sender: webhook_sender,
            signer,
            encrypter: encrypter.clone(),
            secrets: secrets.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            holder,
            running: Mutex::default(),
        });
        let webhooks = Webhooks {
            access: access.clone(),
            audit: audit.clone(),
            rate_limiter: rate_limiter.clone(),
            deliveries: deliveries.clone(),
            webhooks: store.clone(),
            outbox: store.clone(),
            store: guarded.clone(),
            encrypter: encrypter.clone(),
            secrets: secrets.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        };
        let email_links = EmailLinks {
            address: address.clone(),
            links: store.clone(),
            accounts: store.clone(),
            store: store.clone(),
            passwords: passwords.clone(),
            vault: vault.clone(),
            secrets: secrets.clone(),
            mailer: mailer.clone(),
            rate_limiter: rate_limiter.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        };
        let sessions = Sessions {
            sessions: store.clone(),
            store: store.clone(),
            vault: vault.clone(),
            secrets: secrets.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        };
        let user_data = UserData {
            access: access.clone(),
            users: store.clone(),
            items: store.clone(),
            grants: store.clone(),
            store: store.clone(),
            clock: clock.clone(),
        };
        Self {
            account_administration: AccountAdministration {
                accounts: store.clone(),
                traces: store.clone(),
                teams: store.clone(),
                user_data: user_data.clone(),
                authority: authority.clone(),
                store: store.clone(),
                passwords: passwords.clone(),
                clock: clock.clone(),
            },
            accounts: Accounts::new(
                store.clone(),
                store.clone(),
                passwords.clone(),
                tokens.clone(),
                email_links.clone(),
                guard,
                store.clone(),
                sign_up,
                rate_limiter.clone(),
                clock.clone(),
                ids.clone(),
            ),
            api_keys: ApiKeys::new(
                access.clone(),
                store.clone(),
                store.clone(),
                guarded.clone(),
                digester.clone(),
                secrets.clone(),
                clock.clone(),
                ids.clone(),
            ),
            audit,
            deliveries,
            authorizations: Authorizations {
                address: address.clone(),
                sessions: sessions.clone(),
                reader: store.clone(),
                projects: store.clone(),
                users: store.clone(),
                store: store.clone(),
                tokens: tokens.clone(),
                vault: vault.clone(),
                secrets: secrets.clone(),
                rate_limiter: rate_limiter.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            grants: Grants {
                grants: store.clone(),
                projects: store.clone(),
                users: store.clone(),
                store: store.clone(),
                clock: clock.clone(),
            },
            images: Images {
                access: access.clone(),
                projects: store.clone(),
                blobs,
                store: store.clone(),
                compute: compute.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            invites: Invites {
                access: access.clone(),
                address: address.clone(),
                invites: store.clone(),
                accounts: store.clone(),
                teams: store.clone(),
                store: guarded.clone(),
                mailer: mailer.clone(),
                rate_limiter: rate_limiter.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            items: Items::new(
                access.clone(),
                catalog.clone(),
                store.clone(),
                store.clone(),
                guarded.clone(),
                compute.clone(),
                clock.clone(),
                ids.clone(),
            ),
            members: Members::new(access.clone(), store.clone(), authority.clone(), store.clone(), clock.clone()),
            personal_tokens: PersonalTokens::new(
                access.clone(),
                store.clone(),
                store.clone(),
                digester,
                secrets.clone(),
                clock.clone(),
                ids.clone(),
            ),
            project_users: ProjectUsers::new(
                access.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                authentication.clone(),
                clock.clone(),
                ids.clone(),
                address.clone(),
            ),
            projects: Projects::new(
                access.clone(),
                store.clone(),
                guarded.clone(),
                remains.clone(),
                clock.clone(),
                ids.clone(),
                address.clone(),
            ),
            project_cleanup: ProjectCleanup::new(remains, shares.clone()),
            expiry: Expiry::new(store.clone(), shares.clone(), clock.clone()),
            item_indexing: ItemIndexing::new(store.clone(), shares.clone()),
            repeats: Idempotency::new(replays, store.clone(), vault.clone(), encrypter, clock.clone(), ids.clone()),
            schemas: Schemas::new(
                access.clone(),
                catalog,
                store.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                compute.clone(),
                clock.clone(),
                ids.clone(),
                address.clone(),
            ),
            server_keys: ServerKeys::new(
                store.clone(),
                store.clone(),
                generator,
                keys.clone(),
                signing_key_age,
                clock.clone(),
                ids.clone(),
            ),
            user_data,
            teams: Teams::new(
                access,
                store.clone(),
                store.clone(),
                store.clone(),
                guarded.clone(),
                clock.clone(),
                ids.clone(),
            ),
            token_grants: TokenGrants {
                address: address.clone(),
                reader: store.clone(),
                accounts: store.clone(),
                store: store.clone(),
                tokens: tokens.clone(),
                verifier,
                keys,
                vault,
                secrets,
                rate_limiter: rate_limiter.clone(),
                clock: clock.clone(),
                ids,
            },
            authentication,
            authority,
            email_links,
            sessions,
            sign_ins,
            rate_limiter,
            shares,
            tokens,
            usage,
            webhooks,
            health: store.clone(),
            backlog: store,
            compute,
            passwords,
            clock,
            address,
            quotas,
            quota_stats,
        }
    }
}
