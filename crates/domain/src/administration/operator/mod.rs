//! What operators see of the whole service.

pub(super) mod operators;
pub(crate) mod port;
pub(super) mod search;
pub(super) mod tenant_size;
