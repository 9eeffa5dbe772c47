//! Stores the changes of a device: one message, or one portion of a long message, is one transaction. Changes that do
//! not fit are rejected one by one.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::data::schema::Document;
use crate::data::{SyncChange, SyncKey, SyncReceipt};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, Forbidden, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{CommitError, Precondition};

use super::plan::{Plan, PlannedWrite, Planner, Rejected};
use super::reading::MAX_READ;
use super::reason::{SyncCorrections, SyncReason};
use super::room::Room;
use super::{ItemSync, SyncSession};

/// Maximum number of attempts to store a message while others change the same items.
const MAX_ATTEMPTS: usize = 8;
/// Maximum number of attempts to use the room that the quotas leave while others use it, too.
const MAX_ROOM_ATTEMPTS: usize = 5;
/// Number of receipts of a user. Devices that share a slot replace each other's receipts, so there are many more slots
/// than devices of a person.
const RECEIPT_SLOTS: i64 = 1_024;
/// Messages whose text is longer, in bytes, are planned on a compute thread.
const LARGE_BYTES: usize = 16 * 1024;

/// Size of the digest of a portion, in characters. The receipt of a message contains those of all portions.
const PORTION_DIGEST: usize = 24;
/// Maximum size of a receipt with the reasons of rejected changes, in bytes. What exceeds it is left out.
const MAX_RECEIPT_BYTES: usize = 32 * 1024;

/// Changes that a device sends together, or a portion of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncMessage {
    /// The device.
    pub device: String,
    /// The changes, in order.
    pub changes: Vec<SyncChange>,
    /// Text that a repetition of the message has too, and no other message of the device.
    pub content: String,
    /// Whether the message may repeat one whose acknowledgement was lost.
    pub may_repeat: bool,
    /// Whether no change is stored if one of them is rejected.
    pub is_atomic: bool,
    /// `None` if these are all changes of the message.
    pub portion: Option<SyncPortion>,
}

impl SyncMessage {
    fn keys(&self) -> impl Iterator<Item = &SyncKey> {
        self.changes.iter().map(|change| &change.key)
    }
}

/// What came before a portion of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncPortion {
    /// The receipt of the earlier portions.
    pub earlier: String,
    /// Number of rejected changes of the earlier portions.
    pub rejected: usize,
    /// The corrections of the earlier portions.
    pub corrections: Arc<SyncCorrections>,
}

/// Result of storing a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncOutcome {
    /// Items whose stored state may differ from that of the device.
    pub corrections: SyncCorrections,
    /// Number of changes that were rejected.
    pub rejected: usize,
    /// First and last position of the changes that were stored.
    pub positions: Option<(i64, i64)>,
    /// The receipt of the message up to here.
    pub receipt: String,
}

impl ItemSync {
    /// Stores the changes of a message. Once it returns, they survive a crash.
    ///
    /// # Errors
    ///
    /// [`Error::AccessChanged`] if the session must be renewed before the message can be stored. Never because of a
    /// single change: see [`SyncOutcome::corrections`].
    pub async fn apply(&self, session: &SyncSession, message: &Arc<SyncMessage>) -> Result<SyncOutcome, Error> {
        if message.changes.is_empty() {
            return Ok(SyncOutcome::default());
        }
        let receipt = self.receipt_of(session, message);
        let repeated = if message.may_repeat { self.repeated(session, &receipt).await? } else { None };
        if let Some(receipt) = repeated {
            // Others may have changed the items since, and the device may have changed them in the same way again.
            let (_, reasons) = divided(receipt.rsplit(' ').next().unwrap_or_default());
            let corrections = SyncCorrections::read(&message.changes, reasons);
            return Ok(SyncOutcome { corrections, receipt, ..SyncOutcome::default() });
        }
        self.apply_new(session, message, &receipt).await
    }

    /// Records changes that were not taken because their message is too long, and returns the corrections. `rejected`:
    /// how many were recorded before.
    pub async fn refuse(
        &self,
        session: &SyncSession,
        device: &str,
        keys: &[SyncKey],
        rejected: usize,
    ) -> Result<SyncCorrections, Error> {
        let refused = all_rejected(keys, &SyncReason::message_too_long());
        self.record(session, device, &refused, rejected).await?;
        Ok(corrections(&refused))
    }

    /// Stores a message that is not repeated.
    async fn apply_new(
        &self,
        session: &SyncSession,
        message: &Arc<SyncMessage>,
        receipt: &SyncReceipt,
    ) -> Result<SyncOutcome, Error> {
        let (project, user) = session.owner();
        let access = self.core.access.project_with_basis(&session.caller, project).await?;
        let permit = match access.permit_data(Operation::OwnItemBatch, user).await {
            Err(error @ Error::Forbidden(Forbidden::WrongScope(_))) => {
                let rejected = all_rejected(message.keys(), &SyncReason::of(&error));
                return self.finish(session, message, &rejected, (receipt, None)).await;
            }
            permit => permit?,
        };
        let schema = self.items.schema(project, access.project().schema_number).await?;
        self.store_message(session, message, &permit, &schema, receipt).await
    }

