//! Stores the changes of a device: one message, or one portion of a long message, is one transaction. Changes that do not
//! fit are rejected one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Conflict, Error, Forbidden, ResourceKind};
use crate::model::schema::Document;
use crate::model::{ItemId, Precondition, StoredItem, SyncChange, SyncKey, SyncReceipt};
use crate::policy::{Operation, Permit};
use crate::ports::CommitError;

use super::plan::{Plan, PlannedWrite, Planner, Reason, Rejected};
use super::reading::MAX_READ;
use super::{ItemSync, SyncSession};

/// Maximum number of attempts to store a message while others change the same items.
const MAX_ATTEMPTS: usize = 8;
/// Number of receipts of a user. Devices that share a slot replace each other's receipts, so there are many more slots
/// than devices of a person.
const RECEIPT_SLOTS: i64 = 1_024;
/// Messages whose text is longer, in bytes, are planned on a compute thread.
const LARGE_BYTES: usize = 16 * 1024;

/// Size of the digest of a portion, in characters. The receipt of a message contains those of all portions.
const PORTION_DIGEST: usize = 24;

/// Changes that a device sends together, or a portion of them.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncMessage {
    /// The device.
    pub device: String,
    /// The changes, in order.
    pub changes: Vec<SyncChange>,
    /// Text that a repetition of the message has too, and no other message of the device.
    pub content: String,
    /// Whether the message may repeat one whose acknowledgement was lost.
    pub may_repeat: bool,
    /// `None` if these are all changes of the message.
    pub portion: Option<SyncPortion>,
}

/// What came before a portion of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncPortion {
    /// Digests of the earlier portions, in order.
    pub earlier: Vec<String>,
    /// Number of rejected changes of the earlier portions.
    pub rejected: usize,
}

impl SyncMessage {
    fn rejected_before(&self) -> usize {
        self.portion.as_ref().map_or(0, |portion| portion.rejected)
    }
}

