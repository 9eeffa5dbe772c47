//! The kinds of callers. Each kind has its own fixture.

use serde_json::{Value, json};
use steward_domain::identity::Scope;
use steward_domain::kernel::policy::{Callers, KeyRoles, PermissionSet, RoleSet, Rule};
use steward_tests::{Actor, App, Authenticator, Browser, Client, Receiver, eventually};

use super::place::{People, Place, join};
use super::requests::soon;

/// One kind of caller.
pub struct Column {
    pub name: &'static str,
    pub what: &'static str,
    pub caller: Actor,
    pub standing: Standing,
    pub place: Place,
    /// Whether the caller signed in so long ago that changes that widen authority are refused.
    pub must_confirm: bool,
}

/// Relation of a caller to the fixture, from which the permitted operations follow.
#[derive(Debug, PartialEq)]
pub enum Standing {
    /// No credential, or none that is valid.
    Nobody,
    /// A person or their personal token, with these permissions in the team and project.
    Person(PermissionSet, Token),
    /// A key, or a client that acts on its own behalf, with these permissions in the project.
    Key(PermissionSet),
    /// A key of another project of the team, with these permissions in the team and in its own project.
    KeyOfSibling(PermissionSet),
    /// A key of a project of another team, with these permissions in its own project.
    KeyOfStranger(PermissionSet),
    /// A person, or their personal token, with all permissions in a team that requires a second factor, which they did
    /// not use.
    WithoutSecondFactor,
    /// A user of the project whose token has these scopes. Empty for a token for another project.
    User(Vec<Scope>),
}

/// Whether a person uses a personal token, and whether the token includes the team or only the project.
#[derive(Debug, PartialEq, Clone, Copy)]
pub enum Token {
    None,
    Wide,
    OfProject,
}

impl Standing {
    /// Whether the caller is permitted to perform the operation. `None` if it needs no permission or scope.
    pub fn may(&self, rule: Rule) -> Option<bool> {
        let needed: Vec<_> = rule.requirement.permissions().collect();
        if let Some(scope) = rule.requirement.scope() {
            return Some(matches!(self, Self::User(scopes) if scopes.contains(&scope)));
        }
        if needed.is_empty() {
            return None;
        }
        let is_team_operation = matches!(rule.requirement, steward_domain::kernel::policy::Requirement::OfTeam(_));
        Some(match self {
            Self::Nobody | Self::WithoutSecondFactor | Self::User(_) => false,
            Self::Person(_, Token::OfProject) if is_team_operation => false,
            // An operation for keys only concerns the project of the key.
            Self::KeyOfSibling(_) if !is_team_operation && rule.callers != Callers::Key => false,
            Self::KeyOfStranger(_) if rule.callers != Callers::Key => false,
            Self::Person(held, _) => {
                rule.callers != Callers::Key && needed.iter().all(|permission| held.has(*permission))
            }
            Self::Key(held) | Self::KeyOfSibling(held) | Self::KeyOfStranger(held) => {
                matches!(rule.callers, Callers::AccountOrKey | Callers::Key)
                    && needed.iter().all(|permission| held.has(*permission))
            }
        })
    }
}

fn roles(text: &str) -> PermissionSet {
    RoleSet::parse(text).unwrap().permissions()
}

/// Creates the kinds of callers.
struct Builder<'a> {
    app: &'a App,
    people: People,
    receiver: &'a Receiver,
    columns: Vec<Column>,
}

