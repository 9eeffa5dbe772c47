//! Reads an item from the table of its shard, on the node that has it. Citus would parse and plan a statement on the
//! distributed table again each time, and a prepared one would never return that memory (docs/decisions/0053-citus.md).

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::Bool;
use steward_domain::data::ItemPath;

use crate::dialect::text_query;
use crate::postgres::Conn;
use crate::postgres::queries::data::item;
use crate::postgres::queries::kernel::statement::Statement;
use crate::tables::{ItemContent, ItemContentColumns};

/// Whether this node has the shard. Citus changes this table in the transaction that ends a move, and keeps the rows until later.
const IS_HERE: &str =
    "EXISTS (SELECT FROM pg_dist_placement WHERE groupid = (SELECT groupid FROM pg_dist_local_group) AND shardid = ";

/// Reads an item from a shard without proof that the caller may. Returns `None` if the node does not have the shard.
pub(super) fn read(conn: &mut Conn, path: &ItemPath, shard: i64) -> QueryResult<Option<Option<ItemContent>>> {
    if let Some(content) = ShardStatement::item(path, shard).get_result(conn).optional()? {
        return Ok(Some(Some(content)));
    }
    let mut is_here: Statement<Bool> = Statement::new();
    is_here.sql("SELECT ");
    push_is_here(&mut is_here, shard);
    Ok(is_here.get_result::<bool>(conn)?.then_some(None))
}

fn push_is_here<T>(statement: &mut Statement<T>, shard: i64) {
    statement.sql(IS_HERE);
    statement.count(shard);
    statement.sql(")");
}

/// A statement on the table of a shard. It is prepared once per shard and connection.
struct ShardStatement {
    shard: i64,
    conditions: Statement<ItemContentColumns>,
}

impl ShardStatement {
    fn item(path: &ItemPath, shard: i64) -> Self {
        let mut conditions = Statement::new();
        item::push_key(&mut conditions, path);
        conditions.sql(" AND ");
        push_is_here(&mut conditions, shard);
        Self { shard, conditions }
    }
}

text_query!([] ShardStatement => ItemContentColumns);

impl QueryFragment<Pg> for ShardStatement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // The name that Citus gives to the shard.
        out.push_sql(&format!("{}items_{} WHERE ", item::SELECT_FROM, self.shard));
        self.conditions.walk_ast(out)
    }
}
