//! Tests that one caller cannot affect another. The short form is part of every test run. The load form (`make
//! hostile`) measures the response times of a victim during each load, and kills the service repeatedly.

mod callers;
mod fill;
mod growth;
mod idle_webhooks;
mod imports;
mod indexing;
mod kill;
mod loads;
mod measured;
mod process;
mod races;
mod scenario;
mod scenarios;
mod scene;
mod schema_versions;
mod short;
mod slow_reader;
mod sync_load;
mod victim;
mod webhook_rates;

/// Returns a numeric setting of the run from the environment.
#[expect(clippy::disallowed_methods, reason = "The tests are configured by environment variables.")]
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
