//! Invites: creation, renewal, acceptance, decline and deletion.

use serde_json::json;
use steward_tests::{World, on_both, on_both_in_full, on_sqlite};

use crate::CONCURRENT;

on_both_in_full! {
    async fn an_invite_is_created_listed_and_accepted_once(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let invite = json!({"username": "BOB", "roles": "developer", "role_name": "Dev"});
        let created = world.owner.post(&path, invite).await.created();
        assert_eq!(created["data"]["account_id"], json!(bob.id));
        let id = created.id();
        let pending = world.owner.get(&format!("{path}/")).await.ok();
        assert_eq!(pending["data"][0]["id"], json!(id));
        assert_eq!(pending["data"][0]["email_or_username"], "BOB");

        let member = bob.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
        assert_eq!((&member["data"]["roles"], &member["data"]["role_name"]), (&json!("developer"), &json!("Dev")));
        assert_eq!(world.owner.get(&path).await.ok()["data"], json!([]));
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_not_found();
        let again = json!({"username": "bob", "roles": "viewer"});
        world.owner.post(&path, again).await.refused(409, "already_member");
    }
}

on_sqlite! {
    async fn only_the_invited_person_can_accept_an_invite(app: &App) {
        let world = World::make(app, "acme").await;
        let (bob, eve) = (app.person("bob").await, app.person("eve").await);
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        eve.post("/team/accept-invite", json!({"invite_id": id})).await.is_not_found();
        eve.post("/team/accept-invite", json!({"invite_id": "x"})).await.is_not_found();
        eve.post("/team/accept-invite", json!({})).await.refused(400, "invalid_request");
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
    }

    async fn an_invite_by_email_needs_a_verified_address(app: &App) {
        let world = World::make(app, "acme").await;
        let (unverified, verified) = (app.person("bob").await, app.verified_person("vera").await);
        let path = format!("/team/{}/invite", world.team);
        let invite = |email: &str| json!({"email": email, "roles": "viewer"});
        let created = world.owner.post(&path, invite("bob@example.com")).await.created();
        assert_eq!(created["data"]["account_id"], json!(null));
        unverified.post("/team/accept-invite", json!({"invite_id": created.id()})).await.is_not_found();
        let id = world.owner.post(&path, invite("VERA@example.com")).await.created().id();
        verified.post("/team/accept-invite", json!({"invite_id": id})).await.ok();
        world.owner.post(&path, invite("nobody-yet@example.com")).await.created();
    }

    async fn inviting_again_renews_the_invite(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/invite", world.team);
        let first = json!({"email": "new@example.com", "roles": "viewer"});
        let id = world.owner.post(&path, first).await.created().id();
        let again = json!({"email": "NEW@example.com", "roles": "developer"});
        let renewed = world.owner.post(&path, again).await.created();
        assert_eq!(renewed.id(), id);
        let pending = world.owner.get(&path).await.ok();
        for name in ["email_or_username", "created_at", "expires_at"] {
            assert_eq!(pending["data"][0][name], renewed["data"][name], "{name}");
        }
        assert_eq!(pending["data"].as_array().unwrap().len(), 1);
        assert_eq!(pending["data"][0]["roles"], "developer");
        assert_eq!(pending["data"][0]["email_or_username"], "NEW@example.com");
    }

    async fn an_invite_is_declined_once_by_the_invited_person(app: &App) {
        let world = World::make(app, "acme").await;
        let (bob, eve) = (app.person("bob").await, app.person("eve").await);
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        eve.post("/team/decline-invite", json!({"invite_id": id})).await.is_not_found();
        bob.post("/team/decline-invite", json!({"invite_id": "x"})).await.is_not_found();
        bob.post("/team/decline-invite", json!({})).await.refused(400, "invalid_request");
        assert_eq!(bob.post("/team/decline-invite/", json!({"invite_id": id})).await.ok()["success"], true);
        assert_eq!(world.owner.get(&path).await.ok()["data"], json!([]));
        for decision in ["decline", "accept"] {
            bob.post(&format!("/team/{decision}-invite"), json!({"invite_id": id})).await.is_not_found();
        }
        let again = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        assert_ne!(again, id, "A person who declined can be invited again.");
        bob.post("/team/accept-invite", json!({"invite_id": again})).await.ok();
    }

    async fn a_person_lists_their_own_invites(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let (bob, vera) = (app.person("bob").await, app.verified_person("vera").await);
        let invite = async |world: &World, body: serde_json::Value| {
            world.owner.post(&format!("/team/{}/invite", world.team), body).await.created().id()
        };
        invite(&world, json!({"email": "bob@example.com", "roles": "viewer"})).await;
        assert_eq!(bob.get("/invite/").await.ok()["data"], json!([]), "The address is not verified.");
        let first = invite(&world, json!({"email": "Vera@example.com", "roles": "viewer", "role_name": "Auditor"})).await;
        let second = invite(&other, json!({"username": "VERA", "roles": "developer"})).await;
        let own = vera.get("/invite/").await.ok();
        let ids: Vec<_> = own["data"].as_array().unwrap().iter().map(|invite| &invite["id"]).collect();
        assert_eq!(ids, [&json!(second), &json!(first)]);
        let oldest = &own["data"][1];
        for (name, value) in [("team_id", world.team.as_str()), ("team_name", "acme"), ("team_slug", "acme"),
            ("email_or_username", "Vera@example.com"), ("roles", "viewer"), ("role_name", "Auditor")] {
            assert_eq!(oldest[name], json!(value), "{name}");
        }
        assert!(oldest["expires_at"].is_string() && oldest["link"].is_null());
        let page = vera.get("/invite?limit=1").await.ok();
        let rest = vera.get(&format!("/invite?limit=1&cursor={}", page["next_cursor"].as_str().unwrap())).await.ok();
        assert_eq!((&page["data"][0]["id"], &rest["data"][0]["id"]), (&json!(second), &json!(first)));
        vera.post("/team/decline-invite", json!({"invite_id": second})).await.ok();
        vera.post("/team/accept-invite", json!({"invite_id": first})).await.ok();
        assert_eq!(vera.get("/invite").await.ok()["data"], json!([]));
        world.key.get("/invite").await.is_forbidden();
        app.anonymous().get("/invite").await.refused(401, "unauthorized");
    }

    async fn without_a_mail_server_members_who_can_invite_get_the_link(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/invite", world.team);
        let created = world.owner.post(&path, json!({"email": "new@example.com", "roles": "viewer"})).await.created();
        assert_eq!(created["data"]["delivery"], "link");
        let link = format!("{}/auth/invite?invite={}", app.base, created.id());
        // Followed by a secret, because no email reaches the person.
        for shown in [&created["data"]["link"], &world.owner.get(&path).await.ok()["data"][0]["link"]] {
            let secret = shown.as_str().unwrap().strip_prefix(&format!("{link}.")).unwrap();
            assert!(secret.len() > 64 && secret.bytes().all(|b| b.is_ascii_hexdigit()), "{secret}");
        }
        let by_username = world.owner.post(&path, json!({"username": "acme-visitor", "roles": "viewer"})).await.created();
        assert_eq!(by_username["data"]["link"], json!(format!("{}/auth/invite?invite={}", app.base, by_username.id())));
        let viewer = world.member(app, "vic", "viewer").await;
        for reader in [&viewer, &world.key] {
            let visible = reader.get(&path).await.ok();
            assert!(visible["data"][0]["link"].is_null(), "{visible:?}");
            assert_eq!(visible["data"][0]["delivery"], "link");
        }
    }

    async fn a_deleted_invite_cannot_be_accepted(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        assert_eq!(world.owner.delete(&format!("{path}/{id}")).await.ok()["success"], true);
        world.owner.delete(&format!("{path}/{id}")).await.is_not_found();
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_not_found();
        world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created();
    }

    async fn an_invalid_invite_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let dora = world.member(app, "dora", "developer").await;
        let path = format!("/team/{}/invite", world.team);
        for invalid in [
            json!({"roles": "viewer"}),
            json!({"email": "a@example.com", "username": "adam", "roles": "viewer"}),
            json!({"email": "nobody", "roles": "viewer"}),
            json!({"email": "a@example.com"}),
            json!({"email": "a@example.com", "roles": "king"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "2020-01-01T00:00:00Z"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "2199-01-01T00:00:00Z"}),
            json!({"email": "a@example.com", "roles": "viewer", "expires_at": "tomorrow"}),
        ] {
            world.owner.post(&path, invalid).await.refused(400, "invalid_request");
        }
        world.owner.post(&path, json!({"username": "nobody-there", "roles": "viewer"})).await.is_not_found();
        adam.post(&path, json!({"email": "a@example.com", "roles": "owner"})).await.is_forbidden();
        adam.post(&path, json!({"email": "a@example.com", "roles": "team:delete"})).await.is_forbidden();
        dora.post(&path, json!({"email": "a@example.com", "roles": "viewer"})).await.is_forbidden();
    }
}

// The database decides these races.
on_both! {
    async fn an_invite_cannot_be_accepted_and_declined_concurrently(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        let body = json!({"invite_id": id});
        let (accepted, declined) =
            tokio::join!(bob.post("/team/accept-invite", body.clone()), bob.post("/team/decline-invite", body.clone()));
        let mut statuses = [accepted.status.as_u16(), declined.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404]);
        let teams = bob.get("/team").await.ok();
        assert_eq!(teams["data"].as_array().unwrap().len(), usize::from(accepted.status == 200));
    }

    async fn concurrent_acceptances_of_one_invite_create_one_member(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let path = format!("/team/{}/invite", world.team);
        let id = world.owner.post(&path, json!({"username": "bob", "roles": "viewer"})).await.created().id();
        let mut attempts = tokio::task::JoinSet::new();
        for _ in 0..CONCURRENT {
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
