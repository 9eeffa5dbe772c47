//! Waiting, measuring, and concurrency in tests. No test may fail because the machine is loaded or pauses for a few
//! seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Maximum number of tasks that run at the same time. More than a store has workers, so that tasks still compete for
/// them, but few enough for each of them to end within the time limit of a job, which starts when the job is queued.
const MAX_CONCURRENT: usize = 16;

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

/// Runs all tasks, a limited number of them at the same time. Returns the results in no particular order.
pub(crate) async fn run_concurrently<T: Send + 'static>(
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let slots = Arc::new(Semaphore::new(MAX_CONCURRENT));
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
