//! Tests of the connection against a service in the same process.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, pause, resume, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::*;
use crate::{ClientBuilder, Credential, Error, TokenError, TokenSource};

/// The service of a test. It accepts one connection after the other.
struct Service {
    listener: TcpListener,
}

struct Peer(WebSocketStream<TcpStream>);

impl Service {
    async fn start() -> (Self, ClientBuilder) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        (Self { listener }, Client::builder(url))
    }

    /// Returns the next request of a path. Others stay without a response.
    async fn request(&self, path: &str) -> TcpStream {
        loop {
            let (stream, _) = self.listener.accept().await.unwrap();
            let mut head = [0; 64];
            let length = stream.peek(&mut head).await.unwrap();
            if head[..length].starts_with(format!("GET {path} ").as_bytes()) {
                return stream;
            }
        }
    }

    /// Answers a request for the schema.
    async fn show_schema(&self, fields: Value) {
        const ID: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
        let mut stream = self.request("/project/p/schema").await;
        let schema = json!({"tables": {"notes": {"fields": fields}}});
        let version = json!({"id": ID, "project_id": ID, "schema": schema, "updated_at": "2026-01-01T00:00:00Z"});
        let body = json!({"data": [version]}).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", body.len());
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.unwrap();
    }

    /// Accepts a connection and reads its first message.
    async fn accept(&self) -> (Peer, Value) {
        let stream = self.request("/ws").await;
        let mut peer = Peer(accept_async(stream).await.unwrap());
        let identity = peer.read().await;
        assert_eq!(identity["type"], "clientIdentity", "{identity}");
        (peer, identity)
    }

    /// Accepts a connection and lets it load these changes.
    async fn load(&self, changes: Value, revision: u64) -> (Peer, Value) {
        let (mut peer, _) = self.accept().await;
        peer.send(json!({"type": "clientIdentity", "clientIdentity": "device"})).await;
        let subscribe = peer.read().await;
        peer.send(json!({"type": "changes", "changes": changes, "currentRevision": revision, "partial": false})).await;
        (peer, subscribe)
    }
}

impl Peer {
    async fn read(&mut self) -> Value {
        let message = timeout(Duration::from_secs(20), self.0.next()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn acknowledge(&mut self, message: &Value) {
        self.send(json!({"type": "ack", "requestId": message["requestId"]})).await;
    }

    /// Reads everything, and answers pings, but never a message.
    fn listen(mut self) -> mpsc::UnboundedReceiver<Value> {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(Ok(message)) = self.0.next().await {
                let Ok(text) = message.to_text() else { continue };
                serde_json::from_str(text).map(|message| sender.send(message)).ok();
            }
        });
        receiver
    }

    /// Waits until the client has ended the connection.
    async fn ended(mut self) {
        while let Some(Ok(_)) = timeout(Duration::from_secs(20), self.0.next()).await.unwrap() {}
    }
}

