//! Queries for the data of projects: schemas, items and users.

pub(super) mod activity;
pub(super) mod deleted_user;
pub(crate) mod item;
pub(super) mod project_user;
pub(super) mod schema;
pub(super) mod schema_draft;
pub(super) mod sync;
pub(super) mod user_data;

use super::{Backend, Conn, Database, Layout, administration, dialect, kernel, prove, recorded};
