//! One caller cannot hurt another. The short form is part of every test run; the load form (`make hostile`) measures what
//! a victim sees beside each load, and kills the service again and again.

mod kill;
mod loads;
mod measured;
mod memory;
mod scenarios;
mod scene;
mod short;
mod victim;

/// How large a run is, as whoever starts it says.
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment")]
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
