//! Ports that all areas need.

pub(crate) mod backlog;
pub(crate) mod clock;
pub(super) mod compute;
pub(crate) mod id_generator;
pub(crate) mod secrets;
pub(super) mod store_error;
pub(crate) mod store_health;
pub(crate) mod unit_of_work;
pub(crate) mod usage;
pub(crate) mod work_lease;
