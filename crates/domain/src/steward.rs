//! All use cases, by area, wired to one set of ports.

use std::sync::Arc;

use crate::administration::{
    AdministrationCore, ApiKeys, Audit, Authority, Images, Invites, Members, Operators, People, ProjectCleanup,
    Projects, RequestLog, Search, Teams, WebhookDeliveries, Webhooks,
};
use crate::data::{
    DataCore, ItemImports, ItemIndexing, ItemSync, Items, ProjectUsers, SchemaCatalog, Schemas, UserData,
    UserDeletions, UserSessions,
};
use crate::identity::{
    AccessTokens, AccountAdministration, AccountDeletions, AccountExports, Accounts, Authentication, Authorizations,
    Clients, EmailChanges, EmailCodes, EmailLinks, Expiry, FactorRemovals, FirstOperator, Grants, IdentityCore,
    IdentityProviders, LinkedIdentities, LogoutDeliveries, Mailer, OwnAccount, Passkeys, PasswordHasher,
    PersonalTokens, ProviderSignIns, SecondFactorSettings, SecondFactorSignIn, ServerKeys, Sessions, SignInStats,
    TokenGrants,
};
use crate::kernel::jobs::JobRegistry;
use crate::kernel::policy::Quotas;
use crate::kernel::{
    Access, ActionLimiter, BacklogReader, Clock, Compute, IdGenerator, Idempotency, QuotaStats, ServiceAddress, Shares,
    StoreHealth, Usage,
};
use crate::{Cores, Deployment, Ports};

/// Declares the use cases of each area, and [`Steward`] with all of them. A row has the name of the use cases, their
/// type, and what they are constructed from: what the area shares, and use cases above them.
macro_rules! steward {
    (
        $($(#[$about:meta])* $area:ident as $of:ident($($core:ident: $shared:ty),+) {
            $($name:ident: $usecases:ident($($argument:expr),+),)+
        })+
        ; all($cores:ident, $ports:ident, $settings:ident) { $($other:ident: $type:ty = $value:expr,)+ }
    ) => {
        $(
            $(#[$about])*
            #[expect(missing_docs, reason = "each field is named after its use cases")]
            pub struct $area {
                $(pub $name: Arc<$usecases>,)+
            }

            impl $area {
                /// Constructs the use cases from what they share.
                pub fn new($($core: &Arc<$shared>),+) -> Self {
                    $(let $name = Arc::new($usecases::new($($argument),+));)+
                    Self { $($name,)+ }
                }
            }
        )+

        /// All use cases, wired to one set of ports.
        #[expect(missing_docs, reason = "each field is named after its use cases")]
        pub struct Steward {
            $(pub $of: $area, $(pub $name: Arc<$usecases>,)+)+
            $(pub $other: $type,)+
        }

        impl Steward {
            /// Wires all use cases to the ports.
            pub fn new($ports: Ports, deployment: Deployment) -> Self {
                let $settings = deployment.settings.clone();
                let $cores = Cores::new(&$ports, deployment);
                $(let $of = $area::new($(&$cores.$core),+);)+
                Self {
                    $($($name: $of.$name.clone(),)+ $of,)+
                    $($other: $value,)+
                }
            }
        }
    };
}

steward! {
    /// Teams, members, invites, projects, API keys, webhooks, the audit log and images.
    AdministrationUseCases as administration(administration: AdministrationCore) {
        people: People(administration),
        teams: Teams(administration),
        members: Members(administration),
        authority: Authority(administration),
        invites: Invites(administration),
        projects: Projects(administration),
        project_cleanup: ProjectCleanup(administration),
        api_keys: ApiKeys(administration),
        audit: Audit(administration),
        deliveries: WebhookDeliveries(administration),
        webhooks: Webhooks(administration, deliveries.clone()),
        images: Images(administration),
    }

    /// Schemas, items, their synchronization and import, and the users of projects.
    DataUseCases as data(data: DataCore) {
        schemas: Schemas(data),
        items: Items(data),
        item_sync: ItemSync(data),
        item_imports: ItemImports(data),
        item_indexing: ItemIndexing(data),
        project_users: ProjectUsers(data),
        user_data: UserData(data),
        user_deletions: UserDeletions(data),
        user_sessions: UserSessions(data),
    }

    /// Accounts, sessions, OAuth and its clients, second factors, passkeys, identity providers and server keys.
    IdentityUseCases as identity(identity: IdentityCore, data: DataCore) {
        accounts: Accounts(identity),
        account_administration: AccountAdministration(identity, data),
        account_deletions: AccountDeletions(identity, data),
        account_exports: AccountExports(identity),
        own_account: OwnAccount(identity, data),
        first_operator: FirstOperator(identity),
        email_changes: EmailChanges(identity),
        email_codes: EmailCodes(identity),
        email_links: EmailLinks(identity),
        sessions: Sessions(identity),
        personal_tokens: PersonalTokens(identity),
        passkeys: Passkeys(identity),
        second_factor: SecondFactorSignIn(identity),
        second_factor_settings: SecondFactorSettings(identity),
        factor_removals: FactorRemovals(identity),
        authorizations: Authorizations(identity),
        token_grants: TokenGrants(identity),
        grants: Grants(identity),
        logout_deliveries: LogoutDeliveries(identity),
        clients: Clients(identity),
        identity_providers: IdentityProviders(identity),
        linked_identities: LinkedIdentities(identity),
        provider_sign_ins: ProviderSignIns(identity),
        server_keys: ServerKeys(identity),
    }

    ; all(cores, ports, settings) {
        access: Access = cores.kernel.access.clone(),
        authentication: Authentication = cores.identity.authentication.clone(),
        catalog: SchemaCatalog = cores.data.catalog.clone(),
        expiry: Expiry = Expiry::new(&cores.kernel, ports.store.expiry.clone()),
        idempotency: Idempotency = Idempotency::new(&cores.administration, ports.store.idempotency.clone()),
        operators: Operators = Operators::new(&cores.identity, &cores.data, (&ports).into(), settings),
        search: Search = Search::new(&cores.administration, &cores.data),
        sign_ins: Arc<SignInStats> = cores.identity.sign_ins.clone(),
        shares: Arc<Shares> = cores.kernel.shares.clone(),
        action_limiter: Arc<ActionLimiter> = cores.kernel.action_limiter.clone(),
        usage: Arc<Usage> = cores.identity.usage.clone(),
        // The newest requests of each project.
        request_log: Arc<RequestLog> = cores.kernel.request_log.clone(),
        address: ServiceAddress = cores.kernel.address.clone(),
        quotas: Quotas = cores.kernel.quotas.clone(),
        quota_stats: Arc<QuotaStats> = cores.kernel.quota_stats.clone(),
        jobs: Arc<JobRegistry> = cores.kernel.jobs.clone(),
        tokens: Arc<dyn AccessTokens> = ports.system.tokens,
        clock: Arc<dyn Clock> = ports.system.clock,
        ids: Arc<dyn IdGenerator> = ports.system.ids,
        compute: Arc<dyn Compute> = ports.system.compute,
        passwords: Arc<dyn PasswordHasher> = ports.system.passwords,
        mailer: Arc<dyn Mailer> = ports.delivery.mailer,
        health: Arc<dyn StoreHealth> = ports.store.health,
        backlog: Arc<dyn BacklogReader> = ports.store.backlog,
    }
}
