//! The commands of each noun, with the JSON that they print.

use serde_json::{Value, json};
use steward_tests::{App, Backend, Client, World};

use super::{CommandLine, Transcript, id};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn teams() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::of(&app, &app.person("ann").await);
    let mut teams = Transcript::default();
    teams.json(&line, &["team", "check-slug", "acme"]).await;
    teams.json(&line, &["team", "create", "--name", "Acme", "--slug", "acme"]).await;
    teams.json(&line, &["team", "update", "acme", "--name", "Acme Inc."]).await;
    teams.json(&line, &["team", "get", "acme"]).await;
    teams.json(&line, &["team", "list"]).await;
    line.text(&["team", "create", "--name", "Second", "--slug", "second"]).await;
    teams.json(&line, &["team", "delete", "second"]).await;
    teams.check("team");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_and_invites() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let bob = app.person("bob").await;
    let (owner, invited) = (CommandLine::of(&app, &world.owner), CommandLine::of(&app, &bob));
    let create = ["invite", "create", "--team", "acme", "--username", "bob", "--roles", "developer"];

    let mut invites = Transcript::default();
    let revoked = id(&invites.json(&owner, &create).await);
    invites.json(&owner, &["invite", "list", "--team", "acme"]).await;
    invites.json(&owner, &["invite", "get", &revoked, "--team", "acme"]).await;
    invites.json(&owner, &["invite", "delete", &revoked, "--team", "acme"]).await;
    let declined = id(&owner.json(&create).await);
    invites.json(&invited, &["invite", "decline", &declined]).await;
    let accepted = id(&owner.json(&create).await);
    invites.json(&invited, &["invite", "list"]).await;
    invites.json(&invited, &["invite", "accept", &accepted]).await;
    invites.check("invite");

    let mut members = Transcript::default();
    members.json(&owner, &["member", "list", "--team", "acme"]).await;
    members.json(&owner, &["member", "get", &bob.id, "--team", "acme"]).await;
    let update = ["member", "update", bob.id.as_str(), "--team", "acme", "--roles", "viewer", "--role-name", "Guest"];
    members.json(&owner, &update).await;
    members.json(&owner, &["member", "delete", &bob.id, "--team", "acme"]).await;
    members.check("member");
    invited.fails(1, &["team", "get", "acme"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_member_set_up_ends_with_an_option() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let bob = world.member(&app, "bob", "developer").await;
    let (owner, project) = (CommandLine::of(&app, &world.owner), format!("/project/{}", world.project));
    bob.post(&format!("{project}/key"), json!({"label": "deploy", "roles": "write"})).await.ok();
    let client = json!({"name": "Shop", "type": "public", "redirect_uris": ["https://shop.example/callback"]});
    bob.post(&format!("{project}/client"), client).await.created();

    let delete = ["member", "delete", "bob", "--team", "acme", "--yes"];
    let unknown = owner.fails(2, &[&delete[..], &["--end", "everything"]].concat()).await;
    assert!(unknown.contains("identity_providers"), "{unknown}");
    let output = owner.run(&[&delete[..], &["--json", "--end", "clients,identity_providers"]].concat(), "").await;
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && notes.contains("\"deploy\"") && !notes.contains("Shop"), "{notes}");
    let removed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ended = |kind: &str| removed[kind][0]["ended"].clone();
    assert_eq!((ended("affected_clients"), ended("affected_keys")), (json!(true), json!(false)), "{removed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_and_the_session() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let mut tokens = Transcript::default();
    let create = ["token", "create", "--label", "CI", "--roles", "viewer", "--team", "acme", "--project"];
    let create = [&create[..], &[world.project.as_str(), "--days", "30"]].concat();
    let created = tokens.json(&line, &create).await;
    let narrowed = CommandLine::with_token(&app, created["value"].as_str().unwrap());
    tokens.json(&line, &["token", "list"]).await;
    tokens.json(&narrowed, &["whoami"]).await;
    tokens.json(&line, &["token", "revoke", &id(&created)]).await;
    narrowed.fails(4, &["team", "list"]).await;
    assert_eq!(line.json(&["token", "list"]).await, json!([]));

    let token = world.owner.credential.as_deref().unwrap();
    let output = line.run(&["token", "introspect", "--json", "--fields", "active,sub"], token).await;
    let expected = format!("{{\"active\":true,\"sub\":\"{}\"}}\n", world.owner.id);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let output = line.run(&["token", "introspect", "--json"], "stw_rt_unknown").await;
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"active\":false}\n");
    tokens.json(&line, &["session", "get"]).await;
    tokens.json(&line, &["whoami"]).await;
    tokens.check("token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_gets_exports_and_leaves_a_project() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    app.person("ann").await;
    let signed_in = Client::of(&app, &world).tokens(&app, "ann", &[]).await;
    let token = signed_in["access_token"].as_str().unwrap();
    let line = CommandLine::with_token(&app, token);
    let item = json!({"value": {"title": "Mine"}});
    app.bearer(token).put(&format!("/account/{}/db/notes/mine", world.project), item).await.created();
    let mut transcript = Transcript::default();
    transcript.json(&line, &["app", "get"]).await;
    transcript.json(&line, &["app", "export", &world.project]).await;
    line.fails(2, &["app", "leave"]).await;
    transcript.json(&line, &["app", "leave", "--erase"]).await;
    line.fails(4, &["app", "get"]).await;
    transcript.check("app");

    let owner = CommandLine::of(&app, &world.owner);
    assert!(owner.fails(1, &["app", "get"]).await.contains("not for a project"));
}
