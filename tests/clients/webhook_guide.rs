//! The verification in Rust of the guide for webhooks, with a message of the service and with forged ones.

use http::HeaderMap;
use serde_json::json;
use standardwebhooks::Webhook;
use steward_tests::{App, Backend, Received, Receiver, World};

#[path = "../../examples/webhooks/verify.rs"]
mod verify;

use verify::verify;

const OTHER_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn headers(message: &Received) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, message.headers[name].parse().unwrap());
    }
    headers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_of_the_service_is_valid_and_a_forged_one_is_not() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let webhook = json!({"url": receiver.url, "events": ["project.updated"]});
    let created = world.owner.post(&format!("/project/{}/webhook", world.project), webhook).await.created();
    let secret = created["data"]["secret"].as_str().unwrap();
    world.owner.patch(&format!("/project/{}", world.project), json!({"name": "Rocket 2"})).await.ok();
    let message = receiver.once(1).await.remove(0);
    let valid = headers(&message);

    let event = verify(&message.bytes, &valid, secret).unwrap();
    assert_eq!((&event["type"], &event["data"]["after"]["name"]), (&json!("project.updated"), &json!("Rocket 2")));

    assert!(verify(&message.bytes, &valid, OTHER_SECRET).is_err());
    assert!(verify(message.body.replace("Rocket", "Racket").as_bytes(), &valid, secret).is_err());
    assert!(verify(&message.bytes, &HeaderMap::new(), secret).is_err());
    let mut old = valid.clone();
    old.insert("webhook-timestamp", "1600000000".parse().unwrap());
    assert!(verify(&message.bytes, &old, secret).is_err());
    // Anyone can sign with an empty secret.
    let (id, timestamp) = (&message.headers["webhook-id"], message.headers["webhook-timestamp"].parse().unwrap());
    let signature = Webhook::new("").unwrap().sign(id, timestamp, &message.bytes).unwrap();
    let mut signed = valid.clone();
    signed.insert("webhook-signature", signature.parse().unwrap());
    for empty in ["", "whsec_", "whsec_AAAA"] {
        let error = verify(&message.bytes, &signed, empty).unwrap_err();
        assert!(error.to_string().contains("missing or incomplete"), "{empty}: {error}");
    }
    let mut other = valid;
    other.insert("webhook-id", "msg_other".parse().unwrap());
    assert!(verify(&message.bytes, &other, secret).is_err());
}
