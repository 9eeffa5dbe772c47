//! The domain's ports, each a query on some worker's connection.

use async_trait::async_trait;
use steward_domain::changes::{Changes, ItemPlace};
use steward_domain::model::schema::{MismatchQuery, Mismatches, SchemaVersion};
use steward_domain::model::{
    AccessBasis, Account, AccountFilter, AccountId, ActivityCounts, ActivityWindow, ApiKey, ApiKeyId, AuditChain,
    AuditEvent, AuditFilter, AuditScope, AuditSeal, AuthorizationCode, AuthorizationRequest, Day, DeletedProject,
    DeliveryId, Email, EmailDelivery, EmailLink, FamilyOfAccount, Grant, GrantedProject, IdempotentRequest,
    IdempotentRequestId, Invite, InviteId, InviteOfTeam, ItemId, ItemKey, ItemQuery, KeyBearer, KeyDigest, Member,
    Page, PageRequest, PageSize, PersonalToken, PersonalTokenId, ProjectId, ProjectInTeam, ProjectMembership,
    ProjectUsage, ProjectUser, ProjectUserId, Recipient, RefreshToken, Rows, ServerKey, ServerKeyId, SignedIn, Slug,
    StoredItem, Team, TeamId, TeamMembership, Time, TokenDigest, TokenFamily, TokenFamilyId, UserBearer, UserFilter,
    Username, Webhook, WebhookDelivery, WebhookId,
};
use steward_domain::policy::Lane;
use steward_domain::ports::{
    AccessReader, AccountReader, AccountTraces, ApiKeyReader, AuditLog, AuthorizationReader, Backlog, BacklogReader,
    CommitError, Committed, CredentialUse, DeletedProjects, DeliveryProgress, DueWebhook, EmailDeliveryStore, Expiring,
    ExpirySweeper, HealthError, IdempotencyStore, IndexStep, InviteReader, ItemIndexer, ItemReader, LaneStats, Outbox,
    PersonalTokenReader, ProjectReader, ProjectUserReader, RetentionCutoff, SchemaReader, SealedBatch, ServerKeyReader,
    StoreError, StoreHealth, Subscriber, TeamReader, UnitOfWork, UnsealedEvents, UsageRecorder, UserSightings,
    WantedEvents, WebhookReader, WorkLeases,
};
use steward_domain::work::Work;

use crate::error::JobError;

use super::item::ScanLimit;
use super::{
    Database, access_epoch, account, activity, api_key, audit_log, audit_seal, authorization, backlog, commit,
    deleted_project, email_link, idempotency, invite, item, item_index, lease, mismatch, personal_token, project,
    project_user, quota, schema, server_key, session, sweep, team, token_family, usage, webhook,
};
use uuid::Uuid;

/// How many times a change is tried that others stand in the way of, who wait for it in turn.
const MAX_ATTEMPTS: u32 = 5;

/// The database ends one of those who wait in a circle: nothing of it was stored, and it can be done again.
fn retry_deadlocks<T>(mut work: impl FnMut() -> Result<T, JobError>) -> Result<T, JobError> {
    for _ in 1..MAX_ATTEMPTS {
        match work() {
            Err(error) if error.is_deadlock() => tracing::warn!("a change met a deadlock and is done again"),
            result => return result,
        }
    }
    work()
}

#[async_trait]
impl UnitOfWork for Database {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        let commit = move |conn: &mut super::Conn| retry_deadlocks(|| commit::commit(conn, &changes));
        Ok(self.write(commit).await.map_err(CommitError::Unavailable)??)
    }
}

#[async_trait]
impl StoreHealth for Database {
    async fn check(&self) -> Result<(), HealthError> {
        Database::check(self).await
    }

    fn lanes(&self) -> Vec<LaneStats> {
        self.stats()
    }
}

#[async_trait]
impl AccessReader for Database {
    async fn team_membership(&self, account: AccountId, id: TeamId) -> Result<Option<TeamMembership>, StoreError> {
        self.read(move |conn| team::membership_of(conn, account, id)).await
    }

    async fn project_membership(
        &self,
        account: AccountId,
        id: ProjectId,
    ) -> Result<Option<ProjectMembership>, StoreError> {
        self.read(move |conn| project::membership_of(conn, account, id)).await
    }

