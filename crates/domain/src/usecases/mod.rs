//! What callers can ask for. Each use case reads, permits, decides, commits.

mod access;
mod accounts;
mod api_keys;
mod audit;
mod authentication;
mod authorizations;
mod deliveries;
mod email_links;
mod grants;
mod images;
mod invites;
mod items;
mod members;
mod personal_tokens;
mod project_users;
mod projects;
mod remains;
mod repeats;
mod schema_catalog;
mod schemas;
mod server_keys;
mod sessions;
mod teams;
mod throttle;
mod token_grants;
mod usage;
mod user_data;
mod webhooks;

use std::future::Future;
use std::sync::Arc;

use chrono::TimeDelta;

use crate::error::{Conflict, Error, Kind};
use crate::model::{ServiceAddress, Slug};
use crate::ports::{
    AccessTokens, BlobStore, Clock, CommitError, IdGenerator, KeyDigester, KeyForge, KeyRing, Mailer, MessageSigner,
    PasswordHasher, Sealer, SecretGenerator, Store, StoreError, StoreHealth, Sweeper, TokenVault, WebhookSender,
};

pub use access::{Access, ProjectAccess, TeamAccess};
pub use accounts::{Accounts, Authenticated, Login, SignUp};
pub use api_keys::{ApiKeys, CreateKey, UpdateKey};
pub use audit::{Audit, FollowedScope, Proof};
pub use authentication::Authentication;
pub use authorizations::{Authorizations, Client, Next, Pending};
pub use deliveries::Deliveries;
pub use email_links::EmailLinks;
pub use grants::Grants;
pub use images::{Images, Shown};
pub use invites::{CreateInvite, Invited, Invites, Offer};
pub use items::{BatchOperation, BatchStep, Items, Side};
pub use members::{Members, UpdateMember};
pub use personal_tokens::{CreateToken, PersonalTokens};
pub use project_users::{ProjectUsers, UpdateUser};
pub use projects::{CreateProject, Projects, UpdateProject};
pub use remains::Remains;
pub use repeats::{Begun, Repeats};
pub use schema_catalog::SchemaCatalog;
pub use schemas::{Publication, Schemas, Terms, Verdict, WhichSchema};
pub use server_keys::ServerKeys;
pub use sessions::Sessions;
pub use teams::{CreateTeam, TeamInFull, Teams, UpdateTeam};
pub use throttle::Throttle;
pub use token_grants::{Introspection, TokenGrants, TokenRequest, Tokens};
pub use usage::Usage;
pub use user_data::{UserData, UserExport};
pub use webhooks::{CreateWebhook, UpdateWebhook, Webhooks};

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
    pub tokens: Arc<dyn AccessTokens>,
    pub forge: Arc<dyn KeyForge>,
    pub ring: Arc<dyn KeyRing>,
    pub vault: Arc<dyn TokenVault>,
    pub sealer: Arc<dyn Sealer>,
    pub signer: Arc<dyn MessageSigner>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    pub mailer: Arc<dyn Mailer>,
    pub blobs: Arc<dyn BlobStore>,
}

/// What a deployment decides.
pub struct Deployment {
    /// Where the service lives.
    pub address: ServiceAddress,
    /// Counts attempts, or does not.
    pub throttle: Throttle,
    /// How long the audit log is kept. `None`: for ever.
    pub audit_retention: Option<TimeDelta>,
}

/// All use cases over one set of ports.
#[expect(missing_docs, reason = "each field holds the use cases it is named after")]
pub struct Steward {
    pub accounts: Accounts,
    pub api_keys: ApiKeys,
    pub audit: Arc<Audit>,
    pub authentication: Authentication,
    pub authorizations: Authorizations,
    pub deliveries: Arc<Deliveries>,
    pub email_links: EmailLinks,
    pub grants: Grants,
    pub images: Images,
    pub invites: Invites,
    pub items: Items,
    pub members: Members,
    pub personal_tokens: PersonalTokens,
    pub project_users: ProjectUsers,
    pub projects: Projects,
    pub remains: Remains,
    pub repeats: Repeats,
    pub schemas: Schemas,
    pub server_keys: ServerKeys,
    pub sessions: Sessions,
    pub teams: Teams,
    pub token_grants: TokenGrants,
    pub user_data: UserData,
    pub tokens: Arc<dyn AccessTokens>,
    pub usage: Arc<Usage>,
    pub webhooks: Webhooks,
    pub health: Arc<dyn StoreHealth>,
    pub sweeper: Arc<dyn Sweeper>,
    pub clock: Arc<dyn Clock>,
    pub address: ServiceAddress,
}

