//! The loopback listener that the browser is redirected to (RFC 8252 §7.3). It accepts one authorization response.

use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

/// How long to wait for a person to sign in.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(600);
/// Timeout and maximum size of a request head. Browsers open idle connections in advance, which delay the others until
/// they time out.
const HEAD_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Listens on a free loopback port.
pub struct Loopback {
    listener: TcpListener,
    address: String,
}

impl Loopback {
    /// Starts to listen.
    pub async fn bind() -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("Cannot listen on 127.0.0.1")?;
        let address = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// Returns the redirect URI.
    pub fn redirect_uri(&self) -> String {
        format!("{}/callback", self.address)
    }

    /// Waits for the authorization response with this state and returns its URL. Other requests get status 404.
    pub async fn answer(self, state: &str) -> anyhow::Result<Url> {
        let waiting = async {
            loop {
                let (mut stream, _) = self.listener.accept().await?;
                let Ok(Ok(target)) = timeout(HEAD_TIMEOUT, target(&mut stream)).await else { continue };
                let url = Url::parse(&format!("{}{target}", self.address)).ok();
                let has_state = |url: &Url| {
                    let states: Vec<_> = url.query_pairs().filter(|(name, _)| name == "state").collect();
                    url.path() == "/callback" && matches!(states.as_slice(), [(_, value)] if value == state)
                };
                match url.filter(has_state) {
                    Some(url) => {
                        let text = "You can close this page and return to the command line.";
                        respond(&mut stream, "200 OK", text).await;
                        return anyhow::Ok(url);
                    }
                    None => respond(&mut stream, "404 Not Found", "Page not found.").await,
                }
            }
        };
        match timeout(SIGN_IN_TIMEOUT, waiting).await {
            Ok(url) => url,
            Err(_) => bail!("Sign-in timed out. Run `steward login` again."),
        }
    }
}

/// Reads the request target: the second word of the request line.
async fn target(stream: &mut TcpStream) -> anyhow::Result<String> {
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part).await?;
        if count == 0 || head.len() > MAX_HEAD_BYTES {
            bail!("The request is incomplete or too large.");
        }
        head.extend(part.iter().take(count));
    }
    let head = String::from_utf8(head)?;
    let target = head.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
    target.map(str::to_owned).context("The request is not a GET request.")
}

/// Sends a page. Errors are ignored, because the browser may have disconnected.
async fn respond(stream: &mut TcpStream, status: &str, text: &str) {
    let page = format!("<!doctype html><html lang=\"en\"><title>Steward</title><p>{text}</p></html>");
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    drop(stream.write_all(response.as_bytes()).await);
    drop(stream.shutdown().await);
}
