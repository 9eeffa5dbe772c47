//! Rejected changes of devices, which the developers of a project can list.

use crate::data::{SyncKey, SyncRejection};
use crate::kernel::error::Error;
use crate::kernel::policy::Operation;
use crate::kernel::violations::quoted;
use crate::kernel::{Caller, Page, PageRequest, ProjectId, SyncRejectionId};

use super::plan::Rejected;
use super::{ItemSync, SyncSession};

/// Maximum number of rejections that are kept per project.
const MAX_KEPT: u16 = 1_000;
/// Maximum number of rejections that are recorded of one message.
const MAX_RECORDED: usize = 20;

impl ItemSync {
    /// Returns the rejected changes of a project, newest first.
    pub async fn rejections(
        &self,
        caller: &Caller,
        project: ProjectId,
        page: &PageRequest,
    ) -> Result<Page<SyncRejection>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::SyncRejectionList).await?;

        Ok(self.core.ports.sync.rejections(project, page).await?)
    }

    /// Records the rejected changes of one message. `before`: how many earlier ones the message has.
    pub(super) async fn record(
        &self,
        session: &SyncSession,
        device: &str,
        rejected: &[Rejected],
        before: usize,
    ) -> Result<(), Error> {
        let free = MAX_RECORDED.saturating_sub(before);
        if rejected.is_empty() || free == 0 {
            return Ok(());
        }
        let now = self.core.now();
        let rejections: Vec<SyncRejection> = rejected
            .iter()
            .take(free)
            .map(|Rejected { key, reason }| SyncRejection {
                id: SyncRejectionId::from(self.core.next_id()),
                project_id: session.project_id,
                user_id: session.user_id,
                at: now,
                device: quoted(device).replace('\0', ""),
                key: SyncKey { table: quoted(&key.table).replace('\0', ""), id: quoted(&key.id).replace('\0', "") },
                code: reason.code.to_string(),
                message: reason.message.replace('\0', ""),
            })
            .collect();
        Ok(self.core.ports.sync.record_rejections(&rejections, MAX_KEPT).await?)
    }
}