    async fn is_current(&self, basis: &AccessBasis) -> Result<bool, StoreError> {
        let basis = *basis;
        self.read(move |conn| access_epoch::is_current(conn, &basis)).await
    }

    async fn key_bearer(&self, digests: &[KeyDigest]) -> Result<Option<KeyBearer>, StoreError> {
        let digests = digests.to_vec();
        self.read(move |conn| api_key::bearer(conn, &digests)).await
    }
}

#[async_trait]
impl AccountReader for Database {
    async fn account(&self, id: AccountId) -> Result<Option<Account>, StoreError> {
        self.read(move |conn| account::by_id(conn, id)).await
    }

    async fn signed_account(&self, id: AccountId, signed_by: ServerKeyId) -> Result<Option<Account>, StoreError> {
        self.read(move |conn| account::signed(conn, id, signed_by)).await
    }

    async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError> {
        let email = email.clone();
        self.read(move |conn| account::by_email(conn, &email)).await
    }

    async fn account_by_username(&self, username: &Username) -> Result<Option<Account>, StoreError> {
        let username = username.clone();
        self.read(move |conn| account::by_username(conn, &username)).await
    }

    async fn accounts(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |conn| account::list(conn, &filter, &page)).await
    }
}

#[async_trait]
impl AccountTraces for Database {
    async fn users_of(&self, account: AccountId, most: u16) -> Result<Vec<(TeamId, ProjectUser)>, StoreError> {
        self.read(move |conn| account::users_of(conn, account, most)).await
    }

    async fn forget_events(&self, account: AccountId, after: i64, most: u16) -> Result<Option<i64>, StoreError> {
        let forgotten = self.write(move |conn| account::forget_events(conn, account, after, most)).await;
        Ok(forgotten.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl TeamReader for Database {
    async fn teams_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<TeamMembership>, StoreError> {
        let page = page.clone();
        self.read(move |conn| team::teams_of(conn, account, &page)).await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.read(move |conn| team::by_id(conn, id)).await
    }

    async fn taken_team_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs = slugs.to_vec();
        self.read(move |conn| team::taken_slugs(conn, &slugs)).await
    }

    async fn members(&self, id: TeamId, page: &PageRequest) -> Result<Page<Member>, StoreError> {
        let page = page.clone();
        self.read(move |conn| team::members_of(conn, id, &page)).await
    }

    async fn member(&self, id: TeamId, account: AccountId) -> Result<Option<Member>, StoreError> {
        self.read(move |conn| team::member(conn, id, account)).await
    }
}

#[async_trait]
impl InviteReader for Database {
    async fn pending_invites(&self, team: TeamId, now: Time, page: &PageRequest) -> Result<Page<Invite>, StoreError> {
        let page = page.clone();
        self.read(move |conn| invite::pending(conn, team, now, &page)).await
    }

    async fn pending_invites_naming(
        &self,
        recipients: &[Recipient],
        now: Time,
        page: &PageRequest,
    ) -> Result<Page<InviteOfTeam>, StoreError> {
        let (recipients, page) = (recipients.to_vec(), page.clone());
        self.read(move |conn| invite::pending_naming(conn, &recipients, now, &page)).await
    }

    async fn pending_invites_by(&self, team: TeamId, account: AccountId, now: Time) -> Result<Vec<Invite>, StoreError> {
        self.read(move |conn| invite::pending_by(conn, team, account, now)).await
    }

    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError> {
        self.read(move |conn| invite::by_id(conn, id)).await
    }

    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError> {
        let recipient = recipient.clone();
        self.read(move |conn| invite::pending_for(conn, team, &recipient)).await
    }
}

#[async_trait]
impl ProjectReader for Database {
    async fn projects_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        let page = page.clone();
        self.read(move |conn| project::projects_of(conn, account, &page)).await
    }

    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError> {
        self.read(move |conn| project::by_id(conn, id)).await
    }

    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        let page = page.clone();
        self.read(move |conn| project::projects_in(conn, team, &page)).await
    }

    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError> {
        self.read(move |conn| quota::usage(conn, id)).await
    }

    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs = slugs.to_vec();
        self.read(move |conn| project::taken_slugs(conn, &slugs)).await
    }
}

