//! Random sequences of operations against a model of the rules, which is written from the contract and the decisions: the
//! service answers on both databases as the model says, and then shows the same state.
//!
//! `STEWARD_MODEL_CASES` and `STEWARD_MODEL_STEPS` make it longer; `STEWARD_MODEL_SEED` tries other sequences, or the one
//! that a failure named (with one case).

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

#[expect(clippy::disallowed_methods, reason = "a setting of this test, not of the service")]
fn setting(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

#[test]
fn any_sequence_of_operations_is_answered_as_the_rules_say_on_both_databases() {
    let (cases, count) = (setting("STEWARD_MODEL_CASES", 24), setting("STEWARD_MODEL_STEPS", 40));
    let count = usize::try_from(count).unwrap();
    let first = setting("STEWARD_MODEL_SEED", 1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let quiet = [("STEWARD_LOG", "error")];
    let [sqlite, postgres] =
        [Backend::Sqlite, Backend::Postgres].map(|backend| runtime.block_on(App::start_with(backend, &quiet)));

    let mut plays = 0;
    let mut tally = Tally::default();
    let mut play = |steps: &[Step]| {
        // Each play has names of its own, so that it knows nothing of those before.
        plays += 1;
        let case = format!("c{plays}");
        runtime.block_on(async { Replay::begin(&case, &sqlite, &postgres).await.play(steps, &mut tally).await })
    };
    let step = strategy::step();
    let failure = (first..first + cases).find_map(|seed| {
        let case = Case::draw(&step, count, &mut runner(seed));
        let failure = play(&case.steps()).err()?;
        eprintln!("seed {seed} fails; looking for a shorter story of\n{}", failure.story);
        Some(format!("seed {seed}:\n{}", case.shortened(failure, &mut play)))
    });
    // The services end before the test does, so that the story stands last.
    drop((sqlite, postgres));
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    let in_vain = |statuses: &BTreeMap<u16, usize>| {
        statuses.values().sum::<usize>() >= 20 && statuses.keys().all(|status| *status >= 400)
    };
    let never: Vec<_> = tally.iter().filter(|(_, statuses)| in_vain(statuses)).collect();
    assert!(never.is_empty(), "these never succeed, so little is tried of them: {never:?}");
    println!("{cases} cases from seed {first}: {tally:?}");
}

/// What one case is drawn from, which follows from the seed alone.
fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
