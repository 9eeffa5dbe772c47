//! The kinds of callers. Each has a world of its own.

use serde_json::{Value, json};
use steward_domain::model::Scope;
use steward_domain::policy::{Callers, KeyRoles, PermissionSet, RoleSet, Rule};
use steward_tests::{Actor, App, Client, Receiver, eventually};

use super::place::{People, Place, join};
use super::requests::soon;

/// One kind of caller.
pub struct Column {
    pub name: &'static str,
    pub what: &'static str,
    pub caller: Actor,
    pub standing: Standing,
    pub place: Place,
}

/// What a caller is to the world, for what the table of operations says.
#[derive(Debug, PartialEq)]
pub enum Standing {
    /// No credential, or none that is valid.
    Nobody,
    /// A person, or their personal token, with these permissions in the team and project, and whether it is a token.
    Person(PermissionSet, Token),
    /// A key with these permissions in the project.
    Key(PermissionSet),
    /// A key of another project of the team, with these permissions in the team.
    KeyOfSibling(PermissionSet),
    /// A user of the project whose token has these scopes; elsewhere it has none.
    User(Vec<Scope>),
}

/// Whether a person comes with a personal token, and whether that reaches the team beside the project.
#[derive(Debug, PartialEq, Clone, Copy)]
pub enum Token {
    None,
    Wide,
    OfProject,
}

impl Standing {
    /// Whether the caller may do it. `None`: it needs nothing that the table knows.
    pub fn may(&self, rule: Rule) -> Option<bool> {
        let needed: Vec<_> = rule.needs.permissions().collect();
        if let Some(scope) = rule.needs.scope() {
            return Some(matches!(self, Self::User(scopes) if scopes.contains(&scope)));
        }
        if needed.is_empty() {
            return None;
        }
        let of_team = matches!(rule.needs, steward_domain::policy::Requirement::OfTeam(_));
        Some(match self {
            Self::Nobody | Self::User(_) => false,
            Self::Person(_, Token::OfProject) if of_team => false,
            Self::KeyOfSibling(_) if !of_team => false,
            Self::Person(held, _) => needed.iter().all(|permission| held.has(*permission)),
            Self::Key(held) | Self::KeyOfSibling(held) => {
                rule.callers == Callers::AccountOrKey && needed.iter().all(|permission| held.has(*permission))
            }
        })
    }
}

fn roles(text: &str) -> PermissionSet {
    RoleSet::parse(text).unwrap().permissions()
}

/// Makes columns.
struct Maker<'a> {
    app: &'a App,
    people: People,
    receiver: &'a Receiver,
    columns: Vec<Column>,
}

