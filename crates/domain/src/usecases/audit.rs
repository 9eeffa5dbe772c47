//! The audit log: reading it, sealing it into chains, and proving that nothing in it was changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;

use crate::error::Error;
use crate::jobs::Step;
use crate::model::{AuditEvent, AuditFilter, AuditScope, Caller, Identity, Page, PageRequest, ProjectId, Seal, TeamId};
use crate::policy::Operation;
use crate::ports::{AuditLog, Clock, Follower, Outbox, TokenVault, Wake};

use super::{Access, Shares};

/// How many events are sealed or forgotten in one step: some milliseconds of SQLite's only writer.
const BATCH_SIZE: u16 = 250;
/// How many events are checked at once, each of which may be large, and how many teams are listed.
const PAGE_SIZE: u16 = 100;
/// Of how many teams old events are forgotten in one step.
const TEAMS_AT_ONCE: u16 = 10;
/// The names of the shares of this work.
const SEALING: &str = "audit_seal";
const RETENTION: &str = "audit_retention";

/// What became of checking a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// Every link holds.
    Holds {
        /// How many events there are.
        events: u64,
        /// The first and the last link; none in an empty chain.
        ends: Option<(Seal, Seal)>,
    },
    /// A link does not hold.
    Broken {
        /// Its position, as it should be.
        position: i64,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// The use cases of the audit log.
pub struct Audit {
    access: Access,
    log: Arc<dyn AuditLog>,
    outbox: Arc<dyn Outbox>,
    shares: Arc<Shares>,
    vault: Arc<dyn TokenVault>,
    clock: Arc<dyn Clock>,
    /// How long events are kept. `None`: forever.
    retention: Option<TimeDelta>,
    /// The team whose turn was last, of those to be sealed and of those with old events.
    last_sealed: Mutex<Option<TeamId>>,
    last_forgotten: Mutex<Option<TeamId>>,
}

impl Audit {
    /// Over these ports.
    pub fn new(
        access: Access,
        log: Arc<dyn AuditLog>,
        outbox: Arc<dyn Outbox>,
        shares: Arc<Shares>,
        vault: Arc<dyn TokenVault>,
        clock: Arc<dyn Clock>,
        retention: Option<TimeDelta>,
    ) -> Self {
        let (last_sealed, last_forgotten) = (Mutex::default(), Mutex::default());
        Self { access, log, outbox, shares, vault, clock, retention, last_sealed, last_forgotten }
    }

    /// What happened in a team and its projects, newest first.
    pub async fn of_team(
        &self,
        caller: &Caller,
        team: TeamId,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, Error> {
        self.access.team(caller, team).await?.permit(Operation::TeamAudit).await?;

        self.read(visible_to(caller, team), filter, page).await
    }

    /// What happened in a project, newest first.
    pub async fn of_project(
        &self,
        caller: &Caller,
        project: ProjectId,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, Error> {
        let access = self.access.project(caller, project).await?;
        access.permit(Operation::ProjectAudit).await?;

        let team = access.project().project.team_id;
        self.read(AuditScope::Project(team, project), filter, page).await
    }

    async fn read(
        &self,
        scope: AuditScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, Error> {
        Ok(self.log.audit_events(scope, filter, page).await?)
    }

    /// The changes of a team or a project after a position, in order, for those who follow them.
    pub async fn follow(
        &self,
        caller: &Caller,
        scope: FollowedScope,
        after: i64,
        most: u16,
    ) -> Result<Vec<AuditEvent>, Error> {
        let scope = match scope {
            FollowedScope::Team(team) => {
                self.access.team(caller, team).await?.permit(Operation::TeamEvents).await?;
                visible_to(caller, team)
            }
            FollowedScope::Project(project) => {
                let access = self.access.project(caller, project).await?;
                access.permit(Operation::ProjectEvents).await?;
                AuditScope::Project(access.project().project.team_id, project)
            }
        };

        Ok(self.log.sealed_events(scope, after, most).await?)
    }

    /// The place of the newest event of a team that has one.
    pub(super) async fn last_position(&self, team: TeamId) -> Result<i64, Error> {
        Ok(self.log.last_position(team).await?)
    }

    /// The event at a place of the chain.
    pub(super) async fn at(&self, scope: AuditScope, position: i64) -> Result<Option<AuditEvent>, Error> {
        let found = self.log.sealed_events(scope, position.saturating_sub(1), 1).await?;
        Ok(found.into_iter().find(|event| event.seal.as_ref().is_some_and(|seal| seal.position == position)))
    }

    /// Gives some events of one team their places in its chain, and wakes the webhooks that want them. Teams take turns; one
    /// whose chain cannot be sealed keeps no other waiting.
    pub async fn seal_step(&self) -> Result<Step, Error> {
        let last = *lock(&self.last_sealed);
        let next = match (self.log.next_unsealed_team(last).await?, last) {
            (None, Some(_)) => self.log.next_unsealed_team(None).await?,
            (next, _) => next,
        };
        let Some(team) = next else { return Ok(Step::IDLE) };
        if !self.shares.hold(SEALING).await? {
            return Ok(Step::IDLE);
        }
        *lock(&self.last_sealed) = Some(team);

        let (last, events) = self.log.unsealed_events(team, BATCH_SIZE).await?;
        let seals = self.links(last, &events);
        let wakes = self.wakes(team, &events, &seals).await?;
        // Whoever was faster sealed the same events.
        let sealed = self.log.seal(team, &seals, &wakes, self.clock.now()).await?;
        Ok(if sealed { Step { done: events.len(), more: true } } else { Step::IDLE })
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

    /// The webhooks that want some of these events, which are about to get these places.
    async fn wakes(&self, team: TeamId, events: &[AuditEvent], seals: &[(i64, Seal)]) -> Result<Vec<Wake>, Error> {
        let mut projects: Vec<ProjectId> = events.iter().filter_map(|event| event.project_id).collect();
        projects.sort_unstable();
        projects.dedup();
        let wake = |follower: Follower| {
            let mut wanted = events.iter().zip(seals).filter(|(event, _)| follower.wants(event));
            let (_, (_, first)) = wanted.next()?;
            let last = wanted.next_back().map_or(first, |(_, (_, last))| last);
            Some(Wake { webhook: follower.webhook, first: first.position, last: last.position })
        };
        let mut wakes: Vec<Wake> = self.outbox.followers(team, &projects).await?.into_iter().filter_map(wake).collect();
        // In one order everywhere, so that nobody waits in a circle.
        wakes.sort_unstable_by_key(|wake| wake.webhook);
        Ok(wakes)
    }

    fn links(&self, last: Option<Seal>, events: &[AuditEvent]) -> Vec<(i64, Seal)> {
        let (mut position, mut prev) = last.map_or((0, String::new()), |last| (last.position, last.hash));
        let link = |event: &AuditEvent| {
            position = position.saturating_add(1);
            let hash = self.vault.sha256(&event.sealed_text(position, &prev));
            let seal = Seal { position, prev: std::mem::replace(&mut prev, hash.clone()), hash };
            (event.number, seal)
        };
        events.iter().map(link).collect()
    }

    /// Checks the whole chain of a team, as far back as it is kept.
    pub async fn prove(&self, team: TeamId) -> Result<Proof, Error> {
        let (mut ends, mut events): (Option<(Seal, Seal)>, u64) = (None, 0);
        loop {
            let after = ends.as_ref().map_or(0, |(_, last)| last.position);
            let some = self.log.sealed_events(AuditScope::Team(team), after, PAGE_SIZE).await?;
            let Some(next) = some.first() else { return Ok(Proof::Holds { events, ends }) };
            if self.begins_with(team, next, after).await? {
                // What was checked so far is forgotten meanwhile.
                (ends, events) = (None, 0);
            }
            for event in &some {
                match self.check(event, ends.as_ref().map(|(_, last)| last)) {
                    Ok(seal) => ends = Some((ends.map_or_else(|| seal.clone(), |(first, _)| first), seal)),
                    Err((position, reason)) => return Ok(Proof::Broken { position, reason }),
                }
                events = events.saturating_add(1);
            }
        }
    }

    /// Whether the chain begins with this event by now, although it was found after another.
    async fn begins_with(&self, team: TeamId, event: &AuditEvent, after: i64) -> Result<bool, Error> {
        let place = |event: &AuditEvent| event.seal.as_ref().map_or(0, |seal| seal.position);
        if after == 0 || place(event) == after.saturating_add(1) {
            return Ok(false);
        }
        let first = self.log.sealed_events(AuditScope::Team(team), 0, 1).await?;
        Ok(first.first().map(place) == Some(place(event)))
    }

    fn check(&self, event: &AuditEvent, last: Option<&Seal>) -> Result<Seal, (i64, &'static str)> {
        let Some(seal) = &event.seal else { return Err((0, "the event has no place")) };
        if seal.position == 1 && !seal.prev.is_empty() {
            return Err((1, "the first event follows something"));
        }
        if let Some(last) = last {
            let expected = last.position.saturating_add(1);
            if seal.position != expected {
                return Err((expected, "the event is missing"));
            }
            if seal.prev != last.hash {
                return Err((expected, "the event does not follow the one before it"));
            }
        }
        if self.vault.sha256(&event.sealed_text(seal.position, &seal.prev)) != seal.hash {
            return Err((seal.position, "the event was changed"));
        }
        Ok(seal.clone())
    }

    /// Teams that have a chain, after this one, in the order of their ids.
    pub async fn teams(&self, after: Option<TeamId>) -> Result<Vec<TeamId>, Error> {
        Ok(self.log.sealed_teams(after, PAGE_SIZE).await?)
    }

    /// Forgets some of what is older than it has to be kept: first what belongs to no team, then from the beginning of each
    /// team's chain in turn, so that the rest still holds together.
    pub async fn forget_step(&self) -> Result<Step, Error> {
        let Some(retention) = self.retention else { return Ok(Step::IDLE) };
        if !self.shares.hold(RETENTION).await? {
            return Ok(Step::IDLE);
        }
        let before = self.clock.now() - retention;
        let last = *lock(&self.last_forgotten);
        let mut done = 0;
        if last.is_none() {
            done = self.log.forget_chain(None, before, BATCH_SIZE).await?;
        }
        let teams = self.log.sealed_teams(last, TEAMS_AT_ONCE).await?;
        // The next step begins after them, or anew.
        *lock(&self.last_forgotten) = teams.last().copied();
        for team in &teams {
            done = done.saturating_add(self.log.forget_chain(Some(*team), before, BATCH_SIZE).await?);
        }
        Ok(Step { done, more: !teams.is_empty() || done >= usize::from(BATCH_SIZE) })
    }
}

/// The part of a team's log that a caller may read: a project's key reads the events of its own project only.
fn visible_to(caller: &Caller, team: TeamId) -> AuditScope {
    match &caller.identity {
        Identity::Key(bearer) => AuditScope::Project(team, bearer.project.project.id),
        Identity::Account(_) | Identity::Token(_) | Identity::User(_) => AuditScope::Team(team),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What somebody follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedScope {
    /// A team with its projects.
    Team(TeamId),
    /// A project.
    Project(ProjectId),
}
