//! Checks that the statements of frequent requests are prepared once for each connection.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{debug_query, sql_query};
use diesel_migrations::MigrationHarness as _;
use steward_domain::administration::{ApiKeyReader as _, Outbox as _, ProjectReader as _, TeamReader as _};
use steward_domain::data::{ItemQuery, ItemReader as _, RawItemQuery, SyncSpan, SyncStore as _};
use steward_domain::identity::PersonalTokenReader as _;
use steward_domain::kernel::{
    AccessBasis, AccessReader as _, AccountId, KeyDigest, PageRequest, PageSize, ProjectId, ProjectUserId,
};
use steward_domain::mocks::{id_of, instant};

use super::connection::configure;
use super::migrator::MIGRATIONS;
use super::queries::administration::invite;
use super::{Backend, SqliteStore};
use crate::tables::invites;

/// The counters of a prepared statement (<https://www.sqlite.org/stmt.html>).
#[derive(Debug, QueryableByName)]
struct Prepared {
    #[diesel(sql_type = Text)]
    sql: String,
    #[diesel(sql_type = BigInt)]
    run: i64,
    #[diesel(sql_type = BigInt)]
    reprep: i64,
}

/// Runs what requests ask most often. The number of rows differs from one time to the next.
async fn run(store: &SqliteStore, time: u16) {
    let (project, user, account): (ProjectId, ProjectUserId, AccountId) =
        (id_of("project").into(), id_of("user").into(), id_of("account").into());
    let digests = [KeyDigest { pepper: 1, hex: "0".repeat(64) }];
    let page = PageRequest { limit: Some(time), ..PageRequest::FIRST };
    let parameters = vec![("limit".to_owned(), time.to_string())];
    let query = RawItemQuery { parameters, cursor: None, size: PageSize::MAX };
    let (query, basis) = (ItemQuery::parse(&query, &[]).unwrap(), AccessBasis::default());
    store.key_bearer(&digests).await.unwrap();
    store.token_by_digest(&digests).await.unwrap();
    store.project_membership(account, project).await.unwrap();
    store.teams_of(account, None, &page).await.unwrap();
    store.projects_of(account, None, &page).await.unwrap();
    store.keys(project, &page).await.unwrap();
    store.items(project, user, "notes", &query, &basis).await.unwrap();
    let span = SyncSpan { after: 0, through: 1 };
    store
        .items_changed((project, user), span, None, PageSize { first_rows: time, ..PageSize::MAX }, &basis)
        .await
        .unwrap();
    store.items_deleted((project, user), span, None, time, &basis).await.unwrap();
    store.due_webhooks(instant(), &[], time).await.unwrap();
}

#[tokio::test]
async fn frequent_statements_are_prepared_once_for_all_values() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("steward.db").to_string_lossy().into_owned();
    SqliteStore::migrate(&path).unwrap();
    let store = SqliteStore::open(&path, 1).unwrap();
    for time in 1..=3 {
        run(&store, time).await;
    }
    let prepared = "SELECT sql, run, reprep FROM sqlite_stmt WHERE sql LIKE 'SELECT%' AND sql NOT LIKE '%sqlite_stmt%'";
    let find = move |conn: &mut SqliteConnection| Ok(sql_query(prepared).load(conn)?);
    let mut prepared: Vec<Prepared> = store.read(find).await.unwrap();
    prepared.extend(store.read_short(find).await.unwrap());
    for Prepared { sql, run, reprep } in &prepared {
        assert_eq!((*run, *reprep), (3, 0), "{sql}");
    }
    assert_eq!(prepared.len(), 10, "{prepared:#?}");
}

#[test]
fn pending_invites_are_found_by_their_index() {
    let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
    conn.run_pending_migrations(MIGRATIONS).unwrap();
    let found = invite::pending(instant()).filter(invites::recipient_folded.eq("ann"));
    let explain = format!("EXPLAIN QUERY PLAN {}", debug_query::<Backend, _>(&found));
    #[derive(QueryableByName)]
    struct Line {
        #[diesel(sql_type = Text)]
        detail: String,
    }
    let plan: Vec<Line> = sql_query(explain).load(&mut conn).unwrap();
    let plan: Vec<String> = plan.into_iter().map(|line| line.detail).collect();
    assert!(plan.iter().any(|line| line.contains("invites_recipient (recipient_folded=?)")), "{plan:?}");
}
