//! Verification of a hash chain: each seal follows from the previous one, and the events match their seals.

use crate::administration::{AuditChain, AuditEvent, AuditSeal, RetentionCutoff, SealedPart};
use crate::kernel::TeamId;
use crate::kernel::error::Error;

use super::Audit;
use super::sealing::sealed_parts;

/// How many chains, seals and events are read per query.
const CHAIN_BATCH_SIZE: u16 = 100;
const SEAL_BATCH_SIZE: u16 = 500;
const EVENT_BATCH_SIZE: u16 = 1_000;

/// Result of verifying a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Every seal is valid.
    Holds {
        /// Number of sealed events, as far back as seals are retained.
        events: u64,
        /// How many of them were deleted after their retention period.
        forgotten: u64,
        /// The first and the last seal; `None` if the chain is empty.
        ends: Option<Box<(AuditSeal, AuditSeal)>>,
    },
    /// A seal is invalid.
    Broken {
        /// Number of the seal.
        number: i64,
        /// Positions of the sealed events: exclusive start and inclusive end.
        positions: (i64, i64),
        /// What is wrong with the seal.
        reason: &'static str,
    },
}

/// State of a verification in progress.
#[derive(Default)]
struct Progress {
    first: Option<AuditSeal>,
    last: Option<AuditSeal>,
    events: u64,
    forgotten: u64,
}

impl Audit {
    /// Verifies a chain as far back as it is retained. Reads it in batches, so that its length is not limited.
    pub async fn verify(&self, chain: AuditChain) -> Result<Verification, Error> {
        let mut progress = Progress::default();
        loop {
            let after = progress.last.as_ref().map_or(0, |seal| seal.number);
            let seals = self.core.ports.audit_log.seals(chain, after, SEAL_BATCH_SIZE).await?;
            let Some(next) = seals.first() else { return Ok(progress.holds()) };
            if self.begins_with(next, after).await? {
                // The seals verified so far were deleted by retention in the meantime.
                progress = Progress::default();
            }
            let mut rest = seals.as_slice();
            while !rest.is_empty() {
                let (some, others) = rest.split_at(batch_length(rest));
                if let Err(broken) = self.verify_seals(some, &mut progress).await? {
                    return Ok(broken);
                }
                rest = others;
            }
        }
    }

    /// Whether the chain now begins with this seal, because the seals after `after` were deleted in the meantime.
    async fn begins_with(&self, seal: &AuditSeal, after: i64) -> Result<bool, Error> {
        if after == 0 || seal.number == after.saturating_add(1) {
            return Ok(false);
        }
        let first = self.core.ports.audit_log.seals(seal.chain, 0, 1).await?;
        Ok(first.first().map(|first| first.number) == Some(seal.number))
    }

    /// Verifies consecutive seals and their events.
    async fn verify_seals(
        &self,
        seals: &[AuditSeal],
        progress: &mut Progress,
    ) -> Result<Result<(), Verification>, Error> {
        let mut events = self.events_under(seals).await?;
        // Read after the events: the cutoff is recorded before events are deleted, so it covers all missing events.
        let retention_cutoff = self.core.ports.audit_log.retention_cutoff().await?;
        for seal in seals {
            if let Err(reason) = self.check_link(seal, progress.last.as_ref(), &retention_cutoff) {
                return Ok(Err(broken(seal, reason)));
            }
            let later = events.split_off(events.partition_point(|event| event.position <= seal.through));
            match self.check_events(seal, &events, &retention_cutoff)? {
                Ok(forgotten) => progress.forgotten = progress.forgotten.saturating_add(forgotten),
                Err(reason) => return Ok(Err(broken(seal, reason))),
            }
            events = later;
            progress.events = progress.events.saturating_add(sealed_count(seal));
            progress.first.get_or_insert_with(|| seal.clone());
            progress.last = Some(seal.clone());
        }
        Ok(Ok(()))
    }

