//! Account commands of the CLI, run next to a running service.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, Browser, Client, PASSWORD, World, eventually, on_both_in_full};

/// Runs a command that must succeed. Returns the JSON values that it printed, one per line.
async fn command(app: &App, arguments: &[&str], input: &str) -> Vec<Value> {
    let output = app.run(arguments, input).await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a command that must fail. Returns its standard error.
async fn failure(app: &App, arguments: &[&str], input: &str) -> String {
    let output = app.run(arguments, input).await;
    assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

async fn log_in(app: &App, username: &str, password: &str) -> steward_tests::Answer {
    app.anonymous().post("/auth/login", json!({"username": username, "password": password})).await
}

async fn personal_token(app: &App, person: &Actor) -> Actor {
    #[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let expires_at = (now + chrono::TimeDelta::days(1)).to_rfc3339();
    let request = json!({"label": "laptop", "roles": "owner", "expires_at": expires_at});
    let created = person.post("/auth/pat", request).await.created();
    app.bearer(created["data"]["value"].as_str().unwrap())
}

on_both_in_full! {
    async fn a_disabled_account_is_refused_at_its_next_request_and_its_keys_stay_valid(app: &App) {
        let world = World::make(app, "acme").await;
        let ann = world.member(app, "ann", "admin").await;
        let key = json!({"label": "ci", "roles": "read"});
        let key = ann.post(&format!("/project/{}/key", world.project), key).await.ok();
        let key = app.bearer(key["key"]["value"].as_str().unwrap());
        let personal = personal_token(app, &ann).await;
        let issued = app.run(&["token", "issue", "--email", "ann@example.com"], "").await;
        let issued = app.bearer(String::from_utf8(issued.stdout).unwrap().trim());
        let client = Client::of(app, &world);
        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[]).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        let user = app.bearer(tokens["access_token"].as_str().unwrap());
        let unredeemed = client.code(&browser, "ann", &[]).await;
        let session = log_in(app, "ann", PASSWORD).await.ok();
        let team = format!("/team/{}", world.team);
        for caller in [&ann, &personal, &issued] {
            caller.get(&team).await.ok();
        }
        user.get("/auth/userinfo").await.ok();

        let disabled = command(app, &["account", "disable", "--email", "ANN@example.com"], "").await;
        assert!(disabled[0]["disabled_at"].is_string(), "{disabled:?}");
        for caller in [&ann, &personal, &issued] {
            caller.get(&team).await.refused(401, "unauthorized");
        }
        user.get("/auth/userinfo").await.refused(401, "unauthorized");
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        client.refresh(session["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        client.redeem(&unredeemed, &[]).await.refused(400, "invalid_grant");
        let correct_password = log_in(app, "ann", PASSWORD).await.refused(401, "invalid_credentials");
        let wrong_password = log_in(app, "ann", "wrong horse battery").await.refused(401, "invalid_credentials");
        assert_eq!(correct_password["message"], wrong_password["message"]);
        assert!(browser.open("/console/account/sessions").await.is_at("/auth/sign-in"), "The browser must be signed out.");
        let token = json!({"token": ann.credential});
        let connect = format!("/project/{}/user/connect", world.project);
        app.anonymous().post(&connect, token).await.refused(401, "unauthorized");
        let refused = failure(app, &["token", "issue", "--email", "ann@example.com"], "").await;
        assert!(refused.contains("disabled"), "{refused}");
        failure(app, &["user", "connect", "--project", &world.project, "--email", "ann@example.com"], "").await;
        key.get(&format!("/project/{}", world.project)).await.ok();

        let enabled = command(app, &["account", "enable", "--email", "ann@example.com"], "").await;
        assert_eq!(enabled[0]["disabled_at"], Value::Null);
        for caller in [&ann, &personal, &issued] {
            caller.get(&team).await.ok();
        }
        user.get("/auth/userinfo").await.ok();
        log_in(app, "ann", PASSWORD).await.ok();
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.ok();
        failure(app, &["account", "disable", "--email", "nobody@example.com"], "").await;
    }

    async fn a_password_set_by_the_operator_ends_all_sessions(app: &App) {
        let ann = app.person("ann").await;
        let set = ["account", "set-password", "--email", "ann@example.com"];
        assert!(failure(app, &set, "").await.contains("standard input"));
        assert!(failure(app, &set, "short\n").await.contains("password"));
        ann.get("/team/").await.ok();
        let printed = command(app, &set, "another horse battery\n").await;
        assert!(!printed[0].to_string().contains("another"), "{printed:?}");
        ann.get("/team/").await.refused(401, "unauthorized");
        log_in(app, "ann", PASSWORD).await.refused(401, "invalid_credentials");
        log_in(app, "ann", "another horse battery").await.ok();
    }

    async fn accounts_are_listed_one_per_line_and_filtered_by_email(app: &App) {
        for name in ["ann", "bob", "b_b", "cyd"] {
            app.provision(name).await;
        }
        command(app, &["account", "disable", "--email", "cyd@example.com"], "").await;
        let emails = async |arguments: &[&str]| {
            let listed = command(app, &[&["account", "list"], arguments].concat(), "").await;
            listed.iter().map(|account| account["email"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(emails(&[]).await, ["ann@example.com", "bob@example.com", "b_b@example.com", "cyd@example.com"]);
        assert_eq!(emails(&["--email", "B_"]).await, ["b_b@example.com"], "`_` is not a wildcard.");
        assert_eq!(emails(&["--disabled"]).await, ["cyd@example.com"]);
        assert_eq!(emails(&["--email", "nobody"]).await, Vec::<String>::new());
    }

    async fn a_deleted_account_leaves_no_personal_data(app: &App) {
        let world = World::make(app, "acme").await;
        let email = "acme-owner@example.com";
        let refused = failure(app, &["account", "delete", "--yes", "--email", email], "").await;
        assert!(refused.contains("acme"), "The message must name the team: {refused}");
        world.owner.get("/team/").await.ok();

        let successor = world.member(app, "successor", "admin").await;
        let roles = json!({"roles": "owner"});
        world.owner.patch(&format!("/team/{}/member/{}", world.team, successor.id), roles).await.ok();
        let token = json!({"token": world.owner.credential});
        let connect = format!("/project/{}/user/connect", world.project);
        app.anonymous().post(&connect, token).await.ok();
        let users = format!("/project/{}/user", world.project);
        assert_eq!(successor.get(&users).await.ok()["data"].as_array().unwrap().len(), 2);
        command(app, &["account", "disable", "--email", email], "").await;
        let unconfirmed = failure(app, &["account", "delete", "--email", email], "").await;
        assert!(unconfirmed.contains("Pass --yes to confirm."), "{unconfirmed}");
        let deleted = command(app, &["account", "delete", "--yes", "--email", email], "").await;
        assert_eq!(deleted[0]["id"], json!(world.owner.id));

        world.owner.get("/team/").await.refused(401, "unauthorized");
        let members = successor.get(&format!("/team/{}/member", world.team)).await.ok();
        assert_eq!(members["data"].as_array().unwrap().len(), 1);
        assert_eq!(successor.get(&format!("/team/{}", world.team)).await.ok()["data"]["owner_id"], json!(successor.id));
        let remaining = successor.get(&users).await.ok();
        assert_eq!(remaining["data"].as_array().unwrap().len(), 1, "The project's user must be deleted.");
        world.key.get(&format!("/project/{}", world.project)).await.ok();
        let log = successor.get(&format!("/team/{}/audit", world.team)).await.ok();
        let removal = log["data"].as_array().unwrap().iter().find(|event| event["action"] == "member.deleted").unwrap();
        assert_eq!((&removal["actor"]["type"], &removal["target"]["id"]), (&json!("system"), &json!(world.owner.id)));
        let hex = world.owner.id.replace('-', "");
        app.anonymous().get(&format!("/u/{hex}/did.json")).await.is_not_found();
        assert!(app.run(&["audit", "verify"], "").await.status.success(), "All hash chains must be intact.");
        // SQLite keeps deleted data in its file until the space is reused.
        if !app.directory().join("steward.db").exists() {
            let stored = String::from_utf8_lossy(&app.stored()).into_owned();
            assert!(!stored.contains(email), "{:?}", stored.lines().find(|line| line.contains(email)));
        }
        app.person("acme-owner").await;
        failure(app, &["account", "delete", "--yes", "--email", "nobody@example.com"], "").await;
    }

    async fn a_started_deletion_continues_in_the_background(app: &App) {
        let world = World::make(app, "acme").await;
        let leaving = world.member(app, "leaving", "admin").await;
        let token = json!({"token": leaving.credential});
        app.anonymous().post(&format!("/project/{}/user/connect", world.project), token).await.ok();
        let started_at = |at: &str| {
            let set = format!("disabled_at = '{at}', deletion_started_at = '{at}'");
            app.execute_sql(&format!("UPDATE accounts SET {set} WHERE email_folded = 'leaving@example.com'"));
        };
        started_at("2100-01-01T00:00:00.000000Z");
        let refused = failure(app, &["account", "enable", "--email", "leaving@example.com"], "").await;
        assert!(refused.contains("being deleted"), "{refused}");

        started_at("2020-01-01T00:00:00.000000Z");
        let find = ["account", "list", "--email", "leaving"];
        eventually(async || command(app, &find, "").await.is_empty().then_some(())).await;
        let members = world.owner.get(&format!("/team/{}/member", world.team)).await.ok();
        assert_eq!(members["data"].as_array().unwrap().len(), 1);
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let users: Vec<&Value> = users["data"].as_array().unwrap().iter().map(|user| &user["id"]).collect();
        assert_eq!(users, [&json!(world.user)], "Only the project's other user must remain.");
        app.person("leaving").await;
    }

    async fn commands_work_while_the_service_writes_continuously(app: &App) {
        let world = Arc::new(World::make(app, "acme").await);
        let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let writers: Vec<_> = (0..12)
            .map(|writer| {
                let (world, stop, written) = (world.clone(), stop.clone(), written.clone());
                tokio::spawn(async move {
                    let mut number = 0_u32;
                    while !stop.load(Ordering::Relaxed) {
                        let item = world.item(&format!("{writer}-{}", number % 50));
                        let response = world.key.put(&item, json!({"value": {"title": "x".repeat(1000)}})).await;
                        assert!(response.status.is_success(), "{response}");
                        written.fetch_add(1, Ordering::Relaxed);
                        number += 1;
                    }
                })
            })
            .collect();
        let (mut round, deadline) = (0, Instant::now() + Duration::from_secs(60));
        // On a busy machine, the first rounds may end before the service has written enough.
        while round < 6 || written.load(Ordering::Relaxed) <= 100 && Instant::now() < deadline {
            let email = format!("person-{round}@example.com");
            command(app, &["account", "create", "--email", &email], PASSWORD).await;
            command(app, &["account", "disable", "--email", &email], "").await;
            round += 1;
        }
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.unwrap();
        }
        let written = written.load(Ordering::Relaxed);
        assert!(written > 100, "The service wrote only {written} items during the test.");
    }

    async fn only_serve_and_migrate_change_the_tables(app: &App) {
        let elsewhere = app.directory().join("elsewhere").display().to_string();
        let settings = [("DATABASE_URL", "sqlite://other.db"), ("STEWARD_DATA_DIR", elsewhere.as_str())];
        for arguments in [["account", "list"], ["keys", "rotate-pepper"]] {
            let output = app.run_with(&arguments, &settings).await;
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && stderr.contains("steward migrate"), "{stderr}");
        }
        assert!(!std::path::Path::new(&elsewhere).exists());
        assert!(app.run_with(&["migrate"], &settings).await.status.success());
        assert!(app.run_with(&["account", "list"], &settings).await.status.success());
    }
}

fn sign_up(username: &str, domain: &str) -> Value {
    json!({"email": format!("{username}@{domain}"), "password": PASSWORD, "username": username})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_closed_sign_up_only_the_operator_creates_accounts() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_SIGNUP", "closed")]).await;
    app.anonymous().post("/auth/signup", sign_up("eve", "example.com")).await.refused(403, "signup_closed");
    let browser = Browser::new(&app);
    let page = browser.open("/auth/sign-up").await;
    assert!(page.status == 403 && page.text().contains("operator"), "{page}");
    assert!(!browser.open("/auth/sign-in").await.html.contains("/auth/sign-up"));
    app.verified_person("ann").await.get("/team/").await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_sign_up_by_invite_only_invited_addresses_can_sign_up() {
    let app = App::start_with(Backend::Postgres, &[("STEWARD_SIGNUP", "invite")]).await;
    let owner = app.verified_person("owner").await;
    let team = owner.post("/team/", json!({"name": "acme", "slug": "acme"})).await.created().id();
    let eve = sign_up("eve", "example.com");
    app.anonymous().post("/auth/signup", eve.clone()).await.refused(403, "signup_closed");
    let browser = Browser::new(&app);
    let page = browser.open("/auth/sign-up").await;
    let fields = [("email", "eve@example.com"), ("password", PASSWORD)];
    let page = browser.submit(&page, "/auth/sign-up", &fields).await;
    assert!(page.status == 403 && page.text().contains("requires an invite"), "{page}");

    let invite = json!({"email": "Eve@Example.com", "roles": "viewer"});
    let invite = owner.post(&format!("/team/{team}/invite"), invite).await.created().id();
    app.anonymous().post("/auth/signup", eve).await.created();
    let invite_of_bob = json!({"email": "bob@example.com", "roles": "viewer"});
    let invite_of_bob = owner.post(&format!("/team/{team}/invite"), invite_of_bob).await.created().id();
    assert_ne!(invite, invite_of_bob);
    owner.delete(&format!("/team/{team}/invite/{invite_of_bob}")).await.ok();
    app.anonymous().post("/auth/signup", sign_up("bob", "example.com")).await.refused(403, "signup_closed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_addresses_of_the_allowed_domains_can_sign_up() {
    let domains = [("STEWARD_SIGNUP_DOMAINS", "acme.example, Other.example")];
    let app = App::start_with(Backend::Sqlite, &domains).await;
    app.anonymous().post("/auth/signup", sign_up("ann", "ACME.example")).await.created();
    let refused = app.anonymous().post("/auth/signup", sign_up("eve", "sub.acme.example")).await;
    let refused = refused.refused(403, "signup_closed");
    assert!(refused["message"].as_str().unwrap().contains("acme.example, other.example"));
    app.provision("bob").await;
}
