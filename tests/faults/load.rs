//! Clients that keep sending requests during a fault, and the outcome of each request.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use steward_tests::Browser;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

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

/// Running clients.
pub struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<Vec<Sample>>,
}

impl Load {
    /// Starts `count` clients. Each repeatedly sends the result of `request`, which gets the numbers of the client and
    /// of the request, and pauses in between.
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

    /// Adds a browser that repeatedly opens a page, and pauses in between.
    pub fn with_browser(mut self, browser: Browser, path: &'static str, pause: Duration) -> Self {
        let stop = self.stop.clone();
        self.clients.spawn(async move {
            let mut samples = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                samples.push(open(&browser, path).await);
                sleep(pause).await;
            }
            samples
        });
        self
    }

    /// Stops the clients after their running requests and returns all samples in order.
    pub async fn end(self) -> Vec<Sample> {
        self.stop.store(true, Ordering::Relaxed);
        let mut samples: Vec<Sample> = self.clients.join_all().await.into_iter().flatten().collect();
        samples.sort_by_key(|sample| sample.began);
        samples
    }
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
