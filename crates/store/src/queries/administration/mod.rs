//! Queries for teams, their members and projects, and what they set up for programs.

pub(super) mod api_key;
pub(crate) mod audit;
pub(super) mod audit_event;
pub(super) mod audit_log;
mod audit_seal;
mod deleted_project;
pub(crate) mod invite;
mod outbox;
pub(super) mod project;
pub(super) mod team;
mod tenant_size;
pub(super) mod webhook;

use super::{Backend, Conn, Database, dialect, drop_partitions, kernel, prepare};
