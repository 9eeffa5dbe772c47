//! Item queries: conditions, sort order, pagination and selection (docs/contract.md#item-queries). A query is parsed
//! against the fields of its table, so that a store never receives an invalid field, operator or value.

mod field_kind;
mod parse;
mod place;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};

use serde_json::Number;
use uuid::Uuid;

use crate::data::StoredItem;
use crate::data::schema::{FieldType, Mismatch};
use crate::kernel::{PageSize, ProjectUserId, Rows, Time, case_folding, named};

/// The received parameters of an item query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawItemQuery {
    /// All parameters except the cursor, in the order received.
    pub parameters: Vec<(String, String)>,
    /// The cursor: [`ItemPage::next`] of the previous page.
    pub cursor: Option<String>,
    /// The maximum size of the page.
    pub size: PageSize,
}

/// A property of an item that can be used in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Property {
    /// The ID of the item.
    Id,
    /// When the item was first stored.
    CreatedAt,
    /// When the item was last stored.
    UpdatedAt,
    /// The user who owns the item, in a list of the items of all users.
    User,
    /// Whether the item has none of these mismatches with the newest schema, in a list of the items of all users.
    Conforms(Vec<Mismatch>),
    /// A field of the item. A value of another type, stored before the field had its current type, counts as absent.
    Field {
        /// The name of the field.
        name: String,
        /// The type of the field in the newest schema.
        kind: FieldType,
    },
}

impl Property {
    /// Returns whether every item has the property.
    pub fn is_always_there(&self) -> bool {
        !matches!(self, Self::Field { .. })
    }
}

/// A value that a property is compared with. Its type is always that of the property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A text. Texts are compared by code points, which is the order of their bytes.
    Text(String),
    /// A number. 64-bit integers are compared exactly, all other numbers as IEEE doubles.
    Number(Number),
    /// A boolean. False sorts before true.
    Boolean(bool),
    /// A timestamp, for `created_at` and `updated_at`.
    Timestamp(Time),
    /// A user.
    User(ProjectUserId),
}

named! {
    /// A comparison of two values.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Comparison: "the operator in a query" {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Neq = "neq",
        /// Greater than.
        Gt = "gt",
        /// Greater than or equal.
        Gte = "gte",
        /// Less than.
        Lt = "lt",
        /// Less than or equal.
        Lte = "lte",
    }
}

/// A text pattern with wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The literal texts before, between and after the wildcards. They are [folded](case_folding::folded) if the match
    /// ignores case.
    pub pieces: Vec<String>,
    /// Whether the match ignores case: the text is folded before it is compared.
    pub any_case: bool,
}

impl Pattern {
    /// Returns the characters outside ASCII that the match has to fold to characters of the pattern, as pairs of the folded
    /// character and the other one.
    pub fn folds_beyond_ascii(&self) -> Vec<(char, char)> {
        let characters: BTreeSet<char> = self.pieces.iter().flat_map(|piece| piece.chars()).collect();
        let folds = characters.into_iter().filter(|_| self.any_case).flat_map(case_folding::folds_to);
        folds.filter(|(_, other)| !other.is_ascii()).copied().collect()
    }
}

/// The test that a condition applies to a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// The comparison with the value is true.
    Compares(Comparison, Operand),
    /// The property equals one of the values.
    In(Vec<Operand>),
    /// The property matches the pattern.
    Like(Pattern),
    /// The property is absent.
    IsNull,
    /// The property is present and has this boolean value.
    Is(bool),
}

/// A condition of a query. As in SQL, a comparison with an absent value is neither true nor false, and neither is its
/// negation. Only `IsNull` and `Is` are always true or false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The tested property.
    pub property: Property,
    /// Whether the test is negated.
    pub negated: bool,
    /// The test.
    pub test: Test,
}

/// A sort key. Absent values sort last in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// The property to sort by. Texts are sorted by their first [`SortKey::MAX_BYTES`] characters.
    pub property: Property,
    /// Whether the order is descending.
    pub descending: bool,
}

impl SortKey {
    /// The number of characters of a text that determine its order. The limit keeps cursors, which contain these
    /// characters, short enough for a URL.
    pub const MAX_BYTES: usize = 200;
}

/// The start of the requested part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// Skip this number of items.
    Offset(u32),
    /// Start after the item with these values of the sort keys.
    After(Vec<Option<Operand>>),
}

