//! All use cases, wired to one set of ports.

use std::sync::Arc;

use crate::jobs::JobRegistry;
use crate::model::ServiceAddress;
use crate::policy::Quotas;
use crate::ports::{AccessTokens, BacklogReader, Clock, Compute, PasswordHasher, StoreHealth};

use super::{
    AccountAdministration, AccountDeletions, AccountExports, Accounts, ApiKeys, Audit, Authentication, Authority,
    Authorizations, Core, Deployment, EmailChanges, EmailLinks, Expiry, FirstOperator, Grants, Idempotency, Images,
    Invites, ItemIndexing, ItemSync, Items, LogoutDeliveries, Members, Operators, OwnAccount, PersonalTokens, Ports,
    ProjectCleanup, ProjectUsers, Projects, QuotaStats, RateLimiter, Schemas, ServerKeys, Sessions, Shares,
    SignInStats, Teams, TokenGrants, Usage, UserData, UserSessions, WebhookDeliveries, Webhooks,
};

/// All use cases, wired to one set of ports.
#[expect(missing_docs, reason = "each field is named after its use cases")]
pub struct Steward {
    pub account_administration: AccountAdministration,
    pub account_deletions: AccountDeletions,
    pub account_exports: AccountExports,
    pub accounts: Accounts,
    pub api_keys: ApiKeys,
    pub audit: Arc<Audit>,
    pub authentication: Authentication,
    pub authority: Authority,
    pub authorizations: Authorizations,
    pub deliveries: Arc<WebhookDeliveries>,
    pub email_changes: EmailChanges,
    pub email_links: EmailLinks,
    pub expiry: Expiry,
    pub first_operator: FirstOperator,
    pub grants: Grants,
    pub images: Images,
    pub invites: Invites,
    pub item_indexing: ItemIndexing,
    pub item_sync: ItemSync,
    pub items: Items,
    pub logout_deliveries: LogoutDeliveries,
    pub members: Members,
    pub operators: Operators,
    pub own_account: OwnAccount,
    pub personal_tokens: PersonalTokens,
    pub project_users: ProjectUsers,
    pub projects: Projects,
    pub project_cleanup: ProjectCleanup,
    pub idempotency: Idempotency,
    pub schemas: Schemas,
    pub server_keys: ServerKeys,
    pub sessions: Sessions,
    pub sign_ins: Arc<SignInStats>,
    pub shares: Arc<Shares>,
    pub teams: Teams,
    pub rate_limiter: Arc<RateLimiter>,
    pub token_grants: TokenGrants,
    pub user_data: UserData,
    pub user_sessions: UserSessions,
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
    pub jobs: Arc<JobRegistry>,
}

impl Steward {
    /// Wires all use cases to the ports.
    pub fn new(ports: Ports, deployment: Deployment) -> Self {
        let core = Core::new(ports, deployment);
        let (audit, deliveries) = (Arc::new(Audit::new(&core)), Arc::new(WebhookDeliveries::new(&core)));
        Self {
            account_administration: AccountAdministration::new(&core),
            account_deletions: AccountDeletions::new(&core),
            account_exports: AccountExports::new(&core),
            accounts: Accounts::new(&core),
            api_keys: ApiKeys::new(&core),
            authentication: core.authentication.clone(),
            authority: Authority::new(&core),
            authorizations: Authorizations::new(&core),
            email_changes: EmailChanges::new(&core),
            email_links: EmailLinks::new(&core),
            expiry: Expiry::new(&core),
            first_operator: FirstOperator::new(&core),
            grants: Grants::new(&core),
            images: Images::new(&core),
            invites: Invites::new(&core),
            item_indexing: ItemIndexing::new(&core),
            item_sync: ItemSync::new(&core),
            items: Items::new(&core),
            logout_deliveries: LogoutDeliveries::new(&core),
            members: Members::new(&core),
            operators: Operators::new(&core),
            own_account: OwnAccount::new(&core),
            personal_tokens: PersonalTokens::new(&core),
            project_users: ProjectUsers::new(&core),
            projects: Projects::new(&core),
            project_cleanup: ProjectCleanup::new(&core),
            idempotency: Idempotency::new(&core),
            schemas: Schemas::new(&core),
            server_keys: ServerKeys::new(&core),
            sessions: Sessions::new(&core),
            sign_ins: core.sign_ins.clone(),
            shares: core.shares.clone(),
            teams: Teams::new(&core),
            rate_limiter: core.rate_limiter.clone(),
            token_grants: TokenGrants::new(&core),
            user_data: UserData::new(&core),
            user_sessions: UserSessions::new(&core),
            tokens: core.system.tokens.clone(),
            usage: core.usage.clone(),
            webhooks: Webhooks::new(&core, audit.clone(), deliveries.clone()),
            health: core.store.clone(),
            clock: core.system.clock.clone(),
            compute: core.system.compute.clone(),
            passwords: core.system.passwords.clone(),
            address: core.address.clone(),
            quotas: core.quotas.clone(),
            quota_stats: core.quota_stats.clone(),
            backlog: core.store.clone(),
            jobs: core.jobs.clone(),
            audit,
            deliveries,
        }
    }
}
