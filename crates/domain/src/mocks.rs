//! For unit tests: mocks of every port, stand-ins for time and ids, and things to test with.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta};
use uuid::Uuid;

use crate::changes::Changes;
use crate::model::{
    AccessBasis, AccessClaims, AccessEpoch, Account, AccountId, ApiKey, ApiKeyId, Audience, AuditScope, Caller,
    ClientId, Email, EmailDelivery, EventSelection, IdempotentRequestId, Identity, Image, ImageFormat, ImageId, Invite,
    InviteId, InviteState, JsonObject, KeyBearer, KeyDigest, Label, Member, Name, PasswordHash, PersonalToken,
    PersonalTokenId, PresentedValue, Project, ProjectId, ProjectImages, ProjectInTeam, ProjectUser, Recipient, Request,
    Revision, RoleName, ScopeSet, ServiceAddress, SignInSettings, Slug, Team, TeamId, Time, TokenFamily, UserBearer,
    Username, Webhook, WebhookId, WebhookUrl,
};
use crate::policy::{KeyRoles, Operation, Permit, RoleSet};
use crate::ports::{Clock, CommitError, Committed, IdGenerator, UnitOfWork, VerifiedToken};
use crate::usecases::{Access, CreateTeam, CurrentKeys, RateLimiter, TokenVerifier};

pub use crate::ports::{
    MockAccessReader, MockAccessTokens, MockAccountReader, MockApiKeyReader, MockAuditLog, MockAuthorizationReader,
    MockBlobReader, MockBlobStore, MockClock, MockDeletedProjects, MockEmailDeliveryStore, MockEncrypter,
    MockExpirySweeper, MockIdGenerator, MockIdempotencyStore, MockInviteReader, MockItemIndexer, MockItemReader,
    MockKeyDigester, MockKeyGenerator, MockKeyRing, MockMailer, MockMessageSigner, MockOutbox, MockPasswordHasher,
    MockPersonalTokenReader, MockProjectReader, MockProjectUserReader, MockRateLimitStore, MockSchemaReader,
    MockSecretGenerator, MockServerKeyReader, MockTeamReader, MockTokenVault, MockUnitOfWork, MockUsageRecorder,
    MockUserSightings, MockWebhookReader, MockWebhookSender, MockWorkLeases,
};

/// A clock that stands still.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Time);

impl Default for FixedClock {
    fn default() -> Self {
        Self(instant())
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Time {
        self.0
    }
}

/// Ids that count up from 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdGenerator for CountingIds {
    fn next(&self) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        Uuid::from_u64_pair(0x0194_0000_0000_7000, 0x8000_0000_0000_0000 | count)
    }
}

/// A store that accepts every change and remembers it.
#[derive(Debug, Default)]
pub struct RecordingUnitOfWork(Mutex<Vec<Changes>>);

impl RecordingUnitOfWork {
    /// The changes so far.
    pub fn changes(&self) -> Vec<Changes> {
        self.0.lock().map(|changes| changes.clone()).unwrap_or_default()
    }
}

#[async_trait]
impl UnitOfWork for RecordingUnitOfWork {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        if let Ok(mut all) = self.0.lock() {
            all.push(changes);
        }
        Ok(Committed::default())
    }
}

/// The moment at which fixtures were made.
pub fn instant() -> Time {
    DateTime::from_timestamp_micros(1_767_225_600_000_000).unwrap_or_default()
}

/// An id that a name always gives.
pub fn id_of(name: &str) -> Uuid {
    let mut bytes = [0_u8; 16];
    for (place, byte) in bytes.iter_mut().zip(name.bytes().rev()) {
        *place = byte;
    }
    bytes.reverse();
    Uuid::from_bytes(bytes)
}

/// A request.
pub fn a_request() -> Request {
    Request { id: "request-1".into(), address: None, claim: None }
}

/// A person who calls.
pub fn a_caller(username: &str) -> Caller {
    Caller::new(Identity::Account(AccountId::from(id_of(username))), a_request())
}

#[expect(clippy::expect_used, reason = "fixtures are literals; a bad one should stop the test that uses it")]
fn good<T, E: std::fmt::Debug>(parsed: Result<T, E>) -> T {
    parsed.expect("a fixture is valid")
}

