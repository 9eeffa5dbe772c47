//! What a list of items is asked for: conditions, order, and which part of it (contract 9). A query is parsed against the
//! fields of its table, so that no store ever sees a field, an operator or a value that does not fit.

mod parse;
mod place;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::Number;

use super::schema::FieldType;
use super::{PageSize, Rows, StoredItem, Time};

/// The parameters of a list of items as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawItemQuery {
    /// All but the cursor, in the order in which they came.
    pub parameters: Vec<(String, String)>,
    /// Where the page before ended, as [`ItemPage::next`] told it.
    pub cursor: Option<String>,
    /// Where the page ends at the latest.
    pub size: PageSize,
}

/// Something of an item that can be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Property {
    /// Its id.
    Id,
    /// When it was first stored.
    CreatedAt,
    /// When it was last stored.
    UpdatedAt,
    /// One of its fields. A value of another type, from before the field was given this one, counts as absent.
    Field {
        /// The field.
        name: String,
        /// Its type in the newest schema.
        kind: FieldType,
    },
}

impl Property {
    /// Whether every item has it.
    pub fn is_always_there(&self) -> bool {
        !matches!(self, Self::Field { .. })
    }
}

/// A value that a property is compared with; always one of the property's own type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// Texts compare byte by byte.
    Text(String),
    /// Whole numbers of 64 bits compare exactly, all others as IEEE doubles.
    Number(Number),
    /// False comes before true.
    Boolean(bool),
    /// Of `created_at` and `updated_at`.
    Timestamp(Time),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Neq,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
}

/// A text with gaps that stand for anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// What stands before, between and after the gaps, email by email.
    pub pieces: Vec<String>,
    /// Whether the case of the letters A to Z does not count. Other emails are always told apart: what the databases fold
    /// beyond ASCII differs.
    pub any_case: bool,
}

/// What is asked of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// It compares so with the value.
    Compares(Comparison, Operand),
    /// It is one of the values.
    In(Vec<Operand>),
    /// It has the pattern.
    Like(Pattern),
    /// It is absent.
    IsNull,
    /// It is there and has this truth value.
    Is(bool),
}

/// One condition. As in SQL, a comparison with an absent value is neither true nor false, and so is its negation; only
/// `IsNull` and `Is` are always one of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What is looked at.
    pub property: Property,
    /// Whether the opposite is asked for.
    pub negated: bool,
    /// What is asked.
    pub test: Test,
}

/// One step of an order. What is absent comes last in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// What is ordered by: of texts, the first [`SortKey::MAX_BYTES`] characters.
    pub property: Property,
    /// Whether the greatest comes first.
    pub descending: bool,
}

impl SortKey {
    /// How many characters of a text count for its order, so that a cursor, which carries them, fits an address.
    pub const MAX_BYTES: usize = 200;
}

/// Where the wanted part of a list begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// After this many items.
    Offset(u32),
    /// After the item that had these values of the sort keys.
    After(Vec<Option<Operand>>),
}

/// A query that fits its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemQuery {
    conditions: Vec<Condition>,
    order: Vec<SortKey>,
    start: Start,
    limit: Option<u16>,
    size: PageSize,
    select: Option<HashSet<String>>,
    fingerprint: u32,
}

impl ItemQuery {
    /// The largest `limit` (contract 9).
    pub const MAX_LIMIT: u16 = 1_000;

    /// What all items in the answer fulfil.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// In which order they come. The last key is the id, so that no two items are equal in it.
    pub fn order(&self) -> &[SortKey] {
        &self.order
    }

    /// Where the wanted part begins.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The most items that are asked for. `None`: all that there are.
    pub fn limit(&self) -> Option<u16> {
        self.limit
    }

    /// Where the page ends at the latest.
    pub fn size(&self) -> PageSize {
        let rows = self.limit.map_or(self.size.rows, |limit| limit.min(self.size.rows));
        PageSize { rows, ..self.size }
    }

    /// How many items were passed over.
    pub fn offset(&self) -> u32 {
        match self.start {
            Start::Offset(count) => count,
            Start::After(_) => 0,
        }
    }

    /// Whether a member of an answered item is wanted. The id always is.
    pub fn shows(&self, name: &str) -> bool {
        name == "id" || self.select.as_ref().is_none_or(|wanted| wanted.contains(name))
    }

    /// Whether all members are wanted.
    pub fn shows_all(&self) -> bool {
        self.select.is_none()
    }

    /// The start of what follows an item in the list that is asked for.
    pub fn start_after(&self, stored: &StoredItem) -> Start {
        Start::After(self.values_of(stored))
    }

    /// Makes the page of what a store found.
    pub fn page(self, found: Rows<StoredItem>) -> ItemPage {
        let next = found.items.last().filter(|_| found.more).map(|last| self.place_of(last));
        ItemPage { items: found.items, next, query: self }
    }
}

/// A part of a list of items.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    /// The items, in the order of the query.
    pub items: Vec<StoredItem>,
    /// Where the next page begins, while there is more: the `cursor` of the same query.
    pub next: Option<String>,
    /// What was asked for.
    pub query: ItemQuery,
}
