//! A webhook receiver in the test process: it stores the requests it receives and responds with configurable statuses.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

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
}

impl Received {
    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A webhook receiver. It stops when this value is dropped.
pub struct Receiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    statuses: Arc<Mutex<VecDeque<u16>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Receiver {
    /// Starts to listen. Responds with 204 unless [`Receiver::respond_next`] sets another status.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let (received, statuses) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(VecDeque::new())));
        let (stored, next_statuses) = (received.clone(), statuses.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (stored, next_statuses) = (stored.clone(), next_statuses.clone());
                tokio::spawn(async move { respond(stream, &stored, &next_statuses).await });
            }
        });
        Self { url, received, statuses, task }
    }

    /// Responds to the next requests with these statuses.
    pub fn respond_next(&self, statuses: &[u16]) {
        self.statuses.lock().unwrap().extend(statuses);
    }

    /// All requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
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

async fn respond(
    mut stream: TcpStream,
    stored: &Mutex<Vec<Received>>,
    next_statuses: &Mutex<VecDeque<u16>>,
) -> Option<()> {
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
        stored.lock().unwrap().push(Received { headers: head, body, bytes: sent });
        let status = next_statuses.lock().unwrap().pop_front().unwrap_or(204);
        let text = format!("HTTP/1.1 {status} Status\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(text.as_bytes()).await.ok()?;
    }
}
