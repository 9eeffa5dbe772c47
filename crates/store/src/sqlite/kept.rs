//! Statements with a constant text. A connection finds the prepared statement by a type, so that the text is built once
//! and not compared.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::RunQueryDsl;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

use super::queries::kernel::statement::Fragment;
use super::{Backend, Conn};

/// Names the text of a statement.
pub(super) trait KeptText: 'static {
    /// SQL types of the rows.
    type Columns;
    /// Each `?` stands for a value.
    const TEXT: &'static str;
}

/// Declares statements with the SQL types of their rows.
macro_rules! kept {
    ($($(#[$meta:meta])* $name:ident -> $columns:ty = $text:expr;)+) => {$(
        $(#[$meta])*
        struct $name;

        impl $crate::sqlite::kept::KeptText for $name {
            type Columns = $columns;
            const TEXT: &'static str = $text;
        }
    )+};
}

pub(super) use kept;

/// The statement with the text of `K` and these values.
pub(super) struct Kept<K, const N: usize> {
    values: [Fragment; N],
    text: PhantomData<K>,
}

impl<K: KeptText, const N: usize> Kept<K, N> {
    pub(super) fn new(values: [Fragment; N]) -> Self {
        Self { values, text: PhantomData }
    }
}

impl<K: KeptText, const N: usize> Query for Kept<K, N> {
    type SqlType = K::Columns;
}

impl<K, const N: usize> RunQueryDsl<Conn> for Kept<K, N> {}

impl<K: KeptText, const N: usize> QueryId for Kept<K, N> {
    type QueryId = K;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<K: KeptText, const N: usize> QueryFragment<Backend> for Kept<K, N> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let mut texts = K::TEXT.split('?');
        out.push_sql(texts.next().unwrap_or_default());
        for (value, text) in self.values.iter().zip(texts) {
            value.walk_ast(out.reborrow())?;
            out.push_sql(text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;
    use diesel::sql_types::{BigInt, Text};
    use diesel::{Connection as _, SqliteConnection};

    use super::*;

    kept! {
        Insert -> () = "INSERT INTO t VALUES (?, ?)";
        Select -> Text = "SELECT y FROM t WHERE x = ?";
    }

    #[test]
    fn a_kept_statement_is_prepared_once_for_all_values() {
        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        conn.batch_execute("CREATE TABLE t (x BIGINT, y TEXT)").unwrap();
        for number in 0..3 {
            let text = Fragment::OptionalText((number != 1).then(|| number.to_string()));
            Kept::<Insert, _>::new([Fragment::Count(number), text]).execute(&mut conn).unwrap();
        }
        let found: Vec<String> = Kept::<Select, _>::new([Fragment::Count(2)]).load(&mut conn).unwrap();
        assert_eq!(found, ["2"]);
        let runs = "SELECT run FROM sqlite_stmt WHERE sql LIKE 'INSERT INTO t %'";
        let runs: Vec<i64> = diesel::dsl::sql::<BigInt>(runs).load(&mut conn).unwrap();
        assert_eq!(runs, [3]);
    }
}
