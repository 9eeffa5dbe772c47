//! A service with default rate limits, a victim, and a hostile team.

use reqwest::Client;
use serde_json::{Value, json};
use steward_tests::{App, Backend, WEAK_PASSWORD_HASHES, World, free_port};

use crate::victim::Victim;

/// The size of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As in the load form.
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
    /// URL of the metrics.
    pub metrics: String,
}

impl Scene {
    /// Starts a service without rate limits, so that it can be filled before [`Scene::begin`].
    pub async fn set(backend: Backend, scale: Scale) -> Self {
        let metrics = format!("127.0.0.1:{}", free_port());
        let settings = [
            ("STEWARD_TRUSTED_PROXIES", "127.0.0.1"),
            ("STEWARD_DATABASE_WORKERS", "8"),
            ("STEWARD_METRICS_BIND", metrics.as_str()),
            ("STEWARD_LOG", "warn"),
            // Some loads consist of passwords.
            (WEAK_PASSWORD_HASHES, "false"),
        ];
        let app = App::start_with(backend, &settings).await;
        let (victim, world) = (Victim::of(&app).await, World::make(&app, "mallory").await);
        Self { app, victim, world, http: Client::new(), scale, metrics: format!("http://{metrics}/metrics") }
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

    /// Creates another key of the hostile project, with rate limits of its own. Returns its value.
    pub async fn another_key(&self) -> String {
        let key = json!({"label": "another", "roles": "admin"});
        let key = self.world.owner.post(&format!("/project/{}/key", self.world.project), key).await.ok();
        key["key"]["value"].as_str().unwrap().to_owned()
    }

    /// Puts `count` items into the hostile project, in full batches.
    pub async fn fill(&self, count: usize) {
        for batch in 0..count.div_ceil(100) {
            let request = self.http.post(self.url(&format!("{}/batch", self.world.notes()))).bearer_auth(self.key());
            let response = request.json(&full_batch(&format!("n{batch}"))).send().await.unwrap();
            assert!(response.status().is_success(), "{}", response.text().await.unwrap());
        }
    }

    /// Puts `count` items of 240 kB into the hostile project.
    pub async fn fill_large(&self, count: usize) {
        let value = json!({"value": {"title": "x".repeat(240_000)}});
        for number in 0..count {
            let put = self.http.put(self.url(&self.world.item(&format!("large{number}")))).bearer_auth(self.key());
            let put = put.json(&value).send().await.unwrap();
            assert!(put.status().is_success(), "{}", put.text().await.unwrap());
        }
    }
}

/// Reads the number of events that are not sealed from the metrics. It is counted up to 10,000.
pub async fn unsealed_events(http: &Client, metrics: &str) -> f64 {
    let text = http.get(metrics).send().await.unwrap().text().await.unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix("steward_audit_unsealed_events "));
    value.map_or(0.0, |value| value.parse().unwrap())
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