impl Builder<'_> {
    async fn place(&self, name: &str) -> Place {
        Place::make(self.app, &self.people, self.receiver, name).await
    }

    fn add(&mut self, name: &'static str, what: &'static str, caller: Actor, standing: Standing, place: Place) {
        self.columns.push(Column { name, what, caller, standing, place, must_confirm: false });
    }

    /// Adds an owner who entered the password more than 15 minutes ago.
    async fn outdated_owner(&mut self) {
        let name = "owner-outdated";
        self.member(name, "an owner whose sign-in is more than 15 minutes old", "owner").await;
        let column = self.columns.last_mut().unwrap();
        column.must_confirm = true;
        self.app.age_sign_ins(&column.caller.id);
    }

    /// Adds owners of teams that require a second factor.
    async fn without_second_factor(&mut self) {
        let name = "without-factor";
        self.member(name, "an owner without the second factor that the team requires", "owner").await;
        self.requires_second_factor();
        let account = self.columns.last().unwrap().caller.clone();
        let request = json!({"label": name, "roles": "owner", "expires_at": soon()});
        let token = account.post("/auth/pat", request).await.created();
        let caller = self.app.bearer(token["data"]["value"].as_str().unwrap());
        let place = self.place("token-without-factor").await;
        join(&self.people.owner, &place.team, &account, name, "owner").await;
        let what = "a personal token of an account without the second factor that the team requires";
        self.add("token-without-factor", what, caller, Standing::WithoutSecondFactor, place);

        let name = "factor-unused";
        self.member(name, "an owner who signed in without the second factor that the team requires", "owner").await;
        self.requires_second_factor();
        Authenticator::set_up(&Browser::signed_in(self.app, name).await).await;
    }

    fn requires_second_factor(&mut self) {
        self.columns.last_mut().unwrap().standing = Standing::WithoutSecondFactor;
    }

    /// Adds a caller without a valid credential.
    async fn nobody(&mut self, name: &'static str, what: &'static str, caller: Actor) {
        let place = self.place(name).await;
        self.add(name, what, caller, Standing::Nobody, place);
    }

    /// Adds a member with these roles.
    async fn member(&mut self, name: &'static str, what: &'static str, held: &str) {
        let (person, mut place) = (self.app.person(name).await, self.place(name).await);
        join(&self.people.owner, &place.team, &person, name, held).await;
        place.welcome(&self.people, &person, name).await;
        self.add(name, what, person, Standing::Person(roles(held), Token::None), place);
    }

    /// Adds a key of the fixture's project.
    async fn key(&mut self, name: &'static str, what: &'static str, held: &str, is_private: bool) {
        let place = self.place(name).await;
        let (_, value) = self.create_key(&place.project, name, held, is_private).await;
        let held = KeyRoles::parse(held).unwrap().permissions();
        self.add(name, what, self.app.bearer(&value), Standing::Key(held), place);
    }

    /// Adds a client of the fixture's project that acts on its own behalf.
    async fn client(&mut self, name: &'static str, what: &'static str, held: &str) {
        let place = self.place(name).await;
        let grant_types = ["client_credentials"];
        let client = json!({"name": name, "type": "confidential", "grant_types": grant_types, "roles": held});
        let client = self.people.owner.post(&format!("/project/{}/client", place.project), client).await.created();
        let request = json!({
            "grant_type": grant_types[0],
            "client_id": client["data"]["id"],
            "client_secret": client["data"]["client_secret"],
        });
        let tokens = self.app.anonymous().post("/auth/token", request).await.ok();
        let caller = self.app.bearer(tokens["access_token"].as_str().unwrap());
        self.add(name, what, caller, Standing::Key(KeyRoles::parse(held).unwrap().permissions()), place);
    }

    /// Adds a public key that an earlier version stored with more permissions than public keys may have now.
    async fn old_public_key(&mut self) {
        let (name, held) = ("key-public-old", "project:read,schema:read");
        self.key(name, "a public key that is stored with all roles", held, false).await;
        self.app.execute_sql(&format!("UPDATE api_keys SET roles = 'admin' WHERE label = '{name}'"));
    }

    async fn create_key(&self, project: &str, label: &str, held: &str, is_private: bool) -> (String, String) {
        let key = json!({"label": label, "roles": held, "is_private": is_private});
        let key = self.people.owner.post(&format!("/project/{project}/key"), key).await.ok();
        let text = |name: &str| key["key"][name].as_str().unwrap().to_owned();
        (text("id"), text("value"))
    }

    /// Adds a key of another project, in the same team or in another one.
    async fn foreign_key(&mut self, name: &'static str, what: &'static str, same_team: bool) {
        let place = self.place(name).await;
        let other = match same_team {
            true => place.team.clone(),
            false => self.place("elsewhere").await.team,
        };
        let project = json!({"name": "Other", "slug": format!("o-{name}"), "team_id": other});
        let project = self.people.owner.post("/project/", project).await.created().id();
        let (_, value) = self.create_key(&project, name, "admin", true).await;
        // The key can read its own team, but has no access to the other project.
        let held = KeyRoles::parse("admin").unwrap().permissions();
        let standing = if same_team { Standing::KeyOfSibling(held) } else { Standing::KeyOfStranger(held) };
        self.add(name, what, self.app.bearer(&value), standing, place);
    }

    /// Adds a restricted personal token of the owner.
    async fn token(&mut self, name: &'static str, what: &'static str, held: &str, reach: Reach) {
        let place = self.place(name).await;
        let (teams, projects): (Vec<&str>, Vec<&str>) = match reach {
            Reach::Everything => (vec![], vec![]),
            Reach::Team => (vec![&place.team], vec![]),
            Reach::Project => (vec![], vec![&place.project]),
            Reach::Elsewhere => (vec![&self.columns[0].place.team], vec![]),
        };
        let request = json!({"label": name, "roles": held, "teams": teams, "projects": projects, "expires_at": soon()});
        let created = self.people.owner.post("/auth/pat", request).await.created();
        let caller = self.app.bearer(created["data"]["value"].as_str().unwrap());
        let standing = match reach {
            Reach::Everything | Reach::Team => Standing::Person(roles(held), Token::Wide),
            Reach::Project => Standing::Person(roles(held), Token::OfProject),
            Reach::Elsewhere => Standing::Person(PermissionSet::default(), Token::Wide),
        };
        self.add(name, what, caller, standing, place);
    }

    /// Adds a user of a project with a token for it.
    async fn user(&mut self, name: &'static str, what: &'static str, scope: &str, here: bool) {
        let place = self.place(name).await;
        let elsewhere = self.columns[0].place.project.clone();
        let client = Client::new(self.app, if here { &place.project } else { &elsewhere });
        let tokens: Value = client.tokens(self.app, "visitor", &[("scope", scope)]).await.0;
        let scopes = match (here, scope.contains("db:write")) {
            (true, true) => vec![Scope::DbRead, Scope::DbWrite],
            (true, false) => vec![Scope::DbRead],
            (false, _) => Vec::new(),
        };
        let caller = self.app.bearer(tokens["access_token"].as_str().unwrap());
        self.add(name, what, caller, Standing::User(scopes), place);
    }
}

