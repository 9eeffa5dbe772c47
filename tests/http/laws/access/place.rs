//! The fixture of one kind of caller. Each kind has its own fixture, so that deletions do not affect other kinds.

use serde_json::json;
use steward_tests::{Actor, App, Receiver, eventually, notes_schema};

/// People that all fixtures share.
pub struct People {
    pub owner: Actor,
    /// The user of every project.
    pub visitor: Actor,
    /// A member of every team who can be removed.
    pub spare: Actor,
    /// Owner of two teams who invites the callers into them.
    pub host: Actor,
    pub teams_of_host: [String; 2],
}

impl People {
    pub async fn gather(app: &App) -> Self {
        let (owner, visitor) = (app.person("owner").await, app.person("visitor").await);
        let (spare, host) = (app.person("spare").await, app.person("host").await);
        let team = async |slug: &str| host.post("/team/", json!({"name": slug, "slug": slug})).await.created().id();
        let teams_of_host = [team("host-one").await, team("host-two").await];
        Self { owner, visitor, spare, host, teams_of_host }
    }
}

/// A webhook and one of its deliveries, by ID.
pub struct Hook {
    pub id: String,
    pub delivery: String,
}

/// The fixture of one kind of caller.
pub struct Place {
    /// Name of the fixture, used in the names and slugs of its resources.
    pub name: String,
    pub team: String,
    pub project: String,
    pub user: String,
    pub visitor: String,
    /// Owner of the team, independent of the caller.
    pub owner: Actor,
    pub member: String,
    pub key: String,
    pub invite: String,
    pub team_hook: Hook,
    pub project_hook: Hook,
    pub provider: String,
    /// A confidential client at which people sign in.
    pub client: String,
    /// IDs of invites for the caller, if the caller is a person.
    pub own_invites: [String; 2],
    /// ID of a personal token of the caller, if the caller is a person.
    pub own_token: String,
}

impl Place {
    /// Creates a team of the owner with a member, an invite, webhooks, and a project with a key, a user and an item.
    pub async fn make(app: &App, people: &People, receiver: &Receiver, name: &str) -> Self {
        let owner = &people.owner;
        let team = owner.post("/team/", json!({"name": name, "slug": format!("t-{name}")})).await.created().id();
        // A rule that the operation to update a team removes, which widens authority.
        app.execute_sql(&format!(
            "UPDATE teams SET second_factor_from = '2199-01-01T00:00:00.000000Z' WHERE id = '{team}'"
        ));
        let project = json!({"name": name, "slug": format!("p-{name}"), "team_id": team});
        let project = owner.post("/project/", project).await.created().id();
        let path = format!("/project/{project}");
        owner.post(&format!("{path}/schema"), json!({"schema": notes_schema()})).await.ok();
        let token = json!({"token": people.visitor.credential});
        app.anonymous().post(&format!("{path}/user/connect"), token).await.ok();
        let users = owner.get(&format!("{path}/user/")).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let item = json!({"value": {"title": "First"}});
        owner.put(&format!("{path}/user/{user}/db/notes/first"), item).await.created();
        let key = owner.post(&format!("{path}/key"), json!({"label": "spare", "roles": "key:read"})).await.ok();
        join(&people.owner, &team, &people.spare, "spare", "viewer").await;
        let invite = json!({"email": "someone@example.com", "roles": "viewer"});
        let invite = owner.post(&format!("/team/{team}/invite"), invite).await.created().id();
        let team_hook = create_hook(owner, &format!("/team/{team}"), receiver).await;
        let project_hook = create_hook(owner, &path, receiver).await;
        let provider = json!({"kind": "google", "client_id": "steward"});
        let provider = owner.post(&format!("{path}/identity-provider"), provider).await.created().id();
        let client = json!({"name": "Spare", "type": "confidential", "redirect_uris": ["https://app.example/"]});
        let client = owner.post(&format!("{path}/client"), client).await.created().id();
        Self {
            name: name.to_owned(),
            visitor: people.visitor.credential.clone().unwrap(),
            owner: owner.clone(),
            member: people.spare.id.clone(),
            key: key["key"]["id"].as_str().unwrap().to_owned(),
            own_invites: [user.clone(), user.clone()],
            own_token: user.clone(),
            team,
            project,
            user,
            invite,
            team_hook,
            project_hook,
            provider,
            client,
        }
    }

    /// Waits until the webhooks have delivered their `webhook.created` events.
    pub async fn await_deliveries(&mut self) {
        let hooks = [
            (&mut self.team_hook, format!("/team/{}", self.team)),
            (&mut self.project_hook, format!("/project/{}", self.project)),
        ];
        for (hook, scope) in hooks {
            let path = format!("{scope}/webhook/{}/delivery", hook.id);
            let delivered = async || {
                let deliveries = self.owner.get(&path).await.ok();
                deliveries["data"][0]["id"].as_str().map(str::to_owned)
            };
            hook.delivery = eventually(delivered).await;
        }
    }

    /// Invites the caller into the host's teams and creates a personal token of the caller.
    pub async fn welcome(&mut self, people: &People, caller: &Actor, username: &str) {
        for (own, team) in self.own_invites.iter_mut().zip(&people.teams_of_host) {
            let invite = json!({"username": username, "roles": "viewer"});
            *own = people.host.post(&format!("/team/{team}/invite"), invite).await.created().id();
        }
        let token = json!({"label": "spare", "roles": "viewer", "expires_at": super::requests::soon()});
        self.own_token = caller.post("/auth/pat", token).await.created().id();
    }
}

/// Adds a person to a team with these roles.
pub async fn join(owner: &Actor, team: &str, member: &Actor, username: &str, roles: &str) {
    let invite = json!({"username": username, "roles": roles});
    let invite = owner.post(&format!("/team/{team}/invite"), invite).await.created().id();
    member.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
}

/// Creates a webhook that receives its own `webhook.created` event.
async fn create_hook(owner: &Actor, scope: &str, receiver: &Receiver) -> Hook {
    let request = json!({"url": receiver.url, "events": ["webhook.created"]});
    let id = owner.post(&format!("{scope}/webhook"), request).await.created().id();
    Hook { id, delivery: String::new() }
}
