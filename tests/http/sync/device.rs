//! A device as the SDKs implement it: it holds a copy of the user's items, sends its changes, and applies those that it
//! receives.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use steward_tests::App;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// How long a device waits for a message.
const PATIENT: Duration = Duration::from_secs(20);

/// What a device receives.
#[derive(Debug)]
pub enum Received {
    Message(Value),
    /// The connection ended, with this close code.
    Closed(u16),
}

pub struct Device {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The device's name, its copy of the items, and the revision of the copy.
    pub name: String,
    pub items: BTreeMap<(String, String), Value>,
    pub revision: Option<i64>,
    next_request: u64,
}

pub fn put(id: &str, object: Value) -> Value {
    json!({"type": 1, "table": "notes", "key": id, "obj": object})
}

pub fn update(id: &str, mods: Value) -> Value {
    json!({"type": 2, "table": "notes", "key": id, "mods": mods})
}

pub fn delete(id: &str) -> Value {
    json!({"type": 3, "table": "notes", "key": id})
}

impl Device {
    /// Connects a device. `name`: the name from an earlier connection, or null.
    pub async fn identify(app: &App, token: &str, project: &str, name: Value) -> Self {
        let schema = json!({"project_id": project, "version": 1, "tables": {}});
        let mut device = Self::begin(app, token, schema, name).await;
        let reply = device.message().await;
        assert_eq!(reply["type"], "clientIdentity", "{reply}");
        device.name = reply["clientIdentity"].as_str().unwrap().to_owned();
        device
    }

    /// Sends the message with which a device identifies itself, without reading the reply.
    pub async fn begin(app: &App, token: &str, schema: Value, name: Value) -> Self {
        let first = json!({"type": "clientIdentity", "clientIdentity": name, "authToken": token, "schema": schema});
        Self::begin_with(app, first).await
    }

    /// Sends a first message.
    pub async fn begin_with(app: &App, first: Value) -> Self {
        let address = format!("{}/ws", app.base.replace("http://", "ws://"));
        let (socket, _) = connect_async(address.as_str()).await.unwrap();
        let (name, items) = (String::new(), BTreeMap::new());
        let mut device = Self { socket, name, items, revision: None, next_request: 1 };
        device.send(first).await;
        device
    }

    /// Connects a new device and loads everything.
    pub async fn start(app: &App, token: &str, project: &str) -> Self {
        let mut device = Self::identify(app, token, project, Value::Null).await;
        device.push(vec![]).await;
        device.subscribe().await;
        device
    }

    /// Connects the same device again: sends its changes first, then subscribes from its revision.
    pub async fn reconnect(self, app: &App, token: &str, project: &str, changes: Vec<Value>) -> Self {
        let Self { mut socket, name, items, revision, .. } = self;
        drop(socket.close(None).await);
        let mut device = Self::identify(app, token, project, json!(name)).await;
        (device.items, device.revision) = (items, revision);
        device.edit(&changes);
        device.push(changes).await;
        device.subscribe().await;
        device
    }

