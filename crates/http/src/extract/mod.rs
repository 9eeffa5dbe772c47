//! Extractors: parsed values of a request, such as the caller, the IDs in its path, its body and the page of a list.

pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod client;
mod encoding;
pub(crate) mod item_cursor;
pub(crate) mod members;
pub(crate) mod page;
pub(crate) mod path;
pub(crate) mod precondition;
pub(crate) mod query;
pub(crate) mod upload;

pub(crate) use caller::authenticated;
pub(crate) use query::Query;
