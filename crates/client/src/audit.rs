//! The audit log of a team or project.

use steward_api::{
    AuditEvent, AuditParameters, Events, ListProjectAudit, ListProjectEvents, ListTeamAudit, ListTeamEvents,
};

use crate::mounted::Mounted;
use crate::{Call, List};

/// Operations of the audit log of a team, with its projects, or of one project.
#[derive(Debug, Clone)]
pub struct AuditLog(pub(crate) Mounted);

impl AuditLog {
    /// Lists the events that match a filter, newest first.
    pub fn list(&self, filter: &AuditParameters) -> List<AuditEvent> {
        let list = self.0.list::<ListTeamAudit, ListProjectAudit>(&[]);
        list.optional_query("actor", filter.actor.as_ref())
            .optional_query("action", filter.action.as_ref())
            .optional_query("target", filter.target.as_ref())
            .optional_query("from", filter.from.as_ref())
            .optional_query("to", filter.to.as_ref())
            .optional_query("item_changes", filter.item_changes.as_ref())
    }

    /// Returns at most `limit` events (100 by default) after a position, or from the start of the log, oldest first. To
    /// receive each event once, continue with [`Events::next`].
    pub fn events(&self, after: Option<i64>, limit: Option<u16>) -> Call<(), Events> {
        let call = self.0.call::<ListTeamEvents, ListProjectEvents>(&[]);
        call.optional_query("after", after).optional_query("limit", limit)
    }
}
