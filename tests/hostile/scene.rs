//! A service with default rate limits, a victim, and a hostile team beside it.

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

/// How long a caller who was refused waits before it tries again. It does not obey `Retry-After`.
const UNDETERRED: Duration = Duration::from_millis(20);

/// How large a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As the issue measured it.
    Full,
    /// Small enough for every test run.
    Short,
}

/// The service and who calls it.
pub struct Scene {
    pub app: App,
    pub victim: Victim,
    /// The hostile team.
    pub world: World,
    pub http: Client,
    pub scale: Scale,
}

impl Scene {
    /// A service whose rate limits are off until [`Scene::begin`], so that it can be filled.
    pub async fn set(backend: Backend, scale: Scale) -> Self {
        let settings =
            [("STEWARD_TRUSTED_PROXIES", "127.0.0.1"), ("STEWARD_DATABASE_WORKERS", "8"), ("STEWARD_LOG", "warn")];
        let app = App::start_with(backend, &settings).await;
        let (victim, world) = (Victim::of(&app).await, World::make(&app, "mallory").await);
        Self { app, victim, world, http: Client::new(), scale }
    }

    /// Starts the service anew, with its default rate limits.
    pub async fn begin(&mut self) {
        self.app.set("STEWARD_RATE_LIMITS", "on");
        self.app.kill_and_restart().await;
    }

    /// One number at full scale, another in a short run.
    pub fn number(&self, full: usize, short: usize) -> usize {
        if self.scale == Scale::Full { full } else { short }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.app.base)
    }

    /// The value of the hostile team's key.
    pub fn key(&self) -> &str {
        self.world.key.credential.as_ref().unwrap()
    }

    /// Puts so many items into the hostile project, in full batches.
    pub async fn fill(&self, count: usize) {
        for batch in 0..count.div_ceil(100) {
            let sent = self.http.post(self.url(&format!("{}/batch", self.world.notes()))).bearer_auth(self.key());
            let sent = sent.json(&full_batch(&format!("n{batch}"))).send().await.unwrap();
            assert!(sent.status().is_success(), "{}", sent.text().await.unwrap());
        }
    }
}

/// A batch of as many operations as one may have.
pub fn full_batch(prefix: &str) -> Value {
    let put = |number: usize| {
        let value =
            json!({"title": format!("Note {number} of {prefix}"), "done": number.is_multiple_of(2), "rank": number});
        json!({"op": "put", "id": format!("{prefix}-{number}"), "value": value})
    };
    json!({"operations": (0..100).map(put).collect::<Vec<_>>()})
}

/// Hostile callers, who go on until they are ended.
#[derive(Default)]
pub struct Callers {
    stop: Arc<AtomicBool>,
    tasks: JoinSet<()>,
    answers: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Callers {
    /// Adds so many callers. Each sends what `request` makes of its own number and that of the request, one after the other.
    pub fn send<F>(mut self, count: usize, request: F) -> Self
    where
        F: Fn(usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        for caller in 0..count {
            let (stop, answers, request) = (self.stop.clone(), self.answers.clone(), request.clone());
            self.tasks.spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let outcome = outcome(request(caller, number)).await;
                    let refused = matches!(outcome.as_str(), "429" | "503");
                    *answers.lock().unwrap().entry(outcome).or_default() += 1;
                    if refused {
                        sleep(UNDETERRED).await;
                    }
                }
            });
        }
        self
    }

    /// Adds a caller who does something else.
    pub fn spawn(mut self, task: impl Future<Output = ()> + Send + 'static) -> Self {
        self.tasks.spawn(task);
        self
    }

    /// Ends them; how often they were answered in which way.
    pub async fn end(mut self) -> BTreeMap<String, u64> {
        self.stop.store(true, Ordering::Relaxed);
        // Some are content to wait for ever.
        sleep(Duration::from_millis(200)).await;
        while let Some(ended) = self.tasks.try_join_next() {
            ended.unwrap();
        }
        self.tasks.shutdown().await;
        self.answers.lock().unwrap().clone()
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
