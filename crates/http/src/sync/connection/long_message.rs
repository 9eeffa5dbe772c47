//! Stores messages of any size, such as all changes that a device made while it was offline: they are read as they
//! arrive, and stored in portions. The acknowledgement follows the last one. A device that loses the connection repeats
//! the message, whose stored portions are recognized.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_ws::CloseCode;
use serde_json::Value;
use steward_api::RateClass;
use steward_domain::data::{SyncCorrections, SyncKey, SyncMessage, SyncPortion};
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_domain::kernel::policy::Lane;
use tokio::time::{sleep, timeout};

use super::receiving::{cost_of, not_json};
use super::{Connection, End, PING_INTERVAL};
use crate::sync::frames::Part;
use crate::sync::incoming::{Incoming, values};
use crate::sync::message;
use crate::sync::reply;
use crate::sync::splitter::{Found, Splitter};
use steward_web::Reservation;

/// Maximum size of a message, in bytes, and maximum number of its changes. The changes beyond are not taken.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
const MAX_MESSAGE_CHANGES: usize = 50_000;
/// The type of messages that have changes.
const CHANGES: &str = "changes";
/// Size of a portion, in changes, bytes and values. It has one change at least.
const PORTION_CHANGES: usize = 500;
const PORTION_BYTES: usize = 512 * 1024;
const PORTION_VALUES: usize = 20_000;
/// Memory that the key of an item takes in addition to its text, in bytes.
const KEY_BYTES: usize = 128;
/// Interval at which a busy connection checks whether it may continue.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// How long the next part of a message may take.
const PART_TIMEOUT: Duration = Duration::from_secs(30);

/// A message that is being read.
#[derive(Default)]
struct LongMessage {
    kind: Option<String>,
    request: Value,
    base: Option<i64>,
    /// Whether no change is taken, because a message of this size is not stored in one transaction.
    is_atomic: bool,
    /// Bytes and changes that were read.
    bytes: usize,
    changes: usize,
    /// Bytes that arrived and were not read.
    unread: usize,
    portion: Portion,
    /// What came before the portion. It has the items to correct before the acknowledgement.
    before: SyncPortion,
    /// Changes that were not taken, and not recorded yet.
    refused: Vec<SyncKey>,
    /// Number of changes that were not taken.
    refusals: usize,
    /// The memory that the corrections take.
    correction_bytes: usize,
    reserved: Option<Reservation>,
}

/// Changes that are stored together.
#[derive(Debug, Default)]
struct Portion {
    texts: Vec<Vec<u8>>,
    bytes: usize,
    values: usize,
}

impl Portion {
    fn add(&mut self, text: Vec<u8>) {
        self.bytes = self.bytes.saturating_add(text.len());
        self.values = self.values.saturating_add(values(&text));
        self.texts.push(text);
    }

    fn is_full(&self) -> bool {
        self.texts.len() >= PORTION_CHANGES || self.bytes >= PORTION_BYTES || self.values >= PORTION_VALUES
    }
}

impl LongMessage {
    /// Keeps a member that is not the changes.
    fn keep(&mut self, name: &[u8], value: Option<Vec<u8>>) -> Result<(), End> {
        let value = value.map(|value| message::parse_member(&value)).transpose().map_err(|_| not_json())?;
        let value = value.unwrap_or_default();
        match name {
            b"\"type\"" => self.kind = value.as_str().map(str::to_owned),
            b"\"requestId\"" => self.request = value,
            b"\"baseRevision\"" => self.base = message::whole(&value),
            b"\"atomic\"" => self.is_atomic = value != false,
            _ => {}
        }
        Ok(())
    }

    /// Returns whether the next change is within the limits. The type of the message has to come first.
    fn takes_more(&self) -> bool {
        let has_space = self.changes <= MAX_MESSAGE_CHANGES && self.bytes <= MAX_MESSAGE_BYTES;
        has_space && !self.is_atomic && self.kind.as_deref() == Some(CHANGES)
    }

