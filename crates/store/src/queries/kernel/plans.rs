//! Checks the query plans of hot statements: they use an index that provides the requested order, regardless of the
//! planner's statistics. The tables in these tests have no statistics.

use chrono::TimeDelta;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use steward_domain::administration::{AuditFilter, ItemChanges};
use steward_domain::data::item_query::{ItemPosition, Operand, Start};
use steward_domain::data::schema::{Document, FieldType};
use steward_domain::data::{ItemId, ItemKey, ItemPath, ItemQuery, RawItemQuery, SyncSpan};
use steward_domain::kernel::{
    AccessBasis, AccessEpoch, Cursor, PageRequest, PageSize, ProjectId, ProjectUserId, ResourceScope,
};
use steward_domain::mocks::{id_of, instant};

use super::administration::{audit_event, audit_log, invite, project};
use super::data::item::item_list::{item_list, project_search};
use super::data::item::item_path::{Index, Path};
use super::data::item::project_items;
use super::data::{activity, item, project_user, sync};
use super::dialect::{EXPLAIN, KEY_ORDER, LOOKS_UP_IDS, PlanColumns, PlanLine, plan_line};
use super::{Backend, Conn};
use crate::dialect::text_query;
use crate::sql_types::{At, Id};
use crate::tables::ItemContent;

struct Explain<Q>(Q);

text_query!([Q] Explain<Q> => PlanColumns);

impl<Q: QueryFragment<Backend>> QueryFragment<Backend> for Explain<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql(EXPLAIN);
        self.0.walk_ast(out)
    }
}

