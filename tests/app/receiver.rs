//! A webhook receiver in the test process: it stores the requests it receives and responds with configurable statuses.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    /// Headers by lowercase name.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// The raw body, for bodies that are not text.
    pub bytes: Vec<u8>,
    /// When the request arrived.
    pub at: Instant,
}

impl Received {
    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A webhook receiver. It stops when this value is dropped.
pub struct Receiver {
    pub url: String,
    state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
}

/// What a receiver has received, and how it responds.
#[derive(Default)]
struct State {
    received: Vec<Received>,
    statuses: VecDeque<u16>,
    refused_text: Option<String>,
    body: String,
    delay: Duration,
    in_flight: usize,
    max_in_flight: usize,
}

impl State {
    /// Stores a request. Returns the status of the response and its delay.
    fn receive(&mut self, request: Received) -> (u16, Duration) {
        let is_refused = self.refused_text.as_ref().is_some_and(|text| request.body.contains(text));
        self.received.push(request);
        self.in_flight += 1;
        self.max_in_flight = self.max_in_flight.max(self.in_flight);
        let status = if is_refused { 500 } else { self.statuses.pop_front().unwrap_or(204) };
        (status, self.delay)
    }
}

impl Receiver {
    /// Starts to listen. Responds with 204 unless [`Receiver::respond_next`] sets another status.
    pub async fn start() -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// Starts to listen at an address.
    pub async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                tokio::spawn(async move { respond(stream, &shared).await });
            }
        });
        Self { url, state, task }
    }

    /// Responds to the next requests with these statuses.
    pub fn respond_next(&self, statuses: &[u16]) {
        self.state.lock().unwrap().statuses.extend(statuses);
    }

    /// Responds with this body to requests whose response may have one. `{signature}` stands for the signature of the request.
    pub fn respond_with(&self, body: &str) {
        body.clone_into(&mut self.state.lock().unwrap().body);
    }

    /// Responds to each request after this time.
    pub fn delay_responses(&self, delay: Duration) {
        self.state.lock().unwrap().delay = delay;
    }

    /// Responds with 500 to requests whose body contains the text, if there is one.
    pub fn refuse(&self, text: Option<&str>) {
        self.state.lock().unwrap().refused_text = text.map(str::to_owned);
    }

    /// The maximum number of requests that had no response at the same time.
    pub fn max_in_flight(&self) -> usize {
        self.state.lock().unwrap().max_in_flight
    }

    /// All requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// Waits until at least `count` requests arrived and returns them.
    pub async fn once(&self, count: usize) -> Vec<Received> {
        crate::eventually(async || Some(self.received()).filter(|received| received.len() >= count)).await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(mut stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut bytes = Vec::new();
    loop {
        let (head, length) = loop {
            if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
                let head = String::from_utf8(bytes.drain(..end + 4).collect()).unwrap();
                let headers: BTreeMap<String, String> = head
                    .lines()
                    .filter_map(|line| line.split_once(':'))
                    .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
                    .collect();
                let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
                break (headers, length);
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        while bytes.len() < length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let sent: Vec<u8> = bytes.drain(..length).collect();
        let body = String::from_utf8_lossy(&sent).into_owned();
        let signature = head.get("webhook-signature").cloned().unwrap_or_default();
        let request = Received { headers: head, body, bytes: sent, at: Instant::now() };
        let (status, delay) = state.lock().unwrap().receive(request);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let body = {
            let mut state = state.lock().unwrap();
            state.in_flight -= 1;
            if status == 204 { String::new() } else { state.body.replace("{signature}", &signature) }
        };
        let text = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).await.ok()?;
    }
}