enum Reach {
    Everything,
    Team,
    Project,
    Elsewhere,
}

/// All kinds of callers, in the order of the golden file.
pub async fn all(app: &App, receiver: &Receiver) -> Vec<Column> {
    let mut builder = Builder { app, people: People::gather(app).await, receiver, columns: Vec::new() };
    builder.nobody("anonymous", "no credential", super::anonymous(app)).await;
    invalid_credentials(&mut builder).await;
    people(&mut builder).await;
    builder.outdated_owner().await;
    builder.without_second_factor().await;
    builder.key("key-admin", "a private key with all roles", "admin", true).await;
    builder.key("key-write", "a private key that writes", "write", true).await;
    builder.key("key-read", "a private key that reads", "read", true).await;
    builder.key("key-public", "a public key", "project:read,schema:read", false).await;
    builder.old_public_key().await;
    builder.key("key-db-read", "a key with one permission", "db:read", true).await;
    builder.client("client-admin", "a client that acts on its own behalf, with all roles", "admin").await;
    builder.client("client-read", "a client that acts on its own behalf and reads", "read").await;
    builder.foreign_key("key-other-project", "a key with all roles of another project of the team", true).await;
    builder.foreign_key("key-other-team", "a key with all roles of another team's project", false).await;
    builder.token("token-owner", "the owner's personal token, not narrowed", "owner", Reach::Everything).await;
    builder
        .token("token-viewer", "the owner's personal token, restricted to a role", "viewer", Reach::Everything)
        .await;
    builder
        .token("token-db-read", "the owner's personal token, restricted to a permission", "db:read", Reach::Everything)
        .await;
    builder.token("token-team", "the owner's personal token, restricted to the team", "owner", Reach::Team).await;
    builder
        .token("token-project", "the owner's personal token, restricted to the project", "owner", Reach::Project)
        .await;
    builder
        .token("token-elsewhere", "the owner's personal token, restricted to another team", "owner", Reach::Elsewhere)
        .await;
    builder.user("user", "the project's user", "openid profile email app:db:write", true).await;
    builder.user("user-reads", "the project's user, by a token that only reads", "openid app:db:read", true).await;
    builder.user("user-elsewhere", "a user of another project", "openid profile email app:db:write", false).await;
    // An expired token stays valid for some seconds to allow for clock skew.
    let expired = builder.columns.iter().find(|column| column.name == "expired-token").unwrap();
    eventually(async || (expired.caller.get("/auth/token").await.status == 401).then_some(())).await;
    for column in &mut builder.columns {
        column.place.await_deliveries().await;
    }
    // From here on, even the owner who made the fixtures is refused there.
    for column in builder.columns.iter().filter(|column| column.standing == Standing::WithoutSecondFactor) {
        let (team, from) = (&column.place.team, "2026-01-01T00:00:00.000000Z");
        app.execute_sql(&format!("UPDATE teams SET second_factor_from = '{from}' WHERE id = '{team}'"));
    }
    builder.columns
}

