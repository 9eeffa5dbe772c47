//! The items of a project user in one table.

pub(crate) mod delete;
pub(crate) mod export;
mod filter;
pub(crate) mod form;
pub(crate) mod grid;
pub(crate) mod import;
mod shown_fields;
pub(crate) mod undo;
