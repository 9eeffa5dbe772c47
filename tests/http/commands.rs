//! The commands of the binary, beside a running service.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use steward_tests::{App, Browser, World, on_both, parameter};
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// Begins `steward login`: the process, and the address that it asks a person to open.
async fn begin_login(app: &App, file: &str) -> (tokio::process::Child, String) {
    let arguments = ["login", "--no-browser", "--server", &app.base, "--credentials", file];
    let mut process = app.spawn(&arguments);
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("it tells the address");
        if line.contains("/auth/authorize?") {
            break line.trim().to_owned();
        }
    };
    // What else it tells must not fill the pipe.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (process, address)
}

on_both! {
    async fn an_account_made_at_the_command_line_can_sign_in(app: &App) {
        let given = app.run(&["account", "create", "--email", "ann@example.com"], "correct horse battery\n").await;
        assert!(given.status.success(), "{}", String::from_utf8_lossy(&given.stderr));
        let account: serde_json::Value = serde_json::from_slice(&given.stdout).unwrap();
        assert_eq!((&account["email"], account.get("password")), (&json!("ann@example.com"), None));

        let generated = app.run(&["account", "create", "--email", "bob@example.com", "--name", "Bob"], "").await;
        let account: serde_json::Value = serde_json::from_slice(&generated.stdout).unwrap();
        let login = json!({"email": "bob@example.com", "password": account["password"]});
        let session = app.anon().post("/auth/login", login).await.ok();
        let info = app.bearer(session["access_token"].as_str().unwrap()).get("/auth/userinfo").await.ok();
        assert_eq!((&info["email_verified"], &info["name"]), (&json!(true), &json!("Bob")));

        let again = app.run(&["account", "create", "--email", "BOB@example.com"], "").await;
        assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("email"));
        let bad = app.run(&["account", "create", "--email", "nobody"], "short").await;
        let told = String::from_utf8_lossy(&bad.stderr).into_owned();
        assert!(!bad.status.success() && told.contains("email") && told.contains("password"), "{told}");
    }

    async fn a_token_is_printed_alone_and_works(app: &App) {
        app.provision("ann").await;
        let output = app.run(&["token", "issue", "--email", "ann@example.com", "--ttl", "60"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let token = String::from_utf8(output.stdout).unwrap();
        assert_eq!(token.lines().count(), 1);
        app.bearer(token.trim()).get("/auth/userinfo").await.ok();
        assert!(!app.run(&["token", "issue", "--email", "nobody@example.com"], "").await.status.success());
        assert!(!app.run(&["token", "issue", "--email", "ann@example.com", "--ttl", "0"], "").await.status.success());
    }

    async fn a_user_is_connected_and_their_id_printed(app: &App) {
        let world = World::make(app, "acme").await;
        app.provision("una").await;
        let output = app.run(&["user", "connect", "--project", &world.project, "--email", "una@example.com"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let id = String::from_utf8(output.stdout).unwrap();
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["id"], json!(id.trim()));
        let nowhere = app.run(&["user", "connect", "--project", "x", "--email", "una@example.com"], "").await;
        assert!(!nowhere.status.success());
    }

    async fn the_doctor_finds_nothing_wrong_and_migrating_again_changes_nothing(app: &App) {
        let output = app.run(&["doctor"], "").await;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && !told.contains("FAILED"), "{told}");
        assert!(told.contains("database") && told.contains("keys") && told.contains("clock"), "{told}");
        assert!(app.run(&["migrate"], "").await.status.success());
    }

    async fn the_printed_document_is_the_served_one(app: &App) {
        let printed = app.run(&["openapi"], "").await;
        let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert!(printed == app.anon().get("/docs/json").await.json());
        let committed = include_str!("../../docs/openapi.json");
        let committed: serde_json::Value = serde_json::from_str(committed).unwrap();
        assert!(printed == committed, "docs/openapi.json is older than the handlers: run `make openapi`");
    }

    async fn settings_come_from_a_file_too_and_unknown_ones_are_warned_about(app: &App) {
        let path = app.directory().join("steward.toml");
        let with_file = async |text: &str| {
            std::fs::write(&path, text).unwrap();
            let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", path.to_str().unwrap())]).await;
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert!(with_file("env = \"from a file\"\ndatabase_workers = 3\n").await.0);
        for (text, told) in [
            ("signing_algorithm = \"HS256\"", "STEWARD_SIGNING_ALGORITHM"),
            ("signing_algorithm = [1]", "signing_algorithm"),
            ("= 1", "TOML"),
        ] {
            let (good, error) = with_file(text).await;
            assert!(!good && error.contains(told), "{text}: {error}");
        }
        let (good, said) = with_file("colour = \"red\"\ndatabase_worker = 3\n").await;
        assert!(good && said.contains("STEWARD_COLOUR") && said.contains("mean STEWARD_DATABASE_WORKERS?"), "{said}");
        let output = app.run_with(&["doctor"], &[("STEWARD_PUBLIC_URI", "red"), ("STEWARD_LOG_FORMAT", "text")]).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("mean STEWARD_PUBLIC_URL?"), "{said}");
        let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", "/nowhere.toml")]).await;
        assert!(!output.status.success());
    }

    async fn a_person_signs_in_at_the_command_line_and_out_again(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("cli").join("credentials.json").display().to_string();
        let (mut process, address) = begin_login(app, &file).await;
        let browser = Browser::new(app);
        let back = browser.sign_in_and_allow(&address, "ann").await;
        let foreign = back.replace(&parameter(&back, "state").unwrap(), "guessed");
        assert_eq!(reqwest::get(&foreign).await.unwrap().status(), 404, "another state is not taken");
        assert_eq!(reqwest::get(&back).await.unwrap().status(), 200);
        assert!(process.wait().await.unwrap().success());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

        let whoami = app.run(&["whoami", "--credentials", &file], "").await;
        let person: Value = serde_json::from_slice(&whoami.stdout).unwrap();
        assert_eq!((&person["username"], &person["server"]), (&json!("ann"), &json!(app.base)));

        let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        kept["access_token"] = json!("expired");
        std::fs::write(&file, kept.to_string()).unwrap();
        assert!(app.run(&["whoami", "--credentials", &file], "").await.status.success(), "it takes new tokens");
        let renewed: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_ne!(renewed["refresh_token"], kept["refresh_token"]);
        let token = app.bearer(renewed["access_token"].as_str().unwrap());
        token.get("/team/").await.ok();

        assert!(app.run(&["logout", "--credentials", &file], "").await.status.success());
        token.get("/team/").await.refused(401, "unauthorized");
        let gone = app.run(&["whoami", "--credentials", &file], "").await;
        assert!(!gone.status.success() && String::from_utf8_lossy(&gone.stderr).contains("steward login"));
    }

    async fn an_answer_of_another_issuer_or_a_denial_signs_nobody_in(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("credentials.json").display().to_string();
        let (mut process, address) = begin_login(app, &file).await;
        let back = Browser::new(app).sign_in_and_allow(&address, "ann").await;
        let issuer = parameter(&back, "iss").unwrap();
        assert_eq!(issuer, app.base);
        let mixed_up = reqwest::Url::parse_with_params(
            back.split('?').next().unwrap(),
            [("code", "x"), ("iss", "https://evil.example"), ("state", &parameter(&back, "state").unwrap())],
        );
        reqwest::get(mixed_up.unwrap()).await.unwrap();
        assert!(!process.wait().await.unwrap().success());

        let (mut process, address) = begin_login(app, &file).await;
        let browser = Browser::new(app);
        let page = browser.open(&address).await;
        let fields = [("login", "ann"), ("password", steward_tests::PASSWORD)];
        let consent = browser.submit(&page, "/auth/sign-in", &fields).await;
        let denied = browser.submit(&consent, "/auth/consent", &[("decision", "deny")]).await;
        reqwest::get(denied.url).await.unwrap();
        assert!(!process.wait().await.unwrap().success());
        assert!(!std::path::Path::new(&file).exists());
        let away = app.run(&["login", "--server", "http://steward.example", "--credentials", &file], "").await;
        assert!(String::from_utf8_lossy(&away.stderr).contains("must be https"));
    }
}
