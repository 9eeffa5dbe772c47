//! What pages say, in the language of the reader.

pub(crate) mod explanation;
pub(crate) mod filters;
pub(crate) mod language;
pub(crate) mod message;
pub(crate) mod reader;
