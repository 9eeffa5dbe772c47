//! Items that do not conform to a document, and queries to find them.

use super::FieldType;
use crate::data::ItemId;

/// Why an item does not conform to its table. A null field counts as absent (docs/schema.md#items).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The item is stored, but its table does not exist.
    Stored,
    /// The item has this field.
    Holds(String),
    /// The item does not have this field.
    Lacks(String),
    /// The item has this field with a value of a type other than this one.
    HoldsOther(String, FieldType),
    /// The item has a field that is not in this list.
    HoldsBeside(Vec<String>),
}

/// A query for the items of a table that have at least one of these mismatches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MismatchQuery {
    /// The table to search.
    pub table: String,
    /// The mismatches to search for.
    pub any: Vec<Mismatch>,
}

/// The items that a query found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mismatches {
    /// Number of items.
    pub count: u64,
    /// IDs of the first items, without duplicates, ordered by user ID, then by item ID.
    pub samples: Vec<ItemId>,
}
