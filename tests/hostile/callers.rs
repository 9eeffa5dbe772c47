//! Hostile callers, and the outcomes of their requests.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::RequestBuilder;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Pause of a hostile caller after a 429 or 503. It ignores `Retry-After`.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// How long callers may take to finish their last request.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// State that the callers of one load share.
#[derive(Clone, Default)]
pub struct Run {
    is_over: Arc<AtomicBool>,
    outcomes: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Run {
    /// Returns whether the load is over.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Waits until the load is over.
    pub async fn over(&self) {
        while !self.is_over() {
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Counts an outcome.
    pub fn record(&self, outcome: &str) {
        *self.outcomes.lock().unwrap().entry(outcome.to_owned()).or_default() += 1;
    }
}

/// Hostile callers that run until [`Callers::end`].
#[derive(Default)]
pub struct Callers {
    run: Run,
    tasks: JoinSet<()>,
}

impl Callers {
    /// Adds `count` callers. Each repeatedly sends the result of `request`, which gets the numbers of the caller and of
    /// the request.
    pub fn send<F>(self, count: usize, request: F) -> Self
    where
        F: Fn(usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        self.send_as("", count, request)
    }

    /// Like [`Callers::send`], but the outcomes begin with `name`, so that they differ from those of other callers.
    pub fn send_as<F>(mut self, name: &'static str, count: usize, request: F) -> Self
    where
        F: Fn(usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        for caller in 0..count {
            let request = request.clone();
            self = self.spawn(move |run| async move {
                for number in 0.. {
                    if run.is_over() {
                        break;
                    }
                    let outcome = outcome(request(caller, number)).await;
                    run.record(&format!("{name}{outcome}"));
                    if matches!(outcome.as_str(), "429" | "503") {
                        sleep(RETRY_PAUSE).await;
                    }
                }
            });
        }
        self
    }

    /// Adds a caller that runs a custom task. The task must end soon after the load is over.
    pub fn spawn<T>(mut self, task: impl FnOnce(Run) -> T) -> Self
    where
        T: Future<Output = ()> + Send + 'static,
    {
        self.tasks.spawn(task(self.run.clone()));
        self
    }

    /// Returns the number of outcomes so far.
    pub fn outcomes(&self) -> BTreeMap<String, u64> {
        self.run.outcomes.lock().unwrap().clone()
    }

    /// Stops the callers after their running requests. Returns the number of outcomes.
    pub async fn end(mut self) -> BTreeMap<String, u64> {
        self.run.is_over.store(true, Ordering::Relaxed);
        let all_ended = async {
            while let Some(ended) = self.tasks.join_next().await {
                ended.unwrap();
            }
        };
        if timeout(END_TIMEOUT, all_ended).await.is_err() {
            self.run.record("unfinished");
        }
        self.tasks.shutdown().await;
        self.outcomes()
    }
}

/// Sends a request and reads the response to its end, without keeping it. Returns the status only if the response is
/// complete.
pub async fn outcome(request: RequestBuilder) -> String {
    let response = async {
        let mut response = request.send().await?;
        while response.chunk().await?.is_some() {}
        Ok::<_, reqwest::Error>(response.status())
    };
    match response.await {
        Ok(status) => status.as_u16().to_string(),
        Err(error) if error.is_timeout() => "no response".to_owned(),
        Err(_) => "connection lost".to_owned(),
    }
}
