//! Webhooks over HTTP: posted once, without following redirects, and not to private networks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::global;
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Error, RequestBuilder, Response};
use steward_domain::administration::{WebhookMessage, WebhookResponse, WebhookSender, WebhookUrl, is_public};
use steward_domain::kernel::{InvalidValue, Secret};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use url::Url;

use crate::public_only::{PRIVATE, PublicOnly, addresses};

/// Timeout for the response of a receiver (Standard Webhooks: 15 to 30 seconds).
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for the body of a response, which only people read.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for resolving the host of a URL that is configured, and how many are resolved at once: each occupies a thread
/// until its resolver gives up.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_RESOLVING: usize = 16;

/// Posts webhook messages.
pub struct HttpWebhookSender {
    client: Client,
    allow_private: bool,
    resolving: Arc<Semaphore>,
}

impl HttpWebhookSender {
    /// Creates a client. `allow_private` allows receivers in private networks.
    pub fn new(allow_private: bool) -> Result<Self, Error> {
        // A proxy could reach addresses that the service must not reach.
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy();
        let public = Arc::new(PublicOnly::at_most(Semaphore::MAX_PERMITS));
        let client = if allow_private { client } else { client.dns_resolver(public) };
        Ok(Self { client: client.build()?, allow_private, resolving: Arc::new(Semaphore::new(MAX_RESOLVING)) })
    }

    /// Returns the addresses of a host. `None` if it cannot be resolved in time.
    async fn resolve(&self, host: String) -> Option<Vec<SocketAddr>> {
        let lookup = async {
            let permit = self.resolving.clone().acquire_owned().await.ok()?;
            addresses(host, permit).await.ok()
        };
        timeout(RESOLVE_TIMEOUT, lookup).await.ok().flatten()
    }

    /// Begins a request. IP addresses in a URL are never resolved, so the URL is checked again, as when it was
    /// configured.
    fn post(&self, url: &WebhookUrl) -> Result<RequestBuilder, String> {
        let allowed =
            WebhookUrl::stored(url.as_str(), self.allow_private).map_err(|error| format!("The URL {}.", error.0))?;
        Ok(self.client.post(allowed.as_str()).header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION"))))
    }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    async fn send(&self, url: &WebhookUrl, message: &WebhookMessage) -> Result<WebhookResponse, String> {
        let span = span("POST webhook", Some(&message.id));
        let request = self
            .post(url)?
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", message.timestamp)
            .header("webhook-signature", &message.signature)
            .body(message.body.clone());
        let mut response = response(request, &span).await?;
        let (status, mut body) = (response.status().as_u16(), Vec::new());
        let read = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                let room = WebhookResponse::MAX_READ.saturating_sub(body.len());
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                if chunk.len() >= room {
                    return;
                }
            }
        };
        // The message was delivered, whatever becomes of the body.
        drop(timeout(BODY_TIMEOUT, read).await);
        Ok(WebhookResponse { status, body })
    }

    async fn check_address(&self, url: &WebhookUrl) -> Result<(), InvalidValue> {
        let host = Url::parse(url.as_str()).ok().and_then(|url| url.domain().map(str::to_owned));
        // An IP address was checked when the URL was parsed.
        let Some(host) = host.filter(|_| !self.allow_private) else { return Ok(()) };
        match self.resolve(host).await {
            Some(found) if !found.is_empty() && !found.iter().any(|address| is_public(address.ip())) => {
                Err(InvalidValue("must not be on a host that has only private network addresses"))
            }
            _ => Ok(()),
        }
    }

    async fn send_logout_token(&self, url: &WebhookUrl, token: &Secret) -> Result<u16, String> {
        let span = span("POST logout token", None);
        // The token contains no character that has to be encoded in a form.
        let request = self
            .post(url)?
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(format!("logout_token={}", token.expose()));
        Ok(response(request, &span).await?.status().as_u16())
    }
}

/// Returns the span of a request, under this name in traces.
fn span(name: &str, message_id: Option<&str>) -> Span {
    tracing::info_span!(
        "POST",
        otel.name = name,
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = "POST",
        http.response.status_code = Empty,
        steward.message_id = message_id,
    )
}

/// Sends a request and returns the response, whose body is not read yet.
async fn response(request: RequestBuilder, span: &Span) -> Result<Response, String> {
    // With these headers, the receiver can continue the trace (W3C Trace Context). Empty without a collector.
    let mut headers = HashMap::<String, String>::new();
    global::get_text_map_propagator(|propagator| propagator.inject_context(&span.context(), &mut headers));
    let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    let response = request.send().await;
    match &response {
        Ok(response) => drop(span.record("http.response.status_code", response.status().as_u16())),
        Err(_) => drop(span.record("otel.status_code", "ERROR")),
    }
    response.map_err(|error| reason(&error))
}