fn plan(conn: &mut Conn, statement: impl QueryFragment<Backend>) -> String {
    let lines: Vec<PlanLine> = Explain(statement).load(conn).unwrap();
    lines.into_iter().map(plan_line).collect::<Vec<_>>().join("\n")
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

fn parsed(parameters: &[(&str, &str)]) -> ItemQuery {
    let to_owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let parameters = parameters.iter().map(to_owned).collect();
    ItemQuery::parse(&RawItemQuery { parameters, cursor: None, size: PageSize::MAX }, &[]).unwrap()
}

fn list(conn: &mut Conn, parameters: &[(&str, &str)]) -> String {
    let query = parsed(parameters);
    list_from(conn, &query, query.start())
}

/// Returns the plans of later pages: in the order of creation, and in that of an indexed field, after a value and within the
/// items without it.
fn later_pages(conn: &mut Conn) -> [String; 3] {
    let fields = [("rank", FieldType::Number)];
    let index = || Path::Ordered(Index { id: 1, field: "rank".to_owned(), kind: FieldType::Number });
    let [created, ranked] = ["created_at", "rank"].map(|order| {
        let parameters = vec![("order".to_owned(), order.to_owned())];
        ItemQuery::parse(&RawItemQuery { parameters, cursor: None, size: PageSize::MAX }, &fields).unwrap()
    });
    let id = Some(Operand::Text("7".to_owned()));
    let mut page = |query: &ItemQuery, path: &Path, first: Option<Operand>| {
        let start = Start::After(vec![first, id.clone()]);
        plan(conn, item_list((project(), user(), "notes"), query, path, (&start, 101), &basis()))
    };
    [
        page(&created, &Path::Scan, Some(Operand::Timestamp(instant()))),
        page(&ranked, &index(), Some(Operand::Number(5.into()))),
        page(&ranked, &index(), None),
    ]
}

fn list_from(conn: &mut Conn, query: &ItemQuery, start: &Start) -> String {
    let table = (project(), user(), "notes");
    plan(conn, item_list(table, query, &Path::Scan, (start, 101), &basis()))
}

/// Returns the plans of lists of items with these IDs, newest first: of the first page and of a later one.
fn lists_of_ids(conn: &mut Conn, ids: &[String]) -> [String; 2] {
    let query = parsed(&[("id", &format!("in.({})", ids.join(",")))]);
    let position = Start::After(vec![Some(Operand::Timestamp(instant())), Some(Operand::Text("7".to_owned()))]);
    [list_from(conn, &query, query.start()), list_from(conn, &query, &position)]
}

/// Checks that a list of the items whose IDs begin with a text reads no others. `range` is the text of the plan for that.
pub(crate) fn check_prefix_plan(conn: &mut Conn, range: &str) {
    let plan = list(conn, &[("id", "like.7*"), ("order", "id")]);
    assert!(plan.contains(range), "{plan}");
}

/// Checks that a page of the items of all users searches the primary key for the items of each user, and that a search among
/// them reads a range of it, and that an item is looked up by its whole key. `by_key`, `range` and `by_id` are the plan texts
/// for that, `never` those for operations that cost more.
pub(crate) fn check_project_item_plans(conn: &mut Conn, (by_key, range, by_id): (&str, &str, &str), never: &[&str]) {
    conn.batch_execute(&format!("BEGIN; {KEY_ORDER}")).unwrap();
    let (first, last) = (Id(user().uuid()), Id(id_of("other user")));
    let at = ItemPosition { user: user(), id: "7".to_owned() };
    let lookup = plan(conn, project_items::lookup((project(), "notes"), &[first, last], (&at, last), 101));
    let parameters = vec![("id".to_owned(), "like.*7".to_owned())];
    let raw = RawItemQuery { parameters, cursor: None, size: PageSize::MAX };
    let query = ItemQuery::parse_of_project(&raw, &Document::unpublished("p"), "notes").unwrap();
    let key = (first, "notes".to_owned(), "7".to_owned());
    let keys = (Some(&key), Some(&key));
    let search = plan(conn, project_search((project(), "notes"), &query, keys, (query.start(), 101)));
    let item_key = ItemKey { table: "notes".into(), id: ItemId::parse("7").unwrap() };
    let paths = plan(conn, project_items::with_keys(project(), &[first, last], &[item_key], 101));
    for (plan, expected) in [(lookup, by_key), (search, range), (paths, by_id)] {
        assert!(plan.contains(expected), "The plan does not contain `{expected}`:\n{plan}");
        assert!(never.iter().all(|costly| !plan.contains(costly)), "{never:?} in:\n{plan}");
    }
    conn.batch_execute("COMMIT").unwrap();
}

/// Checks the plans of statements that read items. `by_key` and `in_order` are the plan texts for the search for one
/// item, and for a user's items in order of creation, `later` those for the start of later pages in an index, and `never`
/// those for operations that cost more than the page.
pub(crate) fn check_item_plans(
    conn: &mut Conn,
    insert: &str,
    (by_key, in_order): (&str, &str),
    later: [&str; 3],
    never: &[&str],
) {
    conn.batch_execute(insert).unwrap();
    for (plan, expected) in later_pages(conn).iter().zip(later) {
        let is_start = |line: &str| line.contains(expected) && !line.contains("Filter");
        assert!(plan.lines().any(is_start), "The plan of a later page does not start at `{expected}`:\n{plan}");
        assert!(never.iter().all(|costly| !plan.contains(costly)), "{never:?} in:\n{plan}");
    }
    let place =
        ItemPath { project_id: project(), user_id: user(), table: "notes".into(), id: ItemId::parse("7").unwrap() };
    let read = plan(conn, item::read(&place, &basis()));
    let newest = list(conn, &[]);
    let older = list(conn, &[("created_at", "lt.2026-01-01T00:00:00Z")]);
    let by_id = list(conn, &[("order", "id")]);
    for (name, plan, expected) in
        [("read", &read, by_key), ("newest", &newest, in_order), ("older", &older, in_order), ("by ID", &by_id, "")]
    {
        assert!(plan.contains(expected), "The plan of `{name}` does not contain `{expected}`:\n{plan}");
        let is_cheap = never.iter().all(|costly| !plan.contains(costly));
        assert!(is_cheap, "The plan of `{name}` contains one of {never:?}:\n{plan}");
    }
    assert!(!read.contains(in_order), "The plan of `read` contains `{in_order}`:\n{read}");
    // No project is stored whose access could be checked, so that there is nothing to read.
    let (query, table) = (parsed(&[]), (project(), user(), "notes"));
    for limit in 1..=5 {
        let list = item_list(table, &query, &Path::Scan, (query.start(), limit), &basis());
        assert_eq!(list.load::<ItemContent>(conn).unwrap().len(), 0);
    }
    for count in [1, 2, 100] {
        let ids: Vec<String> = (0..count).map(|id| id.to_string()).collect();
        for plan in lists_of_ids(conn, &ids) {
            // PostgreSQL can also use this index to read all items of the user, and compare their IDs.
            let searches_ids = !LOOKS_UP_IDS || plan.contains("(id = (unnest(");
            let is_lookup = plan.contains(by_key) && !plan.contains(in_order) && searches_ids;
            assert!(is_lookup, "The plan of a list of {count} IDs is not a lookup with `{by_key}`:\n{plan}");
        }
    }
}

/// Checks the plans of statements that read the audit log. They must not contain the texts in `never`, and `sort` at
/// most once, to merge the rows of two pages. `rows`: what the search for the last examined event must not contain.
pub(crate) fn check_log_plans(conn: &mut Conn, insert: &str, sort: &str, never: &[&str], rows: &[&str]) {
    conn.batch_execute(insert).unwrap();
    let (team, at) = (id_of("team").into(), instant());
    let (from, to) = (Some(at), Some(at + TimeDelta::days(1)));
    let filter_all = AuditFilter { from, to, action: Some("x".into()), ..AuditFilter::default() };
    let cursor = Cursor { at, id: "1000".into() };
    let mut plans = Vec::new();
    for scope in [ResourceScope::Team(team), ResourceScope::Project(project())] {
        for (filter, start) in [(&AuditFilter::default(), None), (&filter_all, Some(&cursor))] {
            plans.extend(ItemChanges::ALL.map(|item_changes| {
                let filter = AuditFilter { item_changes, ..filter.clone() };
                plan(conn, audit_event::newest_first(scope, &filter, (start, Some(500)), 101))
            }));
            let last = plan(conn, audit_event::last_examined(scope, filter, start, 1_000));
            assert!(rows.iter().all(|row| !last.contains(row)), "The plan reads rows, not only an index:\n{last}");
        }
        let since = Some(At(at));
        let feed = audit_event::oldest_first(500, 101, |events| audit_event::settled_since(events, scope, since));
        plans.push(plan(conn, feed));
    }
    let unsealed = audit_event::oldest_first(500, 501, |events| audit_event::all_settled_since(events, None));
    plans.push(plan(conn, unsealed));
    for plan in plans {
        assert!(never.iter().all(|costly| !plan.contains(costly)), "The plan contains one of {never:?}:\n{plan}");
        assert!(plan.matches(sort).count() <= 1, "The plan contains `{sort}` more than once:\n{plan}");
    }
}

/// Checks the plans of the statements of synchronization. `plans` are the plan texts that these must contain: for the
/// changes of all users, the changed items of a user, the deleted ones, the search for one item, and receipts. `never`
/// lists plan texts for operations whose cost grows with the tables. Only the changes of all users may be sorted.
pub(crate) fn check_sync_plans(conn: &mut Conn, insert: &str, plans: [&str; 5], sort: &str, never: &[&str]) {
    conn.batch_execute(insert).unwrap();
    let [of_all, changed, deleted, by_key, receipt] = plans;
    let (owner, span) = ((project(), user()), SyncSpan { after: 500, through: 1_000 });
    let key = || ItemKey { table: "notes".into(), id: ItemId::parse("7").unwrap() };
    let poll = plan(conn, sync::all_changes(span, instant(), 5_000));
    assert!(poll.contains(of_all) && poll.matches(sort).count() <= 1, "{of_all} in:\n{poll}");
    let mut all = vec![poll];
    let (start, end) = (key(), key());
    for keys in [(None, None), (Some(&start), None), (Some(&start), Some(&end))] {
        let plan = plan(conn, sync::changed(owner, span, keys, 1_001, &basis()));
        assert!(plan.contains(changed) && !plan.contains(sort), "{changed} in:\n{plan}");
        all.push(plan);
    }
    for after in [None, Some((700, key()))] {
        let plan = plan(conn, sync::deleted(owner, span, after, 1_000, &basis()));
        let is_expected = plan.contains(deleted) && plan.contains(by_key) && !plan.contains(sort);
        assert!(is_expected, "{deleted} and {by_key} in:\n{plan}");
        all.push(plan);
    }
    let found = plan(conn, sync::stored_receipt(owner, 5));
    assert!(found.contains(receipt), "{receipt} in:\n{found}");
    all.push(found);
    for plan in all {
        assert!(never.iter().all(|costly| !plan.contains(costly)), "The plan contains one of {never:?}:\n{plan}");
    }
}

/// Checks the plans of statements that read the addresses of a project's users: they find the accounts by an index.
/// `never` lists plan texts for operations whose cost grows with the accounts, the grants or the users.
pub(crate) fn check_address_plans(conn: &mut Conn, insert: &str, never: &[&str]) {
    conn.batch_execute(insert).unwrap();
    let (projects, accounts) = ([Id(project().uuid())], [1, 2].map(|n| Id(uuid::Uuid::from_u128(n))));
    for plan in [
        plan(conn, project_user::granting_account("7@example.com".to_owned(), &projects)),
        plan(conn, project_user::addresses_of(Id(project().uuid()), accounts.to_vec(), "disconnected")),
    ] {
        assert!(never.iter().all(|costly| !plan.contains(costly)), "The plan contains one of {never:?}:\n{plan}");
    }
}

/// Checks the plans of lists of which a team or an account can have any number of rows that are not shown: they read indexes of
/// what they show. `projects_list`: what contains the projects of a team in order.
pub(crate) fn check_list_plans(conn: &mut Conn, insert: &str, projects_list: &str) {
    conn.batch_execute(insert).unwrap();
    let (team, account) = (id_of("team").into(), id_of("account").into());
    let page = PageRequest { after: Some(Cursor { at: instant(), id: id_of("x").to_string() }), ..PageRequest::FIRST };
    for page in [PageRequest::FIRST, page] {
        let invites = plan(conn, invite::newest_pending(team, instant(), &page));
        assert!(invites.contains("invites_pending"), "{invites}");
        let projects = plan(conn, project::newest_of(account, None, &page, 101));
        assert!(projects.contains(projects_list), "{projects}");
    }
    let days = plan(conn, activity::days(Id(project().uuid())));
    assert!(!days.contains("user_activity") && !days.contains("project_users"), "{days}");
}

/// Checks that a search in the log examines a bounded number of events, and that its pages find all. `insert` adds more events
/// than one page examines, of which only the oldest one is about the item `oldest`.
pub(crate) fn check_log_search(conn: &mut Conn, insert: &str) {
    conn.batch_execute(insert).unwrap();
    let filter = AuditFilter { target: Some("oldest".to_owned()), ..AuditFilter::default() };
    let mut found = Vec::new();
    let mut request = PageRequest::FIRST;
    loop {
        let page = audit_log::find(conn, ResourceScope::Project(project()), &filter, &request).unwrap();
        found.push(page.items.len());
        match page.next {
            Some(next) => request.after = Some(next),
            None => break,
        }
    }
    assert_eq!(found, [0, 1]);
}
