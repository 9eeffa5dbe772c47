//! A device as the SDKs implement it: it holds a copy of the user's items, sends its changes, and applies those that it
//! receives.

mod items;
mod pending;

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use crate::{App, TIMEOUT};

pub use items::{Items, delete, listed_items, put, update};
pub use pending::Pending;

use items::{commit, edit, text};

/// What a device receives.
#[derive(Debug)]
pub enum Received {
    Message(Value),
    /// The connection ended, with this close code.
    Closed(u16),
}

/// The connection was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Code of the error that the service sent before; empty if it sent none.
    pub error: String,
}

/// What a device keeps while it is not connected.
#[derive(Debug, Clone, Default)]
pub struct DeviceState {
    /// The name that the service gave the device; null before the first connection.
    pub name: Value,
    /// The copy of the items, and its revision.
    pub items: Items,
    pub revision: Option<i64>,
    /// The changes of partial messages, which are applied with those of the next complete one.
    uncommitted: Vec<Value>,
}

pub struct Device {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The device's name, its copy of the items, and the revision of the copy.
    pub name: String,
    pub items: Items,
    pub revision: Option<i64>,
    uncommitted: Vec<Value>,
    next_request: u64,
}

impl DeviceState {
    /// Applies changes to the copy.
    pub fn edit(&mut self, changes: &[Value]) {
        edit(&mut self.items, changes);
    }

    /// Connects the device and waits for the reply to its first message. The device has not subscribed yet.
    pub async fn connect(&self, base: &str, token: &str, project: &str) -> Result<Device, Lost> {
        let schema = json!({"project_id": project, "version": 1, "tables": {}});
        let mut device = Device::open(base, identity(token, &schema, &self.name)).await?;
        let reply = device.next_message().await?;
        assert_eq!(reply["type"], "clientIdentity", "{reply}");
        device.name = text(&reply, "clientIdentity");
        (device.items, device.revision) = (self.items.clone(), self.revision);
        device.uncommitted.clone_from(&self.uncommitted);
        Ok(device)
    }
}

impl Device {
    /// Connects a device. `name`: the name from an earlier connection, or null.
    pub async fn identify(app: &App, token: &str, project: &str, name: Value) -> Self {
        DeviceState { name, ..DeviceState::default() }.connect(&app.base, token, project).await.unwrap()
    }

    /// Sends the message with which a device identifies itself, without reading the reply.
    pub async fn begin(app: &App, token: &str, schema: Value, name: Value) -> Self {
        Self::begin_with(app, identity(token, &schema, &name)).await
    }

    /// Sends a first message.
    pub async fn begin_with(app: &App, first: Value) -> Self {
        Self::open(&app.base, first).await.unwrap()
    }

    async fn open(base: &str, first: Value) -> Result<Self, Lost> {
        let address = format!("{}/ws", base.replace("http://", "ws://"));
        // Small, because some tests connect thousands of devices.
        let config = WebSocketConfig::default().read_buffer_size(4 * 1024);
        let connected = connect_async_with_config(address.as_str(), Some(config), true).await;
        let (socket, _) = connected.map_err(|_| Lost::default())?;
        let (name, items, uncommitted) = (String::new(), Items::new(), Vec::new());
        let mut device = Self { socket, name, items, revision: None, uncommitted, next_request: 1 };
        device.try_send(first).await?;
        Ok(device)
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
        let mut device = self.disconnect().await.connect(&app.base, token, project).await.unwrap();
        device.edit(&changes);
        device.push(changes).await;
        device.subscribe().await;
        device
    }

    /// Closes the connection and returns what the device keeps.
    pub async fn disconnect(mut self) -> DeviceState {
        drop(self.socket.close(None).await);
        self.lose()
    }

    /// Loses the connection and returns what the device keeps.
    pub fn lose(self) -> DeviceState {
        self.state()
    }

    /// What the device keeps if it loses the connection now.
    pub fn state(&self) -> DeviceState {
        let (name, items, uncommitted) = (json!(self.name), self.items.clone(), self.uncommitted.clone());
        DeviceState { name, items, revision: self.revision, uncommitted }
    }

    pub async fn send(&mut self, message: Value) {
        self.try_send(message).await.unwrap();
    }

    async fn try_send(&mut self, message: Value) -> Result<(), Lost> {
        self.socket.send(Message::text(message.to_string())).await.map_err(|_| Lost::default())
    }

    /// Sends the first half of a `changes` message.
    pub async fn send_half(&mut self, changes: &[Value]) -> Result<(), Lost> {
        let text = json!({"type": "changes", "changes": changes, "requestId": self.next_request}).to_string();
        let half = text[..text.len() / 2].to_owned();
        let frame = Frame::message(half.into_bytes(), OpCode::Data(Data::Text), false);
        self.socket.send(Message::Frame(frame)).await.map_err(|_| Lost::default())
    }

    /// Waits for the next message, or for the end of the connection.
    pub async fn receive(&mut self) -> Received {
        timeout(TIMEOUT, self.receive_at_last()).await.expect("The device received nothing.")
    }