/// Returns why there was no response, without the address, which the owner of the webhook knows.
fn reason(error: &Error) -> String {
    let mut causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    if causes.any(|cause| cause.to_string() == PRIVATE) {
        return PRIVATE.to_owned();
    }
    let text = if error.is_timeout() {
        "The receiver did not respond in time."
    } else if error.is_connect() {
        "The receiver could not be reached."
    } else {
        "The connection to the receiver failed."
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    fn message() -> WebhookMessage {
        WebhookMessage {
            id: "msg_1".into(),
            timestamp: 7,
            signature: "v1,abc".into(),
            body: "{\"type\":\"team.updated\"}".into(),
        }
    }

    /// Starts a receiver that sends one response. Returns its URL and a task that returns the request.
    async fn receiver(response: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://localhost:{}/hook", listener.local_addr().unwrap().port());
        let task = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let mut length = 0;
            while !String::from_utf8_lossy(&request[..length]).contains("team.updated") {
                length += stream.read(&mut request[length..]).await.unwrap();
            }
            stream.write_all(response.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        (address, task)
    }

    #[tokio::test]
    async fn a_message_is_posted_with_its_headers_and_redirects_are_not_followed() {
        let response = "HTTP/1.1 302 Found\r\nLocation: http://localhost:1/\r\nContent-Length: 0\r\n\r\n";
        let (address, request) = receiver(response).await;
        let sender = HttpWebhookSender::new(true).unwrap();
        let status = sender.send(&WebhookUrl::parse(&address, true).unwrap(), &message()).await;
        assert_eq!(status, Ok(WebhookResponse { status: 302, body: Vec::new() }));
        let request = request.await.unwrap().to_ascii_lowercase();
        for header in ["post /hook http/1.1", "webhook-id: msg_1", "webhook-timestamp: 7", "webhook-signature: v1,abc"]
        {
            assert!(request.contains(header), "{header} in {request}");
        }
    }

    #[tokio::test]
    async fn only_the_beginning_of_a_response_is_read_and_an_incomplete_one_is_kept() {
        let sender = HttpWebhookSender::new(true).unwrap();
        let long: &'static str = format!("HTTP/1.1 500 No\r\nContent-Length: 9000\r\n\r\n{}", "x".repeat(9_000)).leak();
        for (text, status, length) in
            [(long, 500, WebhookResponse::MAX_READ), ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", 200, 2)]
        {
            let (address, _request) = receiver(text).await;
            let sent = sender.send(&WebhookUrl::parse(&address, true).unwrap(), &message()).await.unwrap();
            assert_eq!((sent.status, sent.body.len()), (status, length));
        }
    }

    #[tokio::test]
    async fn a_logout_token_is_posted_as_a_form() {
        let (address, request) = receiver("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        let (sender, url) = (HttpWebhookSender::new(true).unwrap(), WebhookUrl::parse(&address, true).unwrap());
        let token = Secret::new("eyJh.team.updated".to_owned());
        assert_eq!(sender.send_logout_token(&url, &token).await, Ok(200));
        let request = request.await.unwrap();
        assert!(request.to_ascii_lowercase().contains("content-type: application/x-www-form-urlencoded"), "{request}");
        assert!(request.ends_with("\r\n\r\nlogout_token=eyJh.team.updated"), "{request}");
    }

    #[tokio::test]
    async fn a_url_on_a_private_network_cannot_be_configured() {
        let (strict, lenient) = (HttpWebhookSender::new(false).unwrap(), HttpWebhookSender::new(true).unwrap());
        let url = |text| WebhookUrl::parse(text, false).unwrap();
        let private = url("https://localhost:8443/hook");
        assert!(strict.check_address(&private).await.is_err());
        assert_eq!(lenient.check_address(&private).await, Ok(()));
        for accepted in ["https://192.0.1.1/", "https://nowhere.invalid/hook"] {
            assert_eq!(strict.check_address(&url(accepted)).await, Ok(()), "{accepted}");
        }
    }

    #[tokio::test]
    async fn a_private_network_is_not_reached_by_name_or_ip_address() {
        let sender = HttpWebhookSender::new(false).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        for (address, error) in [
            (format!("https://localhost:{port}/"), PRIVATE),
            (format!("https://127.0.0.1:{port}/"), "The URL must not be a private network address"),
            (format!("http://example.com:{port}/"), "The URL must be an https URL"),
        ] {
            let url = WebhookUrl::parse(&address, true).unwrap();
            let token = Secret::new("token".to_owned());
            let sent = sender.send(&url, &message()).await.map(|response| response.status);
            for sent in [sent, sender.send_logout_token(&url, &token).await] {
                let refused = sent.unwrap_err();
                assert!(refused.starts_with(error), "{address}: {refused}");
            }
        }
        let connection = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(connection.is_err());
    }
}
