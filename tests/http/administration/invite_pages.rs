//! The invite page that an invite link opens.

use serde_json::{Value, json};
use steward_tests::{Browser, PASSWORD, Page, World, on_sqlite};

/// Creates an invite by username. Returns its ID and link.
async fn invite(world: &World, username: &str) -> (String, String) {
    let invite = json!({"username": username, "roles": "developer,audit:read", "role_name": "Dev <3"});
    let created = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
    (created.id(), created["data"]["link"].as_str().unwrap().to_owned())
}

/// Opens the link and signs in.
async fn follow(browser: &Browser, link: &str, username: &str) -> Page {
    let page = browser.open(link).await;
    let sign_in = link_to(&page, "/auth/sign-in");
    let page = browser.open(&sign_in).await;
    browser.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await
}

/// Returns the page's link to this path.
#[track_caller]
fn link_to(page: &Page, path: &str) -> String {
    let links = page.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let found = links.filter(|link| link.starts_with(path)).map(|link| link.replace("&#38;", "&")).next();
    found.unwrap_or_else(|| panic!("No link to {path} at {page}"))
}

async fn pending(world: &World) -> Value {
    world.owner.get(&format!("/team/{}/invite", world.team)).await.ok()["data"].clone()
}

on_sqlite! {
    async fn a_person_signs_in_from_an_invite_link_and_accepts_it(app: &App) {
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
        assert!(!page.html.contains("Dev <3"), "User input must be escaped.");
        bob.get(&format!("/team/{}", world.team)).await.is_not_found();
        let done = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(done.status == 200 && done.heading() == "You joined the team acme", "{done}");
        assert_eq!(bob.get("/team").await.ok()["data"][0]["roles"], "developer,audit:read");
        let again = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(again.status == 404 && again.heading() == "There is no invite for this account", "{again}");
    }

    async fn an_invite_can_be_declined_on_its_page(app: &App) {
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
        bob.post("/team/accept-invite", json!({"invite_id": id})).await.is_not_found();
    }

    async fn an_invite_link_reveals_nothing_to_other_people(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("bob").await;
        let eve = app.person("eve").await;
        let (id, link) = invite(&world, "bob").await;
        let unknown_link = link.replace(&id, &world.user);
        let (known, unknown) = (Browser::new(app).open(&link).await, Browser::new(app).open(&unknown_link).await);
        assert_eq!((known.status, known.html.replace(&id, "x")), (unknown.status, unknown.html.replace(&world.user, "x")));

        let browser = Browser::new(app);
        let (page, other) = (follow(&browser, &link, "eve").await, browser.open(&unknown_link).await);
        assert!(page.status == 404 && !page.text().contains("acme"), "{page}");
        assert_eq!(page.html.replace(&id, "x"), other.html.replace(&world.user, "x"));
        eve.post("/team/accept-invite", json!({"invite_id": id})).await.is_not_found();
        eve.post("/team/decline-invite", json!({"invite_id": id})).await.is_not_found();
        assert_eq!(pending(&world).await[0]["id"], json!(id));
        let broken = browser.open("/auth/invite?invite=x").await;
        assert!(broken.status == 404 && broken.heading() == "This invite link is not valid", "{broken}");
        assert_eq!(browser.open("/auth/invite").await.status, 404);
    }

    async fn a_new_account_must_confirm_its_address_before_accepting_an_invite_by_email(app: &App) {
        let world = World::make(app, "acme").await;
        let invite = json!({"email": "new@example.com", "roles": "viewer"});
        let id = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        let browser = Browser::new(app);
        let page = browser.open(&format!("/auth/invite?invite={id}")).await;
        let page = browser.open(&link_to(&page, "/auth/sign-up")).await;
        let page = browser.submit(&page, "/auth/sign-up", &[("email", "new@example.com"), ("password", PASSWORD)]).await;
        assert!(page.is_at("/auth/invite") && page.status == 404, "{page}");
        assert_eq!(page.heading(), "Confirm your email address first", "{page}");
        assert!(!page.text().contains("acme") && page.text().contains("no mail server"), "{page}");
        let token = app.complete_log().await.rsplit("verify-email?token=").next().unwrap().split('"').next().unwrap().to_owned();
        let confirm = browser.open(&format!("/auth/verify-email?token={token}")).await;
        let confirmed = browser.submit(&confirm, "/auth/verify-email", &[]).await;
        let page = browser.open(&link_to(&confirmed, "/auth/invite")).await;
        let done = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert_eq!(done.heading(), "You joined the team acme", "{done}");
    }

    async fn a_person_can_switch_accounts_on_the_invite_page(app: &App) {
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
        let other = Browser::new(app);
        let form = other.open(&link_to(&other.open(&link).await, "/auth/sign-in")).await;
        let form = other.submit(&form, "/auth/sign-in", &[("login", "bob"), ("password", "not the password")]).await;
        let page = other.submit(&form, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
        assert_eq!(page.heading(), "Join the team acme?", "A wrong password must not lose the invite: {page}");
    }
}
