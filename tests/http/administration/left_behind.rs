//! What a removed or demoted member leaves behind: keys, clients and identity providers are listed, and end only if the
//! request says so.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, World, on_both, on_sqlite};

const ALL: &str = "?end=keys,clients,identity_providers";

/// What an admin set up in a project.
pub(crate) struct SetUp {
    project: String,
    /// The ID of a key, and a caller that authenticates with it.
    pub(crate) key: (String, Actor),
    /// The ID and the secret of a client that acts on its own behalf.
    pub(crate) client: (String, String),
    /// The ID of an identity provider.
    pub(crate) provider: String,
}

impl SetUp {
    pub(crate) async fn by(app: &App, admin: &Actor, project: &str) -> Self {
        let path = format!("/project/{project}");
        let key = json!({"label": "deploy", "roles": "write,project:read"});
        let key = admin.post(&format!("{path}/key"), key).await.ok();
        let provider = json!({"kind": "github", "client_id": "Iv1.8a61"});
        Self {
            key: (text(&key["key"]["id"]), app.bearer(key["key"]["value"].as_str().unwrap())),
            client: client(admin, project, "schema:write").await,
            provider: admin.post(&format!("{path}/identity-provider"), provider).await.created().id(),
            project: project.to_owned(),
        }
    }

    /// The response to a request for a token of the client.
    pub(crate) async fn token(&self, app: &App) -> Answer {
        token(app, &self.client).await
    }

