//! Sealing: each batch of events gets a seal in each chain that it touches, and wakes the webhooks that want some of it.
//! And forgetting what is older than it has to be kept.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use chrono::TimeDelta;

use crate::error::Error;
use crate::jobs::Step;
use crate::model::{AuditChain, AuditEvent, AuditSeal, ProjectId, SealedPart, TeamId, Time};
use crate::ports::{RetentionCutoff, SealedBatch, Subscriber, TokenVault, UnsealedEvents, WebhookWake};

use super::Audit;

/// How many events are sealed in one step: some milliseconds of SQLite's only writer.
const SEAL_BATCH_SIZE: u16 = 500;
/// How many events or seals are forgotten in one step, and of how many chains.
const RETENTION_BATCH_SIZE: u16 = 250;
const RETENTION_CHAINS: u16 = 10;
/// The names of the shares of this work.
const SEALING: &str = "audit_seal";
const RETENTION: &str = "audit_retention";

/// How long events are kept. `None`: forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditRetention {
    /// All events.
    pub events: Option<TimeDelta>,
    /// Changes of items, if less long.
    pub item_changes: Option<TimeDelta>,
}

impl AuditRetention {
    /// From when on events have to be kept now.
    fn retention_cutoff(self, now: Time) -> RetentionCutoff {
        let from = |kept: TimeDelta| now - kept;
        let item_changes = [self.events, self.item_changes].into_iter().flatten().min();
        RetentionCutoff { events: self.events.map(from), item_changes: item_changes.map(from) }
    }
}

impl Audit {
    /// Seals some events, in the order of their positions, and wakes the webhooks that want them.
    pub async fn seal_step(&self) -> Result<Step, Error> {
        if !self.log.has_unsealed_events().await? || !self.shares.hold(SEALING).await? {
            return Ok(Step::IDLE);
        }
        let unsealed = self.log.unsealed_events(SEAL_BATCH_SIZE).await?;
        let Some(last) = unsealed.events.last() else { return Ok(Step::IDLE) };

        let (after, through, at) = (unsealed.after, last.position, self.clock.now());
        let seals = self.seals(&unsealed, through, at)?;
        let wakes = self.wakes(&unsealed.events).await?;
        // Whoever was faster sealed the same events.
        let sealed = self.log.seal(&SealedBatch { after, through, at, seals, wakes }).await?;
        Ok(if sealed { Step { done: unsealed.events.len(), more: true } } else { Step::IDLE })
    }

    /// Seals until nothing is left. How many events those were.
    pub async fn seal(&self) -> Result<usize, Error> {
        let mut sealed = 0_usize;
        loop {
            let step = self.seal_step().await?;
            sealed = sealed.saturating_add(step.done);
            if !step.more {
                return Ok(sealed);
            }
        }
    }

    fn seals(&self, unsealed: &UnsealedEvents, through: i64, at: Time) -> Result<Vec<AuditSeal>, Error> {
        let last_seals: BTreeMap<AuditChain, &AuditSeal> =
            unsealed.last_seals.iter().map(|seal| (seal.chain, seal)).collect();
        let mut chains: BTreeMap<AuditChain, Vec<&AuditEvent>> = BTreeMap::new();
        for event in &unsealed.events {
            if let Some(chain) = event.chain() {
                chains.entry(chain).or_default().push(event);
            }
        }
        let seal = |(chain, events): (AuditChain, Vec<&AuditEvent>)| {
            let last = last_seals.get(&chain);
            let [of_items, others] = sealed_parts(self.vault.as_ref(), events.iter().copied())?;
            let mut seal = AuditSeal {
                chain,
                number: last.map_or(0, |last| last.number).saturating_add(1),
                after: last.map_or(0, |last| last.through),
                through,
                at,
                first_at: events.iter().map(|event| event.at).min().unwrap_or(at),
                events: others,
                item_changes: of_items,
                prev: last.map(|last| last.hash.clone()).unwrap_or_default(),
                hash: String::new(),
            };
            seal.hash = self.vault.sha256(&seal.sealed_text());
            Ok(seal)
        };
        chains.into_iter().map(seal).collect()
    }

    /// The webhooks that want some of these events.
    async fn wakes(&self, events: &[AuditEvent]) -> Result<Vec<WebhookWake>, Error> {
        let mut teams: BTreeMap<TeamId, Vec<&AuditEvent>> = BTreeMap::new();
        for event in events {
            if let Some(team) = event.team_id {
                teams.entry(team).or_default().push(event);
            }
        }
        let mut wakes = Vec::new();
        for (team, events) in teams {
            let mut projects: Vec<ProjectId> = events.iter().filter_map(|event| event.project_id).collect();
            projects.sort_unstable();
            projects.dedup();
            let wake = |follower: Subscriber| {
                let mut wanted = events.iter().filter(|event| follower.wants(event));
                let first = wanted.next()?.position;
                let last = wanted.next_back().map_or(first, |last| last.position);
                Some(WebhookWake { webhook: follower.webhook, first, last })
            };
            wakes.extend(self.outbox.subscribers(team, &projects).await?.into_iter().filter_map(wake));
        }
        // In one order everywhere, so that nobody waits in a circle.
        wakes.sort_unstable_by_key(|wake| wake.webhook);
        Ok(wakes)
    }

    /// Forgets some of what is older than it has to be kept: first events, then the seals at the beginning of each chain in
    /// turn, once nothing that they seal is kept. Each round also prepares for new events.
    pub async fn forget_step(&self) -> Result<Step, Error> {
        let now = self.clock.now();
        let last = *self.last_forgotten();
        if last.is_none() {
            self.log.prepare(now).await?;
        }
        let retention_cutoff = self.retention.retention_cutoff(now);
        if retention_cutoff == RetentionCutoff::default() || !self.shares.hold(RETENTION).await? {
            return Ok(Step::IDLE);
        }
        let mut done = 0;
        if last.is_none() {
            done = self.log.forget_old_events(&retention_cutoff, RETENTION_BATCH_SIZE).await?;
            if done > 0 {
                return Ok(Step { done, more: true });
            }
        }
        let Some(events) = retention_cutoff.events else { return Ok(Step { done, more: false }) };
        let chains = self.log.chains(None, last, RETENTION_CHAINS).await?;
        // The next step begins after them, or anew.
        *self.last_forgotten() = chains.last().copied();
        for chain in &chains {
            let before = events - RetentionCutoff::TOLERANCE;
            done = done.saturating_add(self.log.forget_seals(*chain, before, RETENTION_BATCH_SIZE).await?);
        }
        Ok(Step { done, more: !chains.is_empty() })
    }

    fn last_forgotten(&self) -> MutexGuard<'_, Option<AuditChain>> {
        self.last_forgotten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a seal holds of events: of changes of items, and of all others.
pub(super) fn sealed_parts<'a>(
    vault: &dyn TokenVault,
    events: impl Iterator<Item = &'a AuditEvent>,
) -> Result<[SealedPart; 2], Error> {
    let mut parts = [(0_i64, String::new()), (0, String::new())];
    for event in events {
        let [of_items, others] = &mut parts;
        let (count, text) = if event.is_item_change() { of_items } else { others };
        *count = count.saturating_add(1);
        text.push_str(&event.sealed_text().map_err(|error| Error::Internal(error.into()))?);
        text.push('\n');
    }
    let hash = |text: &str| if text.is_empty() { String::new() } else { vault.sha256(text) };
    Ok(parts.map(|(count, text)| SealedPart { count, hash: hash(&text) }))
}
