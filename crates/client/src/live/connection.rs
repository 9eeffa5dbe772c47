//! One connection, from the first message to its end.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};

use super::message::{Incoming, Outgoing};
use super::shared::{LiveStatus, Shared};
use super::socket::Socket;
use crate::{Client, Credential, Error};

/// How long the service may take to load, to acknowledge, and to accept a token, as long as it is there.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// After this time without a message, the service is asked whether it is there.
const MAX_SILENCE: Duration = Duration::from_secs(30);
/// How long it may take to answer that. Otherwise the connection is lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait before the schema is read again.
const SCHEMA_INTERVAL: Duration = Duration::from_secs(5);
/// How often the token source is asked for a newer token. Tests do not wait for that.
const TOKEN_INTERVAL: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(15) };

pub(super) struct Connection<'a> {
    pub(super) shared: &'a Shared,
    pub(super) client: &'a Client,
    pub(super) project_id: &'a str,
    pub(super) socket: Socket,
    /// The token that the service has.
    pub(super) token: &'a mut String,
    /// Whether everything was loaded.
    pub(super) is_ready: bool,
    /// Since when the service has to load or to acknowledge something, and to accept a token.
    pub(super) waiting_since: Option<Instant>,
    pub(super) renewing_since: Option<Instant>,
    /// When the service last sent something, or was asked whether it is there.
    pub(super) silent_since: Instant,
    pub(super) is_asked: bool,
}

impl Connection<'_> {
    /// Keeps the items in sync until the service rejects the token.
    pub(super) async fn run(mut self) -> Result<(), Error> {
        let device = self.shared.items().replica.device.clone();
        let schema = json!({"project_id": self.project_id});
        let identity =
            Outgoing::Identity { client_identity: device.as_deref(), auth_token: self.token.as_str(), schema };
        send(&mut self.socket, &identity)?;
        let credential = &self.client.transport.credential;
        let mut renewal = pin!(next_token(credential));
        let mut learning = pin!(learn(self.client, self.project_id, self.shared));
        loop {
            let deadline = self.deadline();
            let can_send = self.is_ready && self.waiting_since.is_none();
            let retry_at = self.shared.items().replica.retry_at();
            tokio::select! {
                message = next(&mut self.socket) => {
                    if self.receive(message)? {
                        return Ok(());
                    }
                }
                () = self.shared.has_changes.notified(), if can_send => self.send_changes()?,
                token = &mut renewal => {
                    renewal.set(next_token(credential));
                    self.renew(token)?;
                }
                () = &mut learning, if self.is_ready => {}
                () = sleep_until(retry_at.unwrap_or(deadline)), if retry_at.is_some() => self.shared.retry(),
                () = sleep_until(deadline) => self.ask(deadline)?,
            }
        }
    }

    /// Until when something has to arrive.
    fn deadline(&self) -> Instant {
        let silence = self.silent_since + if self.is_asked { ANSWER_TIMEOUT } else { MAX_SILENCE };
        let responses = [self.waiting_since, self.renewing_since].into_iter().flatten();
        responses.map(|since| since + RESPONSE_TIMEOUT).fold(silence, Instant::min)
    }

    /// Asks after a silence whether the connection still exists: it can be lost without notice.
    fn ask(&mut self, deadline: Instant) -> Result<(), Error> {
        if self.is_asked || deadline != self.silent_since + MAX_SILENCE {
            return Err(Error::Connection("The service did not respond in time.".to_owned()));
        }
        (self.is_asked, self.silent_since) = (true, Instant::now());
        self.socket.start_send_unpin(Message::Ping(Bytes::new())).map_err(|error| lost(&error))
    }

    /// Processes a message. Returns whether the service rejected the token.
    fn receive(&mut self, message: Option<Result<Message, tungstenite::Error>>) -> Result<bool, Error> {
        (self.is_asked, self.silent_since) = (false, Instant::now());
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Pings, which the library answers.
            Some(Ok(message)) if !message.is_close() => return Ok(false),
            Some(Err(error)) => return Err(lost(&error)),
            Some(Ok(_)) | None => return Err(Error::Connection("The service ended the connection.".to_owned())),
        };
        match Incoming::parse(&text)? {
            Incoming::Identity { client_identity, atomic } => {
                let mut synced_revision = None;
                self.shared.update(|replica| {
                    replica.device = Some(client_identity);
                    replica.begin_load();
                    synced_revision = replica.revision;
                    replica.learn_atomic(atomic)
                });
                send(&mut self.socket, &Outgoing::Subscribe { synced_revision })?;
                self.waiting_since = Some(Instant::now());
            }
            Incoming::Changes(received) => {
                let is_last = received.is_last();
                self.shared.update(|replica| replica.receive(received));
                let is_loading = !self.is_ready;
                if is_loading {
                    self.waiting_since = (!is_last).then(Instant::now);
                }
                if is_loading && is_last {
                    self.is_ready = true;
                    self.shared.set_status(LiveStatus::Online);
                }
            }
            Incoming::Ack { request_id } => self.shared.update(|replica| {
                let changed = request_id.as_u64().and_then(|id| replica.acknowledge(id));
                self.waiting_since = self.waiting_since.filter(|_| changed.is_none());
                changed.unwrap_or_default()
            }),
            Incoming::Rejected | Incoming::TokenUpdateAck { ok: false } => return Ok(true),
            Incoming::TokenUpdateAck { ok: true } => self.renewing_since = None,
            Incoming::Other => {}
        }
        Ok(false)
    }

    /// Sends the next portion of changes, if there are any. The next one follows its acknowledgement.
    fn send_changes(&mut self) -> Result<(), Error> {
        let (base_revision, portion) = {
            let replica = &mut self.shared.items().replica;
            (replica.revision, replica.portion())
        };
        let Some((request_id, ref changes, atomic)) = portion else { return Ok(()) };
        self.waiting_since = Some(Instant::now());
        send(&mut self.socket, &Outgoing::Changes { request_id, base_revision, partial: false, atomic, changes })
    }

    /// Passes a newer token on before the one expires that the service has.
    fn renew(&mut self, token: Result<Option<String>, Error>) -> Result<(), Error> {
        let token = match token {
            Ok(Some(token)) if token != *self.token => token,
            // The token may still be valid for a while.
            Err(error) if !error.is_temporary() => return Err(error),
            _ => return Ok(()),
        };
        send(&mut self.socket, &Outgoing::TokenUpdate { auth_token: &token })?;
        (*self.token, self.renewing_since) = (token, Some(Instant::now()));
        Ok(())
    }
}

