//! What the queries of all areas need, and commits.

mod access;
pub(crate) mod access_epoch;
mod backlog;
#[cfg(test)]
pub(crate) mod cancellation;
pub(crate) mod commit;
mod idempotency;
mod lease;
pub(super) mod page;
#[cfg(test)]
pub(crate) mod plans;
pub(crate) mod position_domain;
pub(crate) mod quota;
mod rate_limit;
pub(super) mod slug;
pub(crate) mod statement;
mod sweep;
pub(super) mod usage;

use super::{
    Backend, Conn, Database, Layout, administration, data, dialect, identity, without_transaction, write_items,
};
