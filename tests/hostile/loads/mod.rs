//! The loads of hostile callers, one file per type of load.

mod backlog;
mod commands;
mod credentials;
mod documents;
mod heavy;
mod lists;
mod passwords;
mod stalled;
mod strangers;
mod webhooks;
mod writers;

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;

pub use documents::document;

use crate::callers::Callers;
use crate::scene::Scene;

/// A load that one tenant puts on the service.
pub struct Load {
    pub name: &'static str,
    /// Creates the data that the load requires.
    pub prepare: for<'a> fn(&'a Scene) -> BoxFuture<'a, ()>,
    /// Starts the callers. In the short form, a load may start several times on one service.
    pub start: for<'a> fn(&'a Scene) -> BoxFuture<'a, Callers>,
    /// Outcomes that the load must have. A load that is rejected, or that does nothing, affects nobody.
    pub proofs: &'static [Proof],
    /// Whether the work that it leaves behind can affect other callers too.
    pub leaves_work: bool,
}

/// An outcome and how often it must occur.
pub struct Proof {
    pub outcome: &'static str,
    /// Minimum number at full scale, for a duration in seconds.
    pub full: fn(u64) -> u64,
    /// Minimum number in a short run.
    pub short: u64,
}

const fn proof(outcome: &'static str, full: fn(u64) -> u64, short: u64) -> Proof {
    Proof { outcome, full, short }
}

impl Load {
    /// Returns a message for each outcome that occurred less often than its minimum, or that never may: no load makes
    /// the service fail.
    pub fn violations(&self, outcomes: &BTreeMap<String, u64>, minimum: impl Fn(&Proof) -> u64) -> Vec<String> {
        [failures(outcomes), self.missing(outcomes, minimum)].concat()
    }

    /// Returns a message for each outcome that occurred less often than its minimum.
    pub fn missing(&self, outcomes: &BTreeMap<String, u64>, minimum: impl Fn(&Proof) -> u64) -> Vec<String> {
        let missing = self.proofs.iter().filter_map(|proof| {
            let (count, minimum) = (outcomes.get(proof.outcome).copied().unwrap_or_default(), minimum(proof));
            let message = || format!("The outcome {:?} occurred {count} times, not {minimum} times.", proof.outcome);
            (count < minimum).then(message)
        });
        missing.collect()
    }
}

/// Returns a message for each outcome that may never occur.
pub fn failures(outcomes: &BTreeMap<String, u64>) -> Vec<String> {
    let failed = outcomes.iter().filter(|(outcome, _)| outcome.ends_with("500"));
    failed.map(|(outcome, count)| format!("The outcome {outcome:?} occurred {count} times.")).collect()
}

/// In the short form, all loads run in this order on one service. Exports and logs run before the loads that write.
pub const LOADS: &[Load] = &[
    documents::THIRTY_THOUSAND_FIELDS,
    documents::NINETY_THOUSAND_FIELDS,
    stalled::READERS,
    strangers::FORMS,
    strangers::DEVICES,
    lists::UNLIMITED,
    heavy::EXPORTS,
    heavy::DRY_RUNS,
    heavy::QUERIES,
    writers::FULL_BATCHES,
    webhooks::QUIET,
    passwords::WRONG,
    passwords::SIGN_INS,
    commands::ACCOUNT_CREATE,
    credentials::UNKNOWN,
    backlog::WRONG_PASSWORDS,
    backlog::AUDIT_READERS,
];

/// For loads that require no data.
fn nothing(_: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}
