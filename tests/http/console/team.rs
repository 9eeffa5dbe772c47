//! Members, invites and settings of a team in the console.

use serde_json::json;
use steward_tests::{Actor, App, Browser, PASSWORD, Page, World, on_sqlite};

use super::{copyable, links_to, project_of, signed_in, team_of};

/// Roles of a member; `None` if the person is not a member.
async fn roles_of(world: &World, caller: &Actor, member: &Actor) -> Option<String> {
    let members = caller.get(&format!("/team/{}/member", world.team)).await.ok();
    let found = members["data"].as_array().unwrap().iter().find(|found| found["account_id"] == json!(member.id))?;
    Some(found["roles"].as_str().unwrap().to_owned())
}

/// A developer of the team with a key and a webhook that depend on the role.
async fn developer(app: &App, world: &World) -> Actor {
    let bob = world.member(app, "bob", "developer").await;
    let key = json!({"label": "deploy", "roles": "write"});
    bob.post(&format!("/project/{}/key", world.project), key).await.ok();
    let hook = json!({"url": "https://example.com/bob", "events": ["schema.created"]});
    bob.post(&format!("/project/{}/webhook", world.project), hook).await.created();
    bob
}

async fn invite(browser: &Browser, world: &World, recipient: &str) -> Page {
    let new = format!("{}/invites/new", team_of(world));
    let form = browser.open(&new).await;
    browser.submit(&form, &new, &[("recipient", recipient), ("roles", "viewer")]).await
}

