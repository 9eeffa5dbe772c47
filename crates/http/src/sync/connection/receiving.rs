//! Handles the messages of a device.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use actix_ws::CloseCode;
use steward_api::RateClass;
use steward_domain::data::{SyncCorrections, SyncMessage, SyncOutcome};
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_domain::kernel::policy::Lane;
use tokio::time::sleep;

use super::{Connection, End, LARGE_BYTES};
use crate::sync::incoming::Incoming;
use crate::sync::message::{self, ClientChanges, ClientMessage, PresentedToken, Unreadable};
use crate::sync::reply::{self, TOKEN_EXPIRED, UNAUTHORIZED};
use steward_web::{BATCH_SHARE, CountedBy};

/// Messages with more changes are stored only a few at the same time.
const LARGE_CHANGES: usize = 100;
/// How often, and how long at most, a message waits for the rate limit.
const MAX_WAITS: usize = 10;
const MAX_WAIT: Duration = Duration::from_secs(5);

impl Connection {
    /// Handles a message.
    pub(super) async fn read(&mut self, text: String, messages: &mut Incoming) -> Result<(), End> {
        let is_large = text.len() > LARGE_BYTES;
        let compute = self.api.steward.compute.clone();
        let parse = move || (message::parse(&text), text);
        let (parsed, text) = self.work(compute.call(is_large, parse)).await?;
        match parsed {
            Ok(ClientMessage::Changes(changes)) => self.store(changes).await,
            Ok(other) => {
                self.wait_for_rate_limit(RateClass::Reads, NonZeroU32::MIN).await?;
                match other {
                    ClientMessage::Subscribe { revision } => self.subscribe(revision).await,
                    ClientMessage::TokenUpdate { token } => self.update_token(token).await,
                    ClientMessage::Identity { .. } | ClientMessage::Changes(_) | ClientMessage::Other => Ok(()),
                }
            }
            Err(Unreadable::NotJson) => Err(not_json()),
            Err(Unreadable::TooManyChanges) => self.read_long(text.into_bytes(), true, messages).await,
        }
    }

    async fn store(&mut self, sent: ClientChanges) -> Result<(), End> {
        let ClientChanges { request, changes, malformed, base, content } = sent;
        let received_at = Instant::now();
        if malformed > 0 {
            tracing::warn!(count = malformed, user = %self.person.user_id, "Malformed changes of a device are ignored.");
        }
        self.wait_for_rate_limit(RateClass::Writes, cost_of(changes.len())).await?;
        let crosses = self.sent.crosses(changes.iter().map(|change| &change.key), base, received_at);
        let is_empty = changes.is_empty();
        let (device, may_repeat) = (self.device.clone(), self.may_repeat);
        let message = Arc::new(SyncMessage { device, changes, content, may_repeat, portion: None });
        let outcome = self.apply(&message, Lane::Interactive).await?;
        // An empty message shows that the device received every acknowledgement.
        self.may_repeat = false;
        if !is_empty {
            if let Some(positions) = outcome.positions.filter(|_| !crosses) {
                self.own.add(positions);
            }
            // First, because a device that lost the connection sends its changes again only until it has the
            // acknowledgement.
            self.report_rejected(outcome.rejected);
            self.correct(&outcome.corrections, base).await?;
        }
        let ack = reply::ack(&request);
        self.send(ack).await
    }

    /// Stores a message, with the current access of the person.
    pub(super) async fn apply(&mut self, message: &Arc<SyncMessage>, lane: Lane) -> Result<SyncOutcome, End> {
        let api = self.api.clone();
        let _slot = match message.changes.len() > LARGE_CHANGES {
            true => api.sync.large_messages().acquire().await.ok(),
            false => None,
        };
        Ok(self.run_as_person(lane, async |sync, person| sync.apply(person, message).await).await?)
    }

    /// Sends the stored state of the items whose changes were not stored as the device made them.
    pub(super) async fn correct(&mut self, corrections: &SyncCorrections, base: Option<i64>) -> Result<(), End> {
        if corrections.is_empty() { Ok(()) } else { self.send_corrections(corrections, base).await }
    }

    /// Counts and logs rejected changes.
    pub(super) fn report_rejected(&self, count: usize) {
        let (user, project) = (self.person.user_id, self.person.project_id);
        if count > 0 {
            self.api.sync.stats().rejected.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
            tracing::info!(%project, %user, count, "Changes of a device were rejected.");
        }
    }

    async fn update_token(&mut self, sent: PresentedToken) -> Result<(), End> {
        let renewed = self.work(async {
            let token = self.credential_of(sent)?;
            Ok::<_, Error>((self.api.steward.item_sync.renew(&self.person, &token).await?, token))
        });
        let reply = match renewed.await {
            Ok((person, token)) => {
                self.token = token;
                self.accept(person);
                reply::token_accepted()
            }
            Err(error @ Error::Unauthenticated(AuthenticationError::ExpiredToken)) => {
                reply::token_refused(TOKEN_EXPIRED, &error.to_string())
            }
            Err(
                error @ (Error::Unauthenticated(_) | Error::Forbidden(_) | Error::NotFound(_) | Error::Conflict(_)),
            ) => reply::token_refused(UNAUTHORIZED, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        self.send(reply).await
    }

    /// Counts a message as requests of the person. Waits instead of failing: an error would stop the device.
    async fn wait_for_rate_limit(&self, class: RateClass, cost: NonZeroU32) -> Result<(), End> {
        for _ in 0..MAX_WAITS {
            match self.time_to_wait(class, cost) {
                None => return Ok(()),
                Some(wait) => sleep(wait).await,
            }
        }
        Err(End::Close(CloseCode::Again, "The device sends messages too fast."))
    }

    /// Counts requests of the person. Returns how long to wait before the next attempt if they exceed the rate limit.
    pub(super) fn time_to_wait(&self, class: RateClass, cost: NonZeroU32) -> Option<Duration> {
        let rate_limiter = &self.api.web.rate_limiter;
        let by = CountedBy::Credential(rate_limiter.hash(self.person.caller.identity.holder().as_str()));
        let exceeded = rate_limiter.take(class, by, cost)?.err()?;
        Some(Duration::from_secs(exceeded.retry_after).min(MAX_WAIT))
    }
}

/// Returns the cost of storing this many changes, in writes.
pub(super) fn cost_of(changes: usize) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(u32::try_from(changes / BATCH_SHARE).unwrap_or(u32::MAX))
}

/// Ends a connection whose device sent something else than messages.
pub(super) fn not_json() -> End {
    End::Close(CloseCode::Invalid, "A message must be a JSON object without duplicate members.")
}