/// Result of storing a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncOutcome {
    /// Items whose stored state may differ from that of the device.
    pub corrections: BTreeSet<SyncKey>,
    /// Number of changes that were rejected.
    pub rejected: usize,
    /// First and last position of the changes that were stored.
    pub positions: Option<(i64, i64)>,
    /// Digest of the message or portion.
    pub digest: String,
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
        let (receipt, digest) = self.receipt_of(session, message);
        if message.may_repeat && self.is_repeated(session, &receipt).await? {
            // Others may have changed the items since, and the device may have changed them in the same way again.
            let corrections = message.changes.iter().map(|change| change.key.clone()).collect();
            return Ok(SyncOutcome { corrections, digest, ..SyncOutcome::default() });
        }
        let outcome = self.apply_new(session, message, &receipt).await?;
        Ok(SyncOutcome { digest, ..outcome })
    }

    /// Records changes that were not taken because their message is too long. `rejected`: how many were recorded
    /// before.
    pub async fn refuse(
        &self,
        session: &SyncSession,
        device: &str,
        keys: &[SyncKey],
        rejected: usize,
    ) -> Result<(), Error> {
        let reason = Reason::message_too_long();
        let reject = |key: &SyncKey| Rejected { key: key.clone(), reason: reason.clone() };
        let refused: Vec<Rejected> = keys.iter().map(reject).collect();
        self.record(session, device, &refused, rejected).await
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
                let reason = Reason::of(&error);
                let reject = |change: &SyncChange| Rejected { key: change.key.clone(), reason: reason.clone() };
                let rejected = message.changes.iter().map(reject).collect();
                return self.finish(session, message, rejected, None).await;
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
        let mut refused = BTreeMap::new();
        for _ in 0..MAX_ATTEMPTS {
            let plan = self.plan(session, message, schema, &refused).await?;
            if plan.writes.is_empty() {
                return self.finish(session, message, plan.rejected, None).await;
            }
            let growing: Vec<SyncKey> =
                plan.writes.iter().filter(|write| write.grows()).map(PlannedWrite::key).collect();
            let changes = self.changes(permit.clone(), schema, plan.writes).record_receipt(receipt.clone());
            match self.core.commit(changes).await {
                Ok(committed) => return self.finish(session, message, plan.rejected, committed.positions).await,
                Err(CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) => {
                    self.core.access.confirm(&session.caller, permit.basis()).await?;
                    self.items.user_is_connected(session.project_id, session.user_id).await?;
                }
                Err(error @ CommitError::OverQuota(..)) if !growing.is_empty() => {
                    let reason = Reason::of(&error.into());
                    refused.extend(growing.into_iter().map(|key| (key, reason.clone())));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Conflict::Contended(ResourceKind::Item).into())
    }

    /// Reads the items of a message and plans its writes, a bounded number at once: items may be large.
    async fn plan(
        &self,
        session: &SyncSession,
        message: &Arc<SyncMessage>,
        schema: &Arc<Document>,
        refused: &BTreeMap<SyncKey, Reason>,
    ) -> Result<Plan, Error> {
        let mut by_key: BTreeMap<&SyncKey, Vec<usize>> = BTreeMap::new();
        for (number, change) in message.changes.iter().enumerate() {
            by_key.entry(&change.key).or_default().push(number);
        }
        let by_key: Vec<(&SyncKey, Vec<usize>)> = by_key.into_iter().collect();
        let mut plan = Plan::default();
        for part in by_key.chunks(MAX_READ) {
            let loaded = self.items(session, part.iter().map(|(key, _)| *key)).await?;
            let stored_bytes: usize = loaded.iter().map(|stored| stored.item.value.as_str().len()).sum();
            let is_large = message.content.len().saturating_add(stored_bytes) > LARGE_BYTES;
            let numbers: Vec<usize> = part.iter().flat_map(|(_, numbers)| numbers).copied().collect();
            let (schema, message, refused, owner) = (schema.clone(), message.clone(), refused.clone(), session.owner());
            let plan_part = move || {
                let changes = numbers.iter().filter_map(|number| message.changes.get(*number));
                Planner::new(&schema, owner, &refused).plan(&loaded, changes)
            };
            plan.extend(self.core.system.compute.call(is_large, plan_part).await??);
        }
        Ok(plan)
    }

    /// Returns the stored items of these keys.
    async fn items(
        &self,
        session: &SyncSession,
        keys: impl Iterator<Item = &SyncKey>,
    ) -> Result<Vec<StoredItem>, Error> {
        let (project, user) = session.owner();
        let mut by_table: BTreeMap<&str, Vec<ItemId>> = BTreeMap::new();
        for key in keys {
            // No item is stored under a name that cannot be stored.
            if let (false, Ok(id)) = (key.table.contains('\0'), ItemId::parse(&key.id)) {
                by_table.entry(&key.table).or_default().push(id);
            }
        }
        let mut items = Vec::new();
        for (table, ids) in by_table {
            items.extend(self.core.store.items.items_with_ids(project, user, table, &ids).await?);
        }
        Ok(items)
    }

    fn changes(&self, permit: Permit, schema: &Document, writes: Vec<PlannedWrite>) -> Changes {
        let is_indexed = |write: &PlannedWrite| schema.has_indexed_fields(&write.key().table);
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
        rejected: Vec<Rejected>,
        positions: Option<(i64, i64)>,
    ) -> Result<SyncOutcome, Error> {
        self.record(session, &message.device, &rejected, message.rejected_before()).await?;
        let count = rejected.len();
        let corrections = rejected.into_iter().map(|rejected| rejected.key).collect();
        Ok(SyncOutcome { corrections, rejected: count, positions, digest: String::new() })
    }

    /// Returns the receipt of a message, which for a portion has the digests of the earlier ones, too; and the digest.
    fn receipt_of(&self, session: &SyncSession, message: &SyncMessage) -> (SyncReceipt, String) {
        let slot = message.device.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % RECEIPT_SLOTS);
        let mut digest = self.core.system.vault.sha256(&format!("{}\n{}", message.device, message.content));
        let receipt = |digest| SyncReceipt { project_id: session.project_id, user_id: session.user_id, slot, digest };
        let Some(portion) = &message.portion else { return (receipt(digest.clone()), digest) };
        digest.truncate(PORTION_DIGEST);
        let digests: Vec<&str> = portion.earlier.iter().chain([&digest]).map(String::as_str).collect();
        (receipt(digests.join(" ")), digest)
    }

    /// Returns whether a message, or its portions up to this one, were stored before.
    async fn is_repeated(&self, session: &SyncSession, receipt: &SyncReceipt) -> Result<bool, Error> {
        let Some(stored) = self.core.store.sync.receipt(session.owner(), receipt.slot).await? else { return Ok(false) };
        let mut stored = stored.split(' ');
        Ok(receipt.digest.split(' ').all(|digest| stored.next() == Some(digest)))
    }
}
