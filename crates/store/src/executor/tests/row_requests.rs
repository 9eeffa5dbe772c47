//! Tests of requests that share statements.

use super::*;

/// Runs a row request and returns the number of requests in its statement.
async fn statement_size(executor: &Executor<Fake>, team: &str) -> usize {
    let request = |reply| FakeRow { gate: None, must_run_alone: false, reply };
    of_team(team, Lane::Interactive).scope(executor.run_row(request)).await.unwrap().unwrap()
}

/// Starts a row request whose statement is blocked until the returned sender is dropped. Returns once it runs.
async fn block_statement(executor: &Arc<Executor<Fake>>) -> mpsc::Sender<()> {
    let (sender, gate) = mpsc::channel::<()>();
    let (running, runs) = mpsc::channel();
    let request = |reply| FakeRow { gate: Some((running, gate)), must_run_alone: false, reply };
    let blocked = executor.clone();
    tokio::spawn(of_team("slow", Lane::Interactive).scope(async move { blocked.run_row(request).await }));
    wait_until("The statement does not run.", async || runs.try_recv().is_ok()).await;
    sender
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_wait_share_a_statement_half_of_which_one_tenant_may_use() {
    // One worker for row requests.
    let (_database, executor) = start(4);
    assert_eq!(statement_size(&executor, "a").await, 1, "Nothing waits.");
    let blocked = block_statement(&executor).await;
    let requests: Vec<_> = ["a"; 40]
        .into_iter()
        .chain(["b"; 20])
        .map(|team| {
            let executor = executor.clone();
            tokio::spawn(async move { statement_size(&executor, team).await })
        })
        .collect();
    let reads = || *executor.stats().iter().find(|stats| stats.pool == "row-reads").unwrap();
    wait_until("The requests are not queued.", async || reads().queued == 60).await;
    drop(blocked);
    let mut sizes = Vec::new();
    for request in requests {
        sizes.push(request.await.unwrap());
    }
    sizes.sort_unstable();
    // 16 of each, then 16 and 4, then 8.
    assert_eq!(sizes, [vec![8; 8], vec![20; 20], vec![32; 32]].concat());
    assert_eq!((reads().done, reads().statements), (62, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_long_does_not_delay_other_requests() {
    // Two workers for row requests.
    let (_database, executor) = start(8);
    let blocked = block_statement(&executor).await;
    assert_eq!(statement_size(&executor, "a").await, 1);
    drop(blocked);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_share_a_statement_runs_alone_in_its_lane() {
    let (_database, executor) = start(4);
    let request = |reply| FakeRow { gate: None, must_run_alone: true, reply };
    let ran = of_team("a", Lane::Interactive).scope(executor.run_row(request)).await;
    assert_eq!(ran.unwrap().unwrap(), 0);
    let request = |reply| FakeRow { gate: None, must_run_alone: false, reply };
    let ran = of_team("a", Lane::Background).scope(executor.run_row(request)).await;
    assert_eq!(ran.unwrap().unwrap(), 0, "Only interactive requests share statements.");
}
