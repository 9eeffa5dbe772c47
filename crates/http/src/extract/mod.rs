//! Extractors: parsed values of a request, such as the caller, the IDs in its path and the page of a list.

pub(crate) mod caller;
pub(crate) mod page;
pub(crate) mod path;
pub(crate) mod precondition;
pub(crate) mod query;

pub(crate) use caller::{Authenticated, CachedCaller, CallerId, OptionalCaller, RequestOrigin, authenticated};
pub(crate) use path::PathIds;
pub(crate) use query::Query;
