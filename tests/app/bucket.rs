//! An S3-compatible server in the test process: one in-memory bucket that accepts requests signed with one access key.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Bucket name and access key that the server accepts.
pub const BUCKET: &str = "images";
pub const ACCESS_KEY_ID: &str = "AKIATEST";
pub const SECRET_ACCESS_KEY: &str = "a key for tests";
pub const REGION: &str = "eu-test-1";

/// A bucket server. It stops when this value is dropped.
pub struct Bucket {
    port: u16,
    state: Arc<State>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    down: AtomicBool,
}

impl Bucket {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, state) = (listener.local_addr().unwrap().port(), Arc::<State>::default());
        let server_state = Arc::clone(&state);
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // Ignore errors of clients that disconnect in the middle of a request.
                tokio::spawn(serve(stream, Arc::clone(&server_state)));
            }
        });
        Self { port, state, server }
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Settings of a service that stores its images in this bucket.
    pub fn settings(&self) -> Vec<(String, String)> {
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            setting("STEWARD_BLOBS", &format!("s3://{BUCKET}/steward")),
            setting("STEWARD_S3_ENDPOINT", &self.endpoint()),
            setting("STEWARD_S3_REGION", REGION),
            setting("STEWARD_S3_ACCESS_KEY_ID", ACCESS_KEY_ID),
            setting("STEWARD_S3_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
        ]
    }

    /// Names of all objects.
    pub fn names(&self) -> Vec<String> {
        self.state.objects.lock().unwrap().keys().cloned().collect()
    }

    /// If `down` is true, the bucket responds to every request with 503 from now on.
    pub fn set_down(&self, down: bool) {
        self.state.down.store(down, Ordering::SeqCst);
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(stream: TcpStream, state: Arc<State>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut line, mut headers) = (String::new(), BTreeMap::new());
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        loop {
            let mut header = String::new();
            stream.read_line(&mut header).await?;
            let Some((name, value)) = header.trim_end().split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let (status, body) = respond(&line, &headers, body, &state);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"1\"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await?;
    }
}

fn respond(line: &str, headers: &BTreeMap<String, String>, body: Vec<u8>, state: &State) -> (&'static str, Vec<u8>) {
    if state.down.load(Ordering::SeqCst) {
        return ("503 Service Unavailable", Vec::new());
    }
    let signature = headers.get("authorization").cloned().unwrap_or_default();
    let signed = signature.starts_with(&format!("AWS4-HMAC-SHA256 Credential={ACCESS_KEY_ID}/"))
        && signature.contains(&format!("/{REGION}/s3/aws4_request"))
        && signature.contains("Signature=");
    if !signed {
        return ("403 Forbidden", b"<Error><Code>InvalidAccessKeyId</Code></Error>".to_vec());
    }
    let mut words = line.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap().split('?').next().unwrap());
    let Some(name) = path.strip_prefix(&format!("/{BUCKET}/")) else {
        return ("404 Not Found", b"<Error><Code>NoSuchBucket</Code></Error>".to_vec());
    };
    let mut objects = state.objects.lock().unwrap();
    match method {
        "PUT" => {
            objects.insert(name.to_owned(), body);
            ("200 OK", Vec::new())
        }
        "GET" => match objects.get(name) {
            Some(object) => ("200 OK", object.clone()),
            None => ("404 Not Found", b"<Error><Code>NoSuchKey</Code></Error>".to_vec()),
        },
        "DELETE" => {
            objects.remove(name);
            ("204 No Content", Vec::new())
        }
        _ => ("405 Method Not Allowed", Vec::new()),
    }
}
