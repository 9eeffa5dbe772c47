//! Fixtures: valid entities with short names.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta};
use uuid::Uuid;

use crate::administration::{
    ApiKey, CreateTeam, EmailDelivery, EventSelection, Image, ImageFormat, Invite, InviteState, KeyBearer, Member,
    Project, ProjectInTeam, Recipient, Team, Webhook, WebhookOrdering, WebhookUrl,
};
use crate::data::{ImportState, ItemImport, ProjectUser, UserBearer};
use crate::identity::{
    AccessClaims, Account, Audience, AuthenticationMethod, ClientId, ClientSecret, ClientSettings, Email, GrantType,
    GrantTypes, IdentityProvider, Issuer, PasswordHash, PersonalToken, ProjectClient, ProviderClientId, ProviderKind,
    REFRESH_TTL, RedirectUri, RefreshState, RefreshToken, ScopeSet, Session, SessionLifetime, SignedIn, Subject,
    TokenFamily, Username, VerifiedToken,
};
use crate::kernel::policy::{KeyRoles, Operation, Permit, RoleSet};
use crate::kernel::{
    AccessBasis, AccessEpoch, AccountId, ApiKeyId, Caller, IdempotentRequestId, Identity, ImageId, InviteId, KeyDigest,
    Label, Name, PersonalTokenId, PresentedValue, ProjectId, ReplacedValues, Request, Revision, RoleName,
    ServiceAddress, Slug, TeamId, Time, TokenDigest, WebhookId,
};

/// Returns the time at which fixtures were created: 2026-01-01T00:00:00Z.
pub fn instant() -> Time {
    DateTime::from_timestamp_micros(1_767_225_600_000_000).unwrap_or_default()
}

/// Derives an ID from a name. The same name always gives the same ID.
pub fn id_of(name: &str) -> Uuid {
    let mut bytes = [0_u8; 16];
    for (slot, byte) in bytes.iter_mut().zip(name.bytes().rev()) {
        *slot = byte;
    }
    bytes.reverse();
    Uuid::from_bytes(bytes)
}

/// A request without a client address or an idempotency claim.
pub fn a_request() -> Request {
    Request { id: "request-1".into(), ..Request::default() }
}

/// A caller who is signed in to the account with this username.
pub fn a_caller(username: &str) -> Caller {
    Caller::new(Identity::Account(AccountId::from(id_of(username))), a_request())
}

#[expect(clippy::expect_used, reason = "fixtures are literals; an invalid one must fail the test that uses it")]
pub(super) fn valid<T, E: std::fmt::Debug>(parsed: Result<T, E>) -> T {
    parsed.expect("The fixture must be valid.")
}

/// An account with a verified email at example.com.
pub fn an_account(username: &str) -> Account {
    Account {
        id: AccountId::from(id_of(username)),
        email: valid(Email::parse(&format!("{username}@example.com"))),
        email_verified: true,
        username: Some(valid(Username::parse(username))),
        name: None,
        password: Some(PasswordHash::new("$argon2id$fixture".into())),
        password_set_at: instant(),
        created_at: instant(),
        disabled_at: None,
        deletion_started_at: None,
        factors_removal_at: None,
        authority_since: None,
        language: None,
        is_operator: false,
        revision: Revision::FIRST,
    }
}

/// An import of NDJSON that runs and has no portions.
pub fn an_import() -> ItemImport {
    ItemImport {
        project_id: id_of("project").into(),
        id: Uuid::from_u128(0x0194_0000_0000_7000_8000_0000_0000_0001).into(),
        user_id: id_of("user").into(),
        account_id: id_of("ann").into(),
        table: "notes".to_owned(),
        is_check: false,
        columns: None,
        state: ImportState::Running,
        message: String::new(),
        bytes: 0,
        chunks: 0,
        next_chunk: 0,
        lines: 0,
        stored: 0,
        refused: 0,
        problems: 0,
        created_at: instant(),
        updated_at: instant(),
    }
}