    async fn store_message(
        &self,
        session: &SyncSession,
        message: &Arc<SyncMessage>,
        permit: &Permit,
        schema: &Arc<Document>,
        receipt: &SyncReceipt,
    ) -> Result<SyncOutcome, Error> {
        let mut room = None;
        for attempt in 0..MAX_ATTEMPTS {
            let Plan { mut writes, mut rejected } = self.plan(session, message, schema, room.clone()).await?;
            if message.is_atomic
                && let Some(Rejected { key, reason }) = rejected.first()
            {
                (writes, rejected) = (Vec::new(), all_rejected(message.keys(), &reason.of_all(key)));
            }
            if writes.is_empty() {
                return self.finish(session, message, &rejected, (receipt, None)).await;
            }
            let complete = with_reasons(receipt, message, &corrections(&rejected));
            match self.core.commit(self.changes(permit.clone(), schema, writes).record_receipt(complete)).await {
                Ok(done) => return self.finish(session, message, &rejected, (receipt, done.positions)).await,
                Err(CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) => {
                    self.core.access.confirm(&session.caller, permit.basis()).await?;
                    self.items.user_is_connected(session.project_id, session.user_id).await?;
                }
                Err(CommitError::OverQuota(..)) => room = Some(self.room(session, attempt).await?),
                Err(error) => return Err(error.into()),
            }
        }
        Err(Conflict::Contended(ResourceKind::Item).into())
    }

    /// Returns what the quotas of the project leave after this attempt. Others may use it first, and a store may need
    /// more while it writes than it counts in the end: so at last the changes may add nothing.
    async fn room(&self, session: &SyncSession, attempt: usize) -> Result<Room, Error> {
        let usage = self.core.ports.projects.project_usage(session.project_id).await?;
        let room = Room::of(&self.core.quotas, &usage);
        Ok(if attempt < MAX_ROOM_ATTEMPTS { room } else { room.closed() })
    }

    /// Reads the items of a message and plans its writes, a bounded number at once: items may be large.
    async fn plan(
        &self,
        session: &SyncSession,
        message: &Arc<SyncMessage>,
        schema: &Arc<Document>,
        room: Option<Room>,
    ) -> Result<Plan, Error> {
        let mut order: Vec<usize> = (0..message.changes.len()).collect();
        if room.is_none() {
            // As long as all of them may fit, only the order of changes to the same item matters, and fewer reads are
            // needed in the order of the keys.
            order.sort_by_key(|number| message.changes.get(*number).map(|change| &change.key));
        }
        let earlier = message.portion.as_ref().map(|portion| portion.corrections.clone()).unwrap_or_default();
        let mut planner = Planner::new(schema.clone(), session.owner(), earlier, room);
        for part in parts(&message.changes, &order) {
            let changes = part.iter().filter_map(|number| message.changes.get(*number));
            let keys: BTreeSet<&SyncKey> = changes.map(|change| &change.key).collect();
            let loaded = self.stored(session.owner(), keys).await?;
            let stored_bytes: usize = loaded.iter().map(|stored| stored.item.value.as_str().len()).sum();
            let is_large = message.content.len().saturating_add(stored_bytes) > LARGE_BYTES;
            let (message, numbers) = (message.clone(), part.to_vec());
            let plan_part = move || {
                let changes = numbers.iter().filter_map(|number| message.changes.get(*number));
                planner.apply(&loaded, changes)
            };
            planner = self.core.system.compute.call(is_large, plan_part).await??;
        }
        Ok(planner.finish())
    }

    fn changes(&self, permit: Permit, schema: &Document, writes: Vec<PlannedWrite>) -> Changes {
        let is_indexed = |write: &PlannedWrite| schema.has_indexed_fields(write.table());
        let has_indexed_fields = writes.iter().any(is_indexed);
        let empty = Changes::by(permit, self.core.now()).indexed(has_indexed_fields);
        writes.into_iter().fold(empty, |changes, write| match write {
            PlannedWrite::Put { item, when, .. } => changes.put(item, when),
            PlannedWrite::Remove(place) => changes.remove_item(place, Precondition::Exists),
        })
    }

    async fn finish(
        &self,
        session: &SyncSession,
        message: &SyncMessage,
        rejected: &[Rejected],
        (receipt, positions): (&SyncReceipt, Option<(i64, i64)>),
    ) -> Result<SyncOutcome, Error> {
        let before = message.portion.as_ref().map_or(0, |portion| portion.rejected);
        self.record(session, &message.device, rejected, before).await?;
        let corrections = corrections(rejected);
        let receipt = with_reasons(receipt, message, &corrections).digest;
        Ok(SyncOutcome { corrections, rejected: rejected.len(), positions, receipt })
    }

