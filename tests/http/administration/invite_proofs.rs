//! The emailed link of an invite, which proves the address, and sign-up policies, under which an account can do nothing
//! until its address is confirmed. Without a mail server, emails are in the log, and any one account joins with the link that
//! the inviter copies.

use serde_json::json;
use steward_tests::{App, Backend, Body, Browser, PASSWORD, Page, World, on_both_in_full, on_sqlite};

const EMAIL: &str = "new@example.com";

/// Invites an address. Returns the ID of the invite and the link that the inviter copies.
async fn invite(world: &World, email: &str) -> (String, String) {
    let invite = json!({"email": email, "roles": "viewer"});
    let created = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
    assert_eq!(created["data"]["delivery"], "link");
    (created.id(), created["data"]["link"].as_str().unwrap().to_owned())
}

/// Returns the newest link with this text in the emails.
async fn emailed(app: &App, text: &str) -> String {
    let log = app.complete_log().await;
    let found = log.split('"').rfind(|part| part.starts_with("http") && part.contains(text));
    found.unwrap_or_else(|| panic!("No email contains {text}")).to_owned()
}

#[track_caller]
fn link_to(page: &Page, path: &str) -> String {
    let found = page.links().into_iter().find(|link| link.starts_with(path));
    found.unwrap_or_else(|| panic!("No link to {path}: {page}"))
}

fn value(page: &Page, name: &str) -> String {
    let forms = page.forms();
    let mut fields = forms.iter().flat_map(|form| &form.fields);
    fields.find(|(other, _)| other == name).unwrap_or_else(|| panic!("No field {name}: {page}")).1.clone()
}

async fn is_verified(app: &App, email: &str) -> bool {
    let tokens = app.anonymous().post("/auth/login", json!({"email": email, "password": PASSWORD})).await.ok();
    app.bearer(tokens["access_token"].as_str().unwrap()).get("/auth/userinfo").await.ok()["email_verified"] == true
}

on_both_in_full! {
    async fn an_invited_person_signs_up_with_the_emailed_link_and_joins(app: &App) {
        let world = World::make(app, "acme").await;
        let (id, shown) = invite(&world, EMAIL).await;
        let link = emailed(app, &format!("invite={id}.")).await;
        assert!(!shown.contains("stw_el_"), "The inviter must not see the proof: {shown}");
        let browser = Browser::new(app);
        for _ in 0..2 {
            let page = browser.open(&link).await;
            assert_eq!(page.heading(), "Join the team acme?", "{page}");
            for part in ["acme-owner@example.com", EMAIL, "viewer"] {
                assert!(page.text().contains(part), "{part}: {page}");
            }
        }
        let form = browser.open(&link_to(&browser.open(&link).await, "/auth/sign-up")).await;
        assert!(value(&form, "email") == EMAIL && form.text().contains("to join the team acme"), "{form}");
        let refused = browser.submit(&form, "/auth/sign-up", &[("password", "short")]).await;
        assert_eq!(refused.status, 400, "{refused}");
        // The address cannot be another one, whatever the browser sends.
        let fields = [("email", "other@example.com"), ("password", PASSWORD)];
        let page = browser.submit(&refused, "/auth/sign-up", &fields).await;
        assert!(page.is_at("/auth/invite") && page.text().contains(EMAIL), "{page}");
        let joined = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert_eq!(joined.heading(), "You joined the team acme", "{joined}");
        assert!(is_verified(app, EMAIL).await);
        let log = app.complete_log().await;
        let is_confirmation = |line: &&str| line.contains(EMAIL) && line.contains("verify_email");
        assert_eq!(log.lines().find(is_confirmation), None, "The address is confirmed already.");
        let again = Browser::new(app).open(&link).await;
        assert_eq!(again.heading(), "Sign in to view the invite", "{again}");
    }
}

