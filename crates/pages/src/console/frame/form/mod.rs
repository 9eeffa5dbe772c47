//! Forms of the console, and what becomes of them when they are submitted.

pub(crate) mod confirmation;
pub(crate) mod image;
pub(crate) mod json_text;
pub(crate) mod lines;
pub(crate) mod outcome;
pub(crate) mod state;
pub(crate) mod submission;
