//! Verifying a chain: every seal follows from the one before, and the events are those that were sealed.

use crate::error::Error;
use crate::model::{AuditChain, AuditEvent, AuditSeal, SealedPart, TeamId};
use crate::ports::KeptFrom;

use super::Audit;
use super::sealing::sealed_parts;

/// How many chains, seals and events are read at once.
const CHAINS_AT_ONCE: u16 = 100;
const SEALS_AT_ONCE: u16 = 500;
const EVENTS_AT_ONCE: u16 = 1_000;

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
        let kept_from = self.log.kept_from().await?;
        let mut progress = Progress::default();
        loop {
            let after = progress.last.as_ref().map_or(0, |seal| seal.number);
            let seals = self.log.seals(chain, after, SEALS_AT_ONCE).await?;
            let Some(next) = seals.first() else { return Ok(progress.holds()) };
            if self.begins_with(next, after).await? {
                // What was checked so far is forgotten meanwhile.
                progress = Progress::default();
            }
            let mut rest = seals.as_slice();
            while !rest.is_empty() {
                let (some, others) = rest.split_at(together(rest));
                if let Err(broken) = self.verify_seals(some, &kept_from, &mut progress).await? {
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
        kept_from: &KeptFrom,
        progress: &mut Progress,
    ) -> Result<Result<(), Verification>, Error> {
        let (Some(first), Some(last)) = (seals.first(), seals.last()) else { return Ok(Ok(())) };
        let mut events = Vec::new();
        let mut read_through = first.after;
        for seal in seals {
            if let Err(reason) = self.check_link(seal, progress.last.as_ref()) {
                return Ok(Err(broken(seal, reason)));
            }
            while read_through < seal.through {
                let some = self.log.sealed_events(seal.chain, read_through, last.through, EVENTS_AT_ONCE).await?;
                read_through = some.last().map_or(last.through, |event| event.position);
                events.extend(some);
            }
            let later = events.split_off(events.partition_point(|event| event.position <= seal.through));
            match self.check_events(seal, &events, kept_from) {
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

    fn check_link(&self, seal: &AuditSeal, last: Option<&AuditSeal>) -> Result<(), &'static str> {
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
    fn check_events(&self, seal: &AuditSeal, events: &[AuditEvent], kept_from: &KeptFrom) -> Result<u64, &'static str> {
        let [of_items, others] = sealed_parts(self.vault.as_ref(), events.iter());
        let check = |found: SealedPart, sealed: &SealedPart, kept_from| {
            let missing = sealed.count.saturating_sub(found.count);
            if missing > 0 && kept_from > Some(seal.first_at) {
                return Ok(missing.unsigned_abs());
            }
            match missing {
                0 if found == *sealed => Ok(0),
                0 => Err("an event was changed"),
                1.. => Err("an event is missing"),
                _ => Err("an event was added"),
            }
        };
        let of_items = check(of_items, &seal.item_changes, kept_from.item_changes)?;
        Ok(of_items.saturating_add(check(others, &seal.events, kept_from.events)?))
    }

    /// Chains of a team, or of all teams, after this one, in the order of their ids.
    pub async fn chains(&self, team: Option<TeamId>, after: Option<AuditChain>) -> Result<Vec<AuditChain>, Error> {
        Ok(self.log.chains(team, after, CHAINS_AT_ONCE).await?)
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
        events <= u64::from(EVENTS_AT_ONCE)
    };
    seals.iter().take_while(fit).count().max(1)
}

fn sum(seal: &AuditSeal) -> u64 {
    seal.events.count.saturating_add(seal.item_changes.count).unsigned_abs()
}
