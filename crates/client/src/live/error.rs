//! Errors of live items.

use std::sync::Arc;

use super::change::LiveReason;
use crate::Error;

/// Why live items cannot be read or changed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The value is not a JSON object.
    #[error("The value cannot be sent as the fields of an item: {0}")]
    InvalidItem(String),
    /// An item does not have the type of its table in this program: the schema has changed, for example.
    #[error("The item {id:?} of the table {table:?} does not have the expected type: {source}")]
    Decode {
        /// The table.
        table: String,
        /// ID of the item.
        id: String,
        /// The cause.
        source: Arc<serde_json::Error>,
    },
    /// The service did not store a change of the item, or would not: its value does not match the schema, for example.
    #[error("{0}")]
    Refused(LiveReason),
    /// A quota has no room for changes. They are kept, and sent again when there may be room.
    #[error("{0}")]
    OverQuota(LiveReason),
    /// 50,000 changes wait for the service. No more can be made until it has acknowledged some.
    #[error("50,000 changes wait for the service. Wait for `synced` before more are made.")]
    TooManyPending,
    /// 10,000 changes were not read.
    #[error("10,000 changes were not read. Read the items, and call `changes` again.")]
    TooManyUnread,
    /// The connection ended for good, for example because the person has to sign in again. Changes are still kept.
    #[error("The connection ended: {0}")]
    Ended(#[source] Arc<Error>),
}
