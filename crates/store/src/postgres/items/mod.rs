//! Statements that read and write items: several at a time, or one with everything that is stored with it.

pub(super) mod arrays;
pub(super) mod item_batch;
pub(super) mod item_set;
pub(super) mod recorded_item;
pub(super) mod row_request;
mod row_statements;
pub(super) mod single_write;

use super::{Conn, Layout, PostgresStore, citus, connection, dialect, positions, queries};
