//! The data of projects: schemas, items and users.

pub(super) mod item;
pub(super) mod schema;
pub(super) mod user;