#[async_trait]
impl ApiKeyReader for Database {
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError> {
        let page = page.clone();
        self.read(move |conn| api_key::list(conn, project, &page)).await
    }

    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError> {
        self.read(move |conn| api_key::made_by(conn, team, account)).await
    }

    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        self.read(move |conn| api_key::by_id(conn, project, id)).await
    }
}

#[async_trait]
impl SchemaReader for Database {
    async fn schema(&self, project: ProjectId, number: u32) -> Result<Option<SchemaVersion>, StoreError> {
        self.read(move |conn| schema::by_number(conn, project, number)).await
    }

    async fn newest_schema(&self, project: ProjectId) -> Result<Option<SchemaVersion>, StoreError> {
        self.read(move |conn| schema::newest(conn, project)).await
    }

    async fn schemas(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SchemaVersion>, StoreError> {
        let page = page.clone();
        self.read(move |conn| schema::list(conn, project, &page)).await
    }
}

#[async_trait]
impl ProjectUserReader for Database {
    async fn users(
        &self,
        project: ProjectId,
        filter: &UserFilter,
        page: &PageRequest,
    ) -> Result<Page<ProjectUser>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        // No index serves what is asked of them.
        let looks_through = filter.status.is_some() || filter.search.is_some();
        if looks_through && !self.read(move |conn| project_user::are_few(conn, project)).await? {
            Work::moves_to(Lane::Heavy);
        }
        self.read(move |conn| project_user::list(conn, project, &filter, &page)).await
    }

    async fn activity(&self, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, StoreError> {
        let window = *window;
        self.read(move |conn| activity::counts(conn, project, &window)).await
    }

    async fn active_days(&self, project: ProjectId, user: ProjectUserId) -> Result<Vec<Day>, StoreError> {
        self.read(move |conn| activity::days_of(conn, project, user)).await
    }

    async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<Option<ProjectUser>, StoreError> {
        self.read(move |conn| project_user::by_id(conn, project, id)).await
    }

    async fn user_of(&self, project: ProjectId, account: AccountId) -> Result<Option<ProjectUser>, StoreError> {
        self.read(move |conn| project_user::of_account(conn, project, account)).await
    }
}

#[async_trait]
impl ItemReader for Database {
    async fn items(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        query: &ItemQuery,
        basis: &AccessBasis,
    ) -> Result<Rows<StoredItem>, StoreError> {
        let (table, query, basis) = (table.to_owned(), query.clone(), *basis);
        if Work::current().lane == Lane::Interactive {
            let (table, query) = (table.clone(), query.clone());
            let bounded =
                move |conn: &mut _| item::list(conn, project, user, &table, &query, &basis, ScanLimit::Bounded);
            if let Some(found) = self.read(bounded).await? {
                return Ok(found);
            }
            Work::moves_to(Lane::Heavy);
        }
        let found =
            self.read(move |conn| item::list(conn, project, user, &table, &query, &basis, ScanLimit::Any)).await?;
        Ok(found.unwrap_or(Rows { items: Vec::new(), more: false }))
    }

    async fn items_with_ids(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
    ) -> Result<Vec<StoredItem>, StoreError> {
        let (table, ids) = (table.to_owned(), ids.to_vec());
        self.read(move |conn| item::with_ids(conn, project, user, &table, &ids)).await
    }

    async fn items_after(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, StoreError> {
        self.read(move |conn| item::after(conn, project, user, after, size)).await
    }

    async fn item(&self, place: &ItemPlace, basis: &AccessBasis) -> Result<Option<StoredItem>, StoreError> {
        let (place, basis) = (place.clone(), *basis);
        self.read_row(move |conn| item::by_place(conn, &place, &basis)).await
    }

    async fn mismatches(
        &self,
        project: ProjectId,
        queries: &[MismatchQuery],
        samples: usize,
    ) -> Result<Option<Vec<Mismatches>>, StoreError> {
        let queries = queries.to_vec();
        self.read(move |conn| mismatch::find(conn, project, &queries, samples)).await
    }
}

#[async_trait]
impl ItemIndexer for Database {
    async fn has_work(&self) -> Result<bool, StoreError> {
        self.read(item_index::has_work).await
    }

