//! A service with default rate limits, a victim, and a hostile team.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use steward_tests::{App, Backend, World};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::victim::Victim;

/// Pause of a hostile caller after a 429 or 503. It ignores `Retry-After`.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// The size of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As measured in the issue.
    Full,
    /// Small enough for every test run.
    Short,
}

/// The service and its callers.
pub struct Scene {
    pub app: App,
    pub victim: Victim,
    /// The hostile team.
    pub world: World,
    pub http: Client,
    pub scale: Scale,
}

impl Scene {
    /// Starts a service without rate limits, so that it can be filled before [`Scene::begin`].
    pub async fn set(backend: Backend, scale: Scale) -> Self {
        let settings =
            [("STEWARD_TRUSTED_PROXIES", "127.0.0.1"), ("STEWARD_DATABASE_WORKERS", "8"), ("STEWARD_LOG", "warn")];
        let app = App::start_with(backend, &settings).await;
        let (victim, world) = (Victim::of(&app).await, World::make(&app, "mallory").await);
        Self { app, victim, world, http: Client::new(), scale }
    }

    /// Restarts the service with its default rate limits.
    pub async fn begin(&mut self) {
        self.app.set("STEWARD_RATE_LIMITS", "on");
        self.app.kill_and_restart().await;
    }

    /// Returns `full` at full scale and `short` in a short run.
    pub fn number(&self, full: usize, short: usize) -> usize {
        if self.scale == Scale::Full { full } else { short }
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.app.base)
    }

    /// Returns the key value of the hostile team.
    pub fn key(&self) -> &str {
        self.world.key.credential.as_ref().unwrap()
    }

    /// Puts `count` items into the hostile project, in full batches.
    pub async fn fill(&self, count: usize) {
        for batch in 0..count.div_ceil(100) {
            let request = self.http.post(self.url(&format!("{}/batch", self.world.notes()))).bearer_auth(self.key());
            let response = request.json(&full_batch(&format!("n{batch}"))).send().await.unwrap();
            assert!(response.status().is_success(), "{}", response.text().await.unwrap());
        }
    }
}

/// Returns a batch with the maximum number of operations.
pub fn full_batch(prefix: &str) -> Value {
    let put = |number: usize| {
        let value =
            json!({"title": format!("Note {number} of {prefix}"), "done": number.is_multiple_of(2), "rank": number});
        json!({"op": "put", "id": format!("{prefix}-{number}"), "value": value})
    };
    json!({"operations": (0..100).map(put).collect::<Vec<_>>()})
}

/// Hostile callers that run until [`Callers::end`].
#[derive(Default)]
pub struct Callers {
    stop: Arc<AtomicBool>,
    tasks: JoinSet<()>,
    responses: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Callers {
    /// Adds `count` callers. Each repeatedly sends the result of `request`, which gets the numbers of the caller and of
    /// the request.
    pub fn send<F>(mut self, count: usize, request: F) -> Self
    where
        F: Fn(usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        for caller in 0..count {
            let (stop, responses, request) = (self.stop.clone(), self.responses.clone(), request.clone());
            self.tasks.spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let outcome = outcome(request(caller, number)).await;
                    let rejected = matches!(outcome.as_str(), "429" | "503");
                    *responses.lock().unwrap().entry(outcome).or_default() += 1;
                    if rejected {
                        sleep(RETRY_PAUSE).await;
                    }
                }
            });
        }
        self
    }

    /// Adds a caller that runs a custom task.
    pub fn spawn(mut self, task: impl Future<Output = ()> + Send + 'static) -> Self {
        self.tasks.spawn(task);
        self
    }

    /// Stops the callers. Returns the number of responses by outcome.
    pub async fn end(mut self) -> BTreeMap<String, u64> {
        self.stop.store(true, Ordering::Relaxed);
        // Some tasks wait forever, so they are stopped after a pause.
        sleep(Duration::from_millis(200)).await;
        while let Some(ended) = self.tasks.try_join_next() {
            ended.unwrap();
        }
        self.tasks.shutdown().await;
        self.responses.lock().unwrap().clone()
    }
}

async fn outcome(request: RequestBuilder) -> String {
    let response = async {
        let response = request.send().await?;
        let status = response.status();
        response.bytes().await.map(|_| status)
    };
    match response.await {
        Ok(status) => status.as_u16().to_string(),
        Err(error) if error.is_timeout() => "no response".to_owned(),
        Err(_) => "connection lost".to_owned(),
    }
}
