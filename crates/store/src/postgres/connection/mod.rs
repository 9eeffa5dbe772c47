//! Connections to PostgreSQL: how they are opened and configured, and what stands between this process and the server.

pub(super) mod address;
pub(super) mod connector;
pub(super) mod establish;
pub(super) mod planning;
pub(super) mod pooling;
pub(super) mod session;
