//! Access tokens that expire during a connection.

use chrono::TimeDelta;
use serde_json::json;
use steward_crypto::{Keys, ServerSecret, SystemClock};
use steward_domain::model::{ServerKey, ServiceAddress};
use steward_domain::ports::{AccessTokens as _, Clock as _, KeyRing as _, ServerKeyReader as _};
use steward_store::{PostgresStore, SqliteStore};
use steward_tests::device::{Device, put, update};
use steward_tests::{App, Backend, SECRET, on_both};

use super::{Synced, WRITE, unidentified};

/// Returns the token with another lifetime, signed with the keys of the service. The lifetime of the tokens that the
/// service issues cannot be set.
async fn with_lifetime(app: &App, token: &str, lifetime: TimeDelta) -> String {
    let keys = Keys::new(ServerSecret::parse(SECRET).unwrap(), ServiceAddress::parse(&app.base).unwrap()).unwrap();
    keys.install(&server_keys(app).await).unwrap();
    let mut claims = keys.verify_expired(token).unwrap().claims;
    claims.expires_at = SystemClock.now() + lifetime;
    keys.issue(&claims).unwrap().expose().to_owned()
}

async fn server_keys(app: &App) -> Vec<ServerKey> {
    match app.backend() {
        Backend::Sqlite => {
            let file = app.directory().join("steward.db").display().to_string();
            SqliteStore::open(&file, 1).unwrap().server_keys().await.unwrap()
        }
        Backend::Postgres => PostgresStore::open(&app.database().url(), 1).unwrap().server_keys().await.unwrap(),
    }
}

on_both! {
    async fn a_connection_ends_when_its_token_expires_unless_it_gets_another_one(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let project = &ann.world.project;
        let short = with_lifetime(app, &ann.token, TimeDelta::seconds(6)).await;
        let mut phone = Device::start(app, &short, project).await;
        let mut laptop = Device::start(app, &short, project).await;
        laptop.send(json!({"type": "tokenUpdate", "authToken": ann.token})).await;
        assert_eq!(laptop.message().await, json!({"type": "tokenUpdateAck", "ok": true}));
        assert_eq!(phone.end().await, (Some(json!("TOKEN_EXPIRED")), 4401));

        laptop.change(vec![put("a", json!({"id": "a", "title": "Laptop"}))]).await;
        laptop.send(json!({"type": "tokenUpdate", "authToken": short})).await;
        let reply = laptop.message().await;
        assert_eq!((&reply["ok"], &reply["code"]), (&json!(false), &json!("TOKEN_EXPIRED")), "{reply}");
        laptop.change(vec![update("a", json!({"rank": 1}))]).await;

        let mut refused = unidentified(app, &short, project).await;
        assert_eq!(refused.end().await, (Some(json!("TOKEN_EXPIRED")), 4401));
        let offline = vec![put("b", json!({"id": "b", "title": "Phone"}))];
        let mut phone = phone.reconnect(app, &ann.token, project, offline).await;
        laptop.changes().await;
        phone.settle().await;
        assert_eq!(phone.items, laptop.items);
        assert_eq!((phone.title("a"), phone.title("b")), (json!("Laptop"), json!("Phone")));
    }
}
