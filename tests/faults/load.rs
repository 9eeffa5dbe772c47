//! Many clients who go on sending requests while something breaks, and what became of each request.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How long a client waits for a response. The service must have answered long before.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What became of a request.
#[derive(Clone)]
pub struct Sample {
    pub began: Instant,
    pub ended: Instant,
    /// The status, or why there was none.
    pub outcome: Result<u16, String>,
    /// What was requested.
    pub url: String,
    /// The body of a refusal.
    pub refusal: String,
}

impl Sample {
    pub fn took(&self) -> Duration {
        self.ended - self.began
    }

    pub fn is(&self, status: u16) -> bool {
        self.outcome == Ok(status)
    }

    pub fn succeeded(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|status| (200..300).contains(status))
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {:?} in {:?} {}", self.url, self.outcome, self.took(), self.refusal)
    }
}

/// Clients at work.
pub struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<Vec<Sample>>,
}

impl Load {
    /// Starts so many clients. Each sends what `request` makes of its own number and that of the request, and pauses.
    pub fn start<F>(count: usize, pause: Duration, request: F) -> Self
    where
        F: Fn(&reqwest::Client, usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        let (stop, http) = (Arc::new(AtomicBool::new(false)), client());
        let mut clients = JoinSet::new();
        for client in 0..count {
            let (stop, http, request) = (stop.clone(), http.clone(), request.clone());
            clients.spawn(async move {
                let mut samples = Vec::new();
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    samples.push(send(request(&http, client, number)).await);
                    sleep(pause).await;
                }
                samples
            });
        }
        Self { stop, clients }
    }

    /// Lets running requests end.
    pub async fn end(self) -> Vec<Sample> {
        self.stop.store(true, Ordering::Relaxed);
        let mut samples: Vec<Sample> = self.clients.join_all().await.into_iter().flatten().collect();
        samples.sort_by_key(|sample| sample.began);
        samples
    }
}

/// Sends one request.
pub async fn send(request: RequestBuilder) -> Sample {
    let (http, request) = request.build_split();
    let request = request.unwrap();
    let (url, began) = (request.url().to_string(), Instant::now());
    let outcome = async {
        let response = http.execute(request).await?;
        let status = response.status();
        response.text().await.map(|text| (status, text))
    };
    let (outcome, refusal) = match outcome.await {
        Ok((status, _)) if status.is_success() => (Ok(status.as_u16()), String::new()),
        Ok((status, text)) => (Ok(status.as_u16()), text),
        Err(error) => (Err(format!("{error:?}")), String::new()),
    };
    Sample { began, ended: Instant::now(), outcome, url, refusal }
}

/// A client that waits long enough to see how long the service takes.
pub fn client() -> reqwest::Client {
    reqwest::Client::builder().timeout(TIMEOUT).build().unwrap()
}

/// The duration that so many hundredths of the requests did not exceed.
pub fn percentile(samples: &[&Sample], hundredths: usize) -> Duration {
    let mut took: Vec<Duration> = samples.iter().map(|sample| sample.took()).collect();
    took.sort_unstable();
    took[(took.len() * hundredths / 100).min(took.len() - 1)]
}
