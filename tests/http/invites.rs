//! Invites.

use serde_json::json;
use steward_tests::{World, on_both};

on_both! {
    async fn an_invite_is_made_listed_and_taken_once(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let invite = json!({"username": "BOB", "roles": "developer", "role_name": "Dev"});
        let made = world.owner.post(&path, invite).await.created();
        assert_eq!(made["data"]["account_id"], json!(bob.id));
        let id = made.id();
        let pending = world.owner.get(&format!("{path}/")).await.ok();
        assert_eq!(pending["data"][0]["id"], json!(id));
        assert_eq!(pending["data"][0]["email_or_username"], "BOB");

        let member = bob.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
        assert_eq!((&member["data"]["roles"], &member["data"]["role_name"]), (&json!("developer"), &json!("Dev")));
        assert_eq!(world.owner.get(&path).await.ok()["data"], json!([]));
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_unknown();
        let again = json!({"username": "bob", "roles": "viewer"});
        world.owner.post(&path, again).await.refused(409, "already_member");
    }

    async fn only_the_person_named_can_take_it(app: &App) {
        let world = World::make(app, "acme").await;
        let (bob, eve) = (app.person("bob").await, app.person("eve").await);
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        eve.post("/team/accept-invite", json!({"invite_id": id})).await.is_unknown();
        eve.post("/team/accept-invite", json!({"invite_id": "x"})).await.is_unknown();
        eve.post("/team/accept-invite", json!({})).await.refused(400, "invalid_request");
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
    }

    async fn an_invite_by_email_needs_a_verified_one(app: &App) {
        let world = World::make(app, "acme").await;
        let (unverified, verified) = (app.person("bob").await, app.verified_person("vera").await);
        let path = format!("/team/{}/invite", world.team);
        let invite = |email: &str| json!({"email": email, "roles": "viewer"});
        let made = world.owner.post(&path, invite("bob@example.com")).await.created();
        assert_eq!(made["data"]["account_id"], json!(null));
        unverified.post("/team/accept-invite", json!({"invite_id": made.id()})).await.is_unknown();
        let id = world.owner.post(&path, invite("VERA@example.com")).await.created().id();
        verified.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
        world.owner.post(&path, invite("nobody-yet@example.com")).await.created();
    }

    async fn inviting_again_renews(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/invite", world.team);
        let first = json!({"email": "new@example.com", "roles": "viewer"});
        let id = world.owner.post(&path, first).await.created().id();
        let again = json!({"email": "NEW@example.com", "roles": "developer"});
        assert_eq!(world.owner.post(&path, again).await.created().id(), id);
        let pending = world.owner.get(&path).await.ok();
        assert_eq!(pending["data"].as_array().unwrap().len(), 1);
        assert_eq!(pending["data"][0]["roles"], "developer");
        assert_eq!(pending["data"][0]["email_or_username"], "NEW@example.com");
    }

    async fn a_deleted_invite_cannot_be_taken(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        assert_eq!(world.owner.delete(&format!("{path}/{id}")).await.ok()["success"], true);
        world.owner.delete(&format!("{path}/{id}")).await.is_unknown();
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_unknown();
        world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created();
    }

    async fn a_bad_invite_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let dora = world.member(app, "dora", "developer").await;
        let path = format!("/team/{}/invite", world.team);
        for bad in [
            json!({"roles": "viewer"}),
            json!({"email": "a@example.com", "username": "adam", "roles": "viewer"}),
            json!({"email": "nobody", "roles": "viewer"}),
            json!({"email": "a@example.com"}),
            json!({"email": "a@example.com", "roles": "king"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "2020-01-01T00:00:00Z"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "2199-01-01T00:00:00Z"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "tomorrow"}),
        ] {
            world.owner.post(&path, bad).await.refused(400, "invalid_request");
        }
        world.owner.post(&path, json!({"username": "nobody-there", "roles": "viewer"})).await.is_unknown();
        adam.post(&path, json!({"email": "a@example.com", "roles": "owner"})).await.is_forbidden();
        adam.post(&path, json!({"email": "a@example.com", "roles": "team:delete"})).await.is_forbidden();
        dora.post(&path, json!({"email": "a@example.com", "roles": "viewer"})).await.is_forbidden();
    }

    async fn fifty_who_take_one_invite_at_once_make_one_member(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        let mut attempts = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let (bob, id) = (bob.clone(), id.clone());
            attempts.spawn(async move { bob.post("/team/accept-invite", json!({"invite_id": id})).await.status.as_u16() });
        }
        let mut statuses = attempts.join_all().await;
        statuses.sort_unstable();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 200 | 404 | 409)), "{statuses:?}");
        let members = world.owner.get(&format!("/team/{}/member", world.team)).await.ok();
        assert_eq!(members["data"].as_array().unwrap().len(), 2);
    }
}