    pub async fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Waits for the next message, or for the end of the connection.
    pub async fn receive(&mut self) -> Received {
        loop {
            match timeout(PATIENT, self.socket.next()).await.expect("The device received nothing.") {
                Some(Ok(Message::Text(text))) => {
                    return Received::Message(serde_json::from_str(text.as_str()).unwrap());
                }
                Some(Ok(Message::Close(frame))) => {
                    return Received::Closed(frame.map_or(1005, |frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Received::Closed(1006),
            }
        }
    }

    pub async fn message(&mut self) -> Value {
        match self.receive().await {
            Received::Message(message) => message,
            Received::Closed(code) => panic!("The connection was closed with {code}."),
        }
    }

    /// Applies the changes that the device made itself to its copy.
    pub fn edit(&mut self, changes: &[Value]) {
        for change in changes {
            let key = (text(change, "table"), text(change, "key"));
            match change["type"].as_i64().unwrap() {
                1 => drop(self.items.insert(key, change["obj"].clone())),
                2 => {
                    let item = self.items.entry(key.clone()).or_insert_with(|| json!({"id": key.1}));
                    for (name, value) in change["mods"].as_object().unwrap() {
                        item[name] = value.clone();
                    }
                }
                _ => drop(self.items.remove(&key)),
            }
        }
    }

    /// Sends changes and waits for the acknowledgement. Applies what arrives in between.
    pub async fn push(&mut self, changes: Vec<Value>) {
        let request = self.begin_push(changes).await;
        loop {
            let message = self.message().await;
            if message["type"] == "ack" {
                assert_eq!(message["requestId"], request);
                return;
            }
            self.apply(&message);
        }
    }

    /// Sends changes without waiting.
    pub async fn begin_push(&mut self, changes: Vec<Value>) -> u64 {
        let request = self.next_request;
        self.next_request += 1;
        let base = self.revision;
        self.send(json!({"type": "changes", "changes": changes, "partial": false, "baseRevision": base, "requestId": request}))
            .await;
        request
    }

    /// Makes changes in the copy and sends them.
    pub async fn change(&mut self, changes: Vec<Value>) {
        self.edit(&changes);
        self.push(changes).await;
    }

    /// Subscribes and applies the first load. Returns the number of its messages.
    pub async fn subscribe(&mut self) -> usize {
        self.send(json!({"type": "subscribe", "syncedRevision": self.revision})).await;
        self.changes().await
    }

    /// Waits for a complete series of `changes` messages and applies it. Returns the number of messages.
    pub async fn changes(&mut self) -> usize {
        for count in 1.. {
            let message = self.message().await;
            assert_eq!(message["type"], "changes", "{message}");
            self.apply(&message);
            if message["partial"] == false {
                return count;
            }
        }
        0
    }

    fn apply(&mut self, message: &Value) {
        assert_eq!(message["type"], "changes", "{message}");
        let changes = message["changes"].as_array().unwrap();
        assert!(changes.len() <= 1_000 && message.to_string().len() <= 1024 * 1024);
        for change in changes {
            assert!(change["type"] != 1 || change["obj"]["id"] == change["key"], "{change}");
        }
        self.edit(changes);
        let revision = message["currentRevision"].as_i64().unwrap();
        assert!((0..1 << 53).contains(&revision) && self.revision.is_none_or(|own| own <= revision), "{message}");
        self.revision = Some(revision);
    }

    /// Asserts that nothing arrives for a while.
    pub async fn hears_nothing(&mut self) {
        let waited = timeout(Duration::from_millis(600), async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    other => return other,
                }
            }
        });
        if let Ok(received) = waited.await {
            panic!("The device received {received:?}.");
        }
    }

    /// Applies everything that arrives until there is nothing more for a while.
    pub async fn settle(&mut self) {
        while let Ok(received) = timeout(Duration::from_millis(800), self.receive()).await {
            match received {
                Received::Message(message) if message["type"] == "ack" => {}
                Received::Message(message) => self.apply(&message),
                Received::Closed(code) => panic!("The connection was closed with {code}."),
            }
        }
    }

    /// The title of an item of the copy; null if there is none.
    pub fn title(&self, id: &str) -> Value {
        self.items.get(&("notes".to_owned(), id.to_owned())).map_or(Value::Null, |item| item["title"].clone())
    }

    /// Waits for the end of the connection and returns the error before it, if any, and the close code.
    pub async fn end(&mut self) -> (Option<Value>, u16) {
        let mut error = None;
        loop {
            match self.receive().await {
                Received::Message(message) if message["type"] == "error" => error = Some(message["code"].clone()),
                Received::Message(_) => {}
                Received::Closed(code) => return (error, code),
            }
        }
    }

    /// Loses the connection without a word.
    pub async fn vanish(self) {
        drop(self);
        sleep(Duration::from_millis(50)).await;
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {value}")).to_owned()
}
