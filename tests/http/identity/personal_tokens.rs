//! Personal access tokens and the description of credentials.

use serde_json::{Value, json};
use steward_tests::{Actor, App, World, on_both_in_full, on_sqlite};

/// Creates a personal token of `owner`. Returns a caller with the token and the token's ID.
async fn token(app: &App, owner: &Actor, roles: &str, teams: &[&str], projects: &[&str]) -> (Actor, String) {
    let request =
        json!({"label": "laptop", "roles": roles, "teams": teams, "projects": projects, "expires_at": soon()});
    let created = owner.post("/auth/pat", request).await.created();
    (app.bearer(created["data"]["value"].as_str().unwrap()), created["data"]["id"].as_str().unwrap().to_owned())
}

/// A timestamp 90 days in the future.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
pub fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(90)).to_rfc3339()
}

on_both_in_full! {
    async fn a_token_is_listed_without_its_value_and_invalid_after_revocation(app: &App) {
        let world = World::make(app, "acme").await;
        let (laptop, id) = token(app, &world.owner, "viewer,db:read", &[&world.team], &[]).await;
        let list = world.owner.get("/auth/pat").await;
        assert!(!String::from_utf8_lossy(&list.body).contains(&laptop.credential.as_ref().unwrap()[12..40]));
        let listed = list.ok();
        assert_eq!((&listed["data"][0]["id"], &listed["data"][0]["teams"]), (&json!(id), &json!([world.team])));
        let stranger = app.person("stranger").await;
        stranger.delete(&format!("/auth/pat/{id}")).await.is_not_found();
        laptop.get("/team/").await.ok();
        // Items are read with the cached check of the token.
        for _ in 0..2 {
            laptop.get(&world.notes()).await.ok();
        }
        world.owner.delete(&format!("/auth/pat/{id}")).await.ok();
        laptop.get("/team/").await.refused(401, "unauthorized");
        laptop.get(&world.notes()).await.refused(401, "unauthorized");
        laptop.put(&world.item("x"), json!({"value": {"title": "x"}})).await.refused(401, "unauthorized");
        world.owner.delete(&format!("/auth/pat/{id}")).await.is_not_found();
        assert!(!app.complete_log().await.contains(&laptop.credential.as_ref().unwrap()[8..]), "The log contains the token.");
    }
}

