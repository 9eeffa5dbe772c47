//! Clients that keep sending requests during a fault, and the outcome of each request.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use steward_tests::{Browser, eventually};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::is_strict;

/// Time limit of a request. The service must respond much earlier.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The outcome of a request.
#[derive(Clone)]
pub struct Sample {
    pub began: Instant,
    pub ended: Instant,
    /// The status, or the error if there was no response.
    pub outcome: Result<u16, String>,
    pub url: String,
    /// The body of an error response.
    pub error_body: String,
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
        write!(f, "{} -> {:?} in {:?} {}", self.url, self.outcome, self.took(), self.error_body)
    }
}

/// State that the clients share.
#[derive(Default)]
struct Progress {
    is_stopped: AtomicBool,
    /// Number of requests in a row that succeeded.
    successes: AtomicUsize,
}

impl Progress {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn record(&self, sample: &Sample) {
        if sample.succeeded() {
            self.successes.fetch_add(1, Ordering::Relaxed);
        } else {
            self.successes.store(0, Ordering::Relaxed);
        }
    }
}

/// Running clients.
pub struct Load {
    progress: Arc<Progress>,
    clients: JoinSet<Vec<Sample>>,
}

impl Load {
    /// Starts `count` clients. Each repeatedly sends the result of `request`, which gets the numbers of the client and
    /// of the request, and pauses in between.
    pub fn start<F>(count: usize, pause: Duration, request: F) -> Self
    where
        F: Fn(&reqwest::Client, usize, usize) -> RequestBuilder + Clone + Send + 'static,
    {
        let (progress, http) = (Arc::new(Progress::default()), client());
        let mut clients = JoinSet::new();
        for client in 0..count {
            let (progress, http, request) = (progress.clone(), http.clone(), request.clone());
            let offset = offset(pause, client, count);
            clients.spawn(async move {
                let mut samples = Vec::new();
                sleep(offset).await;
                for number in 0.. {
                    if progress.is_stopped() {
                        break;
                    }
                    let sample = send(request(&http, client, number)).await;
                    progress.record(&sample);
                    samples.push(sample);
                    sleep(pause + offset / 2).await;
                }
                samples
            });
        }
        Self { progress, clients }
    }

    /// Adds a browser that repeatedly opens a page, and pauses in between.
    pub fn with_browser(mut self, browser: Browser, path: &'static str, pause: Duration) -> Self {
        let progress = self.progress.clone();
        self.clients.spawn(async move {
            let mut samples = Vec::new();
            while !progress.is_stopped() {
                let sample = open(&browser, path).await;
                progress.record(&sample);
                samples.push(sample);
                sleep(pause).await;
            }
            samples
        });
        self
    }

    /// Waits until as many requests in a row have succeeded as all clients send in three rounds. Returns the elapsed
    /// time.
    pub async fn steady(&self) -> Duration {
        let began = Instant::now();
        self.progress.successes.store(0, Ordering::Relaxed);
        let successes = || self.progress.successes.load(Ordering::Relaxed);
        eventually(async || (successes() >= 3 * self.clients.len()).then_some(())).await;
        began.elapsed()
    }

    /// Stops the clients after their running requests and returns all samples in order.
    pub async fn end(self) -> Vec<Sample> {
        self.progress.is_stopped.store(true, Ordering::Relaxed);
        let mut samples: Vec<Sample> = self.clients.join_all().await.into_iter().flatten().collect();
        samples.sort_by_key(|sample| sample.began);
        samples
    }
}

/// Returns the delay until the first request of a client, which also makes its pauses longer. Clients that start at
/// different times and pause for different durations do not send bursts, not even after a pause of the machine.
fn offset(pause: Duration, client: usize, count: usize) -> Duration {
    if is_strict() {
        return Duration::ZERO;
    }
    let [client, count] = [client, count].map(|number| u32::try_from(number).unwrap());
    pause * client / count
}

/// Sends a request and returns its outcome.
pub async fn send(request: RequestBuilder) -> Sample {
    let (http, request) = request.build_split();
    let request = request.unwrap();
    let (url, began) = (request.url().to_string(), Instant::now());
    let outcome = async {
        let response = http.execute(request).await?;
        let status = response.status();
        response.text().await.map(|text| (status, text))
    };
    let (outcome, error_body) = match outcome.await {
        Ok((status, _)) if status.is_success() => (Ok(status.as_u16()), String::new()),
        Ok((status, text)) => (Ok(status.as_u16()), text),
        Err(error) => (Err(format!("{error:?}")), String::new()),
    };
    Sample { began, ended: Instant::now(), outcome, url, error_body }
}

/// Opens a page and returns the outcome.
async fn open(browser: &Browser, path: &str) -> Sample {
    let began = Instant::now();
    let (outcome, error_body) = match timeout(TIMEOUT, browser.open(path)).await {
        Ok(page) if page.status.is_success() => (Ok(page.status.as_u16()), String::new()),
        Ok(page) => (Ok(page.status.as_u16()), page.html),
        Err(_) => (Err(format!("no response in {TIMEOUT:?}")), String::new()),
    };
    Sample { began, ended: Instant::now(), outcome, url: path.to_owned(), error_body }
}

/// Returns a client with a time limit that is longer than any expected response time.
pub fn client() -> reqwest::Client {
    reqwest::Client::builder().timeout(TIMEOUT).build().unwrap()
}

/// Returns a percentile of the response times.
pub fn percentile(samples: &[&Sample], hundredths: usize) -> Duration {
    let mut took: Vec<Duration> = samples.iter().map(|sample| sample.took()).collect();
    took.sort_unstable();
    took[(took.len() * hundredths / 100).min(took.len() - 1)]
}
