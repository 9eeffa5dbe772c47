//! Sealing: each batch of events gets a seal in each affected chain, and wakes the webhooks that subscribe to its
//! events. Retention: deletes events and seals that are older than the retention period.

use std::collections::BTreeMap;

use crate::administration::{
    AuditChain, AuditEvent, AuditSeal, RetentionCutoff, SealedBatch, SealedPart, Subscriber, UnsealedEvents,
    WebhookWake,
};
use crate::kernel::error::Error;
use crate::kernel::jobs::Step;
use crate::kernel::{ProjectId, TeamId, Time, TokenVault, lock};

use super::Audit;

/// How many events are sealed in one step. This takes a few milliseconds of SQLite's only writer.
const SEAL_BATCH_SIZE: u16 = 500;
/// How many events or seals are deleted in one step, and from how many chains.
const RETENTION_BATCH_SIZE: u16 = 250;
const RETENTION_CHAINS: u16 = 10;
/// Names of the leases for these background jobs.
const SEALING: &str = "audit_seal";
const RETENTION: &str = "audit_retention";

impl Audit {
    /// Seals a batch of events in the order of their positions, and wakes the webhooks that subscribe to them.
    pub async fn seal_step(&self) -> Result<Step, Error> {
        if !self.core.ports.audit_log.has_unsealed_events().await? || !self.core.shares.hold(SEALING).await? {
            return Ok(Step::IDLE);
        }
        let unsealed = self.core.ports.audit_log.unsealed_events(SEAL_BATCH_SIZE).await?;
        let Some(last) = unsealed.events.last() else { return Ok(Step::IDLE) };

        let (after, through, at) = (unsealed.after, last.position, self.core.now());
        let seals = self.seals(&unsealed, through, at)?;
        let wakes = self.wakes(&unsealed.events).await?;
        // If this returns false, another process has already sealed the same events.
        let sealed = self.core.ports.audit_log.seal(&SealedBatch { after, through, at, seals, wakes }).await?;
        let done = unsealed.events.len();
        // A batch with room for more contains all settled events. The next one waits, so that it is worth its transaction.
        Ok(if sealed { Step { done, more: done >= usize::from(SEAL_BATCH_SIZE) } } else { Step::IDLE })
    }

    /// Seals all unsealed events. Returns their number.
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
            let [of_items, others] = sealed_parts(self.core.system.vault.as_ref(), events.iter().copied())?;
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
            seal.hash = self.core.system.vault.sha256(&seal.sealed_text());
            Ok(seal)
        };
        chains.into_iter().map(seal).collect()
    }

    /// Returns the webhooks that subscribe to some of these events.
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
            let wake = |subscriber: Subscriber| {
                let mut matching = events.iter().filter(|event| subscriber.matches(event));
                let first = matching.next()?.position;
                let last = matching.next_back().map_or(first, |last| last.position);
                Some(WebhookWake { webhook: subscriber.webhook, first, last })
            };
            wakes.extend(self.core.ports.outbox.subscribers(team, &projects).await?.into_iter().filter_map(wake));
        }
        // Always in the same order, to prevent deadlocks.
        wakes.sort_unstable_by_key(|wake| wake.webhook);
        Ok(wakes)
    }

    /// Deletes a batch of data that is older than the retention period: first events, then, chain by chain, the oldest
    /// seals whose events are all deleted. Each round also prepares the log for new events.
    pub async fn retention_step(&self) -> Result<Step, Error> {
        let now = self.core.now();
        let last = *lock(&self.last_pruned);
        if last.is_none() {
            self.core.ports.audit_log.prepare(now).await?;
        }
        let retention_cutoff = self.core.audit_retention.retention_cutoff(now);
        if retention_cutoff == RetentionCutoff::default() || !self.core.shares.hold(RETENTION).await? {
            return Ok(Step::IDLE);
        }
        let mut done = 0;
        if last.is_none() {
            done = self.core.ports.audit_log.delete_old_events(&retention_cutoff, RETENTION_BATCH_SIZE).await?;
            if done > 0 {
                return Ok(Step { done, more: true });
            }
        }
        let Some(events) = retention_cutoff.events else { return Ok(Step { done, more: false }) };
        let chains = self.core.ports.audit_log.chains(None, last, RETENTION_CHAINS).await?;
        // The next step continues after these chains, or starts over.
        *lock(&self.last_pruned) = chains.last().copied();
        for chain in &chains {
            let before = events - RetentionCutoff::TOLERANCE;
            done = done
                .saturating_add(self.core.ports.audit_log.delete_seals(*chain, before, RETENTION_BATCH_SIZE).await?);
        }
        Ok(Step { done, more: !chains.is_empty() })
    }
}

/// Computes the parts of a seal: item changes, and all other events.
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
