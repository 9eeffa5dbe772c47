//! The data of projects: schemas, items and users.

pub(crate) mod item;
pub(crate) mod project_items;
pub(crate) mod project_user;
pub(crate) mod schema;
pub(crate) mod sync_rejection;
pub(crate) mod user_data;
pub(crate) mod user_session;
