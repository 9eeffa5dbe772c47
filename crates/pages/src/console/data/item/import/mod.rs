//! Importing items from a file or from pasted text.

pub(crate) mod form;
mod lines;
pub(crate) mod progress;
mod upload;