    /// Asserts that a response lists all of it, with whether it ended.
    #[track_caller]
    fn is_listed(&self, affected: &Value, ended: bool) {
        let one = |id: &str, member: &str, name: &str| {
            let listed = json!({"id": id, "project_id": self.project, member: name, "ended": ended});
            json!([listed])
        };
        assert_eq!(affected["affected_keys"], one(&self.key.0, "label", "deploy"));
        assert_eq!(affected["affected_clients"], one(&self.client.0, "name", "Worker"));
        assert_eq!(affected["affected_identity_providers"], one(&self.provider, "name", "GitHub"));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Registers a client that acts on its own behalf with these roles. Returns its ID and its secret.
async fn client(creator: &Actor, project: &str, roles: &str) -> (String, String) {
    let new = json!({
        "name": "Worker", "type": "confidential", "grant_types": ["client_credentials"], "redirect_uris": [],
        "roles": roles,
    });
    let created = creator.post(&format!("/project/{project}/client"), new).await.created();
    (created.id(), text(&created["data"]["client_secret"]))
}

async fn token(app: &App, (id, secret): &(String, String)) -> Answer {
    let request = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    app.anonymous().post("/auth/token", request).await
}

fn member_path(world: &World, actor: &Actor) -> String {
    format!("/team/{}/member/{}", world.team, actor.id)
}

/// The IDs of the listed resources.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|resource| resource["id"].as_str().unwrap()).collect()
}

// The database keeps who created what.
on_both! {
    async fn what_a_removed_admin_set_up_goes_on_unless_the_request_ends_it(app: &App) {
        let world = World::make(app, "acme").await;
        let second = json!({"name": "Second", "slug": "second", "team_id": world.team});
        let second = world.owner.post("/project/", second).await.created().id();
        let (adam, eve) = (world.member(app, "adam", "admin").await, world.member(app, "eve", "admin").await);
        let kept = SetUp::by(app, &adam, &world.project).await;
        let removed = world.owner.delete(&member_path(&world, &adam)).await.ok();
        kept.is_listed(&removed.0, false);

        let ended = SetUp::by(app, &eve, &second).await;
        let worker = app.bearer(ended.token(app).await.ok()["access_token"].as_str().unwrap());
        worker.post(&format!("/project/{second}/schema"), json!({"schema": steward_tests::notes_schema()})).await.ok();
        let request = (Method::DELETE, format!("{}{ALL}", member_path(&world, &eve)), [("Idempotency-Key", "once")]);
        let (method, path, key) = &request;
        let removed = world.owner.send(method.clone(), path, None, key).await.ok();
        ended.is_listed(&removed.0, true);
        let again = world.owner.send(method.clone(), path, None, key).await;
        assert_eq!((again.header("Idempotency-Replayed"), again.json()), ("true", removed.0));

        ended.key.1.get(&format!("/project/{second}")).await.refused(401, "unauthorized");
        worker.get(&format!("/project/{second}")).await.refused(401, "unauthorized");
        ended.token(app).await.refused(400, "invalid_client");
        let provider = format!("/project/{second}/identity-provider/{}", ended.provider);
        world.owner.get(&provider).await.is_not_found();
        // The log of the project, which its own webhooks and keys read, says what ended and why.
        for (target, action) in [
            (&ended.key.0, "api_key.deleted"),
            (&ended.client.0, "client.deleted"),
            (&ended.provider, "identity_provider.deleted"),
        ] {
            let log = world.owner.get(&format!("/project/{second}/audit?target={target}")).await.ok();
            let event = &log["data"][0];
            assert_eq!((&event["action"], &event["operation"]), (&json!(action), &json!("removeMember")), "{event}");
            assert_eq!((&event["project_id"], &event["actor"]["id"]), (&json!(second), &json!(world.owner.id)));
        }
        // What nobody ended goes on.
        kept.key.1.get(&format!("/project/{}", world.project)).await.ok();
        kept.token(app).await.ok();
        let provider = format!("/project/{}/identity-provider/{}", world.project, kept.provider);
        world.owner.get(&provider).await.ok();
        world.key.get(&format!("/project/{}", world.project)).await.ok();
    }

    async fn a_client_counts_as_that_of_who_last_set_its_secret_or_addresses(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, bob) = (world.member(app, "adam", "admin").await, world.member(app, "bob", "admin").await);
        let path = |id: &str| format!("/project/{}/client/{id}", world.project);
        let (rotated, _) = client(&world.owner, &world.project, "read").await;
        let (renamed, _) = client(&world.owner, &world.project, "read").await;
        let shop = json!({"name": "Shop", "type": "public", "redirect_uris": ["https://shop.example/callback"]});
        let shop = world.owner.post(&format!("/project/{}/client", world.project), shop).await.created().id();
        adam.post(&format!("{}/rotate-secret", path(&rotated)), json!({})).await.ok();
        let uris = json!({"redirect_uris": ["https://shop.example/callback", "https://evil.example/"]});
        adam.patch(&path(&shop), uris).await.ok();
        adam.patch(&path(&renamed), json!({"name": "Renamed"})).await.ok();
        let provider = json!({"kind": "github", "client_id": "Iv1.8a61"});
        let providers = format!("/project/{}/identity-provider", world.project);
        let provider = world.owner.post(&providers, provider).await.created().id();
        adam.patch(&format!("{providers}/{provider}"), json!({"client_secret": "hush-hush"})).await.ok();
        // An honest change does not hide who can still use it.
        bob.patch(&path(&shop), json!({"name": "Web shop"})).await.ok();
        bob.patch(&format!("{providers}/{provider}"), json!({"name": "Our GitHub"})).await.ok();

        let of_bob = world.owner.delete(&member_path(&world, &bob)).await.ok();
        assert_eq!((&of_bob["affected_clients"], &of_bob["affected_identity_providers"]), (&json!([]), &json!([])));
        let of_adam = world.owner.delete(&member_path(&world, &adam)).await.ok();
        assert_eq!(ids(&of_adam["affected_clients"]), [rotated.as_str(), shop.as_str()]);
        assert_eq!(ids(&of_adam["affected_identity_providers"]), [provider.as_str()]);
    }

