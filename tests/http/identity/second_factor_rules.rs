//! Rules that require a second factor: of a team, of a project, and of the service. From its date on, people who do not
//! meet a rule are led to the setup, and until then reminded.

use serde_json::json;
use steward_tests::{
    Actor, App, Authenticator, Backend, Browser, Client, PASSWORD, PasskeyDevice, World, on_both_in_full, on_sqlite,
    parameter,
};

const INSUFFICIENT: &str = "insufficient_user_authentication";
const TWO_FACTOR: &str = "/console/account/two-factor";
const PAST: &str = "2026-01-01";
const FUTURE: &str = "2199-01-01";

/// Panics unless the caller is asked for a second factor, with this text.
async fn is_asked(caller: &Actor, path: &str, text: &str) {
    let response = caller.get(path).await;
    let challenge = response.header("www-authenticate").to_owned();
    let body = response.refused(401, INSUFFICIENT);
    assert!(challenge.contains("acr_values=\"aal2\"") && body["message"].as_str().unwrap().contains(text), "{body:?}");
}

/// Changes the rule of the world's team on its page.
async fn require(browser: &Browser, world: &World, from: &str) {
    let address = format!("/console/teams/{}/settings", world.team);
    let page = browser.open(&address).await;
    let changed = browser.submit(&page, &address, &[("second_factor_from", from)]).await;
    assert!(changed.text().contains("The team was changed."), "{changed}");
}

/// Reads a list in pages of one entry. Returns the IDs.
async fn listed(caller: &Actor, path: &str) -> Vec<String> {
    let (mut ids, mut next) = (Vec::new(), format!("{path}?limit=1"));
    loop {
        let page = caller.get(&next).await.ok();
        assert_eq!(page["data"].as_array().unwrap().len(), 1, "{page:?}");
        ids.push(page["data"][0]["id"].as_str().unwrap().to_owned());
        let Some(cursor) = page["next_cursor"].as_str() else { return ids };
        next = format!("{path}?limit=1&cursor={cursor}");
    }
}

on_both_in_full! {
    async fn lists_leave_out_what_the_rule_of_a_team_closes(app: &App) {
        let (closed, open) = (World::make(app, "acme").await, World::make(app, "zeta").await);
        let dev = closed.member(app, "dev", "developer").await;
        closed.member(app, "solo", "viewer").await;
        let invite = json!({"username": "dev", "roles": "developer"});
        let invite = open.owner.post(&format!("/team/{}/invite", open.team), invite).await.created().id();
        dev.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        let token = json!({"label": "ci", "roles": "developer", "expires_at": "2027-01-01T00:00:00Z"});
        let token = dev.post("/auth/pat", token).await.created();
        let personal = app.bearer(token["data"]["value"].as_str().unwrap());
        let (owner, devs) = (Browser::signed_in(app, "acme-owner").await, Browser::signed_in(app, "dev").await);
        Authenticator::set_up(&owner).await;

        for (from, is_listed) in [(FUTURE, true), (PAST, false)] {
            require(&owner, &closed, from).await;
            let lists = [("/team", &closed.team, &open.team), ("/project", &closed.project, &open.project)];
            for (path, own, other) in lists {
                for caller in [&dev, &personal] {
                    let found = listed(caller, path).await;
                    assert_eq!((found.contains(own), found.contains(other)), (is_listed, true), "{path}: {found:?}");
                }
            }
            let search = "/console/search?q=acme-visitor";
            for path in ["/", search, "/console/account/tokens/new", "/docs/reference/createKey"] {
                let page = devs.open(path).await;
                let shows = |world: &World| page.html.contains(&world.team) || page.html.contains(&world.project);
                assert_eq!((page.status.as_u16(), shows(&closed), shows(&open)), (200, is_listed, true), "{page}");
            }
            // The person learns why.
            let page = devs.open("/").await;
            assert!(page.text().contains("the team acme requires a second factor"), "{page}");
        }
        let page = Browser::signed_in(app, "solo").await.open("/").await;
        assert!(page.is_at("/") && page.text().contains("Your teams require a second factor"), "{page}");
        Authenticator::set_up(&devs).await;
        assert!(devs.open("/").await.html.contains(&closed.team));
    }
}

