//! The audit log: reading it, sealing it into hash chains, and verifying that nothing in it was changed.

mod sealing;
mod verification;

use std::sync::{Arc, Mutex};

use crate::error::Error;
use crate::model::{
    AuditChain, AuditEvent, AuditFilter, AuditScope, Caller, Identity, Page, PageRequest, ProjectId, TeamId,
};
use crate::policy::Operation;
use crate::ports::{AuditLog, Clock, Outbox, TokenVault};

use super::{Access, Shares};

pub use sealing::AuditRetention;
pub use verification::Verification;

/// The use cases of the audit log.
pub struct Audit {
    access: Access,
    log: Arc<dyn AuditLog>,
    outbox: Arc<dyn Outbox>,
    shares: Arc<Shares>,
    vault: Arc<dyn TokenVault>,
    clock: Arc<dyn Clock>,
    retention: AuditRetention,
    /// The chain whose seals were last looked at for old ones.
    last_forgotten: Mutex<Option<AuditChain>>,
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
        retention: AuditRetention,
    ) -> Self {
        Self { access, log, outbox, shares, vault, clock, retention, last_forgotten: Mutex::default() }
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

        Ok(self.log.settled_events(scope, after, most).await?)
    }

    /// The position up to which all events are sealed. Whoever follows from there misses nothing.
    pub(super) async fn sealed_position(&self) -> Result<i64, Error> {
        Ok(self.log.sealed_position().await?)
    }

    /// The event at a position.
    pub(super) async fn at(&self, scope: AuditScope, position: i64) -> Result<Option<AuditEvent>, Error> {
        let found = self.log.settled_events(scope, position.saturating_sub(1), 1).await?;
        Ok(found.into_iter().find(|event| event.position == position))
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
