//! Access tokens that expire during a connection.

use chrono::TimeDelta;
use serde_json::json;
use steward_crypto::{Keys, ServerSecret, SystemClock};
use steward_domain::identity::{AccessTokens as _, KeyRing as _, ServerKey, ServerKeyReader as _};
use steward_domain::kernel::{Clock as _, ServiceAddress};
use steward_store::SqliteStore;
use steward_tests::device::{Device, put, update};
use steward_tests::{App, SECRET, on_sqlite};

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
    let file = app.directory().join("steward.db").display().to_string();
    SqliteStore::open(&file, 1).unwrap().server_keys().await.unwrap()
}

/// Sends another token for the connection of a device, and waits until the service accepts it.
async fn renew(device: &mut Device, token: &str) {
    device.send(json!({"type": "tokenUpdate", "authToken": token})).await;
    assert_eq!(device.message().await, json!({"type": "tokenUpdateAck", "ok": true}));
}

on_sqlite! {
    async fn a_connection_ends_when_its_token_expires_unless_it_gets_another_one(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let project = &ann.world.project;
        let (mut phone, mut laptop) = (ann.device(app).await, ann.device(app).await);
        let short = with_lifetime(app, &ann.token, TimeDelta::seconds(15)).await;
        renew(&mut phone, &short).await;
        renew(&mut laptop, &short).await;
        renew(&mut laptop, &ann.token).await;
        // The first token of a connection expires as well.
        let mut tablet = unidentified(app, &short, project).await;
        for device in [&mut phone, &mut tablet] {
            assert_eq!(device.end().await, (Some(json!("TOKEN_EXPIRED")), 4401));
        }

        laptop.change(vec![put("a", json!({"id": "a", "title": "Laptop"}))]).await;
        laptop.send(json!({"type": "tokenUpdate", "authToken": short})).await;
        let reply = laptop.message().await;
        assert_eq!((&reply["ok"], &reply["code"]), (&json!(false), &json!("TOKEN_EXPIRED")), "{reply}");
        laptop.change(vec![update("a", json!({"rank": 1}))]).await;

        let mut refused = unidentified(app, &short, project).await;
        assert_eq!(refused.end().await, (Some(json!("TOKEN_EXPIRED")), 4401));
        let offline = vec![put("b", json!({"id": "b", "title": "Phone"}))];
        let mut phone = phone.reconnect(app, &ann.token, project, offline).await;
        let stored = ann.stored(app).await;
        for device in [&mut phone, &mut laptop] {
            device.converge(&stored).await;
        }
        assert_eq!((phone.title("a"), phone.title("b")), (json!("Laptop"), json!("Phone")));
    }
}