on_sqlite! {
    async fn an_unconfirmed_account_joins_with_the_emailed_link(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("new").await;
        let (id, _) = invite(&world, EMAIL).await;
        let link = emailed(app, &format!("invite={id}.")).await;
        let browser = Browser::new(app);
        let form = browser.open("/auth/sign-in").await;
        browser.submit(&form, "/auth/sign-in", &[("login", EMAIL), ("password", PASSWORD)]).await;
        let without = browser.open(&format!("/auth/invite?invite={id}")).await;
        assert!(without.status == 404 && without.heading() == "Confirm your email address first", "{without}");
        assert_eq!(browser.open(&link).await.heading(), "Join the team acme?");
        assert!(!is_verified(app, EMAIL).await, "Opening the page must not confirm the address.");

        let browser = Browser::new(app);
        let form = browser.open(&link_to(&browser.open(&link).await, "/auth/sign-in")).await;
        assert_eq!(value(&form, "login"), EMAIL);
        let page = browser.submit(&form, "/auth/sign-in", &[("password", PASSWORD)]).await;
        assert!(page.heading() == "Join the team acme?" && is_verified(app, EMAIL).await, "{page}");
        let joined = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(joined.heading() == "You joined the team acme" && is_verified(app, EMAIL).await, "{joined}");
    }

    async fn any_one_account_joins_with_the_link_that_the_inviter_copies(app: &App) {
        let world = World::make(app, "acme").await;
        let (_, link) = invite(&world, EMAIL).await;
        let eve = app.person("eve").await;
        let browser = Browser::new(app);
        let offered = browser.open(&link).await;
        assert!(offered.heading() == "Join the team acme?" && !offered.text().contains(EMAIL), "{offered}");
        link_to(&offered, "/auth/sign-in");
        let form = browser.open(&link_to(&offered, "/auth/sign-up")).await;
        assert!(value(&form, "email").is_empty() && form.text().contains("to join the team acme"), "{form}");
        let fields = [("email", "bob@example.com"), ("password", PASSWORD)];
        let page = browser.submit(&form, "/auth/sign-up", &fields).await;
        assert!(page.is_at("/auth/invite") && !page.html.contains("value=\"decline\""), "Only the recipient declines: {page}");
        let joined = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert_eq!(joined.heading(), "You joined the team acme", "{joined}");
        assert!(!is_verified(app, "bob@example.com").await, "The inviter knows the link, so it must not confirm anything.");

        let other = Browser::new(app);
        assert_eq!(other.open(&link).await.heading(), "Sign in to view the invite", "It works once.");
        let form = other.open("/auth/sign-in").await;
        other.submit(&form, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await;
        assert_eq!(other.open(&link).await.status, 404);
        assert_eq!(eve.get("/team").await.ok()["data"], json!([]));
    }

    async fn the_link_that_the_inviter_copies_confirms_not_even_the_invited_address(app: &App) {
        let world = World::make(app, "acme").await;
        let (_, link) = invite(&world, EMAIL).await;
        app.person("new").await;
        let browser = Browser::new(app);
        let form = browser.open(&link_to(&browser.open(&link).await, "/auth/sign-in")).await;
        let page = browser.submit(&form, "/auth/sign-in", &[("login", EMAIL), ("password", PASSWORD)]).await;
        browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert!(!is_verified(app, EMAIL).await);
    }

    async fn a_copied_link_ends_with_its_invite_and_works_for_no_other(app: &App) {
        let world = World::make(app, "acme").await;
        let (id, first) = invite(&world, EMAIL).await;
        let (_, renewed) = invite(&world, EMAIL).await;
        let (other, _) = invite(&world, "other@example.com").await;
        let heading = async |link: &str| Browser::new(app).open(link).await.heading();
        assert_eq!(heading(&renewed).await, "Join the team acme?");
        for link in [first, renewed.replace(&id, &other), format!("{renewed}00")] {
            assert_eq!(heading(&link).await, "Sign in to view the invite", "{link}");
        }
        world.owner.delete(&format!("/team/{}/invite/{id}", world.team)).await.ok();
        assert_eq!(heading(&renewed).await, "Sign in to view the invite");
    }

    async fn only_the_inviter_copies_the_secret_and_renewing_replaces_it(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let path = format!("/team/{}/invite", world.team);
        for (email, roles) in [("o@example.com", "owner"), ("v@example.com", "viewer")] {
            world.owner.post(&path, json!({"email": email, "roles": roles})).await.created();
        }
        let have_secrets = |listed: &Body| {
            let links = listed["data"].as_array().unwrap().iter().map(|invite| invite["link"].as_str().unwrap());
            links.map(|link| link.rsplit("invite=").next().unwrap().contains('.')).collect::<Vec<_>>()
        };
        // Newest first.
        assert_eq!(have_secrets(&world.owner.get(&path).await.ok()), [true, true]);
        let listed = adam.get(&path).await.ok();
        assert_eq!(have_secrets(&listed), [false, false], "{listed:?}");
        let replaced = world.owner.get(&path).await.ok()["data"][0]["link"].as_str().unwrap().to_owned();
        adam.post(&path, json!({"email": "v@example.com", "roles": "viewer"})).await.created();
        assert_eq!(have_secrets(&adam.get(&path).await.ok()), [true, false]);
        assert_eq!(have_secrets(&world.owner.get(&path).await.ok()), [false, true]);
        assert_eq!(Browser::new(app).open(&replaced).await.heading(), "Sign in to view the invite");
        let by_name = json!({"username": "adam", "roles": "viewer"});
        world.owner.post(&path, by_name).await.refused(409, "already_member");
    }

    async fn another_account_is_told_so_and_can_switch(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("new").await;
        let (id, _) = invite(&world, EMAIL).await;
        let link = emailed(app, &format!("invite={id}.")).await;
        app.person("eve").await;
        let browser = Browser::new(app);
        let form = browser.open("/auth/sign-in").await;
        browser.submit(&form, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await;
        let other = browser.open(&link).await;
        assert_eq!(other.heading(), "This invite is for new@example.com", "{other}");
        for part in ["eve@example.com", "acme-owner@example.com", "acme"] {
            assert!(other.text().contains(part), "{part}: {other}");
        }
        let form = browser.submit(&other, "/auth/sign-out", &[]).await;
        assert!(form.is_at("/auth/sign-in") && value(&form, "login") == EMAIL, "{form}");
        let page = browser.submit(&form, "/auth/sign-in", &[("password", PASSWORD)]).await;
        assert_eq!(page.heading(), "Join the team acme?", "{page}");
    }

    async fn a_proof_ends_with_its_invite_and_works_for_no_other(app: &App) {
        let world = World::make(app, "acme").await;
        let (id, shown) = invite(&world, EMAIL).await;
        let first = emailed(app, &format!("invite={id}.")).await;
        assert_eq!(invite(&world, EMAIL).await.0, id, "The invite is renewed.");
        let renewed = emailed(app, &format!("invite={id}.")).await;
        assert_ne!(first, renewed);
        let (other, _) = invite(&world, "other@example.com").await;
        let foreign = renewed.replace(&id, &other);
        let generic = "Sign in to view the invite";
        let heading = async |link: &str| Browser::new(app).open(link).await.heading();
        for link in [&first, &foreign, &shown] {
            assert_eq!(heading(link).await, generic, "{link}");
        }
        assert_eq!(heading(&renewed).await, "Join the team acme?");
        assert_eq!(heading(&format!("{shown}.stw_el_x")).await, "This invite link is not valid");
        world.owner.delete(&format!("/team/{}/invite/{id}", world.team)).await.ok();
        assert_eq!(heading(&renewed).await, generic);
        // Who knows the invited address can sign up with it, and confirms nothing.
        let browser = Browser::new(app);
        let form = browser.open(&renewed.replace("/auth/invite", "/auth/sign-up")).await;
        browser.submit(&form, "/auth/sign-up", &[("email", EMAIL), ("password", PASSWORD)]).await;
        assert!(!is_verified(app, EMAIL).await);
    }
}

/// Runs a test on both databases with these settings.
macro_rules! with_policy {
    ($settings:expr; $($name:ident)+) => {$(
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$name(&App::start_with(Backend::Sqlite, $settings).await).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    super::super::$name(&App::start_with(Backend::Postgres, $settings).await).await;
                }
            }
        }
    )+};
}