    async fn index_items(&self, after: Option<ProjectId>, most: u16) -> Result<IndexStep, StoreError> {
        let worked = self.write(move |conn| item_index::step(conn, after, most)).await;
        Ok(worked.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl ServerKeyReader for Database {
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError> {
        self.read(server_key::list).await
    }
}

#[async_trait]
impl AuthorizationReader for Database {
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| authorization::request(conn, &digest)).await
    }

    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| authorization::code(conn, &digest)).await
    }

    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError> {
        self.read(move |conn| authorization::grant(conn, account, project)).await
    }

    async fn grants_of(&self, account: AccountId) -> Result<Vec<GrantedProject>, StoreError> {
        self.read(move |conn| authorization::grants_of(conn, account)).await
    }

    async fn refresh_token(&self, digest: &TokenDigest) -> Result<Option<(RefreshToken, FamilyOfAccount)>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| token_family::refresh_token(conn, &digest)).await
    }

    async fn token_family(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<FamilyOfAccount>, StoreError> {
        self.read(move |conn| token_family::family(conn, id, signed_by)).await
    }

    async fn first_party_families(&self, account: AccountId, now: Time) -> Result<Vec<TokenFamily>, StoreError> {
        self.read(move |conn| token_family::first_party_of(conn, account, now)).await
    }

    async fn user_bearer(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<(FamilyOfAccount, UserBearer)>, StoreError> {
        self.read(move |conn| token_family::user_bearer(conn, id, signed_by)).await
    }

    async fn session(&self, digest: &TokenDigest) -> Result<Option<SignedIn>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| session::by_digest(conn, &digest)).await
    }

    async fn sessions_of(&self, account: AccountId) -> Result<Vec<SignedIn>, StoreError> {
        self.read(move |conn| session::of_account(conn, account)).await
    }

    async fn email_link(&self, digest: &TokenDigest) -> Result<Option<EmailLink>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| email_link::by_digest(conn, &digest)).await
    }
}