on_sqlite! {
    async fn a_change_of_roles_names_what_it_affects_before_it_happens(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = developer(app, &world).await;
        let browser = signed_in(app, "acme-owner").await;
        let (list, member) = (format!("{}/members", team_of(&world)), format!("{}/members/{}", team_of(&world), bob.id));
        let page = browser.open(&list).await;
        assert!(page.text().contains("bob@example.com") && links_to(&page, &member), "{page}");

        let form = browser.open(&member).await;
        let refused = browser.submit(&form, &member, &[("roles", "viewer"), ("role_name", &"x".repeat(65))]).await;
        let confirmation = browser.submit(&form, &member, &[("roles", "viewer"), ("role_name", "Guest")]).await;
        for page in [&refused, &confirmation] {
            assert!(page.heading() == "Confirm the change" && page.status == 200, "{page}");
            assert!(page.text().contains("deploy") && page.text().contains("https://example.com/bob"), "{page}");
        }
        assert_eq!(roles_of(&world, &world.owner, &bob).await.as_deref(), Some("developer"));
        let refused = browser.submit(&refused, &member, &[]).await;
        assert!(refused.status == 400 && refused.text().contains("must be at most 64 characters"), "{refused}");

        let done = browser.submit(&confirmation, &member, &[]).await;
        assert!(done.is_at(&list) && done.text().contains("Guest"), "{done}");
        assert_eq!(roles_of(&world, &world.owner, &bob).await.as_deref(), Some("viewer"));
        let hooks = world.owner.get(&format!("/project/{}/webhook", world.project)).await.ok();
        assert_eq!(hooks["data"][0]["status"], "paused");
    }

    async fn a_stale_form_of_roles_is_refused_and_keeps_the_choice(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let browser = signed_in(app, "acme-owner").await;
        let member = format!("{}/members/{}", team_of(&world), bob.id);
        let (first, second) = (browser.open(&member).await, browser.open(&member).await);
        browser.submit(&first, &member, &[("role_name", "Auditor")]).await;
        let stale = browser.submit(&second, &member, &[("roles", "developer")]).await;
        assert!(stale.status == 412 && stale.text().contains("was changed while you were editing it"), "{stale}");
        let fields = stale.form(&member).fields;
        assert!(fields.contains(&("roles".to_owned(), "developer".to_owned())), "{fields:?}");
        browser.submit(&stale, &member, &[]).await;
        assert_eq!(roles_of(&world, &world.owner, &bob).await.as_deref(), Some("developer"));
    }

    async fn a_removal_names_what_it_affects_and_happens_once(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = developer(app, &world).await;
        let browser = signed_in(app, "acme-owner").await;
        let remove = format!("{}/members/{}/remove", team_of(&world), bob.id);
        assert_eq!(roles_of(&world, &world.owner, &bob).await.as_deref(), Some("developer"));
        let page = browser.open(&remove).await;
        assert!(page.text().contains("deploy") && page.text().contains("https://example.com/bob"), "{page}");
        for _ in 0..2 {
            let done = browser.submit(&page, &remove, &[]).await;
            assert!(done.is_at(&format!("{}/members", team_of(&world))), "{done}");
            assert!(done.text().contains("was removed from the team."), "{done}");
        }
        assert_eq!(roles_of(&world, &world.owner, &bob).await, None);
        assert_eq!(browser.open(&remove).await.status, 404);
    }

    async fn what_a_member_set_up_ends_only_if_the_person_chooses_it(app: &App) {
        let world = World::make(app, "acme").await;
        let (bob, keys) = (developer(app, &world).await, format!("/project/{}/key", world.project));
        let clients = format!("/project/{}/client", world.project);
        let uris = ["https://shop.example/callback"];
        for name in ["Shop", "Blog"] {
            bob.post(&clients, json!({"name": name, "type": "public", "redirect_uris": uris})).await.created();
        }
        let count = async |path: &str| world.owner.get(path).await.ok()["data"].as_array().unwrap().len();
        let browser = signed_in(app, "acme-owner").await;
        let member = format!("{}/members/{}", team_of(&world), bob.id);
        let form = browser.open(&member).await;
        let confirmation = browser.submit(&form, &member, &[("roles", "viewer"), ("role_name", "Guest")]).await;
        for name in ["deploy", "Shop", "Blog", "Delete these API keys", "Delete these OAuth clients"] {
            assert!(confirmation.text().contains(name), "{confirmation}");
        }
        let is_end = |(name, _): &(String, String)| name == "end";
        assert!(!confirmation.form(&member).fields.iter().any(is_end), "Nothing is chosen: {confirmation}");
        app.age_sessions();
        let asked = browser.submit(&confirmation, &member, &[("end", "clients")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let done = browser.submit(&asked, &member, &[("confirm_password", PASSWORD)]).await;
        assert!(done.text().contains("Guest"), "{done}");
        assert_eq!((count(&clients).await, count(&keys).await), (0, 2), "The key of the owner and that of bob go on.");

        let remove = format!("{member}/remove");
        let page = browser.open(&remove).await;
        assert!(!page.form(&remove).fields.iter().any(is_end), "{page}");
        let done = browser.submit(&page, &remove, &[("end", "keys")]).await;
        assert!(done.text().contains("was removed from the team."), "{done}");
        assert_eq!(count(&keys).await, 1);
    }

    async fn members_can_leave_except_the_only_owner(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let own = |actor: &Actor| format!("{}/members/{}/remove", team_of(&world), actor.id);
        let (as_owner, as_bob) = (signed_in(app, "acme-owner").await, signed_in(app, "bob").await);
        let members = format!("{}/members", team_of(&world));
        assert!(!links_to(&as_owner.open(&members).await, &own(&world.owner)));
        let refused = as_owner.open(&own(&world.owner)).await;
        assert!(refused.text().contains("You are the only owner"), "{refused}");
        assert!(links_to(&as_bob.open(&members).await, &own(&bob)));
        let page = as_bob.open(&own(&bob)).await;
        let left = as_bob.submit(&page, &own(&bob), &[]).await;
        assert!(left.text().contains("You left the team acme."), "{left}");
        assert_eq!(roles_of(&world, &world.owner, &bob).await, None);
        assert_eq!(as_bob.open(&members).await.status, 404);
    }

    async fn ownership_is_transferred_after_the_password_is_confirmed(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "developer").await;
        let browser = signed_in(app, "acme-owner").await;
        let transfer = format!("{}/members/{}/transfer", team_of(&world), bob.id);
        assert!(links_to(&browser.open(&format!("{}/members/{}", team_of(&world), bob.id)).await, &transfer));
        app.age_sessions();
        let page = browser.open(&transfer).await;
        let asked = browser.submit(&page, &transfer, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        assert_eq!(roles_of(&world, &world.owner, &bob).await.as_deref(), Some("developer"));
        let done = browser.submit(&asked, &transfer, &[("confirm_password", PASSWORD)]).await;
        assert!(done.is_at(&format!("{}/members", team_of(&world))), "{done}");
        assert_eq!(roles_of(&world, &bob, &bob).await.as_deref(), Some("owner"));
        assert_eq!(roles_of(&world, &bob, &world.owner).await.as_deref(), Some("admin"));
        assert_eq!(browser.open(&transfer).await.status, 403);
    }

    async fn invites_are_sent_renewed_and_revoked(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let refused = invite(&browser, &world, "nobody").await;
        assert!(refused.status == 400 && refused.text().contains("No account has this username."), "{refused}");
        assert!(refused.html.contains("value=\"nobody\""), "{refused}");
        let neither = invite(&browser, &world, "a b").await;
        let expected = "Email address or username must be an email address, like name@example.com, or a username, \
                        which must be 3 to 32 letters, digits, hyphens and underscores.";
        assert!(neither.status == 400 && neither.text().contains(expected), "{neither}");
        let shown = invite(&browser, &world, "new@example.com").await;
        assert!(shown.heading() == "Invite to new@example.com" && shown.text().contains("Not emailed"), "{shown}");
        let address = shown.url.path().to_owned();
        let id = address.rsplit('/').next().unwrap();
        assert!(copyable(&shown, "link").starts_with(&format!("{}/auth/invite?invite={id}.", app.base)), "{shown}");
        assert!(shown.text().contains("One person can join the team with it"), "{shown}");
        let list = format!("{}/invites", team_of(&world));
        assert!(links_to(&browser.open(&list).await, &address));

        let (renew, revoke) = (format!("{address}/renew"), format!("{address}/revoke"));
        let page = browser.open(&renew).await;
        let renewed = browser.submit(&page, &renew, &[]).await;
        assert!(renewed.is_at(&address) && renewed.text().contains("was renewed."), "{renewed}");
        let page = browser.open(&revoke).await;
        for _ in 0..2 {
            let revoked = browser.submit(&page, &revoke, &[]).await;
            assert!(revoked.is_at(&list) && revoked.text().contains("No pending invites"), "{revoked}");
        }
        let gone = browser.open(&address).await;
        assert!(gone.status == 404 && gone.heading() == "Invite not found", "{gone}");
        assert!(gone.text().contains("It may have been accepted, declined, revoked"), "{gone}");
        assert!(!gone.text().contains("deleted") && !gone.text().contains("complete link"), "{gone}");
        assert!(links_to(&gone, &list) && links_to(&gone, &format!("{}/members", team_of(&world))), "{gone}");
    }

    async fn people_see_only_the_controls_that_are_permitted(app: &App) {
        let world = World::make(app, "acme").await;
        let vic = world.member(app, "vic", "viewer").await;
        for role in ["admin", "developer"] {
            world.member(app, role, role).await;
        }
        let (team, project) = (team_of(&world), project_of(&world));
        // The page that links to each one, and who may open it.
        let pages: [(String, String, &[&str]); 8] = [
            (format!("{team}/members"), format!("{team}/members/{}", vic.id), &["acme-owner", "admin"]),
            (format!("{team}/invites"), format!("{team}/invites/new"), &["acme-owner", "admin"]),
            (team.clone(), format!("{team}/settings"), &["acme-owner", "admin"]),
            (format!("{team}/settings"), format!("{team}/delete"), &["acme-owner"]),
            (team.clone(), format!("{team}/projects/new"), &["acme-owner", "admin", "developer"]),
            (project.clone(), format!("{project}/settings"), &["acme-owner", "admin", "developer"]),
            (format!("{project}/settings"), format!("{project}/images/icon"), &["acme-owner", "admin", "developer"]),
            (format!("{project}/settings"), format!("{project}/delete"), &["acme-owner", "admin"]),
        ];
        for username in ["acme-owner", "admin", "developer", "vic"] {
            let browser = signed_in(app, username).await;
            for (from, to, permitted) in &pages {
                let is_permitted = permitted.contains(&username);
                let status = browser.open(to).await.status.as_u16();
                assert_eq!(status, if is_permitted { 200 } else { 403 }, "{username} opens {to}");
                let from = browser.open(from).await;
                assert_eq!(from.status == 200 && links_to(&from, to), is_permitted, "{username}: {to} at {from}");
            }
        }
    }

    async fn settings_are_changed_once_and_a_taken_slug_is_named(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let browser = signed_in(app, "acme-owner").await;
        let settings = format!("{}/settings", team_of(&world));
        let (first, second) = (browser.open(&settings).await, browser.open(&settings).await);
        let taken = browser.submit(&first, &settings, &[("slug", "other")]).await;
        assert!(taken.status == 409 && taken.text().contains("is already taken"), "{taken}");
        let done = browser.submit(&taken, &settings, &[("name", "Acme Ltd"), ("slug", "acme-ltd")]).await;
        assert!(done.is_at(&settings) && done.text().contains("The team was changed."), "{done}");
        let stale = browser.submit(&second, &settings, &[("name", "Mine")]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"Mine\""), "{stale}");
        let team = world.owner.get(&format!("/team/{}", world.team)).await.ok();
        assert_eq!((&team["data"]["name"], &team["data"]["slug"]), (&json!("Acme Ltd"), &json!("acme-ltd")));
        assert_eq!(browser.open(&format!("{}/settings", team_of(&other))).await.status, 404);
    }

    async fn a_team_without_projects_is_deleted_by_typing_its_slug(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let delete = format!("{}/delete", team_of(&world));
        let blocked = browser.open(&delete).await;
        assert!(blocked.text().contains("The team still owns projects"), "{blocked}");
        assert!(links_to(&blocked, &project_of(&world)), "{blocked}");
        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        let page = browser.open(&delete).await;
        let refused = browser.submit(&page, &delete, &[("confirm", "wrong")]).await;
        assert!(refused.status == 400 && refused.text().contains("must be the slug of the team"), "{refused}");
        for _ in 0..2 {
            let done = browser.submit(&refused, &delete, &[("confirm", "acme")]).await;
            assert!(done.status == 200 && done.text().contains("The team acme was deleted."), "{done}");
        }
        world.owner.get(&format!("/team/{}", world.team)).await.is_not_found();

        let other = world.owner.post("/team/", json!({"name": "other", "slug": "other"})).await.created().id();
        let delete = format!("/console/teams/{other}/delete");
        app.age_sessions();
        let page = browser.open(&delete).await;
        let asked = browser.submit(&page, &delete, &[("confirm", "other")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        world.owner.get(&format!("/team/{other}")).await.ok();
        let done = browser.submit(&asked, &delete, &[("confirm_password", PASSWORD)]).await;
        assert!(done.status == 200 && done.text().contains("The team other was deleted."), "{done}");
        world.owner.get(&format!("/team/{other}")).await.is_not_found();
    }
}