    /// Returns whether the message has a type that this version does not know, or none that has changes.
    fn is_other(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind != CHANGES)
    }

    fn add_corrections(&mut self, corrections: SyncCorrections) {
        let known = Arc::make_mut(&mut self.before.corrections);
        for (key, reason) in corrections {
            let message = reason.as_ref().map_or(0, |reason| reason.message.len());
            let text = key.table.len().saturating_add(key.id.len()).saturating_add(message);
            if known.add(key, reason) {
                self.correction_bytes = self.correction_bytes.saturating_add(text).saturating_add(KEY_BYTES);
            }
        }
    }
}

impl Connection {
    /// Stores a message whose start was received.
    pub(super) async fn read_long(
        &mut self,
        start: Vec<u8>,
        is_last: bool,
        messages: &mut Incoming,
    ) -> Result<(), End> {
        let turn = self.registration.long_messages.clone();
        let _turn = self.wait_for(turn.lock()).await?;
        let (mut splitter, mut long) = (Splitter::default(), LongMessage::default());
        let (mut bytes, mut is_last) = (start, is_last);
        loop {
            long.unread = bytes.len();
            for byte in bytes {
                long.bytes += 1;
                long.unread = long.unread.saturating_sub(1);
                match splitter.push(byte).map_err(|_| not_json())? {
                    None => {}
                    Some(Found::Member { name, value }) => long.keep(&name, value)?,
                    Some(Found::Change { .. }) if long.is_other() => {}
                    Some(Found::Change { text, is_cut }) => self.take(&mut long, text, is_cut, messages).await?,
                }
            }
            if is_last {
                break;
            }
            // Also counts down what is discarded, so that a message of any size is read to its end.
            messages.hold(long.portion.bytes.saturating_add(splitter.held()))?;
            (bytes, is_last) = self.next_bytes(messages).await?;
        }
        if !splitter.is_complete() {
            return Err(not_json());
        }
        self.finish_long(long, messages).await
    }

    /// Takes a change, and stores the portion that it completes.
    async fn take(
        &mut self,
        long: &mut LongMessage,
        text: Vec<u8>,
        is_cut: bool,
        messages: &mut Incoming,
    ) -> Result<(), End> {
        long.changes += 1;
        if !is_cut && long.takes_more() {
            long.portion.add(text);
            if long.portion.is_full() {
                self.store_portion(long, messages).await?;
            }
            return Ok(());
        }
        let key = message::key_of(&text);
        if long.is_atomic && key.is_none() {
            // Without a correction, the acknowledgement would mean that everything was stored.
            return Err(not_json());
        }
        long.refused.extend(key);
        if is_cut || long.refused.len() >= PORTION_CHANGES {
            self.store_portion(long, messages).await?;
            self.refuse(long).await?;
        }
        Ok(())
    }

    /// Stores the changes that were read.
    async fn store_portion(&mut self, long: &mut LongMessage, messages: &mut Incoming) -> Result<(), End> {
        let Portion { texts, values, .. } = std::mem::take(&mut long.portion);
        if texts.is_empty() {
            return Ok(());
        }
        let received_at = Instant::now();
        self.wait_for_writes(texts.len()).await?;
        messages.count_parsed(values)?;
        let parse = move || (message::parse_changes(&texts), texts);
        let compute = self.api.steward.compute.clone();
        let (parsed, texts) = self.work_in(Lane::Heavy, compute.call(true, parse)).await?;
        let (changes, malformed) = parsed.map_err(|_| not_json())?;
        if malformed > 0 {
            tracing::warn!(count = malformed, user = %self.person.user_id, "Malformed changes of a device are ignored.");
        }
        let content = String::from_utf8_lossy(&texts.join(&b',')).into_owned();
        let (device, may_repeat) = (self.device.clone(), self.may_repeat);
        let portion = Some(long.before.clone());
        // The message ends here, so that the corrections are not copied when others are added.
        let message = SyncMessage { device, changes, content, may_repeat, is_atomic: false, portion };
        let outcome = self.apply(message, long.base, received_at, Lane::Heavy).await?;

        long.before.rejected = long.before.rejected.saturating_add(outcome.rejected);
        if !outcome.receipt.is_empty() {
            long.before.earlier = outcome.receipt;
        }
        messages.hold(long.unread)?;
        long.add_corrections(outcome.corrections);
        self.hold_corrections(long).await
    }

