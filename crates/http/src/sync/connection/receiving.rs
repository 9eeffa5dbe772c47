//! Handles the messages of a device.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use actix_ws::CloseCode;
use steward_api::RateClass;
use steward_domain::data::{SyncMessage, SyncOutcome};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Lane;
use tokio::time::sleep;

use super::{Connection, End, LARGE_BYTES, credential};
use crate::sync::incoming::Incoming;
use crate::sync::message::{self, ClientChanges, ClientMessage, PresentedToken, Unreadable};
use crate::sync::reply;
use steward_web::{BATCH_SHARE, CountedBy};

/// Messages with more changes are stored only a few at the same time.
const LARGE_CHANGES: usize = 100;
/// How often, and how long at most, a message waits for the rate limit: 30 s in all, while the connection reads nothing,
/// and our SDKs give up a connection that is silent for 40 s.
const MAX_WAITS: usize = 6;
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
        let ClientChanges { request, changes, malformed, base, content, is_atomic } = sent;
        let received_at = Instant::now();
        if malformed > 0 {
            tracing::warn!(count = malformed, user = %self.person.user_id, "Malformed changes of a device are ignored.");
        }
        self.wait_for_rate_limit(RateClass::Writes, cost_of(changes.len())).await?;
        let (device, may_repeat) = (self.device.clone(), self.may_repeat);
        let message = SyncMessage { device, changes, content, may_repeat, is_atomic, portion: None };
        let outcome = self.apply(message, base, received_at, Lane::Interactive).await?;
        // An empty message shows that the device received every acknowledgement.
        self.may_repeat = false;
        // First, because a device that lost the connection sends its changes again only until it has the
        // acknowledgement.
        self.correct(&outcome.corrections, base).await?;
        let ack = reply::ack(&request);
        self.send(ack).await
    }

    /// Stores a message of a device that had the revision `base`, with the current access of the person.
    pub(super) async fn apply(
        &mut self,
        message: SyncMessage,
        base: Option<i64>,
        received_at: Instant,
        lane: Lane,
    ) -> Result<SyncOutcome, End> {
        let crosses = self.sent.crosses(message.changes.iter().map(|change| &change.key), base, received_at);
        let (api, message) = (self.api.clone(), Arc::new(message));
        let _slot = match message.changes.len() > LARGE_CHANGES {
            true => api.sync.large_messages.acquire().await.ok(),
            false => None,
        };
        let outcome = self.run_as_person(lane, async |sync, person| sync.apply(person, &message).await).await?;
        if let Some(positions) = outcome.positions.filter(|_| !crosses) {
            self.own.add(positions);
        }
        self.report_rejected(outcome.rejected);
        Ok(outcome)
    }

    /// Counts and logs rejected changes.
    pub(super) fn report_rejected(&self, count: usize) {
        let (user, project) = (self.person.user_id, self.person.project_id);
        if count > 0 {
            self.api.sync.stats.rejected.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
            tracing::info!(%project, %user, count, "Changes of a device were rejected.");
        }
    }

    async fn update_token(&mut self, sent: PresentedToken) -> Result<(), End> {
        let renewed = self.work(async {
            let token = credential(&self.api, sent)?;
            Ok::<_, Error>((self.api.steward.item_sync.renew(&self.person, &token).await?, token))
        });
        let reply = match renewed.await {
            Ok((person, token)) => {
                self.token = token;
                self.accept(person);
                reply::token_accepted()
            }
            Err(error) => match error.into() {
                End::Denied(code, message) => reply::token_refused(code, &message),
                end => return Err(end),
            },
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
    End::Close(CloseCode::Invalid, "A message is not a JSON object, has duplicate members, or is atomic and malformed.")
}