    /// Returns the receipt of a message without the reasons of its rejected changes. That of a portion continues the
    /// receipt of the earlier ones.
    fn receipt_of(&self, session: &SyncSession, message: &SyncMessage) -> SyncReceipt {
        let slot = message.device.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % RECEIPT_SLOTS);
        let mut digest = self.core.system.vault.sha256(&format!("{}\n{}", message.device, message.content));
        if let Some(SyncPortion { earlier, .. }) = &message.portion {
            digest.truncate(PORTION_DIGEST);
            digest = format!("{earlier} {digest}").trim_start().to_owned();
        }
        SyncReceipt { project_id: session.project_id, user_id: session.user_id, slot, digest }
    }

    /// If a message, or its portions up to this one, were stored before, returns its stored receipt up to here.
    async fn repeated(&self, session: &SyncSession, receipt: &SyncReceipt) -> Result<Option<String>, Error> {
        let Some(stored) = self.core.ports.sync.receipt(session.owner(), receipt.slot).await? else { return Ok(None) };
        let mut stored = stored.split(' ');
        let mut same = |sent: &str| stored.next().filter(|stored| divided(stored).0 == divided(sent).0);
        let portions: Option<Vec<&str>> = receipt.digest.split(' ').map(&mut same).collect();
        Ok(portions.map(|portions| portions.join(" ")))
    }
}

/// Divides the receipt of a portion into its digest and the reasons of its rejected changes.
fn divided(portion: &str) -> (&str, &str) {
    portion.split_at(portion.find('[').unwrap_or(portion.len()))
}

/// Returns the receipt of a message, or of a portion, with the reasons of its rejected changes.
fn with_reasons(receipt: &SyncReceipt, message: &SyncMessage, corrections: &SyncCorrections) -> SyncReceipt {
    let (mut receipt, reasons) = (receipt.clone(), corrections.text(&message.changes));
    if receipt.digest.len().saturating_add(reasons.len()) <= MAX_RECEIPT_BYTES {
        receipt.digest.push_str(&reasons);
    }
    receipt
}

fn all_rejected<'a>(keys: impl IntoIterator<Item = &'a SyncKey>, reason: &SyncReason) -> Vec<Rejected> {
    keys.into_iter().map(|key| Rejected { key: key.clone(), reason: reason.clone() }).collect()
}

fn corrections(rejected: &[Rejected]) -> SyncCorrections {
    rejected.iter().map(|Rejected { key, reason }| (key.clone(), Some(reason.clone()))).collect()
}

/// Divides changes, given by their numbers, into parts that concern a bounded number of items.
fn parts<'a>(changes: &[SyncChange], order: &'a [usize]) -> Vec<&'a [usize]> {
    let mut parts: Vec<&'a [usize]> = Vec::new();
    let mut keys: HashSet<&SyncKey> = HashSet::new();
    let mut start = 0;
    for (end, number) in order.iter().enumerate() {
        let Some(SyncChange { key, .. }) = changes.get(*number) else { continue };
        if keys.len() == MAX_READ && !keys.contains(key) {
            parts.extend(order.get(start..end));
            keys.clear();
            start = end;
        }
        keys.insert(key);
    }
    parts.extend(order.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SyncEdit;
    use crate::mocks::id_of;

    #[test]
    fn a_receipt_has_the_reasons_of_rejected_changes_up_to_a_size() {
        let key = |number: usize| SyncKey { table: "notes".into(), id: number.to_string() };
        let digest = "first second".to_owned();
        let (project_id, user_id) = (id_of("project").into(), id_of("user").into());
        let receipt = SyncReceipt { project_id, user_id, slot: 0, digest };
        for (count, expected) in [(0, false), (10, true), (1_000, false)] {
            let changes = (0..count).map(|number| SyncChange { key: key(number), edit: SyncEdit::Delete }).collect();
            let message = SyncMessage { changes, ..SyncMessage::default() };
            let reason = |number| SyncReason::unknown_field(&format!("a name that is not very short {number}"));
            let rejected: SyncCorrections = (0..count).map(|number| (key(number), Some(reason(number)))).collect();
            let text = with_reasons(&receipt, &message, &rejected).digest;
            let last = text.strip_prefix("first ").unwrap();
            let (digest, reasons) = divided(last);
            assert_eq!((digest, !reasons.is_empty()), ("second", expected), "{count}");
            let read = SyncCorrections::read(&message.changes, reasons);
            assert_eq!(read == rejected, count == 0 || expected);
        }
    }

    #[test]
    fn a_part_has_all_changes_until_one_concerns_an_item_too_many() {
        let key = |number: usize| SyncKey { table: "notes".into(), id: number.to_string() };
        let items = (0..MAX_READ).chain([0, MAX_READ - 1, MAX_READ, MAX_READ, 0]);
        let changes: Vec<_> = items.map(|item| SyncChange { key: key(item), edit: SyncEdit::Delete }).collect();
        let order: Vec<usize> = (0..changes.len()).collect();
        let lengths: Vec<usize> = parts(&changes, &order).iter().map(|part| part.len()).collect();
        assert_eq!(lengths, [MAX_READ + 2, 3]);
    }
}
