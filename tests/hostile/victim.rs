//! A caller in a separate team that reads and writes one item at a time. Other callers must not affect it.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use steward_tests::{App, World};
use tokio::time::{sleep, timeout};

/// Pause of the victim between two requests, which keeps it below all rate limits.
const PAUSE: Duration = Duration::from_millis(15);
/// A longer response time counts as a failure.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A team, its project and a key.
pub struct Victim {
    http: Client,
    items: String,
    key: String,
}

/// The results of the victim's requests.
#[derive(Default)]
pub struct Seen {
    times: Vec<Duration>,
    /// The outcome of every failed request.
    pub refused: Vec<String>,
}

impl Victim {
    /// Creates a victim with its own team.
    pub async fn of(app: &App) -> Self {
        let world = World::make(app, "victim").await;
        let items = format!("{}{}", app.base, world.notes());
        Self { http: Client::new(), items, key: world.key.credential.clone().unwrap() }
    }

    /// Reads and writes for a duration.
    pub async fn live(&self, duration: Duration) -> Seen {
        let (mut seen, until) = (Seen::default(), Instant::now() + duration);
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
        match timeout(TIMEOUT, response).await {
            Ok(Ok((status, _))) if status.is_success() => {}
            Ok(Ok((status, body))) => seen.refused.push(format!("{status}: {body}")),
            Ok(Err(error)) => seen.refused.push(format!("{error:?}")),
            Err(_) => seen.refused.push(format!("no response in {TIMEOUT:?}")),
        }
        seen.times.push(began.elapsed());
        sleep(PAUSE).await;
    }
}

impl Seen {
    pub fn requests(&self) -> usize {
        self.times.len()
    }

    /// Adds later results.
    pub fn add(&mut self, later: Self) {
        self.times.extend(later.times);
        self.refused.extend(later.refused);
    }

    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    pub fn p99(&self) -> Duration {
        self.percentile(99)
    }

    fn percentile(&self, hundredths: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times[(times.len() * hundredths / 100).min(times.len() - 1)]
    }
}
