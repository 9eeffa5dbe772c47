//! The service on a Citus cluster: a coordinator and two workers. Without Citus the tests report that they are skipped.

mod distributing;
mod memory;
mod nodes;
mod rebalancing;
mod stopped_worker;