/// Returns its tokens one after the other.
struct Tokens(Mutex<Vec<&'static str>>);

impl Tokens {
    fn credential(tokens: &[&'static str]) -> Credential {
        Credential::Source(Arc::new(Self(Mutex::new(tokens.iter().rev().copied().collect()))))
    }

    fn next(&self) -> Option<String> {
        let mut tokens = self.0.lock().unwrap();
        if tokens.len() > 1 { tokens.pop() } else { tokens.last().copied() }.map(str::to_owned)
    }
}

#[async_trait]
impl TokenSource for Tokens {
    async fn token(&self) -> Result<String, TokenError> {
        self.next().ok_or_else(|| "no token".into())
    }

    async fn refresh(&self, _: &str) -> Result<Option<String>, TokenError> {
        Ok(self.next())
    }
}

/// Waits until the items are in sync, or the connection has ended for good.
async fn synced(live: &LiveItems) -> Result<(), LiveError> {
    timeout(Duration::from_secs(20), live.synced()).await.expect("The items were not in sync in time.")
}

fn with_token(builder: ClientBuilder) -> Client {
    builder.credential(Credential::Token("secret".into())).build().unwrap()
}

#[tokio::test]
async fn changes_are_sent_again_after_a_connection_was_lost() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    let notes = live.table::<Fields>("notes");
    notes.patch("a", &json!({"title": "x"})).unwrap();
    let (mut peer, subscribe) = service.load(json!([]), 3).await;
    assert_eq!(subscribe, json!({"type": "subscribe", "syncedRevision": null}));
    let sent = peer.read().await;
    drop(peer);
    notes.delete("b").unwrap();
    let (mut peer, subscribe) = service.load(json!([]), 4).await;
    assert_eq!(subscribe["syncedRevision"], 3);
    let repeated = peer.read().await;
    assert_eq!((&repeated["changes"], &repeated["requestId"]), (&sent["changes"], &sent["requestId"]));
    peer.acknowledge(&repeated).await;
    let sent = peer.read().await;
    assert_eq!((sent["changes"][0]["key"].as_str(), &sent["requestId"]), (Some("b"), &json!(2)));
    peer.acknowledge(&sent).await;
    synced(&live).await.unwrap();
    assert_eq!((live.status(), live.pending()), (LiveStatus::Online, 0));
    // What is made while nothing is pending is sent at once.
    notes.delete("c").unwrap();
    let sent = peer.read().await;
    assert_eq!(sent["changes"], json!([{"type": 3, "table": "notes", "key": "c"}]));
    drop((live, notes));
    peer.ended().await;
}

#[tokio::test]
async fn a_program_waits_until_the_service_has_an_item_or_several_together() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    let notes = live.table::<Value>("notes");
    let (mut peer, _) = service.accept().await;
    peer.send(json!({"type": "clientIdentity", "clientIdentity": "device", "atomic": true})).await;
    peer.read().await;
    peer.send(json!({"type": "changes", "changes": [], "currentRevision": 1, "partial": false})).await;
    notes.put("first", &json!({"title": "x"})).unwrap();
    let sent = peer.read().await;
    assert!(sent.get("atomic").is_none());
    let wait = async |id: &str| timeout(Duration::from_secs(20), notes.stored(id)).await.unwrap();
    assert!(timeout(Duration::from_millis(50), notes.stored("first")).await.is_err());
    peer.acknowledge(&sent).await;
    wait("first").await.unwrap();
    wait("none").await.unwrap();

    let mut write = live.atomic();
    let created = write.create(&notes, &json!({"title": "y"})).unwrap();
    write.patch(&notes, "first", &json!({"title": "y"})).unwrap();
    write.delete(&notes, "none");
    assert!(notes.get(&created).unwrap().is_none());
    write.send().unwrap();
    assert_eq!((notes.get("first").unwrap().unwrap()["title"].as_str(), live.pending()), (Some("y"), 3));
    let sent = peer.read().await;
    assert_eq!((&sent["atomic"], sent["changes"].as_array().unwrap().len()), (&json!(true), 3));
    let refused = |id: &str| json!({"type": 3, "table": "notes", "key": id, "code": "invalid_item", "message": "No."});
    let changes = json!([refused(&created), refused("first")]);
    peer.send(json!({"type": "changes", "changes": changes, "currentRevision": 2, "partial": false})).await;
    peer.acknowledge(&sent).await;
    let error = timeout(Duration::from_secs(20), write.stored()).await.unwrap().unwrap_err();
    assert!(matches!(&error, LiveError::Refused(reason) if reason.code == "invalid_item"), "{error:?}");
    assert_eq!((live.pending(), notes.items().unwrap().len()), (0, 0));
    // Who waits later learns it, too, until the item is changed again.
    assert!(wait("first").await.is_err());
    notes.delete("first").unwrap();
    let sent = peer.read().await;
    peer.acknowledge(&sent).await;
    wait("first").await.unwrap();
}

