//! Where a later page of a list starts.

use steward_domain::data::ItemQuery;
use steward_domain::data::item_query::{Operand, Property, SortKey, Start};

use super::{ListStatement, Path};

/// Returns where the items without a value start, if they follow those that the statement of [`item_list`](super::item_list) returns.
pub(crate) fn start_without_value(query: &ItemQuery, path: &Path, start: &Start) -> Option<Start> {
    let first = &query.order().first()?.property;
    let is_by_index = path.orders().is_some_and(|index| index.is_of(first));
    let is_after_value = matches!(start, Start::After(values) if matches!(values.as_slice(), [Some(_), ..]));
    (is_by_index && is_after_value).then(|| Start::After(vec![None]))
}

impl<T> ListStatement<'_, T> {
    /// Appends the condition that an item comes after the start of the list.
    pub(super) fn start(&mut self, order: &[SortKey], start: &Start) {
        if let Start::After(values) = start {
            let position: Vec<_> = order.iter().zip(values.iter().map(Option::as_ref)).collect();
            self.after(&position);
        }
    }

    /// Appends the condition that an item comes after this position: some key comes after its value, and all keys
    /// before it are equal. A position of one absent value is that before all items without it.
    fn after(&mut self, position: &[(&SortKey, Option<&Operand>)]) {
        if let [(key, None)] = position {
            self.sql(" AND ");
            self.sorted(&key.property);
            return self.sql(" IS NULL");
        }
        let row = self.row(position);
        let is_in_index = row.is_some() && position.len() <= 2;
        let first = position.first().filter(|(key, _)| !is_in_index && self.has_value(&key.property));
        if let Some((key, Some(value))) = first {
            // Redundant, but tells the database where to start in an index.
            self.sql(" AND ");
            self.sorted(&key.property);
            self.sql(if key.descending { " <= " } else { " >= " });
            self.sorted_value(&key.property, value);
        }
        if let Some((descending, values)) = row {
            return self.after_row(descending, &values);
        }
        self.sql(" AND (");
        let mut is_first = true;
        for (count, (key, value)) in position.iter().enumerate() {
            // Nothing comes after an absent value.
            let Some(value) = value else { continue };
            self.sql(if is_first { "(" } else { " OR (" });
            is_first = false;
            for (earlier, value) in position.iter().take(count) {
                self.sorted(&earlier.property);
                match value {
                    Some(value) => {
                        self.sql(" = ");
                        self.sorted_value(&earlier.property, value);
                    }
                    None => self.sql(" IS NULL"),
                }
                self.sql(" AND ");
            }
            self.comes_after(key, value);
            self.sql(")");
        }
        self.sql(")");
    }

    /// Returns whether all items that are listed after a value of the property have it too. In the order of an index, the
    /// items without a value are listed by another statement.
    fn has_value(&self, property: &Property) -> bool {
        property.is_always_there() || self.ordered.is_some_and(|index| index.is_of(property))
    }

    /// Returns the values of a position that a comparison of rows expresses, and whether the order is descending: all keys
    /// have a value, and the same direction.
    fn row<'a>(
        &self,
        position: &[(&'a SortKey, Option<&'a Operand>)],
    ) -> Option<(bool, Vec<(&'a Property, &'a Operand)>)> {
        let descending = position.first()?.0.descending;
        let value = |(key, value): &(&'a SortKey, Option<&'a Operand>)| {
            let is_comparable = key.descending == descending && self.has_value(&key.property);
            value.filter(|_| is_comparable).map(|value| (&key.property, value))
        };
        Some((descending, position.iter().map(value).collect::<Option<_>>()?))
    }

    /// Appends a comparison of rows: an index in this order is read from there, although many items are equal in the first
    /// key.
    fn after_row(&mut self, descending: bool, values: &[(&Property, &Operand)]) {
        self.sql(" AND (");
        for (index, (property, _)) in values.iter().enumerate() {
            self.sql(if index == 0 { "" } else { ", " });
            self.sorted(property);
        }
        self.sql(if descending { ") < (" } else { ") > (" });
        for (index, (property, value)) in values.iter().enumerate() {
            self.sql(if index == 0 { "" } else { ", " });
            self.sorted_value(property, value);
        }
        self.sql(")");
    }

    fn comes_after(&mut self, key: &SortKey, value: &Operand) {
        self.sql("(");
        self.sorted(&key.property);
        self.sql(if key.descending { " < " } else { " > " });
        self.sorted_value(&key.property, value);
        if !key.property.is_always_there() {
            self.sql(" OR ");
            self.sorted(&key.property);
            self.sql(" IS NULL");
        }
        self.sql(")");
    }
}
