//! The loopback listener that the browser is redirected to (RFC 8252 §7.3). It accepts one authorization response and
//! shows a page with the result.

use std::time::Duration;

use anyhow::{Context as _, bail};
use steward_crypto::Vault;
use steward_domain::kernel::TokenVault as _;
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

const STYLE: &str = include_str!("loopback.css");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    SignedIn,
    /// The reason is only on the command line, because a part of it comes from the URL.
    Failed,
    NotFound,
}

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

    /// Waits for the authorization response with this state. Other requests get status 404.
    pub async fn response(self, state: &str) -> anyhow::Result<AuthorizationResponse> {
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
                    Some(url) => return anyhow::Ok(AuthorizationResponse { url, stream }),
                    None => respond(stream, Page::NotFound).await,
                }
            }
        };
        match timeout(SIGN_IN_TIMEOUT, waiting).await {
            Ok(response) => response,
            Err(_) => bail!("Sign-in timed out. Run `steward login` again."),
        }
    }
}

/// An authorization response. The browser waits for a page until the sign-in is complete.
pub struct AuthorizationResponse {
    pub url: Url,
    stream: TcpStream,
}

impl AuthorizationResponse {
    /// Shows whether the sign-in succeeded.
    pub async fn show_result(self, is_signed_in: bool) {
        respond(self.stream, if is_signed_in { Page::SignedIn } else { Page::Failed }).await;
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
async fn respond(mut stream: TcpStream, page: Page) {
    let (title, text) = match page {
        Page::SignedIn => ("You are signed in", "You can close this page and return to the command line."),
        Page::Failed => ("Sign-in failed", "The command line shows the reason. You can close this page."),
        Page::NotFound => ("Page not found", "There is no page at this address."),
    };
    let status = if page == Page::NotFound { "404 Not Found" } else { "200 OK" };
    let class = if page == Page::SignedIn { "card" } else { "card failed" };
    let html = format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Steward</title>
<style>{STYLE}</style>
</head>
<body>
<header class="brand"><span class="brand-mark" aria-hidden="true"></span>Steward</header>
<main class="{class}">
<h1>{title}</h1>
<p>{text}</p>
</main>
</body>
</html>
"#
    );
    // The digest has no padding, which the policy requires.
    let (length, digest) = (html.len(), Vault.sha256(STYLE));
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nContent-Security-Policy: default-src 'none'; style-src 'sha256-{digest}='; \
         form-action 'none'; base-uri 'none'; frame-ancestors 'none'\r\n\
         Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{html}",
    );
    drop(stream.write_all(response.as_bytes()).await);
    drop(stream.shutdown().await);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request and returns the whole response.
    async fn get(address: String, target: &'static str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response
    }

    #[tokio::test]
    async fn the_browser_shows_the_result_on_a_page_that_can_use_only_its_own_style() {
        for (is_signed_in, title) in [(true, "You are signed in"), (false, "Sign-in failed")] {
            let loopback = Loopback::bind().await.unwrap();
            let address = loopback.address.trim_start_matches("http://").to_owned();
            let browser = tokio::spawn(async move {
                let unknown = get(address.clone(), "/callback?state=guessed&code=c").await;
                (unknown, get(address, "/callback?state=s&code=c").await)
            });
            let response = loopback.response("s").await.unwrap();
            assert_eq!(response.url.query(), Some("state=s&code=c"));
            response.show_result(is_signed_in).await;

            let (unknown, page) = browser.await.unwrap();
            assert!(unknown.starts_with("HTTP/1.1 404 ") && unknown.contains("Page not found"), "{unknown}");
            assert!(page.starts_with("HTTP/1.1 200 ") && page.contains(&format!("<h1>{title}</h1>")), "{page}");
            let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
            let allowed = format!("default-src 'none'; style-src 'sha256-{}=';", Vault.sha256(style));
            assert!(page.contains(&allowed) && style.contains("prefers-color-scheme: dark"), "{page}");
            for part in ["<html lang=\"en\">", "<meta name=\"viewport\"", "<meta name=\"color-scheme\"", "<title>"] {
                assert!(page.contains(part), "{part} in {page}");
            }
        }
    }
}
