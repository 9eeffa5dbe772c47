//! Items are keyed by the fields that schemas call indexed: a bounded step for each project in turn, so that a project that
//! changes its mind again and again delays no other.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;
use crate::jobs::Step;
use crate::model::ProjectId;
use crate::ports::ItemIndexer;

use super::Shares;

/// How many items are keyed in one step.
const BATCH_SIZE: u16 = 250;
/// The name of this share of the work.
const SHARE: &str = "item_index";

/// Keys items in the background.
pub struct ItemIndexing {
    indexer: Arc<dyn ItemIndexer>,
    shares: Arc<Shares>,
    /// The project whose turn was last.
    last: Mutex<Option<ProjectId>>,
}

impl ItemIndexing {
    /// Over these ports.
    pub fn new(indexer: Arc<dyn ItemIndexer>, shares: Arc<Shares>) -> Self {
        Self { indexer, shares, last: Mutex::default() }
    }

    /// Works a little for the project whose turn it is.
    pub async fn step(&self) -> Result<Step, Error> {
        if !self.indexer.has_work().await? || !self.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let after = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let step = self.indexer.index_items(after, BATCH_SIZE).await?;
        // After the last project the first is next.
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = step.project;
        Ok(Step { done: usize::from(step.project.is_some()), more: step.more || after.is_some() })
    }
}