/// A team whose owner is the account `owner`.
pub fn a_team(slug: &str) -> Team {
    Team {
        id: TeamId::from(id_of(slug)),
        name: valid(Name::parse(slug)),
        slug: valid(Slug::parse(slug)),
        owner: AccountId::from(id_of("owner")),
        second_factor_from: None,
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A webhook that is subscribed to all events of a team, or of one of its projects.
pub fn a_webhook(team: TeamId, project: Option<ProjectId>) -> Webhook {
    Webhook {
        id: WebhookId::from(id_of("webhook")),
        team_id: team,
        project_id: project,
        url: valid(WebhookUrl::parse("https://example.com/hook", false)),
        events: EventSelection::All,
        ordering: WebhookOrdering::default(),
        secret: vec![1, 2, 3],
        replaced: ReplacedValues::none(),
        pause: None,
        begins_after: 0,
        created_by: AccountId::from(id_of("owner")),
        authorized_by: AccountId::from(id_of("owner")),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A confidential client of the project `rocket`, at which people sign in and which acts on its own behalf with the role
/// `read`.
pub fn a_client() -> ProjectClient {
    ProjectClient {
        id: id_of("client").into(),
        project_id: id_of("project").into(),
        settings: ClientSettings {
            name: valid(Label::parse("Server")),
            grant_types: valid(GrantTypes::parse(GrantType::ALL.map(GrantType::as_str))),
            redirect_uris: vec![valid(RedirectUri::parse("https://app.example/callback"))],
            scopes: ScopeSet::for_projects(),
            roles: Some(valid(KeyRoles::parse("read"))),
            require_pkce: false,
            skip_consent: false,
            keys: None,
            require_dpop: false,
            require_pushed_requests: false,
            access_token_seconds: None,
            sign_in_seconds: None,
        },
        secret: Some(ClientSecret {
            digest: TokenDigest("secret".into()),
            hint: "stw_cs_...0000".into(),
            last_used: None,
            replaced: ReplacedValues::none(),
        }),
        logo: None,
        registered_itself: false,
        created_by: None,
        configured_by: None,
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A provider of the whole service.
pub fn a_provider() -> IdentityProvider {
    IdentityProvider {
        id: id_of("provider").into(),
        project_id: None,
        kind: ProviderKind::OpenIdConnect,
        name: valid(Label::parse("Example ID")),
        issuer: valid(Issuer::parse("https://id.example.com", false, false)),
        client_id: valid(ProviderClientId::parse("steward")),
        client_secret: None,
        email_domains: Vec::new(),
        is_enabled: true,
        created_by: None,
        configured_by: None,
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// A member of the team with these roles.
pub fn a_member(team: &Team, account: AccountId, roles: &str) -> Member {
    Member {
        team_id: team.id,
        account_id: account,
        roles: valid(RoleSet::parse(roles)),
        role_name: RoleName::default(),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// An invite to the team `acme` with the role `developer`, valid for 7 days.
pub fn an_invite(recipient: Recipient) -> Invite {
    Invite {
        id: InviteId::from(id_of("invite")),
        team_id: TeamId::from(id_of("acme")),
        recipient,
        roles: valid(RoleSet::parse("developer")),
        role_name: RoleName::default(),
        invited_by: AccountId::from(id_of("owner")),
        created_at: instant(),
        expires_at: instant() + chrono::TimeDelta::days(7),
        state: InviteState::Pending,
        delivery: EmailDelivery::Link,
        proof: None,
        revision: Revision::FIRST,
    }
}

/// A private API key with the role `read`.
pub fn a_key() -> ApiKey {
    ApiKey {
        id: ApiKeyId::from(id_of("key")),
        project_id: ProjectId::from(id_of("project")),
        label: valid(Label::parse("server")),
        roles: valid(KeyRoles::parse("read")),
        is_private: true,
        digest: KeyDigest { pepper: 1, hex: "d1ge57".repeat(10) },
        hint: "stw_sk_...abcd".into(),
        replaced: ReplacedValues::none(),
        created_by: AccountId::from(id_of("owner")),
        regenerated_by: None,
        created_at: instant(),
        expires_at: None,
        last_used: None,
        revision: Revision::FIRST,
    }
}

/// A personal access token of `ann` with these roles, not restricted to any teams or projects.
pub fn a_personal_token(roles: &str) -> PersonalToken {
    PersonalToken {
        id: PersonalTokenId::from(id_of("token")),
        account_id: AccountId::from(id_of("ann")),
        label: valid(Label::parse("laptop")),
        roles: valid(RoleSet::parse(roles)),
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

/// A project of the team `acme`.
pub fn a_project(slug: &str) -> Project {
    let (id, team) = (id_of("project").into(), id_of("acme").into());
    Project::new(id, team, valid(Name::parse(slug)), valid(Slug::parse(slug)), instant())
}

/// A PNG image of 177 bytes with an ID that is derived from a name.
pub fn an_image(name: &str) -> Image {
    Image { id: ImageId::from(id_of(name)), format: ImageFormat::Png, size: 177, uploaded_at: instant() }
}

/// The project `rocket` of the team `acme`, without a published schema.
pub fn a_project_in_team() -> ProjectInTeam {
    let team = a_team("acme");
    ProjectInTeam {
        project: a_project("rocket"),
        team_name: team.name,
        team_slug: team.slug,
        second_factor_from: None,
        schema_number: 0,
        access_epoch: AccessEpoch::default(),
    }
}

/// An API key with its project, presented with its current value.
pub fn a_bearer(key: ApiKey) -> KeyBearer {
    KeyBearer { key, presented: PresentedValue::Current, project: Arc::new(a_project_in_team()) }
}

/// The session of `ann`, who has just signed in with a password.
pub fn a_session() -> SignedIn {
    let account = an_account("ann");
    let session = Session {
        id: id_of("session").into(),
        digest: TokenDigest("digest".into()),
        account_id: account.id,
        authenticated_at: instant(),
        methods: AuthenticationMethod::Password.into(),
        password_set_at: account.password_set_at,
        limited_to: None,
        user_agent: String::new(),
        address: None,
        expires_at: instant() + SessionLifetime::default().total,
        last_used: Some(instant()),
        revision: Revision::FIRST,
    };
    SignedIn { session, account, has_second_factor: false }
}

/// The token family of a first-party sign-in to an account.
pub fn a_family(username: &str) -> TokenFamily {
    TokenFamily {
        id: id_of("family").into(),
        account_id: AccountId::from(id_of(username)),
        client: ClientId::first_party(),
        session_id: None,
        scopes: ScopeSet::first_party(),
        authenticated_at: instant(),
        methods: AuthenticationMethod::Password.into(),
        password_set_at: instant(),
        created_at: instant(),
        ends_at: None,
        revoked_at: None,
        lost_at: None,
        revision: Revision::FIRST,
    }
}

/// A refresh token of [`a_family`], issued at [`instant`].
pub fn a_refresh_token() -> RefreshToken {
    RefreshToken {
        id: id_of("refresh").into(),
        family_id: id_of("family").into(),
        digest: TokenDigest("digest".into()),
        issued_at: instant(),
        expires_at: instant() + REFRESH_TTL,
        state: RefreshState::Current,
        used_at: None,
        bound_to: None,
        revision: Revision::FIRST,
    }
}

/// An account as a connected user of the project `rocket`, with a token that can write items.
pub fn a_user_bearer(username: &str) -> UserBearer {
    let project = Arc::new(a_project_in_team());
    let address = valid(ServiceAddress::parse("http://localhost:3003"));
    let user = id_of(&format!("user-{username}")).into();
    let user = ProjectUser::new(user, project.project.id, &an_account(username), &address, instant());
    UserBearer { user, project, scopes: ScopeSet::parse("openid app:db:write") }
}

/// A command that creates a team with this slug.
pub fn a_command_for_a_team(slug: &str) -> CreateTeam {
    CreateTeam { name: valid(Name::parse(slug)), slug: valid(Slug::parse(slug)) }
}

/// A permit of the service itself.
pub fn a_permit() -> Permit {
    valid(Permit::system(Operation::AccountProvision, a_request()))
}

/// A permit of the service itself with this basis.
pub fn a_permit_with_basis(basis: AccessBasis) -> Permit {
    a_permit().with_basis(basis)
}

/// A permit of the service itself for a request with this idempotency claim.
pub fn a_permit_with_claim(claim: IdempotentRequestId) -> Permit {
    valid(Permit::system(Operation::AccountProvision, Request { claim: Some(claim), ..a_request() }))
}

/// A permit of the account `owner` in a team, and optionally in a project of it.
pub fn a_permit_in(team: TeamId, project: Option<ProjectId>) -> Permit {
    let held = valid(RoleSet::parse("owner")).permissions();
    valid(Permit::granted(Operation::TeamUpdate, &a_caller("owner"), held, team, project))
}

/// An access token of `ann` that is valid for 15 minutes.
pub fn a_verified_token() -> VerifiedToken {
    let claims = AccessClaims {
        subject: Subject::Account(id_of("ann").into()),
        client: None,
        audience: Audience::Service,
        scopes: ScopeSet::first_party(),
        issued_at: instant(),
        expires_at: instant() + TimeDelta::minutes(15),
        id: id_of("token"),
        family: Some(id_of("family").into()),
        authentication: None,
        bound_to: None,
    };
    VerifiedToken { claims, signed_by: id_of("key").into() }
}
