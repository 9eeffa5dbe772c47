//! The data of projects: schemas, items and users.

pub(super) mod item;
pub(super) mod project_user;
pub(super) mod schema;
pub(super) mod sync_rejection;
pub(super) mod user_data;
pub(super) mod user_session;
