//! Indexing of items by the fields that schemas mark as indexed. Projects take turns in bounded steps, so that a
//! project with frequent schema changes does not delay others.

use std::sync::Mutex;

use crate::data::DataCore;
use crate::kernel::error::Error;
use crate::kernel::jobs::Step;
use crate::kernel::{ProjectId, lock, use_cases};

/// How many items are indexed in one step.
const BATCH_SIZE: u16 = 250;
/// Name of the lease for this background job.
const SHARE: &str = "item_index";

use_cases! {
    /// Indexes items in the background.
    pub struct ItemIndexing {
        core: DataCore;
        /// The project of the last step.
        last: Mutex<Option<ProjectId>>,
    }
}

impl ItemIndexing {
    /// Indexes a batch of items of the next project.
    pub async fn step(&self) -> Result<Step, Error> {
        if !self.core.ports.item_indexer.has_work().await? || !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let after = *lock(&self.last);
        let step = self.core.ports.item_indexer.index_items(after, BATCH_SIZE).await?;
        // `None` after the last project, which starts over with the first.
        *lock(&self.last) = step.project;
        Ok(Step { done: usize::from(step.project.is_some()), more: step.more || after.is_some() })
    }
}