    /// Records the changes that were not taken.
    async fn refuse(&mut self, long: &mut LongMessage) -> Result<(), End> {
        let refused = std::mem::take(&mut long.refused);
        if refused.is_empty() {
            return Ok(());
        }
        self.wait_for_writes(refused.len()).await?;
        let api = self.api.clone();
        let recorded = api.steward.item_sync.refuse(&self.person, &self.device, &refused, long.refusals);
        let corrections = self.work_in(Lane::Heavy, recorded).await?;
        self.report_rejected(refused.len());
        long.refusals = long.refusals.saturating_add(refused.len());
        long.add_corrections(corrections);
        self.hold_corrections(long).await
    }

    /// Counts the memory of the corrections. Sends them now if they take too much; the revision of the device's copy may
    /// not be known yet.
    async fn hold_corrections(&mut self, long: &mut LongMessage) -> Result<(), End> {
        long.reserved = None;
        let tenant = self.person.caller.identity.tenant();
        if let Ok(reserved) = self.api.web.in_flight.requests.reserve(tenant, long.correction_bytes) {
            long.reserved = Some(reserved);
            return Ok(());
        }
        long.correction_bytes = 0;
        let corrections = std::mem::take(&mut long.before.corrections);
        self.correct(&corrections, long.base).await
    }

    /// Stores the last portion, and acknowledges the message.
    async fn finish_long(&mut self, mut long: LongMessage, messages: &mut Incoming) -> Result<(), End> {
        self.store_portion(&mut long, messages).await?;
        self.refuse(&mut long).await?;
        self.last_seen = Instant::now();
        if long.kind.as_deref() != Some(CHANGES) {
            return Ok(());
        }
        self.may_repeat = false;
        self.correct(&long.before.corrections, long.base).await?;
        let ack = reply::ack(&long.request);
        self.send(ack).await
    }

    /// Waits until the person may write this many changes, however long that takes.
    async fn wait_for_writes(&mut self, changes: usize) -> Result<(), End> {
        self.check().await?;
        while let Some(wait) = self.time_to_wait(RateClass::Writes, cost_of(changes)) {
            self.wait_for(sleep(wait)).await?;
        }
        Ok(())
    }

    /// Returns the next bytes of the message, and whether it ends with them.
    async fn next_bytes(&mut self, messages: &mut Incoming) -> Result<(Vec<u8>, bool), End> {
        loop {
            let part = self.wait_for(timeout(PART_TIMEOUT, messages.more())).await?;
            self.last_seen = Instant::now();
            match part.map_err(|_| End::Gone)?? {
                Part::Text { bytes, is_last, .. } => return Ok((bytes, is_last)),
                Part::Ping(bytes) => self.session.pong(&bytes).await?,
                Part::Pong => {}
                Part::Binary => return Err(End::Close(CloseCode::Unsupported, "Messages must be JSON text.")),
                Part::Close => return Err(End::Gone),
            }
        }
    }

    /// Waits for something while the connection is alive and its person has access.
    async fn wait_for<T>(&mut self, wait: impl Future<Output = T>) -> Result<T, End> {
        let (mut wait, mut pinged) = (pin!(wait), Instant::now());
        loop {
            if let Ok(result) = timeout(CHECK_INTERVAL, &mut wait).await {
                return Ok(result);
            }
            self.check().await?;
            if pinged.elapsed() > PING_INTERVAL {
                pinged = Instant::now();
                self.session.ping(b"").await?;
            }
        }
    }

    /// Fails if the connection has to end.
    async fn check(&mut self) -> Result<(), End> {
        let (is_access_stale, is_closing) = self.registration.mailbox.take_signals();
        if is_closing {
            return Err(End::Close(CloseCode::Away, "The service is shutting down."));
        }
        if self.person.expires_at <= self.api.steward.clock.now() {
            return Err(Error::from(AuthenticationError::ExpiredToken).into());
        }
        if is_access_stale {
            self.renew().await?;
        }
        Ok(())
    }
}
