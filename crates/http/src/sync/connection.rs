//! One connection: reads the messages of the device, and sends it what it lacks.

mod long_message;
mod receiving;
mod sending;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use actix_web::http::Method;
use actix_web::web;
use actix_ws::{CloseCode, CloseReason, Session};
use steward_domain::data::{ItemSync, SyncSession};
use steward_domain::identity::PresentedCredential;
use steward_domain::kernel::error::{AuthenticationError, Conflict, Error};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{Request, retry_access_changed};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::admission::Admission;
use super::frames::ReceiveError;
use super::hub::Registration;
use super::incoming::{Incoming, Received};
use super::mailbox::News;
use super::message::{self, ClientMessage, PresentedToken};
use super::own::OwnChanges;
use super::reply::{self, TOKEN_EXPIRED, UNAUTHORIZED};
use super::sent::SentItems;
use super::unsent::Unsent;
use crate::Api;
use crate::endpoint::SYNC_PATH;

/// How long the first message may take.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval of pings, and how long a device may be silent.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const MAX_SILENCE: Duration = Duration::from_secs(75);
/// How long a message may wait for a device that does not read. At most 32 messages, and 1 MiB, wait at the same time.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Texts that are longer, in bytes, are parsed on a compute thread.
const LARGE_BYTES: usize = 32 * 1024;
/// Close code for a connection whose device is not authenticated.
const UNAUTHENTICATED: CloseCode = CloseCode::Other(4401);

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// The device has left or does not read.
    Gone,
    /// The service closes the connection for this reason.
    Close(CloseCode, &'static str),
    /// The service sends an error with this code and message first.
    Denied(&'static str, String),
}

impl From<actix_ws::Closed> for End {
    fn from(_: actix_ws::Closed) -> Self {
        Self::Gone
    }
}

impl From<ReceiveError> for End {
    fn from(error: ReceiveError) -> Self {
        let (code, reason) = match error {
            ReceiveError::TooLarge => (CloseCode::Size, "The first message can have at most 64 KiB."),
            ReceiveError::TooManyFrames => (CloseCode::Policy, "The first message can have at most 128 frames."),
            ReceiveError::Exhausted => (CloseCode::Again, "Too many messages are received at the same time."),
            ReceiveError::Lost => return Self::Gone,
            ReceiveError::Protocol => (CloseCode::Protocol, "A frame is not valid."),
        };
        Self::Close(code, reason)
    }
}

/// Returns a token as a credential, after the proof of its key was verified for the request that opens a connection.
fn credential(api: &Api, sent: PresentedToken) -> Result<PresentedCredential, Error> {
    let presented = api.steward.authentication.presented(&sent.token, true);
    let Some(jwt) = sent.proof else { return Ok(presented) };
    let proof = api.steward.authentication.proof(&jwt, Method::GET.as_str(), SYNC_PATH);
    Ok(PresentedCredential { proof: Some(proof.map_err(AuthenticationError::from)?), ..presented })
}

impl From<Error> for End {
    /// An error that is about the whole connection. Others never reach the device: it would stop, or repeat forever.
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Unauthenticated(AuthenticationError::ExpiredToken) => Some(TOKEN_EXPIRED),
            Error::Unauthenticated(_)
            | Error::Forbidden(_)
            | Error::NotFound(_)
            | Error::Conflict(Conflict::UserNotConnected) => Some(UNAUTHORIZED),
            _ => None,
        };
        if let Some(code) = code {
            return Self::Denied(code, error.to_string());
        }
        tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "A sync connection is closed.");
        Self::Close(CloseCode::Again, "The service is temporarily unavailable.")
    }
}

/// The state of a connection whose device is authenticated.
pub(super) struct Connection {
    api: web::Data<Api>,
    session: Session,
    unsent: Arc<Unsent>,
    device: String,
    token: PresentedCredential,
    person: SyncSession,
    registration: Registration,
    /// The revision up to which the device has all changes; `None` before it subscribes.
    revision: Option<i64>,
    own: OwnChanges,
    sent: SentItems,
    /// Whether the next changes may repeat those whose acknowledgement an earlier connection lost.
    may_repeat: bool,
    last_seen: Instant,
}

