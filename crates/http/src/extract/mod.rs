//! What a request carries, as parsed values: who calls, which things it names, which part of a list it wants.

pub(crate) mod caller;
pub(crate) mod page;
pub(crate) mod path;
pub(crate) mod precondition;
pub(crate) mod query;

pub(crate) use caller::{Authenticated, CachedCaller, RequestOrigin, Visitor, authenticated};
pub(crate) use path::PathIds;
pub(crate) use query::Query;
