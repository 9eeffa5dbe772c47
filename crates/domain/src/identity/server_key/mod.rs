//! Keys of the service.

pub(super) mod current_keys;
pub(super) mod entity;
pub(crate) mod port;
pub(super) mod server_keys;
