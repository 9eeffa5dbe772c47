//! Builds the statement that lists items.

mod later_page;
#[cfg(test)]
mod prepared;
mod search;

use diesel::sql_types::BigInt;
use serde_json::json;
use steward_domain::data::ItemQuery;
use steward_domain::data::item_query::{Comparison, Condition, Operand, Pattern, Property, SortKey, Start, Test};
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::{AccessBasis, ProjectId, ProjectUserId};

use super::deleted_user::push_not_being_deleted;
use super::dialect::{
    FIELDS, HAS_FIELD, KEYS, LOOKS_UP_IDS, NOT_CANCELLED, PARTITION_HINT, WITHOUT_INDEX, field_path, matching,
};
use super::item_path::{self, Index, Path};
use super::kernel::access_epoch;
use super::kernel::statement::{Fragment, Statement};
use super::mismatch::has_mismatch;
use crate::dialect::Matching;
use crate::sql_types::At;
use crate::tables::ItemContentColumns;

pub(crate) use later_page::start_without_value;
pub(crate) use search::{ProjectKey, project_search};

/// Builds the statement that lists the items of a query, using the given access path.
pub(crate) fn item_list(
    (project, user, table): (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
    path: &Path,
    (start, limit): (&Start, i64),
    basis: &AccessBasis,
) -> Statement<ItemContentColumns> {
    let by_id = item_path::names_ids(query);
    let mut list = ListStatement { statement: Statement::new(), ordered: path.orders(), by_id };
    if !has_common_text(query, start) {
        list.statement.is_rare();
    }
    list.sql("SELECT id, value, created_at, updated_at, revision");
    match item_path::named_ids(query).filter(|_| path.index().is_none() && LOOKS_UP_IDS) {
        Some(ids) => list.lookup((project, user, table), &ids),
        None => list.sql(path.index().map_or(" FROM items WHERE ", Index::source)),
    }
    list.sql(path.index().map_or("", |_| KEYS.joined));
    list.sql("items.project_id = ");
    list.statement.rest_of_table(project, user, table);
    list.sql(" AND ");
    list.sql(NOT_CANCELLED);
    let in_order_of_creation = query.order().first().is_some_and(|first| first.property == Property::CreatedAt);
    if path.index().is_none() && in_order_of_creation && !by_id {
        list.sql(PARTITION_HINT);
    }
    push_not_being_deleted(&mut list.statement, project, user);
    access_epoch::push_basis_condition(&mut list.statement, basis);
    if let Some(index) = path.index() {
        list.sql(KEYS.where_keys);
        list.keys(index, project, user, query);
    }
    list.conditions(query.conditions());
    list.start(query.order(), start);
    list.order(query.order());
    let offset = match start {
        Start::Offset(count) => i64::from(*count),
        Start::After(_) => 0,
    };
    list.statement.push(" LIMIT $1 OFFSET $2", &[limit, offset].map(Fragment::Count));
    list.statement
}

/// Builds the statement that counts, up to a limit, the items whose keys match the query's conditions on the indexed
/// field.
pub(crate) fn key_count(
    index: &Index,
    (project, user): (ProjectId, ProjectUserId),
    query: &ItemQuery,
    limit: i64,
) -> Statement<BigInt> {
    let mut count = ListStatement { statement: Statement::new(), ordered: None, by_id: false };
    count.sql("SELECT count(*) FROM (SELECT 1");
    count.sql(index.source());
    count.sql(" WHERE ");
    count.keys(index, project, user, query);
    count.statement.push(" LIMIT $1) AS few", &[Fragment::Count(limit)]);
    if !has_common_conditions(query) {
        count.statement.is_rare();
    }
    count.statement
}

/// Builds the statement that counts, up to a limit, a user's items in a table.
pub(crate) fn item_count((project, user, table): (ProjectId, ProjectUserId, &str), limit: i64) -> Statement<BigInt> {
    let mut count = Statement::new();
    count.sql("SELECT count(*) FROM (SELECT 1 FROM items WHERE project_id = ");
    count.rest_of_table(project, user, table);
    count.push(" LIMIT $1) AS few", &[Fragment::Count(limit)]);
    count
}

/// Returns whether few texts of statements are like this, so that all of them can remain prepared: without conditions,
/// the first page in a simple order and any page in an order of properties that all items have; with common ones, what
/// is both.
fn has_common_text(query: &ItemQuery, start: &Start) -> bool {
    let is_simple = matches!(start, Start::Offset(_)) && query.order().len() <= 2;
    let is_always_there = query.order().iter().all(|key| key.property.is_always_there());
    match query.conditions() {
        [] => is_simple || is_always_there,
        _ => is_simple && is_always_there && has_common_conditions(query),
    }
}

/// Returns whether few statements have such conditions: none, or the value of one property. The name of a field is a
/// parameter.
fn has_common_conditions(query: &ItemQuery) -> bool {
    match query.conditions() {
        [] => true,
        [Condition { negated, test, .. }] => {
            !negated && matches!(test, Test::Compares(Comparison::Eq, _) | Test::Is(_))
        }
        _ => false,
    }
}

/// Appends the expression that reads a field as a value of its type.
fn push_field<T>(statement: &mut Statement<T>, name: &str, kind: FieldType) {
    let pieces = match kind {
        FieldType::String => FIELDS.text,
        FieldType::Number => FIELDS.number,
        FieldType::Boolean => FIELDS.boolean,
        FieldType::Json => FIELDS.json,
    };
    for (index, sql) in pieces.iter().enumerate() {
        if index > 0 {
            statement.text(field_path(name));
        }
        statement.sql(sql);
    }
}

/// A statement under construction.
struct ListStatement<'a, T> {
    statement: Statement<T>,
    /// The index whose keys the statement sorts by, if any.
    ordered: Option<&'a Index>,
    /// Whether the statement looks up items by their IDs, and must not scan them in order of creation instead.
    by_id: bool,
}

