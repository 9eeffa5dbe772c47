//! A refresh whose response was lost: the client gets other tokens in place of those that nobody used, and a stolen
//! refresh token is still found (docs/contract.md#tokens).

use futures_util::future::join_all;
use serde_json::json;
use steward_tests::{App, Backend, Body, Clock, World, eventually, on_both, on_sqlite};

use super::{Named, Registered, bearer, claims, introspect, is_not_authenticated, refresh, text, with_shop};

/// Lets more than the grace period pass since every refresh, and the job delete the stored responses.
fn let_time_pass(app: &App) {
    let earlier = "replaced_at = '2020-01-01T00:00:00.000000Z', answer = NULL";
    app.execute_sql(&format!("UPDATE refresh_tokens SET {earlier} WHERE replaced_at IS NOT NULL"));
}

/// The client that the project itself is, and a person `ann`.
async fn with_project(app: &App) -> (World, Registered) {
    let world = World::make(app, "acme").await;
    app.person("ann").await;
    let client = Registered::project_itself(app, &world).await;
    (world, client)
}

/// Signs ann in and exchanges the refresh token. Returns it, and the tokens of the response.
async fn exchanged(app: &App, client: &Registered) -> (String, Body) {
    let parent = text(&client.tokens(app, "ann", &[]).await, "refresh_token");
    let tokens = refresh(app, &parent, client.basic()).await.ok();
    (parent, tokens)
}

/// Asserts that the refresh token is refused, and that these tokens end with it.
async fn is_theft(app: &App, token: &str, client: &Registered, tokens: &Body) {
    refresh(app, token, client.basic()).await.refused(400, "invalid_grant");
    bearer(app, tokens).get("/auth/userinfo").await.refused(401, "unauthorized");
    refresh(app, &text(tokens, "refresh_token"), client.basic()).await.refused(400, "invalid_grant");
}

