//! How the database finds items: by an index that holds what is asked for in its order, whatever the planner knows of the
//! table. The tables here have no statistics.

use chrono::TimeDelta;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use steward_domain::changes::ItemPlace;
use steward_domain::mocks::{id_of, instant};
use steward_domain::model::{
    AccessBasis, AccessEpoch, AuditFilter, AuditScope, Cursor, ItemId, ItemQuery, PageSize, ProjectId, ProjectUserId,
    RawItemQuery,
};

use super::item_list::item_list;
use super::item_path::Path;
use super::statement::Statement;
use super::{Backend, Conn, EXPLAIN, PlanLine, audit_log, item};
use crate::sql_types::At;

struct Explain<T>(Statement<T>);

impl<T> Query for Explain<T> {
    type SqlType = super::PlanColumns;
}

impl<T> RunQueryDsl<Conn> for Explain<T> {}

impl<T> QueryId for Explain<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> QueryFragment<Backend> for Explain<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql(EXPLAIN);
        self.0.walk_ast(out)
    }
}

fn plan<T>(conn: &mut Conn, statement: Statement<T>) -> String {
    let lines: Vec<PlanLine> = Explain(statement).load(conn).unwrap();
    lines.into_iter().map(super::plan_line).collect::<Vec<_>>().join("\n")
}

fn project() -> ProjectId {
    id_of("project").into()
}

fn user() -> ProjectUserId {
    id_of("user").into()
}

fn basis() -> AccessBasis {
    AccessBasis {
        project: Some((project(), AccessEpoch(0))),
        account: Some((id_of("account").into(), AccessEpoch(0))),
        signed_by: Some(id_of("key").into()),
    }
}

fn list(conn: &mut Conn, parameters: &[(&str, &str)], after: Option<&str>) -> String {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let sent = RawItemQuery {
        parameters: parameters.iter().map(own).collect(),
        cursor: after.map(str::to_owned),
        size: PageSize::MAX,
    };
    let query = ItemQuery::parse(&sent, &[]).unwrap();
    let place = (project(), user(), "notes");
    plan(conn, item_list(place, &query, &Path::Through, (query.start(), 101), &basis()))
}

/// What each hot statement may do, and may not. `by_key` and `in_order`: how a plan names the search for one item, and for a
/// user's items in the order of their creation. `never`: what costs more than the page.
pub(super) fn claim_plans(conn: &mut Conn, insert: &str, by_key: &str, in_order: &str, never: &[&str]) {
    conn.batch_execute(insert).unwrap();
    let place =
        ItemPlace { project_id: project(), user_id: user(), table: "notes".into(), id: ItemId::parse("7").unwrap() };
    let read = plan(conn, item::read(&place, &basis()));
    let newest = list(conn, &[], None);
    let later = list(conn, &[("created_at", "lt.2026-01-01T00:00:00Z")], None);
    let by_id = list(conn, &[("order", "id")], None);
    for (what, plan, wanted) in
        [("read", &read, by_key), ("newest", &newest, in_order), ("later", &later, in_order), ("by id", &by_id, "")]
    {
        assert!(plan.contains(wanted), "{what}:\n{plan}");
        assert!(never.iter().all(|costly| !plan.contains(costly)), "{what}:\n{plan}");
    }
    assert!(!read.contains(in_order), "{read}");
}

/// What no statement that reads the audit log may do; `sort` once, of the rows of two pages.
pub(super) fn claim_log_plans(conn: &mut Conn, insert: &str, sort: &str, never: &[&str]) {
    conn.batch_execute(insert).unwrap();
    let (team, at) = (id_of("team").into(), instant());
    let (from, to) = (Some(at), Some(at + TimeDelta::days(1)));
    let narrowed = AuditFilter { from, to, action: Some("x".into()), ..AuditFilter::default() };
    let cursor = Cursor { at, id: "1000".into() };
    let mut plans = Vec::new();
    for scope in [AuditScope::Team(team), AuditScope::Project(team, project())] {
        for (filter, start) in [(&AuditFilter::default(), None), (&narrowed, Some(&cursor))] {
            plans.push(plan(conn, audit_log::newest_first(scope, filter, start, 101)));
        }
        let since = Some(At(at));
        let feed = audit_log::oldest_first(500, 101, |events| audit_log::settled_since(events, scope, since));
        plans.push(plan(conn, feed));
    }
    let unsealed = audit_log::oldest_first(500, 501, |events| audit_log::all_settled_since(events, None));
    plans.push(plan(conn, unsealed));
    for plan in plans {
        assert!(never.iter().all(|costly| !plan.contains(costly)), "{plan}");
        assert!(plan.matches(sort).count() <= 1, "{plan}");
    }
}
