//! The service itself: its address, its names, and how its background work is shared.

pub(super) mod address;
pub(super) mod effective_setting;
pub(super) mod name;
pub(super) mod security_contacts;
pub(super) mod shares;
pub(super) mod usage;