    /// Like [`Device::receive`], but it may take any time. Nothing is lost if the returned future is dropped.
    async fn receive_at_last(&mut self) -> Received {
        loop {
            match self.socket.next().await {
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

    /// Waits for the next message that is not an error.
    async fn next_message(&mut self) -> Result<Value, Lost> {
        timeout(TIMEOUT, self.message_at_last()).await.expect("The device received nothing.")
    }

    /// Like [`Device::next_message`], but it may take any time. Nothing is lost if the returned future is dropped.
    async fn message_at_last(&mut self) -> Result<Value, Lost> {
        match self.receive_at_last().await {
            Received::Message(message) if message["type"] == "error" => Err(Lost { error: text(&message, "code") }),
            Received::Message(message) => Ok(message),
            Received::Closed(_) => Err(Lost::default()),
        }
    }

    /// Applies the changes that the device made itself to its copy.
    pub fn edit(&mut self, changes: &[Value]) {
        edit(&mut self.items, changes);
    }

    /// Sends changes and waits for the acknowledgement. Applies what arrives in between.
    pub async fn push(&mut self, changes: Vec<Value>) {
        self.try_push(&changes).await.unwrap();
    }

    /// Like [`Device::push`], but the connection may be lost.
    pub async fn try_push(&mut self, changes: &[Value]) -> Result<(), Lost> {
        let request = self.try_begin_push(changes).await?;
        loop {
            let message = self.next_message().await?;
            if message["type"] == "ack" {
                assert_eq!(message["requestId"], request);
                return Ok(());
            }
            self.apply(&message);
        }
    }

    /// Sends changes without waiting.
    pub async fn begin_push(&mut self, changes: Vec<Value>) -> u64 {
        self.try_begin_push(&changes).await.unwrap()
    }

    /// Like [`Device::begin_push`], but the connection may be lost.
    pub async fn try_begin_push(&mut self, changes: &[Value]) -> Result<u64, Lost> {
        let (request, base) = (self.next_request, self.revision);
        self.next_request += 1;
        let message = json!({
            "type": "changes", "changes": changes, "partial": false, "baseRevision": base, "requestId": request,
        });
        self.try_send(message).await?;
        Ok(request)
    }

    /// Makes changes in the copy and sends them.
    pub async fn change(&mut self, changes: Vec<Value>) {
        self.edit(&changes);
        self.push(changes).await;
    }

    /// Subscribes and applies the first load. Returns the number of its messages.
    pub async fn subscribe(&mut self) -> usize {
        self.try_subscribe().await.unwrap()
    }

    /// Like [`Device::subscribe`], but the connection may be lost.
    pub async fn try_subscribe(&mut self) -> Result<usize, Lost> {
        self.try_send(json!({"type": "subscribe", "syncedRevision": self.revision})).await?;
        self.try_changes().await
    }

    /// Waits for a complete series of `changes` messages and applies it. Returns the number of messages.
    pub async fn changes(&mut self) -> usize {
        self.try_changes().await.unwrap()
    }

    /// Waits for one `changes` message, which may be partial, and applies it.
    pub async fn part(&mut self) {
        let message = self.next_message().await.unwrap();
        self.apply(&message);
    }

    async fn try_changes(&mut self) -> Result<usize, Lost> {
        for count in 1.. {
            let message = self.next_message().await?;
            self.apply(&message);
            if message["partial"] == false {
                return Ok(count);
            }
        }
        Ok(0)
    }

    fn apply(&mut self, message: &Value) {
        assert_eq!(message["type"], "changes", "{message}");
        let changes = message["changes"].as_array().unwrap();
        assert!(changes.len() <= 1_000 && message.to_string().len() <= 1024 * 1024);
        for change in changes {
            assert!(change["type"] != 1 || change["obj"]["id"] == change["key"], "{change}");
        }
        if message["partial"] == true {
            self.uncommitted.extend_from_slice(changes);
        } else {
            commit(&mut self.items, &std::mem::take(&mut self.uncommitted));
            commit(&mut self.items, changes);
        }
        let revision = message["currentRevision"].as_i64().unwrap();
        // A device that gets everything again starts over if the connection ends before the last message.
        let starts_over = message["partial"] == true && revision == 0;
        let is_ordered = starts_over || self.revision.is_none_or(|own| own <= revision);
        assert!((0..1 << 53).contains(&revision) && is_ordered, "{:?}, then {revision}", self.revision);
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

    /// Applies everything that arrives until nothing more arrives for this long.
    async fn try_settle(&mut self, quiet: Duration) -> Result<(), Lost> {
        while let Ok(message) = timeout(quiet, self.message_at_last()).await {
            self.apply_unless_ack(&message?);
        }
        Ok(())
    }

    /// Applies everything that arrives within a duration.
    pub async fn listen(&mut self, duration: Duration) -> Result<(), Lost> {
        let end = Instant::now() + duration;
        while let Ok(message) = timeout_at(end, self.message_at_last()).await {
            self.apply_unless_ack(&message?);
        }
        Ok(())
    }

    /// Applies what arrives until an item has a title.
    pub async fn wait_for_title(&mut self, id: &str, title: &str) -> Result<(), Lost> {
        while self.title(id) != title {
            let message = self.next_message().await?;
            self.apply_unless_ack(&message);
        }
        Ok(())
    }

    fn apply_unless_ack(&mut self, message: &Value) {
        if message["type"] != "ack" {
            self.apply(message);
        }
    }

    /// Waits until the copy has these items and nothing more arrives. Panics if that takes too long.
    pub async fn converge(&mut self, stored: &Items) {
        let end = Instant::now() + TIMEOUT;
        loop {
            self.try_settle(Duration::from_millis(500)).await.unwrap();
            if self.items == *stored {
                return;
            }
            assert!(Instant::now() < end, "{} has {:#?}, but {stored:#?} is stored.", self.name, self.items);
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

fn identity(token: &str, schema: &Value, name: &Value) -> Value {
    json!({"type": "clientIdentity", "clientIdentity": name, "authToken": token, "schema": schema})
}