on_sqlite! {
    async fn a_team_requires_a_second_factor_of_its_members(app: &App) {
        let world = World::make(app, "acme").await;
        let dev = world.member(app, "dev", "developer").await;
        let token = json!({"label": "ci", "roles": "developer", "expires_at": "2027-01-01T00:00:00Z"});
        let token = dev.post("/auth/pat", token).await.created();
        let personal = app.bearer(token["data"]["value"].as_str().unwrap());
        let (team, item) = (format!("/team/{}", world.team), world.item("a"));
        world.key.put(&item, json!({"value": {"title": "A"}})).await.created();

        // A person who uses none cannot require one of others.
        world.owner.patch(&team, json!({"second_factor_from": PAST})).await.refused(401, INSUFFICIENT);
        let invalid = world.owner.patch(&team, json!({"second_factor_from": "soon"})).await;
        invalid.refused(400, "invalid_request");
        let browser = Browser::signed_in(app, "acme-owner").await;
        Authenticator::set_up(&browser).await;

        require(&browser, &world, FUTURE).await;
        assert_eq!(dev.get(&team).await.ok()["data"]["second_factor_from"], "2199-01-01T00:00:00.000000Z");
        dev.get(&item).await.ok();
        let devs = Browser::signed_in(app, "dev").await;
        let page = devs.open(&format!("/console/teams/{}", world.team)).await;
        assert!(page.text().contains("the team acme requires a second factor"), "{page}");

        require(&browser, &world, PAST).await;
        for (caller, path) in [(&dev, &team), (&dev, &item), (&personal, &team), (&personal, &item)] {
            is_asked(caller, path, "Set up an authenticator app or a passkey").await;
        }
        dev.put(&item, json!({"value": {"title": "B"}})).await.refused(401, INSUFFICIENT);
        world.key.get(&item).await.ok();
        world.visitor.get("/team/").await.ok();
        // The owner signed in with the password only.
        is_asked(&world.owner, &team, "A sign-in with your second factor").await;
        let refused = devs.open(&format!("/console/teams/{}", world.team)).await;
        assert_eq!(refused.heading(), "Set up a second factor", "{refused}");
        assert!(refused.links().contains(&TWO_FACTOR.to_owned()), "{refused}");
        let found = devs.open("/console/search?q=acme-visitor").await;
        assert!(found.status == 200 && !found.html.contains(&world.user), "{found}");

        Authenticator::set_up(&devs).await;
        let page = devs.open(&format!("/console/teams/{}", world.team)).await;
        assert!(page.status == 200 && !page.text().contains("requires a second factor"), "{page}");
        let found = devs.open("/console/search?q=acme-visitor").await;
        assert!(found.html.contains(&world.user), "{found}");
        is_asked(&dev, &team, "A sign-in with your second factor").await;
        personal.get(&item).await.ok();

        // A person who removes the app does not meet the rule any more.
        let remove = format!("{TWO_FACTOR}/app/remove");
        devs.submit(&devs.open(&remove).await, &remove, &[]).await;
        is_asked(&personal, &item, "Set up an authenticator app or a passkey").await;
        require(&browser, &world, "").await;
        dev.get(&team).await.ok();
        personal.get(&item).await.ok();
    }

    async fn to_require_it_later_needs_a_recent_sign_in(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = Browser::signed_in(app, "acme-owner").await;
        Authenticator::set_up(&browser).await;
        require(&browser, &world, "2198-01-01").await;
        app.age_sign_ins(&world.owner.id);
        app.age_sessions();
        require(&browser, &world, "2197-01-01").await;
        let address = format!("/console/teams/{}/settings", world.team);
        let page = browser.open(&address).await;
        let asked = browser.submit(&page, &address, &[("second_factor_from", "")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let later = world.owner.patch(&format!("/team/{}", world.team), json!({"second_factor_from": null})).await;
        later.refused(401, INSUFFICIENT);
    }

    async fn a_new_passkey_meets_a_rule_and_a_confirmation_with_the_password_does_not_end_that(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "dev", "developer").await;
        let (owner, dev) = (Browser::signed_in(app, "acme-owner").await, Browser::signed_in(app, "dev").await);
        Authenticator::set_up(&owner).await;
        require(&owner, &world, PAST).await;
        let team = format!("/console/teams/{}", world.team);
        assert_eq!(dev.open(&team).await.heading(), "Set up a second factor");
        PasskeyDevice::new(app).set_up(&dev, "Phone").await;
        assert_eq!(dev.open(&team).await.status, 200);

        app.age_sessions();
        let address = "/console/account/two-factor/app";
        let asked = dev.submit(&dev.open(address).await, address, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let confirmed = dev.submit(&asked, address, &[("confirm_password", PASSWORD)]).await;
        assert_ne!(confirmed.heading(), "Confirm that it is you", "{confirmed}");
        assert_eq!(dev.open(&team).await.status, 200);
    }

    async fn a_project_requires_a_second_factor_of_its_users(app: &App) {
        let world = World::make(app, "acme").await;
        let (settings, client) = (format!("/project/{}/settings", world.project), Client::of(app, &world));
        app.person("ann").await;
        let before = client.tokens(app, "ann", &[("scope", "openid offline_access")]).await;
        let rule = async |from: Option<&str>| {
            let changed = world.owner.patch(&settings, json!({"auth": {"second_factor_from": from}})).await;
            changed.ok()
        };

        assert_eq!(rule(Some(FUTURE)).await["data"]["auth"]["second_factor_from"], "2199-01-01T00:00:00.000000Z");
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[])).await;
        let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert_eq!(page.heading(), "Set up a second factor", "{page}");
        assert!(page.text().contains("From 1 January 2199"), "{page}");
        let later = page.links().into_iter().find(|link| link.contains("second_factor=later")).unwrap();
        let page = browser.allow(browser.open(&later).await, "ann").await;
        assert!(page.left && parameter(page.url.as_str(), "code").is_some(), "{page}");
        // A person who did not sign in for the request is not reminded.
        let page = browser.allow(browser.open(&client.authorize(&[])).await, "ann").await;
        assert!(page.left, "{page}");
        let renewed = client.refresh(before["refresh_token"].as_str().unwrap()).await.ok();
        let code = client.code(&browser, "ann", &[]).await;

        rule(Some(PAST)).await;
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
        client.refresh(renewed["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        let silent = browser.open(&client.authorize(&[("prompt", "none")])).await;
        assert_eq!(parameter(silent.url.as_str(), "error").as_deref(), Some("interaction_required"));
        let page = browser.open(&client.authorize(&[])).await;
        assert!(page.heading() == "Set up a second factor" && !page.html.contains("second_factor=later"), "{page}");
        let id = parameter(page.url.as_str(), "request").unwrap();
        // Neither a link nor a form leads past the page.
        let forced = browser.open(&format!("/auth/consent?request={id}&second_factor=later")).await;
        assert_eq!(forced.heading(), "Set up a second factor", "{forced}");
        let (authenticator, _) = Authenticator::set_up(&browser).await;
        let page = browser.allow(browser.open(&format!("/auth/consent?request={id}")).await, "ann").await;
        let code = parameter(page.url.as_str(), "code").unwrap();
        let tokens = client.redeem(&code, &[]).await.ok();
        assert_eq!(crate::identity::second_factors::claims(&tokens["id_token"])["acr"], "aal2");

        // Another browser asks for the code at once.
        app.forget_used_codes();
        let other = Browser::new(app);
        let page = other.open(&client.authorize(&[])).await;
        let page = other.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        let page = other.submit(&page, "/auth/second-factor", &[("code", &authenticator.code(0))]).await;
        assert!(other.allow(page, "ann").await.left);
        rule(None).await;
        app.person("bob").await;
        client.tokens(app, "bob", &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_requires_a_second_factor_of_operators() {
    for (from, is_due) in [(FUTURE, false), (PAST, true)] {
        let rule = [("STEWARD_SECOND_FACTOR", "operators"), ("STEWARD_SECOND_FACTOR_FROM", from)];
        let app = App::start_with(Backend::Sqlite, &rule).await;
        let (ann, bob) = (app.verified_person("ann").await, app.verified_person("bob").await);
        let token = json!({"label": "ci", "roles": "viewer", "expires_at": "2027-01-01T00:00:00Z"});
        let token = ann.post("/auth/pat", token).await.created();
        let personal = app.bearer(token["data"]["value"].as_str().unwrap());
        let added = app.run(&["account", "operator", "add", "--email", "ann@example.com"], "").await;
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        bob.get("/team/").await.ok();
        assert_eq!(Browser::signed_in(&app, "bob").await.open("/console/start").await.status, 200);
        let page = Browser::signed_in(&app, "ann").await.open("/console/operator").await;
        if is_due {
            for caller in [&ann, &personal] {
                is_asked(caller, "/team/", "Set up an authenticator app or a passkey").await;
            }
            assert_eq!(page.heading(), "Set up a second factor", "{page}");
        } else {
            ann.get("/team/").await.ok();
            personal.get("/team/").await.ok();
            assert!(page.text().contains("this service requires a second factor"), "{page}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_requires_a_second_factor() {
    let everyone = App::start_with(Backend::Postgres, &[("STEWARD_SECOND_FACTOR", "everyone")]).await;
    everyone.provision("ann").await;
    let login = json!({"username": "ann", "password": PASSWORD});
    everyone.anonymous().post("/auth/login", login).await.refused(401, INSUFFICIENT);
    let browser = Browser::signed_in(&everyone, "ann").await;
    let page = browser.open("/console/start").await;
    assert_eq!(page.heading(), "Set up a second factor", "{page}");
    let (authenticator, _) = Authenticator::set_up(&browser).await;
    assert_eq!(browser.open("/console/start").await.status, 200);

    // A session without it has to sign in again, and returns to its page.
    everyone.execute_sql("UPDATE sessions SET methods = 'password'");
    let page = browser.open("/console/account").await;
    assert!(page.is_at("/auth/sign-in"), "{page}");
    everyone.forget_used_codes();
    let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
    let page = browser.submit(&page, "/auth/second-factor", &[("code", &authenticator.code(0))]).await;
    assert!(page.is_at("/console/account"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_without_a_confirmed_address_can_correct_it() {
    let rules = [("STEWARD_SECOND_FACTOR", "everyone"), ("STEWARD_SIGNUP_DOMAINS", "example.com")];
    let app = App::start_with(Backend::Sqlite, &rules).await;
    let signup = json!({"email": "ann@example.com", "password": PASSWORD, "username": "ann", "name": "Ann"});
    app.anonymous().post("/auth/signup", signup).await.created();
    let browser = Browser::signed_in(&app, "ann").await;
    assert_eq!(browser.open("/console/account/email").await.heading(), "Change your email address");
    assert_eq!(browser.open("/console/start").await.heading(), "Confirm your email address");
    app.execute_sql("UPDATE accounts SET email_verified = true");
    for page in ["/console/account/email", "/console/start"] {
        assert_eq!(browser.open(page).await.heading(), "Set up a second factor", "{page}");
    }
}
