//! Rules that hold for all operations: each test walks their rows, or one of each kind.

mod access;
mod access_epochs;
mod account_conditions;
mod authority_ends;
mod error_bodies;
mod etags;
mod general;
mod id_case;
mod idempotency;
mod operations;
mod readable_text;
mod strangers;
mod unknown_members;
mod untrusted_text;