impl Connection {
    /// Serves a connection until it ends.
    pub(super) async fn serve(
        api: web::Data<Api>,
        origin: Request,
        (session, unsent): (Session, Arc<Unsent>),
        mut messages: Incoming,
        mut admission: Admission,
    ) {
        let mut closing = session.clone();
        // Boxed, as the branches of `run`: an idle connection keeps no memory for what is done only once.
        let end = match Box::pin(Self::authenticated(api, origin, (session, unsent), &mut messages)).await {
            Ok(mut connection) => {
                admission.authenticated();
                connection.run(&mut messages).await
            }
            Err(end) => end,
        };
        let reason = match end {
            End::Gone => None,
            End::Close(code, reason) => Some(CloseReason { code, description: Some(reason.to_owned()) }),
            End::Denied(code, text) => {
                timeout(SEND_TIMEOUT, closing.text(reply::error(code, &text))).await.ok();
                Some(CloseReason { code: UNAUTHENTICATED, description: Some(code.to_owned()) })
            }
        };
        timeout(SEND_TIMEOUT, closing.close(reason)).await.ok();
    }

    /// Waits for the first message and authenticates its token.
    async fn authenticated(
        api: web::Data<Api>,
        origin: Request,
        (session, unsent): (Session, Arc<Unsent>),
        messages: &mut Incoming,
    ) -> Result<Self, End> {
        let late = End::Close(UNAUTHENTICATED, "The first message must be `clientIdentity`.");
        let first = timeout(IDENTITY_TIMEOUT, first_text(messages)).await;
        let Ok(text) = first else { return Err(late) };
        let (text, compute) = (text?, api.steward.compute.clone());
        api.sync.stats.received.fetch_add(1, Ordering::Relaxed);

        let tenant = origin.address.map_or(Tenant::Service, Tenant::at_address);
        let work = Work { lane: Lane::Interactive, tenant };
        let parsed = work.scope(compute.call(text.len() > LARGE_BYTES, move || message::parse(&text))).await?;
        let Ok(ClientMessage::Identity { device, token, project }) = parsed else { return Err(late) };
        let token = credential(&api, token)?;
        let person = work.scope(api.steward.item_sync.connect(&token, project.as_deref(), origin)).await?;
        let Some(registration) = api.sync.register(&person).await? else {
            return Err(End::Close(CloseCode::Again, "The user has too many connections."));
        };
        let device = device.unwrap_or_else(|| api.web.ids.next().to_string());
        let mut connection = Self {
            api,
            session,
            unsent,
            device,
            token,
            person,
            registration,
            revision: None,
            own: OwnChanges::default(),
            sent: SentItems::default(),
            may_repeat: true,
            last_seen: Instant::now(),
        };
        messages.authenticated(connection.person.caller.identity.tenant());
        let reply = reply::identity(&connection.device);
        connection.send(reply).await?;
        Ok(connection)
    }

