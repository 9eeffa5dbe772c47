//! A caller in a separate team that reads and writes single items. Other callers must not affect it.

use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use steward_tests::{App, World};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

/// Interval between the scheduled times of two requests, which keeps the victim below all rate limits.
const INTERVAL: Duration = Duration::from_millis(20);
/// Number of items that the victim reads and writes.
const ITEMS: usize = 50;
/// How long an unused connection stays open: less than in the service, which must not close it as it is used.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// A longer response time counts as a failure.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A team, its project and a key.
#[derive(Clone)]
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
        let put = |number: usize| json!({"op": "put", "id": format!("v{number}"), "value": {"title": "New"}});
        let batch = json!({"operations": (0..ITEMS).map(put).collect::<Vec<Value>>()});
        world.key.post(&format!("{}/batch", world.notes()), batch).await.ok();
        let items = format!("{}{}", app.base, world.notes());
        let http = Client::builder().pool_idle_timeout(POOL_IDLE_TIMEOUT).build().unwrap();
        Self { http, items, key: world.key.credential.clone().unwrap() }
    }

    /// Reads and writes for a duration. Each request is sent at its scheduled time, even if earlier ones have no
    /// response yet, so that a stall of the service affects all requests that are scheduled during it.
    pub async fn live(&self, duration: Duration) -> Seen {
        let (mut due, mut requests) = (Instant::now(), JoinSet::new());
        let count = usize::try_from(duration.as_millis() / INTERVAL.as_millis()).unwrap();
        for number in 0..count {
            sleep_until(due).await;
            let victim = self.clone();
            requests.spawn(async move { victim.request(number, due).await });
            due += INTERVAL;
        }
        let mut seen = Seen::default();
        for (time, failure) in requests.join_all().await {
            seen.times.push(time);
            seen.refused.extend(failure);
        }
        seen
    }

    /// Sends a request. Returns its response time since it was due, and the outcome if it failed. A response without
    /// the requested item is a failure too.
    async fn request(&self, number: usize, due: Instant) -> (Duration, Option<String>) {
        let id = format!("v{}", number / 2 % ITEMS);
        let (item, title) = (format!("{}/{id}", self.items), format!("Number {number}"));
        let is_write = number.is_multiple_of(2);
        let request = match is_write {
            true => self.http.put(&item).json(&json!({"value": {"title": title}})),
            false => self.http.get(&item),
        };
        let response = async {
            let response = request.bearer_auth(&self.key).send().await?;
            let status = response.status();
            response.text().await.map(|body| (status, body))
        };
        let failure = match timeout(TIMEOUT, response).await {
            Ok(Ok((status, body))) if status.is_success() => {
                let found = serde_json::from_str::<Value>(&body).unwrap_or_default();
                let is_item = found["data"]["id"] == id && (!is_write || found["data"]["title"] == title);
                (!is_item).then(|| format!("{status}: {body}"))
            }
            Ok(Ok((status, body))) => Some(format!("{status}: {body}")),
            Ok(Err(error)) => Some(format!("{error:?}")),
            Err(_) => Some(format!("no response in {TIMEOUT:?}")),
        };
        (due.elapsed(), failure)
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

    pub fn max(&self) -> Duration {
        self.percentile(100)
    }

    fn percentile(&self, hundredths: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times[(times.len() * hundredths / 100).min(times.len() - 1)]
    }
}
