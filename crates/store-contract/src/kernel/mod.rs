//! Rules of what all areas share: changes, quotas, pages and limits.

pub mod access_epochs;
pub mod atomicity;
pub mod concurrency;
pub mod idempotency;
pub mod pages;
pub mod quotas;
pub mod rate_limits;
pub mod slugs;
