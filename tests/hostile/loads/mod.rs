//! The loads of hostile callers, one file per type of load.

mod commands;
mod credentials;
mod documents;
mod heavy;
mod passwords;
mod stalled;
mod webhooks;
mod writers;

use futures_util::future::BoxFuture;

pub use documents::document;

use crate::scene::{Callers, Scene};

/// A load that one tenant puts on the service.
pub struct Load {
    pub name: &'static str,
    /// Creates the data that the load requires.
    pub prepare: for<'a> fn(&'a Scene) -> BoxFuture<'a, ()>,
    pub start: for<'a> fn(&'a Scene) -> BoxFuture<'a, Callers>,
    /// Whether the work that it leaves behind can affect other callers too.
    pub leaves_work: bool,
}

pub const LOADS: &[Load] = &[
    documents::THIRTY_THOUSAND_FIELDS,
    documents::NINETY_THOUSAND_FIELDS,
    stalled::READERS,
    writers::FULL_BATCHES,
    webhooks::QUIET,
    heavy::QUERIES,
    heavy::DRY_RUNS,
    heavy::EXPORTS,
    passwords::WRONG,
    passwords::SIGN_INS,
    commands::ACCOUNT_CREATE,
    credentials::UNKNOWN,
];

/// For loads that require no data.
fn nothing(_: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}
