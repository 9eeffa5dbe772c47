//! Runs random sequences of operations on the service and on a model of its rules. The model is written from the
//! contract (docs/contract.md). On both databases, the responses and the resulting state must match the model.
//!
//! `STEWARD_MODEL_CASES` and `STEWARD_MODEL_STEPS` set the length of the test. `STEWARD_MODEL_SEED` selects other
//! sequences, or (with one case) repeats the sequence that a failure reported.

mod document;
mod expected;
mod inspection;
mod names;
mod operation;
mod permission;
mod replay;
mod request;
mod rules;
mod shrink;
mod strategy;
mod subject;
mod world;

use std::collections::BTreeMap;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use steward_tests::{App, Backend};

use crate::operation::Step;
use crate::replay::{Replay, Tally};
use crate::shrink::Case;

#[expect(clippy::disallowed_methods, reason = "This is a setting of the test, not of the service.")]
fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number.")))
}

#[test]
fn responses_to_random_operations_match_the_model_on_both_databases() {
    let (cases, count) = (setting("STEWARD_MODEL_CASES", 24), setting("STEWARD_MODEL_STEPS", 40));
    let count = usize::try_from(count).unwrap();
    let first_seed = setting("STEWARD_MODEL_SEED", 1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let quiet = [("STEWARD_LOG", "error")];
    let [sqlite, postgres] =
        [Backend::Sqlite, Backend::Postgres].map(|backend| runtime.block_on(App::start_with(backend, &quiet)));

    let mut runs = 0;
    let mut tally = Tally::default();
    let mut run = |steps: &[Step]| {
        // Each run uses different names, so that it is independent of earlier runs.
        runs += 1;
        let case = format!("c{runs}");
        runtime.block_on(async { Replay::begin(&case, &sqlite, &postgres).await.play(steps, &mut tally).await })
    };
    let step = strategy::step();
    let failure = (first_seed..first_seed + cases).find_map(|seed| {
        let case = Case::draw(&step, count, &mut runner(seed));
        let failure = run(&case.steps()).err()?;
        eprintln!("Seed {seed} fails. Shrinking this sequence:\n{}", failure.story);
        Some(format!("Seed {seed}:\n{}", case.shortened(failure, &mut run)))
    });
    // Stop the services first, so that the failing sequence is the last output.
    drop((sqlite, postgres));
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    let never_succeeds = |statuses: &BTreeMap<u16, usize>| {
        statuses.values().sum::<usize>() >= 20 && statuses.keys().all(|status| *status >= 400)
    };
    let failing: Vec<_> = tally.iter().filter(|(_, statuses)| never_succeeds(statuses)).collect();
    assert!(failing.is_empty(), "These operations never succeed, so they are hardly tested: {failing:?}");
    println!("{cases} cases from seed {first_seed}: {tally:?}");
}

/// Returns a test runner whose random numbers depend only on the seed.
fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
