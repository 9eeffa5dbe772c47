//! Commands for schemas, items and users.

mod export;
mod file_format;
mod import;
pub mod item;
mod item_table;
pub mod schema;
pub mod user;