async fn a_response_that_was_lost_is_replaced_ten_minutes_later(backend: Backend) {
    let clock = Clock::new(env!("CARGO_TARGET_TMPDIR")).await;
    let app = &App::start_with(backend, &clock.settings()).await;
    let (world, client) = with_project(app).await;
    let first = client.tokens(app, "ann", &[]).await;
    let parent = text(&first, "refresh_token");
    let lost = refresh(app, &parent, client.in_body()).await.ok();

    clock.set(600);
    let renewed = refresh(app, &parent, client.in_body()).await.ok();
    assert_ne!(text(&renewed, "refresh_token"), text(&lost, "refresh_token"));
    let again = refresh(app, &parent, client.in_body()).await.ok();
    assert_eq!(text(&again, "refresh_token"), text(&renewed, "refresh_token"), "A repeated request gets the same.");
    let notes = format!("/account/{}/db/notes", world.project);
    for path in [notes.as_str(), "/auth/userinfo"] {
        for valid in [&renewed, &first] {
            bearer(app, valid).get(path).await.ok();
        }
        bearer(app, &lost).get(path).await.refused(401, "unauthorized");
    }
    let session = bearer(app, &lost).get("/auth/session").await.refused(401, "unauthorized");
    assert_eq!(session.0.get("reauth_required"), None, "The sign-in goes on: {session:?}");
    for name in ["access_token", "refresh_token"] {
        let shown = introspect(app, &text(&lost, name), client.basic()).await.ok();
        assert_eq!(shown.0, json!({"active": false}), "{name}");
    }
    let next = refresh(app, &text(&renewed, "refresh_token"), client.in_body()).await.ok();
    is_theft(app, &text(&lost, "refresh_token"), &client, &next).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_that_was_lost_is_replaced_ten_minutes_later_on_sqlite() {
    a_response_that_was_lost_is_replaced_ten_minutes_later(Backend::Sqlite).await;
}

mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_response_that_was_lost_is_replaced_ten_minutes_later_on_postgres() {
        a_response_that_was_lost_is_replaced_ten_minutes_later(Backend::Postgres).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_agree_about_lost_responses_and_theft() {
    let app = &App::start(Backend::Postgres).await;
    let replica = &app.start_replica().await;
    let (_, client) = with_project(app).await;

    let parent = text(&client.tokens(app, "ann", &[]).await, "refresh_token");
    let lost = refresh(replica, &parent, client.basic()).await.ok();
    let_time_pass(app);
    let answers = join_all([app, replica].map(|process| refresh(process, &parent, client.basic()))).await;
    let [one, other] = answers.try_into().unwrap();
    let (one, other) = (one.ok(), other.ok());
    assert_eq!(text(&one, "refresh_token"), text(&other, "refresh_token"));
    for process in [app, replica] {
        bearer(process, &one).get("/auth/userinfo").await.ok();
        bearer(process, &lost).get("/auth/userinfo").await.refused(401, "unauthorized");
    }
    is_theft(replica, &text(&lost, "refresh_token"), &client, &one).await;

    let (parent, used) = exchanged(app, &client).await;
    bearer(replica, &used).get("/auth/userinfo").await.ok();
    let pair = claims(&used, "access_token")["jti"].as_str().unwrap().to_owned();
    let is_recorded = format!("EXISTS (SELECT 1 FROM refresh_tokens WHERE id = '{pair}' AND used_at IS NOT NULL)");
    eventually(async || app.holds(&is_recorded).then_some(())).await;
    let_time_pass(app);
    is_theft(app, &parent, &client, &used).await;
}

on_both! {
    async fn the_parent_of_a_lost_response_is_used_once_more(app: &App) {
        let (_, client) = with_project(app).await;
        let (parent, _) = exchanged(app, &client).await;
        let_time_pass(app);
        let renewed = refresh(app, &parent, client.basic()).await.ok();
        let_time_pass(app);
        is_theft(app, &parent, &client, &renewed).await;

        // An earlier version did not note which tokens it had issued.
        let (parent, tokens) = exchanged(app, &client).await;
        let_time_pass(app);
        app.execute_sql("UPDATE refresh_tokens SET next_id = NULL");
        is_theft(app, &parent, &client, &tokens).await;
    }
}

on_sqlite! {
    async fn theft_is_found_when_tokens_and_their_parent_are_used(app: &App) {
        let (world, client) = with_project(app).await;
        let notes = format!("/account/{}/db/notes", world.project);
        for path in [notes.as_str(), "/auth/userinfo", "/auth/session"] {
            let (parent, tokens) = exchanged(app, &client).await;
            bearer(app, &tokens).get(path).await.ok();
            let_time_pass(app);
            is_theft(app, &parent, &client, &tokens).await;
        }
        for name in ["access_token", "refresh_token"] {
            let (parent, tokens) = exchanged(app, &client).await;
            let shown = world.key.post("/auth/introspect", json!({"token": text(&tokens, name)})).await.ok();
            assert_eq!(shown["active"], true);
            let_time_pass(app);
            is_theft(app, &parent, &client, &tokens).await;
        }
        let (parent, tokens) = exchanged(app, &client).await;
        let next = refresh(app, &text(&tokens, "refresh_token"), client.basic()).await.ok();
        let_time_pass(app);
        is_theft(app, &parent, &client, &next).await;
    }

    async fn a_public_client_names_itself_to_replace_a_lost_response(app: &App) {
        let (_, client) = with_project(app).await;
        let other = Registered::project_itself(app, &World::make(app, "other").await).await;
        let (parent, _) = exchanged(app, &client).await;
        let_time_pass(app);
        for named in [Named::Nobody, other.in_body(), Named::InBody("steward-cli", "")] {
            refresh(app, &parent, named).await.refused(400, "invalid_grant");
        }
        let renewed = refresh(app, &parent, client.in_body()).await.ok();
        bearer(app, &renewed).get("/auth/userinfo").await.ok();
    }

    async fn a_confidential_client_authenticates_to_replace_a_lost_response(app: &App) {
        let (_, shop) = with_shop(app).await;
        let (parent, lost) = exchanged(app, &shop).await;
        let_time_pass(app);
        for named in [Named::Nobody, Named::InBody(shop.id(), ""), Named::Basic(shop.id(), "x")] {
            is_not_authenticated(refresh(app, &parent, named).await, named);
        }
        let renewed = refresh(app, &parent, shop.basic()).await.ok();
        bearer(app, &renewed).get("/auth/userinfo").await.ok();
        bearer(app, &lost).get("/auth/userinfo").await.refused(401, "unauthorized");
        is_theft(app, &text(&lost, "refresh_token"), &shop, &renewed).await;
    }

    async fn a_lost_response_for_administration_is_replaced_too(app: &App) {
        app.person("ann").await;
        let login = json!({"username": "ann", "password": steward_tests::PASSWORD});
        let tokens = app.anonymous().post("/auth/login", login).await.ok();
        let (parent, named) = (text(&tokens, "refresh_token"), Named::InBody("steward-cli", ""));
        let lost = refresh(app, &parent, named).await.ok();
        let_time_pass(app);
        let renewed = refresh(app, &parent, named).await.ok();
        bearer(app, &renewed).get("/team/").await.ok();
        bearer(app, &lost).get("/team/").await.refused(401, "unauthorized");
        assert_eq!(claims(&renewed, "access_token")["auth_time"], claims(&tokens, "access_token")["auth_time"]);
        refresh(app, &text(&lost, "refresh_token"), named).await.refused(400, "invalid_grant");
        bearer(app, &renewed).get("/team/").await.refused(401, "unauthorized");
    }
}
