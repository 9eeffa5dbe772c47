//! The audit log: reading it, sealing it into chains, and proving that nothing in it was changed.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::error::Error;
use crate::model::{AuditEvent, AuditFilter, AuditScope, Caller, Identity, Page, PageRequest, ProjectId, Seal, TeamId};
use crate::policy::Operation;
use crate::ports::{AuditLog, Clock, TokenVault};

use super::Access;

/// How many events are sealed, checked or forgotten at once.
const AT_ONCE: u16 = 500;
/// How many times sealing yields to somebody faster before it is left to them.
const ROUNDS: usize = 20;

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
    vault: Arc<dyn TokenVault>,
    clock: Arc<dyn Clock>,
    /// How long events are kept. `None`: for ever.
    retention: Option<TimeDelta>,
}

impl Audit {
    /// Over these ports.
    pub fn new(
        access: Access,
        log: Arc<dyn AuditLog>,
        vault: Arc<dyn TokenVault>,
        clock: Arc<dyn Clock>,
        retention: Option<TimeDelta>,
    ) -> Self {
        Self { access, log, vault, clock, retention }
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
        // What is shown has its place in the chain: nobody is told what could still be dropped unseen.
        self.seal_team(scope.team()).await?;
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

        self.seal_team(scope.team()).await?;
        Ok(self.log.sealed_events(scope, after, most).await?)
    }

    /// The place of the newest event of a team.
    pub(super) async fn last_position(&self, team: TeamId) -> Result<i64, Error> {
        self.seal_team(team).await?;
        Ok(self.log.last_position(team).await?)
    }

    /// The event at a place of the chain.
    pub(super) async fn at(&self, scope: AuditScope, position: i64) -> Result<Option<AuditEvent>, Error> {
        let found = self.log.sealed_events(scope, position.saturating_sub(1), 1).await?;
        Ok(found.into_iter().find(|event| event.seal.as_ref().is_some_and(|seal| seal.position == position)))
    }

    /// Gives the events of all teams that have none their places in the chain; tells how many. A team whose chain cannot be
    /// sealed keeps no other waiting.
    pub async fn seal(&self) -> Result<usize, Error> {
        let mut outcome = Ok(0_usize);
        for team in self.log.unsealed_teams(AT_ONCE).await? {
            let sealed = self.seal_team(team).await;
            outcome = outcome.and_then(|count| Ok(count.saturating_add(sealed?)));
        }
        outcome
    }

    async fn seal_team(&self, team: TeamId) -> Result<usize, Error> {
        let mut sealed = 0_usize;
        for _ in 0..ROUNDS {
            let (last, events) = self.log.unsealed_events(team, AT_ONCE).await?;
            if events.is_empty() {
                break;
            }
            let seals = self.links(last, &events);
            // Whoever was faster sealed the same events: look again for what is left.
            if self.log.seal(team, &seals).await? {
                sealed = sealed.saturating_add(events.len());
            }
        }
        Ok(sealed)
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
        self.seal_team(team).await?;
        let (mut ends, mut events): (Option<(Seal, Seal)>, u64) = (None, 0);
        loop {
            let after = ends.as_ref().map_or(0, |(_, last)| last.position);
            let some = self.log.sealed_events(AuditScope::Team(team), after, AT_ONCE).await?;
            if some.is_empty() {
                return Ok(Proof::Holds { events, ends });
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
        Ok(self.log.sealed_teams(after, AT_ONCE).await?)
    }

    /// Forgets some of what is older than it has to be kept; tells how many events.
    pub async fn forget(&self) -> Result<usize, Error> {
        let Some(retention) = self.retention else { return Ok(0) };
        Ok(self.log.forget_events(self.clock.now() - retention, AT_ONCE).await?)
    }
}

/// The part of a team's log that a caller may read: a project's key reads the events of its own project only.
fn visible_to(caller: &Caller, team: TeamId) -> AuditScope {
    match &caller.identity {
        Identity::Key(bearer) => AuditScope::Project(team, bearer.project.project.id),
        Identity::Account(_) | Identity::Token(_) | Identity::User(_) => AuditScope::Team(team),
    }
}

/// What somebody follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedScope {
    /// A team with its projects.
    Team(TeamId),
    /// A project.
    Project(ProjectId),
}
