//! Tests of both stores, in one binary: it links faster than one for each file, and their waits overlap.

mod backup;
mod combined;
mod contract;
mod ends_of_rows;
mod item_keys;
mod lanes;
mod load;
mod long_transactions;
mod migrating;
mod migrations;
mod newer_values;
mod positions;
mod quiet_webhooks;
