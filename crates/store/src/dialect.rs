//! Types of the SQL that differs between the databases, and limits of their statements.

use steward_domain::data::item_query::Pattern;

/// Maximum number of writes of one change, which number its events: the positions of a transaction on PostgreSQL.
pub(crate) const MAX_WRITES: i64 = 1024;

/// Where it is proven that the user is connected and that the basis of the access decision is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// In the statement that writes the item.
    InStatement,
    /// In an earlier statement of the transaction, which also read the position of the first write.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "In SQLite, a statement costs no round trip."))]
    Before { first_position: i64 },
}

/// SQL that reads a field of an item. The name of the field goes between the pieces of each list. The result is NULL if
/// the value has another type.
pub struct FieldSql {
    pub text: &'static [&'static str],
    pub number: &'static [&'static str],
    pub boolean: &'static [&'static str],
    pub json: &'static [&'static str],
    /// SQL before the text of a number, to convert it to a number.
    pub number_before: &'static str,
    /// SQL after the text of a number.
    pub number_after: &'static str,
}

/// SQL that makes a database read keys first, and then the item of each key.
pub struct KeySql {
    pub texts: &'static str,
    pub numbers: &'static str,
    /// SQL between the source of the keys and the conditions on items.
    pub joined: &'static str,
    /// SQL between the conditions on items and the conditions on keys.
    pub where_keys: &'static str,
}

/// SQL that compares a text with a pattern.
pub struct Matching {
    /// SQL before the text.
    pub before: &'static str,
    /// Pieces of SQL after the text, and the parameter after each of them.
    pub parameters: Vec<(&'static str, String)>,
    /// SQL at the end.
    pub after: &'static str,
}

/// Converts a pattern to a LIKE pattern with a backslash as the escape character.
pub fn like_pattern(pattern: &Pattern) -> String {
    let escaped = |piece: &String| piece.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    pattern.pieces.iter().map(escaped).collect::<Vec<_>>().join("%")
}

/// Makes a fragment a query, whose prepared statement is found by its text.
macro_rules! text_query {
    ([$($parameter:ident $(: $bound:path)?)?] $Query:ty => $columns:ty) => {
        impl<$($parameter $(: $bound)?)?> diesel::query_builder::Query for $Query {
            type SqlType = $columns;
        }

        impl<$($parameter $(: $bound)?)?> diesel::RunQueryDsl<Conn> for $Query {}

        impl<$($parameter $(: $bound)?)?> diesel::query_builder::QueryId for $Query {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }
    };
}

pub(crate) use text_query;
