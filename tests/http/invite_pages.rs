//! Invites at the page that their link opens.

use serde_json::{Value, json};
use steward_tests::{Browser, PASSWORD, Page, World, on_both};

/// Invites by username; answers the id and the link.
async fn invite(world: &World, username: &str) -> (String, String) {
    let invite = json!({"username": username, "roles": "developer,audit:read", "role_name": "Dev <3"});
    let made = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
    (made.id(), made["data"]["link"].as_str().unwrap().to_owned())
}

/// Follows the link and signs in.
async fn follow(browser: &Browser, link: &str, username: &str) -> Page {
    let page = browser.open(link).await;
    let sign_in = link_to(&page, "/auth/sign-in");
    let page = browser.open(&sign_in).await;
    browser.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await
}

/// The address that the page links to.
#[track_caller]
fn link_to(page: &Page, path: &str) -> String {
    let links = page.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let found = links.filter(|link| link.starts_with(path)).map(|link| link.replace("&#38;", "&")).next();
    found.unwrap_or_else(|| panic!("no link to {path} at {page}"))
}

async fn pending(world: &World) -> Value {
    world.owner.get(&format!("/team/{}/invite", world.team)).await.ok()["data"].clone()
}

on_both! {
    async fn whoever_follows_an_invite_signs_in_and_accepts_it(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let (_, link) = invite(&world, "bob").await;
        assert!(link.starts_with(&app.base), "{link}");
        let browser = Browser::new(app);
        let page = follow(&browser, &link, "bob").await;
        assert!(page.is_at("/auth/invite") && page.heading() == "Join the team acme?", "{page}");
        let text = page.text();
        for part in ["bob@example.com", "Dev <3", "developer, audit:read"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!page.html.contains("Dev <3"), "what people wrote is escaped");
        bob.get(&format!("/team/{}", world.team)).await.is_unknown();
        let done = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(done.status == 200 && done.heading() == "You are in the team acme", "{done}");
        assert_eq!(bob.get("/team").await.ok()["data"][0]["roles"], "developer,audit:read");
        let again = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(again.status == 404 && again.heading() == "There is no invite for you here", "{again}");
    }

    async fn an_invite_is_declined_at_its_page(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = app.person("bob").await;
        let (id, link) = invite(&world, "bob").await;
        let browser = Browser::new(app);
        let page = follow(&browser, &link, "bob").await;
        let neither = browser.submit(&page, "/auth/invite", &[]).await;
        assert_eq!(neither.status, 400, "{neither}");
        let done = browser.submit(&page, "/auth/invite", &[("decision", "decline")]).await;
        assert!(done.status == 200 && done.heading() == "You declined the invite", "{done}");
        assert_eq!(pending(&world).await, json!([]));
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_unknown();
    }

    async fn a_link_grants_and_tells_nothing_to_whom_it_does_not_name(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("bob").await;
        let eve = app.person("eve").await;
        let (id, link) = invite(&world, "bob").await;
        let nothing = link.replace(&id, &world.user);
        let (known, unknown) = (Browser::new(app).open(&link).await, Browser::new(app).open(&nothing).await);
        assert_eq!((known.status, known.html.replace(&id, "x")), (unknown.status, unknown.html.replace(&world.user, "x")));

        let browser = Browser::new(app);
        let (page, other) = (follow(&browser, &link, "eve").await, browser.open(&nothing).await);
        assert!(page.status == 404 && !page.text().contains("acme"), "{page}");
        assert_eq!(page.html.replace(&id, "x"), other.html.replace(&world.user, "x"));
        let csrf = page.forms()[0].fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
        assert!(!csrf.is_empty());
        eve.post("/team/accept-invite", json!({"invite_id": id})).await.is_unknown();
        eve.post("/team/decline-invite", json!({"invite_id": id})).await.is_unknown();
        assert_eq!(pending(&world).await[0]["id"], json!(id));
        let broken = browser.open("/auth/invite?invite=x").await;
        assert!(broken.status == 404 && broken.heading() == "This link is broken", "{broken}");
        assert_eq!(browser.open("/auth/invite").await.status, 404);
    }

    async fn whoever_signs_up_for_an_invite_by_email_is_told_to_confirm_the_address(app: &App) {
        let world = World::make(app, "acme").await;
        let invite = json!({"email": "new@example.com", "roles": "viewer"});
        let made = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
        let browser = Browser::new(app);
        let page = browser.open(made["data"]["link"].as_str().unwrap()).await;
        let page = browser.open(&link_to(&page, "/auth/sign-up")).await;
        let page = browser.submit(&page, "/auth/sign-up", &[("email", "new@example.com"), ("password", PASSWORD)]).await;
        assert!(page.is_at("/auth/invite") && page.status == 404, "{page}");
        assert!(page.text().contains("not confirmed yet") && !page.text().contains("acme"), "{page}");
        let token = app.complete_log().await.rsplit("verify-email?token=").next().unwrap().split('"').next().unwrap().to_owned();
        let confirm = browser.open(&format!("/auth/verify-email?token={token}")).await;
        browser.submit(&confirm, "/auth/verify-email", &[]).await;
        let page = browser.open(made["data"]["link"].as_str().unwrap()).await;
        let done = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert_eq!(done.heading(), "You are in the team acme", "{done}");
    }

    async fn another_account_can_be_taken_on_the_way(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("bob").await;
        app.person("eve").await;
        let (_, link) = invite(&world, "bob").await;
        let browser = Browser::new(app);
        let page = follow(&browser, &link, "eve").await;
        let page = browser.open(&link_to(&page, "/auth/sign-out")).await;
        let page = browser.submit(&page, "/auth/sign-out", &[]).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = browser.submit(&page, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
        assert_eq!(page.heading(), "Join the team acme?", "{page}");
        let wrong = Browser::new(app);
        let form = wrong.open(&link_to(&wrong.open(&link).await, "/auth/sign-in")).await;
        let form = wrong.submit(&form, "/auth/sign-in", &[("login", "bob"), ("password", "not the password")]).await;
        let page = wrong.submit(&form, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
        assert_eq!(page.heading(), "Join the team acme?", "a wrong password does not lose the invite: {page}");
    }
}