    async fn what_an_older_version_stored_has_no_creator_and_goes_on(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let set_up = SetUp::by(app, &adam, &world.project).await;
        for table in ["project_clients", "identity_providers"] {
            app.execute_sql(&format!("UPDATE {table} SET created_by = NULL, configured_by = NULL"));
        }
        let removed = world.owner.delete(&format!("{}{ALL}", member_path(&world, &adam))).await.ok();
        assert_eq!(ids(&removed["affected_keys"]), [set_up.key.0.as_str()]);
        assert_eq!((&removed["affected_clients"], &removed["affected_identity_providers"]), (&json!([]), &json!([])));
        set_up.token(app).await.ok();
        let project = format!("/project/{}", world.project);
        for (kind, id) in [("client", &set_up.client.0), ("identity-provider", &set_up.provider)] {
            assert_eq!(ids(&world.owner.get(&format!("{project}/{kind}")).await.ok()["data"]), [id.as_str()]);
            world.owner.delete(&format!("{project}/{kind}/{id}")).await.ok();
        }
    }
}

on_sqlite! {
    async fn a_demotion_ends_only_what_the_new_roles_do_not_permit(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let set_up = SetUp::by(app, &adam, &world.project).await;
        let auditor = client(&adam, &world.project, "audit:read").await;
        let path = format!("{}{ALL}", member_path(&world, &adam));
        // A developer can create all of it but the client that reads the log.
        let changed = world.owner.patch(&path, json!({"roles": "developer"})).await.ok();
        assert_eq!((&changed["affected_keys"], &changed["affected_identity_providers"]), (&json!([]), &json!([])));
        assert_eq!((ids(&changed["affected_clients"]), &changed["affected_clients"][0]["ended"]),
            (vec![auditor.0.as_str()], &json!(true)));
        token(app, &auditor).await.refused(400, "invalid_client");
        set_up.token(app).await.ok();

        let path = format!("{}?end=clients", member_path(&world, &adam));
        let changed = world.owner.patch(&path, json!({"roles": "viewer", "role_name": "Guest"})).await.ok();
        let ended = ["affected_clients", "affected_keys", "affected_identity_providers"].map(|kind| {
            changed[kind][0]["ended"].as_bool().unwrap()
        });
        assert_eq!(ended, [true, false, false]);
        set_up.token(app).await.refused(400, "invalid_client");
        set_up.key.1.get(&format!("/project/{}", world.project)).await.ok();
        let path = format!("{}{ALL}", member_path(&world, &adam));
        let label = world.owner.patch(&path, json!({"role_name": "X"})).await.ok();
        assert_eq!(label["affected_keys"], json!([]), "A label changes no permissions.");
    }

    async fn only_who_may_delete_it_can_end_it(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let mona = world.member(app, "mona", "viewer,member:write").await;
        let set_up = SetUp::by(app, &adam, &world.project).await;
        for kind in ["keys", "clients", "identity_providers"] {
            let end = |actor: &Actor| format!("{}?end={kind}", member_path(&world, actor));
            mona.delete(&end(&adam)).await.is_forbidden();
            mona.patch(&end(&adam), json!({"roles": "viewer"})).await.is_forbidden();
            mona.delete(&end(&mona)).await.is_forbidden();
        }
        set_up.token(app).await.ok();
        for unknown in ["webhooks", "keys,everything", "Keys"] {
            let path = format!("{}?end={unknown}", member_path(&world, &adam));
            let refused = world.owner.delete(&path).await.is(400);
            assert_eq!(refused["errors"][0]["field"], "end", "{refused:?}");
            let message = refused["message"].as_str().unwrap();
            assert!(message.contains("keys, clients, identity_providers"), "{message}");
            world.owner.patch(&path, json!({"roles": "viewer"})).await.is(400);
        }
        let twice = format!("{}?end=keys&end=clients", member_path(&world, &adam));
        world.owner.delete(&twice).await.is(400);
        let removed = mona.delete(&format!("{}?end=", member_path(&world, &adam))).await.ok();
        set_up.is_listed(&removed.0, false);

        // Who leaves can end what they set up.
        let eve = world.member(app, "eve", "admin").await;
        let set_up = SetUp::by(app, &eve, &world.project).await;
        let left = eve.delete(&format!("{}{ALL}", member_path(&world, &eve))).await.ok();
        set_up.is_listed(&left.0, true);
        set_up.token(app).await.refused(400, "invalid_client");
    }
}