impl Steward {
    /// Wires the use cases.
    #[expect(clippy::too_many_lines, reason = "a list of what each use case needs, with nothing to decide")]
    pub fn new(ports: Ports, deployment: Deployment) -> Self {
        let Deployment { address, throttle, audit_retention } = deployment;
        let Ports {
            store,
            clock,
            ids,
            secrets,
            digester,
            passwords,
            tokens,
            forge,
            ring,
            vault,
            sealer,
            mailer,
            signer,
            webhook_sender,
            blobs,
        } = ports;
        let throttle = Arc::new(throttle);
        let access = Access::new(store.clone(), store.clone(), clock.clone());
        let catalog = SchemaCatalog::new(store.clone());
        let usage = Arc::new(Usage::new(store.clone()));
        let remains = Remains::new(store.clone(), blobs.clone());
        let authentication = Authentication::new(
            store.clone(),
            store.clone(),
            store.clone(),
            digester.clone(),
            tokens.clone(),
            usage.clone(),
            store.clone(),
            clock.clone(),
        );
        let audit = Arc::new(Audit::new(access.clone(), store.clone(), vault.clone(), clock.clone(), audit_retention));
        let deliveries = Arc::new(Deliveries {
            log: store.clone(),
            outbox: store.clone(),
            sender: webhook_sender,
            signer,
            sealer: sealer.clone(),
            secrets: secrets.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        });
        let webhooks = Webhooks {
            access: access.clone(),
            audit: audit.clone(),
            deliveries: deliveries.clone(),
            webhooks: store.clone(),
            outbox: store.clone(),
            store: store.clone(),
            sealer: sealer.clone(),
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
            throttle: throttle.clone(),
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
        Self {
            accounts: Accounts::new(
                store.clone(),
                store.clone(),
                passwords,
                tokens.clone(),
                email_links.clone(),
                throttle.clone(),
                clock.clone(),
                ids.clone(),
            ),
            api_keys: ApiKeys::new(
                access.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
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
                throttle: throttle.clone(),
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
                clock: clock.clone(),
                ids: ids.clone(),
            },
            invites: Invites {
                access: access.clone(),
                address: address.clone(),
                invites: store.clone(),
                accounts: store.clone(),
                teams: store.clone(),
                store: store.clone(),
                mailer: mailer.clone(),
                throttle: throttle.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            items: Items::new(
                access.clone(),
                catalog.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                clock.clone(),
                ids.clone(),
            ),
            members: Members::new(access.clone(), store.clone(), store.clone(), store.clone(), clock.clone()),
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
                store.clone(),
                remains.clone(),
                clock.clone(),
                ids.clone(),
                address.clone(),
            ),
            remains,
            repeats: Repeats::new(store.clone(), vault.clone(), sealer, clock.clone(), ids.clone()),
            schemas: Schemas::new(
                access.clone(),
                catalog,
                store.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                clock.clone(),
                ids.clone(),
                address.clone(),
            ),
            server_keys: ServerKeys::new(store.clone(), store.clone(), forge, ring, clock.clone(), ids.clone()),
            user_data: UserData {
                access: access.clone(),
                users: store.clone(),
                items: store.clone(),
                grants: store.clone(),
                store: store.clone(),
                clock: clock.clone(),
            },
            teams: Teams::new(
                access,
                store.clone(),
                store.clone(),
                store.clone(),
                store.clone(),
                clock.clone(),
                ids.clone(),
            ),
            token_grants: TokenGrants {
                address: address.clone(),
                reader: store.clone(),
                accounts: store.clone(),
                store: store.clone(),
                tokens: tokens.clone(),
                vault,
                secrets,
                throttle,
                clock: clock.clone(),
                ids,
            },
            authentication,
            email_links,
            sessions,
            tokens,
            usage,
            webhooks,
            health: store.clone(),
            sweeper: store,
            clock,
            address,
        }
    }
}

/// Why one round of read-decide-commit ended without a result.
enum Attempt {
    /// Somebody else changed what was read: decide anew.
    Stale(Kind),
    /// It was refused, or failed.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Attempt {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Attempt {
    /// A commit's failure: stale is tried again, the rest is `told`.
    fn of_commit(error: CommitError, told: impl FnOnce(CommitError) -> Error) -> Self {
        match error {
            CommitError::Stale(kind) => Self::Stale(kind),
            other => Self::Failed(told(other)),
        }
    }
}

/// Repeats the whole of read-decide-commit while others change what was read; gives up after some rounds.
async fn retry_stale<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Attempt>>,
{
    const ROUNDS: usize = 8;
    let mut contended = Kind::Team;
    for _ in 0..ROUNDS {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(Attempt::Stale(kind)) => contended = kind,
            Err(Attempt::Failed(error)) => return Err(error),
        }
    }
    Err(Conflict::Contended(contended).into())
}

/// What could be had instead of a taken slug: numbered ones.
fn alternatives(slug: &Slug) -> Vec<Slug> {
    (2..=50).map(|number| slug.numbered(number)).collect()
}

/// The first alternative that is not taken.
fn first_free(slug: &Slug, taken: Result<Vec<Slug>, StoreError>) -> Result<Slug, Error> {
    let taken = taken?;
    let free = alternatives(slug).into_iter().find(|candidate| !taken.contains(candidate));
    Ok(free.unwrap_or_else(|| slug.numbered(u32::MAX)))
}
