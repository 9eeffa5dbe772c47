//! Reads and writes of single rows.

use std::sync::atomic::Ordering;

use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, Committed, StoreError};

use super::positions::with_positions;
use super::queries::data::item;
use super::queries::kernel::{access_epoch, commit};
use super::{Layout, SqliteStore};
use crate::job::Outcome;

impl SqliteStore {
    pub(super) async fn read_item(
        &self,
        path: &ItemPath,
        basis: &AccessBasis,
    ) -> Result<Option<StoredItem>, StoreError> {
        let (path, basis) = (path.clone(), *basis);
        self.read_short(move |conn| item::get(conn, &path, &basis)).await
    }

    pub(super) async fn is_basis_current(&self, basis: &AccessBasis) -> Result<bool, StoreError> {
        let basis = *basis;
        self.read_short(move |conn| access_epoch::is_current(conn, &basis, None)).await
    }

    pub(super) async fn run_commit(&self, changes: Changes) -> Outcome<Committed> {
        let marker = self.marker.clone();
        let committed =
            self.run_write(move |conn| with_positions(conn, &marker, |conn| commit::run(conn, Layout, &changes))).await;
        self.marker.has_domain.fetch_or(matches!(committed, Ok(Ok(_))), Ordering::Relaxed);
        committed
    }
}
