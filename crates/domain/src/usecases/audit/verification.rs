//! Verifying a chain: every seal follows from the one before, and the events are those that were sealed.

use crate::error::Error;
use crate::model::{AuditChain, AuditEvent, AuditSeal, SealedPart, TeamId};
use crate::ports::RetentionCutoff;

use super::Audit;
use super::sealing::sealed_parts;

/// How many chains, seals and events are read at once.
const CHAIN_BATCH_SIZE: u16 = 100;
const SEAL_BATCH_SIZE: u16 = 500;
const EVENT_BATCH_SIZE: u16 = 1_000;

/// What became of verifying a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Every seal holds.
    Holds {
        /// How many events are sealed, as far back as seals are kept.
        events: u64,
        /// How many of them are forgotten, as they were older than they had to be kept.
        forgotten: u64,
        /// The first and the last seal; none in an empty chain.
        ends: Option<Box<(AuditSeal, AuditSeal)>>,
    },
    /// A seal does not hold.
    Broken {
        /// Its number, as it should be.
        number: i64,
        /// The positions of the events that it seals: after the first, up to the second.
        positions: (i64, i64),
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// What was found out so far.
#[derive(Default)]
struct Progress {
    first: Option<AuditSeal>,
    last: Option<AuditSeal>,
    events: u64,
    forgotten: u64,
}

impl Audit {
    /// Verifies a chain, as far back as it is kept. Reads it in pieces, however long it is.
    pub async fn verify(&self, chain: AuditChain) -> Result<Verification, Error> {
        let mut progress = Progress::default();
        loop {
            let after = progress.last.as_ref().map_or(0, |seal| seal.number);
            let seals = self.log.seals(chain, after, SEAL_BATCH_SIZE).await?;
            let Some(next) = seals.first() else { return Ok(progress.holds()) };
            if self.begins_with(next, after).await? {
                // What was checked so far is forgotten meanwhile.
                progress = Progress::default();
            }
            let mut rest = seals.as_slice();
            while !rest.is_empty() {
                let (some, others) = rest.split_at(together(rest));
                if let Err(broken) = self.verify_seals(some, &mut progress).await? {
                    return Ok(broken);
                }
                rest = others;
            }
        }
    }

    /// Whether the chain begins with this seal by now, although it was found after another.
    async fn begins_with(&self, seal: &AuditSeal, after: i64) -> Result<bool, Error> {
        if after == 0 || seal.number == after.saturating_add(1) {
            return Ok(false);
        }
        let first = self.log.seals(seal.chain, 0, 1).await?;
        Ok(first.first().map(|first| first.number) == Some(seal.number))
    }

    /// Verifies seals that follow each other, with their events.
    async fn verify_seals(
        &self,
        seals: &[AuditSeal],
        progress: &mut Progress,
    ) -> Result<Result<(), Verification>, Error> {
        let mut events = self.events_under(seals).await?;
        // Read after the events: what was forgotten meanwhile was noted before it went.
        let retention_cutoff = self.log.retention_cutoff().await?;
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
            progress.events = progress.events.saturating_add(sum(seal));
            progress.first.get_or_insert_with(|| seal.clone());
            progress.last = Some(seal.clone());
        }
        Ok(Ok(()))
    }

    /// The events under seals that follow each other; not all of them when there are more than were sealed.
    async fn events_under(&self, seals: &[AuditSeal]) -> Result<Vec<AuditEvent>, Error> {
        let (Some(first), Some(last)) = (seals.first(), seals.last()) else { return Ok(Vec::new()) };
        let sealed = usize::try_from(seals.iter().map(sum).sum::<u64>()).unwrap_or(usize::MAX);
        let (mut events, mut read_through) = (Vec::new(), first.after);
        while read_through < last.through && events.len() <= sealed {
            let some = self.log.sealed_events(first.chain, read_through, last.through, EVENT_BATCH_SIZE).await?;
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
            return Err("a seal before it is missing");
        }
        if seal.number == 1 && !(seal.prev.is_empty() && seal.after == 0) {
            return Err("the first seal follows something");
        }
        if let Some(last) = last {
            if seal.number != last.number.saturating_add(1) {
                return Err("a seal before it is missing");
            }
            if seal.prev != last.hash || seal.after != last.through {
                return Err("it does not follow the seal before it");
            }
        }
        if self.vault.sha256(&seal.sealed_text()) != seal.hash {
            return Err("the seal was changed");
        }
        Ok(())
    }

    /// How many of the events are forgotten.
    fn check_events(
        &self,
        seal: &AuditSeal,
        events: &[AuditEvent],
        retention_cutoff: &RetentionCutoff,
    ) -> Result<Result<u64, &'static str>, Error> {
        let [of_items, others] = sealed_parts(self.vault.as_ref(), events.iter())?;
        let check = |found: SealedPart, sealed: &SealedPart, retention_cutoff| {
            let missing = sealed.count.saturating_sub(found.count);
            if missing > 0 && retention_cutoff > Some(seal.first_at) {
                return Ok(missing.unsigned_abs());
            }
            match missing {
                0 if found == *sealed => Ok(0),
                0 => Err("an event was changed"),
                1.. => Err("an event is missing"),
                _ => Err("an event was added"),
            }
        };
        let of_items = check(of_items, &seal.item_changes, retention_cutoff.item_changes);
        let others = check(others, &seal.events, retention_cutoff.events);
        Ok(of_items.and_then(|of_items| Ok(of_items.saturating_add(others?))))
    }

    /// Chains of a team, or of all teams, after this one, in the order of their ids.
    pub async fn chains(&self, team: Option<TeamId>, after: Option<AuditChain>) -> Result<Vec<AuditChain>, Error> {
        Ok(self.log.chains(team, after, CHAIN_BATCH_SIZE).await?)
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

/// How many of the seals have their events read together: one, or as many as stay within the limit.
fn together(seals: &[AuditSeal]) -> usize {
    let mut events = 0_u64;
    let fit = |seal: &&AuditSeal| {
        events = events.saturating_add(sum(seal));
        events <= u64::from(EVENT_BATCH_SIZE)
    };
    seals.iter().take_while(fit).count().max(1)
}

fn sum(seal: &AuditSeal) -> u64 {
    seal.events.count.saturating_add(seal.item_changes.count).unsigned_abs()
}
