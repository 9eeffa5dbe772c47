//! From a request to the handler of its operation, and back: what is the same for all operations, and types that bind a
//! handler to the row of its operation.

mod access;
mod call;
mod core;
mod list;
mod reply;
mod resource;

pub(crate) use access::{Access, Anyone, Cached, Client, Open};
pub(crate) use call::Call;
pub(crate) use core::{Served, open};
pub(crate) use reply::{Answer, Outcome, Reply, Text};
pub(crate) use resource::Tag;