async fn next_token(credential: &Credential) -> Result<Option<String>, Error> {
    sleep(TOKEN_INTERVAL).await;
    credential.token().await
}

/// Learns the schema, to check local changes, and again when it may have changed. Without it, the service checks them.
async fn learn(client: &Client, project_id: &str, shared: &Shared) {
    let client = client.with_credential(Credential::None);
    loop {
        if let Ok(listing) = client.schemas(project_id).get(None).json().await {
            let newest = listing.data.into_iter().next();
            shared.items().replica.schema =
                newest.and_then(|mut version| version.schema.remove("tables")).unwrap_or_default();
            shared.doubts_schema.notified().await;
        }
        sleep(SCHEMA_INTERVAL).await;
    }
}

/// Sends what waits, and returns the next message.
async fn next(socket: &mut Socket) -> Option<Result<Message, tungstenite::Error>> {
    poll_fn(|context| {
        // If that fails, the service sends nothing any more.
        let _flushed = socket.poll_flush_unpin(context);
        socket.poll_next_unpin(context)
    })
    .await
}

/// Lets `next` send a message. At most a portion and few others wait.
fn send(socket: &mut Socket, message: &Outgoing<'_>) -> Result<(), Error> {
    let text = serde_json::to_string(message).map_err(Error::Decode)?;
    socket.start_send_unpin(Message::text(text)).map_err(|error| lost(&error))
}

fn lost(error: &tungstenite::Error) -> Error {
    Error::Connection(format!("The connection was lost: {error}."))
}
