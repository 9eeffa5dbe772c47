//! Token signing keys: rotation, revocation, and synchronization of several processes with one database.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, PASSWORD, eventually, on_both};

/// Signs in and returns the access token and the refresh token.
async fn log_in(app: &App, username: &str) -> (String, String) {
    let login = json!({"username": username, "password": PASSWORD});
    tokens(&app.anonymous().post("/auth/login", login).await.ok())
}

fn tokens(body: &steward_tests::Body) -> (String, String) {
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}

async fn refresh(app: &App, token: &str) -> (String, String) {
    let body = json!({"grant_type": "refresh_token", "refresh_token": token});
    tokens(&app.anonymous().post("/auth/token", body).await.ok())
}

/// The `kid` in a token's header.
fn kid(token: &str) -> String {
    let header: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap()).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

/// IDs of the published keys for access tokens.
async fn published_kids(caller: &Actor) -> Vec<String> {
    published_kids_of(caller, "ES256").await
}

/// IDs of the published keys with this algorithm. By default, it is ES256 for access tokens and RS256 for ID tokens.
async fn published_kids_of(caller: &Actor, algorithm: &str) -> Vec<String> {
    let set = caller.get("/auth/.well-known/jwks.json").await.ok();
    let keys = set["keys"].as_array().unwrap().iter().filter(|key| key["alg"] == algorithm);
    keys.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

/// Runs `steward keys`. Returns the JSON values that it printed, one per line.
async fn keys(app: &App, arguments: &[&str]) -> Vec<Value> {
    let output = app.run(&[&["keys"], arguments].concat(), "").await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(!printed.contains("PRIVATE") && !printed.contains("sealed"), "{printed}");
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn refused(app: &App, arguments: &[&str]) -> String {
    let output = app.run(&[&["keys"], arguments].concat(), "").await;
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// IDs of the signing keys of access tokens in this state.
async fn kids_in_state(app: &App, state: &str) -> Vec<String> {
    kids_of("access_token", app, state).await
}

/// IDs of the signing keys of this kind of token in this state.
async fn kids_of(signs: &str, app: &App, state: &str) -> Vec<String> {
    let listed = keys(app, &["list"]).await;
    let matching = listed.iter().filter(|key| key["signs"] == signs && key["state"] == state);
    matching.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn a_rotated_key_is_published_before_it_signs_and_old_tokens_stay_valid(app: &App) {
        let ann = app.person("ann").await;
        let (old, _) = log_in(app, "ann").await;
        let next = keys(app, &["rotate-signing"]).await;
        let next = next[0]["kid"].as_str().unwrap().to_owned();
        assert_eq!((kids_in_state(app, "standby").await, kids_in_state(app, "active").await), (vec![next.clone()], vec![kid(&old)]));
        let anon = app.anonymous();
        eventually(async || published_kids(&anon).await.contains(&next).then_some(())).await;
        assert_eq!(kid(&log_in(app, "ann").await.0), kid(&old));
        assert!(refused(app, &["rotate-signing"]).await.contains("--now"), "At most one key can be on standby.");

        let promoted = keys(app, &["rotate-signing", "--now"]).await;
        assert_eq!(promoted[0]["kid"], json!(next), "The standby key must become active.");
        let (new, _) = log_in(app, "ann").await;
        assert_eq!(kid(&new), next);
        for token in [&old, &new] {
            app.bearer(token).get("/team/").await.ok();
        }
        ann.get("/team/").await.ok();
        assert_eq!(kids_in_state(app, "retiring").await, [kid(&old)]);
        assert!(published_kids(&app.anonymous()).await.contains(&kid(&old)), "The old key must stay published until its last token expires.");
    }

    async fn id_tokens_have_keys_of_their_own_that_are_rotated_and_revoked(app: &App) {
        app.person("ann").await;
        let id_token = async || {
            let login = json!({"username": "ann", "password": PASSWORD});
            kid(app.anonymous().post("/auth/login", login).await.ok()["id_token"].as_str().unwrap())
        };
        let (first, anon) = (id_token().await, app.anonymous());
        assert_eq!(kids_of("id_token", app, "active").await, std::slice::from_ref(&first));
        assert_eq!(published_kids_of(&anon, "RS256").await, std::slice::from_ref(&first));
        let (access, _) = log_in(app, "ann").await;

        let rotated = keys(app, &["rotate-signing", "--now"]).await;
        assert_eq!((&rotated[0]["signs"], &rotated[1]["signs"]), (&json!("access_token"), &json!("id_token")));
        let second = id_token().await;
        assert_eq!(rotated[1]["kid"], json!(second));
        assert_eq!(kids_of("id_token", app, "retiring").await, [first]);

        let revoked = keys(app, &["revoke-signing", &second]).await;
        let third = id_token().await;
        assert_eq!(revoked[0]["active"], json!(third));
        assert!(!published_kids_of(&anon, "RS256").await.contains(&second));
        app.bearer(&access).get("/team/").await.ok();
    }

    async fn tokens_of_a_revoked_key_are_refused_and_refreshed_tokens_use_the_next_key(app: &App) {
        app.person("ann").await;
        let (old, refresh_token) = log_in(app, "ann").await;
        let issued = app.run(&["token", "issue", "--email", "ann@example.com", "--ttl", "86400"], "").await;
        let issued = String::from_utf8(issued.stdout).unwrap().trim().to_owned();
        // The second request to the public path finds the token remembered.
        let paths = ["/team/", "/utils/slugify?slug=x", "/utils/slugify?slug=x"];
        for (token, path) in [&old, &issued].into_iter().flat_map(|token| paths.map(|path| (token, path))) {
            app.bearer(token).get(path).await.ok();
        }
        let revoked = keys(app, &["revoke-signing", &kid(&old)]).await;
        assert_eq!(revoked[0]["revoked"], json!(kid(&old)));
        for (token, path) in [&old, &issued].into_iter().flat_map(|token| paths.map(|path| (token, path))) {
            app.bearer(token).get(path).await.refused(401, "unauthorized");
        }
        let (new, _) = refresh(app, &refresh_token).await;
        assert_eq!(json!(kid(&new)), revoked[0]["active"]);
        app.bearer(&new).get("/team/").await.ok();
        assert_eq!(published_kids(&app.anonymous()).await, [kid(&new)]);
        refused(app, &["revoke-signing", &kid(&old)]).await;
        refused(app, &["revoke-signing", "x"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_process_applies_a_rotation_and_a_revocation_immediately() {
    let app = App::start(Backend::Postgres).await;
    let replica = app.start_replica().await;
    app.person("ann").await;
    let (old, refresh_token) = log_in(&app, "ann").await;
    for process in [&app, &replica] {
        process.bearer(&old).get("/team/").await.ok();
    }

    keys(&app, &["rotate-signing", "--now"]).await;
    let (new, _) = log_in(&replica, "ann").await;
    assert_ne!(kid(&new), kid(&old), "Replicas must sign with the new key.");
    for process in [&app, &replica] {
        process.bearer(&new).get("/team/").await.ok();
        process.bearer(&old).get("/team/").await.ok();
    }

    keys(&app, &["revoke-signing", &kid(&old)]).await;
    for process in [&replica, &app] {
        process.bearer(&old).get("/team/").await.refused(401, "unauthorized");
        process.bearer(&new).get("/team/").await.ok();
    }
    keys(&app, &["revoke-signing", &kid(&new)]).await;
    for process in [&replica, &app] {
        process.bearer(&new).get("/team/").await.refused(401, "unauthorized");
    }
    let (newest, _) = refresh(&replica, &refresh_token).await;
    app.bearer(&newest).get("/team/").await.ok();
    for process in [&app, &replica] {
        let anon = process.anonymous();
        eventually(async || (published_kids(&anon).await == [kid(&newest)]).then_some(())).await;
    }
}

const PAST: &str = "2020-01-01T00:00:00.000000Z";

async fn old_keys_are_replaced_and_retired_ones_removed(backend: Backend) {
    let mut app = App::start(backend).await;
    app.person("ann").await;
    let first = kid(&log_in(&app, "ann").await.0);
    app.kill();
    app.execute_sql(&format!(
        "UPDATE server_keys SET created_at = '{PAST}', use_from = '{PAST}' WHERE kind = 'signing'"
    ));
    app.kill_and_restart().await;
    let standby = eventually(async || kids_in_state(&app, "standby").await.pop()).await;
    assert_eq!(kids_in_state(&app, "active").await, std::slice::from_ref(&first));

    app.kill();
    app.execute_sql(&format!(
        "UPDATE server_keys SET use_from = '2020-02-01T00:00:00.000000Z' WHERE kind = 'signing' AND created_at <> '{PAST}'"
    ));
    app.kill_and_restart().await;
    let anon = app.anonymous();
    eventually(async || (published_kids(&anon).await == [standby.clone()]).then_some(())).await;
    assert_eq!(kid(&log_in(&app, "ann").await.0), standby);
    // The key of ID tokens and the new one remain.
    eventually(async || (keys(&app, &["list"]).await.len() == 2).then_some(())).await;

    // A newer version may leave a key with an algorithm that this version does not support.
    app.kill();
    app.execute_sql("UPDATE server_keys SET algorithm = 'ML-DSA-65' WHERE kind = 'signing'");
    app.kill_and_restart().await;
    let (token, _) = log_in(&app, "ann").await;
    assert_ne!(kid(&token), standby);
    app.bearer(&token).get("/team/").await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_keys_are_replaced_and_retired_ones_removed_on_sqlite() {
    old_keys_are_replaced_and_retired_ones_removed(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_keys_are_replaced_and_retired_ones_removed_on_postgres() {
    old_keys_are_replaced_and_retired_ones_removed(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_disabled_rotation_an_old_key_is_not_replaced() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SIGNING_KEY_DAYS", "0")]).await;
    app.kill();
    app.execute_sql(&format!(
        "UPDATE server_keys SET created_at = '{PAST}', use_from = '{PAST}' WHERE kind = 'signing'"
    ));
    app.kill_and_restart().await;
    app.person("ann").await;
    assert_eq!(keys(&app, &["list"]).await.len(), 2);
}