/// Adds people: members with each role, and people who are not members.
async fn people(builder: &mut Builder<'_>) {
    let (stranger, mut place) = (builder.app.person("stranger").await, builder.place("stranger").await);
    place.welcome(&builder.people, &stranger, "stranger").await;
    let outside = || Standing::Person(PermissionSet::default(), Token::None);
    builder.add("stranger", "a person of no team", stranger, outside(), place);

    let mut place = builder.place("owner").await;
    let owner = builder.people.owner.clone();
    place.welcome(&builder.people, &owner, "owner").await;
    builder.add("owner", "an owner", owner, Standing::Person(roles("owner"), Token::None), place);
    for (name, what) in [
        ("admin", "a member in this role"),
        ("developer", "a member in this role"),
        ("viewer", "a member in this role"),
    ] {
        builder.member(name, what, name).await;
    }
    builder.member("only-team-read", "a member with one permission", "team:read").await;
    builder.member("only-member-write", "a member with one permission", "member:write").await;
    builder.member("only-key-write", "a member with one permission", "key:write").await;
    builder.member("only-db-write", "a member with one permission", "db:write").await;
    builder.member("only-audit-read", "a member with one permission", "audit:read").await;

    let (removed, mut place) = (builder.app.person("removed").await, builder.place("removed").await);
    join(&builder.people.owner, &place.team, &removed, "removed", "admin").await;
    builder.people.owner.delete(&format!("/team/{}/member/{}", place.team, removed.id)).await.ok();
    place.welcome(&builder.people, &removed, "removed").await;
    builder.add("removed", "an admin who was removed", removed, outside(), place);
}

/// Adds callers with credentials that are no longer valid or never were.
async fn invalid_credentials(builder: &mut Builder<'_>) {
    let arguments = ["token", "issue", "--email", "owner@example.com", "--ttl", "1"];
    let issued = builder.app.run(&arguments, "").await;
    assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
    let expired = String::from_utf8(issued.stdout).unwrap();
    let caller = builder.app.bearer(expired.trim());
    builder.nobody("expired-token", "an access token that has expired", caller).await;

    let project = builder.columns[0].place.project.clone();
    let (id, value) = builder.create_key(&project, "deleted", "admin", true).await;
    builder.people.owner.delete(&format!("/project/{project}/key/{id}")).await.ok();
    builder.nobody("deleted-key", "a key that was deleted", builder.app.bearer(&value)).await;

    let (_, value) = builder.create_key(&project, "expired", "admin", true).await;
    builder.app.execute_sql("UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000000Z' WHERE label = 'expired'");
    builder.nobody("expired-key", "a key that has expired", builder.app.bearer(&value)).await;

    let request = json!({"label": "expired", "roles": "owner", "expires_at": soon()});
    let created = builder.people.owner.post("/auth/pat", request).await.created();
    builder
        .app
        .execute_sql("UPDATE personal_tokens SET expires_at = '2020-01-01T00:00:00.000000Z' WHERE label = 'expired'");
    let caller = builder.app.bearer(created["data"]["value"].as_str().unwrap());
    builder.nobody("expired-personal", "a personal token that has expired", caller).await;

    let disabled = builder.app.person("disabled").await;
    let mut place = builder.place("disabled-account").await;
    join(&builder.people.owner, &place.team, &disabled, "disabled", "admin").await;
    place.welcome(&builder.people, &disabled, "disabled").await;
    let run = builder.app.run(&["account", "disable", "--email", "disabled@example.com"], "").await;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    builder.add("disabled-account", "an admin whose account is disabled", disabled, Standing::Nobody, place);

    builder.nobody("mistyped", "a malformed credential", builder.app.bearer("stw_sk_nonsense")).await;
}
