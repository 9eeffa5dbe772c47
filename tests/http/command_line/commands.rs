//! Commands of the CLI, run next to a running service.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, World, eventually, on_both_in_full, on_sqlite, parameter};
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// Starts `steward login`. Returns the process and the authorization URL that it prints.
pub async fn start_login(app: &App, file: &str) -> (tokio::process::Child, String) {
    let arguments = ["login", "--no-browser", "--server", &app.base, "--credentials", file];
    let mut process = app.spawn(&arguments);
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("`steward login` printed no authorization URL.");
        if line.contains("/auth/authorize?") {
            break line.trim().to_owned();
        }
    };
    // Drain the rest of the output so that the pipe cannot fill up.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (process, address)
}

/// Opens an address of `steward login` as a browser does: again if the command closed the connection because the
/// request did not arrive within a second.
pub async fn open_loopback(address: &str) -> reqwest::StatusCode {
    eventually(async || reqwest::get(address).await.ok().map(|response| response.status())).await
}

on_both_in_full! {
    async fn an_account_created_with_the_cli_can_sign_in(app: &App) {
        let given = app.run(&["account", "create", "--email", "ann@example.com"], "correct horse battery\n").await;
        assert!(given.status.success(), "{}", String::from_utf8_lossy(&given.stderr));
        let account: Value = serde_json::from_slice(&given.stdout).unwrap();
        assert_eq!((&account["email"], account.get("password")), (&json!("ann@example.com"), None));

        let generated = app.run(&["account", "create", "--email", "bob@example.com", "--name", "Bob"], "").await;
        let account: Value = serde_json::from_slice(&generated.stdout).unwrap();
        let login = json!({"email": "bob@example.com", "password": account["password"]});
        let session = app.anonymous().post("/auth/login", login).await.ok();
        let info = app.bearer(session["access_token"].as_str().unwrap()).get("/auth/userinfo").await.ok();
        assert_eq!((&info["email_verified"], &info["name"]), (&json!(true), &json!("Bob")));

        let again = app.run(&["account", "create", "--email", "BOB@example.com"], "").await;
        assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("email"));
        let invalid = app.run(&["account", "create", "--email", "nobody"], "short").await;
        let stderr = String::from_utf8_lossy(&invalid.stderr).into_owned();
        assert!(!invalid.status.success() && stderr.contains("email") && stderr.contains("password"), "{stderr}");
    }

    async fn doctor_reports_no_problems_and_a_second_migrate_succeeds(app: &App) {
        let output = app.run(&["doctor"], "").await;
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && !report.contains("FAILED"), "{report}");
        assert!(report.contains("database") && report.contains("keys") && report.contains("clock"), "{report}");
        assert!(app.run(&["migrate"], "").await.status.success());
    }
}

