//! OAuth clients that a project registers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Answer, App, Backend, FORM, World};

use super::{CommandLine, id};

const LOGO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/small.png");

/// A command for a project.
fn of_project<'a>(project: &'a str, command: &[&'a str]) -> Vec<&'a str> {
    [command, &["--project", project]].concat()
}

fn secret(client: &Value) -> &str {
    client["client_secret"].as_str().unwrap_or_else(|| panic!("No secret in {client}"))
}

/// Requests a token for the client itself, with HTTP Basic.
async fn request_token(app: &App, client: &str, secret: &str) -> Answer {
    let header = format!("Basic {}", STANDARD.encode(format!("{client}:{secret}")));
    let body = Some((FORM, b"grant_type=client_credentials".to_vec()));
    app.anonymous().send_raw(Method::POST, "/auth/token", body, &[("Authorization", &header)]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth_clients() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let (line, project) = (CommandLine::of(&app, &world.owner), world.project.as_str());
    let create = ["client", "create", "--name", "App", "--redirect-uri", "https://app.example/callback"];
    let more = ["--redirect-uri", "http://127.0.0.1/callback", "--scope", "openid email", "--skip-consent"];
    let create = [&create[..], &more, &["--access-token-seconds", "300"]].concat();
    let created = line.json(&of_project(project, &create)).await;
    let client = id(&created);
    let expected = json!({
        "id": client, "type": "public", "name": "App", "grant_types": ["authorization_code", "refresh_token"],
        "redirect_uris": ["https://app.example/callback", "http://127.0.0.1/callback"], "scope": "openid email",
        "roles": null, "require_pkce": true, "skip_consent": true, "access_token_seconds": 300,
        "sign_in_seconds": null, "logo_url": null, "registered_itself": false, "secret": null, "created_at": created["created_at"],
        "jwks": null, "require_dpop": false, "require_pushed_requests": false,
    });
    assert_eq!(created, expected);
    assert_eq!(line.json(&of_project(project, &["client", "get", &client])).await, created);

    let update = ["client", "update", &client, "--name", "Shop", "--redirect-uri", "https://shop.example/callback"];
    let more =
        ["--grant-type", "authorization_code", "--scope", "openid", "--ask-consent", "--require-pushed-requests"];
    let seconds = ["--access-token-seconds", "0", "--sign-in-seconds", "3600"];
    let updated = line.json(&of_project(project, &[&update[..], &more, &seconds].concat())).await;
    let expected = json!({
        "id": client, "type": "public", "name": "Shop", "grant_types": ["authorization_code"],
        "redirect_uris": ["https://shop.example/callback"], "scope": "openid", "roles": null, "require_pkce": true,
        "skip_consent": false, "access_token_seconds": null, "sign_in_seconds": 3600, "secret": null, "registered_itself": false, "logo_url": null,
        "jwks": null, "require_dpop": false, "require_pushed_requests": true, "created_at": created["created_at"],
    });
    assert_eq!(updated, expected);
    let second = of_project(project, &["client", "create", "--name", "Second", "--redirect-uri", "https://b.example/"]);
    let second = line.json(&second).await;
    assert_eq!(line.json(&of_project(project, &["client", "list"])).await, json!([updated, second]));
    let table = line.text(&of_project(project, &["client", "list"])).await;
    assert!(table.starts_with("ID ") && table.contains("Shop") && table.contains("authorization_code"), "{table}");

    for (exit_code, command, expected) in [
        (2, &["client", "update", &client][..], "--name"),
        (2, &["client", "update", &client, "--skip-consent", "--ask-consent"], "cannot be used with"),
        (2, &["client", "create", "--name", "x", "--type", "secret"], "confidential"),
        (2, &["client", "create", "--name", "x", "--grant-type", "password"], "client_credentials"),
        (1, &["client", "create", "--name", "x"], "redirect_uris"),
        (1, &["client", "update", &client, "--no-require-pkce"], "require_pkce"),
        (1, &["client", "update", &client, "--access-token-seconds", "59"], "access_token_seconds"),
        (1, &["client", "rotate-secret", &client, "--yes"], "without a secret"),
        (1, &["client", "create", "--name", "x", "--jwks", "/nowhere/keys.json"], "Cannot read"),
    ] {
        let message = line.fails(exit_code, &of_project(project, command)).await;
        assert!(message.contains(expected), "{command:?}: {message}");
    }

    let delete = of_project(project, &["client", "delete", &client]);
    let message = line.fails(2, &delete).await;
    assert!(message.contains("Delete the client") && message.contains("--yes"), "{message}");
    assert_eq!(line.json(&of_project(project, &["client", "get", &client])).await, updated, "Nothing was deleted.");
    assert_eq!(line.json(&delete).await, json!({"id": client, "deleted": true}));
    assert_eq!(line.json(&of_project(project, &["client", "list"])).await, json!([second]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_gets_a_logo_from_a_file() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let (line, project) = (CommandLine::of(&app, &world.owner), world.project.as_str());
    let create = ["client", "create", "--name", "App", "--redirect-uri", "https://app.example/callback"];
    let client = id(&line.json(&of_project(project, &create)).await);
    let get = of_project(project, &["client", "get", &client]);

    let message = line.fails(1, &of_project(project, &["client", "logo", "upload", &client, "/nowhere.png"])).await;
    assert!(message.contains("Cannot read"), "{message}");
    let uploaded = line.json(&of_project(project, &["client", "logo", "upload", &client, LOGO])).await;
    let url = line.json(&get).await["logo_url"].clone();
    assert_eq!(uploaded, json!({"id": client, "logo_url": url}));
    let path = url.as_str().unwrap().strip_prefix(&app.base).unwrap();
    assert_eq!(app.anonymous().get(path).await.body, std::fs::read(LOGO).unwrap());

    let delete = of_project(project, &["client", "logo", "delete", &client]);
    let message = line.fails(2, &delete).await;
    assert!(message.contains("Delete the logo of the client") && message.contains("--yes"), "{message}");
    assert_eq!(line.json(&get).await["logo_url"], url, "Nothing was deleted.");
    assert_eq!(line.json(&delete).await, json!({"id": client, "logo_deleted": true}));
    assert_eq!(line.json(&get).await["logo_url"], Value::Null);
    let message = line.fails(1, &[&delete[..], &["--yes"]].concat()).await;
    assert!(message.contains("The image does not exist"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_gets_keys_from_a_file() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let (line, project) = (CommandLine::of(&app, &world.owner), world.project.as_str());
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]});
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), keys.to_string()).unwrap();
    let path = file.path().to_str().unwrap();
    let create = ["client", "create", "--name", "Bank", "--type", "confidential", "--require-dpop", "--jwks", path];
    let create = [&create[..], &["--redirect-uri", "https://bank.example/callback"]].concat();
    let created = line.json(&of_project(project, &create)).await;
    assert_eq!((&created["jwks"], &created["require_dpop"], created.get("client_secret")), (&keys, &json!(true), None));
    let client = id(&created);
    let update = ["client", "update", &client, "--no-require-dpop", "--jwks", path];
    let updated = line.json(&of_project(project, &update)).await;
    assert_eq!((&updated["jwks"], &updated["require_dpop"]), (&keys, &json!(false)));
    std::fs::write(file.path(), "{\"keys\": [], \"keys\": []}").unwrap();
    let message = line.fails(1, &of_project(project, &update)).await;
    assert!(message.contains("has no JSON object"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_acts_on_its_own_behalf_with_the_printed_secret() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let (line, project) = (CommandLine::of(&app, &world.owner), world.project.as_str());
    let create = ["client", "create", "--name", "Worker", "--type", "confidential", "--roles", "read", "--json"];
    let create = [&create[..], &["--grant-type", "client_credentials"]].concat();
    let output = line.run(&of_project(project, &create), "").await;
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && note.contains("It is not shown again."), "{note}");
    let created: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (client, first) = (id(&created), secret(&created));
    assert_eq!((&created["type"], &created["require_pkce"]), (&json!("confidential"), &json!(false)));
    assert_eq!((&created["grant_types"], &created["roles"]), (&json!(["client_credentials"]), &json!("read")));
    let shown = line.json(&of_project(project, &["client", "get", &client])).await;
    assert_eq!((&shown["secret"], shown.get("client_secret")), (&created["secret"], None));

    let tokens = request_token(&app, &client, first).await.ok();
    let token = tokens["access_token"].as_str().unwrap();
    let program = app.bearer(token);
    let keys = format!("/project/{project}/key");
    program.get(&keys).await.ok();
    program.post(&keys, json!({"label": "x", "roles": "read"})).await.is_forbidden();
    let credential = CommandLine::with_token(&app, token).json(&["whoami"]).await;
    assert_eq!((&credential["type"], &credential["id"]), (&json!("client"), &json!(client)));
    let wrong = format!("stw_cs_{}", "0".repeat(43));
    request_token(&app, &client, &wrong).await.refused(401, "invalid_client");

    for (option, is_required) in [("--require-pkce", true), ("--no-require-pkce", false)] {
        let updated = line.json(&of_project(project, &["client", "update", &client, option])).await;
        assert_eq!(updated["require_pkce"], is_required);
    }
    let updated = line.json(&of_project(project, &["client", "update", &client, "--roles", "write,key:read"])).await;
    assert_eq!(updated["roles"], "write,key:read");

    // With a grace period, no confirmation is needed: nothing stops working yet.
    let rotate = of_project(project, &["client", "rotate-secret", &client]);
    let output = line.run(&[&rotate[..], &["--grace-seconds", "3600", "--json"]].concat(), "").await;
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && note.contains("It is not shown again."), "{note}");
    let rotated: Value = serde_json::from_slice(&output.stdout).unwrap();
    let second = secret(&rotated);
    assert!(second != first && rotated["secret"]["previous"]["expires_at"].is_string(), "{}", rotated["secret"]);
    for value in [first, second] {
        request_token(&app, &client, value).await.ok();
    }

    let message = line.fails(2, &rotate).await;
    assert!(message.contains("The old secret stops working immediately.") && message.contains("--yes"), "{message}");
    let rotated = line.json(&rotate).await;
    assert!(rotated["secret"].get("previous").is_none(), "{}", rotated["secret"]);
    for value in [first, second] {
        request_token(&app, &client, value).await.refused(401, "invalid_client");
    }
    request_token(&app, &client, secret(&rotated)).await.ok();
    program.get(&keys).await.ok();

    line.json(&of_project(project, &["client", "delete", &client])).await;
    request_token(&app, &client, secret(&rotated)).await.refused(401, "invalid_client");
    program.get(&keys).await.refused(401, "unauthorized");
}
