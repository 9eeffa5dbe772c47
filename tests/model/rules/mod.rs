//! The rules of each resource, according to the contract (docs/contract.md).

mod invites;
pub mod items;
mod keys;
mod members;
mod projects;
mod schemas;
mod teams;
mod users;

use crate::expected::{ExpectedError, INVALID, RESERVED};
use crate::operation::{Name, Slug};

/// Returns a name as stored: trimmed. Valid names have 1 to 100 characters (docs/contract.md#text).
fn kept(name: Name, case: &str) -> String {
    name.sent(case).trim().to_owned()
}

fn name_faults(name: Option<Name>, case: &str) -> Vec<ExpectedError> {
    let is_invalid = name.is_some_and(|name| !(1..=100).contains(&kept(name, case).chars().count()));
    if is_invalid { vec![INVALID] } else { Vec::new() }
}

fn slug_faults(slug: Option<Slug>) -> Vec<ExpectedError> {
    match slug {
        Some(Slug("admin")) => vec![RESERVED],
        Some(Slug("" | "a--b")) => vec![INVALID],
        _ => Vec::new(),
    }
}

/// Checks a label, which has up to 64 characters and grants no permissions.
fn label_faults(label: Option<&str>) -> Vec<ExpectedError> {
    if label.is_some_and(|label| label.chars().count() > 64) { vec![INVALID] } else { Vec::new() }
}