with_policy! { &[("STEWARD_SIGNUP", "invite")]; who_knows_an_invited_address_gets_an_account_that_can_do_nothing }
with_policy! { &[("STEWARD_SIGNUP_DOMAINS", "example.com")]; an_invented_address_of_a_domain_opens_nothing }

async fn who_knows_an_invited_address_gets_an_account_that_can_do_nothing(app: &App) {
    let owner = app.verified_person("owner").await;
    let team = owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
    let invited = json!({"email": EMAIL, "roles": "viewer"});
    let id = owner.post(&format!("/team/{team}/invite"), invited).await.created().id();
    let browser = Browser::new(app);
    let form = browser.open("/auth/sign-up").await;
    let page = browser.submit(&form, "/auth/sign-up", &[("email", EMAIL), ("password", PASSWORD)]).await;
    assert_eq!(page.heading(), "Confirm your email address", "{page}");
    nothing_works(app, &browser).await;
    // An invite to this address does not open the service to another one.
    assert!(!page.links().contains(&"/console/account/email".to_owned()), "{page}");
    let form = browser.open("/console/account/email").await;
    let refused = browser.submit(&form, "/console/account/email", &[("email", "mine@example.org")]).await;
    assert!(refused.status == 403 && refused.text().contains("is not confirmed"), "{refused}");
    assert!(!app.complete_log().await.contains("mine@example.org"));
    // The emailed link confirms the address.
    let page = browser.open(&emailed(app, &format!("invite={id}.")).await).await;
    browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
    assert!(is_verified(app, EMAIL).await && browser.open("/console/account").await.heading() == "Your account");
}

