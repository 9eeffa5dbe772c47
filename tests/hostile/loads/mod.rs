//! What hostile callers do. One file for each kind of load.

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

/// Something that one caller does to all others.
pub struct Load {
    pub name: &'static str,
    /// Brings about what must be there before.
    pub prepare: for<'a> fn(&'a Scene) -> BoxFuture<'a, ()>,
    pub start: for<'a> fn(&'a Scene) -> BoxFuture<'a, Callers>,
    /// Whether what it leaves behind may hurt as well.
    pub leaves_work: bool,
}

/// All of them.
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

/// Nothing has to be there before.
fn nothing(_: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}
