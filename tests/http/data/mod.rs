//! Schemas, items, their synchronization, and the users of projects.

mod item_batches;
mod item_ids;
mod item_queries;
mod items;
mod own_items;
mod project_items;
mod project_users;
mod schema_changes;
mod schema_document;
mod schemas;
mod sync;
mod user_data;