#[async_trait]
impl EmailDeliveryStore for Database {
    async fn record_email_delivery(&self, id: InviteId, at: Time, delivery: EmailDelivery) -> Result<(), StoreError> {
        let noted = self.write(move |conn| invite::record_email_delivery(conn, id, at, delivery)).await;
        Ok(noted.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl UserSightings for Database {
    async fn record_seen(&self, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), StoreError> {
        let noted = self.write(move |conn| activity::record_seen(conn, project, user, at)).await;
        Ok(noted.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl ExpirySweeper for Database {
    async fn sweep(&self, kind: Expiring, before: Time, most: u16) -> Result<usize, StoreError> {
        let swept = self.write(move |conn| sweep::sweep(conn, kind, before, most)).await;
        Ok(swept.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl DeletedProjects for Database {
    async fn deleted_project(&self, after: Option<ProjectId>) -> Result<Option<DeletedProject>, StoreError> {
        self.read(move |conn| deleted_project::next(conn, after)).await
    }

    async fn remove_remains(&self, project: ProjectId, most: u16) -> Result<bool, StoreError> {
        let removed = self.write(move |conn| deleted_project::remove(conn, project, most)).await;
        Ok(removed.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl UsageRecorder for Database {
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        let uses = uses.to_vec();
        Ok(self.write(move |conn| usage::record(conn, &uses)).await.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl AuditLog for Database {
    async fn audit_events(
        &self,
        scope: AuditScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |conn| audit_log::list(conn, scope, &filter, &page)).await
    }

    async fn settled_events(&self, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, StoreError> {
        self.read(move |conn| audit_log::settled(conn, scope, after, most)).await
    }

    async fn wanted_events(
        &self,
        webhook: &Webhook,
        after: i64,
        through: i64,
        most: u16,
    ) -> Result<WantedEvents, StoreError> {
        let webhook = webhook.clone();
        self.read(move |conn| audit_log::wanted(conn, &webhook, after, through, most)).await
    }

    async fn sealed_position(&self) -> Result<i64, StoreError> {
        self.read(audit_seal::position).await
    }

    async fn has_unsealed_events(&self) -> Result<bool, StoreError> {
        self.read(audit_log::has_unsealed).await
    }

    async fn unsealed_events(&self, most: u16) -> Result<UnsealedEvents, StoreError> {
        self.read(move |conn| audit_seal::unsealed(conn, most)).await
    }

    async fn seal(&self, batch: &SealedBatch) -> Result<bool, StoreError> {
        let batch = batch.clone();
        Ok(self.write(move |conn| audit_seal::seal(conn, &batch)).await.map_err(StoreError::Unavailable)??)
    }

    async fn chains(
        &self,
        team: Option<TeamId>,
        after: Option<AuditChain>,
        most: u16,
    ) -> Result<Vec<AuditChain>, StoreError> {
        self.read(move |conn| audit_seal::chains(conn, team, after, most)).await
    }

    async fn seals(&self, chain: AuditChain, after: i64, most: u16) -> Result<Vec<AuditSeal>, StoreError> {
        self.read(move |conn| audit_seal::list(conn, chain, after, most)).await
    }

    async fn sealed_events(
        &self,
        chain: AuditChain,
        after: i64,
        through: i64,
        most: u16,
    ) -> Result<Vec<AuditEvent>, StoreError> {
        self.read(move |conn| audit_log::of_chain(conn, chain, after, through, most)).await
    }

    async fn retention_cutoff(&self) -> Result<RetentionCutoff, StoreError> {
        self.read(audit_seal::retention_cutoff).await
    }

    async fn forget_old_events(&self, retention_cutoff: &RetentionCutoff, most: u16) -> Result<usize, StoreError> {
        let retention_cutoff = *retention_cutoff;
        let forgotten = self.write(move |conn| audit_log::forget(conn, &retention_cutoff, most)).await;
        Ok(forgotten.map_err(StoreError::Unavailable)??)
    }

    async fn forget_seals(&self, chain: AuditChain, before: Time, most: u16) -> Result<usize, StoreError> {
        let forgotten = self.write(move |conn| audit_seal::forget(conn, chain, before, most)).await;
        Ok(forgotten.map_err(StoreError::Unavailable)??)
    }

    async fn prepare(&self, now: Time) -> Result<(), StoreError> {
        Ok(self.write(move |conn| super::prepare(conn, now)).await.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl IdempotencyStore for Database {
    async fn claim(&self, claim: &IdempotentRequest) -> Result<bool, StoreError> {
        let claim = claim.clone();
        let claimed = self.write(move |conn| idempotency::claim(conn, &claim)).await;
        Ok(claimed.map_err(StoreError::Unavailable)??)
    }

    async fn claimed(&self, caller: &str, key_digest: &str) -> Result<Option<IdempotentRequest>, StoreError> {
        let (caller, key_digest) = (caller.to_owned(), key_digest.to_owned());
        self.read(move |conn| idempotency::claimed(conn, &caller, &key_digest)).await
    }

    async fn take_over(
        &self,
        former: IdempotentRequestId,
        claim: &IdempotentRequest,
        now: Time,
    ) -> Result<bool, StoreError> {
        let claim = claim.clone();
        let taken = self.write(move |conn| idempotency::take_over(conn, former, &claim, now)).await;
        Ok(taken.map_err(StoreError::Unavailable)??)
    }

    async fn answer(&self, id: IdempotentRequestId, answer: &[u8]) -> Result<(), StoreError> {
        let answer = answer.to_vec();
        let kept = self.write(move |conn| idempotency::answer(conn, id, &answer)).await;
        Ok(kept.map_err(StoreError::Unavailable)??)
    }

    async fn give_up(&self, id: IdempotentRequestId, now: Time) -> Result<(), StoreError> {
        let given_up = self.write(move |conn| idempotency::give_up(conn, id, now)).await;
        Ok(given_up.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl PersonalTokenReader for Database {
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalToken>, StoreError> {
        let digests = digests.to_vec();
        self.read(move |conn| personal_token::by_digest(conn, &digests)).await
    }

    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError> {
        let page = page.clone();
        self.read(move |conn| personal_token::list(conn, account, &page)).await
    }

    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError> {
        self.read(move |conn| personal_token::by_id(conn, account, id)).await
    }
}

#[async_trait]
impl WebhookReader for Database {
    async fn webhooks(&self, scope: AuditScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError> {
        let page = page.clone();
        self.read(move |conn| webhook::list(conn, scope, &page)).await
    }

    async fn webhook(&self, scope: AuditScope, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.read(move |conn| webhook::by_id(conn, scope, id)).await
    }

    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError> {
        self.read(move |conn| webhook::authorized_by(conn, team, account)).await
    }

    async fn deliveries(&self, webhook: WebhookId, page: &PageRequest) -> Result<Page<WebhookDelivery>, StoreError> {
        let page = page.clone();
        self.read(move |conn| webhook::deliveries_of(conn, webhook, &page)).await
    }

    async fn delivery(&self, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, StoreError> {
        self.read(move |conn| webhook::delivery(conn, webhook, id)).await
    }
}

#[async_trait]
impl Outbox for Database {
    async fn subscribers(&self, team: TeamId, projects: &[ProjectId]) -> Result<Vec<Subscriber>, StoreError> {
        let projects = projects.to_vec();
        self.read(move |conn| webhook::subscribers(conn, team, &projects)).await
    }

    async fn due_webhooks(
        &self,
        now: Time,
        except: &[TeamId],
        most: u16,
    ) -> Result<Vec<(WebhookId, TeamId)>, StoreError> {
        let except = except.to_vec();
        self.read(move |conn| webhook::due(conn, now, &except, most)).await
    }

    async fn claim_webhooks(
        &self,
        webhooks: &[WebhookId],
        holder: Uuid,
        now: Time,
        leased_until: Time,
    ) -> Result<Vec<DueWebhook>, StoreError> {
        let webhooks = webhooks.to_vec();
        let claimed = self.write(move |conn| webhook::claim(conn, &webhooks, holder, now, leased_until)).await;
        Ok(claimed.map_err(StoreError::Unavailable)??)
    }

    async fn renew_leases(&self, webhooks: &[WebhookId], holder: Uuid, leased_until: Time) -> Result<(), StoreError> {
        let webhooks = webhooks.to_vec();
        let renewed = self.write(move |conn| webhook::renew(conn, &webhooks, holder, leased_until)).await;
        Ok(renewed.map_err(StoreError::Unavailable)??)
    }

    async fn record_progress(&self, progress: &DeliveryProgress) -> Result<bool, StoreError> {
        let progress = progress.clone();
        let recorded = self.write(move |conn| webhook::record_progress(conn, &progress)).await;
        Ok(recorded.map_err(StoreError::Unavailable)??)
    }

    async fn release_leases(&self, webhooks: &[WebhookId], holder: Uuid) -> Result<(), StoreError> {
        let webhooks = webhooks.to_vec();
        let released = self.write(move |conn| webhook::release(conn, &webhooks, holder)).await;
        Ok(released.map_err(StoreError::Unavailable)??)
    }

    async fn redelivered(&self, delivery: &WebhookDelivery) -> Result<(), StoreError> {
        let delivery = delivery.clone();
        let stored = self.write(move |conn| webhook::redelivered(conn, &delivery)).await;
        Ok(stored.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl WorkLeases for Database {
    async fn take_share(&self, share: &str, holder: Uuid, now: Time, until: Time) -> Result<bool, StoreError> {
        let share = share.to_owned();
        let taken = self.write(move |conn| lease::take(conn, &share, holder, now, until)).await;
        Ok(taken.map_err(StoreError::Unavailable)??)
    }

    async fn give_back_shares(&self, holder: Uuid) -> Result<(), StoreError> {
        let given_back = self.write(move |conn| lease::give_back(conn, holder)).await;
        Ok(given_back.map_err(StoreError::Unavailable)??)
    }
}

#[async_trait]
impl BacklogReader for Database {
    async fn backlog(&self, now: Time) -> Result<Backlog, StoreError> {
        self.read(move |conn| backlog::backlog(conn, now)).await
    }
}
