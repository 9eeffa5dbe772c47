//! Tests of the writer.

use std::sync::mpsc;

use diesel::Connection as _;
use diesel::connection::SimpleConnection as _;

use super::*;

#[tokio::test]
async fn a_group_is_not_committed_if_a_part_of_a_change_may_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("steward.db").display().to_string();
    let connect = move || SqliteConnection::establish(&path).map_err(|error| OpenError::Connect(error.into()));
    let mut reader = connect().ok().unwrap();
    reader.batch_execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").unwrap();
    let writer = Writer::start(connect().ok().unwrap(), connect).ok().unwrap();
    let insert =
        |conn: &mut SqliteConnection| -> Result<(), JobError> { Ok(conn.batch_execute("INSERT INTO t VALUES (1)")?) };
    let (start, begin) = mpsc::channel();
    // Begins the group, and ends once the others wait.
    let first = writer.run(move |conn: &mut SqliteConnection| {
        begin.recv().unwrap();
        insert(conn)
    });
    let broken = writer.run(move |conn: &mut SqliteConnection| {
        insert(conn)?;
        Err::<(), _>(JobError::Unfinished(diesel::result::Error::NotFound))
    });
    let last = writer.run(insert);
    let started = async { start.send(()).unwrap() };
    let (first, broken, last, ()) = tokio::join!(first, broken, last, started);
    assert!(first.is_err() && broken.is_err());
    last.unwrap().ok().unwrap();
    let stored = diesel::dsl::sql::<diesel::sql_types::BigInt>("SELECT count(*) FROM t").get_result::<i64>(&mut reader);
    assert_eq!(stored.unwrap(), 1);
}

#[tokio::test]
async fn work_counts_for_the_lane_of_its_change() {
    const WORK: Duration = Duration::from_millis(5);
    let connect = || SqliteConnection::establish(":memory:").map_err(|error| OpenError::Connect(error.into()));
    let writer = Writer::start(connect().ok().unwrap(), connect).ok().unwrap();
    let background = Work { lane: Lane::Background, tenant: Tenant::Service };
    let slow = writer.run(|_: &mut SqliteConnection| {
        thread::sleep(WORK);
        Ok::<_, JobError>(())
    });
    background.scope(slow).await.unwrap().ok().unwrap();
    let worked = |lane| writer.stats().into_iter().find(|stats| stats.lane == lane).unwrap().worked;
    assert!(worked(Lane::Background) >= WORK);
    assert_eq!(worked(Lane::Interactive), Duration::ZERO);
}
