//! Personal access tokens, and what a credential says of itself.

use serde_json::{Value, json};
use steward_tests::{Actor, App, World, on_both};

/// A caller with a new token of this person.
async fn token(app: &App, owner: &Actor, roles: &str, teams: &[&str], projects: &[&str]) -> (Actor, String) {
    let wanted = json!({"label": "laptop", "roles": roles, "teams": teams, "projects": projects, "expires_at": soon()});
    let made = owner.post("/auth/pat", wanted).await.created();
    (app.bearer(made["data"]["value"].as_str().unwrap()), made["data"]["id"].as_str().unwrap().to_owned())
}

/// A moment some months ahead.
#[expect(clippy::disallowed_methods, reason = "the service goes by the real time")]
fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(90)).to_rfc3339()
}

on_both! {
    async fn it_does_what_its_permissions_say_and_the_person_may(app: &App) {
        let world = World::make(app, "acme").await;
        let (reader, id) = token(app, &world.owner, "viewer,key:write", &[], &[]).await;
        let team = format!("/team/{}", world.team);
        let keys = format!("/project/{}/key", world.project);
        reader.get(&team).await.ok();
        reader.patch(&team, json!({"name": "Mine"})).await.is_forbidden();
        // It may make keys, and grant no more than it holds: viewers do not read items.
        reader.post(&keys, json!({"label": "CI", "roles": "read"})).await.is_forbidden();
        let (maker, _) = token(app, &world.owner, "admin", &[], &[]).await;
        maker.post(&keys, json!({"label": "CI", "roles": "read"})).await.ok();
        maker.patch(&format!("{team}/member/{}", world.owner.id), json!({"role_name": "Boss"})).await.is_forbidden();

        let (narrow, _) = token(app, &world.owner, "key:read", &[], &[]).await;
        for list in ["/team", "/project"] {
            narrow.get(list).await.is_forbidden();
        }

        let viewer = world.member(app, "vic", "viewer").await;
        let (mighty, _) = token(app, &viewer, "owner", &[], &[]).await;
        mighty.get(&team).await.ok();
        mighty.patch(&team, json!({"name": "Mine"})).await.is_forbidden();

        let log = world.owner.get(&format!("{team}/audit?actor={id}")).await.ok();
        let told = &log["data"][0];
        assert_eq!((&told["actor"]["id"], &told["actor"]["token_id"]), (&json!(world.owner.id), &json!(id)));
    }

    async fn it_reaches_only_what_it_names(app: &App) {
        let world = World::make(app, "acme").await;
        let second = world.owner.post("/team/", json!({"name": "Second", "slug": "second"})).await.created().id();
        let other = world.owner.post("/project/", json!({"name": "other", "team_id": second})).await.created().id();
        let ids = |body: &Value| -> Vec<String> {
            body["data"].as_array().unwrap().iter().map(|thing| thing["id"].as_str().unwrap().to_owned()).collect()
        };
        let (of_team, _) = token(app, &world.owner, "owner", &[&second], &[]).await;
        assert_eq!(ids(&of_team.get("/team/").await.json()), std::slice::from_ref(&second));
        assert_eq!(ids(&of_team.get("/project/").await.json()), std::slice::from_ref(&other));
        of_team.get(&format!("/project/{other}")).await.ok();
        of_team.get(&format!("/team/{}", world.team)).await.is_unknown();
        of_team.get(&format!("/project/{}", world.project)).await.is_unknown();

        let (of_project, _) = token(app, &world.owner, "owner", &[], &[&world.project]).await;
        assert_eq!(ids(&of_project.get("/project/").await.json()), std::slice::from_ref(&world.project));
        assert_eq!(ids(&of_project.get("/team/").await.json()), Vec::<String>::new());
        of_project.get(&world.item("first")).await.ok();
        of_project.get(&format!("/project/{other}")).await.is_unknown();
        of_project.get(&format!("/team/{}", world.team)).await.is_unknown();
    }

    async fn it_makes_no_other_and_no_team(app: &App) {
        let world = World::make(app, "acme").await;
        let (mighty, id) = token(app, &world.owner, "owner", &[], &[]).await;
        let wanted = json!({"label": "x", "roles": "owner", "expires_at": soon()});
        mighty.post("/auth/pat", wanted).await.is_forbidden();
        mighty.get("/auth/pat").await.is_forbidden();
        mighty.delete(&format!("/auth/pat/{id}")).await.is_forbidden();
        mighty.post("/team/", json!({"name": "Mine", "slug": "mine"})).await.is_forbidden();
        mighty.get("/auth/userinfo").await.is_forbidden();
        let connect = json!({"token": mighty.credential});
        app.anon().post(&format!("/project/{}/user/connect", world.project), connect).await.refused(401, "unauthorized");
    }

    async fn it_is_listed_without_its_value_and_stops_when_revoked(app: &App) {
        let world = World::make(app, "acme").await;
        let (laptop, id) = token(app, &world.owner, "viewer", &[&world.team], &[]).await;
        let list = world.owner.get("/auth/pat").await;
        assert!(!String::from_utf8_lossy(&list.body).contains(&laptop.credential.as_ref().unwrap()[12..40]));
        let listed = list.ok();
        assert_eq!((&listed["data"][0]["id"], &listed["data"][0]["teams"]), (&json!(id), &json!([world.team])));
        let stranger = app.person("stranger").await;
        stranger.delete(&format!("/auth/pat/{id}")).await.is_unknown();
        laptop.get("/team/").await.ok();
        world.owner.delete(&format!("/auth/pat/{id}")).await.ok();
        laptop.get("/team/").await.refused(401, "unauthorized");
        world.owner.delete(&format!("/auth/pat/{id}")).await.is_unknown();
        assert!(!app.complete_log().await.contains(&laptop.credential.as_ref().unwrap()[8..]), "the value is in the log");
    }

    async fn it_always_ends(app: &App) {
        let world = World::make(app, "acme").await;
        let with = async |expires_at: Value| {
            world.owner.post("/auth/pat", json!({"label": "x", "roles": "viewer", "expires_at": expires_at})).await
        };
        for bad in [json!(null), json!("2020-01-01T00:00:00Z"), json!("2999-01-01T00:00:00Z"), json!("never")] {
            with(bad).await.refused(400, "invalid_request");
        }
        let laptop = with(json!(soon())).await.created();
        let laptop = app.bearer(laptop["data"]["value"].as_str().unwrap());
        laptop.get("/team/").await.ok();
        app.tamper("UPDATE personal_tokens SET expires_at = '2020-01-01T00:00:00.000000Z'");
        laptop.get("/team/").await.refused(401, "unauthorized");
        for bad in [
            json!({"label": "", "roles": "viewer", "expires_at": soon()}),
            json!({"label": "x", "roles": "everything", "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "teams": ["x"], "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "teams": [world.project], "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "projects": vec![world.project.clone(); 101], "expires_at": soon()}),
        ] {
            world.owner.post("/auth/pat", bad).await.refused(400, "invalid_request");
        }
    }

    async fn a_credential_tells_what_it_is(app: &App) {
        let world = World::make(app, "acme").await;
        let me = world.owner.get("/auth/token").await.ok();
        assert_eq!((&me["data"]["type"], &me["data"]["account_id"]), (&json!("account"), &json!(world.owner.id)));
        let key = world.key.get("/auth/token").await.ok();
        assert_eq!(key["data"]["type"], "key");
        assert_eq!((&key["data"]["id"], &key["data"]["project_id"]), (&json!(world.key_id), &json!(world.project)));
        assert!(key["data"]["permissions"].as_array().unwrap().contains(&json!("db:write")));
        let (laptop, id) = token(app, &world.owner, "viewer", &[&world.team], &[]).await;
        let told = laptop.get("/auth/token").await.ok();
        assert_eq!((&told["data"]["type"], &told["data"]["id"]), (&json!("personal_token"), &json!(id)));
        assert_eq!(told["data"]["teams"], json!([world.team]));
        app.anon().get("/auth/token").await.refused(401, "unauthorized");
    }
}
