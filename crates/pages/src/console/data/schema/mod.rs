//! The schema of a project: its versions, its editors and publishing.

pub(crate) mod compare;
mod diff;
pub(crate) mod draft;
pub(crate) mod editor;
pub(crate) mod json;
pub(crate) mod overview;
pub(crate) mod publish;
mod review;
pub(crate) mod rows;
mod violations;
