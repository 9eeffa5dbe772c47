//! Team members: roles, ownership and removal.

use serde_json::json;
use steward_tests::{World, on_both, on_both_in_full, on_sqlite};

on_both_in_full! {
    async fn a_member_is_removed_and_their_keys_are_reported(app: &App) {
        let world = World::make(app, "acme").await;
        let dev = world.member(app, "dev", "developer").await;
        let key = json!({"label": "ci", "roles": "read"});
        let key = dev.post(&format!("/project/{}/key", world.project), key).await.ok();
        let path = format!("/team/{}/member", world.team);
        dev.delete(&format!("{path}/{}", world.owner.id)).await.is_forbidden();
        let removed = world.owner.delete(&format!("{path}/{}", dev.id)).await.ok();
        assert_eq!(removed["success"], true);
        assert_eq!(removed["affected_keys"],
            json!([{"id": key["key"]["id"], "project_id": world.project, "label": "ci", "ended": false}]));
        dev.get(&format!("/project/{}", world.project)).await.is_not_found();
        world.owner.delete(&format!("{path}/{}", dev.id)).await.is_not_found();
    }
}

on_sqlite! {
    async fn roles_are_returned_normalized_and_apply_from_the_next_request(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let (team, path) = (format!("/team/{}", world.team), format!("/team/{}/member/{}", world.team, bob.id));
        bob.patch(&team, json!({"name": "Mine"})).await.is_forbidden();

        let change = json!({"roles": " viewer, team:write,viewer ", "role_name": "Editor"});
        let changed = world.owner.patch(&path, change).await.ok();
        assert_eq!(changed["data"]["roles"], "viewer,team:write");
        assert_eq!(changed["data"]["role_name"], "Editor");
        bob.patch(&team, json!({"name": "Bob's"})).await.ok();

        let members = bob.get(&format!("{team}/member/")).await.ok();
        let roles: Vec<_> = members["data"].as_array().unwrap().iter().map(|member| &member["roles"]).collect();
        assert_eq!(roles, ["owner", "viewer,team:write"]);
    }

    async fn an_empty_role_label_is_shown_as_the_name_of_the_role(app: &App) {
        let world = World::make(app, "acme").await;
        let team = format!("/team/{}", world.team);
        assert_eq!(world.owner.get("/team").await.ok()["data"][0]["role_name"], "Owner");
        let bob = world.member(app, "bob", "developer").await;
        assert_eq!(bob.get("/team").await.ok()["data"][0]["role_name"], "Developer");
        let invite = json!({"email": "vera@example.com", "roles": "viewer,db:read"});
        let invite = world.owner.post(&format!("{team}/invite"), invite).await.created();
        assert_eq!(invite["data"]["role_name"], "Custom");

        let path = format!("{team}/member/{}", bob.id);
        for (change, shown) in [
            (json!({"roles": "viewer,developer"}), "Custom"),
            (json!({"roles": "admin"}), "Admin"),
            (json!({"role_name": "Lead"}), "Lead"),
            (json!({"role_name": " "}), "Admin"),
        ] {
            assert_eq!(world.owner.patch(&path, change).await.ok()["data"]["role_name"], shown);
        }
        let details = bob.get(&team).await.ok();
        let shown = |list: &str| -> Vec<_> {
            details["data"][list].as_array().unwrap().iter().map(|entry| entry["role_name"].clone()).collect()
        };
        assert_eq!((shown("members"), shown("invites")), (vec![json!("Owner"), json!("Admin")], vec![json!("Custom")]));
        let members = bob.get(&format!("{team}/member")).await.ok();
        assert_eq!(members["data"][1]["role_name"], "Admin");
    }

    async fn members_see_who_the_members_are_and_api_keys_do_not(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let path = format!("/team/{}/member", world.team);
        let (name, email) = (json!("bob"), json!("bob@example.com"));
        for page in ["", "?limit=1000"] {
            let members = bob.get(&format!("{path}{page}")).await.ok();
            assert_eq!(members["data"].as_array().unwrap().len(), 2);
            assert_eq!((&members["data"][1]["username"], &members["data"][1]["email"]), (&name, &email), "{members:?}");
            assert_eq!(members["data"][0]["email"], "acme-owner@example.com");
        }
        let first = bob.get(&format!("{path}?limit=1")).await.ok();
        let rest = bob.get(&format!("{path}?cursor={}", first["next_cursor"].as_str().unwrap())).await.ok();
        assert_eq!((&rest["data"][0]["email"], &rest["data"][1]), (&email, &json!(null)));

        let hidden = world.key.get(&path).await.ok();
        assert_eq!(hidden["data"][1]["account_id"], bob.id.as_str());
        for member in hidden["data"].as_array().unwrap() {
            for field in ["name", "username", "email"] {
                assert!(member.get(field).is_none(), "{member}");
            }
        }
    }

    async fn unknown_and_empty_roles_are_refused_with_the_allowed_values(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/member/{}", world.team, world.owner.id);
        for roles in ["", "king", "owner,king"] {
            let error = world.owner.patch(&path, json!({"roles": roles})).await.refused(400, "invalid_request");
            assert!(error["message"].as_str().unwrap().contains("developer"), "{error:?}");
        }
        world.owner.patch(&path, json!({})).await.refused(400, "invalid_request");
        let unknown_member = format!("/team/{}/member/{}", world.team, world.project);
        world.owner.patch(&unknown_member, json!({"roles": "viewer"})).await.is_not_found();
        world.owner.patch(&format!("/team/{}/member/x", world.team), json!({"roles": "viewer"})).await.is_not_found();
    }

    async fn a_member_cannot_grant_roles_that_they_do_not_have(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, dora) = (world.member(app, "adam", "admin").await, world.member(app, "dora", "developer").await);
        let path = format!("/team/{}/member/{}", world.team, dora.id);
        adam.patch(&path, json!({"roles": "admin"})).await.ok();
        adam.patch(&path, json!({"roles": "developer,team:delete"})).await.is_forbidden();
        adam.patch(&path, json!({"roles": "owner"})).await.is_forbidden();
        let owner = format!("/team/{}/member/{}", world.team, world.owner.id);
        adam.patch(&owner, json!({"roles": "viewer"})).await.is_forbidden();
        adam.patch(&owner, json!({"role_name": "Boss"})).await.is_forbidden();
    }

    async fn a_team_always_keeps_an_owner(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "admin").await;
        let path = |id: &str| format!("/team/{}/member/{id}", world.team);
        world.owner.patch(&path(&world.owner.id), json!({"roles": "admin"})).await.refused(409, "last_owner");

        world.owner.patch(&path(&bob.id), json!({"roles": "owner"})).await.ok();
        world.owner.patch(&path(&world.owner.id), json!({"roles": "viewer"})).await.ok();
        assert_eq!(bob.get("/team").await.ok()["data"][0]["owner"], json!(bob.id));
        bob.patch(&path(&bob.id), json!({"roles": "admin"})).await.refused(409, "last_owner");
    }

    async fn ownership_passes_to_another_owner_when_the_owner_leaves(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, path) = (format!("/team/{}", world.team), |id: &str| format!("/team/{}/member/{id}", world.team));
        let (bob, adam) = (world.member(app, "bob", "viewer").await, world.member(app, "adam", "admin").await);
        adam.patch(&path(&bob.id), json!({"roles": "owner"})).await.is_forbidden();
        world.owner.patch(&path(&bob.id), json!({"roles": "owner"})).await.ok();
        assert_eq!(bob.get(&team).await.ok()["data"]["owner_id"], json!(world.owner.id), "The owner has not left yet.");
        world.owner.delete(&path(&world.owner.id)).await.ok();
        assert_eq!(bob.get(&team).await.ok()["data"]["owner_id"], json!(bob.id));
        adam.delete(&path(&bob.id)).await.is_forbidden();
        bob.delete(&team).await.refused(409, "team_owns_projects");
    }
}

