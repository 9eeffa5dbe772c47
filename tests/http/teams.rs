//! Teams.

use serde_json::json;
use steward_tests::{World, on_both};

on_both! {
    async fn whoever_makes_a_team_owns_it(app: &App) {
        let ann = app.person("ann").await;
        let made = ann.post("/team/", json!({"name": " Acme ", "slug": "Acme"})).await.created();
        assert_eq!((&made["data"]["name"], &made["data"]["slug"]), (&json!("Acme"), &json!("acme")));
        assert_eq!(made["data"]["owner"], json!(ann.id));
        ann.post("/team", json!({"name": "Second", "slug": "second"})).await.created();

        let teams = ann.get("/team").await.ok();
        let slugs: Vec<_> = teams["data"].as_array().unwrap().iter().map(|team| &team["slug"]).collect();
        assert_eq!(slugs, ["acme", "second"]);
        assert_eq!(teams["data"][0]["roles"], "owner");
        assert_eq!(teams["data"][0]["owner"], json!(ann.id));
    }

    async fn a_taken_slug_comes_with_a_free_one(app: &App) {
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created();
        let refusal = bob.post("/team", json!({"name": "Acme", "slug": "ACME"})).await.refused(409, "slug_taken");
        assert!(refusal["message"].as_str().unwrap().contains("acme-2"), "{refusal:?}");
        let team = bob.post("/team", json!({"name": "Acme", "slug": "acme-2"})).await.created().id();
        bob.patch(&format!("/team/{team}"), json!({"slug": "acme"})).await.refused(409, "slug_taken");
    }

    async fn a_reserved_or_malformed_slug_is_refused(app: &App) {
        let ann = app.person("ann").await;
        ann.post("/team", json!({"name": "A", "slug": "admin"})).await.refused(400, "slug_reserved");
        for slug in ["", "a b", "-a", "a--b", "ä"] {
            ann.post("/team", json!({"name": "A", "slug": slug})).await.refused(400, "invalid_request");
        }
        let both = ann.post("/team", json!({"name": "", "slug": "?"})).await.refused(400, "invalid_request");
        let message = both["message"].as_str().unwrap();
        assert!(message.contains("name") && message.contains("slug"), "{message}");
    }

    async fn a_team_is_renamed_by_those_who_may(app: &App) {
        let ann = app.person("ann").await;
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let path = format!("/team/{team}");
        let renamed = ann.patch(&path, json!({"name": "Apex", "slug": "apex"})).await.ok();
        assert_eq!((&renamed["data"]["name"], &renamed["data"]["slug"]), (&json!("Apex"), &json!("apex")));
        assert_eq!(renamed["data"]["owner_id"], json!(ann.id));
        ann.patch(&path, json!({"slug": "apex"})).await.ok();
        ann.patch(&path, json!({})).await.refused(400, "invalid_request");
        ann.patch(&path, json!({"name": ""})).await.refused(400, "invalid_request");
    }

    async fn a_slug_that_a_team_once_had_stays_its_own(app: &App) {
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let path = format!("/team/{team}");
        ann.patch(&path, json!({"slug": "apex"})).await.ok();
        assert_eq!(app.anon().get("/team/slug?slug=acme").await.ok()["available"], false);
        let refusal = bob.post("/team", json!({"name": "Acme", "slug": "acme"})).await.refused(409, "slug_taken");
        assert!(refusal["message"].as_str().unwrap().contains("acme-2"), "{refusal:?}");
        let other = bob.post("/team", json!({"name": "Bob", "slug": "bob"})).await.created().id();
        bob.patch(&format!("/team/{other}"), json!({"slug": "acme"})).await.refused(409, "slug_taken");
        ann.patch(&path, json!({"slug": "acme"})).await.ok();
        bob.patch(&format!("/team/{other}"), json!({"slug": "apex"})).await.refused(409, "slug_taken");
        ann.delete(&path).await.ok();
        assert_eq!(app.anon().get("/team/slug?slug=apex").await.ok()["available"], true);
        bob.patch(&format!("/team/{other}"), json!({"slug": "apex"})).await.ok();
    }

    async fn anyone_may_ask_whether_a_slug_is_free(app: &App) {
        let (ann, anon) = (app.person("ann").await, app.anon());
        ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created();
        assert_eq!(anon.get("/team/slug?slug=acme").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug?slug=ACME").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug/?slug=admin").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug?slug=free-one").await.ok()["available"], true);
        let refusal = anon.get("/team/slug?slug=Rock%20%26%20Roll").await.refused(400, "invalid_request");
        assert_eq!(refusal["slugified"], "rock-roll");
        let refusal = anon.get("/team/slug").await.refused(400, "invalid_request");
        assert_eq!(refusal["slugified"], "");
    }

    async fn lists_come_in_pages_that_hold_everything_once(app: &App) {
        let ann = app.person("ann").await;
        for number in 0..5 {
            ann.post("/team", json!({"name": "T", "slug": format!("team-{number}")})).await.created();
        }
        let (mut slugs, mut path) = (Vec::new(), "/team?limit=2".to_owned());
        loop {
            let answer = ann.get(&path).await;
            let link = answer.header("Link").to_owned();
            let page = answer.ok();
            slugs.extend(page["data"].as_array().unwrap().iter().map(|team| team["slug"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            assert!(link.contains(cursor) && link.contains("rel=\"next\""), "{link}");
            path = format!("/team?limit=2&cursor={cursor}");
        }
        assert_eq!(slugs, ["team-0", "team-1", "team-2", "team-3", "team-4"]);
        for bad in ["limit=0", "limit=1001", "limit=x", "limit=", "cursor=nonsense", "limit=1&limit=2"] {
            ann.get(&format!("/team?{bad}")).await.refused(400, "invalid_request");
        }
    }

    async fn a_team_is_read_with_what_the_caller_may_see_of_it(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}", world.team);
        let invite = json!({"email": "x@example.com", "roles": "viewer"});
        world.owner.post(&format!("{path}/invite"), invite).await.created();
        let team = world.owner.get(&path).await.ok();
        assert_eq!((&team["data"]["slug"], &team["data"]["owner_id"]), (&json!("acme"), &json!(world.owner.id)));
        assert_eq!(team["data"]["members"][0]["roles"], "owner");
        assert_eq!(team["data"]["projects"][0]["id"], json!(world.project));
        assert_eq!(team["data"]["invites"][0]["email_or_username"], "x@example.com");

        let second = json!({"name": "Second", "team_id": world.team});
        world.owner.post("/project/", second).await.created();
        let of_key = world.key.get(&path).await.ok();
        assert_eq!(of_key["data"]["projects"].as_array().unwrap().len(), 1, "a key sees its own project");
        let blind = world.member(app, "blind", "team:read").await;
        let seen = blind.get(&path).await.ok();
        for list in ["members", "projects", "invites"] {
            assert_eq!(seen["data"][list], json!([]), "{list}");
        }
    }

    async fn a_team_is_deleted_by_an_owner_once_it_owns_no_project(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}", world.team);
        world.owner.delete(&path).await.refused(409, "team_owns_projects");
        world.owner.get(&path).await.ok();
        let ann = app.person("ann").await;
        let team = ann.post("/team/", json!({"name": "Empty", "slug": "empty"})).await.created().id();
        let invite = json!({"username": "acme-owner", "roles": "admin"});
        let invite = ann.post(&format!("/team/{team}/invite"), invite).await.created().id();
        world.owner.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        world.owner.delete(&format!("/team/{team}")).await.is_forbidden();
        ann.delete(&format!("/team/{team}")).await.ok();
        ann.get(&format!("/team/{team}")).await.is_unknown();
        let again = ann.post("/team/", json!({"name": "Empty", "slug": "empty"})).await;
        again.created();
    }
}
