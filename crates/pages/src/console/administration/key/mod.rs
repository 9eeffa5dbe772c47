//! API keys of a project.

pub(crate) mod form;
pub(crate) mod overview;
pub(crate) mod snippets;
pub(crate) mod value;
