//! The items of a project's users: of one user, or of all.

pub(crate) mod delete;
pub(crate) mod delete_selected;
pub(crate) mod export;
mod filter;
pub(crate) mod form;
pub(crate) mod grid;
mod grid_scope;
pub(crate) mod import;
mod shown_fields;
pub(crate) mod tables;
pub(crate) mod undo;
