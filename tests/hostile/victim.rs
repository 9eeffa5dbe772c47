//! Somebody in a team of their own, who reads and writes one item at a time and wants to notice nothing of the others.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use steward_tests::{App, World};
use tokio::time::{sleep, timeout};

/// How long the victim rests between two requests, so that no rate limit is meant for it.
const PAUSE: Duration = Duration::from_millis(15);
/// Waiting for longer counts as a refusal.
const PATIENCE: Duration = Duration::from_secs(30);

/// A team, its project and a key.
pub struct Victim {
    http: Client,
    items: String,
    key: String,
}

/// What the victim saw.
#[derive(Default)]
pub struct Seen {
    took: Vec<Duration>,
    /// Every request that was not served, and how it ended.
    pub refused: Vec<String>,
}

impl Victim {
    /// A victim of its own team at the service.
    pub async fn of(app: &App) -> Self {
        let world = World::make(app, "victim").await;
        let items = format!("{}{}", app.base, world.notes());
        Self { http: Client::new(), items, key: world.key.credential.clone().unwrap() }
    }

    /// Reads and writes for so long.
    pub async fn live(&self, lasting: Duration) -> Seen {
        let (mut seen, until) = (Seen::default(), Instant::now() + lasting);
        for number in 0_u64.. {
            if Instant::now() > until {
                break;
            }
            let item = format!("{}/v{}", self.items, number % 50);
            let write = self.http.put(&item).json(&json!({"value": {"title": format!("Number {number}")}}));
            self.request(write, &mut seen).await;
            self.request(self.http.get(&item), &mut seen).await;
        }
        seen
    }

    async fn request(&self, request: RequestBuilder, seen: &mut Seen) {
        let began = Instant::now();
        let response = async {
            let response = request.bearer_auth(&self.key).send().await?;
            let status = response.status();
            response.text().await.map(|body| (status, body))
        };
        match timeout(PATIENCE, response).await {
            Ok(Ok((status, _))) if status.is_success() => {}
            Ok(Ok((status, body))) => seen.refused.push(format!("{status}: {body}")),
            Ok(Err(error)) => seen.refused.push(format!("{error:?}")),
            Err(_) => seen.refused.push(format!("no response in {PATIENCE:?}")),
        }
        seen.took.push(began.elapsed());
        sleep(PAUSE).await;
    }
}

impl Seen {
    pub fn requests(&self) -> usize {
        self.took.len()
    }

    /// Takes in what was seen later.
    pub fn add(&mut self, later: Self) {
        self.took.extend(later.took);
        self.refused.extend(later.refused);
    }

    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    pub fn p99(&self) -> Duration {
        self.percentile(99)
    }

    fn percentile(&self, hundredths: usize) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        took[(took.len() * hundredths / 100).min(took.len() - 1)]
    }
}