    /// Handles what happens until the connection ends. Returns why it ends.
    async fn run(&mut self, messages: &mut Incoming) -> End {
        let mut pings = interval(PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mailbox = self.registration.mailbox.clone();
        loop {
            let expiry = (self.person.expires_at - self.api.steward.clock.now()).to_std().unwrap_or_default();
            let handled = tokio::select! {
                received = messages.receive() => Box::pin(self.receive(received, messages)).await,
                news = mailbox.next() => Box::pin(self.handle(news)).await,
                _ = pings.tick() => Box::pin(self.ping()).await,
                () = sleep(expiry) => Err(Error::from(AuthenticationError::ExpiredToken).into()),
            };
            if let Err(end) = handled {
                return end;
            }
        }
    }

    async fn receive(&mut self, received: Result<Received, ReceiveError>, messages: &mut Incoming) -> Result<(), End> {
        self.last_seen = Instant::now();
        match received? {
            Received::Text(text) => {
                self.api.sync.stats.received.fetch_add(1, Ordering::Relaxed);
                self.read(text, messages).await
            }
            Received::Long { bytes, is_last } => {
                self.api.sync.stats.received.fetch_add(1, Ordering::Relaxed);
                self.read_long(bytes, is_last, messages).await
            }
            Received::Ping(bytes) => Ok(self.session.pong(&bytes).await?),
            Received::Pong => Ok(()),
            Received::Binary => Err(End::Close(CloseCode::Unsupported, "Messages must be JSON text.")),
            Received::Closed => Err(End::Gone),
        }
    }

    async fn handle(&mut self, news: News) -> Result<(), End> {
        if news.is_closing {
            return Err(End::Close(CloseCode::Away, "The service is shutting down."));
        }
        if news.is_access_stale {
            self.renew().await?;
        }
        if news.is_behind {
            return self.catch_up().await;
        }
        for delivery in news.deliveries {
            self.deliver(&delivery).await?;
        }
        Ok(())
    }

    /// Authenticates the device again, because the person's access may have changed.
    async fn renew(&mut self) -> Result<(), End> {
        match self.reauthenticate().await {
            // The access is checked again soon.
            Err(Error::Unavailable(_)) => Ok(()),
            renewed => Ok(renewed?),
        }
    }

    async fn reauthenticate(&mut self) -> Result<(), Error> {
        let person = self.work(self.api.steward.item_sync.renew(&self.person, &self.token)).await?;
        self.accept(person);
        Ok(())
    }

    /// Runs an action as the person, with their current access.
    async fn run_as_person<T>(
        &mut self,
        lane: Lane,
        action: impl AsyncFn(&ItemSync, &SyncSession) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let api = self.api.clone();
        let mut has_failed = false;
        retry_access_changed(async || {
            if std::mem::replace(&mut has_failed, true) {
                self.reauthenticate().await?;
            }
            self.work_in(lane, action(&api.steward.item_sync, &self.person)).await
        })
        .await
    }

    fn accept(&mut self, person: SyncSession) {
        self.registration.mailbox.set_basis(person.caller.basis);
        self.person = person;
    }

    async fn ping(&mut self) -> Result<(), End> {
        let now = Instant::now();
        self.sent.forget_old(now);
        if now.duration_since(self.last_seen) > MAX_SILENCE {
            return Err(End::Gone);
        }
        match timeout(SEND_TIMEOUT, self.session.ping(b"")).await {
            Ok(sent) => Ok(sent?),
            Err(_) => Err(End::Gone),
        }
    }

    async fn send(&mut self, text: String) -> Result<(), End> {
        self.api.sync.stats.sent.fetch_add(1, Ordering::Relaxed);
        match timeout(SEND_TIMEOUT, transmit(&mut self.session, &self.unsent, text)).await {
            Ok(sent) => Ok(sent?),
            Err(_) => Err(End::Close(CloseCode::Policy, "The device does not read its messages.")),
        }
    }

    /// Runs work for the person's project.
    async fn work<F: Future>(&self, work: F) -> F::Output {
        self.work_in(Lane::Interactive, work).await
    }

    async fn work_in<F: Future>(&self, lane: Lane, work: F) -> F::Output {
        Work { lane, tenant: self.person.caller.identity.tenant() }.scope(work).await
    }
}

/// Sends a text once the device has read most of those before it.
async fn transmit(session: &mut Session, unsent: &Unsent, text: String) -> Result<(), actix_ws::Closed> {
    unsent.add(text.len()).await;
    session.text(text).await
}

/// Returns the first text. Pings before it are ignored.
async fn first_text(messages: &mut Incoming) -> Result<String, End> {
    loop {
        match messages.receive().await? {
            Received::Text(text) => return Ok(text),
            Received::Ping(_) | Received::Pong => {}
            Received::Binary | Received::Long { .. } => {
                return Err(End::Close(UNAUTHENTICATED, "The first message must be `clientIdentity`."));
            }
            Received::Closed => return Err(End::Gone),
        }
    }
}