async fn an_invented_address_of_a_domain_opens_nothing(app: &App) {
    let invented = json!({"email": EMAIL, "password": PASSWORD});
    app.anonymous().post("/auth/signup", invented).await.created();
    let browser = Browser::new(app);
    let form = browser.open("/auth/sign-in").await;
    let page = browser.submit(&form, "/auth/sign-in", &[("login", EMAIL), ("password", PASSWORD)]).await;
    assert_eq!(page.heading(), "Confirm your email address", "{page}");
    nothing_works(app, &browser).await;
    assert!(page.links().contains(&"/console/account/email".to_owned()), "{page}");
    let sent = browser.submit(&page, "/auth/verify-email/send", &[]).await;
    assert!(sent.text().contains("written to the log"), "{sent}");
    let page = browser.open(&emailed(app, "/auth/verify-email?token=").await).await;
    browser.submit(&page, "/auth/verify-email", &[]).await;
    assert!(is_verified(app, EMAIL).await && browser.open("/console/account").await.heading() == "Your account");
}

/// Checks that the account, which is signed in here, can only confirm or correct its address, and leave.
async fn nothing_works(app: &App, browser: &Browser) {
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let refused = app.anonymous().post("/auth/login", login).await.refused(403, "forbidden");
    assert!(refused["message"].as_str().unwrap().contains("not confirmed"), "{refused:?}");
    for path in ["/", "/console/start", "/console/account", "/console/account/tokens/new", "/console/teams/new"] {
        let page = browser.open(path).await;
        assert_eq!(page.heading(), "Confirm your email address", "{path}: {page}");
    }
    let token = app.run(&["token", "issue", "--email", EMAIL], "").await;
    app.bearer(String::from_utf8(token.stdout).unwrap().trim()).get("/team").await.refused(403, "forbidden");
    for path in ["/console/account/email", "/console/account/delete", "/auth/sign-out"] {
        let page = browser.open(path).await;
        assert!(page.status == 200 && page.is_at(path), "{path}: {page}");
    }
}
