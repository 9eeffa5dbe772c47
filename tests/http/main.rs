//! Black-box tests of the HTTP API against the real binary on both databases.

mod administration;
mod command_line;
mod console;
mod data;
mod documents;
mod identity;
mod laws;
mod transport;

/// Number of requests that compete for one thing: more than there are workers, and few enough that a slow machine
/// answers the last one in time.
const CONCURRENT: usize = 20;