impl<T> ListStatement<'_, T> {
    fn sql(&mut self, text: &'static str) {
        self.statement.sql(text);
    }

    /// Selects the keys of the user's items that match the query's conditions on the indexed field. Text keys are only
    /// prefixes, so the conditions themselves must still be checked.
    fn keys(&mut self, index: &Index, project: ProjectId, user: ProjectUserId, query: &ItemQuery) {
        const KEYS: &str = "item_keys.project_id = $1 AND field_id = $2 AND owner_id = $3";
        self.statement.push(KEYS, &[Fragment::id(project), Fragment::Count(index.id), Fragment::id(user)]);
        self.sql(if index.is_text() { " AND is_text" } else { " AND NOT is_text" });
        for condition in query.conditions().iter().filter(|condition| index.narrows(condition)) {
            self.sql(" AND ");
            self.sql(index.column());
            match &condition.test {
                Test::Compares(comparison, operand) => {
                    self.sql(match (comparison, index.is_text()) {
                        (Comparison::Gt, true) => " >= ",
                        (Comparison::Lt, true) => " <= ",
                        (other, _) => symbol(*other),
                    });
                    self.key(operand);
                }
                Test::In(operands) => self.one_of(operands, Self::key),
                Test::Is(expected) => {
                    self.sql(" = ");
                    self.key(&Operand::Boolean(*expected));
                }
                Test::Like(_) | Test::IsNull => self.sql(" IS NOT NULL"),
            }
        }
    }

    /// Appends a value in the form in which keys store it.
    fn key(&mut self, operand: &Operand) {
        match operand {
            Operand::Text(text) => self.statement.text(text.chars().take(SortKey::MAX_BYTES).collect::<String>()),
            Operand::Boolean(value) => self.statement.count(i64::from(*value)),
            other => self.operand(other),
        }
    }

    /// Reads each of the items by its key. Without statistics, PostgreSQL expects so few items of a user that it would read
    /// all of them and compare their IDs.
    fn lookup(&mut self, (project, user, table): (ProjectId, ProjectUserId, &str), ids: &[&str]) {
        self.sql(" FROM (SELECT DISTINCT unnest(ARRAY[");
        for (index, id) in ids.iter().enumerate() {
            self.sql(if index == 0 { "" } else { ", " });
            self.statement.text(*id);
        }
        self.sql("]::text[]) AS wanted_id) AS wanted CROSS JOIN LATERAL (SELECT project_id, user_id, table_name, id, value, ");
        self.sql("created_at, updated_at, revision FROM items WHERE project_id = ");
        self.statement.rest_of_table(project, user, table);
        // The limit keeps the planner from joining in another order.
        self.sql(" AND id = wanted_id LIMIT 1) AS items WHERE ");
    }

    fn one_of(&mut self, operands: &[Operand], mut push: impl FnMut(&mut Self, &Operand)) {
        self.sql(" IN (");
        for (index, operand) in operands.iter().enumerate() {
            self.sql(if index == 0 { "" } else { ", " });
            push(self, operand);
        }
        self.sql(")");
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            self.sql(if condition.negated { " AND NOT (" } else { " AND (" });
            self.condition(condition);
            self.sql(")");
        }
    }

    fn condition(&mut self, condition: &Condition) {
        let property = &condition.property;
        match &condition.test {
            Test::Compares(comparison, operand) => {
                if *comparison == Comparison::Eq && !condition.negated {
                    self.has_field(property, operand);
                }
                self.property(property);
                self.sql(symbol(*comparison));
                self.operand(operand);
            }
            Test::In(operands) => {
                self.property(property);
                self.one_of(operands, Self::operand);
            }
            Test::Like(pattern) => {
                if *property == Property::Id && !condition.negated && !pattern.any_case {
                    self.id_begins(pattern);
                }
                let Matching { before, parameters, after } = matching(pattern);
                self.sql(before);
                self.property(property);
                for (sql, parameter) in parameters {
                    self.sql(sql);
                    self.statement.text(parameter);
                }
                self.sql(after);
            }
            Test::IsNull => {
                self.property(property);
                self.sql(" IS NULL");
            }
            Test::Is(expected) => {
                self.property(property);
                self.sql(if *expected { " IS TRUE" } else { " IS FALSE" });
            }
        }
    }

    /// Appends the range of the IDs that begin as the pattern. The plan of a statement does not depend on its values, so the
    /// databases cannot find it.
    fn id_begins(&mut self, pattern: &Pattern) {
        let Some(beginning) = pattern.pieces.first().filter(|piece| !piece.is_empty()) else { return };
        self.statement.push("id >= $1 AND ", &[Fragment::text(beginning)]);
        if let Some(end) = after_prefix(beginning) {
            self.statement.push("id < $1 AND ", &[Fragment::Text(end)]);
        }
    }

    /// Appends [`HAS_FIELD`] if it holds for all items whose field equals the operand.
    fn has_field(&mut self, property: &Property, operand: &Operand) {
        let (Some((before, after)), Property::Field { name, .. }) = (HAS_FIELD, property) else { return };
        let value = match operand {
            // PostgreSQL has no JSON with U+0000.
            Operand::Text(text) if !text.contains('\0') => json!(text),
            Operand::Boolean(value) => json!(value),
            // All others may equal a stored number with other digits, because they are compared as doubles.
            Operand::Number(number) if number.is_i64() => json!(number),
            Operand::Text(_) | Operand::Number(_) | Operand::Timestamp(_) | Operand::User(_) => return,
        };
        self.sql(before);
        self.statement.text(json!({name: value}).to_string());
        self.sql(after);
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Id => self.sql("id"),
            Property::CreatedAt => {
                self.sql(if self.by_id { WITHOUT_INDEX } else { "" });
                self.sql("created_at");
            }
            Property::UpdatedAt => self.sql("updated_at"),
            Property::User => self.sql("user_id"),
            Property::Conforms(mismatches) => {
                self.sql("(NOT (1 = 0");
                for mismatch in mismatches {
                    self.sql(" OR ");
                    has_mismatch(&mut self.statement, mismatch);
                }
                self.sql("))");
            }
            Property::Field { name, kind } => push_field(&mut self.statement, name, *kind),
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Text(text) => self.statement.text(text),
            Operand::Boolean(value) => self.statement.bool(*value),
            Operand::Timestamp(at) => self.statement.at(At(*at)),
            Operand::User(user) => self.statement.push("$1", &[Fragment::id(*user)]),
            // Sent as text, which the database parses in the same way as numbers in items: equal numbers compare equal.
            Operand::Number(number) => {
                self.sql(FIELDS.number_before);
                self.statement.text(number.to_string());
                self.sql(FIELDS.number_after);
            }
        }
    }

    /// Appends a sort expression. Texts are sorted by their prefix.
    fn sorted(&mut self, property: &Property) {
        match self.ordered {
            Some(index) if index.is_of(property) => return self.sql(index.column()),
            // Sorts equal keys in the order of their index.
            Some(_) if *property == Property::Id => return self.sql("item_id"),
            _ => {}
        }
        let is_text = matches!(property, Property::Field { kind: FieldType::String, .. });
        self.sql(if is_text { "substr(" } else { "" });
        self.property(property);
        if is_text {
            // A literal, because the databases accept different integer types here.
            const { assert!(SortKey::MAX_BYTES == 200) };
            self.sql(", 1, 200)");
        }
    }

    /// Appends a value that is compared with a sort expression.
    fn sorted_value(&mut self, property: &Property, value: &Operand) {
        match self.ordered {
            Some(index) if index.is_of(property) => self.key(value),
            _ => self.operand(value),
        }
    }

    fn order(&mut self, keys: &[SortKey]) {
        for (index, key) in keys.iter().enumerate() {
            self.sql(if index == 0 { " ORDER BY " } else { ", " });
            self.sorted(&key.property);
            self.sql(match (key.descending, key.property.is_always_there()) {
                (false, true) => " ASC",
                (true, true) => " DESC",
                (false, false) => " ASC NULLS LAST",
                (true, false) => " DESC NULLS LAST",
            });
        }
    }
}

/// Returns the least text, by code points, that is greater than all with this prefix; `None` if there is none.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut beginning = prefix.chars().collect::<Vec<_>>();
    while let Some(last) = beginning.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            return Some(beginning.into_iter().chain([next]).collect());
        }
    }
    None
}

const fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => " = ",
        Comparison::Neq => " <> ",
        Comparison::Gt => " > ",
        Comparison::Gte => " >= ",
        Comparison::Lt => " < ",
        Comparison::Lte => " <= ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_prefix_ends_before_the_next_one() {
        for (prefix, end) in [("a", "b"), ("a\u{10FFFF}", "b"), ("7\u{D7FF}", "7\u{E000}")] {
            assert_eq!(after_prefix(prefix).as_deref(), Some(end));
        }
        assert_eq!(after_prefix("\u{10FFFF}"), None);
    }
}