/// A query that is valid for its table.
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
    /// The maximum `limit` (docs/contract.md#item-queries).
    pub const MAX_LIMIT: u16 = 1_000;
    /// The maximum number of a project's items that a search among all users examines (docs/contract.md#items-of-all-users).
    pub const MAX_EXAMINED: u32 = 100_000;

    /// Returns the conditions that every item in the result must meet.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Returns the sort keys. The last keys are the ID and, in a list of the items of all users, the user, so that the order
    /// is total.
    pub fn order(&self) -> &[SortKey] {
        &self.order
    }

    /// Returns the start of the requested part.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Returns the requested maximum number of items; `None` for all.
    pub fn limit(&self) -> Option<u16> {
        self.limit
    }

    /// Returns the maximum size of the page.
    pub fn size(&self) -> PageSize {
        let rows = self.limit.map_or(self.size.rows, |limit| limit.min(self.size.rows));
        PageSize { rows, ..self.size }
    }

    /// Returns whether the items are in the order of their users, and then of their IDs: that of the primary key.
    pub fn is_in_key_order(&self) -> bool {
        let is_of = |key: &SortKey, property: Property| key.property == property && !key.descending;
        matches!(self.order.as_slice(), [user, id] if is_of(user, Property::User) && is_of(id, Property::Id))
    }

    /// Returns whether the query of the items of all users reads them as the primary key lists them.
    pub fn needs_no_search(&self) -> bool {
        self.conditions.is_empty() && self.is_in_key_order()
    }

    /// Returns the number of skipped items.
    pub fn offset(&self) -> u32 {
        match self.start {
            Start::Offset(count) => count,
            Start::After(_) => 0,
        }
    }

    /// Returns whether the response contains this member of an item. It always contains the ID.
    pub fn shows(&self, name: &str) -> bool {
        name == "id" || self.select.as_ref().is_none_or(|selected| selected.contains(name))
    }

    /// Returns whether the response contains all members of an item.
    pub fn shows_all(&self) -> bool {
        self.select.is_none()
    }

    /// Returns the start of the part of the list after an item.
    pub fn start_after(&self, stored: &StoredItem) -> Start {
        Start::After(self.values_of(stored))
    }

    /// Creates the page from the rows that a store found.
    pub fn page(self, found: Rows<StoredItem>) -> ItemPage {
        let next = found.items.last().filter(|_| found.more).map(|last| self.cursor(self.values_of(last)));
        ItemPage { items: found.items, next, query: self }
    }

    /// Creates the page from what a store found of the items of all users. In the order of the primary key, the next page
    /// continues where the store stopped. Only a search is reported as stopped.
    pub fn project_page(self, ProjectItems { items, next, stopped }: ProjectItems) -> ProjectItemPage {
        let values = |at: &ItemPosition| vec![Some(Operand::User(at.user)), Some(Operand::Text(at.id.clone()))];
        let next = next.and_then(|start| if let Start::After(values) = start { Some(values) } else { None });
        let next = next.or_else(|| stopped.as_ref().filter(|_| self.is_in_key_order()).map(values));
        let next = next.map(|values| self.cursor(values));
        let stopped = stopped.filter(|_| !self.needs_no_search());
        ProjectItemPage { page: ItemPage { items, next, query: self }, stopped }
    }
}

/// A position among the items of all users in one table, in the order of their users and IDs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPosition {
    /// The user.
    pub user: ProjectUserId,
    /// The last ID before the position; any text.
    pub id: String,
}

impl ItemPosition {
    /// A text after all IDs.
    const LAST: &str = "\u{10FFFF}";
    /// Returns the position before all items.
    pub fn start() -> Self {
        Self { user: Uuid::nil().into(), id: String::new() }
    }

    /// Returns the position after all items of a user.
    pub fn after_all_of(user: ProjectUserId) -> Self {
        Self { user, id: Self::LAST.to_owned() }
    }
}

/// What a store found of the items of all users in one table.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectItems {
    /// The items, in the order of the query.
    pub items: Vec<StoredItem>,
    /// The start of the next page, if there are more items.
    pub next: Option<Start>,
    /// Where the store stopped; `None` if it examined all items up to the end of the page or of the table.
    pub stopped: Option<ItemPosition>,
}

/// A page of a list of the items of all users.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectItemPage {
    /// The page.
    pub page: ItemPage,
    /// Where a search stopped before the end of the project's items, if it did.
    pub stopped: Option<ItemPosition>,
}

/// A page of a list of items.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    /// The items, in the order of the query.
    pub items: Vec<StoredItem>,
    /// The `cursor` of the next page of the same query; `None` on the last page.
    pub next: Option<String>,
    /// The query of the page.
    pub query: ItemQuery,
}