/// Returns how long a connection lasts from now on. The time passes as fast as the test.
async fn lifetime(live: &LiveItems) -> Duration {
    pause();
    let start = Instant::now();
    live.status_after(LiveStatus::Online).await.unwrap();
    let lifetime = start.elapsed();
    resume();
    lifetime
}

#[tokio::test]
async fn a_connection_that_dies_silently_is_replaced_within_45_seconds() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    // The peer does not read, so that it does not answer.
    for _ in 0..2 {
        let (_peer, _) = service.load(json!([]), 1).await;
        synced(&live).await.unwrap();
        let lifetime = lifetime(&live).await;
        assert!(lifetime > Duration::from_secs(35) && lifetime < Duration::from_secs(45), "{lifetime:?}");
    }
}

#[tokio::test]
async fn a_quiet_connection_is_kept_until_a_message_is_not_answered_in_time() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    let (peer, _) = service.load(json!([]), 1).await;
    synced(&live).await.unwrap();
    let _messages = peer.listen();
    pause();
    assert!(timeout(Duration::from_mins(5), live.status_after(LiveStatus::Online)).await.is_err());
    resume();
    live.table::<Fields>("notes").delete("a").unwrap();
    let lifetime = lifetime(&live).await;
    assert!(lifetime > Duration::from_secs(55) && lifetime < Duration::from_secs(65), "{lifetime:?}");
}

#[tokio::test]
async fn changes_over_quota_are_sent_again_every_15_minutes_and_on_request() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    let notes = live.table::<Fields>("notes");
    let (mut peer, _) = service.load(json!([]), 1).await;
    notes.patch("a", &json!({"title": "x"})).unwrap();
    let refuse = async |peer: &mut Peer, sent: &Value| {
        let change = json!({"type": 3, "table": "notes", "key": "a", "code": "quota_exceeded", "message": "Full."});
        peer.send(json!({"type": "changes", "changes": [change], "currentRevision": 1, "partial": false})).await;
        peer.acknowledge(sent).await;
        let error = synced(&live).await.unwrap_err();
        assert!(matches!(&error, LiveError::OverQuota(reason) if reason.message == "Full."), "{error:?}");
    };
    let sent = peer.read().await;
    refuse(&mut peer, &sent).await;
    let (key, reason) = live.held().pop_first().unwrap();
    assert_eq!((key.1.as_str(), reason.code.as_str()), ("a", "quota_exceeded"));
    assert_eq!(notes.get("a").unwrap().unwrap()["title"], "x");
    live.retry_held();
    let sent = peer.read().await;
    refuse(&mut peer, &sent).await;
    let mut messages = peer.listen();
    pause();
    sleep(Duration::from_secs(14 * 60)).await;
    assert!(messages.try_recv().is_err());
    sleep(Duration::from_secs(2 * 60)).await;
    assert_eq!(messages.try_recv().unwrap()["changes"], sent["changes"]);
    resume();
    assert_eq!((live.pending(), live.held().len()), (1, 0));
}

#[tokio::test]
async fn what_the_schema_does_not_allow_is_refused_at_once_and_a_correction_has_its_reason() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    let notes = live.table::<Value>("notes");
    let (mut peer, _) = service.load(json!([]), 1).await;
    service.show_schema(json!({"title": {"type": "string", "required": true}})).await;
    let refused = timeout(Duration::from_secs(20), async {
        while notes.put("a", &json!({"title": 1})).is_ok() {
            notes.discard_held("a");
            sleep(Duration::from_millis(1)).await;
        }
    });
    refused.await.unwrap();
    let error = notes.put("a", &json!({"title": 1})).unwrap_err();
    assert_eq!(error.to_string(), "Field title should be type string, got number");
    let mut changes = live.changes();
    notes.put("b", &json!({"title": "x"})).unwrap();
    loop {
        let sent = peer.read().await;
        let correction = json!({"type": 3, "table": "notes", "key": "b", "code": "invalid_item", "message": "No."});
        peer.send(json!({"type": "changes", "changes": [correction], "currentRevision": 1, "partial": false})).await;
        peer.acknowledge(&sent).await;
        if sent.to_string().contains(r#""key":"b""#) {
            break;
        }
    }
    let correction = timeout(Duration::from_secs(20), async {
        loop {
            let change = changes.next().await.unwrap().unwrap();
            if change.is_correction {
                return change;
            }
        }
    });
    let correction = correction.await.unwrap();
    assert_eq!((correction.id.as_str(), correction.reason.unwrap().code.as_str()), ("b", "invalid_item"));
    assert!(notes.get("b").unwrap().is_none());
}

