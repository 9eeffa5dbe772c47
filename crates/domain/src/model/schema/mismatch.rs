//! Items that do not fit a document any more, and what to ask a store to find them.

use super::FieldType;
use crate::model::ItemId;

/// What keeps an item from fitting its table. A field that is null counts as absent (schema rules 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// That it is there: its table is not.
    Stored,
    /// It holds this field.
    Holds(String),
    /// It lacks this field.
    Lacks(String),
    /// It holds this field with a value of another type.
    HoldsOther(String, FieldType),
    /// It holds a field that is none of these.
    HoldsBeside(Vec<String>),
}

/// Asks for the items of one table that have one of these violations at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MismatchQuery {
    /// The table.
    pub table: String,
    /// The violations.
    pub any: Vec<Mismatch>,
}

/// The items that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mismatches {
    /// How many there are.
    pub count: u64,
    /// Ids of the first of them, each once: in the order of their users' ids, then of their own.
    pub samples: Vec<ItemId>,
}
