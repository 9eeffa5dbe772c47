//! Access paths for items: a scan of the table, or the keys of an indexed field if that is faster.

use steward_domain::data::ItemQuery;
use steward_domain::data::item_query::{Comparison, Condition, Operand, Property, Test};
use steward_domain::data::schema::FieldType;

use super::dialect::KEYS;

/// Maximum number of items that are read one by one faster than by scanning a table.
pub(crate) const MAX_COUNTED: i64 = 1_000;

/// A field for which every item of its table has a key.
#[derive(Debug)]
pub(crate) struct Index {
    pub id: i64,
    pub field: String,
    pub kind: FieldType,
}

impl Index {
    pub(crate) fn is_text(&self) -> bool {
        self.kind == FieldType::String
    }

    /// FROM clause that reads the keys.
    pub(crate) fn source(&self) -> &'static str {
        if self.is_text() { KEYS.texts } else { KEYS.numbers }
    }

    /// Column that stores the keys.
    pub(crate) fn column(&self) -> &'static str {
        if self.is_text() { "text_key" } else { "number_key" }
    }

    pub(crate) fn is_of(&self, property: &Property) -> bool {
        matches!(property, Property::Field { name, kind } if *name == self.field && *kind == self.kind)
    }

    /// Returns whether the keys can exclude items that do not match the condition.
    pub(crate) fn narrows(&self, condition: &Condition) -> bool {
        let by_value = match condition.test {
            Test::Compares(comparison, _) => comparison != Comparison::Neq,
            Test::In(_) | Test::Is(_) => true,
            Test::Like(_) | Test::IsNull => false,
        };
        by_value && !condition.negated && self.is_of(&condition.property)
    }
}

/// Access path for items.
#[derive(Debug)]
pub(crate) enum Path {
    /// A scan of the table, or a lookup by an index that contains every item.
    Scan,
    /// The few keys that match the conditions on the indexed field.
    Narrowed(Index),
    /// All keys, in their order.
    Ordered(Index),
}

impl Path {
    pub(crate) fn index(&self) -> Option<&Index> {
        match self {
            Self::Scan => None,
            Self::Narrowed(index) | Self::Ordered(index) => Some(index),
        }
    }

    pub(crate) fn orders(&self) -> Option<&Index> {
        match self {
            Self::Ordered(index) => Some(index),
            Self::Scan | Self::Narrowed(_) => None,
        }
    }
}

/// Returns whether the query names the IDs of the items, of which the parser allows few. They are looked up by their
/// key, whatever the order and the other conditions are.
pub(crate) fn names_ids(query: &ItemQuery) -> bool {
    query.conditions().iter().any(|condition| {
        let by_value = matches!(condition.test, Test::Compares(Comparison::Eq, _) | Test::In(_));
        by_value && !condition.negated && condition.property == Property::Id
    })
}

/// Returns the IDs that the query names, if it names them as texts.
pub(crate) fn named_ids(query: &ItemQuery) -> Option<Vec<&str>> {
    let of_id = |condition: &&Condition| !condition.negated && condition.property == Property::Id;
    query.conditions().iter().filter(of_id).find_map(|condition| {
        let operands = match &condition.test {
            Test::Compares(Comparison::Eq, operand) => std::slice::from_ref(operand),
            Test::In(operands) => operands,
            _ => return None,
        };
        operands.iter().map(|operand| if let Operand::Text(id) = operand { Some(id.as_str()) } else { None }).collect()
    })
}

/// Returns whether keys can help. Most lists use no field at all.
pub(crate) fn uses_field(query: &ItemQuery) -> bool {
    let first = query.order().first().map(|key| &key.property);
    let mut properties = query.conditions().iter().map(|condition| &condition.property).chain(first);
    properties.any(|property| matches!(property, Property::Field { .. }))
}

/// Returns whether few more items are scanned than requested: by their IDs, or with an index in the requested order,
/// from one end of the range that the conditions allow.
pub(crate) fn is_bounded(query: &ItemQuery, path: &Path) -> bool {
    if names_ids(query) {
        return true;
    }
    let order = query.order();
    let is_in_order = match (path, order) {
        (Path::Narrowed(_), _) => return true,
        (Path::Scan, [only]) => only.property == Property::Id,
        // Items that are equal in the first key are in the order of an index only by their ID, in the same direction.
        (Path::Scan | Path::Ordered(_), [first, last]) => {
            let is_first =
                path.orders().map_or(first.property == Property::CreatedAt, |index| index.is_of(&first.property));
            is_first && last.property == Property::Id && first.descending == last.descending
        }
        (Path::Scan | Path::Ordered(_), _) => false,
    };
    let is_end_of_order = |property: &Property| order.first().is_some_and(|first| first.property == *property);
    let is_cheap = |condition: &Condition| match (&condition.property, &condition.test) {
        _ if condition.negated => false,
        (property, Test::Compares(comparison, _)) => *comparison != Comparison::Neq && is_end_of_order(property),
        _ => false,
    };
    is_in_order && query.conditions().iter().all(is_cheap) && i64::from(query.offset()) <= MAX_COUNTED
}
