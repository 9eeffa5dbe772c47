//! The audit log: reading events, sealing them into hash chains, and verifying that they are unchanged.

pub(super) mod event;
pub(crate) mod port;
mod retention;
pub(super) mod seal;
mod sealing;
mod verification;

use std::sync::Mutex;

use crate::administration::{AdministrationCore, AuditChain, AuditEvent, AuditFilter, History};
use crate::kernel::error::Error;
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, Page, PageRequest, ResourceScope, use_cases};

pub use retention::AuditRetention;
pub use verification::Verification;

use_cases! {
    /// Use cases of the audit log.
    pub struct Audit {
        core: AdministrationCore;
        /// The last chain that was checked for seals to delete. `None` at the start of a round.
        last_pruned: Mutex<Option<AuditChain>>,
    }
}

impl Audit {
    /// Lists the events of a project, or of a team and its projects, newest first.
    pub async fn list(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, Error> {
        self.core.access.permit_in(caller, scope, (Operation::TeamAudit, Operation::ProjectAudit)).await?;

        Ok(self.core.ports.audit_log.audit_events(visible_to(caller, scope), filter, page).await?)
    }

    /// Returns the events of a project, or of a team and its projects, after a position, in order, and the history to which
    /// they belong.
    pub async fn follow(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        after: i64,
        limit: u16,
    ) -> Result<(Vec<AuditEvent>, History), Error> {
        self.core.access.permit_in(caller, scope, (Operation::TeamEvents, Operation::ProjectEvents)).await?;

        let history = self.core.ports.audit_log.history().await?;
        let events = self.core.ports.audit_log.settled_events(visible_to(caller, scope), after, limit).await?;
        Ok((events, history))
    }
}

/// Returns the part of the log that a caller may read. A program may read only its own project's events.
fn visible_to(caller: &Caller, scope: ResourceScope) -> ResourceScope {
    caller.identity.only_project().map_or(scope, |own| ResourceScope::Project(own.project.id))
}