/// An account with a verified email at example.com.
pub fn an_account(username: &str) -> Account {
    Account {
        id: AccountId::from(id_of(username)),
        email: good(Email::parse(&format!("{username}@example.com"))),
        email_verified: true,
        username: Some(good(Username::parse(username))),
        name: None,
        password: PasswordHash::new("$argon2id$fixture".into()),
        password_set_at: instant(),
        created_at: instant(),
        disabled_at: None,
        revision: Revision::FIRST,
    }
}

/// A team whose owner is the account `owner`.
pub fn a_team(slug: &str) -> Team {
    Team {
        id: TeamId::from(id_of(slug)),
        name: good(Name::parse(slug)),
        slug: good(Slug::parse(slug)),
        owner: AccountId::from(id_of("owner")),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A webhook that is told everything.
pub fn a_webhook(scope: AuditScope) -> Webhook {
    Webhook {
        id: WebhookId::from(id_of("webhook")),
        scope,
        url: good(WebhookUrl::parse("https://example.com/hook", false)),
        events: EventSelection::All,
        secret: vec![1, 2, 3],
        previous: None,
        pause: None,
        begins_after: 0,
        created_by: AccountId::from(id_of("owner")),
        authorized_by: AccountId::from(id_of("owner")),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A member of the team in these roles.
pub fn a_member(team: &Team, account: AccountId, roles: &str) -> Member {
    Member {
        team_id: team.id,
        account_id: account,
        roles: good(RoleSet::parse(roles)),
        role_name: RoleName::default(),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// An invite to team `acme` as a developer, for 7 days.
pub fn an_invite(recipient: Recipient) -> Invite {
    Invite {
        id: InviteId::from(id_of("invite")),
        team_id: TeamId::from(id_of("acme")),
        recipient,
        roles: good(RoleSet::parse("developer")),
        role_name: RoleName::default(),
        invited_by: AccountId::from(id_of("owner")),
        created_at: instant(),
        expires_at: instant() + chrono::TimeDelta::days(7),
        state: InviteState::Pending,
        delivery: EmailDelivery::Link,
        revision: Revision::FIRST,
    }
}

/// A private key that may read.
pub fn a_key() -> ApiKey {
    ApiKey {
        id: ApiKeyId::from(id_of("key")),
        project_id: ProjectId::from(id_of("project")),
        label: good(Label::parse("server")),
        roles: good(KeyRoles::parse("read")),
        is_private: true,
        digest: KeyDigest { pepper: 1, hex: "d1ge57".repeat(10) },
        hint: "stw_sk_...abcd".into(),
        previous: None,
        created_by: AccountId::from(id_of("owner")),
        regenerated_by: None,
        created_at: instant(),
        expires_at: None,
        last_used: None,
        revision: Revision::FIRST,
    }
}

/// A personal access token of `ann` in these roles, which reaches everything.
pub fn a_personal_token(roles: &str) -> PersonalToken {
    PersonalToken {
        id: PersonalTokenId::from(id_of("token")),
        account_id: AccountId::from(id_of("ann")),
        label: good(Label::parse("laptop")),
        roles: good(RoleSet::parse(roles)),
        teams: Vec::new(),
        projects: Vec::new(),
        digest: KeyDigest { pepper: 1, hex: "70ke25".repeat(10) },
        hint: "stw_pat_...abcd".into(),
        created_at: instant(),
        expires_at: instant() + TimeDelta::days(30),
        last_used: None,
        revision: Revision::FIRST,
    }
}

/// A project of team `acme`.
pub fn a_project(slug: &str) -> Project {
    Project {
        id: ProjectId::from(id_of("project")),
        team_id: TeamId::from(id_of("acme")),
        name: good(Name::parse(slug)),
        slug: good(Slug::parse(slug)),
        website: None,
        profile: JsonObject::default(),
        images: ProjectImages::default(),
        sign_in: SignInSettings::default(),
        created_at: instant(),
        updated_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A PNG image of 177 bytes whose id a name gives.
pub fn an_image(name: &str) -> Image {
    Image { id: ImageId::from(id_of(name)), format: ImageFormat::Png, size: 177, uploaded_at: instant() }
}

/// The project `rocket` with its team `acme`, before the first schema.
pub fn a_project_in_team() -> ProjectInTeam {
    let team = a_team("acme");
    ProjectInTeam {
        project: a_project("rocket"),
        team_name: team.name,
        team_slug: team.slug,
        schema_number: 0,
        access_epoch: AccessEpoch::default(),
    }
}

/// The key with the project that it opens.
pub fn a_bearer(key: ApiKey) -> KeyBearer {
    KeyBearer { key, presented: PresentedValue::Current, project: Arc::new(a_project_in_team()) }
}

/// The first-party tokens of an account.
pub fn a_family(username: &str) -> TokenFamily {
    TokenFamily {
        id: id_of("family").into(),
        account_id: AccountId::from(id_of(username)),
        client: ClientId::first_party(),
        scopes: ScopeSet::first_party(),
        authenticated_at: instant(),
        password_set_at: instant(),
        created_at: instant(),
        revoked_at: None,
        revision: Revision::FIRST,
    }
}

/// An account as a connected user of project `rocket`, by a token that may write its items.
pub fn a_user_bearer(username: &str) -> UserBearer {
    let project = Arc::new(a_project_in_team());
    let address = good(ServiceAddress::parse("http://localhost:3003"));
    let user = id_of(&format!("user-{username}")).into();
    let user = ProjectUser::new(user, project.project.id, &an_account(username), &address, instant());
    UserBearer { user, project, scopes: ScopeSet::parse("openid app:db:write") }
}

/// What makes a team with this slug.
pub fn a_command_for_a_team(slug: &str) -> CreateTeam {
    CreateTeam { name: good(Name::parse(slug)), slug: good(Slug::parse(slug)) }
}

/// Access as this reader knows it; what is refused is recorded nowhere.
pub fn access_by(reader: MockAccessReader) -> Access {
    let (store, rate_limiter) = (Arc::new(RecordingUnitOfWork::default()), Arc::new(RateLimiter::off()));
    Access::new(Arc::new(reader), store, rate_limiter, Arc::new(FixedClock::default()))
}

/// Leave of the service itself.
pub fn a_permit() -> Permit {
    Permit::for_system(Operation::AccountProvision, a_request())
}

/// A permit of the service itself that rests on this.
pub fn a_permit_resting_on(basis: AccessBasis) -> Permit {
    a_permit().resting_on(basis)
}

/// A permit of the service itself, for a request that may be sent again.
pub fn a_permit_under(claim: IdempotentRequestId) -> Permit {
    Permit::for_system(Operation::AccountProvision, Request { claim: Some(claim), ..a_request() })
}

/// Leave of the person `owner` in a team, and in a project of it.
pub fn a_permit_in(team: TeamId, project: Option<ProjectId>) -> Permit {
    Permit::granted(Operation::TeamUpdate, &a_caller("owner"), team, project)
}

/// A token of Ann's that is valid for 15 minutes.
pub fn a_verified_token() -> VerifiedToken {
    let claims = AccessClaims {
        subject: id_of("ann").into(),
        audience: Audience::Service,
        scopes: ScopeSet::first_party(),
        issued_at: instant(),
        expires_at: instant() + TimeDelta::minutes(15),
        id: id_of("token"),
        family: Some(id_of("family").into()),
    };
    VerifiedToken { claims, signed_by: id_of("key").into() }
}

/// Checks tokens as this mock does; no other keys are stored.
pub fn verifier(tokens: MockAccessTokens) -> TokenVerifier {
    let mut vault = MockTokenVault::new();
    vault.expect_sha256().returning(str::to_owned);
    TokenVerifier::new(Arc::new(tokens), no_keys(), Arc::new(vault))
}

/// What is in use when no server keys are stored.
pub fn no_keys() -> Arc<CurrentKeys> {
    let (mut keys, mut ring) = (MockServerKeyReader::new(), MockKeyRing::new());
    keys.expect_server_keys().returning(|| Ok(Vec::new()));
    ring.expect_install().returning(|_| Ok(()));
    Arc::new(CurrentKeys::new(Arc::new(keys), Arc::new(ring), Arc::new(FixedClock::default())))
}

/// Computes at once, where it is asked.
#[derive(Debug, Default)]
pub struct InlineCompute;

#[async_trait::async_trait]
impl crate::ports::Compute for InlineCompute {
    async fn run(&self, job: crate::ports::Job) -> Result<(), crate::error::Error> {
        job();
        Ok(())
    }

    fn stats(&self) -> crate::ports::PoolStats {
        crate::ports::PoolStats::default()
    }
}
