//! What a request carries, as parsed values: who calls, which things it names, which part of a list it wants.

pub(crate) mod caller;
pub(crate) mod page;
pub(crate) mod path;
pub(crate) mod precondition;
pub(crate) mod query;

pub(crate) use caller::{Known, Presumed, Sender, Visitor, authenticated};
pub(crate) use path::Named;
pub(crate) use query::Query;