// The database decides these races.
on_both! {
    async fn two_owners_cannot_step_down_concurrently(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "admin").await;
        let path = |id: &str| format!("/team/{}/member/{id}", world.team);
        world.owner.patch(&path(&bob.id), json!({"roles": "owner"})).await.ok();
        let leave = json!({"roles": "viewer"});
        let (own, bobs) = (path(&world.owner.id), path(&bob.id));
        let (first, second) = tokio::join!(world.owner.patch(&own, leave.clone()), bob.patch(&bobs, leave));
        let mut statuses = [first.status.as_u16(), second.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
    }

    async fn two_owners_cannot_remove_each_other_concurrently(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "owner").await;
        let path = |id: &str| format!("/team/{}/member/{id}", world.team);
        let (own, bobs) = (path(&world.owner.id), path(&bob.id));
        let (first, second) = tokio::join!(world.owner.delete(&bobs), bob.patch(&own, json!({"roles": "viewer"})));
        let mut statuses = [first.status.as_u16(), second.status.as_u16()];
        statuses.sort_unstable();
        // The second request is refused: its sender is no longer an owner or no longer a member, or its target is the
        // last owner.
        assert!(statuses[0] == 200 && [403, 404, 409].contains(&statuses[1]), "{statuses:?}");
        let remaining = if first.status == 200 { &world.owner } else { &bob };
        assert_eq!(remaining.get(&format!("/team/{}", world.team)).await.ok()["data"]["owner_id"], json!(remaining.id));
    }

    async fn any_member_except_the_last_owner_can_leave(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/member", world.team);
        let viewer = world.member(app, "vic", "viewer").await;
        viewer.delete(&format!("{path}/{}", viewer.id)).await.ok();
        viewer.get(&path).await.is_not_found();
        world.owner.delete(&format!("{path}/{}", world.owner.id)).await.refused(409, "last_owner");
        let second = world.member(app, "sue", "owner").await;
        let admin = world.member(app, "adam", "admin").await;
        admin.delete(&format!("{path}/{}", second.id)).await.is_forbidden();
        let (own, others) = (format!("{path}/{}", world.owner.id), format!("{path}/{}", second.id));
        let (first, other) = tokio::join!(world.owner.delete(&own), second.delete(&others));
        let statuses = [first.status.as_u16(), other.status.as_u16()];
        assert!(statuses.contains(&200) && statuses.contains(&409), "{statuses:?}");
        let members = admin.get(&path).await.ok();
        let owners = members["data"].as_array().unwrap().iter().filter(|member| member["roles"] == "owner");
        assert_eq!(owners.count(), 1);
    }
}
