//! The world that one kind of caller walks through: nobody else touches it, so that what it removes is missed by nobody.

use serde_json::json;
use steward_tests::{Actor, App, Receiver, eventually, schema_of_notes};

/// Who is there in every world.
pub struct People {
    pub owner: Actor,
    /// The user of every project.
    pub visitor: Actor,
    /// A member of every team whom nobody misses.
    pub spare: Actor,
    /// Owns a team of their own and invites people into it.
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

/// A hook and something that it delivered.
pub struct Hook {
    pub id: String,
    pub delivery: String,
}

/// One world.
pub struct Place {
    /// What everything in it is named after.
    pub name: String,
    pub team: String,
    pub project: String,
    pub user: String,
    pub visitor: String,
    /// Owns it, whoever walks through it.
    pub owner: Actor,
    pub member: String,
    pub key: String,
    pub invite: String,
    pub team_hook: Hook,
    pub project_hook: Hook,
    /// Invites for the caller, where the caller is a person.
    pub own_invites: [String; 2],
    /// A personal token of the caller, where the caller is a person.
    pub own_token: String,
}

impl Place {
    /// A team of the owner with a project, its user with an item, a member, a key, an invite and webhooks.
    pub async fn make(app: &App, people: &People, receiver: &Receiver, name: &str) -> Self {
        let owner = &people.owner;
        let team = owner.post("/team/", json!({"name": name, "slug": format!("t-{name}")})).await.created().id();
        let project = json!({"name": name, "slug": format!("p-{name}"), "team_id": team});
        let project = owner.post("/project/", project).await.created().id();
        let path = format!("/project/{project}");
        owner.post(&format!("{path}/schema"), json!({"schema": schema_of_notes()})).await.ok();
        let token = json!({"token": people.visitor.credential});
        app.anon().post(&format!("{path}/user/connect"), token).await.ok();
        let users = owner.get(&format!("{path}/user/")).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let item = json!({"value": {"title": "First"}});
        owner.put(&format!("{path}/user/{user}/db/notes/first"), item).await.created();
        let key = owner.post(&format!("{path}/key"), json!({"label": "spare", "roles": "key:read"})).await.ok();
        join(&people.owner, &team, &people.spare, "spare", "viewer").await;
        let invite = json!({"email": "somebody@example.com", "roles": "viewer"});
        let invite = owner.post(&format!("/team/{team}/invite"), invite).await.created().id();
        let team_hook = hook(owner, &format!("/team/{team}"), receiver).await;
        let project_hook = hook(owner, &path, receiver).await;
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
        }
    }

    /// Waits until the webhooks have delivered that they were made.
    pub async fn await_deliveries(&mut self) {
        let places = [
            (&mut self.team_hook, format!("/team/{}", self.team)),
            (&mut self.project_hook, format!("/project/{}", self.project)),
        ];
        for (hook, place) in places {
            let path = format!("{place}/webhook/{}/delivery", hook.id);
            let delivered = async || {
                let deliveries = self.owner.get(&path).await.ok();
                deliveries["data"][0]["id"].as_str().map(str::to_owned)
            };
            hook.delivery = eventually(delivered).await;
        }
    }

    /// Invites the caller elsewhere and makes a personal token of theirs.
    pub async fn welcome(&mut self, people: &People, caller: &Actor, username: &str) {
        for (own, team) in self.own_invites.iter_mut().zip(&people.teams_of_host) {
            let invite = json!({"username": username, "roles": "viewer"});
            *own = people.host.post(&format!("/team/{team}/invite"), invite).await.created().id();
        }
        let token = json!({"label": "spare", "roles": "viewer", "expires_at": super::requests::soon()});
        self.own_token = caller.post("/auth/pat", token).await.created().id();
    }
}

/// Makes somebody a member of a team in these roles.
pub async fn join(owner: &Actor, team: &str, member: &Actor, username: &str, roles: &str) {
    let invite = json!({"username": username, "roles": roles});
    let invite = owner.post(&format!("/team/{team}/invite"), invite).await.created().id();
    member.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
}

/// A webhook that is sent that it was made.
async fn hook(owner: &Actor, place: &str, receiver: &Receiver) -> Hook {
    let made = json!({"url": receiver.url, "events": ["webhook.created"]});
    let id = owner.post(&format!("{place}/webhook"), made).await.created().id();
    Hook { id, delivery: String::new() }
}