#[tokio::test]
async fn a_newer_token_is_passed_on_and_a_rejected_one_is_replaced() {
    let (service, client) = Service::start().await;
    let live = client.credential(Tokens::credential(&["first", "second", "third"])).build().unwrap().live("p");
    let (mut peer, identity) = service.accept().await;
    assert_eq!(identity["authToken"], "first");
    assert_eq!(peer.read().await, json!({"type": "tokenUpdate", "authToken": "second"}));
    assert_eq!(peer.read().await, json!({"type": "tokenUpdate", "authToken": "third"}));
    peer.send(json!({"type": "tokenUpdateAck", "ok": false, "code": "UNAUTHORIZED", "message": "x"})).await;
    // There is no other token, so the connection ends for good.
    let mut changes = live.changes();
    let error = synced(&live).await.unwrap_err();
    assert!(matches!(&error, LiveError::Ended(cause) if matches!(&**cause, Error::Unauthorized(_))), "{error:?}");
    assert_eq!(live.status(), LiveStatus::Offline);
    assert!(matches!(changes.next().await, Some(Err(LiveError::Ended(_)))) && changes.next().await.is_none());
    assert!(matches!(live.changes().next().await, Some(Err(LiveError::Ended(_)))));
}

#[tokio::test]
async fn a_message_that_is_not_valid_ends_the_connection_and_not_the_items() {
    let (service, client) = Service::start().await;
    let live = with_token(client).live("p");
    for message in [json!({"type": "changes"}), json!([]), json!({"type": "changes", "changes": [{"type": 7}]})] {
        let (mut peer, _) = service.accept().await;
        peer.send(message).await;
        peer.ended().await;
    }
    let (_peer, _) = service.load(json!([{"type": 1, "table": "notes", "key": "a", "obj": {"rank": 1}}]), 1).await;
    synced(&live).await.unwrap();
    assert_eq!(live.table::<Fields>("notes").get("a").unwrap().unwrap()["rank"], 1);
}

#[tokio::test]
async fn a_source_that_fails_or_panics_ends_the_items() {
    struct Failing(bool);

    #[async_trait]
    impl TokenSource for Failing {
        async fn token(&self) -> Result<String, TokenError> {
            assert!(!self.0, "This source panics.");
            Err("no session".into())
        }

        async fn refresh(&self, _: &str) -> Result<Option<String>, TokenError> {
            Ok(None)
        }
    }
    for panics in [false, true] {
        let source = Credential::Source(Arc::new(Failing(panics)));
        let live = Client::builder("http://127.0.0.1:9").credential(source).build().unwrap().live("p");
        let result = synced(&live).await;
        assert!(matches!(result, Err(LiveError::Ended(_))), "{result:?}");
        // Changes are kept.
        live.table::<Fields>("notes").delete("a").unwrap();
        assert_eq!((live.pending(), live.state().0.pending.len()), (1, 1));
    }
}

#[tokio::test]
async fn a_value_that_is_not_an_object_is_refused() {
    let live = with_token(Client::builder("http://127.0.0.1:9")).live("p");
    let result = live.table::<Value>("notes").put("a", &json!([1]));
    assert!(matches!(&result, Err(LiveError::InvalidItem(_))), "{result:?}");
    assert_eq!(live.pending(), 0);
    let debug = format!("{live:?} {:?}", live.state());
    assert!(debug.contains("pending: 0"), "{debug}");
}
