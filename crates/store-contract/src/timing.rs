//! Waiting, measuring, and concurrency in tests. No test may fail because the machine is loaded or pauses for a few
//! seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Number of tasks that run at the same time.
pub(crate) const MANY: usize = 50;
/// Number of tasks that run at the same time if each of them takes longer. More than a store has workers, so that as
/// many transactions compete as with any larger number, but few enough for each task to end within the time limit of a
/// job, which starts when the job is queued.
pub(crate) const SOME: usize = 16;

/// Waits until the condition holds. Panics with the message after a minute.
pub async fn wait_until(failure: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < Duration::from_secs(60), "{failure}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Repeats a measurement until it is below the limit. Panics if that is not the case after this number of attempts.
pub async fn assert_fast(attempts: usize, limit: Duration, mut measure: impl AsyncFnMut() -> Duration) {
    let mut fastest = measure().await;
    for _ in 1..attempts {
        if fastest < limit {
            break;
        }
        fastest = fastest.min(measure().await);
    }
    assert!(fastest < limit, "The fastest of {attempts} attempts took {fastest:?}. The limit is {limit:?}.");
}

/// Runs all tasks, `concurrency` of them at the same time. Returns the results in no particular order.
pub(crate) async fn run_concurrently<T: Send + 'static>(
    concurrency: usize,
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let slots = Arc::new(Semaphore::new(concurrency));
    let mut running = JoinSet::new();
    for task in tasks {
        let slots = slots.clone();
        running.spawn(async move {
            let _slot = slots.acquire().await.unwrap();
            task.await
        });
    }
    running.join_all().await
}
