//! Checks whether a statement that may scan many rows stops once no caller waits for its job.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use steward_domain::data::schema::{Mismatch, MismatchQuery};
use steward_domain::kernel::ProjectId;
use steward_domain::mocks::id_of;

use super::Conn;
use super::data::item::mismatch;
use crate::executor::{Ticket, run_as_job};

/// Runs a statement as an abandoned job, on the user and the item that `insert` adds to the project `project`.
/// Returns whether it failed.
pub(crate) fn abandoned_statement_fails(conn: &mut Conn, insert: &str) -> bool {
    conn.batch_execute(insert).unwrap();
    let project: ProjectId = id_of("project").into();
    let queries = [MismatchQuery { table: "notes".into(), any: vec![Mismatch::Stored] }];

    let now = Instant::now();
    let ticket = Arc::new(Ticket::new(now, now + Duration::from_secs(60)));
    ticket.leave();
    run_as_job(&ticket, || mismatch::find(conn, project, &queries, 1).is_err())
}
