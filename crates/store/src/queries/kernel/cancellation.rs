//! Checks which statements that may scan many rows stop once no caller waits for their job.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use steward_domain::administration::ActivityWindow;
use steward_domain::data::schema::{Mismatch, MismatchQuery};
use steward_domain::kernel::ProjectId;
use steward_domain::mocks::{id_of, instant};

use super::Conn;
use super::data::activity;
use super::data::item::mismatch;
use crate::executor::{Ticket, run_as_job};

/// Runs the statements as an abandoned job, on the user and the item that `insert` adds to the project `project`.
/// Returns whether each statement failed.
pub(crate) fn abandoned_statements_fail(conn: &mut Conn, insert: &str) -> [bool; 2] {
    conn.batch_execute(insert).unwrap();
    let project: ProjectId = id_of("project").into();
    let today = instant().date_naive();
    let window = ActivityWindow { since: today, week: today, month: today, today };
    let queries = [MismatchQuery { table: "notes".into(), any: vec![Mismatch::Stored] }];

    let now = Instant::now();
    let ticket = Arc::new(Ticket::new(now, now + Duration::from_secs(60)));
    ticket.leave();
    run_as_job(&ticket, || {
        [activity::counts(conn, project, &window).is_err(), mismatch::find(conn, project, &queries, 1).is_err()]
    })
}