    /// Reads the events of consecutive seals. Stops early if there are more events than were sealed.
    async fn events_under(&self, seals: &[AuditSeal]) -> Result<Vec<AuditEvent>, Error> {
        let (Some(first), Some(last)) = (seals.first(), seals.last()) else { return Ok(Vec::new()) };
        let sealed = usize::try_from(seals.iter().map(sealed_count).sum::<u64>()).unwrap_or(usize::MAX);
        let (mut events, mut read_through) = (Vec::new(), first.after);
        while read_through < last.through && events.len() <= sealed {
            let log = &self.core.ports.audit_log;
            let some = log.sealed_events(first.chain, read_through, last.through, EVENT_BATCH_SIZE).await?;
            read_through = some.last().map_or(last.through, |event| event.position);
            events.extend(some);
        }
        Ok(events)
    }

    fn check_link(
        &self,
        seal: &AuditSeal,
        last: Option<&AuditSeal>,
        retention_cutoff: &RetentionCutoff,
    ) -> Result<(), &'static str> {
        if last.is_none() && seal.number > 1 && retention_cutoff.events.is_none() {
            return Err("The previous seal is missing.");
        }
        if seal.number == 1 && !(seal.prev.is_empty() && seal.after == 0) {
            return Err("The first seal refers to a previous seal.");
        }
        if let Some(last) = last {
            if seal.number != last.number.saturating_add(1) {
                return Err("The previous seal is missing.");
            }
            if seal.prev != last.hash || seal.after != last.through {
                return Err("The seal does not follow from the previous seal.");
            }
        }
        if self.core.system.vault.sha256(&seal.sealed_text()) != seal.hash {
            return Err("The seal was changed.");
        }
        Ok(())
    }

    /// Compares the events with their seal. Returns how many of them were deleted by retention.
    fn check_events(
        &self,
        seal: &AuditSeal,
        events: &[AuditEvent],
        retention_cutoff: &RetentionCutoff,
    ) -> Result<Result<u64, &'static str>, Error> {
        let [of_items, others] = sealed_parts(self.core.system.vault.as_ref(), events.iter())?;
        let check = |found: SealedPart, sealed: &SealedPart, retention_cutoff| {
            let missing = sealed.count.saturating_sub(found.count);
            if missing > 0 && retention_cutoff > Some(seal.first_at) {
                return Ok(missing.unsigned_abs());
            }
            match missing {
                0 if found == *sealed => Ok(0),
                0 => Err("An event was changed."),
                1.. => Err("An event is missing."),
                _ => Err("An event was added."),
            }
        };
        let of_items = check(of_items, &seal.item_changes, retention_cutoff.item_changes);
        let others = check(others, &seal.events, retention_cutoff.events);
        Ok(of_items.and_then(|of_items| Ok(of_items.saturating_add(others?))))
    }

    /// Lists chains of a team, or of all teams, after this one, ordered by ID.
    pub async fn chains(&self, team: Option<TeamId>, after: Option<AuditChain>) -> Result<Vec<AuditChain>, Error> {
        Ok(self.core.ports.audit_log.chains(team, after, CHAIN_BATCH_SIZE).await?)
    }
}

impl Progress {
    fn holds(self) -> Verification {
        let ends = self.first.zip(self.last).map(Box::new);
        Verification::Holds { events: self.events, forgotten: self.forgotten, ends }
    }
}

fn broken(seal: &AuditSeal, reason: &'static str) -> Verification {
    Verification::Broken { number: seal.number, positions: (seal.after, seal.through), reason }
}

/// How many of the seals to verify in one batch: at least one, and otherwise as many as the event limit allows.
fn batch_length(seals: &[AuditSeal]) -> usize {
    let mut events = 0_u64;
    let fits = |seal: &&AuditSeal| {
        events = events.saturating_add(sealed_count(seal));
        events <= u64::from(EVENT_BATCH_SIZE)
    };
    seals.iter().take_while(fits).count().max(1)
}

fn sealed_count(seal: &AuditSeal) -> u64 {
    seal.events.count.saturating_add(seal.item_changes.count).unsigned_abs()
}
