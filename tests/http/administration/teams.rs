//! Teams: creation, slugs, updates, lists and deletion.

use serde_json::json;
use steward_tests::{World, on_both_in_full, on_sqlite};

on_both_in_full! {
    async fn the_creator_of_a_team_owns_it(app: &App) {
        let ann = app.person("ann").await;
        let created = ann.post("/team/", json!({"name": " Acme ", "slug": "Acme"})).await.created();
        assert_eq!((&created["data"]["name"], &created["data"]["slug"]), (&json!("Acme"), &json!("acme")));
        assert_eq!(created["data"]["owner"], json!(ann.id));
        ann.post("/team", json!({"name": "Second", "slug": "second"})).await.created();

        let teams = ann.get("/team").await.ok();
        let slugs: Vec<_> = teams["data"].as_array().unwrap().iter().map(|team| &team["slug"]).collect();
        assert_eq!(slugs, ["acme", "second"]);
        assert_eq!(teams["data"][0]["roles"], "owner");
        assert_eq!(teams["data"][0]["owner"], json!(ann.id));
    }
}

on_sqlite! {
    async fn the_error_for_a_taken_slug_suggests_a_free_one(app: &App) {
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created();
        let error = bob.post("/team", json!({"name": "Acme", "slug": "ACME"})).await.refused(409, "slug_taken");
        assert!(error["message"].as_str().unwrap().contains("acme-2"), "{error:?}");
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

    async fn a_team_is_renamed_by_its_owner(app: &App) {
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

    async fn a_former_slug_of_a_team_stays_reserved(app: &App) {
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let path = format!("/team/{team}");
        ann.patch(&path, json!({"slug": "apex"})).await.ok();
        assert_eq!(app.anonymous().get("/team/slug?slug=acme").await.ok()["available"], false);
        let error = bob.post("/team", json!({"name": "Acme", "slug": "acme"})).await.refused(409, "slug_taken");
        assert!(error["message"].as_str().unwrap().contains("acme-2"), "{error:?}");
        let other = bob.post("/team", json!({"name": "Bob", "slug": "bob"})).await.created().id();
        bob.patch(&format!("/team/{other}"), json!({"slug": "acme"})).await.refused(409, "slug_taken");
        ann.patch(&path, json!({"slug": "acme"})).await.ok();
        bob.patch(&format!("/team/{other}"), json!({"slug": "apex"})).await.refused(409, "slug_taken");
        ann.delete(&path).await.ok();
        assert_eq!(app.anonymous().get("/team/slug?slug=apex").await.ok()["available"], true);
        bob.patch(&format!("/team/{other}"), json!({"slug": "apex"})).await.ok();
    }

    async fn anyone_can_check_whether_a_slug_is_available(app: &App) {
        let (ann, anon) = (app.person("ann").await, app.anonymous());
        ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created();
        assert_eq!(anon.get("/team/slug?slug=acme").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug?slug=ACME").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug/?slug=admin").await.ok()["available"], false);
        assert_eq!(anon.get("/team/slug?slug=free-one").await.ok()["available"], true);
        let error = anon.get("/team/slug?slug=Rock%20%26%20Roll").await.refused(400, "invalid_request");
        assert_eq!(error["slugified"], "rock-roll");
        let error = anon.get("/team/slug").await.refused(400, "invalid_request");
        assert_eq!(error["slugified"], "");
    }

    async fn pages_of_a_list_return_everything_once(app: &App) {
        let ann = app.person("ann").await;
        for number in 0..5 {
            ann.post("/team", json!({"name": "T", "slug": format!("team-{number}")})).await.created();
        }
        let (mut slugs, mut path) = (Vec::new(), "/team?limit=2".to_owned());
        loop {
            let response = ann.get(&path).await;
            let link = response.header("Link").to_owned();
            let page = response.ok();
            slugs.extend(page["data"].as_array().unwrap().iter().map(|team| team["slug"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            assert!(link.contains(cursor) && link.contains("rel=\"next\""), "{link}");
            path = format!("/team?limit=2&cursor={cursor}");
        }
        assert_eq!(slugs, ["team-0", "team-1", "team-2", "team-3", "team-4"]);
        for invalid in ["limit=0", "limit=1001", "limit=x", "limit=", "cursor=nonsense", "limit=1&limit=2"] {
            ann.get(&format!("/team?{invalid}")).await.refused(400, "invalid_request");
        }
    }

    async fn a_team_is_returned_with_the_lists_that_the_caller_can_read(app: &App) {
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
        let for_key = world.key.get(&path).await.ok();
        assert_eq!(for_key["data"]["projects"].as_array().unwrap().len(), 1, "A key must see only its own project.");
        let restricted = world.member(app, "restricted", "team:read").await;
        let visible = restricted.get(&path).await.ok();
        for list in ["members", "projects", "invites"] {
            assert_eq!(visible["data"][list], json!([]), "{list}");
        }
    }

    async fn only_an_owner_can_delete_a_team_and_only_without_projects(app: &App) {
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
        ann.get(&format!("/team/{team}")).await.is_not_found();
        let again = ann.post("/team/", json!({"name": "Empty", "slug": "empty"})).await;
        again.created();
    }
}
