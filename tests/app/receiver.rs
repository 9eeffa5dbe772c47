//! A receiver of webhooks in the test process: it keeps what it is sent, and answers as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// One message as it came.
#[derive(Debug, Clone)]
pub struct Received {
    /// By names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// The body when it is not text.
    pub bytes: Vec<u8>,
}

impl Received {
    /// The event.
    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Listens until it is dropped.
pub struct Receiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    answers: Arc<Mutex<VecDeque<u16>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Receiver {
    /// Begins to listen; answers 204 unless it is told otherwise.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let (received, answers) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(VecDeque::new())));
        let (kept, told) = (received.clone(), answers.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, told) = (kept.clone(), told.clone());
                tokio::spawn(async move { answer(stream, &kept, &told).await });
            }
        });
        Self { url, received, answers, task }
    }

    /// Answers the next messages with these statuses.
    pub fn answer_next(&self, statuses: &[u16]) {
        self.answers.lock().unwrap().extend(statuses);
    }

    /// Everything that came so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// What came, once it is so much.
    pub async fn once(&self, count: usize) -> Vec<Received> {
        crate::eventually(async || Some(self.received()).filter(|received| received.len() >= count)).await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, kept: &Mutex<Vec<Received>>, told: &Mutex<VecDeque<u16>>) -> Option<()> {
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
        kept.lock().unwrap().push(Received { headers: head, body, bytes: sent });
        let status = told.lock().unwrap().pop_front().unwrap_or(204);
        let text = format!("HTTP/1.1 {status} Told\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(text.as_bytes()).await.ok()?;
    }
}
