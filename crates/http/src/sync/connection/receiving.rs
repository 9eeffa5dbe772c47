//! Handles the messages of a device.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use actix_ws::CloseCode;
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::policy::RateClass;
use steward_domain::usecases::{SyncMessage, SyncOutcome};
use tokio::time::sleep;

use super::{Connection, End, LARGE_BYTES};
use crate::rate_limiter::CountedBy;
use crate::sync::message::{self, ClientChanges, ClientMessage, TOKEN_EXPIRED, UNAUTHORIZED, Unreadable};

/// Number of changes that count as one additional write, as in a batch.
const BATCH_SHARE: usize = 10;
/// Messages with more changes are stored only a few at the same time.
const LARGE_CHANGES: usize = 100;
/// How often a message is tried again because the person's access changed in between.
const MAX_RENEWALS: usize = 5;
/// How often, and how long at most, a message waits for the rate limit.
const MAX_WAITS: usize = 10;
const MAX_WAIT: Duration = Duration::from_secs(5);

impl Connection {
    /// Handles a message.
    pub(super) async fn read(&mut self, text: String) -> Result<(), End> {
        let is_large = text.len() > LARGE_BYTES;
        let compute = self.api.steward.compute.clone();
        let parsed = self.work(compute.call(is_large, move || message::parse(&text))).await?;
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
            Err(Unreadable::NotJson) => {
                Err(End::Close(CloseCode::Invalid, "A message must be a JSON object without duplicate members."))
            }
            Err(Unreadable::TooManyChanges) => {
                Err(End::Close(CloseCode::Size, "A message can have at most 1,000 changes."))
            }
        }
    }

    async fn store(&mut self, sent: ClientChanges) -> Result<(), End> {
        let ClientChanges { request, changes, malformed, base, content } = sent;
        let received_at = Instant::now();
        if malformed > 0 {
            tracing::warn!(count = malformed, user = %self.person.user_id, "Malformed changes of a device are ignored.");
        }
        let more = u32::try_from(changes.len() / BATCH_SHARE).unwrap_or(u32::MAX);
        self.wait_for_rate_limit(RateClass::Writes, NonZeroU32::MIN.saturating_add(more)).await?;
        let crosses = self.sent.crosses(changes.iter().map(|change| &change.key), base, received_at);
        let is_empty = changes.is_empty();
        let (device, may_repeat) = (self.device.clone(), self.may_repeat);
        let message = Arc::new(SyncMessage { device, changes, content, may_repeat });
        let outcome = self.apply(&message).await?;
        // An empty message shows that the device received every acknowledgement.
        self.may_repeat = false;
        if !is_empty {
            if let Some(positions) = outcome.positions.filter(|_| !crosses) {
                self.own.add(positions);
            }
            self.api.sync.hurry();
            // First, because a device that lost the connection sends its changes again only until it has the
            // acknowledgement.
            self.correct(outcome, base).await?;
        }
        let ack = message::ack(&request);
        self.send(ack).await
    }

    /// Stores a message, with the current access of the person.
    async fn apply(&mut self, message: &Arc<SyncMessage>) -> Result<SyncOutcome, End> {
        let api = self.api.clone();
        let _slot = match message.changes.len() > LARGE_CHANGES {
            true => api.sync.large_messages().acquire().await.ok(),
            false => None,
        };
        for _ in 0..MAX_RENEWALS {
            match self.work(api.steward.item_sync.apply(&self.person, message)).await {
                Err(Error::AccessChanged) => {
                    let renewed = self.work(api.steward.item_sync.renew(&self.person, &self.token)).await?;
                    self.accept(renewed);
                }
                outcome => return Ok(outcome?),
            }
        }
        Err(Error::AccessChanged.into())
    }

    /// Sends the stored state of the items whose changes were not stored as the device made them.
    async fn correct(&mut self, outcome: SyncOutcome, base: Option<i64>) -> Result<(), End> {
        if outcome.corrections.is_empty() {
            return Ok(());
        }
        let (user, project) = (self.person.user_id, self.person.project_id);
        if outcome.rejected > 0 {
            let rejected = u64::try_from(outcome.rejected).unwrap_or(u64::MAX);
            self.api.sync.stats().rejected.fetch_add(rejected, Ordering::Relaxed);
            tracing::info!(%project, %user, count = rejected, "Changes of a device were rejected.");
        }
        self.send_corrections(&outcome.corrections, base).await
    }

    async fn update_token(&mut self, token: String) -> Result<(), End> {
        let renewed = self.work(self.api.steward.item_sync.renew(&self.person, &token)).await;
        let reply = match renewed {
            Ok(person) => {
                self.token = token;
                self.accept(person);
                message::token_accepted()
            }
            Err(error @ Error::Unauthenticated(AuthenticationError::ExpiredToken)) => {
                message::token_refused(TOKEN_EXPIRED, &error.to_string())
            }
            Err(
                error @ (Error::Unauthenticated(_) | Error::Forbidden(_) | Error::NotFound(_) | Error::Conflict(_)),
            ) => message::token_refused(UNAUTHORIZED, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        self.send(reply).await
    }

    /// Counts a message as requests of the person. Waits instead of failing: an error would stop the device.
    async fn wait_for_rate_limit(&self, class: RateClass, cost: NonZeroU32) -> Result<(), End> {
        let rate_limiter = &self.api.rate_limiter;
        let by = CountedBy::Credential(rate_limiter.hash(self.person.caller.identity.holder().as_str()));
        for _ in 0..MAX_WAITS {
            match rate_limiter.take(class, by, cost) {
                None | Some(Ok(_)) => return Ok(()),
                Some(Err(exceeded)) => sleep(Duration::from_secs(exceeded.retry_after).min(MAX_WAIT)).await,
            }
        }
        Err(End::Close(CloseCode::Again, "The device sends messages too fast."))
    }
}