impl Maker<'_> {
    async fn place(&self, name: &str) -> Place {
        Place::make(self.app, &self.people, self.receiver, name).await
    }

    fn add(&mut self, name: &'static str, what: &'static str, caller: Actor, standing: Standing, place: Place) {
        self.columns.push(Column { name, what, caller, standing, place });
    }

    /// Somebody whose credential is not valid.
    async fn nobody(&mut self, name: &'static str, what: &'static str, caller: Actor) {
        let place = self.place(name).await;
        self.add(name, what, caller, Standing::Nobody, place);
    }

    /// A member in these roles.
    async fn member(&mut self, name: &'static str, what: &'static str, held: &str) {
        let (person, mut place) = (self.app.person(name).await, self.place(name).await);
        join(&self.people.owner, &place.team, &person, name, held).await;
        place.welcome(&self.people, &person, name).await;
        self.add(name, what, person, Standing::Person(roles(held), Token::None), place);
    }

    /// A key of the world's project.
    async fn key(&mut self, name: &'static str, what: &'static str, held: &str, is_private: bool) {
        let place = self.place(name).await;
        let (_, value) = self.make_key(&place.project, name, held, is_private).await;
        let held = KeyRoles::parse(held).unwrap().permissions();
        self.add(name, what, self.app.bearer(&value), Standing::Key(held), place);
    }

    async fn make_key(&self, project: &str, label: &str, held: &str, is_private: bool) -> (String, String) {
        let key = json!({"label": label, "roles": held, "is_private": is_private});
        let key = self.people.owner.post(&format!("/project/{project}/key"), key).await.ok();
        let text = |name: &str| key["key"][name].as_str().unwrap().to_owned();
        (text("id"), text("value"))
    }

    /// A key of another project, of this team or of another.
    async fn foreign_key(&mut self, name: &'static str, what: &'static str, same_team: bool) {
        let place = self.place(name).await;
        let other = match same_team {
            true => place.team.clone(),
            false => self.place("elsewhere").await.team,
        };
        let project = json!({"name": "Other", "slug": format!("o-{name}"), "team_id": other});
        let project = self.people.owner.post("/project/", project).await.created().id();
        let (_, value) = self.make_key(&project, name, "admin", true).await;
        // A key reads of its team what it may; of the other project it knows nothing.
        let standing = match same_team {
            true => Standing::KeyOfSibling(KeyRoles::parse("admin").unwrap().permissions()),
            false => Standing::Key(PermissionSet::default()),
        };
        self.add(name, what, self.app.bearer(&value), standing, place);
    }

    /// A personal token of the owner, narrowed.
    async fn token(&mut self, name: &'static str, what: &'static str, held: &str, reach: Reach) {
        let place = self.place(name).await;
        let (teams, projects): (Vec<&str>, Vec<&str>) = match reach {
            Reach::Everything => (vec![], vec![]),
            Reach::Team => (vec![&place.team], vec![]),
            Reach::Project => (vec![], vec![&place.project]),
            Reach::Elsewhere => (vec![&self.columns[0].place.team], vec![]),
        };
        let wanted = json!({"label": name, "roles": held, "teams": teams, "projects": projects, "expires_at": soon()});
        let made = self.people.owner.post("/auth/pat", wanted).await.created();
        let caller = self.app.bearer(made["data"]["value"].as_str().unwrap());
        let standing = match reach {
            Reach::Everything | Reach::Team => Standing::Person(roles(held), Token::Wide),
            Reach::Project => Standing::Person(roles(held), Token::OfProject),
            Reach::Elsewhere => Standing::Person(PermissionSet::default(), Token::Wide),
        };
        self.add(name, what, caller, standing, place);
    }

    /// A user of a project, by a token for it.
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
    let mut maker = Maker { app, people: People::gather(app).await, receiver, columns: Vec::new() };
    maker.nobody("nobody", "no credential", super::anon(app)).await;
    invalid_credentials(&mut maker).await;
    people(&mut maker).await;
    maker.key("key-admin", "a private key with all roles", "admin", true).await;
    maker.key("key-write", "a private key that writes", "write", true).await;
    maker.key("key-read", "a private key that reads", "read", true).await;
    maker.key("key-public", "a public key", "read", false).await;
    maker.key("key-db-read", "a key with one permission", "db:read", true).await;
    maker.foreign_key("key-other-project", "a key with all roles of another project of the team", true).await;
    maker.foreign_key("key-other-team", "a key with all roles of another team's project", false).await;
    maker.token("token-owner", "the owner's personal token, not narrowed", "owner", Reach::Everything).await;
    maker.token("token-viewer", "the owner's personal token, narrowed to a role", "viewer", Reach::Everything).await;
    maker
        .token("token-db-read", "the owner's personal token, narrowed to a permission", "db:read", Reach::Everything)
        .await;
    maker.token("token-team", "the owner's personal token, narrowed to the team", "owner", Reach::Team).await;
    maker.token("token-project", "the owner's personal token, narrowed to the project", "owner", Reach::Project).await;
    maker
        .token("token-elsewhere", "the owner's personal token, narrowed to another team", "owner", Reach::Elsewhere)
        .await;
    maker.user("user", "the project's user", "openid profile email app:db:write", true).await;
    maker.user("user-reads", "the project's user, by a token that only reads", "openid app:db:read", true).await;
    maker.user("user-elsewhere", "a user of another project", "openid profile email app:db:write", false).await;
    // Clocks of servers differ, so that a token is taken for some seconds more.
    let expired = maker.columns.iter().find(|column| column.name == "expired-token").unwrap();
    eventually(async || (expired.caller.get("/auth/token").await.status == 401).then_some(())).await;
    for column in &mut maker.columns {
        column.place.await_deliveries().await;
    }
    maker.columns
}

