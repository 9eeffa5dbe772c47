//! The commands of the binary, beside a running service.

use serde_json::json;
use steward_tests::{World, on_both};

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

    async fn settings_come_from_a_file_too_and_unknown_ones_are_refused(app: &App) {
        let path = app.directory().join("steward.toml");
        let with_file = async |text: &str| {
            std::fs::write(&path, text).unwrap();
            let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", path.to_str().unwrap())]).await;
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert!(with_file("env = \"from a file\"\ndatabase_workers = 3\n").await.0);
        for (text, told) in [
            ("colour = \"red\"", "STEWARD_COLOUR"),
            ("signing_algorithm = \"HS256\"", "STEWARD_SIGNING_ALGORITHM"),
            ("signing_algorithm = [1]", "signing_algorithm"),
            ("= 1", "TOML"),
        ] {
            let (good, fault) = with_file(text).await;
            assert!(!good && fault.contains(told), "{text}: {fault}");
        }
        let output = app.run_with(&["doctor"], &[("STEWARD_COLOUR", "red")]).await;
        assert!(String::from_utf8_lossy(&output.stderr).contains("STEWARD_COLOUR"));
        let output = app.run_with(&["doctor"], &[("STEWARD_CONFIG", "/nowhere.toml")]).await;
        assert!(!output.status.success());
    }
}
