//! One connection, from the first message to its end.

use std::pin::pin;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{self, Message};

use super::message::{Incoming, Outgoing, Schema};
use super::replica::{Portion, Received};
use super::shared::{LiveStatus, Shared};
use super::socket::Socket;
use crate::{Credential, Error};

/// How long the service may take to load, to acknowledge, and to accept a message.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// After this time without a message, the connection is lost. The service pings every 30 seconds.
const MAX_SILENCE: Duration = Duration::from_secs(75);
/// How often the token source is asked for a newer token. Tests do not wait for that.
const TOKEN_INTERVAL: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(15) };

pub(super) struct Connection<'a> {
    pub(super) shared: &'a Shared,
    pub(super) credential: &'a Credential,
    pub(super) project_id: &'a str,
    pub(super) socket: Socket,
    /// The token that the service has.
    pub(super) token: &'a mut String,
    /// Whether everything was loaded.
    pub(super) is_ready: bool,
    /// Since when the service has to load or to acknowledge something.
    pub(super) waiting_since: Option<Instant>,
    pub(super) last_seen: Instant,
}

impl Connection<'_> {
    /// Keeps the items in sync until the service rejects the token.
    pub(super) async fn run(mut self) -> Result<(), Error> {
        let device = self.shared.items().replica.device.clone();
        let schema = Schema { project_id: self.project_id };
        let identity =
            Outgoing::Identity { client_identity: device.as_deref(), auth_token: self.token.as_str(), schema };
        send(&mut self.socket, &identity).await?;
        let mut renewal = pin!(next_token(self.credential));
        loop {
            let deadline = self.deadline();
            let can_send = self.is_ready && self.waiting_since.is_none();
            tokio::select! {
                message = self.socket.next() => {
                    if self.receive(message).await? {
                        return Ok(());
                    }
                }
                () = self.shared.has_changes.notified(), if can_send => self.send_changes().await?,
                token = &mut renewal => {
                    renewal.set(next_token(self.credential));
                    self.renew(token).await?;
                }
                () = sleep_until(deadline) => {
                    return Err(Error::Connection("The service did not respond in time.".to_owned()));
                }
            }
        }
    }

    /// Until when something has to arrive.
    fn deadline(&self) -> Instant {
        self.waiting_since.map_or(self.last_seen + MAX_SILENCE, |since| since + RESPONSE_TIMEOUT)
    }

    /// Processes a message. Returns whether the service rejected the token.
    async fn receive(&mut self, message: Option<Result<Message, tungstenite::Error>>) -> Result<bool, Error> {
        self.last_seen = Instant::now();
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Pings, which the library answers.
            Some(Ok(message)) if !message.is_close() => return Ok(false),
            Some(Err(error)) => return Err(lost(&error)),
            Some(Ok(_)) | None => return Err(Error::Connection("The service ended the connection.".to_owned())),
        };
        match Incoming::parse(&text)? {
            Incoming::Identity { client_identity } => {
                let revision = {
                    let replica = &mut self.shared.items().replica;
                    replica.device = Some(client_identity);
                    replica.begin_load();
                    replica.revision
                };
                send(&mut self.socket, &Outgoing::Subscribe { synced_revision: revision }).await?;
            }
            Incoming::Changes { changes, current_revision, partial } => {
                let (is_loading, is_last) = (!self.is_ready, !partial);
                let received = Received { changes, revision: current_revision, is_loading, is_last };
                self.shared.update(|replica| Ok::<_, Error>(replica.receive(received)))?;
                if is_loading {
                    self.waiting_since = (!is_last).then(Instant::now);
                }
                if is_loading && is_last {
                    self.is_ready = true;
                    self.send_changes().await?;
                    self.shared.set_status(LiveStatus::Online);
                }
            }
            Incoming::Ack { request_id } => {
                let mut is_expected = false;
                self.shared.update(|replica| {
                    let changed = request_id.as_u64().and_then(|id| replica.acknowledge(id));
                    is_expected = changed.is_some();
                    Ok::<_, Error>(changed.unwrap_or_default())
                })?;
                if is_expected {
                    self.waiting_since = None;
                    self.send_changes().await?;
                }
            }
            Incoming::Rejected | Incoming::TokenUpdateAck { ok: false } => return Ok(true),
            Incoming::TokenUpdateAck { ok: true } | Incoming::Other => {}
        }
        Ok(false)
    }

    /// Sends the next portion of changes, if there are any. The next one follows its acknowledgement.
    async fn send_changes(&mut self) -> Result<(), Error> {
        let portion = self.shared.items().replica.portion();
        let Some(portion) = portion else { return Ok(()) };
        self.waiting_since = Some(Instant::now());
        let Portion { ref changes, request_id, base_revision } = portion;
        send(&mut self.socket, &Outgoing::Changes { request_id, base_revision, partial: false, changes }).await
    }

    /// Passes a newer token on before the one expires that the service has.
    async fn renew(&mut self, token: Result<Option<String>, Error>) -> Result<(), Error> {
        let token = match token {
            Ok(Some(token)) if token != *self.token => token,
            // The token may still be valid for a while.
            Err(error) if !error.is_temporary() => return Err(error),
            _ => return Ok(()),
        };
        send(&mut self.socket, &Outgoing::TokenUpdate { auth_token: &token }).await?;
        *self.token = token;
        Ok(())
    }
}

async fn next_token(credential: &Credential) -> Result<Option<String>, Error> {
    sleep(TOKEN_INTERVAL).await;
    credential.token().await
}

async fn send(socket: &mut Socket, message: &Outgoing<'_>) -> Result<(), Error> {
    let text = serde_json::to_string(message).map_err(Error::Decode)?;
    match timeout(RESPONSE_TIMEOUT, socket.send(Message::text(text))).await {
        Ok(sent) => sent.map_err(|error| lost(&error)),
        Err(_) => Err(Error::Connection("The service did not read in time.".to_owned())),
    }
}

fn lost(error: &tungstenite::Error) -> Error {
    Error::Connection(format!("The connection was lost: {error}."))
}
