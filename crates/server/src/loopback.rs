//! The listener that a browser is sent back to (RFC 8252 §7.3): it takes one answer and is gone.

use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

/// How long a person may take.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(600);
/// How long a connection may take to say what it wants, and how much it may say. Browsers open some in advance that stay
/// silent, and those who speak wait behind them.
const HEAD_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Listens on a port of this machine that was free.
pub struct Loopback {
    listener: TcpListener,
    address: String,
}

impl Loopback {
    /// Begins to listen.
    pub async fn bind() -> anyhow::Result<Self> {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).await.context("no port of this machine can be listened on")?;
        let address = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// The redirect address.
    pub fn redirect_uri(&self) -> String {
        format!("{}/callback", self.address)
    }

    /// The address of the answer that carries this state. Whatever else comes is turned away, and waiting goes on.
    pub async fn answer(self, state: &str) -> anyhow::Result<Url> {
        let waiting = async {
            loop {
                let (mut stream, _) = self.listener.accept().await?;
                let Ok(Ok(target)) = timeout(HEAD_TIMEOUT, target(&mut stream)).await else { continue };
                let url = Url::parse(&format!("{}{target}", self.address)).ok();
                let is_ours = |url: &Url| {
                    let states: Vec<_> = url.query_pairs().filter(|(name, _)| name == "state").collect();
                    url.path() == "/callback" && matches!(states.as_slice(), [(_, given)] if given == state)
                };
                match url.filter(is_ours) {
                    Some(url) => {
                        tell(&mut stream, "200 OK", "You can close this page and go back to the command line.").await;
                        return anyhow::Ok(url);
                    }
                    None => tell(&mut stream, "404 Not Found", "Nothing is here.").await,
                }
            }
        };
        match timeout(SIGN_IN_TIMEOUT, waiting).await {
            Ok(answer) => answer,
            Err(_) => bail!("nobody signed in; run steward login again"),
        }
    }
}

/// What a connection asks for: the second word of its first line.
async fn target(stream: &mut TcpStream) -> anyhow::Result<String> {
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part).await?;
        if count == 0 || head.len() > MAX_HEAD_BYTES {
            bail!("no request");
        }
        head.extend(part.iter().take(count));
    }
    let head = String::from_utf8(head)?;
    let target = head.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
    target.map(str::to_owned).context("no request")
}

/// Answers with a page. A browser that is gone already needs none.
async fn tell(stream: &mut TcpStream, status: &str, text: &str) {
    let page = format!("<!doctype html><html lang=\"en\"><title>Steward</title><p>{text}</p></html>");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    drop(stream.write_all(answer.as_bytes()).await);
    drop(stream.shutdown().await);
}