/// People: members in each role, and some who are none.
async fn people(maker: &mut Maker<'_>) {
    let (stranger, mut place) = (maker.app.person("stranger").await, maker.place("stranger").await);
    place.welcome(&maker.people, &stranger, "stranger").await;
    let outside = || Standing::Person(PermissionSet::default(), Token::None);
    maker.add("stranger", "a person of no team", stranger, outside(), place);

    let mut place = maker.place("owner").await;
    let owner = maker.people.owner.clone();
    place.welcome(&maker.people, &owner, "owner").await;
    maker.add("owner", "an owner", owner, Standing::Person(roles("owner"), Token::None), place);
    for (name, what) in [
        ("admin", "a member in this role"),
        ("developer", "a member in this role"),
        ("viewer", "a member in this role"),
    ] {
        maker.member(name, what, name).await;
    }
    maker.member("only-team-read", "a member with one permission", "team:read").await;
    maker.member("only-member-write", "a member with one permission", "member:write").await;
    maker.member("only-key-write", "a member with one permission", "key:write").await;
    maker.member("only-db-write", "a member with one permission", "db:write").await;
    maker.member("only-audit-read", "a member with one permission", "audit:read").await;

    let (removed, mut place) = (maker.app.person("removed").await, maker.place("removed").await);
    join(&maker.people.owner, &place.team, &removed, "removed", "admin").await;
    maker.people.owner.delete(&format!("/team/{}/member/{}", place.team, removed.id)).await.ok();
    place.welcome(&maker.people, &removed, "removed").await;
    maker.add("removed", "an admin who was removed", removed, outside(), place);
}

/// Credentials that were valid once, or never.
async fn invalid_credentials(maker: &mut Maker<'_>) {
    let arguments = ["token", "issue", "--email", "owner@example.com", "--ttl", "1"];
    let issued = maker.app.run(&arguments, "").await;
    assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
    let expired = String::from_utf8(issued.stdout).unwrap();
    let caller = maker.app.bearer(expired.trim());
    maker.nobody("expired-token", "an access token that has expired", caller).await;

    let project = maker.columns[0].place.project.clone();
    let (id, value) = maker.make_key(&project, "deleted", "admin", true).await;
    maker.people.owner.delete(&format!("/project/{project}/key/{id}")).await.ok();
    maker.nobody("deleted-key", "a key that was deleted", maker.app.bearer(&value)).await;

    let (_, value) = maker.make_key(&project, "expired", "admin", true).await;
    maker.app.tamper("UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000000Z' WHERE label = 'expired'");
    maker.nobody("expired-key", "a key that has expired", maker.app.bearer(&value)).await;

    let wanted = json!({"label": "expired", "roles": "owner", "expires_at": soon()});
    let made = maker.people.owner.post("/auth/pat", wanted).await.created();
    maker.app.tamper("UPDATE personal_tokens SET expires_at = '2020-01-01T00:00:00.000000Z' WHERE label = 'expired'");
    let caller = maker.app.bearer(made["data"]["value"].as_str().unwrap());
    maker.nobody("expired-personal", "a personal token that has expired", caller).await;

    let disabled = maker.app.person("disabled").await;
    let mut place = maker.place("disabled-account").await;
    join(&maker.people.owner, &place.team, &disabled, "disabled", "admin").await;
    place.welcome(&maker.people, &disabled, "disabled").await;
    let run = maker.app.run(&["account", "disable", "--email", "disabled@example.com"], "").await;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    maker.add("disabled-account", "an admin whose account is disabled", disabled, Standing::Nobody, place);

    maker.nobody("mistyped", "something that is no credential", maker.app.bearer("stw_sk_nonsense")).await;
}
