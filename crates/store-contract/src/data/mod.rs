//! Rules for the data of projects: schemas, items and users.

pub mod item_deletions;
pub mod item_imports;
pub mod item_index;
pub mod item_queries;
pub mod items;
pub mod mismatches;
pub mod project_items;
pub mod project_users;
pub mod schema_drafts;
pub mod schemas;
pub mod sync;
pub mod user_removal;