on_sqlite! {
    async fn token_issue_prints_only_a_valid_token(app: &App) {
        app.provision("ann").await;
        let output = app.run(&["token", "issue", "--email", "ann@example.com", "--ttl", "60"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let token = String::from_utf8(output.stdout).unwrap();
        assert_eq!(token.lines().count(), 1);
        app.bearer(token.trim()).get("/auth/userinfo").await.ok();
        assert!(!app.run(&["token", "issue", "--email", "nobody@example.com"], "").await.status.success());
        assert!(!app.run(&["token", "issue", "--email", "ann@example.com", "--ttl", "0"], "").await.status.success());
    }

    async fn user_connect_prints_the_user_id(app: &App) {
        let world = World::make(app, "acme").await;
        app.provision("una").await;
        let output = app.run(&["user", "connect", "--project", &world.project, "--email", "una@example.com"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let id = String::from_utf8(output.stdout).unwrap();
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["id"], json!(id.trim()));
        let unknown_project = app.run(&["user", "connect", "--project", "x", "--email", "una@example.com"], "").await;
        assert!(!unknown_project.status.success());
    }

    async fn the_printed_openapi_document_equals_the_served_one(app: &App) {
        let printed = app.run(&["openapi"], "").await;
        let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert!(printed == app.anonymous().get("/docs/json").await.json());
        let committed = include_str!("../../../docs/openapi.json");
        let committed: serde_json::Value = serde_json::from_str(committed).unwrap();
        assert!(printed == committed, "docs/openapi.json is out of date. Run `make generate`.");
    }

    async fn settings_are_read_from_a_file_and_unknown_settings_cause_a_warning(app: &App) {
        let path = app.directory().join("steward.toml");
        let with_file = async |text: &str| {
            std::fs::write(&path, text).unwrap();
            let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", path.to_str().unwrap())]).await;
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert!(with_file("env = \"from a file\"\ndatabase_workers = 3\n").await.0);
        for (text, expected) in [
            ("signing_algorithm = \"HS256\"", "STEWARD_SIGNING_ALGORITHM"),
            ("signing_algorithm = [1]", "signing_algorithm"),
            ("= 1", "TOML"),
        ] {
            let (valid, error) = with_file(text).await;
            assert!(!valid && error.contains(expected), "{text}: {error}");
        }
        let (valid, stderr) = with_file("colour = \"red\"\ndatabase_worker = 3\n").await;
        assert!(valid && stderr.contains("STEWARD_COLOUR"), "{stderr}");
        assert!(stderr.contains("mean STEWARD_DATABASE_WORKERS?"), "{stderr}");
        let output = app.run_with(&["doctor"], &[("STEWARD_PUBLIC_URI", "red"), ("STEWARD_LOG_FORMAT", "text")]).await;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && stderr.contains("mean STEWARD_PUBLIC_URL?"), "{stderr}");
        let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", "/nowhere.toml")]).await;
        assert!(!output.status.success());
    }

    async fn parameters_of_a_sqlite_url_are_no_part_of_the_name_of_the_file(app: &App) {
        let directory = app.directory().display().to_string();
        let run = async |command: &str, url: &str| {
            let settings = [("DATABASE_URL", url), ("STEWARD_DATA_DIR", directory.as_str())];
            let output = app.run_with(&[command], &settings).await;
            let text = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8_lossy(&text).into_owned())
        };
        for url in ["sqlite://named%20so.db?mode=rwc".to_owned(), format!("sqlite://{directory}/named%20so.db")] {
            let (succeeds, output) = run("migrate", &url).await;
            assert!(succeeds, "{output}");
            assert!(app.directory().join("named so.db").exists() && !app.directory().join(&url[9..]).exists());
        }
        let (succeeds, output) = run("migrate", "sqlite://named%20so.db?cache=shared").await;
        assert!(!succeeds && output.contains("DATABASE_URL has the parameter \"cache\""), "{output}");
        let (succeeds, output) = run("migrate", "sqlite://misspelled.db").await;
        assert!(succeeds && output.contains("beside named so.db"), "{output}");
    }

    async fn a_person_signs_in_and_out_with_the_cli(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("cli").join("credentials.json").display().to_string();
        let (mut process, address) = start_login(app, &file).await;
        let browser = Browser::new(app);
        let back = browser.sign_in_and_allow(&address, "ann").await;
        let wrong_state = back.replace(&parameter(&back, "state").unwrap(), "guessed");
        assert_eq!(open_loopback(&wrong_state).await, 404, "A wrong `state` must be refused.");
        assert_eq!(open_loopback(&back).await, 200);
        assert!(process.wait().await.unwrap().success());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

        let whoami = app.run(&["whoami", "--credentials", &file], "").await;
        let person: Value = serde_json::from_slice(&whoami.stdout).unwrap();
        assert_eq!((&person["username"], &person["server"]), (&json!("ann"), &json!(app.base)));

        let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        stored["access_token"] = json!("expired");
        std::fs::write(&file, stored.to_string()).unwrap();
        assert!(app.run(&["whoami", "--credentials", &file], "").await.status.success(), "The tokens are refreshed.");
        let renewed: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_ne!(renewed["refresh_token"], stored["refresh_token"]);
        let token = app.bearer(renewed["access_token"].as_str().unwrap());
        token.get("/team/").await.ok();

        assert!(app.run(&["logout", "--credentials", &file], "").await.status.success());
        token.get("/team/").await.refused(401, "unauthorized");
        let signed_out = app.run(&["whoami", "--credentials", &file], "").await;
        assert!(!signed_out.status.success() && String::from_utf8_lossy(&signed_out.stderr).contains("steward login"));
    }

    async fn login_fails_after_a_response_of_another_issuer_or_a_denial(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("credentials.json").display().to_string();
        let (mut process, address) = start_login(app, &file).await;
        let back = Browser::new(app).sign_in_and_allow(&address, "ann").await;
        let issuer = parameter(&back, "iss").unwrap();
        assert_eq!(issuer, app.base);
        let mixed_up = reqwest::Url::parse_with_params(
            back.split('?').next().unwrap(),
            [("code", "x"), ("iss", "https://evil.example"), ("state", &parameter(&back, "state").unwrap())],
        );
        open_loopback(mixed_up.unwrap().as_str()).await;
        assert!(!process.wait().await.unwrap().success());

        let (mut process, address) = start_login(app, &file).await;
        let browser = Browser::new(app);
        let page = browser.open(&address).await;
        let fields = [("login", "ann"), ("password", steward_tests::PASSWORD)];
        let consent = browser.submit(&page, "/auth/sign-in", &fields).await;
        let denied = browser.submit(&consent, "/auth/consent", &[("decision", "deny")]).await;
        open_loopback(denied.url.as_str()).await;
        assert!(!process.wait().await.unwrap().success());
        assert!(!std::path::Path::new(&file).exists());
        let insecure = app.run(&["login", "--server", "http://steward.example", "--credentials", &file], "").await;
        assert!(String::from_utf8_lossy(&insecure.stderr).contains("must use HTTPS"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_succeeds_only_while_the_service_is_ready() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "60")]).await;
    let health = async |app: &App| {
        let output = app.run(&["health"], "").await;
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(health(&app).await, (0, String::new()));
    app.terminate();
    let (code, message) = eventually(async || Some(health(&app).await).filter(|(code, _)| *code != 0)).await;
    assert!(code == 1 && message.contains("is not ready (shutting down). The service is"), "{code} {message}");
    // Skips the rest of the delay.
    app.terminate();
    assert!(app.exited_successfully().await);
    let (code, message) = health(&app).await;
    assert!(code == 1 && message.contains("No service responds at 127.0.0.1:"), "{code} {message}");
}