on_sqlite! {
    async fn a_token_has_the_permissions_that_both_it_and_its_owner_have(app: &App) {
        let world = World::make(app, "acme").await;
        let (reader, id) = token(app, &world.owner, "viewer,key:write", &[], &[]).await;
        let team = format!("/team/{}", world.team);
        let keys = format!("/project/{}/key", world.project);
        reader.get(&team).await.ok();
        reader.patch(&team, json!({"name": "Mine"})).await.is_forbidden();
        // The token can create keys only with its own permissions, and viewers cannot read items.
        reader.post(&keys, json!({"label": "CI", "roles": "read"})).await.is_forbidden();
        let (admin, _) = token(app, &world.owner, "admin", &[], &[]).await;
        admin.post(&keys, json!({"label": "CI", "roles": "read"})).await.ok();
        admin.patch(&format!("{team}/member/{}", world.owner.id), json!({"role_name": "Boss"})).await.is_forbidden();

        let (narrow, _) = token(app, &world.owner, "key:read", &[], &[]).await;
        for list in ["/team", "/project"] {
            narrow.get(list).await.is_forbidden();
        }

        let viewer = world.member(app, "vic", "viewer").await;
        let (full_access, _) = token(app, &viewer, "owner", &[], &[]).await;
        full_access.get(&team).await.ok();
        full_access.patch(&team, json!({"name": "Mine"})).await.is_forbidden();

        let log = world.owner.get(&format!("{team}/audit?actor={id}")).await.ok();
        let event = &log["data"][0];
        assert_eq!((&event["actor"]["id"], &event["actor"]["token_id"]), (&json!(world.owner.id), &json!(id)));
    }

    async fn a_token_is_limited_to_its_teams_and_projects(app: &App) {
        let world = World::make(app, "acme").await;
        let second = world.owner.post("/team/", json!({"name": "Second", "slug": "second"})).await.created().id();
        let other = world.owner.post("/project/", json!({"name": "other", "team_id": second})).await.created().id();
        let ids = |body: &Value| -> Vec<String> {
            body["data"].as_array().unwrap().iter().map(|resource| resource["id"].as_str().unwrap().to_owned()).collect()
        };
        let (team_token, _) = token(app, &world.owner, "owner", &[&second], &[]).await;
        assert_eq!(ids(&team_token.get("/team/").await.json()), std::slice::from_ref(&second));
        assert_eq!(ids(&team_token.get("/project/").await.json()), std::slice::from_ref(&other));
        team_token.get(&format!("/project/{other}")).await.ok();
        team_token.get(&format!("/team/{}", world.team)).await.is_not_found();
        team_token.get(&format!("/project/{}", world.project)).await.is_not_found();

        let (project_token, _) = token(app, &world.owner, "owner", &[], &[&world.project]).await;
        assert_eq!(ids(&project_token.get("/project/").await.json()), std::slice::from_ref(&world.project));
        assert_eq!(ids(&project_token.get("/team/").await.json()), Vec::<String>::new());
        project_token.get(&world.item("first")).await.ok();
        project_token.get(&format!("/project/{other}")).await.is_not_found();
        project_token.get(&format!("/team/{}", world.team)).await.is_not_found();
    }

    async fn a_token_cannot_create_tokens_or_teams(app: &App) {
        let world = World::make(app, "acme").await;
        let (full_access, id) = token(app, &world.owner, "owner", &[], &[]).await;
        let request = json!({"label": "x", "roles": "owner", "expires_at": soon()});
        full_access.post("/auth/pat", request).await.is_forbidden();
        full_access.get("/auth/pat").await.is_forbidden();
        full_access.delete(&format!("/auth/pat/{id}")).await.is_forbidden();
        full_access.post("/team/", json!({"name": "Mine", "slug": "mine"})).await.is_forbidden();
        full_access.get("/auth/userinfo").await.is_forbidden();
        let connect = json!({"token": full_access.credential});
        app.anonymous().post(&format!("/project/{}/user/connect", world.project), connect).await.refused(401, "unauthorized");
    }

    async fn a_token_always_expires(app: &App) {
        let world = World::make(app, "acme").await;
        let with = async |expires_at: Value| {
            world.owner.post("/auth/pat", json!({"label": "x", "roles": "viewer", "expires_at": expires_at})).await
        };
        for invalid in [json!(null), json!("2020-01-01T00:00:00Z"), json!("2999-01-01T00:00:00Z"), json!("never")] {
            with(invalid).await.refused(400, "invalid_request");
        }
        let laptop = with(json!(soon())).await.created();
        let laptop = app.bearer(laptop["data"]["value"].as_str().unwrap());
        laptop.get("/team/").await.ok();
        app.execute_sql("UPDATE personal_tokens SET expires_at = '2020-01-01T00:00:00.000000Z'");
        laptop.get("/team/").await.refused(401, "unauthorized");
        for invalid in [
            json!({"label": "", "roles": "viewer", "expires_at": soon()}),
            json!({"label": "x", "roles": "everything", "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "teams": ["x"], "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "teams": [world.project], "expires_at": soon()}),
            json!({"label": "x", "roles": "viewer", "projects": vec![world.project.clone(); 101], "expires_at": soon()}),
        ] {
            world.owner.post("/auth/pat", invalid).await.refused(400, "invalid_request");
        }
    }

    async fn a_credential_can_be_described(app: &App) {
        let world = World::make(app, "acme").await;
        let me = world.owner.get("/auth/token").await.ok();
        assert_eq!((&me["data"]["type"], &me["data"]["account_id"]), (&json!("account"), &json!(world.owner.id)));
        let key = world.key.get("/auth/token").await.ok();
        assert_eq!(key["data"]["type"], "key");
        assert_eq!((&key["data"]["id"], &key["data"]["project_id"]), (&json!(world.key_id), &json!(world.project)));
        assert!(key["data"]["permissions"].as_array().unwrap().contains(&json!("db:write")));
        let (laptop, id) = token(app, &world.owner, "viewer", &[&world.team], &[]).await;
        let described = laptop.get("/auth/token").await.ok();
        assert_eq!((&described["data"]["type"], &described["data"]["id"]), (&json!("personal_token"), &json!(id)));
        assert_eq!(described["data"]["teams"], json!([world.team]));
        app.anonymous().get("/auth/token").await.refused(401, "unauthorized");
    }
}
